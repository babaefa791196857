#include "engine/audit/instruction.h"
#include "engine/device/sim/demangle.h"
#include "engine/device/sim/ptx_parser.h"
#include "engine/device/sim/sim_device.h"
#include "engine/device/sim/touch.h"
#include "engine/pipeline/auditing.h"
#include "engine/pipeline/deadline.h"
#include "engine/pipeline/locate.h"
#include "engine/pipeline/plan_runner.h"
#include "engine/task/random.h"
#include "engine/verify/value.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

namespace kw::pipeline {
namespace {

using audit::Finding;
using audit::Severity;

/// A candidate that takes longer is not looked at by running it.
constexpr double kProbeSeconds = 4;
/// Sums in another order change less of the values than this; what an input's bytes are worth changes more.
constexpr double kLeastChange = 1e-6;

/// Buffers of more bytes than this at the timed sizes are not laid out to count operations.
constexpr std::uint64_t kMostCountedBytes = std::uint64_t{256} << 20;

/// Tensors of so many bytes in all are looked at quickly.
constexpr double kEnoughBytes = 512 << 10;

/// The case with the largest tensors among those that are looked at quickly, else the smallest.
std::size_t telling_case(const task::Task& task) {
    std::vector<double> bytes(task.cases.size());
    for (std::size_t index = 0; index < bytes.size(); ++index) {
        const auto sizes = verify_sizes(task, index, device::Kind::sim);
        for (const auto& tensor : task.tensors)
            if (const auto extent = task::extent_of(tensor.shape, tensor.type, tensor.name, sizes))
                bytes[index] += static_cast<double>(extent->bytes);
    }
    const auto worse = [](double a, double b) {
        const bool a_fits = a <= kEnoughBytes, b_fits = b <= kEnoughBytes;
        return a_fits != b_fits ? b_fits : a_fits ? a < b : a > b;
    };
    return static_cast<std::size_t>(std::ranges::max_element(bytes, worse) - bytes.begin());
}

/// A variable of the module that kernels can write.
struct Variable {
    std::string name;
    sim::MemoryRange range;
    Bytes initial{};
};

/// What a run left, and what it did.
struct Run {
    sim::Touched touched;
    std::vector<Bytes> outputs; ///< by tensor; empty for inputs
    std::vector<Bytes> variables;
};

/// Σ|a − b| ÷ Σ|b|. What is not finite in both in the same way counts as a change of all.
double relative_change(const Bytes& actual, const Bytes& expected, task::ScalarType type) {
    const auto width = task::size_of(type);
    double change = 0, size = 0;
    for (std::size_t at = 0; at + width <= std::min(actual.size(), expected.size()); at += width) {
        const double a = verify::read_value(actual.data() + at, type).number,
                     b = verify::read_value(expected.data() + at, type).number;
        if (std::isfinite(a) != std::isfinite(b)) return 1;
        if (!std::isfinite(b)) continue;
        change += std::abs(a - b);
        size += std::abs(b);
    }
    return change == 0 ? 0 : size == 0 ? 1 : change / size;
}

class Prober {
public:
    Prober(const Job& job, const task::Task& task, device::Device& device, std::stop_token stop)
        : job_(job), task_(task), device_(device), stop_(std::move(stop)), case_(telling_case(task)) {
        probe_.sizes = verify_sizes(task, case_, device::Kind::sim);
    }

    Result<audit::Probe> run() {
        if (auto done = probe(); !done) return std::unexpected(done.error());
        return std::move(probe_);
    }

private:
    /// Ends the probe for a reason that says nothing against the candidate.
    Result<void> give_up(std::string why) {
        probe_.ran = false;
        probe_.why_not = std::move(why);
        return {};
    }

    void refuse(std::string_view rule, Where where, std::string evidence, std::string why,
                Severity severity = Severity::refuse) {
        where.column = 0;
        probe_.findings.push_back({std::string(rule), severity, std::move(where), std::move(evidence), std::move(why)});
    }

    Result<HostTensors> inputs_of(std::size_t check) const {
        return make_inputs(task_, job_, probe_.sizes, check_seed(job_.seed, case_ * kChecksPerCase + check));
    }

