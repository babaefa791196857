#include "engine/compile/source_scan.h"

#include "engine/base/file.h"
#include "engine/compile/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kw::compile {
namespace {

/// Deeper nesting than any source has that a person or program wrote to be compiled.
constexpr int kMaxNesting = 4096;

std::unexpected<Error> refuse(std::string message, Where where) {
    return fail(Stage::compile, ErrorCode::invalid_input, std::move(message), std::move(where));
}

bool is_has_include(std::string_view word) {
    return word == "__has_include" || word == "__has_include_next" || word == "__has_embed";
}

class Scanner {
public:
    Scanner(const std::string& file, std::string_view text, int depth)
        : file_(file), text_(text), lexer_(text), raw_depth_(depth) {}

    Result<FileScan> run() {
        for (Token token = lexer_.next(); token.kind != TokenKind::end; token = lexer_.next()) {
            Result<void> read;
            if (token.kind == TokenKind::hash)
                read = directive();
            else
                read = ordinary(token);
            if (!read) return std::unexpected(read.error());
        }
        return std::move(scan_);
    }

private:
    [[nodiscard]] Where where(std::size_t offset) const { return position_at(text_, offset, file_); }

    Result<void> directive() {
        if (lexer_.peek().line_start) return {}; // "#" alone
        const Token word = lexer_.next();
        if (word.text == "include" || word.text == "include_next" || word.text == "import" || word.text == "embed")
            return include(word);
        if (word.text == "define") return define();
        if (word.text == "if" || word.text == "elif") return condition();
        return rest_of_line();
    }

    Result<void> include(const Token& word) {
        const HeaderName header = lexer_.header_name();
        if (header.present) {
            scan_.includes.push_back({header.text, false, header.angled, header.begin, header.end});
            return rest_of_line();
        }
        const Token name = lexer_.peek();
        if (name.line_start || name.kind == TokenKind::end) return {}; // the compiler has a message for it
        (void)lexer_.next();
        const Token after = lexer_.peek();
        if (name.kind != TokenKind::identifier || !(after.line_start || after.kind == TokenKind::end))
            return refuse(
                fmt::format("#{} takes \"file\", <file> or a macro that is defined as one of them", word.text),
                where(name.offset));
        scan_.includes.push_back({std::string(name.text), true, false, name.offset, name.end});
        return {};
    }

    /// A macro is function-like when its parenthesis follows at once.
    Result<void> define() {
        if (lexer_.peek().line_start) return {};
        const Token name = lexer_.next();
        MacroDefinition definition;
        const bool function_like = text_.substr(name.end).starts_with('(');
        if (!function_like) {
            const HeaderName header = lexer_.header_name();
            const Token after = lexer_.peek();
            if (header.present && (after.line_start || after.kind == TokenKind::end))
                definition = {true, header.text, header.angled};
        }
        scan_.declared.emplace(name.text);
        scan_.macros.emplace(name.text, std::move(definition));
        while (!at_line_end()) {
            const Token token = lexer_.next();
            if (token.kind == TokenKind::identifier && is_has_include(token.text))
                return refuse(fmt::format("{} can be used in #if only, not in a macro", token.text),
                              where(token.offset));
            if (auto checked = raw_string(token); !checked) return checked;
        }
        return {};
    }

    Result<void> condition() {
        while (!at_line_end()) {
            const Token token = lexer_.next();
            if (token.kind != TokenKind::identifier || !is_has_include(token.text)) continue;
            // Without a parenthesis it is an operand of defined().
            if (lexer_.peek().line_start || lexer_.peek().text != "(") continue;
            (void)lexer_.next();
            const HeaderName header = lexer_.header_name();
            if (!header.present)
                return refuse(fmt::format("{} takes \"file\" or <file>", token.text), where(token.offset));
            scan_.includes.push_back({header.text, false, header.angled, header.begin, header.end});
        }
        return {};
    }

    Result<void> rest_of_line() {
        while (!at_line_end())
            if (auto checked = raw_string(lexer_.next()); !checked) return checked;
        return {};
    }

    bool at_line_end() {
        const Token token = lexer_.peek();
        return token.line_start || token.kind == TokenKind::end;
    }

    /// A raw string may look like lines of code. Should the compiler ever disagree about where it ends, nothing in it
    /// may read a file: lines in it that look like includes are held to the same rules.
    Result<void> raw_string(const Token& token) {
        if (!token.raw_body.contains('\n')) return {};
        if (raw_depth_ == 3) return refuse("raw strings nest in each other", where(token.offset));
        auto inner = scan_file(file_, token.raw_body.substr(token.raw_body.find('\n')), raw_depth_ + 1);
        if (!inner) return refuse("a raw string holds a directive that is not allowed", where(token.offset));
        for (const IncludeSite& site : inner->includes)
            if (site.text.starts_with('/') || site.text.contains(".."))
                return refuse("a raw string holds an include that leaves the task", where(token.offset));
        return {};
    }

