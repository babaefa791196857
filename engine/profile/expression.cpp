#include "engine/profile/expression.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <utility>

namespace kw::profile {
namespace {

constexpr int kDeepest = 64; ///< parentheses and signs within each other

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

} // namespace

class ExpressionParser {
public:
    explicit ExpressionParser(std::string_view text) : text_(text) {}

    Result<Expression> parse() {
        if (auto done = sum(); !done) return std::unexpected(std::move(done.error()));
        skip();
        if (at_ != text_.size()) return wrong("an operator was expected");
        return std::move(expression_);
    }

private:
    using Kind = Expression::Step::Kind;

    Result<void> sum() {
        if (auto done = product(); !done) return done;
        while (const char sign = accept('+', '-')) {
            if (auto done = product(); !done) return done;
            push(sign == '+' ? Kind::add : Kind::subtract);
        }
        return {};
    }

    Result<void> product() {
        if (auto done = operand(); !done) return done;
        while (const char sign = accept('*', '/')) {
            if (auto done = operand(); !done) return done;
            push(sign == '*' ? Kind::multiply : Kind::divide);
        }
        return {};
    }

    Result<void> operand() {
        if (depth_ == kDeepest) return wrong("too much is nested");
        ++depth_;
        auto done = operand_inside();
        --depth_;
        return done;
    }

    Result<void> operand_inside() {
        if (accept('-', '-')) {
            if (auto done = operand(); !done) return done;
            push(Kind::negate);
            return {};
        }
        if (accept('(', '(')) {
            if (auto done = sum(); !done) return done;
            if (!accept(')', ')')) return wrong("')' was expected");
            return {};
        }
        skip();
        if (at_ < text_.size() && is_letter(text_[at_])) {
            const auto start = at_;
            while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
            auto& step = push(Kind::name);
            step.name = text_.substr(start, at_ - start);
            step.optional = accept('?', '?') != 0;
            return {};
        }
        double value = 0;
        const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
        if (error != std::errc{} || !std::isfinite(value)) return wrong("a number, a name or '(' was expected");
        at_ = static_cast<std::size_t>(end - text_.data());
        push(Kind::number).number = value;
        return {};
    }

    void skip() {
        while (at_ < text_.size() && text_[at_] == ' ') ++at_;
    }

    /// The next character when it is one of the two, else 0.
    char accept(char one, char other) {
        skip();
        if (at_ == text_.size() || (text_[at_] != one && text_[at_] != other)) return 0;
        return text_[at_++];
    }

    Expression::Step& push(Kind kind) {
        auto& step = expression_.steps_.emplace_back();
        step.kind = kind;
        return step;
    }

    [[nodiscard]] std::unexpected<Error> wrong(std::string_view what) const {
        return fail(Stage::profile, ErrorCode::invalid_input,
                    fmt::format("{} at column {} of '{}'", what, at_ + 1, text_));
    }

    std::string_view text_;
    std::size_t at_ = 0;
    int depth_ = 0;
    Expression expression_;
};

Result<Expression> Expression::parse(std::string_view text) { return ExpressionParser{text}.parse(); }

std::optional<double> Expression::evaluate(const Lookup& value_of) const {
    using Kind = Step::Kind;
    std::vector<double> stack;
    bool any_name = false;
    bool any_value = false;
    for (const auto& step : steps_) {
        if (step.kind == Kind::number) {
            stack.push_back(step.number);
            continue;
        }
        if (step.kind == Kind::name) {
            any_name = true;
            const auto value = value_of(step.name);
            if (!value && !step.optional) return std::nullopt;
            any_value = any_value || value;
            stack.push_back(value.value_or(0));
            continue;
        }
        if (step.kind == Kind::negate) {
            stack.back() = -stack.back();
            continue;
        }
        const double right = stack.back();
        stack.pop_back();
        double& left = stack.back();
        switch (step.kind) {
        case Kind::add: left += right; break;
        case Kind::subtract: left -= right; break;
        case Kind::multiply: left *= right; break;
        default: left /= right; break;
        }
    }
    if (any_name && !any_value) return std::nullopt;
    if (!std::isfinite(stack.back())) return std::nullopt;
    return stack.back();
}

std::vector<std::string> Expression::names() const {
    std::vector<std::string> names;
    for (const auto& step : steps_)
        if (step.kind == Step::Kind::name) names.push_back(step.name);
    return names;
}

} // namespace kw::profile
