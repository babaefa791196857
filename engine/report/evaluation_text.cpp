#include "engine/report/evaluation_text.h"

#include "engine/compile/names.h"
#include "engine/report/diagnostics.h"
#include "engine/report/profile_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <vector>

namespace kw::report {
namespace {

using pipeline::Evaluation;

/// Text from a kernel or a message about one. What an assertion prints has the name that the compiler was given.
std::string shown(std::string_view text) { return printable(compile::without_roots(text)); }

std::string verdict(bool ok, const Style& style) {
    return ok ? style.paint(Color::green, "ok") : style.paint(Color::red, "failed");
}

std::string coordinates(const device::Dim3& at) { return fmt::format("({}, {}, {})", at.x, at.y, at.z); }

std::string device_text(const device::Info& device) {
    auto text = device.name + ", " + device.arch;
    if (!device.driver.empty()) text += ", driver " + device.driver;
    if (!device.toolkit.empty()) text += ", NVRTC " + device.toolkit;
    return text;
}

std::string kernel_text(const compile::Kernel& kernel) {
    auto text = kernel.name;
    // ptxas reports at least one register; 0 means that it was not asked.
    if (kernel.registers > 0) text += fmt::format("  {} registers", kernel.registers);
    if (kernel.shared_bytes > 0) text += fmt::format("  {} shared", bytes(kernel.shared_bytes));
    if (kernel.local_bytes > 0) text += fmt::format("  {} local", bytes(kernel.local_bytes));
    if (kernel.spill_bytes > 0) text += fmt::format("  {} spilled", bytes(kernel.spill_bytes));
    return text;
}

/// Devices know kernels by their lowered names; people by what the launch says.
std::string kernel_name(const Evaluation& evaluation, const std::string& lowered) {
    const auto kernel = std::ranges::find(evaluation.compile.kernels, lowered, &compile::Kernel::lowered);
    return kernel == evaluation.compile.kernels.end() ? lowered : kernel->name;
}

std::string kind_words(device::FaultKind kind) {
    std::string words{to_string(kind)};
    std::ranges::replace(words, '_', ' ');
    return words;
}

void add_fault(std::string& text, const Evaluation& evaluation, const device::Fault& fault, const task::Files& files,
               const Style& style) {
    if (!fault.where.file.empty())
        text += fmt::format("    {}:{}: {}\n", fault.where.file, fault.where.line, shown(fault.message));
    else
        text += fmt::format("    {}\n", shown(fault.message));
    text += excerpt(files, fault.where, style);
    std::vector<std::string> at;
    if (!fault.kernel.empty()) at.push_back("kernel " + kernel_name(evaluation, fault.kernel));
    if (fault.block) at.push_back("block " + coordinates(*fault.block));
    if (fault.thread) at.push_back("thread " + coordinates(*fault.thread));
    if (!at.empty()) text += fmt::format("    in {}\n", fmt::join(at, ", "));
    if (!fault.other) return;
    const auto& other = *fault.other;
    text += fmt::format("    {}{}\n", place(other.where), shown(device::other_party_text(fault)));
    text += excerpt(files, other.where, style);
}

std::string mismatch_text(const pipeline::Check& check) {
    const auto& comparison = check.comparison;
    auto text = fmt::format("{} at {}", check.tensor, task::sizes_text(check.sizes));
    if (!check.problem.empty()) text += ": " + shown(check.problem);
    if (comparison.mismatches > 0)
        text += fmt::format(": {} of {} elements differ (max error {} abs, {} rel{})", count(comparison.mismatches),
                            count(comparison.elements), number(comparison.max_abs), number(comparison.max_rel),
                            comparison.nan > 0 ? fmt::format(", {} NaN", count(comparison.nan)) : std::string{});
    if (const auto& first = comparison.first_mismatch)
        text += fmt::format("\n      first at {}[{}]: expected {}, actual {}", check.tensor,
                            fmt::join(first->coordinates, ", "), first->expected_text, first->actual_text);
    return text;
}

std::string check_summary(const pipeline::VerifyReport& verify) {
    std::set<std::string> sizes;
    double max_abs = 0;
    std::uint64_t max_ulp = 0;
    for (const auto& check : verify.checks) {
        sizes.insert(task::sizes_text(check.sizes));
        max_abs = std::max(max_abs, check.comparison.max_abs);
        max_ulp = std::max(max_ulp, check.comparison.max_ulp);
    }
    const auto failed = std::ranges::count(verify.checks, false, &pipeline::Check::ok);
    const auto checks = failed > 0 ? fmt::format("{} of {} checks failed", failed, verify.checks.size())
                                   : fmt::format("{} checks", verify.checks.size());
    // Near zero, where the absolute tolerance decides, distances in ulp are huge and say nothing.
    constexpr std::uint64_t kTellingUlp = 1'000'000;
    const auto ulp = max_ulp < kTellingUlp ? fmt::format(", {} ulp", count(max_ulp)) : std::string{};
    return fmt::format("{} over {} size set{}, max error {} abs{}, in {}", checks, sizes.size(),
                       sizes.size() == 1 ? "" : "s", number(max_abs), ulp, duration(verify.milliseconds * 1e3));
}

void add_compile(std::string& text, const Evaluation& evaluation, const task::Files& files, const Style& style) {
    const auto& report = evaluation.compile;
    text += fmt::format("compile   {}  {}", verdict(report.ok, style), duration(report.milliseconds * 1e3));
    for (std::size_t i = 0; i < report.kernels.size(); ++i)
        text += fmt::format("{}{}", i == 0 ? "  " : "\n                      ", kernel_text(report.kernels[i]));
    text += '\n';
    text += render(report.diagnostics, files, style);
}

void add_audit(std::string& text, const Evaluation& evaluation, const task::Files& files, const Style& style) {
    for (const auto& finding : evaluation.audit) {
        const auto color = finding.severity == audit::Severity::refuse       ? Color::red
                           : finding.severity == audit::Severity::suspicious ? Color::yellow
                                                                             : Color::dim;
        text += fmt::format("audit     {}  {}{} ({})\n", style.paint(color, std::string{to_string(finding.severity)}),
                            place(finding.where), shown(finding.why), finding.rule);
        if (!finding.evidence.empty()) text += fmt::format("    {}\n", shown(finding.evidence));
        text += excerpt(files, finding.where, style);
    }
}

void add_verify(std::string& text, const Evaluation& evaluation, const task::Files& files, const Style& style) {
    const auto& verify = *evaluation.verify;
    const auto headline = verify.fault            ? kind_words(verify.fault->kind)
                          : verify.checks.empty() ? shown(verify.because)
                                                  : check_summary(verify);
    text += fmt::format("verify    {}  {}\n", verdict(verify.ok, style), headline);
    if (verify.fault) add_fault(text, evaluation, *verify.fault, files, style);
    constexpr std::ptrdiff_t kShown = 3;
    std::ptrdiff_t failed = 0;
    for (const auto& check : verify.checks)
        if (!check.ok && ++failed <= kShown) text += fmt::format("    {}\n", mismatch_text(check));
    if (failed > kShown) text += fmt::format("    … and {} more failed checks; --json has them all\n", failed - kShown);
    if (!verify.output.empty()) {
        text += style.paint(Color::dim, "    the kernel printed:") + '\n';
        constexpr std::size_t kPrinted = 2000;
        text += shown(std::string_view{verify.output}.substr(0, kPrinted));
        if (!text.ends_with('\n')) text += '\n';
        if (verify.output.size() > kPrinted)
            text += fmt::format("    … {} more; --json has it all\n", bytes(verify.output.size() - kPrinted));
    }
}

void add_bench(std::string& text, const Evaluation& evaluation, const task::Files& files, const Style& style) {
    const auto& bench = *evaluation.bench;
    if (bench.wrong) {
        text += fmt::format("bench     {}  {}\n", verdict(false, style),
                            bench.fault ? kind_words(bench.fault->kind) : shown(bench.problem));
        if (bench.fault) add_fault(text, evaluation, *bench.fault, files, style);
        return;
    }
    if (!bench.problem.empty() && bench.time.samples == 0) {
        text += fmt::format("bench     {}  {}\n", style.paint(Color::yellow, "no time"), shown(bench.problem));
        return;
    }
    text += fmt::format("bench     {}  at {}", style.paint(Color::bold, time_text(bench, evaluation.device.name)),
                        task::sizes_text(bench.sizes));
    if (!bench.estimated)
        text += fmt::format(", 5–95 % {}–{}, {} samples, {} L2", duration(bench.time.p05_us),
                            duration(bench.time.p95_us), bench.time.samples, bench.cold ? "cold" : "warm");
    if (bench.clock_mhz > 0) text += fmt::format(", {:.0f} MHz", bench.clock_mhz);
    if (bench.discarded > 0) text += fmt::format(", {} discarded at a low clock", bench.discarded);
    text += '\n';
    if (!bench.clock_note.empty()) text += fmt::format("    {}\n", shown(bench.clock_note));
    std::set<std::string> limits(bench.limited_by.begin(), bench.limited_by.end());
    limits.erase("");
    if (!limits.empty())
        text += fmt::format("    limited by {}{}\n", fmt::join(limits, ", "),
                            bench.sampled ? " (from a sample of the blocks)" : "");
    Table table{{1, 2}};
    for (const auto& baseline : bench.baselines) {
        if (!baseline.problem.empty()) {
            table.add({"against " + baseline.name, "no time", "", shown(baseline.problem)});
            continue;
        }
        // Both ends agree for an estimate: there is nothing to be uncertain about but the model.
        const auto& interval = baseline.ratio_ci;
        const auto range = interval.lo == interval.hi
                               ? std::string{}
                               : fmt::format("(95 %: {}–{}×)", number(interval.lo), number(interval.hi));
        const auto ratio = fmt::format("{}×", number(baseline.ratio));
        table.add({"against " + baseline.name, duration(baseline.time.median_us),
                   baseline.ratio >= 1 ? style.paint(Color::green, ratio) : style.paint(Color::red, ratio), range});
    }
    text += table.render("    ");
}

constexpr const char* kEndlessHint =
    "look for a loop whose end depends on another thread; --timeout S allows more time";
constexpr const char* kRaceHint =
    "both lines touch the same memory: let a barrier, __syncwarp() or a fence and a flag stand between them";
constexpr const char* kUnwrittenHint = "write it first; outputs and scratch hold nothing before the first launch, nor "
                                       "shared memory before the first store";
constexpr const char* kFaultHint =
    "the line above is where the fault was seen; check the index against the sizes there";

bool is_endless(const std::optional<device::Fault>& fault) {
    return fault && fault->kind == device::FaultKind::endless_loop;
}

std::string hint(const Evaluation& evaluation) {
    if (!evaluation.compile.ok) return "fix the first error; those after it often follow from it";
    if (evaluation.bench && evaluation.bench->wrong && evaluation.verify && evaluation.verify->ok) {
        if (is_endless(evaluation.bench->fault)) return kEndlessHint;
        return "the checks passed before: look for what is left over from one run to the next, and for races";
    }
    if (!evaluation.verify || evaluation.verify->ok) return {};
    const auto& verify = *evaluation.verify;
    if (is_endless(verify.fault)) return kEndlessHint;
    // A check's own seed is not what --seed takes: those of all checks follow from one.
    if (!std::ranges::all_of(verify.checks, &pipeline::Check::ok))
        return fmt::format("--seed {} --stages verify repeats these checks with the same inputs", verify.seed);
    if (!verify.fault) return {};
    switch (verify.fault->kind) {
    case device::FaultKind::race: return kRaceHint;
    case device::FaultKind::uninitialized_read: return kUnwrittenHint;
    default: return kFaultHint;
    }
}

} // namespace

std::string time_text(const pipeline::BenchReport& bench, const std::string& device) {
    return fmt::format("{}, {}", duration(bench.time.median_us),
                       bench.estimated ? "estimated for " + device : "measured");
}

std::string reason(const Evaluation& evaluation) {
    if (!evaluation.compile.ok) {
        for (const auto& diagnostic : evaluation.compile.diagnostics)
            if (diagnostic.severity == compile::Severity::error)
                return place({diagnostic.file.empty() ? evaluation.candidate : diagnostic.file, diagnostic.line,
                              diagnostic.column})
                       + shown(diagnostic.message);
        return fmt::format("{} does not compile", evaluation.candidate);
    }
    const auto told = [&](const std::optional<device::Fault>& fault, const std::string& otherwise) {
        if (fault && !fault->where.file.empty())
            return fmt::format("{}:{}: {}", fault->where.file, fault->where.line, shown(fault->message));
        return fmt::format("{}: {}", evaluation.candidate, shown(otherwise));
    };
    if (evaluation.verify && !evaluation.verify->ok) return told(evaluation.verify->fault, evaluation.verify->because);
    if (evaluation.bench && evaluation.bench->wrong) return told(evaluation.bench->fault, evaluation.bench->problem);
    // What is plainly wrong is the better reason: an unfinished kernel often leaves an input out.
    if (const auto* refusal = audit::refusal(evaluation.audit))
        return fmt::format("{}{} ({})", place(refusal->where), shown(refusal->why), refusal->rule);
    return {};
}

std::string render(const Evaluation& evaluation, const task::Files& files, const Style& style) {
    auto text = fmt::format("{}  {}", style.paint(Color::bold, evaluation.task), evaluation.candidate);
    if (!evaluation.configuration.empty()) text += "  " + task::sizes_text(evaluation.configuration);
    text += "\n" + style.paint(Color::dim, device_text(evaluation.device)) + "\n\n";
    add_compile(text, evaluation, files, style);
    add_audit(text, evaluation, files, style);
    if (evaluation.verify) add_verify(text, evaluation, files, style);
    if (evaluation.bench) add_bench(text, evaluation, files, style);
    if (evaluation.profile) {
        if (const auto report = profile::report_from_json(*evaluation.profile))
            text += render(*report, files, style);
        else
            text += fmt::format("profile   {}  {}\n", verdict(false, style), shown(report.error().message));
    }
    if (const auto& recovery = evaluation.recovery)
        text += recovery->problem.empty()
                    ? fmt::format("recovery  {}  usable again after {}\n", verdict(true, style),
                                  duration(recovery->milliseconds * 1e3))
                    : fmt::format("recovery  {}  {}\n", verdict(false, style), shown(recovery->problem));
    if (evaluation.reward) {
        const auto value = fmt::format("{:g}", evaluation.reward->value);
        text += fmt::format("reward    {}  {}\n",
                            style.paint(evaluation.reward->value > 0 ? Color::green : Color::red, value),
                            shown(evaluation.reward->because));
    }
    if (const auto advice = hint(evaluation); !advice.empty())
        text += fmt::format("\n{} {}\n", style.paint(Color::cyan, "hint:"), advice);
    return text;
}

} // namespace kw::report
