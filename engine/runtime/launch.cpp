// Launches, and what is said of those that fail.
#include "engine/device/occupancy.h"
#include "engine/device/sim/demangle.h"
#include "engine/device/sim/estimate.h"
#include "engine/device/sim/occupancy.h"
#include "engine/runtime/program.h"
#include "engine/runtime/runtime.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>

namespace kw::runtime {
namespace {

/// What the simulator keeps of a launch's output. When there was more, its note is the last line.
constexpr std::size_t kMostOutput = std::size_t{1} << 20;
constexpr std::string_view kCutNote = "(output cut after 1 MiB)\n";

Status status_of(device::FaultKind kind) {
    switch (kind) {
    case device::FaultKind::out_of_bounds: return Status::IllegalAddress;
    case device::FaultKind::misaligned: return Status::MisalignedAddress;
    case device::FaultKind::assertion: return Status::Assert;
    case device::FaultKind::endless_loop: return Status::LaunchTimeout;
    case device::FaultKind::stack_overflow: return Status::HardwareStackError;
    default: return Status::LaunchFailure;
    }
}

std::string triple(const device::Dim3& value) { return fmt::format("({}, {}, {})", value.x, value.y, value.z); }

/// What of the program's own memory, as the system lists it, holds an address; empty when nothing does.
std::string host_memory_at(std::uint64_t address) {
    std::ifstream maps{"/proc/self/maps"};
    for (std::string line; std::getline(maps, line);) {
        unsigned long begin = 0, end = 0;
        if (std::sscanf(line.c_str(), "%lx-%lx", &begin, &end) != 2) continue;
        if (address < begin || address >= end) continue;
        return line.find("[stack]") != std::string::npos ? "a variable on the host's stack" : "memory of the host";
    }
    return {};
}

std::string relative(const Where& where) {
    const auto file = short_path(decoded_path(where.file));
    return where.line == 0 ? file : fmt::format("{}:{}", file, where.line);
}

} // namespace

std::string Runtime::named(std::string text) const {
    for (auto begin = text.find('@'); begin != std::string::npos; begin = text.find('@', begin)) {
        const auto end = text.find('@', begin + 1);
        if (end == std::string::npos) break;
        const auto label = text.substr(begin + 1, end - begin - 1);
        std::string name = "memory of the program";
        for (const auto& [at, allocation] : allocations)
            if (std::to_string(allocation.label) == label) name = describe(at, allocation);
        text.replace(begin, end - begin + 1, name);
        begin += name.size();
    }
    return text;
}

void Runtime::report_fault(const device::Fault& fault, const Site& site) {
    std::string text = fmt::format("kw run: kernel {} failed: ", sim::demangled(fault.kernel));
    const bool access = fault.kind == device::FaultKind::out_of_bounds && fault.address != 0;
    const auto host = access && !pages_->in_range(fault.address) && (fault.space.empty() || fault.space == "global")
                          ? host_memory_at(fault.address)
                          : std::string{};
    if (!host.empty())
        text += fmt::format("it uses {:#x}, which is {}; give it memory of cudaMalloc or cudaMallocManaged",
                            fault.address, host);
    else
        text += named(fault.message);
    text += '\n';
    if (!fault.where.file.empty()) text += fmt::format("  at {}\n", relative(fault.where));
    if (fault.block && fault.thread)
        text += fmt::format("  in block {}, thread {}\n", triple(*fault.block), triple(*fault.thread));
    if (fault.other) {
        text += fmt::format("  {}\n", device::other_party_text(fault));
        if (!fault.other->where.file.empty()) text += fmt::format("  at {}\n", relative(fault.other->where));
    }
    if (const auto at = place(site); !at.empty()) text += fmt::format("  launched at {}\n", at);
    say(text);
}

Status Runtime::check_launch(const Kernel& kernel, const sim::KernelFacts& facts, const device::LaunchConfig& config,
                             const Site& site) {
    const auto& limits = device_->info().limits;
    const auto wrong = [&](Status status, const std::string& text) {
        explain(fmt::format("the launch of {}", sim::demangled(kernel.name)), site, text);
        return status;
    };
    const auto over = [](const device::Dim3& value, const device::Dim3& most) {
        return value.x > most.x || value.y > most.y || value.z > most.z;
    };
    if (config.grid.count() == 0 || config.block.count() == 0)
        return wrong(Status::InvalidConfiguration, fmt::format("a grid of {} blocks of {} threads has nothing to run",
                                                               triple(config.grid), triple(config.block)));
    // As an H200 says under CUDA 13.0; older runtimes called it an invalid configuration.
    if (over(config.block, limits.max_block) || config.block.count() > limits.max_threads_per_block)
        return wrong(Status::InvalidValue,
                     fmt::format("a block of {} is {} threads; at most {} are possible, and {} in x, y and z",
                                 triple(config.block), config.block.count(), limits.max_threads_per_block,
                                 triple(limits.max_block)));
    if (over(config.grid, limits.max_grid))
        return wrong(Status::InvalidConfiguration,
                     fmt::format("a grid of {} is over the limit of {}", triple(config.grid), triple(limits.max_grid)));
    if (facts.shared_bytes + config.dynamic_shared_bytes > std::max<std::uint64_t>(
            static_cast<std::uint64_t>(kernel.max_dynamic_shared) + facts.shared_bytes, limits.max_shared_bytes))
        return wrong(Status::InvalidValue,
                     fmt::format("a block needs {} bytes of shared memory; above {} the kernel must be allowed them "
                                 "first: cudaFuncSetAttribute(…, cudaFuncAttributeMaxDynamicSharedMemorySize, …)",
                                 facts.shared_bytes + config.dynamic_shared_bytes, limits.max_shared_bytes));
    if (facts.shared_bytes + config.dynamic_shared_bytes > limits.max_shared_bytes
        && config.dynamic_shared_bytes > static_cast<std::uint32_t>(kernel.max_dynamic_shared))
        return wrong(Status::InvalidValue, "a block needs more shared memory than the kernel is allowed");
    if (config.block.count() > facts.max_threads)
        return wrong(Status::InvalidValue,
                     fmt::format("the block has {} threads, but the kernel's launch bounds allow {}",
                                 config.block.count(), facts.max_threads));
    const auto fit = sim::occupancy(model_, static_cast<std::uint32_t>(config.block.count()), facts.registers,
                                    static_cast<std::uint32_t>(facts.shared_bytes + config.dynamic_shared_bytes));
    if (facts.registers != 0 && fit.blocks_per_sm == 0)
        return wrong(Status::LaunchOutOfResources, fmt::format("a block of {} threads with {} registers each does not "
                                                               "fit on an SM",
                                                               config.block.count(), facts.registers));
    if (config.cooperative && config.grid.count() > std::uint64_t{fit.blocks_per_sm} * model_.sm_count)
        return wrong(
            Status::CooperativeLaunchTooLarge,
            fmt::format("a cooperative grid of {} blocks does not fit on {}, which holds {} of them at one time",
                        config.grid.count(), model_.name, std::uint64_t{fit.blocks_per_sm} * model_.sm_count));
    return Status::Success;
}

void Runtime::show_output(const Kernel& kernel, std::string_view output, const Site& site) {
    const bool cut = output.size() > kMostOutput && output.ends_with(kCutNote);
    if (cut) output.remove_suffix(kCutNote.size());
    std::fwrite(output.data(), 1, output.size(), stdout);
    if (cut)
        explain(fmt::format("the launch of {}", sim::demangled(kernel.name)), site,
                fmt::format("its kernel printed more than the {} bytes that are shown of a launch", kMostOutput));
}

Status Runtime::launch(Kernel& kernel, const device::LaunchConfig& config, void** arguments, Stream* stream,
                       const Site& site) {
    const auto& facts = facts_of(kernel);
    if (const auto checked = check_launch(kernel, facts, config, site); checked != Status::Success) return checked;
    std::vector<std::byte> parameters(facts.parameter_bytes);
    for (std::size_t index = 0; index < facts.parameters.size(); ++index)
        std::memcpy(parameters.data() + facts.parameters[index].offset, arguments[index],
                    facts.parameters[index].bytes);
    auto& module = module_of(*kernel.binary);
    std::optional<device::LaunchOutcome> outcome;
    double us = model_.launch_overhead_us;
    const auto run = [&]() -> Result<device::LaunchOutcome> {
        return device_->launch(module, kernel.name, config, parameters, {});
    };
    const bool asked = std::ranges::any_of(events, [](const Event* event) { return event->timed(); });
    if (!asked || checked_) {
        // Nobody can ask how long it takes; or it is looked at for other things, which exclude each other.
        auto ran = run();
        if (!ran) refuse(ran.error().message);
        outcome = std::move(*ran);
    } else {
        say_unchecked();
        const device::Work work{kernel.name, [&](std::size_t) -> Result<device::LaunchOutcome> {
                                    auto ran = run();
                                    if (ran) outcome = *ran;
                                    return ran;
                                }};
        auto measured = device_->measure(std::span{&work, 1}, {}, {}, {});
        if (!measured) refuse(measured.error().message);
        // The model's figure stands for a launch timed alone; events have what lies between them.
        if (!measured->front().samples_us.empty()) us = measured->front().samples_us.front() - sim::kColdStartUs;
    }
    if (!outcome) refuse("the launch had no outcome");
    show_output(kernel, outcome->output, site);
    timeline.add(stream, Timeline::Engine::compute, us);
    if (!outcome->fault) return Status::Success;
    if (outcome->fault->kind == device::FaultKind::unsupported_instruction) {
        const auto& where = outcome->fault->where;
        refuse(where.file.empty() ? outcome->fault->message
                                  : fmt::format("{}: {}", relative(where), outcome->fault->message));
    }
    report_fault(*outcome->fault, site);
    pending = status_of(outcome->fault->kind);
    return Status::Success;
}

} // namespace kw::runtime
