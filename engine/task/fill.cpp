#include "engine/base/suggest.h"
#include "engine/task/names.h"
#include "engine/task/task.h"

#include <fmt/format.h>

#include <array>
#include <cctype>
#include <charconv>
#include <cmath>
#include <utility>

namespace kw::task {
namespace {

struct FillInfo {
    Fill::Kind kind;
    std::string_view name;
    std::size_t least_arguments;
    std::size_t most_arguments;
    std::string_view usage;
};

constexpr std::array<FillInfo, 8> kFills{{
    {Fill::Kind::normal, "normal", 0, 2, "normal(mean, std)"},
    {Fill::Kind::uniform, "uniform", 0, 2, "uniform(lo, hi)"},
    {Fill::Kind::integers, "integers", 2, 2, "integers(lo, hi)"},
    {Fill::Kind::permutation, "permutation", 0, 1, "permutation(n)"},
    {Fill::Kind::sorted, "sorted", 0, 2, "sorted(lo, hi)"},
    {Fill::Kind::zeros, "zeros", 0, 0, "zeros"},
    {Fill::Kind::ones, "ones", 0, 0, "ones"},
    {Fill::Kind::iota, "iota", 0, 0, "iota"},
}};

struct Piece {
    std::string_view text;
    std::size_t offset = 0;
};

Piece trimmed(std::string_view text, std::size_t offset) {
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.front()))) {
        text.remove_prefix(1);
        ++offset;
    }
    while (!text.empty() && std::isspace(static_cast<unsigned char>(text.back()))) text.remove_suffix(1);
    return {text, offset};
}

std::unexpected<Error> bad(std::string message, Where where, std::size_t offset = 0) {
    if (where.line > 0) where.column += static_cast<int>(offset);
    return fail(Stage::task, ErrorCode::invalid_input, std::move(message), std::move(where));
}

/// Arguments between parentheses, split at commas outside inner parentheses.
std::vector<Piece> split(std::string_view text, std::size_t offset) {
    std::vector<Piece> pieces;
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= text.size(); ++i) {
        if (i < text.size() && text[i] == '(') ++depth;
        if (i < text.size() && text[i] == ')') --depth;
        if (i < text.size() && (text[i] != ',' || depth > 0)) continue;
        pieces.push_back(trimmed(text.substr(begin, i - begin), offset + begin));
        begin = i + 1;
    }
    return pieces;
}

Result<void> read_argument(const Piece& piece, const Where& where, double& value,
                           std::optional<Expression>& expression) {
    const char* end = piece.text.data() + piece.text.size();
    const char* begin = piece.text.data() + (piece.text.starts_with('+') ? 1 : 0);
    const auto [rest, error] = std::from_chars(begin, end, value);
    if (error == std::errc{} && rest == end && !piece.text.empty()) {
        if (!std::isfinite(value))
            return bad(fmt::format("'{}' is not a finite number", piece.text), where, piece.offset);
        return {};
    }
    Where at = where;
    if (at.line > 0) at.column += static_cast<int>(piece.offset);
    auto parsed = Expression::parse(piece.text, at);
    if (!parsed) return std::unexpected(parsed.error());
    expression = std::move(*parsed);
    return {};
}

} // namespace

std::string_view to_string(Fill::Kind kind) {
    for (const auto& info : kFills)
        if (info.kind == kind) return info.name;
    return "file";
}

Result<Fill> parse_fill(std::string_view text, const Where& where) {
    const Piece whole = trimmed(text, 0);
    const std::size_t length = name_length(whole.text);
    const std::string_view name = whole.text.substr(0, length);
    const FillInfo* info = nullptr;
    std::vector<std::string> known;
    for (const auto& candidate : kFills) {
        known.emplace_back(candidate.name);
        if (candidate.name == name) info = &candidate;
    }
    if (!info)
        return bad(
            fmt::format("unknown fill '{}'{}; the fills are {}", whole.text, did_you_mean(name, known), list_of(known)),
            where, whole.offset);

    Fill fill;
    fill.kind = info->kind;
    std::vector<Piece> arguments;
    const Piece rest = trimmed(whole.text.substr(length), whole.offset + length);
    if (!rest.text.empty()) {
        if (rest.text.front() != '(' || rest.text.back() != ')' || rest.text.size() < 2)
            return bad(fmt::format("expected '{}'", info->usage), where, rest.offset);
        const Piece inside = trimmed(rest.text.substr(1, rest.text.size() - 2), rest.offset + 1);
        if (!inside.text.empty()) arguments = split(inside.text, inside.offset);
    }
    const bool pair_needed = info->most_arguments == 2 && arguments.size() == 1;
    if (arguments.size() < info->least_arguments || arguments.size() > info->most_arguments || pair_needed)
        return bad(fmt::format("'{}' is written '{}'", name, info->usage), where, whole.offset);
    // 0 stands for "as many as the tensor has elements".
    if (fill.kind == Fill::Kind::permutation) fill.a = 0;
    if (!arguments.empty())
        if (auto a = read_argument(arguments[0], where, fill.a, fill.a_expression); !a)
            return std::unexpected(a.error());
    if (arguments.size() > 1)
        if (auto b = read_argument(arguments[1], where, fill.b, fill.b_expression); !b)
            return std::unexpected(b.error());

    const bool literal = !fill.a_expression && !fill.b_expression;
    const bool ranged =
        fill.kind == Fill::Kind::uniform || fill.kind == Fill::Kind::integers || fill.kind == Fill::Kind::sorted;
    if (literal && ranged && fill.a > fill.b)
        return bad(fmt::format("'{}' has its low end above its high end", whole.text), where, whole.offset);
    if (!fill.b_expression && fill.kind == Fill::Kind::normal && fill.b < 0)
        return bad(fmt::format("'{}' has a negative standard deviation", whole.text), where, whole.offset);
    if (!arguments.empty() && fill.kind == Fill::Kind::permutation && !fill.a_expression
        && (fill.a < 1 || fill.a != std::floor(fill.a)))
        return bad("permutation(n) takes a whole number of at least 1", where, whole.offset);
    return fill;
}

} // namespace kw::task
