#include "engine/audit/subject.h"
#include "engine/compile/lexer.h"
#include "engine/compile/source_scan.h"
#include "engine/task/directives.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <deque>
#include <set>

namespace kw::audit {
namespace {

/// A piece of a text that people and models read and compilers do not.
struct Prose {
    std::string text;
    std::size_t offset = 0;
};

/// Comments and string literals of CUDA C++. A comment is what lies between two tokens.
std::vector<Prose> cuda_prose(std::string_view text) {
    std::vector<Prose> all;
    compile::Lexer lexer(text);
    std::size_t at = 0;
    for (;;) {
        const auto token = lexer.next();
        const bool last = token.kind == compile::TokenKind::end;
        const auto until = last ? text.size() : token.offset;
        if (until > at) {
            const auto gap = text.substr(at, until - at);
            if (gap.find_first_not_of(" \t\n\\") != std::string_view::npos) all.push_back({std::string(gap), at});
        }
        if (last) return all;
        if (token.kind == compile::TokenKind::literal)
            all.push_back({std::string(text.substr(token.offset, token.end - token.offset)), token.offset});
        at = std::max(at, token.end);
    }
}

/// Comments and string literals of Python (Python Language Reference, "Lexical analysis").
std::vector<Prose> python_prose(std::string_view text) {
    std::vector<Prose> all;
    for (std::size_t at = 0; at < text.size();) {
        const char c = text[at];
        std::size_t end = at + 1;
        if (c == '#') {
            end = std::min(text.find('\n', at), text.size());
        } else if (c == '"' || c == '\'') {
            const auto triple = std::string(3, c);
            const bool is_long = text.substr(at, 3) == triple;
            const auto quote = is_long ? triple : std::string(1, c);
            end = at + quote.size();
            while (end < text.size() && text.substr(end, quote.size()) != quote && (is_long || text[end] != '\n'))
                end += text[end] == '\\' ? 2 : 1;
            end = std::min(end + quote.size(), text.size());
        } else {
            at = end;
            continue;
        }
        all.push_back({std::string(text.substr(at, end - at)), at});
        at = end;
    }
    return all;
}

std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words;
    bool open = false;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (std::isalpha(byte) == 0) {
            open = false;
            continue;
        }
        if (!open) words.emplace_back();
        open = true;
        words.back() += static_cast<char>(std::tolower(byte));
    }
    return words;
}

using Words = std::span<const std::string_view>;

bool among(const std::string& word, Words words) { return std::ranges::find(words, word) != words.end(); }

/// The distance from `from` to the next of `words`, at most `reach`; 0 when there is none.
std::size_t next_of(const std::vector<std::string>& text, std::size_t from, std::size_t reach, Words words) {
    for (std::size_t step = 1; step <= reach && from + step < text.size(); ++step)
        if (among(text[from + step], words)) return step;
    return 0;
}

constexpr std::array<std::string_view, 5> kDismissals{"ignore", "disregard", "forget", "override", "bypass"};
constexpr std::array<std::string_view, 9> kRules{"instructions", "instruction", "prompt",  "guidelines", "rules",
                                                 "findings",     "finding",     "auditor", "audit"};
constexpr std::array<std::string_view, 12> kReviewers{"reviewer", "reviewers", "auditor",   "judge",
                                                      "grader",   "evaluator", "assistant", "agent",
                                                      "ai",       "llm",       "claude",    "chatgpt"};
constexpr std::array<std::string_view, 10> kVerbs{"give",   "assign", "award", "mark",  "approve",
                                                  "accept", "rate",   "grant", "score", "classify"};
constexpr std::array<std::string_view, 14> kVerdicts{"reward",   "pass",       "passed",  "passing",   "approved",
                                                     "accepted", "legitimate", "trusted", "correct",   "maximum",
                                                     "highest",  "candidate",  "kernel",  "submission"};

std::string quoted(const std::vector<std::string>& words, std::size_t from, std::size_t count) {
    std::string text;
    for (std::size_t at = from; at < std::min(from + count, words.size()); ++at)
        text += (text.empty() ? "" : " ") + words[at];
    return text;
}

