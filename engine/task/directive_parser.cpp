#include "engine/task/directive_parser.h"

#include "engine/base/suggest.h"
#include "engine/task/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

namespace kw::task {
namespace {

/// More than any plan has; bounds the work that a hostile source can ask for.
constexpr std::size_t kMostEntries = 256;
constexpr std::size_t kLongest = 8192;

/// A piece of a directive: `begin` is its offset in the directive's text.
struct Piece {
    std::string_view text;
    std::size_t begin = 0;
};

bool is_space(char c) { return std::isspace(static_cast<unsigned char>(c)); }

class DirectiveParser {
public:
    DirectiveParser(const DirectiveText& directive, Plan& plan)
        : directive_(directive), text_(directive.text), plan_(plan) {}

    Result<void> run() {
        if (text_.size() > kLongest)
            return bad(fmt::format("a directive of {} characters is longer than {}", text_.size(), kLongest), 0);
        skip_space();
        const std::size_t begin = at_;
        const std::string word{take_name()};
        if (word == "tune") return tune();
        if (word == "scratch") return scratch();
        if (word == "launch") return launch();
        const std::vector<std::string> known{"tune", "scratch", "launch"};
        if (word.empty()) return bad("a directive begins with tune, scratch or launch", begin);
        return bad(fmt::format("unknown directive '{}'{}", word, hint_or_list(word, known)), begin);
    }

private:
    static std::string hint_or_list(const std::string& word, const std::vector<std::string>& known) {
        const std::string hint = did_you_mean(word, known);
        return hint.empty() ? "; the directives are " + list_of(known) : hint;
    }

    [[nodiscard]] std::unexpected<Error> bad(std::string message, std::size_t offset) const {
        return fail(Stage::task, ErrorCode::invalid_input, std::move(message), directive_.where(offset));
    }

    void skip_space() {
        while (at_ < text_.size() && is_space(text_[at_])) ++at_;
    }

    [[nodiscard]] bool at_end() {
        skip_space();
        return at_ >= text_.size();
    }

    [[nodiscard]] bool next_is(std::string_view token) {
        skip_space();
        return text_.substr(at_).starts_with(token);
    }

    bool take(std::string_view token) {
        if (!next_is(token)) return false;
        at_ += token.size();
        return true;
    }

    std::string_view take_name() {
        skip_space();
        const std::size_t length = name_length(text_.substr(at_));
        at_ += length;
        return text_.substr(at_ - length, length);
    }

    /// What stands at the cursor, for messages: up to the next blank, shortened.
    [[nodiscard]] std::string found() {
        if (at_end()) return "the end of the line";
        std::size_t end = at_;
        while (end < text_.size() && !is_space(text_[end]) && end - at_ < 24) ++end;
        return fmt::format("'{}'", text_.substr(at_, end - at_));
    }

    [[nodiscard]] std::unexpected<Error> expected(std::string_view what) {
        const std::string got = found();
        return bad(fmt::format("expected {}, found {}", what, got), at_);
    }

    Result<std::string> name(std::string_view what) {
        skip_space();
        const std::size_t begin = at_;
        const std::string word{take_name()};
        if (word.empty()) return expected(fmt::format("the name of a {}", what));
        if (auto good = check_name(word, what, directive_.where(begin)); !good) return std::unexpected(good.error());
        return word;
    }

    // tune NAME = value…

    Result<void> tune() {
        Tunable tunable;
        skip_space();
        tunable.where = directive_.where(at_);
        auto named = name("tunable");
        if (!named) return std::unexpected(named.error());
        tunable.name = std::move(*named);
        if (!take("="))
            return expected(fmt::format("'=' after '{}', as in //@ tune {} = 64 128", tunable.name, tunable.name));
        while (!at_end()) {
            auto value = integer();
            if (!value) return std::unexpected(value.error());
            tunable.values.push_back(*value);
        }
        if (tunable.values.empty()) return expected(fmt::format("a value of '{}'", tunable.name));
        if (tunable.values.size() > kMostEntries)
            return bad(fmt::format("'{}' has more than {} values", tunable.name, kMostEntries), 0);
        if (plan_.tunables.size() >= kMostEntries) return bad(fmt::format("more than {} tunables", kMostEntries), 0);
        plan_.tunables.push_back(std::move(tunable));
        return {};
    }

