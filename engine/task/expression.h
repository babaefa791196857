#pragma once

#include "engine/base/result.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kw::task {

/// Values of size names (and, in a plan, of tunables).
using Sizes = std::map<std::string, std::int64_t, std::less<>>;

/// The position of a byte offset into some text.
using Locator = std::function<Where(std::size_t offset)>;

/// An integer expression of task.toml or a directive: integers, + - * / %, parentheses, ceil_div min max, names.
/// Division truncates as in C. Overflow past 2⁶³−1 and division by zero are errors that name the position.
class Expression {
public:
    Expression() = default;
    /// `where` is the position of the text's first character, from which positions inside it are derived.
    [[nodiscard]] static Result<Expression> parse(std::string_view text, const Where& where);
    /// The same for text that does not lie on one line.
    [[nodiscard]] static Result<Expression> parse(std::string_view text, const Locator& locate);
    [[nodiscard]] static Expression constant(std::int64_t value);

    /// A default-constructed expression is 0.
    [[nodiscard]] Result<std::int64_t> evaluate(const Sizes& names) const;
    /// Names used, each once, in order of appearance.
    [[nodiscard]] std::vector<std::string> names() const;
    /// Where `name` is first used; the expression's own position when it is not.
    [[nodiscard]] Where position_of(std::string_view name) const;
    [[nodiscard]] const std::string& text() const { return text_; }
    [[nodiscard]] const Where& where() const { return where_; }

    struct Program;

private:
    std::string text_;
    Where where_;
    std::shared_ptr<const Program> program_;
};

} // namespace kw::task
