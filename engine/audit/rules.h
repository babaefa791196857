#pragma once

#include "engine/audit/finding.h"

#include <span>
#include <string_view>

/// The rules by name; docs/audit.md has a section on each.
namespace kw::audit {

/// What a rule looks at. A bit set.
enum Sees : unsigned {
    kCuda = 1,   ///< CUDA C++ source text and the code it compiles to
    kPython = 2, ///< Python source text
    kRuns = 4,   ///< what runs of the candidate did
    kTimes = 8,  ///< what it took
};

struct Rule {
    std::string_view id;
    Severity gravest = Severity::note; ///< that a finding of it can have
    unsigned sees = 0;                 ///< of Sees
    std::string_view catches;          ///< a phrase: "a result that depends on the clock"
};

[[nodiscard]] std::span<const Rule> rules();
/// Null for an unknown id.
[[nodiscard]] const Rule* find_rule(std::string_view id);

} // namespace kw::audit