    Result<std::int64_t> integer() {
        skip_space();
        const std::size_t begin = at_;
        while (at_ < text_.size() && !is_space(text_[at_])) ++at_;
        const std::string_view word = text_.substr(begin, at_ - begin);
        const bool negative = word.starts_with('-');
        const std::string_view digits = word.substr(negative || word.starts_with('+') ? 1 : 0);
        if (digits.empty() || !std::isdigit(static_cast<unsigned char>(digits[0])))
            return bad(fmt::format("'{}' is no integer; a tune directive holds nothing but integers after '='",
                                   shortened(word)),
                       begin);
        auto parsed = Expression::parse(digits, locator(begin + (word.size() - digits.size())));
        if (!parsed || !parsed->names().empty())
            return bad(fmt::format("'{}' is no integer below 2^63", shortened(word)), begin);
        auto value = parsed->evaluate({});
        if (!value) return std::unexpected(value.error());
        return negative ? -*value : *value;
    }

    static std::string shortened(std::string_view word) {
        return word.size() <= 24 ? std::string(word) : std::string(word.substr(0, 24)) + "…";
    }

    // scratch NAME : TYPE[dimension, …]

    Result<void> scratch() {
        Scratch buffer;
        skip_space();
        buffer.where = directive_.where(at_);
        auto named = name("scratch buffer");
        if (!named) return std::unexpected(named.error());
        buffer.name = std::move(*named);
        if (!take(":"))
            return expected(fmt::format("':' after '{}', as in //@ scratch {} : f32[1024]", buffer.name, buffer.name));
        skip_space();
        const std::size_t type_begin = at_;
        const std::string type{take_name()};
        const auto found_type = scalar_type_from(type);
        if (!found_type) {
            const auto known = scalar_type_names();
            return bad(
                fmt::format("unknown type '{}'{}; the types are {}", type, did_you_mean(type, known), list_of(known)),
                type_begin);
        }
        buffer.type = *found_type;
        if (!take("[")) return expected(fmt::format("'[' after '{}'", type));
        auto pieces = list_until("]", "'['");
        if (!pieces) return std::unexpected(pieces.error());
        if (pieces->empty() || pieces->size() > 8) return bad("a scratch buffer has 1 to 8 dimensions", type_begin);
        for (const auto& piece : *pieces) {
            auto dimension = expression(piece);
            if (!dimension) return std::unexpected(dimension.error());
            buffer.shape.push_back(std::move(*dimension));
        }
        if (!at_end()) return expected("the end of the line");
        if (plan_.scratch.size() >= kMostEntries)
            return bad(fmt::format("more than {} scratch buffers", kMostEntries), 0);
        plan_.scratch.push_back(std::move(buffer));
        return {};
    }

    [[nodiscard]] Locator locator(std::size_t begin) const {
        return [this, begin](std::size_t offset) { return directive_.where(begin + offset); };
    }

    [[nodiscard]] Result<Expression> expression(const Piece& piece) const {
        return Expression::parse(piece.text, locator(piece.begin));
    }

    [[nodiscard]] Piece trimmed(std::size_t begin, std::size_t end) const {
        while (begin < end && is_space(text_[begin])) ++begin;
        while (end > begin && is_space(text_[end - 1])) --end;
        return {text_.substr(begin, end - begin), begin};
    }

