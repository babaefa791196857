#include "engine/device/sim/ptx_cursor.h"

#include <fmt/format.h>

#include <bit>

namespace kw::sim::ptx {
namespace {

/// More than any device has; keeps sums of sizes far from overflow.
constexpr std::uint64_t kLargestVariable = std::uint64_t{1} << 40;

std::optional<Space> space_from(std::string_view word) {
    if (word == "global") return Space::global;
    if (word == "shared" || word == "shared::cta") return Space::shared;
    if (word == "local") return Space::local;
    if (word == "const") return Space::constant;
    if (word == "param") return Space::param;
    if (word == "reg") return Space::reg;
    return std::nullopt;
}

} // namespace

std::unexpected<Error> Cursor::error_at(const Token& token, std::string_view message) {
    return fail(Stage::device, ErrorCode::invalid_input,
                fmt::format("PTX line {}, column {}: {}", token.line, token.column, message));
}

Result<void> Cursor::expect(char symbol) {
    if (accept(symbol)) return {};
    return error(fmt::format("'{}' was expected before \"{}\"", symbol, peek().text));
}

Result<std::uint64_t> Cursor::integer() {
    if (peek().kind != TokenKind::integer)
        return error(fmt::format("an integer was expected before \"{}\"", peek().text));
    return next().bits;
}

Result<std::int64_t> Cursor::signed_integer() {
    bool negative = false;
    while (is('-') || is('+')) negative ^= next().text[0] == '-';
    auto value = integer();
    if (!value) return std::unexpected(value.error());
    return static_cast<std::int64_t>(negative ? 0 - *value : *value);
}

Result<std::string_view> Cursor::name() {
    if (peek().kind != TokenKind::name) return error(fmt::format("a name was expected before \"{}\"", peek().text));
    return next().text;
}

Result<void> Cursor::skip_past(char symbol) {
    int depth = 0;
    while (!at_end()) {
        if (depth == 0 && is(symbol)) {
            next();
            return {};
        }
        if (is('{') || is('(')) ++depth;
        if (is('}') || is(')')) --depth;
        next();
    }
    return error(fmt::format("the text ends before '{}'", symbol));
}

Result<void> Cursor::skip_braces() {
    if (auto open = expect('{'); !open) return open;
    for (int depth = 1; depth > 0;) {
        if (at_end()) return error("the text ends before '}'");
        if (is('{')) ++depth;
        if (is('}')) --depth;
        next();
    }
    return {};
}

Result<void> Cursor::variables(std::vector<Variable>& out, bool separator_ends) {
    Variable prototype;
    const Token& first = next();
    const auto space = space_from(first.text);
    if (first.kind != TokenKind::dotted || !space) return error_at(first, "a state space was expected");
    prototype.space = *space;
    std::uint64_t vector = 1;
    bool typed = false;
    while (peek().kind == TokenKind::dotted) {
        const Token& word = next();
        if (word.text == "align") {
            auto align = integer();
            if (!align) return std::unexpected(align.error());
            if (!std::has_single_bit(*align) || *align > 4096)
                return error_at(word, "an alignment must be a power of two up to 4096");
            prototype.align = *align;
        } else if (word.text == "v2" || word.text == "v4") {
            vector = static_cast<std::uint64_t>(word.text[1] - '0');
        } else if (word.text == "ptr" || space_from(word.text)) {
            // what a pointer parameter points to is of no use here
        } else if (word.text == "attribute") {
            if (auto open = expect('('); !open) return open;
            if (auto skipped = skip_past(')'); !skipped) return skipped;
        } else if (const auto type = type_from(word.text)) {
            prototype.type = *type;
            typed = true;
        } else {
            return error_at(word, fmt::format("\".{}\" is not known in a declaration", word.text));
        }
    }
    if (!typed) return error("a type was expected in the declaration");
    do {
        Variable variable = prototype;
        variable.line = peek().line;
        auto id = name();
        if (!id) return std::unexpected(id.error());
        variable.name = *id;
        const std::uint64_t element = size_of(variable.type) * vector;
        std::uint64_t count = 1;
        bool open_ended = false;
        while (accept('[')) {
            variable.is_array = true;
            if (accept(']')) {
                open_ended = true;
                continue;
            }
            auto extent = integer();
            if (!extent) return std::unexpected(extent.error());
            if (__builtin_mul_overflow(count, std::uint64_t{*extent}, &count) || count > kLargestVariable)
                return error("the array is larger than any device's memory");
            if (auto close = expect(']'); !close) return close;
        }
        variable.bytes = open_ended ? 0 : element * count;
        variable.align = std::max<std::uint64_t>(variable.align, std::max<std::uint64_t>(element, 1));
        if (!std::has_single_bit(variable.align)) variable.align = std::bit_ceil(variable.align);
        if (accept('=')) {
            if (auto read = initializer(variable); !read) return read;
        }
        out.push_back(std::move(variable));
    } while (!separator_ends && accept(','));
    return {};
}

Result<void> Cursor::initializer(Variable& variable) {
    const std::uint32_t unit = std::min<std::uint32_t>(std::max(size_of(variable.type), 1u), 8);
    std::uint64_t offset = 0;
    int depth = 0;
    for (;;) {
        if (accept('{')) {
            if (++depth > 16) return error("the initialiser is nested too deeply");
            continue;
        }
        if (is('}')) {
            next();
            if (--depth < 0) return error("'}' has no matching '{'");
            if (depth == 0) break;
            accept(',');
            continue;
        }
        Initializer item;
        item.offset = offset;
        item.bytes = unit;
        const bool negative = is('-');
        if (negative) next();
        const Token& token = next();
        switch (token.kind) {
        case TokenKind::integer: item.bits = negative ? 0 - token.bits : token.bits; break;
        case TokenKind::f32: item.bits = negative ? token.bits ^ 0x80000000u : token.bits; break;
        case TokenKind::f64: {
            const double value = std::bit_cast<double>(token.bits) * (negative ? -1 : 1);
            item.bits = variable.type == Type::f32 ? std::bit_cast<std::uint32_t>(static_cast<float>(value))
                                                   : std::bit_cast<std::uint64_t>(value);
            break;
        }
        case TokenKind::name: {
            item.symbol = token.text;
            if (token.text == "generic" && accept('(')) {
                auto symbol = name();
                if (!symbol) return std::unexpected(symbol.error());
                item.symbol = *symbol;
                item.generic = true;
                if (auto close = expect(')'); !close) return close;
            }
            if (is('+') || is('-')) {
                auto addend = signed_integer();
                if (!addend) return std::unexpected(addend.error());
                item.bits = static_cast<std::uint64_t>(*addend);
            }
            break;
        }
        default: return error_at(token, fmt::format("\"{}\" is not a value", token.text));
        }
        variable.initializers.push_back(item);
        offset += unit;
        if (depth == 0) break;
        accept(',');
    }
    if (variable.bytes == 0) variable.bytes = offset;
    if (offset > variable.bytes) return error("the initialiser holds more than the variable");
    return {};
}

Result<std::int32_t> parse_location(Cursor& cursor, Module& module) {
    Location location;
    const auto position = [&](Location& out) -> Result<void> {
        auto file = cursor.integer();
        if (!file) return std::unexpected(file.error());
        auto line = cursor.integer();
        if (!line) return std::unexpected(line.error());
        auto column = cursor.integer();
        if (!column) return std::unexpected(column.error());
        out.file = static_cast<std::uint32_t>(*file);
        out.line = static_cast<int>(*line & 0x7fffffff);
        out.column = static_cast<int>(*column & 0x7fffffff);
        return {};
    };
    if (auto read = position(location); !read) return std::unexpected(read.error());
    while (cursor.accept(',')) {
        auto word = cursor.name();
        if (!word) return std::unexpected(word.error());
        if (*word == "function_name") {
            auto label = cursor.name();
            if (!label) return std::unexpected(label.error());
            if (cursor.accept('+')) {
                if (auto offset = cursor.integer(); !offset) return std::unexpected(offset.error());
            }
        } else if (*word == "inlined_at") {
            Location outer;
            if (auto read = position(outer); !read) return std::unexpected(read.error());
            // The call site was itself announced before; its own chain continues from there.
            for (auto index = module.locations.size(); index-- > 0 && module.locations.size() - index < 4096;) {
                const Location& known = module.locations[index];
                if (known.file == outer.file && known.line == outer.line && known.column == outer.column) {
                    location.inlined_at = static_cast<std::int32_t>(index);
                    break;
                }
            }
            if (location.inlined_at < 0) {
                module.locations.push_back(outer);
                location.inlined_at = static_cast<std::int32_t>(module.locations.size() - 1);
            }
        } else {
            return cursor.error(fmt::format("\"{}\" is not known in .loc", *word));
        }
    }
    module.locations.push_back(location);
    return static_cast<std::int32_t>(module.locations.size() - 1);
}

} // namespace kw::sim::ptx
