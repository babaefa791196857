#include "agent/tools/feedback.h"

#include "agent/llm/json_text.h"
#include "agent/session/loop.h"
#include "engine/pipeline/evaluation.h"
#include "engine/profile/findings.h"
#include "engine/profile/metrics.h"
#include "engine/report/diagnostics.h"
#include "engine/report/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace kw::tools {
namespace {

constexpr std::size_t kErrors = 5;
constexpr std::size_t kChecks = 3;
constexpr std::size_t kPrinted = 600;
constexpr std::size_t kHotLines = 8;

std::string coordinates(const device::Dim3& at) { return fmt::format("({}, {}, {})", at.x, at.y, at.z); }

/// Errors first; warnings only where there is nothing worse.
std::string diagnostics_text(std::vector<compile::Diagnostic> diagnostics, const task::Files& files) {
    const bool failed =
        std::ranges::any_of(diagnostics, [](const auto& each) { return each.severity == compile::Severity::error; });
    if (failed) std::erase_if(diagnostics, [](const auto& each) { return each.severity != compile::Severity::error; });
    auto text = report::render(diagnostics, files, {}, kErrors);
    // What is said to people about the command line.
    if (constexpr std::string_view kHint = "; --json has them all"; text.contains(kHint))
        text.erase(text.rfind(kHint), kHint.size());
    return text;
}

std::string kernels_text(const std::vector<compile::Kernel>& kernels) {
    std::string text;
    for (const auto& kernel : kernels) {
        text += fmt::format("  {}", kernel.name);
        if (kernel.registers > 0) text += fmt::format(": {} registers", kernel.registers);
        if (kernel.shared_bytes > 0) text += fmt::format(", {} B shared", kernel.shared_bytes);
        if (kernel.local_bytes > 0) text += fmt::format(", {} B local", kernel.local_bytes);
        if (kernel.spill_bytes > 0) text += fmt::format(", {} B SPILLED", kernel.spill_bytes);
        text += '\n';
    }
    return text;
}

std::string fault_text(const device::Fault& fault, const task::Files& files) {
    auto text = fmt::format("fault ({}): {}{}\n", to_string(fault.kind), report::place(fault.where), fault.message);
    text += report::excerpt(files, fault.where, {});
    if (fault.block) text += fmt::format("  block {}", coordinates(*fault.block));
    if (fault.thread) text += fmt::format("  thread {}", coordinates(*fault.thread));
    if (fault.block || fault.thread) text += '\n';
    if (fault.other) {
        text += fmt::format("{}{}\n", report::place(fault.other->where), device::other_party_text(fault));
        text += report::excerpt(files, fault.other->where, {});
    }
    return text;
}

std::string check_text(const pipeline::Check& check) {
    auto text = fmt::format("  {} at {}", check.tensor, task::sizes_text(check.sizes));
    if (!check.problem.empty()) text += ": " + check.problem;
    const auto& comparison = check.comparison;
    if (comparison.mismatches > 0)
        text += fmt::format(": {} of {} elements differ, max error {} abs, {} rel{}", comparison.mismatches,
                            comparison.elements, report::number(comparison.max_abs), report::number(comparison.max_rel),
                            comparison.nan > 0 ? fmt::format(", {} NaN", comparison.nan) : "");
    if (const auto& first = comparison.first_mismatch)
        text += fmt::format("; first at [{}]: expected {}, actual {}", fmt::join(first->coordinates, ", "),
                            first->expected_text, first->actual_text);
    return text + '\n';
}

std::string verify_text(const pipeline::VerifyReport& verify, const task::Files& files) {
    if (verify.ok) return fmt::format("correct: all {} checks passed\n", verify.checks.size());
    auto text = fmt::format("WRONG: {}\n", verify.because);
    if (verify.fault) text += fault_text(*verify.fault, files);
    std::size_t failed = 0;
    for (const auto& check : verify.checks)
        if (!check.ok && ++failed <= kChecks) text += check_text(check);
    if (failed > kChecks) text += fmt::format("  … and {} more failed checks\n", failed - kChecks);
    if (!verify.output.empty())
        text += fmt::format("the kernel printed:\n{}\n", llm::shortened(verify.output, kPrinted));
    return text;
}

std::string bench_text(const pipeline::BenchReport& bench, const task::Files& files) {
    if (!bench.problem.empty())
        return fmt::format("not timed: {}\n{}", bench.problem, bench.fault ? fault_text(*bench.fault, files) : "");
    auto text = fmt::format("time {} at {}{}", report::duration(bench.time.median_us), task::sizes_text(bench.sizes),
                            bench.estimated ? ", a model's estimate" : "");
    if (!bench.limited_by.empty()) text += fmt::format(", limited by {}", fmt::join(bench.limited_by, ", "));
    text += '\n';
    for (const auto& baseline : bench.baselines)
        text += baseline.problem.empty()
                    ? fmt::format("  against {}: {}, speed-up {}×\n", baseline.name,
                                  report::duration(baseline.time.median_us), report::number(baseline.ratio))
                    : fmt::format("  against {}: {}\n", baseline.name, baseline.problem);
    return text;
}

std::string value_text(const profile::Metric& metric, double value) {
    return fmt::format("{} = {}{}{}", metric.id, report::number(value), metric.unit.empty() ? "" : " ", metric.unit);
}

std::string launch_text(const profile::Report& report, std::size_t number, std::span<const std::string> wanted) {
    const auto& launch = report.launches[number];
    auto text =
        fmt::format("launch {}: {} <<<{}, {}>>>{}\n", number + 1, launch.kernel, coordinates(launch.grid),
                    coordinates(launch.block), launch.limited_by.empty() ? "" : ", limited by " + launch.limited_by);
    for (const auto& finding : profile::findings(report, number)) text += fmt::format("  - {}\n", finding.text);
    std::vector<std::string> values;
    for (const auto& metric : profile::metrics()) {
        const bool asked = std::ranges::find(wanted, metric.id) != wanted.end();
        const bool basic = std::ranges::find(metric.sets, "basic") != metric.sets.end();
        if (const auto value = launch.metrics.find(metric.id); value != launch.metrics.end() && (asked || basic))
            values.push_back(value_text(metric, value->second));
    }
    if (!values.empty()) text += fmt::format("  {}\n", fmt::join(values, "; "));
    return text;
}

/// What says most about where time goes, of what is known per line.
const char* line_measure(const profile::LaunchProfile& launch) {
    for (const char* id : {"samples", "warp_instructions"})
        for (const auto& line : launch.lines)
            if (line.values.contains(id)) return id;
    return nullptr;
}

std::string hot_lines(const profile::LaunchProfile& launch, const task::Files& files) {
    const char* id = line_measure(launch);
    if (!id) return {};
    std::vector<std::pair<double, const profile::LineProfile*>> lines;
    double total = 0;
    for (const auto& line : launch.lines)
        if (const auto value = line.values.find(id); value != line.values.end() && line.line > 0) {
            lines.emplace_back(value->second, &line);
            total += value->second;
        }
    if (!(total > 0)) return {};
    std::ranges::stable_sort(lines, std::greater{}, [](const auto& each) { return each.first; });
    auto text = fmt::format("  lines by {}:\n", id);
    for (std::size_t i = 0; i < std::min(lines.size(), kHotLines); ++i) {
        const auto& [value, line] = lines[i];
        std::string source;
        if (const auto file = files.find(line->file); file != files.end()) {
            std::string_view rest = file->second;
            for (int skipped = 1; skipped < line->line && !rest.empty(); ++skipped)
                rest.remove_prefix(std::min(rest.find('\n'), rest.size() - 1) + 1);
            source = rest.substr(0, std::min<std::size_t>(rest.find('\n'), 120));
        }
        text += fmt::format("    {:.0f} %  {}:{}: {}\n", 100 * value / total, line->file, line->line, source);
    }
    return text;
}

std::string step_text(const trajectory::StepSummary& step, bool best) {
    auto text = fmt::format("{}{}. {}", best ? "* " : "  ", step.id, llm::utf8_prefix(step.title, 100));
    if (step.reward) text += fmt::format("; reward {:g}", *step.reward);
    if (step.correct.value_or(false)) {
        if (step.median_us) text += "; " + report::duration(*step.median_us);
        if (step.speedup) text += fmt::format("; {}× of the strongest baseline", report::number(*step.speedup));
    } else if (!step.because.empty()) {
        text += fmt::format("; {}", llm::utf8_prefix(step.because, 200));
    }
    return text + '\n';
}

} // namespace

