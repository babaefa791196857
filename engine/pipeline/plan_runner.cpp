#include "engine/pipeline/plan_runner.h"

#include "engine/pipeline/torch.h"
#include "engine/task/arguments.h"
#include "engine/task/inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <utility>

namespace kw::pipeline {

DeviceBuffer::~DeviceBuffer() {
    if (device_) device_->release(pointer_);
}

DeviceBuffer::DeviceBuffer(DeviceBuffer&& other) noexcept
    : device_(std::exchange(other.device_, nullptr)), pointer_(other.pointer_), bytes_(other.bytes_) {}

DeviceBuffer& DeviceBuffer::operator=(DeviceBuffer&& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(pointer_, other.pointer_);
    std::swap(bytes_, other.bytes_);
    return *this;
}

task::Sizes verify_sizes(const task::Task& task, std::size_t index, device::Kind kind) {
    task::Sizes sizes = task.cases[index].sizes;
    if (index == 0 && kind == device::Kind::sim)
        for (const auto& [name, value] : task.sim_sizes) sizes[name] = value;
    return sizes;
}

const task::Sizes& timed_sizes(const task::Task& task) {
    const auto timed = std::ranges::find_if(task.cases, &task::Case::timed);
    return timed == task.cases.end() ? task.cases.front().sizes : timed->sizes;
}

void append_output(std::string& output, std::string_view more) {
    constexpr std::size_t kMost = std::size_t{1} << 20;
    constexpr std::string_view kNote = "\n[the rest of the output is left out]\n";
    if (output.ends_with(kNote)) return;
    if (output.size() + more.size() <= kMost) {
        output += more;
        return;
    }
    std::size_t keep = kMost - output.size();
    // Not within a character of UTF-8, whose further bytes are 10xxxxxx.
    while (keep > 0 && (static_cast<unsigned char>(more[keep]) & 0xC0u) == 0x80u) --keep;
    output += more.substr(0, keep);
    output += kNote;
}

Progress throttled(Progress progress) {
    using Clock = std::chrono::steady_clock;
    return
        [progress = std::move(progress), last = Clock::time_point{}](std::string_view what, double fraction) mutable {
            const auto now = Clock::now();
            if (now - last < std::chrono::milliseconds(100)) return;
            last = now;
            progress(what, fraction);
        };
}

Result<HostTensors> make_inputs(const task::Task& task, const Job& job, const task::Sizes& sizes, std::uint64_t seed,
                                HostTensors reuse) {
    reuse.resize(task.tensors.size());
    for (std::size_t i = 0; i < task.tensors.size(); ++i) {
        const auto& tensor = task.tensors[i];
        if (tensor.role == task::Role::output) continue;
        // Each tensor draws from its own stream: adding one to a task leaves the others' values alone.
        auto bytes =
            task.is_torch()
                ? read_torch_values(job, tensor, sizes, seed, TorchValues::before, std::move(reuse[i]))
                : task::generate(tensor, job.files, sizes, seed + 0x9E3779B97F4A7C15ull * (i + 1), std::move(reuse[i]));
        if (!bytes) return std::unexpected(bytes.error());
        reuse[i] = std::move(*bytes);
    }
    return reuse;
}

Result<LoadedSource> LoadedSource::load(const Source& source, const task::Task& task, device::Device& device) {
    LoadedSource loaded;
    loaded.source_ = &source;
    loaded.task_ = &task;
    loaded.device_ = &device;
    auto plan = task::parse_plan(source.text, source.file, task);
    if (!plan) return std::unexpected(plan.error());
    loaded.plan_ = std::move(*plan);
    if (auto done = loaded.load_module(); !done) return std::unexpected(done.error());
    return loaded;
}

Result<void> LoadedSource::load_module() {
    device::Image image{.ptx = source_->ptx, .cubin = source_->cubin, .registers = {}};
    for (const auto& kernel : source_->kernels) image.registers[kernel.lowered] = kernel.registers;
    auto module = device_->load(image);
    if (!module) return std::unexpected(module.error());
    module_ = std::move(*module);
    return {};
}

Result<void> LoadedSource::reload(Instance& instance) {
    if (auto done = load_module(); !done) return done;
    instance.module_ = module_.get();
    return {};
}

Result<std::unique_ptr<LoadedSource>> load_optional(const std::optional<Source>& source, const task::Task& task,
                                                    device::Device& device) {
    if (!source) return nullptr;
    auto loaded = LoadedSource::load(*source, task, device);
    if (!loaded) return std::unexpected(loaded.error());
    return std::make_unique<LoadedSource>(std::move(*loaded));
}

Result<LoadedSource::Instance> LoadedSource::instantiate(const task::Sizes& sizes) const {
    Instance instance;
    instance.device_ = device_;
    instance.module_ = module_.get();
    instance.task_ = task_;
    auto bound = task::bind(plan_, *task_, sizes, source_->configuration, device_->info().limits);
    if (!bound) return std::unexpected(bound.error());
    instance.plan_ = std::move(*bound);
    std::vector<device::Pointer> pointers;
    for (const auto& buffer : instance.plan_.buffers) {
        auto pointer = device_->allocate(std::max<std::uint64_t>(buffer.bytes, 1), buffer.name);
        if (!pointer) return std::unexpected(pointer.error());
        instance.buffers_.emplace_back(*device_, *pointer, buffer.bytes);
        pointers.push_back(*pointer);
    }
    for (const auto& launch : instance.plan_.launches) {
        const auto kernel = std::ranges::find(source_->kernels, launch.kernel, &compile::Kernel::name);
        if (kernel == source_->kernels.end())
            return fail(Stage::task, ErrorCode::internal, fmt::format("kernel {} was not compiled", launch.kernel),
                        launch.where);
        auto parameters = task::pack(launch, *kernel, instance.plan_.buffers, pointers);
        if (!parameters) return std::unexpected(parameters.error());
        instance.launches_.push_back({kernel->lowered, launch.config, std::move(*parameters), launch.where});
    }
    return instance;
}

Result<void> LoadedSource::Instance::prepare(const HostTensors& inputs) {
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
        const bool has_input = i < inputs.size() && !inputs[i].empty();
        const auto& buffer = buffers_[i];
        auto done = has_input ? device_->upload(buffer.pointer(), inputs[i])
                              : device_->poison(buffer.pointer(), buffer.bytes(), kPoison);
        if (!done) return done;
    }
    return {};
}

