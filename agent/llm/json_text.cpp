#include "agent/llm/json_text.h"

#include <fmt/format.h>

#include <cmath>

namespace kw::llm {
namespace {

bool too_deep(std::string_view text) {
    std::size_t depth = 0;
    bool quoted = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (quoted) {
            if (c == '\\') ++i;
            if (c == '"') quoted = false;
        } else if (c == '"') {
            quoted = true;
        } else if (c == '[' || c == '{') {
            if (++depth > kDeepestJson) return true;
        } else if ((c == ']' || c == '}') && depth > 0) {
            --depth;
        }
    }
    return false;
}

bool continues(char byte) { return (static_cast<unsigned char>(byte) & 0xC0) == 0x80; }

} // namespace

std::optional<Json> parse_json(std::string_view text) {
    if (too_deep(text)) return std::nullopt;
    auto json = Json::parse(text, nullptr, false);
    if (json.is_discarded()) return std::nullopt;
    return json;
}

std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

const Json& member(const Json& json, std::string_view key) {
    static const Json none;
    if (!json.is_object()) return none;
    const auto found = json.find(key);
    return found == json.end() ? none : *found;
}

std::string text_of(const Json& json) { return json.is_string() ? json.get<std::string>() : std::string{}; }

std::int64_t count_at(const Json& json, std::string_view key) {
    constexpr double kLargest = 9007199254740992.0;
    const auto value = number_at(json, key).value_or(0);
    return value > 0 && value <= kLargest ? static_cast<std::int64_t>(value) : 0;
}

std::optional<double> number_at(const Json& json, std::string_view key) {
    const auto& value = member(json, key);
    if (!value.is_number()) return std::nullopt;
    const auto number = value.get<double>();
    return std::isfinite(number) ? std::optional{number} : std::nullopt;
}

std::string_view utf8_prefix(std::string_view text, std::size_t bytes) {
    if (bytes >= text.size()) return text;
    while (bytes > 0 && continues(text[bytes])) --bytes;
    return text.substr(0, bytes);
}

std::string shortened(std::string_view text, std::size_t bytes) {
    if (text.size() <= bytes) return std::string{text};
    const auto head = utf8_prefix(text, bytes * 2 / 3);
    std::size_t tail = text.size() - bytes / 3;
    while (tail < text.size() && continues(text[tail])) ++tail;
    return fmt::format("{}\n[… {} bytes left out …]\n{}", head, tail - head.size(), text.substr(tail));
}

} // namespace kw::llm
