#include "engine/pipeline/locate.h"

#include "engine/device/sim/sim_device.h"
#include "engine/pipeline/memory.h"
#include "engine/pipeline/plan_runner.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace kw::pipeline {
namespace {

using device::FaultKind;

/// How often a timed run is repeated: state that a kernel keeps between runs may be what makes it fault.
constexpr std::size_t kTimedRounds = 32;

/// One run of the candidate.
struct Trial {
    task::Sizes sizes;
    std::uint64_t seed = 0;
};

std::vector<Trial> verify_trials(const task::Task& task, std::uint64_t seed, bool full_size) {
    std::vector<Trial> trials;
    // Few faults depend on the values: each size gets its turn before any gets a second one.
    for (std::size_t check = 0; check < kChecksPerCase; ++check)
        for (const auto kind : {device::Kind::sim, device::Kind::cuda})
            for (std::size_t i = 0; i < task.cases.size(); ++i) {
                auto sizes = verify_sizes(task, i, kind);
                if (kind == device::Kind::cuda && (!full_size || sizes == verify_sizes(task, i, device::Kind::sim)))
                    continue;
                trials.push_back({std::move(sizes), check_seed(seed, i * kChecksPerCase + check)});
            }
    return trials;
}

std::vector<Trial> bench_trials(const task::Task& task, std::uint64_t seed, bool full_size) {
    constexpr std::size_t kInputs = 3; // as many as timing rotates at most
    std::vector<Trial> trials;
    const auto& sizes = timed_sizes(task);
    if (auto smaller = verify_sizes(task, 0, device::Kind::sim); sizes == task.cases.front().sizes && smaller != sizes)
        trials.push_back({std::move(smaller), seed});
    if (!full_size) return trials;
    for (std::size_t i = 0; i < kInputs * kTimedRounds; ++i) trials.push_back({sizes, seed + i % kInputs});
    return trials;
}

Result<std::optional<device::Fault>> fault_of(const LoadedSource& candidate, const Trial& trial, const task::Task& task,
                                              const Job& job, device::Device& device, const std::stop_token& stop) {
    auto inputs = make_inputs(task, job, trial.sizes, trial.seed);
    if (!inputs) return std::unexpected(inputs.error());
    auto run = candidate.instantiate(trial.sizes);
    if (!run) return std::unexpected(run.error());
    if (auto done = run->prepare(*inputs); !done) return std::unexpected(done.error());
    auto outcome = run->run(stop);
    if (outcome && !outcome->fault) outcome = device.synchronize(stop);
    if (!outcome) return std::unexpected(outcome.error());
    return std::move(outcome->fault);
}

} // namespace

// Its limits matter, not its speed.
const sim::GpuModel& model_for(std::string_view ptx) {
    const auto& models = sim::gpu_models();
    constexpr std::string_view kTarget = ".target ";
    const auto at = ptx.find(kTarget);
    if (at == std::string_view::npos) return models.front();
    const auto arch = ptx.substr(at + kTarget.size());
    // "sm_90a" runs on what "sm_90" names.
    const auto same = std::ranges::find_if(models, [&](const auto& model) { return arch.starts_with(model.arch); });
    return same == models.end() ? models.front() : *same;
}

bool fits_at_full_size(task::Task task, const Job& job, const device::Info& info) {
    task.sim_sizes.clear();
    return check_memory(task, job, info).has_value();
}

bool may_be_same_fault(FaultKind told, FaultKind shown) {
    const auto among = [shown](auto... kinds) { return ((shown == kinds) || ...); };
    switch (told) {
    case FaultKind::out_of_bounds:
    case FaultKind::stack_overflow: return among(FaultKind::out_of_bounds, FaultKind::stack_overflow);
    // The driver has one word for all of these, "unspecified".
    case FaultKind::launch_failure:
        return among(FaultKind::out_of_bounds, FaultKind::misaligned, FaultKind::stack_overflow, FaultKind::trap,
                     FaultKind::invalid_shuffle, FaultKind::divergent_barrier);
    case FaultKind::endless_loop:
        return among(FaultKind::endless_loop, FaultKind::deadlock, FaultKind::divergent_barrier,
                     FaultKind::invalid_shuffle);
    default: return shown == told && told != FaultKind::unsupported_instruction;
    }
}

Result<std::optional<device::Fault>> find_on_simulator(const Job& faulting, FaultKind told, std::stop_token stop) {
    auto task = task::parse_task(faulting.files);
    if (!task) return std::unexpected(task.error());
    Job job = faulting;
    job.reference.reset();
    job.baselines.clear();
    sim::SimOptions options;
    // A GPU was given a minute or so, in which it executes a thousand times as many.
    if (told == FaultKind::endless_loop) {
        options.most_instructions = 200'000'000;
        options.most_warp_instructions = 20'000'000;
    }
    auto device = sim::open_simulator(model_for(job.candidate.ptx), options);
    if (!device) return std::unexpected(device.error());
    auto candidate = LoadedSource::load(job.candidate, *task, **device);
    if (!candidate) return std::unexpected(candidate.error());
    const bool full_size = fits_at_full_size(*task, job, (*device)->info());
    const auto trials = job.kind == Job::Kind::bench ? bench_trials(*task, job.seed, full_size)
                                                     : verify_trials(*task, job.seed, full_size);
    for (const auto& trial : trials) {
        if (stop.stop_requested()) return fail(Stage::device, ErrorCode::cancelled, "the search was cancelled");
        auto fault = fault_of(*candidate, trial, *task, job, **device, stop);
        if (!fault) return std::unexpected(fault.error());
        if (!*fault) continue;
        if ((*fault)->kind == FaultKind::unsupported_instruction) return std::nullopt;
        // A refused launch has no thread; it is none of the code's faults.
        if (!(*fault)->thread || !may_be_same_fault(told, (*fault)->kind)) continue;
        (*fault)->message += fmt::format(" (shown by the simulator at {})", task::sizes_text(trial.sizes));
        return fault;
    }
    return std::nullopt;
}

} // namespace kw::pipeline
