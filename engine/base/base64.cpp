#include "engine/base/base64.h"

#include <array>
#include <cstddef>

namespace kw {
namespace {

constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

} // namespace

std::string base64_encode(std::string_view bytes) {
    std::string text;
    text.reserve((bytes.size() + 2) / 3 * 4);
    for (std::size_t i = 0; i < bytes.size(); i += 3) {
        const auto at = [&](std::size_t k) { return k < bytes.size() ? static_cast<unsigned char>(bytes[k]) : 0u; };
        const unsigned group = at(i) << 16 | at(i + 1) << 8 | at(i + 2);
        text += kDigits[group >> 18];
        text += kDigits[group >> 12 & 63];
        text += i + 1 < bytes.size() ? kDigits[group >> 6 & 63] : '=';
        text += i + 2 < bytes.size() ? kDigits[group & 63] : '=';
    }
    return text;
}

std::optional<std::string> base64_decode(std::string_view text) {
    static constexpr auto kValues = [] {
        std::array<signed char, 256> values{};
        values.fill(-1);
        for (std::size_t i = 0; i < kDigits.size(); ++i)
            values[static_cast<unsigned char>(kDigits[i])] = static_cast<signed char>(i);
        return values;
    }();
    if (text.size() % 4 != 0) return std::nullopt;
    std::size_t padding = 0;
    while (padding < 2 && padding < text.size() && text[text.size() - 1 - padding] == '=') ++padding;
    std::string bytes;
    bytes.reserve(text.size() / 4 * 3);
    unsigned group = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool is_padding = i >= text.size() - padding;
        const int value = is_padding ? 0 : kValues[static_cast<unsigned char>(text[i])];
        if (value < 0) return std::nullopt;
        group = group << 6 | static_cast<unsigned>(value);
        if (i % 4 != 3) continue;
        bytes += static_cast<char>(group >> 16 & 255);
        bytes += static_cast<char>(group >> 8 & 255);
        bytes += static_cast<char>(group & 255);
        group = 0;
    }
    for (; padding > 0; --padding) bytes.pop_back();
    return bytes;
}

} // namespace kw