std::string compile_text(const Json& compiled, const task::Files& files) {
    // Read as the evaluation's part, which it is like.
    Json as_evaluation{{"ok", llm::member(compiled, "ok")},
                       {"ms", 0},
                       {"diagnostics", llm::member(compiled, "diagnostics")},
                       {"kernels", llm::member(compiled, "kernels")}};
    pipeline::CompileReport report;
    try {
        report.ok = as_evaluation.at("ok").get<bool>();
        for (const auto& each : as_evaluation.at("diagnostics"))
            report.diagnostics.push_back(compile::diagnostic_from_json(each));
        for (const auto& each : as_evaluation.at("kernels")) report.kernels.push_back(compile::kernel_from_json(each));
    } catch (const Json::exception&) {
        return "the compiler's answer could not be read";
    }
    auto text = report.ok ? "compiles\n" + kernels_text(report.kernels) : std::string{"does not compile\n"};
    text += diagnostics_text(std::move(report.diagnostics), files);
    return llm::shortened(text, kBudget);
}

std::string evaluation_text(const Json& json, const task::Files& files) {
    const auto evaluation = pipeline::evaluation_from_json(json);
    if (!evaluation) return "the evaluation could not be read: " + evaluation.error().message;
    std::string text;
    if (!evaluation->compile.ok)
        text += "does not compile\n" + diagnostics_text(evaluation->compile.diagnostics, files);
    for (const auto& finding : evaluation->audit)
        text += fmt::format("audit {}: {}{} ({})\n", to_string(finding.severity), report::place(finding.where),
                            finding.why, finding.rule);
    if (evaluation->verify) text += verify_text(*evaluation->verify, files);
    if (evaluation->bench) text += bench_text(*evaluation->bench, files);
    if (const auto& reward = evaluation->reward)
        text += evaluation->ok() ? fmt::format("reward {:g}: {}\n", reward->value, reward->because)
                                 : fmt::format("reward {:g}\n", reward->value);
    return llm::shortened(text, kBudget);
}

