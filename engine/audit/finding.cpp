#include "engine/audit/finding.h"

#include <algorithm>
#include <tuple>

namespace kw::audit {

std::string_view to_string(Severity severity) {
    switch (severity) {
    case Severity::note: return "note";
    case Severity::suspicious: return "suspicious";
    case Severity::refuse: return "refuse";
    }
    return "note";
}

Severity severity_from(std::string_view name) {
    if (name == "refuse" || name == "error") return Severity::refuse;
    if (name == "suspicious" || name == "warning") return Severity::suspicious;
    return Severity::note;
}

Json to_json(const Finding& finding) {
    return {{"rule", finding.rule},         {"severity", to_string(finding.severity)},
            {"file", finding.where.file},   {"line", finding.where.line},
            {"evidence", finding.evidence}, {"why", finding.why}};
}

Finding finding_from_json(const Json& json) {
    return {.rule = json.at("rule").get<std::string>(),
            .severity = severity_from(json.at("severity").get<std::string>()),
            .where = {json.value("file", ""), json.value("line", 0), 0},
            .evidence = json.value("evidence", ""),
            .why = json.at("why").get<std::string>()};
}

Json to_json(std::span<const Finding> findings) {
    Json json{{"findings", Json::array()}};
    for (const auto& finding : findings) json["findings"].push_back(to_json(finding));
    return json;
}

std::vector<Finding> findings_from_json(const Json& json) {
    std::vector<Finding> findings;
    for (const auto& item : json.at("findings")) findings.push_back(finding_from_json(item));
    return findings;
}

const Finding* refusal(std::span<const Finding> findings) {
    const auto found = std::ranges::find(findings, Severity::refuse, &Finding::severity);
    return found == findings.end() ? nullptr : &*found;
}

void tidy(std::vector<Finding>& findings) {
    const auto key = [](const Finding& finding) {
        return std::tuple{-static_cast<int>(finding.severity),
                          finding.where.file,
                          finding.where.line,
                          finding.rule,
                          finding.where.column,
                          finding.evidence,
                          finding.why};
    };
    std::ranges::sort(findings, {}, key);
    const auto [first, last] = std::ranges::unique(findings, [](const Finding& a, const Finding& b) {
        return a.rule == b.rule && a.where == b.where && a.severity == b.severity && a.evidence == b.evidence;
    });
    findings.erase(first, last);
}

} // namespace kw::audit
