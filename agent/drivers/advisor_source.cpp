#include "agent/drivers/advisor_source.h"

#include <algorithm>
#include <array>
#include <utility>

namespace kw::agent {
namespace {

using compile::TokenKind;

bool is_blank(std::string_view text) { return text.find_first_not_of(" \t\n") == std::string_view::npos; }

/// What may stand in a type beside its name.
bool is_type_word(std::string_view word) {
    constexpr std::array words{"float",    "double",   "int",      "unsigned",     "char",    "short",   "long",
                               "bool",     "size_t",   "int8_t",   "uint8_t",      "int16_t", "int32_t", "int64_t",
                               "uint16_t", "uint32_t", "uint64_t", "float2",       "float4",  "int2",    "int4",
                               "uint4",    "half",     "__half",   "__nv_bfloat16"};
    return std::ranges::find(words, word) != words.end();
}

} // namespace

void Edits::replace(std::size_t begin, std::size_t end, std::string text) {
    list_.push_back({begin, end, std::move(text)});
}

std::string Edits::applied(std::string_view text) const {
    auto sorted = list_;
    std::ranges::stable_sort(sorted, {}, &Edit::begin);
    std::string result;
    std::size_t done = 0;
    for (const auto& edit : sorted) {
        result += text.substr(done, edit.begin - done);
        result += edit.text;
        done = edit.end;
    }
    return result += text.substr(done);
}

std::optional<CudaSource> CudaSource::read(std::string text) {
    if (text.contains('\r')) return std::nullopt;
    CudaSource source;
    source.text_ = std::move(text);
    if (!source.tokenize()) return std::nullopt;
    source.find_kernels();
    return source;
}

bool CudaSource::tokenize() {
    compile::Lexer lexer{text_};
    std::vector<std::size_t> open;
    bool directive = false, defines = false;
    for (auto token = lexer.next(); token.kind != TokenKind::end; token = lexer.next()) {
        if (token.line_start) directive = false;
        if (token.kind == TokenKind::hash) {
            directive = true;
            const auto name = lexer.peek();
            directives_.push_back({token.offset, std::string{name.line_start ? std::string_view{} : name.text}});
            defines = directives_.back().name == "define";
            if (!name.line_start && name.kind != TokenKind::end) static_cast<void>(lexer.next());
            continue;
        }
        if (directive) {
            if (defines) macros_.emplace(token.text);
            defines = false;
            continue;
        }
        const auto number = tokens_.size();
        tokens_.push_back({token.kind, std::string{token.text}, token.offset, token.end});
        pairs_.push_back(number);
        if (token.kind != TokenKind::punctuator) continue;
        if (token.text == "(" || token.text == "[" || token.text == "{") open.push_back(number);
        constexpr std::array kinds{std::pair{")", "("}, std::pair{"]", "["}, std::pair{"}", "{"}};
        for (const auto& [close, opening] : kinds) {
            if (token.text != close) continue;
            if (open.empty() || tokens_[open.back()].text != opening) return false;
            pairs_[number] = open.back();
            pairs_[open.back()] = number;
            open.pop_back();
        }
    }
    return open.empty();
}

void CudaSource::find_kernels() {
    for (std::size_t i = 0; i < size(); ++i)
        if (is(i, "__global__"))
            if (auto kernel = kernel_at(i)) kernels_.push_back(std::move(*kernel));
}

std::optional<CudaSource::Kernel> CudaSource::kernel_at(std::size_t global) const {
    Kernel kernel;
    // static, extern "C" and the like may stand before; a template's > ends the search.
    for (auto i = global; i-- > 0 && (at(i).kind == TokenKind::identifier || is(i, ">"));)
        if (is(i, ">")) {
            kernel.templated = true;
            break;
        }
    std::size_t open = global + 1;
    for (; open < size() && !is(open, "("); ++open) {
        if (at(open).kind != TokenKind::identifier) return std::nullopt;
        if (!is(open, "__launch_bounds__")) continue;
        if (!is(open + 1, "(")) return std::nullopt;
        kernel.bounded = true;
        open = match(open + 1);
    }
    if (open >= size() || !is(match(open) + 1, "{") || at(open - 1).kind != TokenKind::identifier) return std::nullopt;
    kernel.name_at = open - 1;
    kernel.name = at(kernel.name_at).text;
    kernel.body = match(open) + 1;
    kernel.end = match(kernel.body);
    for (const auto& directive : directives_)
        if (directive.offset > at(global).offset && directive.offset < at(kernel.end).offset
            && directive.name != "pragma")
            return std::nullopt;
    for (std::size_t begin = open + 1; begin < match(open);) {
        auto end = begin;
        while (end < match(open) && !is(end, ",")) end = (is(end, "(") || is(end, "[")) ? match(end) + 1 : end + 1;
        auto read = parameter(begin, end);
        if (!read) return std::nullopt;
        kernel.parameters.push_back(std::move(*read));
        begin = end + 1;
    }
    return kernel;
}

/// [const] TYPE [const] [* [__restrict__]] NAME
std::optional<CudaSource::Parameter> CudaSource::parameter(std::size_t begin, std::size_t end) const {
    if (end < begin + 2 || at(end - 1).kind != TokenKind::identifier) return std::nullopt;
    Parameter read{.name = at(end - 1).text, .type = {}, .first = begin, .name_at = end - 1};
    for (auto i = begin; i + 1 < end; ++i) {
        const auto& word = at(i).text;
        if (is_macro(word)) return std::nullopt;
        if (word == "*" && !read.pointer)
            read.pointer = true;
        else if (word == "const" && !read.pointer)
            read.constant = true;
        else if (word == "__restrict__" && read.pointer)
            read.restricted = true;
        else if (is_type_word(word) && !read.pointer)
            read.type += (read.type.empty() ? "" : " ") + word;
        else
            return std::nullopt;
    }
    return read.type.empty() ? std::nullopt : std::optional{read};
}

bool CudaSource::are(std::size_t i, std::string_view texts) const {
    while (!texts.empty()) {
        const auto end = std::min(texts.find(' '), texts.size());
        if (!is(i++, texts.substr(0, end))) return false;
        texts.remove_prefix(std::min(end + 1, texts.size()));
    }
    return true;
}

std::string_view CudaSource::slice(std::size_t begin, std::size_t end) const {
    if (begin >= end) return {};
    return std::string_view{text_}.substr(at(begin).offset, at(end - 1).end - at(begin).offset);
}

int CudaSource::line(std::size_t i) const {
    const auto before = std::string_view{text_}.substr(0, at(i).offset);
    return static_cast<int>(std::ranges::count(before, '\n')) + 1;
}

std::optional<std::size_t> CudaSource::statement_end(std::size_t i, std::size_t end) const {
    if (i >= end || is(i, "if") || is(i, "do") || is(i, "switch")) return std::nullopt;
    if (is(i, "{")) return match(i) < end ? std::optional{match(i)} : std::nullopt;
    if ((is(i, "for") || is(i, "while")) && is(i + 1, "(")) return statement_end(match(i + 1) + 1, end);
    while (i < end && !is(i, ";")) i = (is(i, "(") || is(i, "[") || is(i, "{")) ? match(i) + 1 : i + 1;
    return i < end ? std::optional{i} : std::nullopt;
}

bool CudaSource::begins_statement(std::size_t i) const {
    return i > 0 && (is(i - 1, "{") || is(i - 1, "}") || is(i - 1, ";"));
}

bool CudaSource::may_write(std::size_t i) const {
    if (i == 0 || i + 1 >= size()) return true;
    if (is(i - 1, "&")) return true;
    if (i > 1 && (are(i - 2, "+ +") || are(i - 2, "- -")) && touching(i - 2)) return true;
    auto next = i + 1;
    while (is(next, "[")) next = match(next) + 1;
    if (next + 1 >= size()) return true;
    if (is(next, "=")) return !(is(next + 1, "=") && touching(next));
    if ((are(next, "+ +") || are(next, "- -")) && touching(next)) return true;
    constexpr std::string_view compound = "+-*/%&|^";
    if (at(next).text.size() == 1 && compound.contains(at(next).text[0]) && is(next + 1, "=")) return touching(next);
    return are(next, "< < =") || are(next, "> > =");
}

bool CudaSource::only_blanks(std::size_t begin, std::size_t end) const {
    for (auto i = begin; i + 1 < end; ++i)
        if (!is_blank(std::string_view{text_}.substr(at(i).end, at(i + 1).offset - at(i).end))) return false;
    return true;
}

bool CudaSource::directive_before(std::size_t i) const {
    const auto begin = i == 0 ? 0 : at(i - 1).end;
    return std::ranges::any_of(directives_,
                               [&](const Directive& d) { return d.offset >= begin && d.offset < at(i).offset; });
}

bool CudaSource::uses(std::string_view identifier) const {
    return is_macro(identifier)
           || std::ranges::any_of(tokens_, [&](const Token& token) { return token.text == identifier; });
}

std::optional<std::size_t> CudaSource::line_begin(std::size_t i) const {
    auto begin = at(i).offset;
    while (begin > 0 && text_[begin - 1] != '\n') --begin;
    const bool first = is_blank(std::string_view{text_}.substr(begin, at(i).offset - begin));
    return first ? std::optional{begin} : std::nullopt;
}

std::string normalized(std::string_view text) {
    std::string result;
    compile::Lexer lexer{text};
    for (auto token = lexer.next(); token.kind != TokenKind::end; token = lexer.next())
        result += (result.empty() ? "" : " ") + std::string{token.text};
    return result;
}

} // namespace kw::agent
