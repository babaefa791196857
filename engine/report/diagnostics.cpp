#include "engine/report/diagnostics.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kw::report {
namespace {

constexpr std::size_t kLongestLine = 160;

std::string_view line_of(std::string_view text, int number) {
    for (int i = 1; i < number; ++i) {
        const auto end = text.find('\n');
        if (end == std::string_view::npos) return {};
        text.remove_prefix(end + 1);
    }
    auto line = text.substr(0, text.find('\n'));
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    return line;
}

std::pair<std::string_view, Color> named(compile::Severity severity) {
    switch (severity) {
    case compile::Severity::error: return {"error", Color::red};
    case compile::Severity::warning: return {"warning", Color::yellow};
    case compile::Severity::remark: return {"remark", Color::cyan};
    case compile::Severity::note: return {"note", Color::cyan};
    }
    std::unreachable();
}

void append(std::string& text, const compile::Diagnostic& diagnostic, const compile::Files& files, const Style& style,
            std::string_view indent) {
    const auto [name, color] = named(diagnostic.severity);
    const Where where{diagnostic.file, diagnostic.line, diagnostic.column};
    text += fmt::format("{}{}{} {}\n", indent, style.paint(Color::bold, place(where)),
                        style.paint(color, std::string{name} + ":"), printable(diagnostic.message));
    text += excerpt(files, where, style);
    for (const auto& note : diagnostic.notes) append(text, note, files, style, "  ");
}

} // namespace

std::string place(const Where& where) {
    if (where.file.empty()) return {};
    auto text = where.file;
    if (where.line > 0) text += fmt::format(":{}", where.line);
    if (where.line > 0 && where.column > 0) text += fmt::format(":{}", where.column);
    return text + ": ";
}

std::string excerpt(const compile::Files& files, const Where& where, const Style& style) {
    const auto file = files.find(where.file);
    if (file == files.end() || where.line <= 0) return {};
    const auto line = line_of(file->second, where.line).substr(0, kLongestLine);
    if (line.find_first_not_of(" \t") == std::string_view::npos) return {};
    auto text = fmt::format("{:>6} | {}\n", where.line, printable(line));
    const auto column = static_cast<std::size_t>(std::max(where.column, 0));
    if (column == 0 || column > line.size() + 1) return text;
    std::string padding;
    // Tabs stay tabs so that the caret stands under its character whatever a tab is worth.
    for (const char c : line.substr(0, column - 1))
        if ((static_cast<unsigned char>(c) & 0xC0u) != 0x80u) padding += c == '\t' ? '\t' : ' ';
    return text + fmt::format("       | {}{}\n", padding, style.paint(Color::green, "^"));
}

std::string render(std::span<const compile::Diagnostic> diagnostics, const compile::Files& files, const Style& style,
                   std::size_t limit) {
    std::string text;
    for (const auto& diagnostic : diagnostics.subspan(0, std::min(limit, diagnostics.size())))
        append(text, diagnostic, files, style, "");
    if (diagnostics.size() > limit)
        text += fmt::format("… and {} more messages; --json has them all\n", diagnostics.size() - limit);
    return text;
}

} // namespace kw::report
