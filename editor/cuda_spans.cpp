#include "editor/cuda_spans.h"

#include "editor/characters.h"

#include <algorithm>
#include <array>

namespace kw::editor {
namespace {

// A state: the depth of parentheses in an asm statement in the low byte, flags above it.
constexpr LineState kDepth = 0xFF;
constexpr LineState kBlockComment = 0x100;
constexpr LineState kDirective = 0x200;   // the line above ended in a backslash
constexpr LineState kAsmOperands = 0x400; // past the template's first colon
constexpr LineState kAsmAhead = 0x800;    // "asm" was seen, its parenthesis was not yet

bool is_digit(char c) { return c >= '0' && c <= '9'; }

constexpr std::array<std::string_view, 5> kDirectiveWords{"tune", "scratch", "launch", "cooperative", "cluster"};
constexpr std::array<std::string_view, 3> kAsmWords{"asm", "__asm", "__asm__"};

template<class List> bool contains(const List& list, std::string_view word) {
    return std::ranges::find(list, word) != list.end();
}

class Scanner {
public:
    Scanner(std::string_view line, LineState state, std::vector<Span>& spans)
        : line_(line), state_(state), spans_(spans) {
        while (!line_.empty() && (line_.back() == '\n' || line_.back() == '\r')) line_.remove_suffix(1);
    }

    LineState run() {
        if (state_ & kDirective) {
            directive(0, false);
            return state_;
        }
        if ((state_ & kBlockComment) && !end_comment()) return state_;
        const std::size_t first = line_.find_first_not_of(" \t", at_);
        if (first != line_.npos && line_.substr(first).starts_with("//@") && !(state_ & kDepth)) {
            directive(first, true);
            return state_;
        }
        while (at_ < line_.size()) step();
        return state_;
    }

private:
    void add(std::size_t begin, std::size_t end, SpanKind kind) {
        if (end > begin) spans_.push_back({begin, end, kind});
    }
    [[nodiscard]] std::size_t word_end(std::size_t from) const {
        while (from < line_.size() && is_word(line_[from])) ++from;
        return from;
    }

    bool end_comment() {
        const std::size_t close = line_.find("*/", at_);
        if (close == line_.npos) {
            at_ = line_.size();
            return false;
        }
        state_ &= static_cast<LineState>(~kBlockComment);
        at_ = close + 2;
        return true;
    }

    void step() {
        const char c = line_[at_];
        const std::string_view rest = line_.substr(at_);
        const auto depth = static_cast<LineState>(state_ & kDepth);
        if (rest.starts_with("//")) {
            at_ = line_.size();
        } else if (rest.starts_with("/*")) {
            state_ |= kBlockComment;
            at_ += 2;
            end_comment();
        } else if (c == '"' || (c == '\'' && (at_ == 0 || !is_digit(line_[at_ - 1])))) {
            literal(c, depth > 0 && c == '"' && !(state_ & kAsmOperands));
        } else if (is_word(c)) {
            const std::size_t end = word_end(at_);
            const auto word = line_.substr(at_, end - at_);
            if (depth == 0 && contains(kAsmWords, word))
                state_ |= kAsmAhead;
            else if (word != "volatile" && word != "__volatile__")
                state_ &= static_cast<LineState>(~kAsmAhead);
            at_ = end;
        } else {
            punctuation(c, rest, depth);
        }
    }

    void punctuation(char c, std::string_view rest, LineState depth) {
        if (c == '(' && (depth > 0 || (state_ & kAsmAhead))) {
            if (depth == 0) state_ &= static_cast<LineState>(~(kAsmAhead | kAsmOperands));
            if (depth < kDepth) ++state_;
        } else if (c == ')' && depth > 0) {
            --state_;
            if (depth == 1) state_ &= static_cast<LineState>(~kAsmOperands);
        } else if (c == ':' && depth == 1) {
            state_ |= kAsmOperands;
        } else if (rest.starts_with("<<<") || (launched_ && rest.starts_with(">>>"))) {
            add(at_, at_ + 3, SpanKind::launch_bracket);
            launched_ = c == '<'; // else ">>>" ends template arguments
            at_ += 2;
        }
        if (c == ';') state_ &= static_cast<LineState>(~kAsmAhead);
        ++at_;
    }

    /// A string or character literal from its quote on; it ends with the line.
    void literal(char quote, bool ptx) {
        const std::size_t begin = ++at_;
        while (at_ < line_.size() && line_[at_] != quote) at_ += line_[at_] == '\\' ? 2 : 1;
        at_ = std::min(at_, line_.size());
        if (ptx) assembly(begin, at_);
        if (at_ < line_.size()) ++at_;
    }

    /// PTX statements in [at, end): an opcode is the first word of one, after its label and predicate.
    void assembly(std::size_t at, std::size_t end) {
        bool expect_opcode = true;
        while (at < end) {
            const char c = line_[at];
            if (c == '\\' && at + 1 < end) {
                at += 2; // "\n", "\t"
            } else if (c == '{' || c == '}' || c == ';') {
                expect_opcode = true;
                ++at;
            } else if (c == '@') {
                while (at < end && line_[at] != ' ' && line_[at] != '\t') ++at;
            } else if (c == '%') {
                const std::size_t begin = at;
                while (at < end && (line_[at] == '%' || line_[at] == '.' || is_word(line_[at]))) ++at;
                add(begin, at, SpanKind::ptx_operand);
            } else if (is_word(c) || c == '.' || c == '$') {
                const std::size_t begin = at;
                while (at < end && (is_word(line_[at]) || line_[at] == '.' || line_[at] == '$' || line_[at] == ':'))
                    ++at;
                if (!expect_opcode || line_[at - 1] == ':') continue;
                add(begin, at, SpanKind::ptx_opcode);
                expect_opcode = false;
            } else {
                ++at;
            }
        }
    }

    void directive(std::size_t from, bool begins) {
        const std::size_t end = line_.size();
        std::size_t text = from, plain = from;
        const auto flush = [&](std::size_t upto) { add(plain, upto, SpanKind::directive); };
        bool keyword_next = begins, name_next = false;
        if (begins) text += 3;
        while (text < end) {
            if (line_.substr(text).starts_with("<<<") || line_.substr(text).starts_with(">>>")) {
                flush(text);
                add(text, text + 3, SpanKind::launch_bracket);
                name_next = false;
                plain = text += 3;
            } else if (is_word(line_[text])) {
                const std::size_t stop = word_end(text);
                const auto word = line_.substr(text, stop - text);
                const bool keyword =
                    (keyword_next || word == "cooperative" || word == "cluster") && contains(kDirectiveWords, word);
                if (keyword || name_next) {
                    flush(text);
                    add(text, stop, keyword ? SpanKind::directive_keyword : SpanKind::directive_name);
                    plain = stop;
                }
                name_next = keyword && keyword_next;
                keyword_next = false;
                text = stop;
            } else {
                ++text;
            }
        }
        flush(end);
        const std::size_t last = line_.find_last_not_of(" \t");
        if (last != line_.npos && line_[last] == '\\')
            state_ |= kDirective;
        else
            state_ &= static_cast<LineState>(~kDirective);
    }

    std::string_view line_;
    LineState state_;
    std::vector<Span>& spans_;
    std::size_t at_ = 0;
    bool launched_ = false;
};

} // namespace

LineState scan_line(std::string_view line, LineState state, std::vector<Span>& spans) {
    return Scanner(line, state, spans).run();
}

} // namespace kw::editor
