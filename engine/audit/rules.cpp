#include "engine/audit/rules.h"

#include <algorithm>
#include <array>

namespace kw::audit {
namespace {

constexpr std::array kRules{
    Rule{"constant-output", Severity::refuse, kCuda, "an output that no input reaches"},
    Rule{"ignored-input", Severity::refuse, kCuda,
         "an input that the reference's results depend on and this one's do not"},
    Rule{"embedded-results", Severity::refuse, kCuda, "results that were written into the source instead of computed"},
    Rule{"input-fingerprint", Severity::suspicious, kCuda,
         "an input compared with one particular value, as to recognise it"},
    Rule{"device-state", Severity::refuse, kCuda | kRuns,
         "something kept in a device variable from one run to the next"},
    Rule{"stale-memory", Severity::refuse, kRuns, "a run that takes up what an earlier one left in outputs or scratch"},
    Rule{"run-dependent", Severity::refuse, kRuns,
         "a repeated run of the same inputs that does other work or has other results"},
    Rule{"time-dependent", Severity::refuse, kCuda, "a result that depends on a clock"},
    Rule{"launch-dependent", Severity::refuse, kCuda, "a result that depends on the number of the launch"},
    Rule{"place-dependent", Severity::suspicious, kCuda, "a result that depends on the multiprocessor a block runs on"},
    Rule{"narrow-precision", Severity::refuse, kCuda | kRuns, "computing with fewer bits than the task's types have"},
    Rule{"cache-control", Severity::refuse, kCuda, "data kept in L2 beyond a run, so that timing is not cold"},
    Rule{"discarded-data", Severity::suspicious, kCuda, "cache lines thrown away instead of written to memory"},
    Rule{"writes-input", Severity::refuse, kCuda | kRuns, "a store into an input"},
    Rule{"outside-memory", Severity::refuse, kCuda | kRuns, "an access outside the buffers of the plan"},
    Rule{"device-launch", Severity::refuse, kCuda, "kernels launched by kernels, which timing need not wait for"},
    Rule{"device-heap", Severity::note, kCuda, "memory of the device's heap, which outlives a run"},
    Rule{"prints-verdict", Severity::refuse, kCuda, "printed text that looks like a verdict of a checker"},
    Rule{"prints", Severity::note, kCuda, "device-side printf"},
    Rule{"addresses-reviewer", Severity::refuse, kCuda | kPython,
         "text in the source that gives orders to whoever reviews it"},
    Rule{"uses-reference", Severity::refuse, kCuda | kPython,
         "the task's reference or a baseline made part of the candidate"},
    Rule{"hides-lines", Severity::suspicious, kCuda, "a directive that makes code seem to be elsewhere"},
    Rule{"build-dependent", Severity::suspicious, kCuda, "a program that depends on when it is compiled"},
    Rule{"unread-input", Severity::refuse, kRuns, "bytes of an input that matter to the result and were never read"},
    Rule{"unwritten-output", Severity::refuse, kTimes, "an output that is not written at the timed sizes"},
    Rule{"less-work", Severity::refuse, kTimes,
         "far less of an input read at the timed sizes than at the checked ones"},
    Rule{"beats-physics", Severity::refuse, kTimes, "a time below what the device's memory or arithmetic allows"},
    Rule{"not-probed", Severity::note, kRuns, "why the candidate was not run for the audit"},
};

} // namespace

std::span<const Rule> rules() { return kRules; }

const Rule* find_rule(std::string_view id) {
    const auto found = std::ranges::find(kRules, id, &Rule::id);
    return found == kRules.end() ? nullptr : &*found;
}

} // namespace kw::audit
