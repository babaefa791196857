#include "engine/compile/names.h"

namespace kw::compile {
namespace {

constexpr std::size_t kHashDigits = 16;

/// Drops the "@0123456789abcdef/" of a header's folder.
std::string_view behind_root(std::string_view text) {
    const bool hashed = text.size() > kHashDigits + 1 && text[0] == '@' && text[kHashDigits + 1] == '/'
                        && text.find_first_not_of("0123456789abcdef", 1) == kHashDigits + 1;
    return hashed ? text.substr(kHashDigits + 2) : text;
}

} // namespace

std::string task_name(std::string_view relative) { return std::string(kTaskRoot).append(relative); }

std::string header_root(std::string_view contents_sha256) {
    return std::string(kTaskRoot).append("@").append(contents_sha256.substr(0, kHashDigits)).append("/");
}

std::string task_relative(std::string_view name) {
    return std::string(name.starts_with(kTaskRoot) ? behind_root(name.substr(kTaskRoot.size())) : name);
}

std::string without_roots(std::string_view text) {
    std::string out;
    out.reserve(text.size());
    for (std::size_t at = text.find(kTaskRoot); at != std::string_view::npos; at = text.find(kTaskRoot)) {
        out += text.substr(0, at);
        text = behind_root(text.substr(at + kTaskRoot.size()));
    }
    return out.append(text);
}

std::string ptx_without_roots(std::string_view ptx) {
    static const std::string listed = [] {
        std::string bytes = "{";
        for (const char letter : kTaskRoot) bytes += std::to_string(static_cast<int>(letter)) + ", ";
        return bytes;
    }();
    const std::string plain = without_roots(ptx);
    std::string out;
    out.reserve(plain.size());
    std::string_view text = plain;
    for (std::size_t at = text.find(listed); at != std::string_view::npos; at = text.find(listed)) {
        out += text.substr(0, at + 1);
        text.remove_prefix(at + listed.size());
        if (!text.starts_with("64, ")) continue; // '@': the folder of a header
        std::size_t end = 0;
        for (std::size_t byte = 0; byte < kHashDigits + 2 && end != std::string_view::npos; ++byte) {
            end = text.find(", ", end);
            if (end != std::string_view::npos) end += 2;
        }
        if (end != std::string_view::npos) text.remove_prefix(end);
    }
    return out.append(text);
}

bool is_pointer_type(std::string_view type) {
    // Qualifiers stand behind what they qualify: "float* const", "float* __restrict".
    for (const std::string_view qualifier : {" const", " volatile", " __restrict"})
        if (type.ends_with(qualifier)) return is_pointer_type(type.substr(0, type.size() - qualifier.size()));
    return type.ends_with('*') || type.ends_with('&') || type.contains("(*)") || type.contains("(&)");
}

} // namespace kw::compile