    Result<Run> look(LoadedSource::Instance& instance, const std::vector<Variable>& variables) {
        std::vector<sim::MemoryRange> ranges;
        for (std::size_t i = 0; i < instance.plan().buffers.size(); ++i)
            ranges.push_back({instance.address_of(i), instance.plan().buffers[i].bytes});
        for (const auto& variable : variables) ranges.push_back(variable.range);
        auto touched = sim::touched(device_, ranges, [&] { return instance.run(stop_); });
        if (!touched) return std::unexpected(touched.error());
        Run run{.touched = std::move(*touched), .outputs = std::vector<Bytes>(task_.tensors.size()), .variables = {}};
        for (std::size_t i = 0; i < task_.tensors.size(); ++i)
            if (task_.tensors[i].role != task::Role::input)
                if (auto done = instance.read(i, run.outputs[i]); !done) return std::unexpected(done.error());
        for (const auto& variable : variables) {
            run.variables.emplace_back(variable.range.bytes);
            if (auto done = device_.download(run.variables.back(), variable.range.begin); !done)
                return std::unexpected(done.error());
        }
        return run;
    }

    Result<std::vector<Variable>> variables_of(const LoadedSource& source) {
        const auto parsed = sim::ptx::parse(job_.candidate.ptx);
        if (!parsed) return std::unexpected(parsed.error());
        for (const auto& function : parsed->functions)
            reads_clock_ |= std::ranges::any_of(function.instructions, audit::reads_clock);
        std::vector<Variable> found;
        for (const auto& variable : parsed->variables) {
            if (variable.space != sim::Space::global || variable.is_extern || variable.bytes == 0
                || variable.name.starts_with("$"))
                continue;
            const auto facts = sim::variable_facts(source.module(), variable.name);
            if (!facts) return std::unexpected(facts.error());
            found.push_back({std::string(variable.name), {facts->address, facts->bytes}, Bytes(facts->bytes)});
            if (auto done = device_.download(found.back().initial, facts->address); !done)
                return std::unexpected(done.error());
        }
        return found;
    }

    Result<void> upload_inputs(const LoadedSource::Instance& instance, const HostTensors& inputs) {
        for (std::size_t i = 0; i < task_.tensors.size(); ++i)
            if (task_.tensors[i].role != task::Role::output)
                if (auto done = device_.upload(instance.address_of(i), inputs[i]); !done) return done;
        return {};
    }

    /// Whether a fault has ended the probe.
    bool faulted(const Run& run) {
        if (!run.touched.fault) return false;
        const auto& fault = *run.touched.fault;
        using enum device::FaultKind;
        if (fault.kind == out_of_bounds || fault.kind == misaligned)
            refuse("outside-memory", fault.where, fault.message,
                   "the simulator sees an access that the kernel has no right to, where the checks saw right results");
        probe_.ran = fault.kind == out_of_bounds || fault.kind == misaligned;
        if (!probe_.ran) probe_.why_not = "the simulator stopped it: " + fault.message;
        return true;
    }

    /// Compares a run with one that should have been the same. Who waits by a clock need not wait equally long.
    void compare(const Run& first, const Run& again, std::string_view rule, const std::string& seen,
                 const std::string& why) {
        for (const auto& [kernel, counts] : first.touched.executed) {
            const auto other = again.touched.executed.find(kernel);
            if (other != again.touched.executed.end() && other->second == counts) continue;
            const auto total = [](const std::vector<std::uint64_t>& all) {
                std::uint64_t sum = 0;
                for (const auto each : all) sum += each;
                return sum;
            };
            refuse(rule, {job_.candidate.file, 0, 0},
                   fmt::format("{} ran {} instructions of warps at first and {} {}", sim::demangled(kernel),
                               total(counts), other == again.touched.executed.end() ? 0 : total(other->second), seen),
                   why, reads_clock_ ? Severity::suspicious : Severity::refuse);
            if (!reads_clock_) return;
            break;
        }
        for (std::size_t i = 0; i < task_.tensors.size(); ++i)
            if (!same_bytes(first.outputs[i], again.outputs[i])) {
                refuse(rule, {job_.candidate.file, 0, 0}, fmt::format("{} differs {}", task_.tensors[i].name, seen),
                       why);
                return;
            }
    }

