#include "editor/completion.h"

#include "editor/characters.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <unordered_set>

namespace kw::editor {
namespace {

char lower(char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); }
bool same_letter(char a, char b) { return lower(a) == lower(b); }

bool word_begins(std::string_view name, std::size_t i) {
    if (i == 0) return true;
    const char before = name[i - 1], here = name[i];
    return (before == '_' && here != '_')
           || (std::islower(static_cast<unsigned char>(before)) && std::isupper(static_cast<unsigned char>(here)));
}

bool starts_like(std::string_view name, std::string_view typed) {
    return name.size() >= typed.size() && std::ranges::equal(name.substr(0, typed.size()), typed, same_letter);
}

constexpr std::array<std::string_view, 62> kKeywords{"alignas",     "alignof",
                                                     "auto",        "bool",
                                                     "break",       "case",
                                                     "catch",       "char",
                                                     "class",       "const",
                                                     "constexpr",   "continue",
                                                     "decltype",    "default",
                                                     "delete",      "double",
                                                     "else",        "enum",
                                                     "explicit",    "extern",
                                                     "false",       "float",
                                                     "for",         "friend",
                                                     "goto",        "if",
                                                     "inline",      "int",
                                                     "long",        "mutable",
                                                     "namespace",   "new",
                                                     "noexcept",    "nullptr",
                                                     "operator",    "private",
                                                     "protected",   "public",
                                                     "register",    "return",
                                                     "short",       "signed",
                                                     "sizeof",      "static",
                                                     "static_cast", "struct",
                                                     "switch",      "template",
                                                     "this",        "throw",
                                                     "true",        "try",
                                                     "typedef",     "typename",
                                                     "union",       "unsigned",
                                                     "using",       "virtual",
                                                     "void",        "volatile",
                                                     "while",       "reinterpret_cast"};

/// After the comment, string or character literal that begins at `i`, else `i`.
std::size_t skip_literal(std::string_view text, std::size_t i) {
    const auto rest = text.substr(i);
    if (rest.starts_with("//")) return std::min(text.find('\n', i), text.size());
    if (rest.starts_with("/*")) {
        const auto close = text.find("*/", i + 2);
        return close == text.npos ? text.size() : close + 2;
    }
    const char quote = text[i];
    if (quote != '"' && quote != '\'') return i;
    for (++i; i < text.size() && text[i] != quote && text[i] != '\n';) i += text[i] == '\\' ? 2 : 1;
    return std::min(i + 1, text.size());
}

} // namespace

std::optional<int> fit(std::string_view name, std::string_view typed) {
    if (name.starts_with(typed)) return 0;
    if (starts_like(name, typed)) return 1;
    for (std::size_t i = 1; i + typed.size() <= name.size(); ++i)
        if (word_begins(name, i) && starts_like(name.substr(i), typed)) return 2;
    if (typed.size() < 2) return std::nullopt;
    std::size_t at = 0;
    for (const char c : name)
        if (at < typed.size() && same_letter(c, typed[at])) ++at;
    if (at == typed.size()) return 3;
    return std::nullopt;
}

std::vector<std::size_t> fitting_letters(std::string_view name, std::string_view typed) {
    std::vector<std::size_t> letters;
    const auto run = [&](std::size_t from) {
        for (std::size_t i = 0; i < typed.size(); ++i) letters.push_back(from + i);
    };
    if (starts_like(name, typed)) {
        run(0);
        return letters;
    }
    for (std::size_t i = 1; i + typed.size() <= name.size(); ++i)
        if (word_begins(name, i) && starts_like(name.substr(i), typed)) {
            run(i);
            return letters;
        }
    for (std::size_t i = 0, at = 0; i < name.size() && at < typed.size(); ++i)
        if (same_letter(name[i], typed[at])) {
            letters.push_back(i);
            ++at;
        }
    return letters.size() == typed.size() ? letters : std::vector<std::size_t>{};
}

std::vector<Ranked> rank(std::span<const CompletionItem> items, std::string_view typed, std::size_t most) {
    std::vector<Ranked> ranked;
    for (std::size_t i = 0; i < items.size(); ++i)
        if (const auto score = fit(items[i].name, typed)) ranked.push_back({i, *score});
    std::ranges::sort(ranked, [&](const Ranked& a, const Ranked& b) {
        const auto key = [&](const Ranked& r) {
            const auto& item = items[r.index];
            // Of equals the shorter name is the likelier one, and "__" names come after those without.
            return std::tuple(r.score, item.source == CompletionItem::Source::document,
                              item.name.starts_with("__") && !typed.starts_with("__"), item.source, item.name.size(),
                              std::string_view(item.name));
        };
        return key(a) < key(b);
    });
    std::unordered_set<std::string_view> seen;
    std::erase_if(ranked, [&](const Ranked& r) { return !seen.insert(items[r.index].name).second; });
    if (ranked.size() > most) ranked.resize(most);
    return ranked;
}

