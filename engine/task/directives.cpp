#include "engine/task/directives.h"

#include "engine/task/names.h"

#include <algorithm>
#include <cctype>
#include <utility>

namespace kw::task {
namespace {

/// Walks over C++ source far enough to know what is code, what a literal and what a comment.
class Scanner {
public:
    Scanner(std::string_view source, std::shared_ptr<const LineTable> lines)
        : source_(source), lines_(std::move(lines)) {}

    std::vector<DirectiveText> run() {
        while (at_ < source_.size()) {
            if (rest().starts_with("//@")) {
                directive();
            } else if (rest().starts_with("//")) {
                skip_line_comment();
            } else if (rest().starts_with("/*")) {
                const std::size_t end = source_.find("*/", at_ + 2);
                at_ = end == std::string_view::npos ? source_.size() : end + 2;
            } else if (source_[at_] == '"' || source_[at_] == '\'') {
                skip_literal();
            } else if (starts_name(source_[at_])) {
                skip_word();
            } else if (std::isdigit(static_cast<unsigned char>(source_[at_]))) {
                skip_number();
            } else {
                ++at_;
            }
        }
        return std::move(found_);
    }

private:
    [[nodiscard]] std::string_view rest() const { return source_.substr(at_); }

    /// The end of the line that holds `from`, without its line break.
    [[nodiscard]] std::size_t line_end(std::size_t from) const {
        const std::size_t newline = source_.find('\n', from);
        const std::size_t end = newline == std::string_view::npos ? source_.size() : newline;
        return end > from && source_[end - 1] == '\r' ? end - 1 : end;
    }

    /// The first byte of the next line, given the end of one.
    [[nodiscard]] std::size_t next_line(std::size_t end) const {
        const std::size_t newline = source_.find('\n', end);
        return newline == std::string_view::npos ? source_.size() : newline + 1;
    }

    [[nodiscard]] bool continues(std::size_t begin, std::size_t end) const {
        return end > begin && source_[end - 1] == '\\';
    }

    void skip_line_comment() {
        std::size_t begin = at_, end = line_end(begin);
        while (continues(begin, end) && end < source_.size()) {
            begin = next_line(end);
            end = line_end(begin);
        }
        at_ = next_line(end);
    }

    void directive() {
        DirectiveText text;
        text.begin = at_;
        text.lines = lines_;
        std::size_t begin = at_ + 3, end = line_end(begin);
        for (;;) {
            const bool more = continues(begin, end) && end < source_.size();
            const std::size_t stop = more ? end - 1 : end;
            for (std::size_t i = begin; i < stop; ++i) append(text, source_[i], i);
            if (!more) break;
            append(text, ' ', stop);
            begin = next_line(end);
            end = line_end(begin);
            std::size_t mark = begin;
            while (mark < end && (source_[mark] == ' ' || source_[mark] == '\t')) ++mark;
            if (source_.substr(mark, end - mark).starts_with("//")) {
                begin = mark + 2;
                if (begin < end && source_[begin] == '@') ++begin;
            }
        }
        text.offsets.push_back(end);
        found_.push_back(std::move(text));
        at_ = next_line(end);
    }

    static void append(DirectiveText& text, char c, std::size_t offset) {
        text.text.push_back(c);
        text.offsets.push_back(offset);
    }

    /// A string or character literal; an unclosed one ends with its line, as compilers recover.
    void skip_literal() {
        const char quote = source_[at_++];
        for (; at_ < source_.size(); ++at_) {
            if (source_[at_] == '\\') {
                ++at_;
                if (rest().starts_with("\r\n")) ++at_;
            } else if (source_[at_] == '\n') {
                return;
            } else if (source_[at_] == quote) {
                ++at_;
                return;
            }
        }
        at_ = std::min(at_, source_.size());
    }

    void skip_word() {
        const std::size_t length = name_length(rest());
        const std::string_view word = rest().substr(0, length);
        at_ += length;
        const bool raw = word == "R" || word == "u8R" || word == "uR" || word == "UR" || word == "LR";
        if (raw && at_ < source_.size() && source_[at_] == '"') skip_raw_string();
    }

    void skip_raw_string() {
        const std::size_t open = source_.find('(', at_);
        // A delimiter has at most 16 characters ([lex.string]).
        if (open == std::string_view::npos || open - at_ > 17) return skip_literal();
        const std::string closing = ")" + std::string(source_.substr(at_ + 1, open - at_ - 1)) + "\"";
        const std::size_t end = source_.find(closing, open + 1);
        at_ = end == std::string_view::npos ? source_.size() : end + closing.size();
    }

    /// A number with its digit separators, which are no character literals.
    void skip_number() {
        while (at_ < source_.size()
               && (continues_name(source_[at_]) || source_[at_] == '.'
                   || (source_[at_] == '\'' && at_ + 1 < source_.size() && continues_name(source_[at_ + 1]))))
            ++at_;
    }

    std::string_view source_;
    std::shared_ptr<const LineTable> lines_;
    std::size_t at_ = 0;
    std::vector<DirectiveText> found_;
};

} // namespace

LineTable::LineTable(std::string_view text, std::string file) : file_(std::move(file)), lines_{0} {
    for (std::size_t i = text.find('\n'); i != std::string_view::npos; i = text.find('\n', i + 1))
        lines_.push_back(i + 1);
}

Where LineTable::where(std::size_t offset) const {
    const auto after = std::ranges::upper_bound(lines_, offset);
    const auto line = std::distance(lines_.begin(), after);
    return {file_, static_cast<int>(line), static_cast<int>(offset - *std::prev(after)) + 1};
}

Where DirectiveText::where(std::size_t offset) const {
    return lines->where(offsets[std::min(offset, offsets.size() - 1)]);
}

std::vector<DirectiveText> find_directives(std::string_view source, const std::string& file) {
    return Scanner(source, std::make_shared<const LineTable>(source, file)).run();
}

} // namespace kw::task
