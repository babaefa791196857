#pragma once

#include "engine/base/bytes.h"
#include "engine/device/device.h"
#include "engine/pipeline/job.h"
#include "engine/task/plan.h"

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace kw::pipeline {

/// Device memory of one buffer, released with the object.
class DeviceBuffer {
public:
    DeviceBuffer() = default;
    DeviceBuffer(device::Device& device, device::Pointer pointer, std::uint64_t bytes)
        : device_(&device), pointer_(pointer), bytes_(bytes) {}
    ~DeviceBuffer();
    DeviceBuffer(DeviceBuffer&& other) noexcept;
    DeviceBuffer& operator=(DeviceBuffer&& other) noexcept;
    DeviceBuffer(const DeviceBuffer&) = delete;
    DeviceBuffer& operator=(const DeviceBuffer&) = delete;

    [[nodiscard]] device::Pointer pointer() const { return pointer_; }
    [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

private:
    device::Device* device_ = nullptr;
    device::Pointer pointer_ = 0;
    std::uint64_t bytes_ = 0;
};

/// Outputs and scratch hold this byte before each run: NaN as f16/bf16/f32/f64, −1 or the largest value as an integer.
inline constexpr std::byte kPoison{0xFF};

/// Inputs of one run by tensor index; empty for tensors that are only written.
using HostTensors = std::vector<Bytes>;

/// The inputs and initial inout values of `task` at `sizes`. .npy data comes from the job's files, a PyTorch task's
/// from its values. The memory of `reuse`, of tensors of the same task, is used again.
[[nodiscard]] Result<HostTensors> make_inputs(const task::Task& task, const Job& job, const task::Sizes& sizes,
                                              std::uint64_t seed, HostTensors reuse = {});

/// A source loaded on a device: its module and plan, ready to be bound to sizes and run.
class LoadedSource {
public:
    [[nodiscard]] static Result<LoadedSource> load(const Source& source, const task::Task& task,
                                                   device::Device& device);

    /// Buffers and parameter blocks for one set of sizes. Memory is fresh; nothing is uploaded yet.
    class Instance {
    public:
        /// Uploads inputs, poisons outputs and scratch.
        [[nodiscard]] Result<void> prepare(const HostTensors& inputs);
        /// Uploads what a run changes, inout tensors, and poisons outputs and scratch.
        [[nodiscard]] Result<void> restore(const HostTensors& inputs);
        /// Poisons outputs and scratch alone.
        [[nodiscard]] Result<void> poison();
        /// Enqueues every launch of the plan; stops at the first fault. A launch that the device refuses (too many
        /// resources, a cooperative grid that does not fit) is a fault at its directive.
        [[nodiscard]] Result<device::LaunchOutcome> run(std::stop_token stop);
        /// What a tensor holds, into memory that is used again where it is large enough.
        [[nodiscard]] Result<void> read(std::size_t tensor, Bytes& into) const;
        [[nodiscard]] const task::BoundPlan& plan() const { return plan_; }
        [[nodiscard]] device::Pointer address_of(std::size_t tensor) const { return buffers_[tensor].pointer(); }

    private:
        friend class LoadedSource;
        struct Prepared {
            std::string lowered;
            device::LaunchConfig config;
            std::vector<std::byte> parameters;
            Where where;
        };
        device::Device* device_ = nullptr;
        device::Module* module_ = nullptr;
        const task::Task* task_ = nullptr;
        task::BoundPlan plan_;
        std::vector<DeviceBuffer> buffers_;
        std::vector<Prepared> launches_;
    };

    [[nodiscard]] Result<Instance> instantiate(const task::Sizes& sizes) const;
    /// Loads the code anew and lets `instance` run that.
    [[nodiscard]] Result<void> reload(Instance& instance);
    [[nodiscard]] const std::string& file() const { return source_->file; }
    [[nodiscard]] device::Module& module() const { return *module_; }

private:
    [[nodiscard]] Result<void> load_module();

    const Source* source_ = nullptr;
    const task::Task* task_ = nullptr;
    device::Device* device_ = nullptr;
    task::Plan plan_;
    std::unique_ptr<device::Module> module_;
};

/// Loads a source that a job may lack: null then.
[[nodiscard]] Result<std::unique_ptr<LoadedSource>> load_optional(const std::optional<Source>& source,
                                                                  const task::Task& task, device::Device& device);

/// Appends what a kernel printed, to at most 1 MiB in all, then a note that the rest is left out.
void append_output(std::string& output, std::string_view more);

/// `progress` at most every 100 ms; what is told in between is dropped.
[[nodiscard]] Progress throttled(Progress progress);

/// The sizes that verification uses for case `index`: on the simulator [sim.sizes] are laid over the first.
[[nodiscard]] task::Sizes verify_sizes(const task::Task& task, std::size_t index, device::Kind kind);

/// The sizes that are timed: of the case marked `timed`, else [sizes].
[[nodiscard]] const task::Sizes& timed_sizes(const task::Task& task);

} // namespace kw::pipeline
