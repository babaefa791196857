#pragma once

#include "engine/base/result.h"

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

/// An integer expression of task.toml or a directive: integers, + - * / %, parentheses, ceil_div min max, names.
/// Division truncates as in C. Overflow past 2⁶³−1 and division by zero are errors that name the position.
class Expression {
public:
    Expression() = default;
    /// `where` is the position of the text's first character, from which positions inside it are derived.
    [[nodiscard]] static Result<Expression> parse(std::string_view text, const Where& where);
    [[nodiscard]] static Expression constant(std::int64_t value);

    [[nodiscard]] Result<std::int64_t> evaluate(const Sizes& names) const;
    /// Names used, each once, in order of appearance.
    [[nodiscard]] std::vector<std::string> names() const;
    [[nodiscard]] const std::string& text() const { return text_; }
    [[nodiscard]] const Where& where() const { return where_; }

    struct Node;

private:
    std::string text_;
    Where where_;
    std::shared_ptr<const Node> root_;
};

} // namespace kw::task
