#include "engine/task/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace kw::task {
namespace {

constexpr std::size_t kLongest = 128;

constexpr std::array<std::string_view, 75> kKeywords{
    "alignas",   "alignof",   "and",      "asm",      "auto",      "bool",      "break",    "case",       "catch",
    "char",      "char16_t",  "char32_t", "char8_t",  "class",     "concept",   "const",    "const_cast", "consteval",
    "constexpr", "constinit", "continue", "decltype", "default",   "delete",    "do",       "double",     "else",
    "enum",      "explicit",  "export",   "extern",   "false",     "float",     "for",      "friend",     "goto",
    "if",        "inline",    "int",      "long",     "mutable",   "namespace", "new",      "noexcept",   "not",
    "nullptr",   "operator",  "or",       "private",  "protected", "public",    "register", "requires",   "return",
    "short",     "signed",    "sizeof",   "static",   "struct",    "switch",    "template", "this",       "throw",
    "true",      "try",       "typedef",  "typename", "union",     "unsigned",  "using",    "virtual",    "void",
    "volatile",  "while",     "xor"};

constexpr std::array<std::string_view, 6> kReserved{"ceil_div", "min", "max", "dim3", "cooperative", "cluster"};

} // namespace

bool starts_name(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool continues_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

std::size_t name_length(std::string_view text) {
    if (text.empty() || !starts_name(text[0])) return 0;
    std::size_t end = 1;
    while (end < text.size() && continues_name(text[end])) ++end;
    return end;
}

Result<void> check_name(std::string_view name, std::string_view what, const Where& where) {
    if (name.empty() || name_length(name) != name.size())
        return fail(Stage::task, ErrorCode::invalid_input,
                    fmt::format("'{}' cannot name a {}: a name is letters, digits and '_', and begins with no digit",
                                name.substr(0, kLongest), what),
                    where);
    if (name.size() > kLongest)
        return fail(
            Stage::task, ErrorCode::invalid_input,
            fmt::format("the name '{}…' of a {} is longer than {} characters", name.substr(0, 32), what, kLongest),
            where);
    if (std::ranges::find(kKeywords, name) != kKeywords.end())
        return fail(Stage::task, ErrorCode::invalid_input,
                    fmt::format("'{}' cannot name a {}: it is a word of C++", name, what), where);
    if (std::ranges::find(kReserved, name) != kReserved.end())
        return fail(Stage::task, ErrorCode::invalid_input,
                    fmt::format("'{}' cannot name a {}: it has a meaning of its own in directives", name, what), where);
    return {};
}

} // namespace kw::task
