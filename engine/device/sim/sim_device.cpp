#include "engine/device/sim/sim_device.h"

#include "engine/device/sim/demangle.h"
#include "engine/device/sim/estimate.h"
#include "engine/device/sim/exec/counting.h"
#include "engine/device/sim/exec/store_watch.h"
#include "engine/device/sim/exec/thread_pool.h"
#include "engine/device/sim/exec/touch_watch.h"
#include "engine/device/sim/heap.h"
#include "engine/device/sim/occupancy.h"
#include "engine/device/sim/ptx_parser.h"
#include "engine/device/sim/sim_module.h"
#include "engine/device/sim/touch.h"
#include "engine/device/sim/watch.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstring>

namespace kw::sim {
namespace {

using device::Fault;
using device::LaunchConfig;
using device::LaunchCounters;
using device::LaunchOutcome;
using device::Pointer;

constexpr std::uint64_t kParameterBytes = 32768;             ///< the most that PTX allows a kernel
constexpr std::uint64_t kHeapBytes = std::uint64_t{8} << 20; ///< CUDA C++ Programming Guide, cudaLimitMallocHeapSize
constexpr std::uint64_t kMostClusterBlocks = 16;             ///< with the non-portable size allowed
constexpr std::uint64_t kPilotBlocks = 8;
constexpr std::uint64_t kFewestSampledBlocks = 16;

std::uint64_t host_memory() {
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long size = sysconf(_SC_PAGESIZE);
    return pages > 0 && size > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(size)
                                 : std::uint64_t{4} << 30;
}

/// `count` of `total` blocks, one from each of `count` equal parts of the grid, at a place that differs from part to
/// part: a fixed one would meet the same column of a two-dimensional grid again and again.
std::vector<std::uint64_t> spread(std::uint64_t total, std::uint64_t count) {
    std::vector<std::uint64_t> blocks;
    blocks.reserve(count);
    for (std::uint64_t index = 0; index < count; ++index) {
        const long double turn = (static_cast<long double>(index) + 1) * 0.6180339887498949L; // the golden ratio
        const long double place = turn - std::floor(turn);
        blocks.push_back(
            static_cast<std::uint64_t>((static_cast<long double>(index) + place) * static_cast<long double>(total)
                                       / static_cast<long double>(count)));
    }
    blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
    return blocks;
}

/// Sets a flag for as long as it lives.
class Measuring {
public:
    explicit Measuring(bool& flag) : flag_(flag) { flag_ = true; }
    ~Measuring() { flag_ = false; }
    Measuring(const Measuring&) = delete;
    Measuring& operator=(const Measuring&) = delete;

private:
    bool& flag_;
};

class SimDevice final : public device::Device {
public:
    SimDevice(const GpuModel& model, const SimOptions& options, DeviceMemory memory)
        : model_(model),
          options_(options),
          memory_(std::move(memory)),
          pool_(options.threads),
          checks_(options.checks) {
        info_.kind = device::Kind::sim;
        info_.id = "sim:" + model.id;
        info_.name = model.name + " (simulated)";
        info_.arch = model.arch;
        info_.limits.max_shared_bytes = model.shared_per_block;
        info_.limits.max_shared_bytes_optin = model.shared_per_block_optin;
        info_.limits.memory_bytes = memory_.limit();
    }

    [[nodiscard]] const device::Info& info() const override { return info_; }

    [[nodiscard]] Result<std::unique_ptr<device::Module>> load(const device::Image& image) override {
        auto parsed = ptx::parse(image.ptx);
        if (!parsed) return std::unexpected(std::move(parsed.error()));
        return std::make_unique<SimModule>(std::move(*parsed), memory_, image.registers);
    }

    [[nodiscard]] Result<Pointer> allocate(std::uint64_t bytes, std::string_view label) override {
        return memory_.allocate(bytes, label);
    }
    void release(Pointer pointer) override { memory_.release(pointer); }