    Result<void> ordinary(const Token& token) {
        if (auto checked = raw_string(token); !checked) return checked;
        if (token.kind == TokenKind::punctuator) {
            const char c = token.text.front();
            if (c == '(' || c == '[' || c == '{') {
                if (++depth_ > kMaxNesting)
                    return refuse(fmt::format("brackets nest deeper than {}", kMaxNesting), where(token.offset));
            } else if (c == ')' || c == ']' || c == '}') {
                --depth_;
            }
        }
        if (token.kind == TokenKind::identifier && token.text == "import") {
            // A header unit. NVRTC has no modules, but looks for the file before it says so.
            if (const HeaderName header = lexer_.header_name(); header.present)
                scan_.includes.push_back({header.text, false, header.angled, header.begin, header.end});
        }
        note_declaration(token);
        note_kernel(token);
        before_ = token;
        return {};
    }

    /// `X =` never assigns to a constant, `typedef … X;` and `struct X` make a type, `float X` a variable or function:
    /// any of these means that the file brings its own X. A use never looks like it, except behind the words that may
    /// precede an expression.
    void note_declaration(const Token& token) {
        if (token.kind == TokenKind::punctuator && before_.kind == TokenKind::identifier
            && (token.text == "=" || token.text == ";" || token.text == "(" || token.text == "["
                || token.text == "{")) {
            static constexpr std::string_view kExpressionWords[] = {
                "return",   "case",      "else",   "do",       "throw",  "co_return", "co_yield", "const",
                "volatile", "constexpr", "static", "unsigned", "signed", "inline",    "register", "extern",
                "typename", "sizeof",    "new",    "and",      "or",     "not",       "using",    "goto"};
            const bool by_type =
                before_before_.kind == TokenKind::identifier && !before_before_.text.starts_with("__")
                && std::ranges::find(kExpressionWords, before_before_.text) == std::end(kExpressionWords);
            const bool assigned = token.text == "=" && lexer_.peek().text != "=";
            if (by_type || assigned || (in_typedef_ && token.text == ";")) scan_.declared.emplace(before_.text);
        }
        if (token.text == "typedef") in_typedef_ = true;
        if (token.text == ";") in_typedef_ = false;
        before_before_ = before_;
    }

    /// After __global__: attributes with arguments, the return type, the name, its parameters.
    void note_kernel(const Token& token) {
        if (token.text == "__global__") {
            in_kernel_ = true;
            skip_depth_ = 0;
            return;
        }
        if (!in_kernel_) return;
        if (token.text == ";" || token.text == "{") in_kernel_ = false;
        if (token.text == "(" && skip_depth_ == 0 && before_.kind == TokenKind::identifier) {
            static constexpr std::string_view kAttributes[] = {
                "__launch_bounds__", "__maxnreg__", "__cluster_dims__", "__block_size__",   "__attribute__",
                "alignas",           "decltype",    "noexcept",         "__grid_constant__"};
            if (std::ranges::find(kAttributes, before_.text) == std::end(kAttributes)) {
                scan_.kernels.push_back({std::string(before_.text), {}, where(before_.offset)});
                collecting_ = true;
            }
        }
        if (token.text == ")") {
            --skip_depth_;
            if (skip_depth_ == 0 && collecting_) {
                collecting_ = false;
                in_kernel_ = false;
            }
        }
        if (collecting_ && skip_depth_ > 0) {
            std::string& list = scan_.kernels.back().parameters;
            const bool word = token.kind == TokenKind::identifier || token.kind == TokenKind::number;
            const bool after_word = !list.empty()
                                    && (last_was_word_ || list.back() == '*' || list.back() == '&' || list.back() == '>'
                                        || list.back() == ',');
            if (word && after_word) list += ' ';
            list += token.text;
            last_was_word_ = word;
        }
        if (token.text == "(") {
            if (collecting_ && skip_depth_ == 0) last_was_word_ = false;
            ++skip_depth_;
        }
    }

    const std::string& file_;
    std::string_view text_;
    Lexer lexer_;
    FileScan scan_;
    Token before_;
    Token before_before_;
    int raw_depth_;
    int depth_ = 0;
    bool in_typedef_ = false;
    bool in_kernel_ = false;
    bool collecting_ = false;
    bool last_was_word_ = false;
    int skip_depth_ = 0;
};

} // namespace

Result<std::string> clean_text(const std::string& file, std::string_view text) {
    if (text.size() > kMaxSourceBytes)
        return refuse(fmt::format("the source has {} MiB, more than the {} MiB that are compiled", text.size() >> 20,
                                  kMaxSourceBytes >> 20),
                      {file});
    if (const std::size_t at = text.find('\0'); at != std::string_view::npos)
        return refuse("the source holds a NUL byte; save it as UTF-8 text", position_at(text, at, file));
    if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
    std::string clean;
    clean.reserve(text.size());
    for (const char c : text) {
        if (c == '\n')
            while (clean.ends_with('\r')) clean.pop_back();
        clean += c;
    }
    // NVRTC takes a carriage return elsewhere for a blank; so that nobody can disagree, it gets one.
    std::ranges::replace(clean, '\r', ' ');
    return clean;
}

Result<FileScan> scan_file(const std::string& file, std::string_view text, int depth) {
    return Scanner(file, text, depth).run();
}

} // namespace kw::compile
