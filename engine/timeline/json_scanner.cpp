#include "engine/timeline/json_scanner.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace kw::timeline {
namespace {

bool ends_bare(char c) {
    return is_json_space(c) || c == ',' || c == ']' || c == '}' || c == '[' || c == '{' || c == '"' || c == ':';
}

std::size_t skip_space(std::string_view text, std::size_t at) {
    while (at < text.size() && is_json_space(text[at])) ++at;
    return at;
}

void append_utf8(std::string& to, std::uint32_t code) {
    const auto byte = [&](std::uint32_t value) { to += static_cast<char>(value); };
    if (code < 0x80) {
        byte(code);
    } else if (code < 0x800) {
        byte(0xc0 | (code >> 6));
        byte(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        byte(0xe0 | (code >> 12));
        byte(0x80 | ((code >> 6) & 0x3f));
        byte(0x80 | (code & 0x3f));
    } else {
        byte(0xf0 | (code >> 18));
        byte(0x80 | ((code >> 12) & 0x3f));
        byte(0x80 | ((code >> 6) & 0x3f));
        byte(0x80 | (code & 0x3f));
    }
}

/// The code unit of \uXXXX at `at`, which is at the backslash.
std::optional<std::uint32_t> code_unit(std::string_view raw, std::size_t at) {
    if (at + 6 > raw.size() || raw[at] != '\\' || raw[at + 1] != 'u') return {};
    std::uint32_t value = 0;
    const char* first = raw.data() + at + 2;
    const auto [end, error] = std::from_chars(first, first + 4, value, 16);
    if (error != std::errc{} || end != first + 4) return {};
    return value;
}

} // namespace

std::size_t ValueScanner::feed(std::string_view text) {
    std::size_t at = 0;
    while (at < text.size() && state_ != State::done) {
        const char c = text[at];
        switch (state_) {
        case State::before:
            ++at;
            if (is_json_space(c)) break;
            if (c == '{' || c == '[') {
                depth_ = 1;
                state_ = State::inside;
            } else {
                state_ = c == '"' ? State::string : State::bare;
            }
            break;
        case State::bare:
            if (ends_bare(c))
                state_ = State::done;
            else
                ++at;
            break;
        case State::inside: {
            at = text.find_first_of("\"{}[]", at);
            if (at == std::string_view::npos) return text.size();
            const char found = text[at++];
            if (found == '"')
                state_ = State::string;
            else if (found == '{' || found == '[')
                ++depth_;
            else if (--depth_ == 0)
                state_ = State::done;
            break;
        }
        case State::string:
            at = text.find_first_of("\"\\", at);
            if (at == std::string_view::npos) return text.size();
            state_ = text[at++] == '\\' ? State::escape : depth_ > 0 ? State::inside : State::done;
            break;
        case State::escape:
            ++at;
            state_ = State::string;
            break;
        case State::done: break;
        }
    }
    return at;
}

Element next_element(std::string_view text, std::size_t from) {
    std::size_t at = skip_space(text, from);
    while (at < text.size() && text[at] == ',') at = skip_space(text, at + 1);
    if (at == text.size()) return {Element::Kind::cut, at, at};
    if (text[at] == ']') return {Element::Kind::array_end, at, at + 1};
    if (text[at] == '}' || text[at] == ':') return {Element::Kind::nonsense, at, at};
    ValueScanner scanner;
    const std::size_t end = at + scanner.feed(text.substr(at));
    return {scanner.done() ? Element::Kind::value : Element::Kind::cut, at, end};
}

std::string unescape_json(std::string_view raw) {
    std::string text;
    text.reserve(raw.size());
    for (std::size_t i = 0; i < raw.size(); ++i) {
        if (raw[i] != '\\' || i + 1 == raw.size()) {
            text += raw[i];
            continue;
        }
        const char c = raw[i + 1];
        constexpr std::string_view kFrom = "\"\\/bfnrt", kTo = "\"\\/\b\f\n\r\t";
        if (const auto simple = kFrom.find(c); simple != std::string_view::npos) {
            text += kTo[simple];
            ++i;
        } else if (auto code = code_unit(raw, i)) {
            i += 5;
            if (*code >= 0xd800 && *code < 0xe000) {
                const auto low = code_unit(raw, i + 1);
                if (*code < 0xdc00 && low && *low >= 0xdc00 && *low < 0xe000) {
                    code = 0x10000 + ((*code - 0xd800) << 10) + (*low - 0xdc00);
                    i += 6;
                } else {
                    code = 0xfffd; // half of a pair stands for nothing
                }
            }
            append_utf8(text, *code);
        } else {
            text += raw[i];
        }
    }
    return text;
}

std::size_t last_record_start(std::string_view text) {
    static constexpr std::array<std::string_view, 11> kKeys{"ph", "name", "cat",  "pid", "tid", "ts",
                                                            "id", "dur",  "args", "bp",  "s"};
    constexpr std::size_t kLookBack = std::size_t{64} << 10;
    std::size_t any = 0;
    for (std::size_t at = text.size(); at > 0;) {
        at = text.rfind('{', at - 1);
        if (at == std::string_view::npos || at == 0) break;
        std::size_t before = at;
        const auto back = [&] {
            while (before > 0 && is_json_space(text[before - 1])) --before;
            return before > 0 ? text[before - 1] : '\0';
        };
        if (back() != ',') continue;
        --before;
        if (back() != '}') continue;
        const std::size_t key = skip_space(text, at + 1);
        const bool known = key < text.size() && text[key] == '"'
                           && std::ranges::any_of(
                               kKeys,
                               [&](auto name) {
                                   return text.substr(key + 1).starts_with(name)
                                          && text.substr(key + 1 + name.size()).starts_with('"');
                               });
        if (known) return at;
        if (any == 0) any = at;
        if (text.size() - at > kLookBack) break;
    }
    return any;
}

} // namespace kw::timeline