    [[nodiscard]] Result<void> upload(Pointer to, std::span<const std::byte> from) override {
        if (from.empty()) return {};
        std::byte* host = memory_.host(to, from.size());
        if (!host) return no_allocation(to, from.size());
        std::memcpy(host, from.data(), from.size());
        memory_.mark_written(to, from.size());
        return {};
    }
    [[nodiscard]] Result<void> download(std::span<std::byte> to, Pointer from) override {
        if (to.empty()) return {};
        const std::byte* host = memory_.host(from, to.size());
        if (!host) return no_allocation(from, to.size());
        std::memcpy(to.data(), host, to.size());
        return {};
    }
    [[nodiscard]] Result<void> fill(Pointer to, std::uint64_t bytes, std::byte value) override {
        if (bytes == 0) return {};
        std::byte* host = memory_.host(to, bytes);
        if (!host) return no_allocation(to, bytes);
        std::memset(host, static_cast<int>(value), bytes);
        memory_.mark_written(to, bytes);
        return {};
    }
    [[nodiscard]] Result<void> poison(Pointer to, std::uint64_t bytes, std::byte value) override {
        if (auto done = fill(to, bytes, value); !done || bytes == 0) return done;
        memory_.poison(to, bytes);
        return {};
    }

    void look_for(const device::Checks& checks) override { checks_ = checks; }

    [[nodiscard]] Result<LaunchOutcome> launch(device::Module& module, std::string_view kernel,
                                               const LaunchConfig& config, std::span<const std::byte> parameters,
                                               std::stop_token stop) override {
        auto* loaded = dynamic_cast<SimModule*>(&module);
        if (!loaded) return fail(Stage::device, ErrorCode::internal, "the module belongs to another device");
        // What is counted or watched is looked at in another way.
        const device::Checks checks = measuring_ || watch_ ? kNoChecks : checks_;
        auto bound = loaded->kernel(kernel, checks);
        if (!bound) return refused(kernel, std::move(bound.error()));
        const Program& program = (*bound)->program;
        const std::uint32_t registers = loaded->registers(kernel);
        if (auto checked = check(program, registers, config, parameters.size()); !checked)
            return refused(kernel, std::move(checked.error()));
        LaunchRequest request;
        request.grid = config.grid;
        request.block = config.block;
        request.dynamic_shared_bytes = config.dynamic_shared_bytes;
        request.cooperative = config.cooperative;
        request.cluster = cluster_of(program, config);
        request.parameters = parameters;
        request.grid_id = ++launches_;
        if (auto placed = place_workspace(request, program.uses_heap); !placed)
            return std::unexpected(std::move(placed.error()));
        if (auto seen = prepare_shadow(request, checks); !seen) return std::unexpected(std::move(seen.error()));
        if (measuring_) return measured_launch(**bound, registers, std::move(request), std::move(stop));
        std::optional<LaunchCounter> counter;
        if (watch_) {
            watch_->begin_launch(program, config.grid, config.block);
            counter.emplace(program, pool_.size(), 0);
            counter->divert_to(watch_);
        } else if (touches_) {
            touches_->begin_launch(program);
            counter.emplace(program, pool_.size(), 0);
            counter->divert_to(touches_);
        }
        LaunchOptions options = launch_options();
        options.checks = checks;
        auto result = run_launch(**bound, memory_, std::move(request), options, pool_, counter ? &*counter : nullptr,
                                 std::move(stop));
        if (!result) return std::unexpected(std::move(result.error()));
        return LaunchOutcome{std::move(result->fault), std::move(result->output)};
    }

    [[nodiscard]] Result<LaunchOutcome> synchronize(std::stop_token) override { return LaunchOutcome{}; }

    [[nodiscard]] DeviceMemory& memory() { return memory_; }

    /// Null: nothing is watched.
    void set_watch(StoreWatch* watch) { watch_ = watch; }
    void set_touch_watch(TouchWatch* watch) { touches_ = watch; }

