#include "engine/task/expression.h"

#include "engine/task/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <limits>
#include <utility>

namespace kw::task {
namespace {

constexpr int kDeepest = 64;
constexpr std::size_t kLongest = 4096;

enum class Op { constant, name, negate, add, subtract, multiply, divide, remainder, ceil_div, min, max };

struct Step {
    Op op = Op::constant;
    std::int64_t value = 0; ///< Op::constant
    std::string name;       ///< Op::name
    Where where{};          ///< of the operator, name or literal
};

std::unexpected<Error> bad(std::string message, Where where) {
    return fail(Stage::task, ErrorCode::invalid_input, std::move(message), std::move(where));
}

std::string quoted(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte >= 0x20 && byte < 0x7F ? fmt::format("'{}'", c) : fmt::format("the byte 0x{:02X}", byte);
}

} // namespace

/// The expression in postfix order, so that evaluation needs no recursion.
struct Expression::Program {
    std::vector<Step> steps;
};

namespace {

class Parser {
public:
    Parser(std::string_view text, const Locator& locate) : text_(text), locate_(locate) {}

    Result<std::vector<Step>> run() {
        if (auto done = sum(); !done) return std::unexpected(done.error());
        skip_space();
        if (at_ < text_.size()) return bad(fmt::format("unexpected {} in an expression", quoted(text_[at_])), here());
        return std::move(steps_);
    }

private:
    [[nodiscard]] Where here() const { return locate_(at_); }

    void skip_space() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_]))) ++at_;
    }

    [[nodiscard]] char peek() {
        skip_space();
        return at_ < text_.size() ? text_[at_] : '\0';
    }

    void emit(Op op, Where where) { steps_.push_back({op, 0, {}, std::move(where)}); }

    Result<void> sum() {
        if (auto left = product(); !left) return left;
        for (char c = peek(); c == '+' || c == '-'; c = peek()) {
            const Where where = here();
            ++at_;
            if (auto right = product(); !right) return right;
            emit(c == '+' ? Op::add : Op::subtract, where);
        }
        return {};
    }

    Result<void> product() {
        if (auto left = unary(); !left) return left;
        for (char c = peek(); c == '*' || c == '/' || c == '%'; c = peek()) {
            const Where where = here();
            ++at_;
            if (auto right = unary(); !right) return right;
            emit(c == '*' ? Op::multiply : c == '/' ? Op::divide : Op::remainder, where);
        }
        return {};
    }

    Result<void> unary() {
        const char c = peek();
        if (c != '-' && c != '+') return primary();
        const Where where = here();
        if (++depth_ > kDeepest) return bad(fmt::format("an expression nests deeper than {} levels", kDeepest), where);
        ++at_;
        if (auto operand = unary(); !operand) return operand;
        --depth_;
        if (c == '-') emit(Op::negate, where);
        return {};
    }

    Result<void> primary() {
        const char c = peek();
        if (at_ >= text_.size()) return bad("an expression ends where a number, a name or '(' was expected", here());
        if (std::isdigit(static_cast<unsigned char>(c))) return literal();
        if (starts_name(c)) return name_or_call();
        if (c == '(') return group();
        return bad(fmt::format("expected a number, a name or '(', found {}", quoted(c)), here());
    }

    Result<void> group() {
        const Where where = here();
        if (++depth_ > kDeepest) return bad(fmt::format("an expression nests deeper than {} levels", kDeepest), where);
        ++at_;
        if (auto inside = sum(); !inside) return inside;
        if (peek() != ')') return bad("'(' is never closed", where);
        ++at_;
        --depth_;
        return {};
    }

    Result<void> literal() {
        const Where where = here();
        std::size_t end = at_;
        while (end < text_.size() && (continues_name(text_[end]) || text_[end] == '.')) ++end;
        std::string_view digits = text_.substr(at_, end - at_);
        const std::string_view whole = digits;
        int base = 10;
        if (digits.size() > 2 && digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X')) {
            base = 16;
            digits.remove_prefix(2);
        }
        std::int64_t value = 0;
        for (const char d : digits) {
            const int digit = std::isdigit(static_cast<unsigned char>(d))    ? d - '0'
                              : std::isxdigit(static_cast<unsigned char>(d)) ? std::tolower(d) - 'a' + 10
                                                                             : 16;
            if (digit >= base) return bad(fmt::format("'{}' is not an integer", whole), where);
            if (__builtin_mul_overflow(value, std::int64_t{base}, &value)
                || __builtin_add_overflow(value, std::int64_t{digit}, &value))
                return bad(fmt::format("'{}' is larger than 2^63-1", whole), where);
        }
        at_ = end;
        steps_.push_back({Op::constant, value, {}, where});
        return {};
    }

    Result<void> name_or_call() {
        const Where where = here();
        std::size_t end = at_;
        while (end < text_.size() && continues_name(text_[end])) ++end;
        const std::string name{text_.substr(at_, end - at_)};
        at_ = end;
        const bool function = name == "ceil_div" || name == "min" || name == "max";
        if (peek() != '(') {
            if (function) return bad(fmt::format("'{}' takes two arguments, as in {}(a, b)", name, name), where);
            steps_.push_back({Op::name, 0, name, where});
            return {};
        }
        if (!function)
            return bad(fmt::format("there is no function '{}' here; ceil_div, min and max are known", name), where);
        if (++depth_ > kDeepest) return bad(fmt::format("an expression nests deeper than {} levels", kDeepest), where);
        ++at_;
        if (auto first = sum(); !first) return first;
        if (peek() != ',') return bad(fmt::format("'{}' takes two arguments, as in {}(a, b)", name, name), where);
        ++at_;
        if (auto second = sum(); !second) return second;
        if (peek() == ',') return bad(fmt::format("'{}' takes two arguments, as in {}(a, b)", name, name), here());
        if (peek() != ')') return bad(fmt::format("'(' of '{}' is never closed", name), where);
        ++at_;
        --depth_;
        emit(name == "ceil_div" ? Op::ceil_div : name == "min" ? Op::min : Op::max, where);
        return {};
    }

    std::string_view text_;
    const Locator& locate_;
    std::size_t at_ = 0;
    int depth_ = 0;
    std::vector<Step> steps_;
};

