#include "agent/llm/secret.h"

#include "engine/base/base64.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <optional>
#include <utility>

namespace kw::llm {
namespace {

void wipe(std::string& text) { ::explicit_bzero(text.data(), text.size()); }

std::string percent_encoded(std::string_view text) {
    std::string out;
    for (const char c : text)
        if (std::isalnum(static_cast<unsigned char>(c)) || std::strchr("-._~", c))
            out += c;
        else
            out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    return out;
}

/// How much of a text spells a key; not `whole` where the text ends before it does.
struct Spelling {
    std::size_t bytes = 0;
    bool whole = false;
};

/// Each character as it is or as JSON may write it (RFC 8259, section 7): \" \\ \/ and \uXXXX. Nothing where `text`
/// begins otherwise.
std::optional<Spelling> spelling(std::string_view text, std::string_view key) {
    std::size_t at = 0;
    for (const char c : key) {
        if (at >= text.size()) return Spelling{text.size(), false};
        if (text[at] == c && c != '\\') {
            ++at;
            continue;
        }
        if (text[at] != '\\') return std::nullopt;
        const auto rest = text.substr(at + 1);
        if (rest.empty()) return Spelling{text.size(), false};
        if (rest[0] == c && (c == '"' || c == '\\' || c == '/')) {
            at += 2;
        } else if (rest[0] == 'u') {
            const auto code = fmt::format("{:04x}", static_cast<unsigned char>(c));
            for (std::size_t i = 0; i < code.size(); ++i) {
                if (i + 1 == rest.size()) return Spelling{text.size(), false};
                if (std::tolower(static_cast<unsigned char>(rest[i + 1])) != code[i]) return std::nullopt;
            }
            at += 2 + code.size();
        } else if (c == '\\') {
            ++at;
        } else {
            return std::nullopt;
        }
    }
    return Spelling{at, true};
}

} // namespace

Secret::Secret(std::string value)
    : value_(new std::string(value), [](const std::string* held) {
          // It was made as a non-const string above.
          wipe(const_cast<std::string&>(*held));
          delete held;
      }) {
    wipe(value);
}

void Redactor::add(const Secret& secret) {
    const auto value = secret.reveal();
    if (value.size() < kShortest) return;
    keys_.push_back(secret);
    for (auto form : {percent_encoded(value), base64_encode(value)}) {
        if (std::ranges::any_of(forms_, [&](const Secret& known) { return known.reveal() == form; })) continue;
        forms_.emplace_back(std::move(form));
    }
}

std::string Redactor::operator()(std::string text) const {
    for (const auto& form : forms_)
        for (auto at = text.find(form.reveal()); at != std::string::npos;
             at = text.find(form.reveal(), at + kInstead.size()))
            text.replace(at, form.reveal().size(), kInstead);
    for (const auto& key : keys_)
        for (std::size_t at = 0; at < text.size(); ++at)
            if (const auto found = spelling(std::string_view{text}.substr(at), key.reveal()); found && found->whole) {
                text.replace(at, found->bytes, kInstead);
                at += kInstead.size() - 1;
            }
    return text;
}

std::size_t Redactor::unsure_suffix(std::string_view text) const {
    std::size_t longest = 0;
    for (const auto& form : forms_)
        for (auto length = std::min(text.size(), form.reveal().size() - 1); length > longest; --length)
            if (text.ends_with(form.reveal().substr(0, length))) longest = length;
    constexpr std::size_t kLongestCharacter = 6; // \uXXXX
    for (const auto& key : keys_)
        for (auto length = std::min(text.size(), kLongestCharacter * key.reveal().size()); length > longest; --length)
            if (const auto found = spelling(text.substr(text.size() - length), key.reveal()); found && !found->whole) {
                longest = length;
                break;
            }
    return longest;
}

std::string StreamRedactor::feed(std::string_view piece) {
    held_ = redactor_(held_ + std::string{piece});
    const auto kept = redactor_.unsure_suffix(held_);
    auto sure = held_.substr(0, held_.size() - kept);
    held_.erase(0, sure.size());
    return sure;
}

std::string StreamRedactor::finish() { return redactor_(std::exchange(held_, {})); }

} // namespace kw::llm