    [[nodiscard]] Result<std::vector<device::Measurement>> measure(std::span<const device::Work> works,
                                                                   const device::MeasureOptions& options,
                                                                   std::stop_token stop,
                                                                   const device::Progress& progress) override {
        std::vector<device::Measurement> out;
        for (std::size_t index = 0; index < works.size(); ++index) {
            if (stop.stop_requested()) return fail(Stage::bench, ErrorCode::cancelled, "the measurement was cancelled");
            if (progress)
                progress("estimating " + works[index].label,
                         static_cast<double>(index) / static_cast<double>(works.size()));
            auto measured = measure_one(works[index], options, true);
            // Blocks that are left out may be what others wait for, or make the data that a later launch relies on.
            if (measured && measured->fault && measured->sampled) measured = measure_one(works[index], options, false);
            if (!measured) return std::unexpected(std::move(measured.error()));
            out.push_back(std::move(*measured));
        }
        return out;
    }

private:
    /// What the kernel or its launch asks for and cannot have is a fault of theirs; other errors stay errors.
    [[nodiscard]] static Result<LaunchOutcome> refused(std::string_view kernel, Error error) {
        if (error.code != ErrorCode::invalid_input && error.code != ErrorCode::unsupported)
            return std::unexpected(std::move(error));
        Fault fault;
        fault.kind = error.code == ErrorCode::unsupported ? device::FaultKind::unsupported_instruction
                                                          : device::FaultKind::launch_failure;
        fault.message = std::move(error.message);
        fault.kernel = kernel;
        fault.where = std::move(error.where);
        return LaunchOutcome{std::move(fault), {}};
    }
    [[nodiscard]] static std::unexpected<Error> no_allocation(Pointer address, std::uint64_t bytes) {
        return fail(Stage::device, ErrorCode::internal,
                    fmt::format("{} bytes at {:#x} do not lie within one allocation of the device", bytes, address));
    }

    /// Reads of memory never written and races need what was written before and by whom.
    [[nodiscard]] Result<void> prepare_shadow(LaunchRequest& request, const device::Checks& checks) {
        if (!checks.init && !checks.race) {
            memory_.assume_written();
            return {};
        }
        if (!shadow_) {
            auto shadow = DeviceShadow::reserve(memory_.reserved());
            if (!shadow) return std::unexpected(std::move(shadow.error()));
            shadow_ = std::move(*shadow);
        }
        memory_.settle_written();
        if (request.grid_barrier_address != 0) memory_.mark_written(request.grid_barrier_address, 256);
        request.shadow = shadow_.get();
        return {};
    }

    [[nodiscard]] LaunchOptions launch_options() const {
        LaunchOptions out;
        out.most_instructions = options_.most_instructions;
        out.most_warp_instructions = options_.most_warp_instructions;
        out.stack_bytes = options_.stack_bytes;
        out.sm_count = model_.sm_count;
        out.clock_mhz = static_cast<std::uint32_t>(model_.clock_mhz);
        return out;
    }

    [[nodiscard]] Result<void> check(const Program& program, std::uint32_t registers, const LaunchConfig& config,
                                     std::size_t parameter_bytes) const {
        const auto refuse = [&](std::string message) -> std::unexpected<Error> {
            return fail(Stage::device, ErrorCode::invalid_input,
                        fmt::format("kernel {} cannot be launched: {}", demangled(program.kernel), message));
        };
        const device::Limits& limits = info_.limits;
        const device::Dim3 &grid = config.grid, &block = config.block;
        if (grid.x == 0 || grid.y == 0 || grid.z == 0)
            return refuse(fmt::format("the grid ({}, {}, {}) has no blocks", grid.x, grid.y, grid.z));
        if (block.x == 0 || block.y == 0 || block.z == 0)
            return refuse(fmt::format("the block ({}, {}, {}) has no threads", block.x, block.y, block.z));
        if (grid.x > limits.max_grid.x || grid.y > limits.max_grid.y || grid.z > limits.max_grid.z)
            return refuse(fmt::format("the grid ({}, {}, {}) is over the limit ({}, {}, {})", grid.x, grid.y, grid.z,
                                      limits.max_grid.x, limits.max_grid.y, limits.max_grid.z));
        if (block.x > limits.max_block.x || block.y > limits.max_block.y || block.z > limits.max_block.z
            || block.count() > limits.max_threads_per_block)
            return refuse(fmt::format("the block ({}, {}, {}) is over the limit of {} threads", block.x, block.y,
                                      block.z, limits.max_threads_per_block));
        if (block.count() > program.max_threads)
            return refuse(fmt::format("the block has {} threads, but its launch bounds allow {}", block.count(),
                                      program.max_threads));
        const std::uint32_t* need = program.required_threads;
        if (need[0] != 0 && (block.x != need[0] || block.y != need[1] || block.z != need[2]))
            return refuse(fmt::format("it must have blocks of ({}, {}, {}) threads", need[0], need[1], need[2]));
        const std::uint64_t shared = std::uint64_t{program.shared_bytes} + config.dynamic_shared_bytes;
        if (shared > limits.max_shared_bytes_optin)
            return refuse(fmt::format("a block needs {} bytes of shared memory, but {} has {}", shared, model_.name,
                                      limits.max_shared_bytes_optin));
        const device::Dim3 cluster = cluster_of(program, config);
        if (cluster.count() > 1) {
            if (grid.x % cluster.x != 0 || grid.y % cluster.y != 0 || grid.z % cluster.z != 0)
                return refuse(fmt::format("its grid ({}, {}, {}) is not a multiple of the cluster ({}, {}, {})", grid.x,
                                          grid.y, grid.z, cluster.x, cluster.y, cluster.z));
            if (cluster.count() > kMostClusterBlocks)
                return refuse(
                    fmt::format("a cluster has at most {} blocks, not {}", kMostClusterBlocks, cluster.count()));
            if (model_.arch < "sm_90")
                return refuse(fmt::format("{} has no clusters; compute capability 9.0 has", model_.name));
            if (program.required_cluster[0] != 0 && config.cluster.count() > 1
                && !(config.cluster == cluster_of(program, {})))
                return refuse("its cluster is not the one that the kernel declares");
        }
        if (parameter_bytes != program.parameter_bytes)
            return fail(Stage::device, ErrorCode::internal,
                        fmt::format("kernel {} takes {} bytes of parameters, but got {}", demangled(program.kernel),
                                    program.parameter_bytes, parameter_bytes));
        if (config.cooperative) {
            const Occupancy fit = occupancy(model_, static_cast<std::uint32_t>(block.count()), registers,
                                            static_cast<std::uint32_t>(shared));
            const std::uint64_t most = std::uint64_t{fit.blocks_per_sm} * model_.sm_count;
            if (grid.count() > most)
                return refuse(fmt::format(
                    "a cooperative grid of {} blocks does not fit on {}, which holds {} of them at one time",
                    grid.count(), model_.name, most));
        }
        return {};
    }

