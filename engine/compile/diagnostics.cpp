#include "engine/compile/diagnostics.h"

#include "engine/base/file.h"

#include <array>
#include <charconv>
#include <optional>
#include <utility>

namespace kw::compile {
namespace {

constexpr std::string_view kNameMap = "__nv_name_map";

std::vector<std::string_view> split_lines(std::string_view text) {
    std::vector<std::string_view> lines;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        std::string_view line = text.substr(0, end);
        if (line.ends_with('\r')) line.remove_suffix(1);
        lines.push_back(line);
        if (end == std::string_view::npos) break;
        text.remove_prefix(end + 1);
    }
    return lines;
}

std::string_view trim(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
    return text;
}

/// Reads a decimal number at the front of `text` and removes it.
std::optional<int> take_number(std::string_view& text) {
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || value < 0) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

bool take(std::string_view& text, std::string_view prefix) {
    if (!text.starts_with(prefix)) return false;
    text.remove_prefix(prefix.size());
    return true;
}

/// "error #20-D: text" → severity, code, message.
bool parse_severity(std::string_view text, Diagnostic& diagnostic) {
    static constexpr std::array<std::pair<std::string_view, Severity>, 10> kWords{{
        {"catastrophic error", Severity::error},
        {"command-line error", Severity::error},
        {"internal error", Severity::error},
        {"fatal error", Severity::error},
        {"error", Severity::error},
        {"Error", Severity::error},
        {"warning", Severity::warning},
        {"Warning", Severity::warning},
        {"remark", Severity::remark},
        {"note", Severity::note},
    }};
    for (const auto& [word, severity] : kWords) {
        std::string_view rest = text;
        if (!take(rest, word)) continue;
        if (take(rest, " #")) {
            const std::size_t end = rest.find(':');
            if (end == std::string_view::npos) return false;
            std::string_view code = rest.substr(0, end);
            if (code.ends_with("-D")) code.remove_suffix(2);
            diagnostic.code = code;
            rest.remove_prefix(end);
        }
        if (!take(rest, ":")) continue;
        diagnostic.severity = severity;
        diagnostic.message = trim(rest);
        return true;
    }
    return false;
}

/// "file(12): error: text" or, for messages without a place, "error: text".
std::optional<Diagnostic> parse_head(std::string_view line) {
    Diagnostic diagnostic;
    if (line.empty() || line.front() == ' ' || line.front() == '\t') return std::nullopt;
    if (parse_severity(line, diagnostic)) return diagnostic;
    if (std::string_view rest = line; take(rest, "nvrtc: ") && parse_severity(rest, diagnostic)) return diagnostic;
    // A file name may hold parentheses; the place is the first "(digits): severity".
    for (std::size_t open = line.find('('); open != std::string_view::npos; open = line.find('(', open + 1)) {
        std::string_view rest = line.substr(open + 1);
        const auto number = take_number(rest);
        if (!number || !take(rest, "): ") || !parse_severity(rest, diagnostic)) continue;
        diagnostic.file = line.substr(0, open);
        diagnostic.line = *number;
        return diagnostic;
    }
    return std::nullopt;
}

bool is_caret_line(std::string_view line) {
    line = trim(line);
    return line == "^";
}

/// "instantiation of … at line 4 of file", the file left out when it is the message's own.
Diagnostic parse_context(std::string_view line, std::string_view file) {
    Diagnostic note;
    note.severity = Severity::note;
    line = trim(line);
    note.message = line;
    const std::size_t at = line.rfind(" at line ");
    if (at == std::string_view::npos) return note;
    std::string_view rest = line.substr(at + 9);
    const auto number = take_number(rest);
    if (!number) return note;
    if (rest.empty())
        note.file = file;
    else if (take(rest, " of "))
        note.file =
            rest.starts_with('"') && rest.ends_with('"') && rest.size() > 1 ? rest.substr(1, rest.size() - 2) : rest;
    else
        return note;
    note.line = *number;
    note.message = line.substr(0, at);
    return note;
}

/// Reads front end messages. One message is a head line, continuation lines (indented by ten or more), the source line
/// and its caret.
class FrontEndReader {
public:
    explicit FrontEndReader(ParsedLog& out) : out_(out) {}