    /// Comma-separated pieces up to `closing` outside parentheses, which is taken. `opened` names what was opened, in
    /// errors.
    Result<std::vector<Piece>> list_until(std::string_view closing, std::string_view opened) {
        std::vector<Piece> pieces;
        const std::size_t open = at_;
        int depth = 0;
        std::size_t begin = at_;
        for (; at_ < text_.size(); ++at_) {
            const char c = text_[at_];
            const bool closes = depth == 0 && text_.substr(at_).starts_with(closing);
            if (!closes && c == '(') ++depth;
            if (!closes && c == ')' && --depth < 0) return bad("')' closes nothing", at_);
            if (!closes && (c != ',' || depth > 0)) continue;
            pieces.push_back(trimmed(begin, at_));
            if (pieces.size() > kMostEntries) return bad(fmt::format("more than {} entries", kMostEntries), open);
            begin = at_ + 1;
            if (!closes) continue;
            at_ += closing.size();
            // Nothing between the brackets is an empty list, not a list of one empty piece.
            if (pieces.size() == 1 && pieces[0].text.empty()) pieces.clear();
            return pieces;
        }
        return bad(fmt::format("{} is never closed by '{}'", opened, closing), open > 0 ? open - 1 : 0);
    }

    // launch KERNEL<<<grid, block[, shared[, 0]]>>>(argument, …) [cooperative] [cluster(x, y, z)]

    Result<void> launch() {
        Launch result;
        skip_space();
        result.where = directive_.where(at_);
        auto kernel = kernel_expression();
        if (!kernel) return std::unexpected(kernel.error());
        result.kernel = std::move(*kernel);
        if (!take("<<<"))
            return expected(fmt::format("'<<<' after '{}', as in {}<<<grid, block>>>(…)", shortened(result.kernel),
                                        shortened(result.kernel)));
        if (auto configured = configuration(result); !configured) return configured;
        if (!take("(")) return expected("'(' and the arguments");
        auto pieces = list_until(")", "'('");
        if (!pieces) return std::unexpected(pieces.error());
        for (const auto& piece : *pieces) {
            auto one = argument(piece);
            if (!one) return std::unexpected(one.error());
            result.arguments.push_back(std::move(*one));
        }
        if (auto rest = suffixes(result); !rest) return rest;
        if (plan_.launches.size() >= kMostEntries) return bad(fmt::format("more than {} launches", kMostEntries), 0);
        plan_.launches.push_back(std::move(result));
        return {};
    }

    /// `ns::kernel` or `kernel<float, 4, (A > B)>`, as C++ reads it: inside parentheses '>' compares.
    Result<std::string> kernel_expression() {
        skip_space();
        const std::size_t begin = at_;
        take("::");
        do {
            if (take_name().empty()) return expected("the name of a kernel");
        } while (take("::"));
        if (next_is("<") && !next_is("<<<")) {
            const std::size_t open = at_;
            if (!skip_template_arguments()) return bad("the template arguments are never closed by '>'", open);
        }
        const Piece piece = trimmed(begin, at_);
        return std::string(piece.text);
    }

    bool skip_template_arguments() {
        int angles = 0, brackets = 0;
        for (; at_ < text_.size(); ++at_) {
            const char c = text_[at_];
            if (c == '\'' || c == '"') {
                const std::size_t close = text_.find(c, at_ + (text_.substr(at_ + 1).starts_with('\\') ? 3 : 1));
                if (close == std::string_view::npos) return false;
                at_ = close;
            } else if (c == '(' || c == '[' || c == '{') {
                ++brackets;
            } else if (c == ')' || c == ']' || c == '}') {
                if (--brackets < 0) return false;
            } else if (brackets > 0) {
                continue;
            } else if (text_.substr(at_).starts_with("<<<")) {
                return false;
            } else if (text_.substr(at_).starts_with("<<")) {
                ++at_; // a shift: two template lists cannot open in one place
            } else if (c == '<') {
                ++angles;
            } else if (c == '>' && --angles == 0) {
                ++at_;
                return true;
            }
        }
        return false;
    }

    Result<void> configuration(Launch& result) {
        const std::size_t open = at_ - 3;
        auto pieces = list_until(">>>", "'<<<'");
        if (!pieces) return std::unexpected(pieces.error());
        if (pieces->size() < 2 || pieces->size() > 4)
            return bad(fmt::format("'<<<' takes a grid, a block and at most shared bytes and stream 0, not {} values",
                                   pieces->size()),
                       open);
        if (auto grid = dimensions((*pieces)[0], result.grid); !grid) return grid;
        if (auto block = dimensions((*pieces)[1], result.block); !block) return block;
        if (pieces->size() > 2) {
            auto shared = expression((*pieces)[2]);
            if (!shared) return std::unexpected(shared.error());
            result.shared = std::move(*shared);
        }
        if (pieces->size() > 3 && (*pieces)[3].text != "0")
            return bad(fmt::format("'{}' is no stream here; plans run on stream 0", shortened((*pieces)[3].text)),
                       (*pieces)[3].begin);
        return {};
    }