Place place_at_end(std::string_view line) {
    const auto first = line.find_first_not_of(" \t");
    if (first == line.npos) return Place::code;
    if (line.substr(first).starts_with("//@")) return Place::directive;
    for (std::size_t i = first; i < line.size();) {
        const auto after = skip_literal(line, i);
        if (after == i) {
            ++i;
            continue;
        }
        if (after == line.size()) {
            const char opened = line[i];
            if (opened == '/') {
                const bool closed = line.substr(i).starts_with("/*") && line.ends_with("*/") && line.size() >= i + 4;
                if (!closed) return Place::comment;
            } else if (line.size() == i + 1 || line.back() != opened) {
                return Place::string;
            }
        }
        i = after;
    }
    return line[first] == '#' ? Place::preprocessor : Place::code;
}

std::optional<CallContext> call_at_end(std::string_view text) {
    // Forward, because literals can only be told apart in that direction; from a statement's start.
    constexpr std::size_t kMost = 4096;
    std::size_t from = text.size() > kMost ? text.size() - kMost : 0;
    if (from > 0) from = std::min(text.find('\n', from), text.size());
    struct Open {
        char bracket;
        std::size_t at;
        int commas;
    };
    std::vector<Open> open;
    for (std::size_t i = from; i < text.size();) {
        if (const auto after = skip_literal(text, i); after != i) {
            i = after;
            continue;
        }
        const char c = text[i];
        if (c == '(' || c == '[' || c == '{')
            open.push_back({c, i, 0});
        else if (c == ')' || c == ']' || c == '}') {
            if (!open.empty()) open.pop_back();
        } else if (c == ',' && !open.empty())
            ++open.back().commas;
        else if (c == ';')
            while (!open.empty() && open.back().bracket != '{') open.pop_back();
        ++i;
    }
    if (open.empty() || open.back().bracket != '(') return std::nullopt;
    std::size_t end = open.back().at;
    while (end > from && (text[end - 1] == ' ' || text[end - 1] == '\t')) --end;
    if (end > from && text[end - 1] == '>') { // template arguments
        int depth = 0;
        while (end > from) {
            const char c = text[--end];
            depth += c == '>' ? 1 : c == '<' ? -1 : 0;
            if (depth == 0 || c == ';' || c == '\n') break;
        }
    }
    std::size_t begin = end;
    while (begin > from && is_word(text[begin - 1])) --begin;
    if (begin == end || std::isdigit(static_cast<unsigned char>(text[begin]))) return std::nullopt;
    const auto name = text.substr(begin, end - begin);
    for (const std::string_view keyword : {"if", "for", "while", "switch", "return", "sizeof", "catch", "alignas"})
        if (name == keyword) return std::nullopt;
    return CallContext{std::string(name), begin, open.back().commas};
}

Range parameter_range(std::string_view signature, int argument) {
    const auto open = signature.find('(');
    if (open == signature.npos) return {};
    int depth = 0, at = 0;
    std::size_t begin = open + 1;
    for (std::size_t i = open; i < signature.size(); ++i) {
        const char c = signature[i];
        if (c == '(' || c == '<' || c == '[') ++depth;
        const bool closes = c == ')' || c == '>' || c == ']';
        if (closes) --depth;
        if ((c == ',' && depth == 1) || (c == ')' && depth == 0)) {
            const bool variadic = c == ')' && signature.substr(begin, i - begin).find("...") != signature.npos;
            if (at == argument || (variadic && argument > at)) {
                while (begin < i && signature[begin] == ' ') ++begin;
                return begin < i ? Range{begin, i} : Range{};
            }
            ++at;
            begin = i + 1;
            if (c == ')') return {};
        }
    }
    return {};
}

std::vector<std::string> identifiers_of(std::string_view text) {
    std::unordered_set<std::string_view> seen;
    for (std::size_t i = 0; i < text.size();) {
        if (const auto after = skip_literal(text, i); after != i) {
            i = after;
            continue;
        }
        if (!is_word(text[i])) {
            ++i;
            continue;
        }
        const std::size_t begin = i;
        while (i < text.size() && is_word(text[i])) ++i;
        const auto word = text.substr(begin, i - begin);
        if (word.size() >= 3 && !std::isdigit(static_cast<unsigned char>(word[0]))
            && std::ranges::find(kKeywords, word) == kKeywords.end())
            seen.insert(word);
    }
    std::vector<std::string> words(seen.begin(), seen.end());
    std::ranges::sort(words);
    return words;
}

} // namespace kw::editor
