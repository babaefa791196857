#include "engine/device/sim/ptx_lexer.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>

namespace kw::sim {
namespace {

bool is_name_start(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$' || c == '%';
}
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_part(char c) { return is_name_start(c) || is_digit(c); }
bool is_hex(char c) { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

class Lexer {
public:
    explicit Lexer(std::string_view source) : source_(source) {}

    Result<std::vector<Token>> run() {
        std::vector<Token> tokens;
        tokens.reserve(source_.size() / 5 + 8);
        for (;;) {
            if (auto skipped = skip_blank(); !skipped) return std::unexpected(std::move(skipped.error()));
            Token token;
            token.line = line_;
            token.column = static_cast<int>(at_ - line_start_) + 1;
            if (at_ >= source_.size()) {
                tokens.push_back(token);
                return tokens;
            }
            if (auto read = scan(token); !read) return std::unexpected(std::move(read.error()));
            tokens.push_back(token);
        }
    }

private:
    [[nodiscard]] char peek(std::size_t ahead = 0) const {
        return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
    }

    std::unexpected<Error> error(const Token& token, std::string message) const {
        return fail(Stage::device, ErrorCode::invalid_input,
                    fmt::format("PTX line {}, column {}: {}", token.line, token.column, message));
    }

    Result<void> skip_blank() {
        while (at_ < source_.size()) {
            const char c = source_[at_];
            if (c == '\n') {
                ++at_;
                ++line_;
                line_start_ = at_;
            } else if (c == ' ' || c == '\t' || c == '\r' || c == '\f' || c == '\v') {
                ++at_;
            } else if (c == '/' && peek(1) == '/') {
                while (at_ < source_.size() && source_[at_] != '\n') ++at_;
            } else if (c == '/' && peek(1) == '*') {
                Token start;
                start.line = line_;
                start.column = static_cast<int>(at_ - line_start_) + 1;
                at_ += 2;
                while (at_ < source_.size() && !(source_[at_] == '*' && peek(1) == '/')) {
                    if (source_[at_] == '\n') {
                        ++line_;
                        line_start_ = at_ + 1;
                    }
                    ++at_;
                }
                if (at_ >= source_.size()) return error(start, "the comment is never closed");
                at_ += 2;
            } else {
                break;
            }
        }
        return {};
    }

    Result<void> scan(Token& token) {
        const char c = source_[at_];
        const std::size_t begin = at_;
        if (is_name_start(c)) {
            ++at_;
            while (is_name_part(peek())) ++at_;
            token.kind = TokenKind::name;
            token.text = source_.substr(begin, at_ - begin);
            return {};
        }
        if (c == '.' && (is_name_start(peek(1)) || is_digit(peek(1)))) {
            ++at_;
            while (is_name_part(peek()) || (peek() == ':' && peek(1) == ':')) at_ += peek() == ':' ? 2 : 1;
            token.kind = TokenKind::dotted;
            token.text = source_.substr(begin + 1, at_ - begin - 1);
            return {};
        }
        if (is_digit(c)) return scan_number(token);
        if (c == '"') {
            ++at_;
            while (at_ < source_.size() && source_[at_] != '"' && source_[at_] != '\n')
                at_ += source_[at_] == '\\' ? 2 : 1;
            if (at_ >= source_.size() || source_[at_] != '"') return error(token, "the string is never closed");
            token.kind = TokenKind::string;
            token.text = source_.substr(begin + 1, at_ - begin - 1);
            ++at_;
            return {};
        }
        constexpr std::string_view symbols = "{}[]()<>,;:@!+-|=*&~/";
        if (symbols.find(c) == std::string_view::npos)
            return error(token, fmt::format("a character with code {} has no place here",
                                            static_cast<int>(static_cast<unsigned char>(c))));
        token.kind = TokenKind::symbol;
        token.text = source_.substr(begin, 1);
        ++at_;
        return {};
    }

    Result<void> scan_number(Token& token) {
        const std::size_t begin = at_;
        const auto finish = [&](TokenKind kind) {
            token.kind = kind;
            token.text = source_.substr(begin, at_ - begin);
        };
        const auto digits = [&](int base, std::size_t from, std::size_t to) -> Result<void> {
            const char* first = source_.data() + from;
            const char* last = source_.data() + to;
            const auto [end, status] = std::from_chars(first, last, token.bits, base);
            if (status != std::errc{} || end != last || first == last)
                return error(token, "the number is malformed or too large");
            return {};
        };
        const char marker = peek() == '0' ? peek(1) : '\0';
        if (marker == 'f' || marker == 'F' || marker == 'd' || marker == 'D') {
            at_ += 2;
            const std::size_t from = at_;
            while (is_hex(peek())) ++at_;
            const bool single = marker == 'f' || marker == 'F';
            if (at_ - from != (single ? 8u : 16u))
                return error(token, "a float literal needs 8 hexadecimal digits, a double 16");
            if (auto read = digits(16, from, at_); !read) return read;
            finish(single ? TokenKind::f32 : TokenKind::f64);
            return {};
        }
        if (marker == 'x' || marker == 'X' || marker == 'b' || marker == 'B') {
            at_ += 2;
            const std::size_t from = at_;
            while (is_hex(peek())) ++at_;
            if (auto read = digits(marker == 'x' || marker == 'X' ? 16 : 2, from, at_); !read) return read;
        } else {
            while (is_digit(peek())) ++at_;
            const bool exponent = (peek() == 'e' || peek() == 'E')
                                  && (is_digit(peek(1)) || ((peek(1) == '-' || peek(1) == '+') && is_digit(peek(2))));
            if ((peek() == '.' && is_digit(peek(1))) || exponent) return scan_decimal(token, begin);
            const bool octal = at_ - begin > 1 && source_[begin] == '0';
            if (auto read = digits(octal ? 8 : 10, begin, at_); !read) return read;
        }
        if (peek() == 'U' || peek() == 'u') ++at_;
        finish(TokenKind::integer);
        return {};
    }

    Result<void> scan_decimal(Token& token, std::size_t begin) {
        double value = 0;
        const char* last = source_.data() + source_.size();
        const auto [end, status] = std::from_chars(source_.data() + begin, last, value);
        if (status != std::errc{}) return error(token, "the number is malformed or too large");
        at_ = static_cast<std::size_t>(end - source_.data());
        token.bits = std::bit_cast<std::uint64_t>(value);
        token.kind = TokenKind::f64;
        token.text = source_.substr(begin, at_ - begin);
        return {};
    }

    std::string_view source_;
    std::size_t at_ = 0;
    std::size_t line_start_ = 0;
    int line_ = 1;
};

} // namespace

Result<std::vector<Token>> lex_ptx(std::string_view source) { return Lexer(source).run(); }

} // namespace kw::sim