    /// What the launch asks for, or else the kernel.
    [[nodiscard]] static device::Dim3 cluster_of(const Program& program, const LaunchConfig& config) {
        const std::uint32_t* need = program.required_cluster;
        return config.cluster.count() > 1 || need[0] == 0 ? config.cluster : device::Dim3{need[0], need[1], need[2]};
    }

    /// Memory that a launch needs beside its arguments: a readable copy of its parameters, a barrier for the grid.
    [[nodiscard]] Result<void> place_workspace(LaunchRequest& request, bool heap) {
        if (parameter_block_ == 0) {
            auto address = memory_.allocate_apart(kParameterBytes, "kernel parameters", false);
            if (!address) return std::unexpected(std::move(address.error()));
            parameter_block_ = *address;
        }
        if (request.parameters.size() <= kParameterBytes && !request.parameters.empty())
            std::memcpy(memory_.host(parameter_block_, kParameterBytes), request.parameters.data(),
                        request.parameters.size());
        request.parameter_address = parameter_block_;
        if (heap && !heap_) {
            auto address = memory_.allocate_apart(kHeapBytes, "the heap of malloc");
            if (!address) return std::unexpected(std::move(address.error()));
            heap_.emplace(*address, kHeapBytes);
        }
        request.heap = heap_ ? &*heap_ : nullptr;
        if (!request.cooperative) return {};
        if (grid_barrier_ == 0) {
            auto address = memory_.allocate_apart(256, "grid barrier");
            if (!address) return std::unexpected(std::move(address.error()));
            grid_barrier_ = *address;
        }
        std::memset(memory_.host(grid_barrier_, 256), 0, 256);
        request.grid_barrier_address = grid_barrier_;
        return {};
    }