    void find_carried(const Run& first, const Run& second, const std::vector<Variable>& variables) {
        const auto buffers = second.touched.ranges.size() - variables.size();
        for (std::size_t i = 0; i < variables.size(); ++i) {
            const auto& range = second.touched.ranges[buffers + i];
            bool carried = false;
            for (std::size_t byte = 0; byte < range.bytes.size() && !carried; ++byte)
                carried = (range.bytes[byte] & sim::kReadFirst)
                          && first.variables[i].data()[byte] != variables[i].initial.data()[byte];
            if (carried) probe_.carried.push_back({variables[i].name, range.first_read.value_or(Where{})});
        }
    }

    void look_at_buffers(const Run& run, const std::vector<bool>& chosen) {
        for (std::size_t i = 0; i < task_.tensors.size(); ++i) {
            const auto& range = run.touched.ranges[i];
            const auto& tensor = task_.tensors[i];
            if (tensor.role == task::Role::input && range.first_write)
                refuse("writes-input", *range.first_write, fmt::format("a store into {}", tensor.name),
                       fmt::format("{} is an input, which others read after this kernel; write to an output or to "
                                   "//@ scratch",
                                   tensor.name));
            const auto count = [&](sim::Touch touch) {
                return std::ranges::count_if(range.bytes, [touch](std::uint8_t bits) { return bits & touch; });
            };
            if (tensor.role == task::Role::output) {
                if (const auto early = count(sim::kReadFirst); early > 0)
                    refuse("stale-memory", range.first_read.value_or(Where{}),
                           fmt::format("{} bytes of {} are read before they are written", early, tensor.name),
                           fmt::format("what {} holds before a run is an earlier one's or nothing at all", tensor.name),
                           Severity::suspicious);
                continue;
            }
            const auto size = static_cast<double>(range.bytes.size());
            probe_.inputs.push_back({.tensor = tensor.name,
                                     .fraction = size == 0 ? 1 : static_cast<double>(count(sim::kRead)) / size,
                                     .chosen = i < chosen.size() && chosen[i]});
        }
    }

    Result<Run> run_reference(const LoadedSource& reference, const HostTensors& inputs) {
        auto instance = reference.instantiate(probe_.sizes);
        if (!instance) return std::unexpected(instance.error());
        if (auto done = instance->prepare(inputs); !done) return std::unexpected(done.error());
        auto outcome = instance->run(stop_);
        if (!outcome) return std::unexpected(outcome.error());
        Run run{.touched = {}, .outputs = std::vector<Bytes>(task_.tensors.size()), .variables = {}};
        run.touched.fault = std::move(outcome->fault);
        for (std::size_t i = 0; i < task_.tensors.size(); ++i)
            if (task_.tensors[i].role != task::Role::input)
                if (auto done = instance->read(i, run.outputs[i]); !done) return std::unexpected(done.error());
        return run;
    }

    /// Other values in the bytes of tensor `i` that the run did not read; whether there are any.
    bool change_unread(std::size_t i, const sim::TouchedRange& range, const HostTensors& others, HostTensors& inputs) {
        bool changed = false;
        for (std::size_t byte = 0; byte < range.bytes.size(); ++byte) {
            if ((range.bytes[byte] & sim::kRead) || inputs[i].data()[byte] == others[i].data()[byte]) continue;
            inputs[i].data()[byte] = others[i].data()[byte];
            changed = true;
        }
        if (changed || task_.tensors[i].type != task::ScalarType::f32) return changed;
        // The task's data are the same each time, as zeros and ones are.
        for (std::size_t at = 0; at + 4 <= range.bytes.size(); at += 4) {
            if (std::any_of(range.bytes.begin() + static_cast<std::ptrdiff_t>(at),
                            range.bytes.begin() + static_cast<std::ptrdiff_t>(at + 4),
                            [](std::uint8_t bits) { return bits & sim::kRead; }))
                continue;
            const float value = 0.25f + static_cast<float>(at / 4 % 7) * 0.125f;
            std::memcpy(inputs[i].data() + at, &value, 4);
            changed = true;
        }
        return changed;
    }