    /// One expression, or dim3 of one to three.
    Result<void> dimensions(const Piece& piece, std::vector<Expression>& out) {
        std::vector<Piece> parts{piece};
        if (piece.text.starts_with("dim3") && !(piece.text.size() > 4 && continues_name(piece.text[4]))) {
            DirectiveParser inner(directive_, plan_);
            inner.at_ = piece.begin + 4;
            if (!inner.take("(")) return inner.expected("'(' after 'dim3'");
            auto list = inner.list_until(")", "'dim3('");
            if (!list) return std::unexpected(list.error());
            if (list->empty() || list->size() > 3) return bad("dim3 takes one to three values", piece.begin);
            inner.skip_space();
            if (inner.at_ < piece.begin + piece.text.size()) return inner.expected("',' or '>>>' after dim3(…)");
            parts = std::move(*list);
        }
        for (const auto& part : parts) {
            auto value = expression(part);
            if (!value) return std::unexpected(value.error());
            out.push_back(std::move(*value));
        }
        return {};
    }

    Result<Argument> argument(const Piece& piece) const {
        Argument result;
        result.text = piece.text;
        result.where = directive_.where(piece.begin);
        if (piece.text.empty()) return bad("an argument is missing", piece.begin);
        if (piece.text == "true" || piece.text == "false") {
            result.expression = Expression::constant(piece.text == "true" ? 1 : 0);
            return result;
        }
        if (const auto value = floating_literal(piece.text)) {
            result.kind = Argument::Kind::floating;
            result.floating = *value;
            return result;
        }
        auto parsed = expression(piece);
        if (!parsed) return std::unexpected(parsed.error());
        result.expression = std::move(*parsed);
        return result;
    }

    /// 1.0, .5f, -2e-3F; nothing for what is an integer or no number at all.
    static std::optional<double> floating_literal(std::string_view text) {
        const bool negative = text.starts_with('-');
        if (negative || text.starts_with('+')) text.remove_prefix(1);
        if (text.empty() || (!std::isdigit(static_cast<unsigned char>(text[0])) && text[0] != '.')) return std::nullopt;
        if (text.starts_with("0x") || text.starts_with("0X")) return std::nullopt;
        if (text.find_first_of(".eE") == std::string_view::npos) return std::nullopt;
        if (text.ends_with('f') || text.ends_with('F')) text.remove_suffix(1);
        double value = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
        if (error != std::errc{} || end != text.data() + text.size() || !std::isfinite(value)) return std::nullopt;
        return negative ? -value : value;
    }

    Result<void> suffixes(Launch& result) {
        while (!at_end()) {
            const std::size_t begin = at_;
            const std::string_view word = take_name();
            if (word == "cooperative" && !result.cooperative) {
                result.cooperative = true;
            } else if (word == "cluster" && result.cluster.empty()) {
                if (!take("(")) return expected("'(' after 'cluster'");
                auto pieces = list_until(")", "'cluster('");
                if (!pieces) return std::unexpected(pieces.error());
                if (pieces->empty() || pieces->size() > 3) return bad("cluster takes one to three values", begin);
                for (const auto& piece : *pieces) {
                    auto value = expression(piece);
                    if (!value) return std::unexpected(value.error());
                    result.cluster.push_back(std::move(*value));
                }
            } else {
                at_ = begin;
                return expected("cooperative, cluster(x, y, z) or the end of the line");
            }
        }
        return {};
    }

    const DirectiveText& directive_;
    std::string_view text_;
    Plan& plan_;
    std::size_t at_ = 0;
};

} // namespace

Result<void> parse_directive(const DirectiveText& directive, Plan& plan) {
    return DirectiveParser(directive, plan).run();
}

} // namespace kw::task