    /// Consumes a message whose head is lines[i]; returns the index after it.
    std::size_t read(const std::vector<std::string_view>& lines, std::size_t i, Diagnostic head) {
        bool in_contexts = false;
        std::vector<Diagnostic> contexts;
        source_ = {};
        for (++i; i < lines.size() && !lines[i].empty(); ++i) {
            const std::string_view line = lines[i];
            if (i + 1 < lines.size() && is_caret_line(lines[i + 1]) && line.starts_with("  ")) {
                const std::size_t caret = lines[i + 1].find('^');
                head.column = static_cast<int>(caret) - 1; // both lines are indented by two
                source_ = line;
                ++i;
                continue;
            }
            const std::string_view text = trim(line);
            if (!line.starts_with("      ")) break; // the next message, or a summary line
            if (text.starts_with("detected during")) {
                in_contexts = true;
                std::string_view rest = text.substr(std::string_view("detected during").size());
                rest = trim(rest);
                if (!rest.empty() && rest != ":") contexts.push_back(parse_context(rest, head.file));
            } else if (in_contexts) {
                contexts.push_back(parse_context(text, head.file));
            } else {
                head.message += ' ';
                head.message += text;
            }
        }
        head.notes = std::move(contexts);
        deliver(std::move(head));
        return i;
    }

private:
    void deliver(Diagnostic diagnostic) {
        if (diagnostic.file == kNameMap) {
            // The compiler appends a pragma per name expression in an imaginary file, and shows it as the source line.
            last_ = nullptr;
            if (diagnostic.severity != Severity::error
                || diagnostic.message.starts_with("Error in parsing name expression"))
                return;
            constexpr std::string_view kPragma = "#pragma nv_mangled_name ";
            std::string_view expression = trim(source_);
            if (!take(expression, kPragma)) return;
            out_.name_expressions.push_back({std::string(trim(expression)), std::move(diagnostic)});
        } else if (diagnostic.severity == Severity::note && last_) {
            last_->notes.push_back(std::move(diagnostic));
        } else if (diagnostic.severity == Severity::remark && diagnostic.file.empty()) {
            return; // "Remark: The warnings can be suppressed …"
        } else if (diagnostic.file.empty() && diagnostic.message.contains("precompiled header file")) {
            last_ = nullptr; // which of them fits is NVRTC's own affair
        } else {
            out_.diagnostics.push_back(std::move(diagnostic));
            last_ = &out_.diagnostics.back();
        }
    }

    ParsedLog& out_;
    std::string_view source_;    ///< the source line shown under the message
    Diagnostic* last_ = nullptr; ///< what notes belong to; valid until the next push_back
};

/// The number whose last digit is before position `end`.
std::uint32_t number_ending_at(std::string_view line, std::size_t end) {
    std::size_t begin = end;
    while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9') --begin;
    std::uint32_t value = 0;
    std::from_chars(line.data() + begin, line.data() + end, value);
    return value;
}

std::uint32_t number_before(std::string_view line, std::string_view unit) {
    const std::size_t at = line.find(unit);
    return at == std::string_view::npos ? 0 : number_ending_at(line, at);
}

/// Sums over every "N bytes cmem[B]" of a line.
std::uint32_t constant_bytes(std::string_view line) {
    constexpr std::string_view kUnit = " bytes cmem";
    std::uint32_t total = 0;
    for (std::size_t at = line.find(kUnit); at != std::string_view::npos; at = line.find(kUnit, at + 1))
        total += number_ending_at(line, at);
    return total;
}

/// Reads one line that begins with "ptxas".
class PtxasReader {
public:
    explicit PtxasReader(ParsedLog& out) : out_(out) {}