std::int64_t ceil_quotient(std::int64_t a, std::int64_t b) {
    const std::int64_t q = a / b;
    return a % b != 0 && (a < 0) == (b < 0) ? q + 1 : q;
}

/// a op b for the binary operators; nothing on overflow. Divisors are not zero.
bool apply(Op op, std::int64_t a, std::int64_t b, std::int64_t& out) {
    const bool quotient = op == Op::divide || op == Op::remainder || op == Op::ceil_div;
    if (quotient && a == std::numeric_limits<std::int64_t>::min() && b == -1) return false;
    switch (op) {
    case Op::add: return !__builtin_add_overflow(a, b, &out);
    case Op::subtract: return !__builtin_sub_overflow(a, b, &out);
    case Op::multiply: return !__builtin_mul_overflow(a, b, &out);
    case Op::divide: out = a / b; return true;
    case Op::remainder: out = a % b; return true;
    case Op::ceil_div: out = ceil_quotient(a, b); return true;
    case Op::min: out = std::min(a, b); return true;
    case Op::max: out = std::max(a, b); return true;
    default: std::unreachable();
    }
}

} // namespace

Result<Expression> Expression::parse(std::string_view text, const Where& where) {
    return parse(text, [&where](std::size_t offset) {
        Where at = where;
        if (at.line > 0) at.column += static_cast<int>(offset);
        return at;
    });
}

Result<Expression> Expression::parse(std::string_view text, const Locator& locate) {
    if (text.size() > kLongest)
        return bad(fmt::format("an expression of {} characters is longer than {}", text.size(), kLongest), locate(0));
    auto steps = Parser(text, locate).run();
    if (!steps) return std::unexpected(steps.error());
    Expression expression;
    expression.text_ = text;
    expression.where_ = locate(0);
    expression.program_ = std::make_shared<const Program>(Program{std::move(*steps)});
    return expression;
}

Expression Expression::constant(std::int64_t value) {
    Expression expression;
    expression.text_ = std::to_string(value);
    expression.program_ = std::make_shared<const Program>(Program{{{Op::constant, value, {}, {}}}});
    return expression;
}

Result<std::int64_t> Expression::evaluate(const Sizes& names) const {
    if (!program_) return 0;
    std::vector<std::int64_t> stack;
    for (const Step& step : program_->steps) {
        if (step.op == Op::constant) {
            stack.push_back(step.value);
        } else if (step.op == Op::name) {
            const auto found = names.find(step.name);
            if (found == names.end())
                return bad(fmt::format("'{}' has no value in '{}'", step.name, text_), step.where);
            stack.push_back(found->second);
        } else if (step.op == Op::negate) {
            if (__builtin_sub_overflow(std::int64_t{0}, stack.back(), &stack.back()))
                return bad(fmt::format("'{}' overflows 64 bits", text_), step.where);
        } else {
            const std::int64_t b = stack.back();
            stack.pop_back();
            const std::int64_t a = stack.back();
            if (b == 0 && (step.op == Op::divide || step.op == Op::remainder || step.op == Op::ceil_div))
                return bad(fmt::format("'{}' divides by zero", text_), step.where);
            if (!apply(step.op, a, b, stack.back()))
                return bad(fmt::format("'{}' overflows 64 bits", text_), step.where);
        }
    }
    return stack.back();
}

std::vector<std::string> Expression::names() const {
    std::vector<std::string> names;
    if (!program_) return names;
    for (const Step& step : program_->steps)
        if (step.op == Op::name && std::ranges::find(names, step.name) == names.end()) names.push_back(step.name);
    return names;
}

Where Expression::position_of(std::string_view name) const {
    if (program_)
        for (const Step& step : program_->steps)
            if (step.op == Op::name && step.name == name) return step.where;
    return where_;
}

} // namespace kw::task
