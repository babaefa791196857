#pragma once

#include "engine/base/json.h"
#include "engine/base/result.h"

#include <span>
#include <string>
#include <string_view>
#include <vector>

/// What the audit says of a candidate: docs/audit.md.
namespace kw::audit {

enum class Severity {
    note,       ///< worth knowing, nothing is held against the candidate
    suspicious, ///< a person should look; the reward stands
    refuse,     ///< the candidate's reward is that of a wrong one
};
[[nodiscard]] std::string_view to_string(Severity severity);
/// "error" and "warning", of evaluations stored before there was an audit, are refuse and suspicious; an unknown name
/// is a note.
[[nodiscard]] Severity severity_from(std::string_view name);

struct Finding {
    std::string rule; ///< id of a Rule
    Severity severity = Severity::note;
    Where where{};          ///< file empty: of the candidate as a whole
    std::string evidence{}; ///< what was seen, short: "output y at line 12 takes %clock64"
    std::string why;        ///< one sentence
    bool operator==(const Finding&) const = default;
};
[[nodiscard]] Json to_json(const Finding& finding);
/// Throws Json::exception on a malformed value.
[[nodiscard]] Finding finding_from_json(const Json& json);

/// {"findings": […]}, docs/design.md §3.
[[nodiscard]] Json to_json(std::span<const Finding> findings);
[[nodiscard]] std::vector<Finding> findings_from_json(const Json& json);

/// The first that refuses, or null.
[[nodiscard]] const Finding* refusal(std::span<const Finding> findings);

/// Gravest first, then by place; one of each rule and place.
void tidy(std::vector<Finding>& findings);

} // namespace kw::audit
