#include "editor/listing_lexer.h"

#include "widgets/theme.h"

#include <Qsci/qsciscintilla.h>

#include <array>
#include <cctype>

namespace kw::editor {
namespace {

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '$'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

template<std::size_t N> bool begins_with_any(std::string_view word, const std::array<std::string_view, N>& list) {
    for (const auto prefix : list)
        if (word.starts_with(prefix) && (word.size() == prefix.size() || word[prefix.size()] == '.')) return true;
    return false;
}

// What touches memory and what changes where execution goes stands out from arithmetic.
constexpr std::array<std::string_view, 14> kPtxMemory{"ld",  "st",       "ldu",      "atom",     "red",
                                                      "cp",  "ldmatrix", "stmatrix", "prefetch", "prefetchu",
                                                      "tex", "suld",     "sust",     "mapa"};
constexpr std::array<std::string_view, 12> kPtxControl{"bra",     "brx",    "call",  "ret",  "exit",     "bar",
                                                       "barrier", "membar", "fence", "trap", "mbarrier", "nanosleep"};
constexpr std::array<std::string_view, 21> kSassMemory{"LDG",   "STG", "LDS",  "STS",  "LD",     "ST",      "LDL",
                                                       "STL",   "LDC", "LDSM", "STSM", "LDGSTS", "ATOM",    "ATOMG",
                                                       "ATOMS", "RED", "ULDC", "TEX",  "UBLKCP", "UTMALDG", "UTMASTG"};
constexpr std::array<std::string_view, 18> kSassControl{"BRA",   "BRX",    "JMP",   "CALL",     "RET",    "EXIT",
                                                        "BAR",   "BSSY",   "BSYNC", "WARPSYNC", "MEMBAR", "BREAK",
                                                        "YIELD", "DEPBAR", "SYNCS", "BPT",      "ERRBAR", "NANOSLEEP"};

ListingStyle opcode_style(std::string_view word, Listing::Kind kind) {
    const bool sass = kind == Listing::Kind::sass;
    if (sass ? begins_with_any(word, kSassMemory) : begins_with_any(word, kPtxMemory)) return ListingStyle::memory;
    if (sass ? begins_with_any(word, kSassControl) : begins_with_any(word, kPtxControl)) return ListingStyle::control;
    return ListingStyle::opcode;
}

/// R12, UR4, P0, UP1, RZ, URZ, PT, UPT, B0, SR_TID.X
bool is_sass_register(std::string_view word) {
    if (word == "RZ" || word == "URZ" || word == "PT" || word == "UPT" || word.starts_with("SR_")) return true;
    for (const std::string_view prefix : {"UR", "UP", "R", "P", "B"})
        if (word.starts_with(prefix)) return word.size() > prefix.size() && is_digit(word[prefix.size()]);
    return false;
}

} // namespace

std::vector<ListingSpan> listing_spans(std::string_view line, Listing::Kind kind) {
    const bool sass = kind == Listing::Kind::sass;
    std::vector<ListingSpan> spans;
    const auto add = [&](std::size_t begin, std::size_t end, ListingStyle style) {
        if (end > begin) spans.push_back({begin, end, style});
    };
    std::size_t at = line.find_first_not_of(" \t");
    if (at == line.npos) return spans;
    const auto last = line.find_last_not_of(" \t\r\n");
    if (line[last] == ':' || line.substr(0, last + 1).ends_with(":")) {
        add(at, last + 1, ListingStyle::label);
        return spans;
    }
    bool opcode_next = true, in_directive = false;
    if (sass) { // the offset comes first
        std::size_t end = at;
        while (end < line.size() && std::isxdigit(static_cast<unsigned char>(line[end]))) ++end;
        if (end - at >= 4 && end < line.size() && line[end] == ' ') {
            add(at, end, ListingStyle::comment);
            at = end;
        }
    }
    while (at < line.size()) {
        const char c = line[at];
        if (line.substr(at).starts_with("//") || line.substr(at).starts_with("/*")) {
            add(at, last + 1, ListingStyle::comment);
            break;
        }
        const std::size_t begin = at;
        if (c == '@') {
            while (at < line.size() && line[at] != ' ' && line[at] != '\t') ++at;
            add(begin, at, ListingStyle::control);
        } else if (c == '%') {
            ++at;
            while (at < line.size()
                   && (is_word(line[at])
                       || (line[at] == '.' && at + 1 < line.size()
                           && std::isalpha(static_cast<unsigned char>(line[at + 1])))))
                ++at;
            add(begin, at, ListingStyle::reg);
        } else if (c == '.' && (opcode_next || in_directive) && !sass) {
            while (at < line.size() && (is_word(line[at]) || line[at] == '.')) ++at;
            add(begin, at, ListingStyle::directive);
            in_directive = true;
            opcode_next = false;
        } else if (is_word(c)) {
            while (at < line.size()
                   && (is_word(line[at]) || (line[at] == '.' && (opcode_next || sass))
                       || (opcode_next && line[at] == ':')))
                ++at;
            const auto word = line.substr(begin, at - begin);
            if (opcode_next) {
                add(begin, at, opcode_style(word, kind));
                opcode_next = false;
            } else if (is_digit(c)) {
                add(begin, at, ListingStyle::number);
            } else if (sass && is_sass_register(word)) {
                add(begin, at, ListingStyle::reg);
            } else if (word.starts_with("$L") || (sass && word.starts_with(".L"))) {
                add(begin, at, ListingStyle::label);
            }
        } else {
            ++at;
        }
    }
    return spans;
}

ListingLexer::ListingLexer(QObject* parent) : QsciLexerCustom(parent) { apply_theme(); }

QString ListingLexer::description(int style) const {
    static constexpr const char* kNames[kListingStyles] = {"Plain",  "Instruction", "Memory", "Control",  "Register",
                                                           "Number", "Comment",     "Label",  "Directive"};
    return style >= 0 && style < kListingStyles ? QString::fromLatin1(kNames[style]) : QString();
}

void ListingLexer::apply_theme() {
    const auto& theme = widgets::Theme::instance();
    const auto& t = theme.tokens();
    setDefaultFont(theme.code_font());
    setDefaultColor(t.text1);
    setDefaultPaper(t.surface1);
    setFont(theme.code_font(), -1);
    setColor(t.text1, -1);
    setPaper(t.surface1, -1);
    const std::array<QColor, kListingStyles> colors{t.text1,        t.code_directive, t.code_number,
                                                    t.code_keyword, t.text2,          t.code_string,
                                                    t.code_comment, t.code_keyword,   t.code_preprocessor};
    for (int style = 0; style < kListingStyles; ++style) setColor(colors[static_cast<std::size_t>(style)], style);
}

void ListingLexer::styleText(int start, int end) {
    auto* text = editor();
    if (!text || end <= start) return;
    const long first = text->SendScintilla(QsciScintillaBase::SCI_LINEFROMPOSITION, start);
    const long begin = text->SendScintilla(QsciScintillaBase::SCI_POSITIONFROMLINE, first);
    startStyling(static_cast<int>(begin));
    const long count = text->SendScintilla(QsciScintillaBase::SCI_GETLINECOUNT);
    for (long line = first; line < count; ++line) {
        const long from = text->SendScintilla(QsciScintillaBase::SCI_POSITIONFROMLINE, line);
        if (from >= end) break;
        const long to = line + 1 < count ? text->SendScintilla(QsciScintillaBase::SCI_POSITIONFROMLINE, line + 1)
                                         : text->SendScintilla(QsciScintillaBase::SCI_GETLENGTH);
        if (to == from) continue;
        const auto pointer =
            text->SendScintilla(QsciScintillaBase::SCI_GETRANGEPOINTER, static_cast<unsigned long>(from), to - from);
        // Copied, because styling moves the memory that the pointer is into.
        const std::string content(reinterpret_cast<const char*>(pointer), static_cast<std::size_t>(to - from));
        std::size_t styled = 0;
        for (const auto& span : listing_spans(content, kind_)) {
            setStyling(static_cast<int>(span.begin - styled), static_cast<int>(ListingStyle::plain));
            setStyling(static_cast<int>(span.end - span.begin), static_cast<int>(span.style));
            styled = span.end;
        }
        setStyling(static_cast<int>(content.size() - styled), static_cast<int>(ListingStyle::plain));
    }
}

} // namespace kw::editor