Result<void> LoadedSource::Instance::restore(const HostTensors& inputs) {
    for (std::size_t i = 0; i < task_->tensors.size(); ++i)
        if (task_->tensors[i].role == task::Role::inout)
            if (auto done = device_->upload(buffers_[i].pointer(), inputs[i]); !done) return done;
    return poison();
}

Result<void> LoadedSource::Instance::poison() {
    for (std::size_t i = 0; i < buffers_.size(); ++i) {
        const bool has_input = i < task_->tensors.size() && task_->tensors[i].role != task::Role::output;
        if (has_input) continue;
        if (auto done = device_->poison(buffers_[i].pointer(), buffers_[i].bytes(), kPoison); !done) return done;
    }
    return {};
}

Result<device::LaunchOutcome> LoadedSource::Instance::run(std::stop_token stop) {
    device::LaunchOutcome all;
    for (const auto& launch : launches_) {
        auto outcome = device_->launch(*module_, launch.lowered, launch.config, launch.parameters, stop);
        if (!outcome && outcome.error().stage == Stage::device && outcome.error().code == ErrorCode::invalid_input)
            outcome = device::LaunchOutcome{.fault = device::Fault{.kind = device::FaultKind::launch_failure,
                                                                   .message = outcome.error().message,
                                                                   .kernel = launch.lowered,
                                                                   .space = {},
                                                                   .allocation = {}}};
        if (!outcome) return outcome;
        append_output(all.output, outcome->output);
        if (outcome->fault) {
            // Still in order: it was refused and never ran.
            if (outcome->fault->kind == device::FaultKind::launch_failure && !device_->lost())
                outcome->fault->where = launch.where;
            all.fault = std::move(outcome->fault);
            return all;
        }
    }
    return all;
}

Result<void> LoadedSource::Instance::read(std::size_t tensor, Bytes& into) const {
    const auto& buffer = buffers_[tensor];
    try {
        into.resize(buffer.bytes());
    } catch (const std::bad_alloc&) {
        return fail(Stage::verify, ErrorCode::device,
                    fmt::format("there is no memory for {} bytes of {}; make [sizes] smaller", buffer.bytes(),
                                task_->tensors[tensor].name));
    }
    return device_->download(into, buffer.pointer());
}

} // namespace kw::pipeline
