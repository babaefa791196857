#pragma once

#include "engine/base/result.h"
#include "engine/device/sim/ptx_lexer.h"
#include "engine/device/sim/ptx_module.h"

#include <span>
#include <string>
#include <string_view>

namespace kw::sim::ptx {

/// Walks the tokens of a module; shared by the parser of module-level text and that of function bodies.
class Cursor {
public:
    /// `tokens` ends with a TokenKind::end.
    explicit Cursor(std::span<const Token> tokens) : tokens_(tokens) {}

    [[nodiscard]] const Token& peek(std::size_t ahead = 0) const {
        const std::size_t index = at_ + ahead;
        return index < tokens_.size() ? tokens_[index] : tokens_.back();
    }
    const Token& next() {
        const Token& token = peek();
        if (at_ + 1 < tokens_.size()) ++at_;
        return token;
    }
    [[nodiscard]] bool at_end() const { return peek().kind == TokenKind::end; }
    [[nodiscard]] bool is(char symbol) const { return peek().kind == TokenKind::symbol && peek().text[0] == symbol; }
    [[nodiscard]] bool is_dotted(std::string_view word) const {
        return peek().kind == TokenKind::dotted && peek().text == word;
    }
    bool accept(char symbol) {
        if (!is(symbol)) return false;
        next();
        return true;
    }
    bool accept_dotted(std::string_view word) {
        if (!is_dotted(word)) return false;
        next();
        return true;
    }

    [[nodiscard]] std::unexpected<Error> error(std::string_view message) const { return error_at(peek(), message); }
    [[nodiscard]] static std::unexpected<Error> error_at(const Token& token, std::string_view message);

    [[nodiscard]] Result<void> expect(char symbol);
    [[nodiscard]] Result<std::uint64_t> integer();       ///< a literal without sign
    [[nodiscard]] Result<std::int64_t> signed_integer(); ///< "-4", "+4", "4"
    [[nodiscard]] Result<std::string_view> name();

    /// Skips up to and including the next `symbol`, braces balanced.
    [[nodiscard]] Result<void> skip_past(char symbol);
    /// Skips "{ … }" that starts here.
    [[nodiscard]] Result<void> skip_braces();

    /// A variable from its state space on: ".global .align 4 .b8 name[16] = {…}", without the closing ';'.
    /// Accepts several names, "a, b". In a parameter list `separator_ends` stops at the first ','.
    [[nodiscard]] Result<void> variables(std::vector<Variable>& out, bool separator_ends);

private:
    [[nodiscard]] Result<void> initializer(Variable& variable);

    std::span<const Token> tokens_;
    std::size_t at_ = 0;
};

/// A `.loc` after its word; appends to `module.locations` and returns the index.
[[nodiscard]] Result<std::int32_t> parse_location(Cursor& cursor, Module& module);

/// The body of `function` from its '{' to its '}'.
[[nodiscard]] Result<void> parse_body(Cursor& cursor, Module& module, Function& function);

} // namespace kw::sim::ptx
