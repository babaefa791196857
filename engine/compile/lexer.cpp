#include "engine/compile/lexer.h"

#include <algorithm>
#include <utility>

namespace kw::compile {
namespace {

bool is_letter(char c) {
    // Bytes above 0x7F are letters of some alphabet; where that matters the compiler decides.
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$'
           || static_cast<unsigned char>(c) >= 0x80;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r'; }

bool is_raw_prefix(std::string_view word) {
    return word == "R" || word == "u8R" || word == "uR" || word == "UR" || word == "LR";
}

bool is_prefix(std::string_view word) { return word == "u8" || word == "u" || word == "U" || word == "L"; }

} // namespace

Lexer::Lexer(std::string_view text) : source_(text), text_(text) {
    if (text.find("\\\n") == std::string_view::npos) return;
    spliced_.reserve(text.size());
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == '\n') {
            splices_.push_back(spliced_.size());
            ++i;
        } else {
            spliced_ += text[i];
        }
    }
    text_ = spliced_;
}

std::size_t Lexer::original(std::size_t spliced) const {
    const auto before = std::ranges::upper_bound(splices_, spliced) - splices_.begin();
    return spliced + 2 * static_cast<std::size_t>(before);
}

bool Lexer::skip_comment() {
    if (at(position_) != '/') return false;
    if (at(position_ + 1) == '/') {
        position_ = std::min(text_.find('\n', position_), text_.size());
        return true;
    }
    if (at(position_ + 1) != '*') return false;
    const std::size_t end = text_.find("*/", position_ + 2);
    position_ = end == std::string_view::npos ? text_.size() : end + 2;
    return true;
}

void Lexer::skip_blanks(bool stop_at_newline) {
    while (position_ < text_.size()) {
        const char c = text_[position_];
        if (c == '\n') {
            if (stop_at_newline) return;
            line_start_ = true;
            ++position_;
        } else if (is_blank(c)) {
            ++position_;
        } else if (!skip_comment()) {
            return;
        }
    }
}

std::size_t Lexer::literal_end(std::size_t quote) const {
    const char close = text_[quote];
    std::size_t i = quote + 1;
    while (i < text_.size() && text_[i] != '\n') {
        if (text_[i] == close) return i + 1;
        // A backslash never stands before a line feed here: that would have been a splice.
        i += text_[i] == '\\' && at(i + 1) != '\n' ? 2 : 1;
    }
    return std::min(i, text_.size());
}

/// Splices are undone inside a raw string, so its end is sought in the original text.
std::size_t Lexer::raw_string_end(std::size_t quote, Token& token) {
    const std::size_t begin = original(quote) + 1;
    const std::size_t open = source_.find('(', begin);
    // At most 16 characters and none of these: else it is no raw string and the compiler will say so.
    const std::string_view delimiter = source_.substr(begin, open == std::string_view::npos ? 0 : open - begin);
    if (open == std::string_view::npos || delimiter.size() > 16
        || delimiter.find_first_of(" )\\\t\v\f\n\"") != std::string_view::npos)
        return literal_end(quote);
    const std::string close = ")" + std::string(delimiter) + "\"";
    const std::size_t end = source_.find(close, open + 1);
    if (end == std::string_view::npos) {
        token.raw_body = source_.substr(open + 1);
        return text_.size();
    }
    token.raw_body = source_.substr(open + 1, end - open - 1);
    // Back to a spliced offset: the one whose original is just behind the literal.
    const std::size_t target = end + close.size();
    std::size_t low = quote, high = text_.size();
    while (low < high) {
        const std::size_t middle = low + (high - low) / 2;
        if (original(middle) < target)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

Token Lexer::next() {
    skip_blanks(false);
    Token token;
    token.line_start = std::exchange(line_start_, false);
    token.offset = original(position_);
    if (position_ >= text_.size()) return token;

    const std::size_t begin = position_;
    const char c = text_[begin];
    std::size_t end = begin + 1;
    if (is_letter(c)) {
        while (is_letter(at(end)) || is_digit(at(end))) ++end;
        const std::string_view word = text_.substr(begin, end - begin);
        if (at(end) == '"' && is_raw_prefix(word)) {
            token.kind = TokenKind::literal;
            finish(token, raw_string_end(end, token));
            token.text = text_.substr(begin, end + 1 - begin);
            return token;
        }
        if ((at(end) == '"' || at(end) == '\'') && is_prefix(word)) {
            token.kind = TokenKind::literal;
            end = literal_end(end);
        } else {
            token.kind = TokenKind::identifier;
        }
    } else if (is_digit(c) || (c == '.' && is_digit(at(end)))) {
        token.kind = TokenKind::number;
        while (true) {
            const char d = at(end);
            const char before = text_[end - 1];
            const bool exponent =
                (d == '+' || d == '-') && (before == 'e' || before == 'E' || before == 'p' || before == 'P');
            const bool separator = d == '\'' && (is_letter(at(end + 1)) || is_digit(at(end + 1)));
            if (!is_letter(d) && !is_digit(d) && d != '.' && !exponent && !separator) break;
            ++end;
        }
    } else if (c == '"' || c == '\'') {
        token.kind = TokenKind::literal;
        end = literal_end(begin);
    } else {
        token.kind = TokenKind::punctuator;
        const bool digraph = c == '%' && at(end) == ':';
        if (digraph) ++end;
        if (c == '#' || digraph) {
            if (token.line_start)
                token.kind = TokenKind::hash;
            else if (at(end) == '#')
                ++end;
        }
    }
    token.text = text_.substr(begin, end - begin);
    finish(token, end);
    return token;
}

void Lexer::finish(Token& token, std::size_t end) {
    position_ = end;
    token.end = original(end - 1) + 1;
}

Token Lexer::peek() {
    const std::size_t position = position_;
    const bool line_start = line_start_;
    const Token token = next();
    position_ = position;
    line_start_ = line_start;
    return token;
}

HeaderName Lexer::header_name() {
    skip_blanks(true);
    HeaderName header;
    const char open = at(position_);
    if (position_ >= text_.size() || (open != '<' && open != '"')) return header;
    const std::size_t line_end = std::min(text_.find('\n', position_), text_.size());
    const std::size_t close = text_.find(open == '<' ? '>' : '"', position_ + 1);
    if (close == std::string_view::npos || close > line_end) return header;
    header.present = true;
    header.text = text_.substr(position_ + 1, close - position_ - 1);
    header.angled = open == '<';
    header.begin = original(position_);
    header.end = original(close) + 1;
    position_ = close + 1;
    return header;
}

} // namespace kw::compile