    /// Bytes that the candidate never reads and that the reference's results depend on.
    Result<void> look_for_unread(const LoadedSource& reference, const Run& run, HostTensors& inputs,
                                 const HostTensors& others) {
        const auto expected = run_reference(reference, inputs);
        if (!expected) return std::unexpected(expected.error());
        if (expected->touched.fault) return {};
        for (std::size_t o = 0; o < task_.tensors.size(); ++o) {
            const auto type = task_.tensors[o].type;
            if (task_.tensors[o].role == task::Role::input
                || (type != task::ScalarType::f32 && type != task::ScalarType::f64))
                continue;
            probe_.errors.push_back({task_.tensors[o].name, relative_change(run.outputs[o], expected->outputs[o], type),
                                     type == task::ScalarType::f64 ? audit::kNarrowDoubleError : audit::kNarrowError});
        }
        for (std::size_t i = 0; i < task_.tensors.size(); ++i) {
            if (task_.tensors[i].role == task::Role::output) continue;
            Bytes before(inputs[i].size());
            copy_bytes(before, inputs[i]);
            if (!change_unread(i, run.touched.ranges[i], others, inputs)) continue;
            const auto other = run_reference(reference, inputs);
            inputs[i] = std::move(before);
            if (!other) return std::unexpected(other.error());
            if (other->touched.fault) continue;
            for (std::size_t o = 0; o < task_.tensors.size(); ++o) {
                if (task_.tensors[o].role == task::Role::input) continue;
                // What an inout tensor holds and nobody touches stays as it was.
                if (o == i) continue;
                const double change = relative_change(other->outputs[o], expected->outputs[o], task_.tensors[o].type);
                if (change < kLeastChange) continue;
                const auto use = std::ranges::find(probe_.inputs, task_.tensors[i].name, &audit::InputUse::tensor);
                refuse("unread-input", {job_.candidate.file, 0, 0},
                       fmt::format("{:.1f} % of {} is never read; changing that changes {} by {:.1e} of its values in "
                                   "the reference",
                                   use == probe_.inputs.end() ? 0.0 : (1 - use->fraction) * 100, task_.tensors[i].name,
                                   task_.tensors[o].name, change),
                       fmt::format("the candidate leaves out a part of {} on which the right result depends",
                                   task_.tensors[i].name));
                break;
            }
        }
        return {};
    }

    Result<void> probe() {
        auto inputs = inputs_of(0), others = inputs_of(1);
        if (!inputs) return std::unexpected(inputs.error());
        if (!others) return std::unexpected(others.error());
        auto candidate = LoadedSource::load(job_.candidate, task_, device_);
        if (!candidate) return std::unexpected(candidate.error());
        const auto reference = load_optional(job_.reference, task_, device_);
        if (!reference) return std::unexpected(reference.error());
        const auto variables = variables_of(*candidate);
        if (!variables) return give_up(variables.error().message);
        auto instance = candidate->instantiate(probe_.sizes);
        if (!instance) return std::unexpected(instance.error());

        if (auto done = instance->prepare(*inputs); !done) return done;
        const auto first = look(*instance, *variables);
        if (!first) return std::unexpected(first.error());
        if (faulted(*first)) return {};
        probe_.ran = true;
        std::vector<bool> chosen;
        if (const auto code = code_of(job_.candidate, task_, device_.info()))
            if (auto found = audit::chosen_buffers(*code, task_)) chosen = std::move(*found);
        look_at_buffers(*first, chosen);

        if (auto done = instance->prepare(*inputs); !done) return done;
        const auto second = look(*instance, *variables);
        if (!second) return std::unexpected(second.error());
        if (faulted(*second)) return {};
        find_carried(*first, *second, *variables);
        compare(*first, *second, "run-dependent", "when run again with the same inputs",
                "the candidate does not do the same work in every run, so what was checked is not what is timed");

        if (auto done = upload_inputs(*instance, *inputs); !done) return done;
        const auto stale = look(*instance, *variables);
        if (!stale) return std::unexpected(stale.error());
        if (faulted(*stale)) return {};
        compare(*second, *stale, "stale-memory", "where outputs and scratch still held an earlier run's values",
                "the candidate takes up what an earlier run left in its outputs or scratch");

        if (auto done = upload_inputs(*instance, *others); !done) return done;
        const auto replayed = look(*instance, *variables);
        if (!replayed) return std::unexpected(replayed.error());
        if (faulted(*replayed)) return {};
        if (auto done = candidate->reload(*instance); !done) return done;
        const auto again = variables_of(*candidate);
        if (!again) return give_up(again.error().message);
        if (auto done = instance->prepare(*others); !done) return done;
        const auto fresh = look(*instance, *again);
        if (!fresh) return std::unexpected(fresh.error());
        if (faulted(*fresh)) return {};
        compare(*fresh, *replayed, "run-dependent", "after runs with other inputs",
                "what the candidate gives depends on the runs before, not on its inputs alone");
        if (*reference)
            if (auto done = look_for_unread(**reference, *first, *inputs, *others); !done) return done;
        if (job_.inspect.sizes_of == device::Kind::cuda) return count_operations(*candidate);
        return {};
    }