    [[nodiscard]] Result<LaunchOutcome> measured_launch(const BoundProgram& bound, std::uint32_t registers,
                                                        LaunchRequest request, std::stop_token stop) {
        const std::uint64_t blocks = request.grid.count();
        const std::uint64_t sectors = (memory_.high_water() - kGlobalBase) / 32 + 1;
        LaunchCounter counter(bound.program, pool_.size(), sectors);
        LaunchCounters out;
        out.kernel = bound.program.kernel;
        out.blocks = blocks;
        out.blocks_executed = blocks;
        out.threads_per_block = static_cast<std::uint32_t>(request.block.count());
        out.shared_bytes = bound.program.shared_bytes + request.dynamic_shared_bytes;
        out.registers = registers;
        LaunchOptions options = launch_options();
        LaunchOutcome outcome;
        const auto run = [&](std::vector<std::uint64_t> sample) -> Result<std::uint64_t> {
            LaunchRequest part = request;
            part.sample = std::move(sample);
            auto result = run_launch(bound, memory_, std::move(part), options, pool_, &counter, stop);
            if (!result) return std::unexpected(std::move(result.error()));
            outcome.output += result->output;
            if (result->fault) outcome.fault = std::move(result->fault);
            return result->executed;
        };
        const bool may_sample = sampling_ && options_.sampling_budget != 0 && !request.cooperative
                                && request.cluster.count() == 1 && blocks > 4 * kFewestSampledBlocks;
        if (!may_sample) {
            if (auto ran = run({}); !ran) return std::unexpected(std::move(ran.error()));
        } else if (auto done = run_sampled(run, options, counter, sectors, out); !done) {
            return std::unexpected(std::move(done.error()));
        }
        out.events = counter.total();
        out.lines = counter.by_line();
        if (out.blocks_executed != blocks) sampled_ = true;
        counters_.push_back(std::move(out));
        return outcome;
    }

    /// A few blocks say how long one is; then as many as the budget allows, or all. `sectors` are those of the memory
    /// that is in use.
    template<class Run>
    [[nodiscard]] Result<void> run_sampled(const Run& run, LaunchOptions& options, const LaunchCounter& counter,
                                           std::uint64_t sectors, LaunchCounters& out) {
        const std::uint64_t blocks = out.blocks;
        const std::vector<std::uint64_t> pilot = spread(blocks, kPilotBlocks);
        const LaunchOptions whole = options;
        // A block that waits for one that was left out must not spin for seconds.
        options.most_warp_instructions = std::min<std::uint64_t>(options.most_warp_instructions, 20'000'000);
        auto first = run(pilot);
        if (!first) return std::unexpected(std::move(first.error()));
        const std::uint64_t per_block = std::max<std::uint64_t>(*first / pilot.size(), 1);
        const std::uint64_t wanted = std::clamp(options_.sampling_budget / per_block, kFewestSampledBlocks, blocks);
        const std::uint64_t pilot_sectors = counter.total().unique_load_sectors + counter.total().unique_store_sectors;
        std::vector<std::uint64_t> rest;
        if (wanted * 2 > blocks) {
            options = whole;
            for (std::uint64_t block = 0; block < blocks; ++block) {
                if (!std::binary_search(pilot.begin(), pilot.end(), block)) rest.push_back(block);
            }
        } else {
            for (std::uint64_t block : spread(blocks, wanted)) {
                if (!std::binary_search(pilot.begin(), pilot.end(), block)) rest.push_back(block);
            }
        }
        out.blocks_executed = pilot.size() + rest.size();
        if (auto second = run(std::move(rest)); !second) return std::unexpected(std::move(second.error()));
        const std::uint64_t all_sectors = counter.total().unique_load_sectors + counter.total().unique_store_sectors;
        if (out.blocks_executed > pilot.size() && pilot_sectors > 0) {
            out.unique_exponent =
                std::clamp(std::log(static_cast<double>(all_sectors) / static_cast<double>(pilot_sectors))
                               / std::log(static_cast<double>(out.blocks_executed) / static_cast<double>(pilot.size())),
                           0.0, 1.0);
        }
        // Blocks that lie far apart share little even where all blocks together share much. However it grows, all of
        // them cannot touch more than there is.
        const auto touched =
            static_cast<double>(std::max(counter.total().unique_load_sectors, counter.total().unique_store_sectors));
        if (out.blocks_executed < blocks && touched > 0) {
            const double most = std::log(static_cast<double>(sectors) / touched)
                                / std::log(static_cast<double>(blocks) / static_cast<double>(out.blocks_executed));
            out.unique_exponent = std::clamp(most, 0.0, out.unique_exponent);
        }
        return {};
    }