std::string profile_text(const Json& evaluation, const task::Files& files, std::span<const std::string> wanted) {
    const auto& compiled = llm::member(evaluation, "compile");
    if (const auto& ok = llm::member(compiled, "ok"); ok.is_boolean() && !ok.get<bool>())
        return compile_text(compiled, files);
    const auto report = profile::report_from_json(llm::member(evaluation, "profile"));
    if (!report) return "there is no profile of it";
    auto text = fmt::format("profile by {}{}\n", report->profiler, report->estimated ? ", a model's estimate" : "");
    if (report->fault) text += fault_text(*report->fault, files);
    for (std::size_t i = 0; i < report->launches.size(); ++i)
        text += launch_text(*report, i, wanted) + hot_lines(report->launches[i], files);
    for (const auto& rung : report->rungs)
        if (rung.state == profile::RungState::State::failed)
            text += fmt::format("not known: {} ({})\n", to_string(rung.rung), rung.reason);
    return llm::shortened(text, kBudget);
}

std::string attempts_text(const std::vector<trajectory::StepSummary>& steps, std::size_t limit) {
    if (steps.empty()) return "there are no attempts yet\n";
    const auto best = agent::trend_of(steps).best;
    const auto first = steps.size() - std::min(limit, steps.size());
    std::string text;
    for (std::size_t i = 0; i < steps.size(); ++i)
        if (i >= first || steps[i].id == best) text += step_text(steps[i], steps[i].id == best);
    if (first > 0) text = fmt::format("(the best, marked *, and the last {} of {})\n", limit, steps.size()) + text;
    return text;
}

std::string lines_text(std::string_view text, std::size_t from, std::size_t most, std::size_t budget) {
    std::string shown;
    std::size_t number = 0, left = 0, last = 0;
    while (!text.empty()) {
        const auto end = text.find('\n');
        const auto line = text.substr(0, end);
        text.remove_prefix(end == text.npos ? text.size() : end + 1);
        if (++number < from) continue;
        if (left > 0 || number - from >= most || (last > 0 && shown.size() + line.size() > budget)) {
            ++left;
            continue;
        }
        shown += fmt::format("{}\t{}\n", number, llm::shortened(line, budget));
        last = number;
    }
    if (last == 0) return fmt::format("there are {} lines", number);
    if (left > 0) shown += fmt::format("… {} more lines; from_line = {} shows them\n", left, last + 1);
    return shown;
}

} // namespace kw::tools