    /// What a run at the timed sizes computes, where making its inputs takes no time to speak of.
    Result<void> count_operations(const LoadedSource& candidate) {
        const auto& sizes = timed_sizes(task_);
        const auto code = code_of(job_.candidate, task_, device_.info());
        if (!code || task_.is_torch() || code->plan.bytes > kMostCountedBytes) return {};
        auto instance = candidate.instantiate(sizes);
        if (!instance) return std::unexpected(instance.error());
        const auto inputs = make_inputs(task_, job_, sizes, job_.seed);
        if (!inputs) return std::unexpected(inputs.error());
        if (auto done = instance->prepare(*inputs); !done) return done;
        const device::Work work{.label = {}, .run = [&](std::size_t) { return instance->run(stop_); }};
        const auto measured = device_.measure(std::span(&work, 1), {}, stop_, [](std::string_view, double) {});
        if (!measured) return std::unexpected(measured.error());
        if (measured->front().fault) return {};
        using device::Events;
        static constexpr std::array<std::pair<std::string_view, std::uint64_t Events::*>, 5> kPipes{
            {{"fp32", &Events::flops_fp32},
             {"fp64", &Events::flops_fp64},
             {"fp16", &Events::flops_fp16},
             {"tensor_bf16", &Events::flops_tensor_bf16},
             {"tensor_tf32", &Events::flops_tensor_tf32}}};
        const auto sum = [&](std::uint64_t Events::* flops) {
            double count = 0;
            for (const auto& launch : measured->front().counters)
                if (launch.blocks_executed > 0)
                    count += static_cast<double>(launch.events.*flops) * static_cast<double>(launch.blocks)
                             / static_cast<double>(launch.blocks_executed);
            return count;
        };
        for (const auto& [pipe, flops] : kPipes)
            if (const double count = sum(flops); count > 0) probe_.operations.push_back({std::string(pipe), count});
        const double rest =
            sum(&Events::flops_tensor) - sum(&Events::flops_tensor_bf16) - sum(&Events::flops_tensor_tf32);
        if (rest > 0) probe_.operations.push_back({"tensor", rest});
        return {};
    }

    const Job& job_;
    const task::Task& task_;
    device::Device& device_;
    std::stop_token stop_;
    std::size_t case_;
    bool reads_clock_ = false;
    audit::Probe probe_;
};

} // namespace

Result<audit::Probe> run_audit(const Job& job, std::stop_token stop, const Progress& progress) {
    const auto start = std::chrono::steady_clock::now();
    auto task = task::parse_task(job.files);
    if (!task) return std::unexpected(task.error());
    // One thread: the order of everything is the same in every run.
    auto device = sim::open_simulator(model_for(job.candidate.ptx), {.threads = 1});
    if (!device) return std::unexpected(device.error());
    progress("audit", -1);
    const Deadline deadline{stop, std::chrono::duration<double>{kProbeSeconds}};
    auto probe = Prober(job, *task, **device, deadline.token()).run();
    if (!probe && deadline.passed() && !stop.stop_requested()) {
        probe = audit::Probe{};
        probe->why_not = fmt::format("the simulator takes longer than {:g} s", kProbeSeconds);
    }
    if (probe)
        probe->milliseconds =
            std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
    return probe;
}

} // namespace kw::pipeline