    [[nodiscard]] Result<device::Measurement> measure_one(const device::Work& work,
                                                          const device::MeasureOptions& options, bool may_sample) {
        device::Measurement out;
        out.label = work.label;
        out.estimated = true;
        out.cold = options.flush_l2;
        sampling_ = may_sample;
        sampled_ = false;
        counters_.clear();
        auto outcome = [&] {
            const Measuring on(measuring_);
            return work.run(0);
        }();
        if (!outcome) return std::unexpected(std::move(outcome.error()));
        out.sampled = sampled_;
        out.fault = std::move(outcome->fault);
        double total = kColdStartUs;
        for (const LaunchCounters& counters : counters_) {
            const Estimate part = estimate(model_, counters);
            total += part.us;
            out.limited_by.push_back(part.limited_by);
        }
        out.samples_us.push_back(total);
        out.counters = std::move(counters_);
        counters_.clear();
        return out;
    }

    GpuModel model_;
    SimOptions options_;
    device::Info info_;
    DeviceMemory memory_;
    ThreadPool pool_;
    Pointer parameter_block_ = 0;
    Pointer grid_barrier_ = 0;
    std::optional<DeviceHeap> heap_;
    std::uint64_t launches_ = 0;
    StoreWatch* watch_ = nullptr;
    TouchWatch* touches_ = nullptr;
    device::Checks checks_;
    std::unique_ptr<DeviceShadow> shadow_;
    bool measuring_ = false;
    bool sampling_ = false;
    bool sampled_ = false;
    std::vector<LaunchCounters> counters_;
};

} // namespace

Result<std::unique_ptr<device::Device>> open_simulator(const GpuModel& model, const SimOptions& options) {
    const auto wanted = static_cast<std::uint64_t>(model.dram_gb * 1e9);
    const std::uint64_t bytes =
        options.memory_bytes != 0 ? options.memory_bytes : std::min(wanted, host_memory() / 4 * 3);
    auto memory = DeviceMemory::reserve(bytes);
    if (!memory) return std::unexpected(std::move(memory.error()));
    return std::make_unique<SimDevice>(model, options, std::move(*memory));
}

DeviceMemory& memory_of(device::Device& simulator) { return dynamic_cast<SimDevice&>(simulator).memory(); }

Result<KernelFacts> kernel_facts(device::Module& module, std::string_view kernel) {
    auto& loaded = dynamic_cast<SimModule&>(module);
    auto bound = loaded.kernel(kernel);
    if (!bound) return std::unexpected(std::move(bound.error()));
    const Program& program = (*bound)->program;
    KernelFacts facts;
    for (const Parameter& parameter : program.parameters)
        facts.parameters.push_back({parameter.offset, parameter.bytes});
    facts.parameter_bytes = program.parameter_bytes;
    facts.shared_bytes = program.shared_bytes;
    facts.local_bytes = program.functions.front().local_bytes;
    facts.registers = loaded.registers(kernel);
    facts.max_threads = program.max_threads;
    return facts;
}

Result<VariableFacts> variable_facts(device::Module& module, std::string_view variable) {
    auto& loaded = dynamic_cast<SimModule&>(module);
    auto address = loaded.address_of(variable);
    if (!address) return std::unexpected(std::move(address.error()));
    return VariableFacts{*address, loaded.bytes_of(variable)};
}

Result<Touched> touched(device::Device& simulator, std::span<const MemoryRange> ranges,
                        const std::function<Result<LaunchOutcome>()>& work) {
    auto* device = dynamic_cast<SimDevice*>(&simulator);
    if (!device)
        return fail(Stage::device, ErrorCode::internal, "only the simulator can watch which memory is touched");
    TouchWatch watch(ranges);
    device->set_touch_watch(&watch);
    auto outcome = work();
    device->set_touch_watch(nullptr);
    if (!outcome) return std::unexpected(std::move(outcome.error()));
    auto touched = watch.take();
    touched.fault = std::move(outcome->fault);
    return touched;
}

Result<Watched> watch(device::Device& simulator, const WatchOptions& options,
                      const std::function<Result<LaunchOutcome>()>& work) {
    auto* device = dynamic_cast<SimDevice*>(&simulator);
    if (!device)
        return fail(Stage::device, ErrorCode::internal, "only the simulator can watch who writes to its memory");
    StoreWatch watch(options);
    device->set_watch(&watch);
    auto outcome = work();
    device->set_watch(nullptr);
    if (!outcome) return std::unexpected(std::move(outcome.error()));
    auto watched = watch.result();
    watched.fault = std::move(outcome->fault);
    return watched;
}

} // namespace kw::sim
