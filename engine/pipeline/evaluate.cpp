#include "engine/pipeline/evaluate.h"

#include "engine/base/hash.h"
#include "engine/base/json_error.h"
#include "engine/device/cuda/fault_text.h"
#include "engine/pipeline/auditing.h"
#include "engine/pipeline/job.h"
#include "engine/pipeline/memory.h"
#include "engine/pipeline/sources.h"
#include "engine/pipeline/torch.h"
#include "engine/profile/metrics.h"
#include "engine/profile/report.h"

#include <fmt/format.h>

#include <atomic>

namespace kw::pipeline {
namespace {

/// A run that had to be killed is a verdict on the candidate, not an error of the environment.
device::Fault endless(std::string message) {
    return {.kind = device::FaultKind::endless_loop,
            .message = std::move(message),
            .kernel = {},
            .space = {},
            .allocation = {}};
}

Result<void> run_verify_stage(Evaluation& evaluation, Job& job, const Options& options, Executor& executor,
                              std::stop_token stop, const Progress& progress) {
    job.kind = Job::Kind::verify;
    std::atomic<bool> trusted = false;
    const auto watch = [&](std::string_view what, double fraction) {
        trusted = what == kTrustedPhase;
        progress(what, fraction);
    };
    auto answer = executor.execute(to_json(job), options.verify_timeout_s, stop, watch);
    if (answer) {
        evaluation.verify = verify_report_from_json(*answer);
        return {};
    }
    if (answer.error().code != ErrorCode::timeout) return std::unexpected(answer.error());
    if (trusted)
        return fail(Stage::task, ErrorCode::invalid_input,
                    fmt::format("the task's reference or a baseline did not finish within {} s; make [sizes], or "
                                "[sim.sizes] for the simulator, smaller or allow more with --timeout",
                                options.verify_timeout_s),
                    Where{"task.toml"});
    VerifyReport report;
    report.seed = job.seed;
    report.because = fmt::format("verification did not finish within {} s and was stopped", options.verify_timeout_s);
    report.fault = endless(report.because);
    evaluation.verify = std::move(report);
    return {};
}

Result<void> run_bench_stage(Evaluation& evaluation, Job& job, const Options& options, Executor& executor,
                             std::stop_token stop, const Progress& progress) {
    job.kind = Job::Kind::bench;
    auto answer = executor.execute(to_json(job), options.bench_timeout_s, stop, progress);
    if (answer) {
        auto report = bench_report_from_json(*answer);
        evaluation.bench = std::move(report);
        return {};
    }
    if (answer.error().code != ErrorCode::timeout) return std::unexpected(answer.error());
    BenchReport report;
    report.wrong = true;
    report.problem = fmt::format("timing did not finish within {} s and was stopped", options.bench_timeout_s);
    report.fault = endless(report.problem);
    evaluation.bench = std::move(report);
    return {};
}

/// What runs of the candidate show. A probe that fails is one that says why.
Result<audit::Probe> run_audit_stage(Evaluation& evaluation, Job job, const Options& options, Executor& executor,
                                     std::stop_token stop, const Progress& progress) {
    job.kind = Job::Kind::audit;
    job.inspect.sizes_of = evaluation.device.kind;
    job.baselines.clear();
    const auto answer = executor.execute(to_json(job), options.verify_timeout_s, stop, progress);
    audit::Probe probe;
    if (answer)
        probe = audit::probe_from_json(*answer);
    else if (answer.error().code == ErrorCode::cancelled)
        return std::unexpected(answer.error());
    else
        probe.why_not = answer.error().message;
    audit::weigh(evaluation.audit, probe);
    return probe;
}

/// A profile that could not be made, for `why`.
profile::Report failed_profile(const Evaluation& evaluation, const Options& options, const std::string& why,
                               const std::string& remedy) {
    profile::Report report;
    report.device = evaluation.device;
    report.estimated = evaluation.device.kind == device::Kind::sim;
    for (const auto rung : options.profiling.rungs)
        report.rungs.push_back(
            {.rung = rung, .state = profile::RungState::State::failed, .reason = why, .remedy = remedy});
    return report;
}

/// Whatever goes wrong here says nothing about the candidate, whose verdict stands.
Result<void> run_profile_stage(Evaluation& evaluation, Job job, const Options& options, Executor& executor,
                               std::stop_token stop, const Progress& progress, const profile::Live& live) {
    job.kind = Job::Kind::profile;
    job.reference.reset();
    job.baselines.clear();
    const auto answer = executor.execute_profile(to_json(job), options.profile_timeout_s, stop, progress, live);
    auto report = answer ? profile::report_from_json(*answer) : std::unexpected(answer.error());
    if (report) {
        report->device.toolkit = evaluation.device.toolkit;
        evaluation.profile = profile::to_json(*report);
        return {};
    }
    const auto& error = report.error();
    if (error.code == ErrorCode::cancelled) return std::unexpected(error);
    const auto failed = error.code == ErrorCode::timeout
                            ? failed_profile(evaluation, options,
                                             fmt::format("profiling did not finish within {} s and was stopped",
                                                         options.profile_timeout_s),
                                             "allow more with --timeout, or ask for fewer rungs or metrics")
                            : failed_profile(evaluation, options, describe(error), {});
    evaluation.profile = profile::to_json(failed);
    return {};
}

Result<void> run_stages(Evaluation& evaluation, Job& job, const Options& options, Executor& executor,
                        std::stop_token stop, const Progress& progress, const profile::Live& live) try {
    if (options.stages.verify) {
        if (auto done = run_verify_stage(evaluation, job, options, executor, stop, progress); !done) return done;
        // What a wrong kernel takes means nothing.
        if (!evaluation.verify->ok) return {};
    }
    audit::Probe probe;
    if (options.stages.audit && evaluation.verify) {
        auto made = run_audit_stage(evaluation, job, options, executor, stop, progress);
        if (!made) return std::unexpected(made.error());
        probe = std::move(*made);
    }
    // Nor what a refused one takes.
    if (audit::refusal(evaluation.audit)) return {};
    if (options.stages.bench) {
        if (auto done = run_bench_stage(evaluation, job, options, executor, stop, progress); !done) return done;
        if (evaluation.bench->wrong) return {};
        if (options.stages.audit) {
            const auto task = task::parse_task(job.files);
            if (!task) return std::unexpected(task.error());
            auto found = audit_times(*evaluation.bench, probe, *task, evaluation.device);
            evaluation.audit.insert(evaluation.audit.end(), found.begin(), found.end());
            audit::tidy(evaluation.audit);
        }
    }
    if (!options.stages.profile) return {};
    return run_profile_stage(evaluation, std::move(job), options, executor, stop, progress, live);
} catch (const std::exception& error) {
    return fail(
        Stage::rpc, ErrorCode::internal,
        fmt::format("the process that runs kernels gave an answer that cannot be read: {}", what_is_wrong(error)));
}

/// The place of a fault of which only the GPU's driver, or a deadline, has told. `said` is the sentence that a report
/// makes of the fault's.
void find_place(device::Fault& told, std::string& said, const Json& job, Executor& executor, std::stop_token stop,
                const Progress& progress) {
    if (!told.where.file.empty()) return;
    auto found = executor.locate(job, told.kind, std::move(stop), progress);
    if (!found) return;
    // That it did not end says more than where it was when it was stopped.
    if (told.kind == device::FaultKind::endless_loop) found->message = told.message + "; " + found->message;
    const auto before = told.message;
    told = cuda::refined(std::move(told), std::move(*found));
    if (said.ends_with(before)) said.replace(said.size() - before.size(), before.size(), told.message);
}

/// What follows a job that has taken its process along: the next one is made ready, and the place of a fault is looked
/// for.
void follow_up_on_loss(Evaluation& evaluation, Job& job, Executor& executor, std::stop_token stop,
                       const Progress& progress) {
    evaluation.recovery = executor.recover(evaluation.device.id, stop);
    // Without a lost process it is a launch that was refused.
    if (!evaluation.recovery || evaluation.device.kind != device::Kind::cuda) return;
    if (auto& verify = evaluation.verify; verify && verify->fault) {
        job.kind = Job::Kind::verify;
        find_place(*verify->fault, verify->because, to_json(job), executor, std::move(stop), progress);
    } else if (auto& bench = evaluation.bench; bench && bench->fault) {
        job.kind = Job::Kind::bench;
        find_place(*bench->fault, bench->problem, to_json(job), executor, std::move(stop), progress);
    }
}

reward::Facts facts_of(const Evaluation& evaluation) {
    reward::Facts facts;
    facts.compiled = evaluation.compile.ok;
    if (!facts.compiled) facts.failure = first_error(evaluation.compile);
    if (const auto* refusal = audit::refusal(evaluation.audit)) {
        facts.audit_passed = false;
        if (facts.failure.empty())
            facts.failure = fmt::format("refused by the audit ({}): {}", refusal->rule, refusal->why);
    }
    facts.verified = evaluation.verify && evaluation.verify->ok;
    if (facts.compiled && evaluation.verify && !evaluation.verify->ok) facts.failure = evaluation.verify->because;
    if (evaluation.bench && evaluation.bench->wrong) {
        facts.verified = false;
        facts.failure = evaluation.bench->problem;
    }
    if (evaluation.bench) {
        facts.estimated = evaluation.bench->estimated;
        for (const auto& baseline : evaluation.bench->baselines)
            if (baseline.ratio > 0) facts.speedups.push_back({baseline.name, baseline.ratio, baseline.ratio_ci});
    }
    return facts;
}

/// How long PyTorch's baselines are timed; a module may be compiled before.
constexpr double kTorchSeconds = 0.2;

/// A reward needs a verdict: either the candidate already failed, or both correctness and time were asked for.
bool has_verdict(const Evaluation& evaluation) { return !evaluation.ok() || (evaluation.verify && evaluation.bench); }

reward::Reward reward_of(const Evaluation& evaluation) {
    const auto facts = facts_of(evaluation);
    auto reward = reward::score(facts, reward::Rule{});
    if (evaluation.ok() && evaluation.bench && facts.speedups.empty())
        reward.because = evaluation.bench->baselines.empty()
                             ? "correct; the task has no baseline to beat"
                             : "correct; its time cannot be compared with any baseline's";
    return reward;
}

} // namespace

Result<Evaluation> evaluate(const task::Files& files, const Options& options, compile::Compiler& untimed,
                            Executor& executor, std::stop_token stop, const Progress& progress,
                            const profile::Live& live, TorchRunner* torch) {
    TimedCompiler compiler(untimed, options.compile_timeout_s);
    auto task = task::parse_task(files);
    if (!task) return std::unexpected(task.error());
    if (options.stages.profile)
        if (const auto known = profile::select_metrics(options.profiling.set, options.profiling.metrics); !known)
            return std::unexpected(known.error());
    const auto info = executor.describe(options.device);
    if (!info) return std::unexpected(info.error());

    Evaluation evaluation;
    evaluation.task = task->name;
    evaluation.candidate = options.candidate.empty() ? task->kernel : options.candidate;
    evaluation.device = *info;
    evaluation.device.toolkit = compiler.version();

    progress("compile", -1);
    auto candidate = build_source(evaluation.candidate, options.configuration, *task, files, *info, compiler, stop);
    if (!candidate) return std::unexpected(candidate.error());
    evaluation.source_sha256 = sha256_hex(candidate->source.text);
    evaluation.configuration = candidate->source.configuration;
    evaluation.compile = std::move(candidate->report);

    if (evaluation.compile.ok
        && (options.stages.audit || options.stages.verify || options.stages.bench || options.stages.profile)) {
        Job job;
        job.files = files_of_job(files);
        job.options = options;
        job.seed = options.seed.value_or(draw_seed());
        job.candidate = std::move(candidate->source);
        // What is only profiled earns nothing.
        const bool audited =
            options.stages.audit && (!options.stages.profile || options.stages.verify || options.stages.bench);
        const bool compared = audited || options.stages.verify || options.stages.bench;
        if (compared && !task->reference.empty() && !task->is_torch()) {
            auto reference = build_trusted("reference", task->reference, *task, files, *info, compiler, stop);
            if (!reference) return std::unexpected(reference.error());
            job.reference = std::move(*reference);
        }
        if (options.stages.bench)
            for (const auto& file : task->baselines) {
                if (task->is_torch() && (file == task::kTorchEager || file == task::kTorchCompile)) continue;
                auto baseline = file == task->reference
                                    ? Result<Source>(*job.reference)
                                    : build_trusted("baseline", file, *task, files, *info, compiler, stop);
                if (!baseline) return std::unexpected(baseline.error());
                job.baselines.push_back(std::move(*baseline));
            }
        if (auto fits = check_memory(*task, job, *info); !fits) return std::unexpected(fits.error());
        if (audited)
            evaluation.audit =
                audit_source(job.candidate, job.reference ? &*job.reference : nullptr, *task, files, *info);
        if (task->is_torch()) {
            if (!torch) return fail(Stage::task, ErrorCode::unsupported, "PyTorch tasks cannot be run here");
            if (auto given = give_torch_values(job, *task, files, *info, *torch, stop, progress); !given)
                return std::unexpected(given.error());
        }
        if (auto done = run_stages(evaluation, job, options, executor, stop, progress, live); !done) {
            auto& error = done.error();
            if (error.code == ErrorCode::crashed)
                if (const auto recovery = executor.recover(info->id, stop); recovery && recovery->problem.empty())
                    error.message += fmt::format("; another was ready after {:.0f} ms", recovery->milliseconds);
            return std::unexpected(std::move(error));
        }
        follow_up_on_loss(evaluation, job, executor, stop, progress);
        if (task->is_torch() && evaluation.bench && !evaluation.bench->wrong)
            if (auto added = add_torch_baselines(*evaluation.bench, *task, files, job.seed, kTorchSeconds, *torch, stop,
                                                 progress);
                !added)
                return std::unexpected(added.error());
        if (evaluation.recovery && stop.stop_requested())
            return fail(Stage::verify, ErrorCode::cancelled, "the evaluation was cancelled");
    }
    if (has_verdict(evaluation)) evaluation.reward = reward_of(evaluation);
    return evaluation;
}

} // namespace kw::pipeline