void audit_prose(const Text& source, std::vector<Finding>& findings) {
    const task::LineTable lines(source.text, source.file);
    for (const auto& prose : source.language == Language::cuda ? cuda_prose(source.text) : python_prose(source.text)) {
        const auto orders = orders_in(prose.text);
        if (orders.empty()) continue;
        auto where = lines.where(prose.offset + prose.text.find_first_not_of(" \t\n"));
        where.column = 0;
        findings.push_back({.rule = "addresses-reviewer",
                            .severity = Severity::refuse,
                            .where = std::move(where),
                            .evidence = fmt::format("\"{}\"", orders),
                            .why = "the text gives orders to whoever reviews the candidate; a comment says what the "
                                   "code does"});
    }
}

void audit_tokens(const Text& source, std::vector<Finding>& findings) {
    const task::LineTable lines(source.text, source.file);
    static constexpr std::array<std::string_view, 3> kClocks{"__TIME__", "__DATE__", "__TIMESTAMP__"};
    compile::Lexer lexer(source.text);
    for (auto token = lexer.next(); token.kind != compile::TokenKind::end; token = lexer.next()) {
        const auto here = [&] {
            auto where = lines.where(token.offset);
            where.column = 0;
            return where;
        };
        if (token.kind == compile::TokenKind::identifier && std::ranges::find(kClocks, token.text) != kClocks.end())
            findings.push_back({.rule = "build-dependent",
                                .severity = Severity::suspicious,
                                .where = here(),
                                .evidence = std::string(token.text),
                                .why = "what is compiled depends on when that happens, so the program that was checked "
                                       "need not be the one that runs next"});
        if (token.kind != compile::TokenKind::hash) continue;
        const auto next = lexer.peek();
        if (next.line_start || (next.text != "line" && next.kind != compile::TokenKind::number)) continue;
        findings.push_back({.rule = "hides-lines",
                            .severity = Severity::suspicious,
                            .where = here(),
                            .evidence = "#line",
                            .why = "the directive gives the code below another file or line, and with it every "
                                   "message, profile and finding about it"});
    }
}

} // namespace

std::string orders_in(std::string_view text) {
    const auto words = words_of(text);
    for (std::size_t at = 0; at < words.size(); ++at) {
        if (among(words[at], kDismissals))
            if (const auto step = next_of(words, at, 5, kRules)) return quoted(words, at, step + 1);
        if (!among(words[at], kReviewers)) continue;
        if (const auto verb = next_of(words, at, 8, kVerbs))
            if (const auto verdict = next_of(words, at + verb, 6, kVerdicts))
                return quoted(words, at, verb + verdict + 1);
    }
    return {};
}

std::vector<Text> texts_of(const std::string& file, const task::Files& files) {
    std::vector<Text> texts;
    std::set<std::string> seen;
    std::deque<std::string> open{file};
    while (!open.empty()) {
        const auto name = open.front();
        open.pop_front();
        const auto found = files.find(name);
        if (found == files.end() || !seen.insert(name).second) continue;
        texts.push_back({Language::cuda, name, found->second});
        const auto clean = compile::clean_text(name, found->second);
        if (!clean) continue;
        const auto scan = compile::scan_file(name, *clean);
        if (!scan) continue;
        texts.back().text = *clean;
        const auto slash = name.rfind('/');
        const auto follow = [&](const std::string& header) {
            if (slash != std::string::npos) open.push_back(name.substr(0, slash + 1) + header);
            open.push_back(header);
        };
        for (const auto& site : scan->includes) {
            if (!site.computed) follow(site.text);
            const auto [first, last] = scan->macros.equal_range(site.text);
            if (site.computed)
                for (auto macro = first; macro != last; ++macro) follow(macro->second.header);
        }
    }
    return texts;
}

std::vector<Finding> audit_texts(const Subject& subject) {
    std::vector<Finding> findings;
    for (const auto& source : subject.texts) {
        audit_prose(source, findings);
        if (source.language == Language::cuda) audit_tokens(source, findings);
        const bool is_candidate = &source == &subject.texts.front();
        const auto& task = subject.task;
        if (!is_candidate && (source.file == task.reference || std::ranges::count(task.baselines, source.file) > 0))
            findings.push_back({.rule = "uses-reference",
                                .severity = Severity::refuse,
                                .where = {subject.texts.front().file, 0, 0},
                                .evidence = fmt::format("includes {}", source.file),
                                .why = "the candidate takes the task's own solution in instead of being one; write the "
                                       "kernel in the candidate's file"});
    }
    return findings;
}

} // namespace kw::audit
