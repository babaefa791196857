#include "engine/compile/line_table.h"

#include <algorithm>
#include <charconv>

namespace kw::compile {
namespace {

void skip_blanks(std::string_view& text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t' || text.front() == ',')) text.remove_prefix(1);
}

int take_number(std::string_view& text) {
    skip_blanks(text);
    int value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc()) return 0;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

bool take_directive(std::string_view& text, std::string_view directive) {
    if (!text.starts_with(directive) || text.size() <= directive.size()) return false;
    const char behind = text[directive.size()];
    if (behind != ' ' && behind != '\t') return false;
    text.remove_prefix(directive.size());
    return true;
}

struct RawLocation {
    int file = 0, line = 0, column = 0;
};

RawLocation take_location(std::string_view& text) {
    RawLocation location;
    location.file = take_number(text);
    location.line = take_number(text);
    location.column = take_number(text);
    return location;
}

} // namespace

LineTable::LineTable(std::string_view ptx) {
    std::vector<std::pair<RawLocation, std::optional<RawLocation>>> raw;
    std::map<int, std::string> names;
    int depth = 0, current = -1;
    while (!ptx.empty()) {
        const std::size_t end = ptx.find('\n');
        std::string_view line = ptx.substr(0, end);
        ptx.remove_prefix(end == std::string_view::npos ? ptx.size() : end + 1);
        skip_blanks(line);
        int location = -1;
        if (take_directive(line, ".loc")) {
            raw.emplace_back(take_location(line), std::nullopt);
            if (const std::size_t at = line.find("inlined_at"); at != std::string_view::npos) {
                line.remove_prefix(at + std::string_view("inlined_at").size());
                raw.back().second = take_location(line);
            }
            current = static_cast<int>(raw.size()) - 1;
            location = current; // its own line shows the place, too
        } else if (take_directive(line, ".file")) {
            const int number = take_number(line);
            const std::size_t open = line.find('"');
            const std::size_t close = open == std::string_view::npos ? open : line.find('"', open + 1);
            if (close != std::string_view::npos) names[number] = line.substr(open + 1, close - open - 1);
        } else if (!line.starts_with("//")) {
            const bool code = !line.empty() && line.front() != '.' && line.front() != '{' && line.front() != '}';
            if (depth > 0 && code) location = current;
            depth += static_cast<int>(std::ranges::count(line, '{') - std::ranges::count(line, '}'));
            if (depth <= 0) {
                depth = 0;
                current = -1;
            }
        }
        location_of_line_.push_back(location);
    }

    for (const auto& [number, name] : names) files_.push_back(name);
    const auto named = [&](const RawLocation& location) {
        const auto found = names.find(location.file);
        return SourceLine{found == names.end() ? std::string() : found->second, location.line, location.column};
    };
    for (const auto& [location, call] : raw) {
        locations_.push_back({named(location), std::nullopt});
        if (call) locations_.back().inlined_at = named(*call);
    }
    for (std::size_t i = 0; i < location_of_line_.size(); ++i)
        if (location_of_line_[i] >= 0) {
            const SourceLine& source = locations_[static_cast<std::size_t>(location_of_line_[i])].source;
            lines_[{source.file, source.line}].push_back(i + 1);
        }
}

const PtxLine* LineTable::source_of(std::size_t ptx_line) const {
    if (ptx_line == 0 || ptx_line > location_of_line_.size()) return nullptr;
    const int location = location_of_line_[ptx_line - 1];
    return location < 0 ? nullptr : &locations_[static_cast<std::size_t>(location)];
}

const std::vector<std::size_t>& LineTable::ptx_of(std::string_view file, int line) const {
    static const std::vector<std::size_t> kNone;
    const auto found = lines_.find(std::pair(std::string(file), line));
    return found == lines_.end() ? kNone : found->second;
}

std::optional<SourceLine> LineTable::first_between(std::size_t first, std::size_t last) const {
    for (std::size_t line = first; line <= last; ++line)
        if (const PtxLine* found = source_of(line); found && found->source.line > 0) return found->source;
    return std::nullopt;
}

} // namespace kw::compile
