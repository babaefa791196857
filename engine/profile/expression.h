#pragma once

#include "engine/base/result.h"

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kw::profile {

/// A formula over named numbers: + - * /, parentheses, numbers, names. "name?" counts as 0 where the name has no value
/// and another of the formula has one.
class Expression {
public:
    /// Errors give the column.
    [[nodiscard]] static Result<Expression> parse(std::string_view text);

    using Lookup = std::function<std::optional<double>(std::string_view name)>;
    /// Nothing when a needed name has no value, when no name at all has one, or when the result is not finite (a
    /// division by 0).
    [[nodiscard]] std::optional<double> evaluate(const Lookup& value_of) const;

    /// Every name in it, as often as it appears.
    [[nodiscard]] std::vector<std::string> names() const;

private:
    friend class ExpressionParser;

    /// Reverse Polish.
    struct Step {
        enum class Kind { number, name, negate, add, subtract, multiply, divide } kind = Kind::number;
        double number = 0;
        std::string name{};
        bool optional = false;
    };
    std::vector<Step> steps_;
};

} // namespace kw::profile
