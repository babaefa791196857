#include "engine/rpc/framing.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>

namespace kw::rpc {
namespace {

constexpr std::string_view kHeaderEnd = "\r\n\r\n";

bool equal_ignoring_case(std::string_view a, std::string_view b) {
    const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return std::ranges::equal(a, b, {}, lower, lower);
}

std::string_view trim(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

/// What a person should see of bytes that were not expected: short, on one line, printable.
std::string excerpt(std::string_view bytes) {
    std::string text;
    for (const char c : bytes.substr(0, 60)) text += c >= 0x20 && c < 0x7f ? c : '.';
    return text;
}

std::unexpected<Error> broken(std::string message) {
    return fail(Stage::rpc, ErrorCode::invalid_input, std::move(message));
}

} // namespace

std::string frame(std::string_view body) {
    auto text = fmt::format("Content-Length: {}\r\n\r\n", body.size());
    text.reserve(text.size() + body.size());
    text += body;
    return text;
}

void Decoder::feed(std::string_view bytes) {
    if (start_ > 0 && start_ >= buffer_.size() / 2) {
        buffer_.erase(0, start_);
        start_ = 0;
    }
    buffer_ += bytes;
}

Result<bool> Decoder::read_header() {
    const std::string_view seen = std::string_view{buffer_}.substr(start_);
    const auto end = seen.find(kHeaderEnd, scanned_);
    // Whether the header is too long must not depend on how much of its end has arrived.
    if (end == std::string_view::npos ? seen.size() >= limits_.header_bytes + kHeaderEnd.size()
                                      : end > limits_.header_bytes)
        return broken(fmt::format("a message header is longer than {} bytes; it starts with \"{}\"",
                                  limits_.header_bytes, excerpt(seen)));
    if (end == std::string_view::npos) {
        scanned_ = seen.size() - std::min(seen.size(), kHeaderEnd.size() - 1);
        return false;
    }
    std::optional<std::size_t> size;
    std::string_view rest = seen.substr(0, end);
    while (!rest.empty()) {
        const auto line = rest.substr(0, rest.find("\r\n"));
        rest.remove_prefix(std::min(rest.size(), line.size() + 2));
        const auto colon = line.find(':');
        if (colon == std::string_view::npos || colon == 0)
            return broken(fmt::format("\"{}\" is not a message header", excerpt(line)));
        if (!equal_ignoring_case(line.substr(0, colon), "Content-Length")) continue;
        if (size) return broken("a message has two Content-Length headers");
        const auto value = trim(line.substr(colon + 1));
        std::uint64_t number = 0;
        const auto [stop, error] = std::from_chars(value.data(), value.data() + value.size(), number);
        if (error != std::errc{} || stop != value.data() + value.size())
            return broken(fmt::format("\"{}\" is not a Content-Length", excerpt(value)));
        if (number > limits_.body_bytes)
            return broken(fmt::format("a message of {} bytes was announced; at most {} are accepted", number,
                                      limits_.body_bytes));
        size = static_cast<std::size_t>(number);
    }
    if (!size) return broken("a message has no Content-Length header");
    start_ += end + kHeaderEnd.size();
    scanned_ = 0;
    body_size_ = size;
    return true;
}

Result<std::optional<std::string>> Decoder::next() {
    if (!body_size_) {
        auto complete = read_header();
        if (!complete) return std::unexpected(std::move(complete.error()));
        if (!*complete) return std::nullopt;
    }
    if (buffer_.size() - start_ < *body_size_) return std::nullopt;
    auto body = buffer_.substr(start_, *body_size_);
    start_ += *body_size_;
    body_size_.reset();
    if (start_ == buffer_.size()) {
        // Gives the memory of a large message back.
        if (buffer_.capacity() > (std::size_t{1} << 20)) buffer_ = {};
        buffer_.clear();
        start_ = 0;
    }
    return body;
}

std::size_t nesting_depth(std::string_view text) {
    std::size_t depth = 0;
    std::size_t deepest = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        switch (text[i]) {
        case '[':
        case '{': deepest = std::max(deepest, ++depth); break;
        case ']':
        case '}':
            if (depth > 0) --depth;
            break;
        case '"':
            while (++i < text.size() && text[i] != '"')
                if (text[i] == '\\') ++i;
            break;
        default: break;
        }
    }
    return deepest;
}

} // namespace kw::rpc
