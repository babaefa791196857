#include "agent/launch/reply_so_far.h"

#include "agent/llm/json_text.h"

#include <fmt/format.h>

namespace kw::agent {

void ReplySoFar::clear() { *this = {}; }

void ReplySoFar::add(const llm::Delta& delta) {
    switch (delta.kind) {
    case llm::Delta::Kind::restart: clear(); break;
    case llm::Delta::Kind::text: text_ += delta.text; break;
    case llm::Delta::Kind::reasoning: reasoning_ += delta.text; break;
    case llm::Delta::Kind::tool:
        if (whole_) arguments_.clear();
        arguments_ += delta.text;
        // Whole only where a brace closes, which is seldom enough to ask a parser.
        whole_ = delta.text.find('}') != std::string::npos && llm::parse_json(arguments_).has_value();
        break;
    }
}

std::string ReplySoFar::source() const {
    auto text = string_so_far(arguments_, "content");
    return text.empty() ? string_so_far(arguments_, "new_text") : text;
}

std::string string_so_far(std::string_view json, std::string_view member) {
    const auto name = fmt::format("\"{}\"", member);
    auto at = json.find(name);
    // Inside a string the quotes would be escaped.
    while (at != json.npos && at > 0 && json[at - 1] == '\\') at = json.find(name, at + 1);
    if (at == json.npos) return {};
    at = json.find_first_not_of(" \t\r\n", at + name.size());
    if (at == json.npos || json[at] != ':') return {};
    at = json.find_first_not_of(" \t\r\n", at + 1);
    if (at == json.npos || json[at] != '"') return {};
    const auto begin = ++at;
    auto end = begin; // behind the last character that is whole
    while (at < json.size() && json[at] != '"') {
        std::size_t width = 1;
        if (json[at] == '\\') width = at + 1 < json.size() && json[at + 1] == 'u' ? 6 : 2;
        if (at + width > json.size()) break;
        at += width;
        end = at;
    }
    // Half a pair of surrogates, or half a UTF-8 character, may come last.
    for (int cut = 0; cut <= 12 && end - begin >= static_cast<std::size_t>(cut); ++cut)
        if (const auto value = llm::parse_json(fmt::format("\"{}\"", json.substr(begin, end - begin - cut)));
            value && value->is_string())
            return value->get<std::string>();
    return {};
}

} // namespace kw::agent
