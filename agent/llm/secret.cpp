#include "agent/llm/secret.h"

#include "engine/base/base64.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <utility>

namespace kw::llm {
namespace {

constexpr std::size_t kShortest = 8;

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

std::string json_escaped(std::string_view text) {
    std::string out;
    for (const char c : text) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out;
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
    for (auto form : {std::string{value}, json_escaped(value), percent_encoded(value), base64_encode(value)}) {
        if (std::ranges::any_of(forms_, [&](const Secret& known) { return known.reveal() == form; })) continue;
        forms_.emplace_back(std::move(form));
    }
}

std::string Redactor::operator()(std::string text) const {
    for (const auto& form : forms_)
        for (auto at = text.find(form.reveal()); at != std::string::npos;
             at = text.find(form.reveal(), at + kInstead.size()))
            text.replace(at, form.reveal().size(), kInstead);
    return text;
}

std::size_t Redactor::unsure_suffix(std::string_view text) const {
    std::size_t longest = 0;
    for (const auto& form : forms_)
        for (auto length = std::min(text.size(), form.reveal().size() - 1); length > longest; --length)
            if (text.ends_with(form.reveal().substr(0, length))) longest = length;
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