    void read(std::string_view line) {
        if (line.starts_with("ptxas info") || line.starts_with("ptxas         ."))
            read_statistics(line);
        else
            read_message(line);
    }

private:
    void read_statistics(std::string_view line) {
        constexpr std::string_view kEntry = "Compiling entry function '";
        constexpr std::string_view kProperties = "Function properties for ";
        if (const std::size_t at = line.find(kEntry); at != std::string_view::npos) {
            const std::string_view rest = line.substr(at + kEntry.size());
            entry_ = rest.substr(0, rest.find('\''));
            function_ = entry_;
            out_.statistics[entry_];
        } else if (const std::size_t place = line.find(kProperties); place != std::string_view::npos) {
            function_ = trim(line.substr(place + kProperties.size()));
        } else if (entry_.empty()) {
            return;
        } else if (line.contains("bytes stack frame")) {
            // Device functions that were not inlined report for themselves after their entry; only entries count here.
            if (function_ != entry_) return;
            PtxasStatistics& statistics = out_.statistics[entry_];
            statistics.stack_bytes = number_before(line, " bytes stack frame");
            statistics.spill_store_bytes = number_before(line, " bytes spill stores");
            statistics.spill_load_bytes = number_before(line, " bytes spill loads");
        } else if (line.contains(" registers")) {
            PtxasStatistics& statistics = out_.statistics[entry_];
            statistics.registers = number_before(line, " registers");
            statistics.shared_bytes = number_before(line, " bytes smem");
            statistics.constant_bytes = constant_bytes(line);
        }
    }

    /// "ptxas application ptx input, line 26; error   : text", "ptxas error   : text", "ptxas warning : text".
    void read_message(std::string_view line) {
        Diagnostic diagnostic;
        take(line, "ptxas ");
        if (const std::size_t at = line.find(", line "); at != std::string_view::npos && at < line.find(" : ")) {
            std::string_view rest = line.substr(at + 7);
            if (const auto number = take_number(rest); number && take(rest, ";")) {
                diagnostic.file = "ptx";
                diagnostic.line = *number;
                line = trim(rest);
            }
        }
        const std::size_t colon = line.find(':');
        if (colon == std::string_view::npos) return;
        const std::string_view word = trim(line.substr(0, colon));
        if (word == "error" || word == "fatal")
            diagnostic.severity = Severity::error;
        else if (word == "warning")
            diagnostic.severity = Severity::warning;
        else
            return;
        diagnostic.message = trim(line.substr(colon + 1));
        // It only repeats that there were errors.
        if (diagnostic.message.starts_with("Ptx assembly aborted") && has_error_) return;
        has_error_ = has_error_ || diagnostic.severity == Severity::error;
        diagnostic.code = "ptxas";
        out_.diagnostics.push_back(std::move(diagnostic));
    }

    ParsedLog& out_;
    std::string entry_;
    std::string function_;
    bool has_error_ = false;
};

} // namespace

ParsedLog parse_log(std::string_view log) {
    ParsedLog parsed;
    FrontEndReader front_end(parsed);
    PtxasReader ptxas(parsed);
    const std::vector<std::string_view> lines = split_lines(log);
    for (std::size_t i = 0; i < lines.size();) {
        if (lines[i].starts_with("ptxas"))
            ptxas.read(lines[i++]);
        else if (auto head = parse_head(lines[i]))
            i = front_end.read(lines, i, std::move(*head));
        else
            ++i;
    }
    return parsed;
}

std::string to_utf8(std::string_view text) {
    std::string out;
    while (true) {
        const std::size_t bad = first_invalid_utf8(text);
        out += text.substr(0, bad);
        if (bad >= text.size()) return out;
        const auto byte = static_cast<unsigned char>(text[bad]);
        out += static_cast<char>(0xC0 | (byte >> 6));
        out += static_cast<char>(0x80 | (byte & 0x3F));
        text.remove_prefix(bad + 1);
    }
}

} // namespace kw::compile
