#include "engine/device/cuda/cuda_device.h"

#include "engine/base/captured_output.h"
#include "engine/device/cuda/timer.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>
#include <utility>

namespace kw::cuda {
namespace {

/// Room for what kernels print; beyond it pipeline::append_output would cut anyway.
constexpr std::size_t kOutputBytes = std::size_t{1} << 20;
/// Blocks of a cluster that every device can hold (cuda.h, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED).
constexpr std::uint64_t kPortableCluster = 8;
constexpr std::uint32_t kWarp = 32;

std::optional<std::uint32_t> attribute(const DriverApi& api, CUdevice device, int which) {
    int value = 0;
    if (api.cuDeviceGetAttribute(&value, which, device) != kSuccess || value <= 0) return std::nullopt;
    return static_cast<std::uint32_t>(value);
}

std::unexpected<Error> unusable(const DriverApi& api, int index, std::string_view why, CUresult result) {
    const auto help = remedy(result);
    return fail(Stage::device, ErrorCode::device,
                fmt::format("GPU cuda:{} cannot be used: {}{}{}{}{}", index, why, why.empty() ? "" : ": ",
                            error_text(api, result), help.empty() ? "" : "; ", help));
}

/// A limit that the driver does not tell is taken from the table that Limits' defaults come from. What the GPU is has
/// to be told, as nothing can be compiled without it.
Result<device::Info> describe_device(const DriverApi& api, CUdevice device, int index) {
    int major = 0, minor = 0;
    auto told = api.cuDeviceGetAttribute(&major, kComputeCapabilityMajor, device);
    if (told == kSuccess) told = api.cuDeviceGetAttribute(&minor, kComputeCapabilityMinor, device);
    if (told != kSuccess) return unusable(api, index, "it does not tell its compute capability", told);
    device::Info info;
    info.kind = device::Kind::cuda;
    info.id = fmt::format("cuda:{}", index);
    char name[256] = {};
    api.cuDeviceGetName(name, sizeof name - 1, device);
    info.name = *name ? name : info.id;
    info.arch = fmt::format("sm_{}{}", major, minor);
    info.driver = driver_version(api);
    auto& limits = info.limits;
    const auto take = [&](std::uint32_t& limit, int which) { limit = attribute(api, device, which).value_or(limit); };
    take(limits.max_threads_per_block, kMaxThreadsPerBlock);
    take(limits.max_block.x, kMaxBlockDimX);
    take(limits.max_block.y, kMaxBlockDimX + 1);
    take(limits.max_block.z, kMaxBlockDimX + 2);
    take(limits.max_grid.x, kMaxGridDimX);
    take(limits.max_grid.y, kMaxGridDimX + 1);
    take(limits.max_grid.z, kMaxGridDimX + 2);
    take(limits.max_shared_bytes, kMaxSharedPerBlock);
    limits.max_shared_bytes_optin = limits.max_shared_bytes;
    take(limits.max_shared_bytes_optin, kMaxSharedPerBlockOptin);
    limits.l2_bytes = attribute(api, device, kL2CacheSize).value_or(0);
    std::size_t memory = 0;
    if (api.cuDeviceTotalMem(&memory, device) == kSuccess) limits.memory_bytes = memory;
    return info;
}

/// After these the context answers nothing but errors, whoever is to blame.
bool is_final(CUresult result) {
    switch (result) {
    case kNotInitialized:
    case kDeinitialized:
    case kDeviceUnavailable:
    case kInvalidContext:
    case kEccUncorrectable:
    case kNvlinkUncorrectable:
    case kContained:
    case kContextDestroyed:
    case kTensorMemoryLeak:
    case kMpsClientTerminated:
    case kUnknown: return true;
    default: return false;
    }
}

} // namespace

CUfunction CudaModule::function(std::string_view lowered) {
    const std::string name(lowered);
    if (const auto found = functions_.find(name); found != functions_.end()) return found->second;
    CUfunction function = nullptr;
    if (api_->cuModuleGetFunction(&function, module_, name.c_str()) != kSuccess) return nullptr;
    return functions_[name] = function;
}

CUresult CudaModule::allow_dynamic_shared(CUfunction function, std::uint32_t bytes) {
    auto& allowed = dynamic_shared_[function];
    if (bytes <= allowed) return kSuccess;
    const auto result = api_->cuFuncSetAttribute(function, kFuncMaxDynamicShared, static_cast<int>(bytes));
    if (result == kSuccess) allowed = bytes;
    return result;
}

CUresult CudaModule::allow_large_clusters(CUfunction function) {
    return api_->cuFuncSetAttribute(function, kFuncNonPortableCluster, 1);
}

std::vector<device::Info> list_gpus(const DriverApi& api) {
    std::vector<device::Info> gpus;
    int count = 0;
    if (api.cuDeviceGetCount(&count) != kSuccess) return gpus;
    for (int i = 0; i < count; ++i) {
        CUdevice device = 0;
        if (api.cuDeviceGet(&device, i) != kSuccess) continue;
        if (auto info = describe_device(api, device, i)) gpus.push_back(std::move(*info));
    }
    return gpus;
}

std::vector<device::Info> list_gpus() {
    const auto api = driver();
    return api ? list_gpus(**api) : std::vector<device::Info>{};
}

Result<std::unique_ptr<CudaDevice>> CudaDevice::open(int index) {
    const auto api = driver();
    if (!api) return std::unexpected(api.error());
    return open(index, **api);
}

Result<std::unique_ptr<CudaDevice>> CudaDevice::open(int index, const DriverApi& api) {
    int count = 0;
    if (const auto result = api.cuDeviceGetCount(&count); result != kSuccess)
        return unusable(api, index, "the driver does not list its GPUs", result);
    if (index < 0 || index >= count)
        return fail(Stage::device, ErrorCode::not_found,
                    fmt::format("there is no GPU cuda:{}; the driver shows {}", index, count));
    CUdevice handle = 0;
    if (const auto result = api.cuDeviceGet(&handle, index); result != kSuccess)
        return unusable(api, index, {}, result);
    std::unique_ptr<CudaDevice> device(new CudaDevice(api, handle, index));
    if (auto started = device->start(); !started) return std::unexpected(started.error());
    return device;
}

Result<void> CudaDevice::start() {
    auto info = describe_device(*api_, device_, index_);
    if (!info) return std::unexpected(info.error());
    info_ = std::move(*info);
    rated_mhz_ = attribute(*api_, device_, kClockRateKHz).value_or(0) / 1000.0;
    max_threads_per_sm_ = attribute(*api_, device_, kMaxThreadsPerMultiprocessor).value_or(0);
    const auto retained = api_->cuDevicePrimaryCtxRetain(&context_, device_);
    if (retained != kSuccess) context_ = nullptr;
    if (retained == kOutOfMemory)
        return fail(Stage::device, ErrorCode::device,
                    fmt::format("{} ({}) has no room for a context, which takes about 0.5 of its {:.3g} GB; end other "
                                "programs that hold its memory (nvidia-smi lists them)",
                                info_.id, info_.name, static_cast<double>(info_.limits.memory_bytes) / 1e9));
    if (retained != kSuccess) return error(retained, "create a context");
    if (const auto result = api_->cuCtxSetCurrent(context_); result != kSuccess)
        return error(result, "use the context");
    if (const auto result = api_->cuStreamCreate(&stream_, 0); result != kSuccess)
        return error(result, "create a stream");
    staging_.emplace(*api_, stream_);
    return {};
}

CudaDevice::~CudaDevice() {
    staging_.reset();
    if (stream_) api_->cuStreamDestroy(stream_);
    if (context_) api_->cuDevicePrimaryCtxRelease(device_);
}

std::unexpected<Error> CudaDevice::error(CUresult result, std::string_view doing) {
    // A kernel's fault is seen by whatever call comes next.
    if (is_final(result) || fault_of(result)) lost_ = true;
    const auto help = remedy(result);
    return fail(Stage::device, ErrorCode::device,
                fmt::format("{} could not {}: {}{}{}", info_.id, doing, error_text(*api_, result),
                            help.empty() ? "" : "; ", help));
}

device::LaunchOutcome CudaDevice::faulted(device::Fault fault) {
    return {.fault = std::move(fault), .output = take_standard_output(kOutputBytes)};
}

std::optional<device::Fault> CudaDevice::fault_of(CUresult result) {
    using device::FaultKind;
    FaultKind kind = FaultKind::launch_failure;
    std::string_view what;
    switch (result) {
    case kIllegalAddress:
        kind = FaultKind::out_of_bounds;
        what = "accessed memory outside every allocation";
        break;
    case kMisalignedAddress:
        kind = FaultKind::misaligned;
        what = "made a misaligned access";
        break;
    case kInvalidAddressSpace: what = "used an address in a memory space where it does not belong"; break;
    case kAssert:
        kind = FaultKind::assertion;
        what = "failed an assert";
        break;
    case kIllegalInstruction:
        kind = FaultKind::trap;
        what = "trapped or executed an illegal instruction";
        break;
    case kInvalidPc: what = "jumped outside its code"; break;
    case kHardwareStackError:
        kind = FaultKind::stack_overflow;
        what = "overflowed its stack";
        break;
    case kLaunchTimeout:
        kind = FaultKind::endless_loop;
        what = "ran into the driver's time limit";
        break;
    case kLaunchFailed: what = "failed"; break;
    default: return std::nullopt;
    }
    lost_ = true;
    device::Fault fault;
    fault.kind = kind;
    fault.kernel = last_kernel_;
    fault.message = fmt::format("{} {} ({}); --device sim says where",
                                last_kernel_.empty() ? "the kernel" : last_kernel_, what, error_text(*api_, result));
    return fault;
}

std::optional<device::Fault> CudaDevice::refusal_of(CUresult result) const {
    std::string_view what;
    switch (result) {
    case kInvalidValue: what = "its configuration is not one that the device accepts"; break;
    case kLaunchOutOfResources: what = "a block needs more registers or shared memory than an SM has"; break;
    case kCooperativeTooLarge: what = "its cooperative grid has more blocks than the device holds at one time"; break;
    case kInvalidClusterSize: what = "the device cannot hold a cluster of this size"; break;
    case kNotSupported: what = "the device does not know launches of this kind"; break;
    default: return std::nullopt;
    }
    device::Fault fault;
    fault.kind = device::FaultKind::launch_failure;
    fault.kernel = last_kernel_;
    fault.message = fmt::format("{} cannot be launched: {} ({})", last_kernel_, what, error_text(*api_, result));
    return fault;
}

Result<std::unique_ptr<device::Module>> CudaDevice::load(const device::Image& image) {
    CUmodule module = nullptr;
    const auto result = api_->cuModuleLoadData(&module, image.cubin.data());
    switch (result) {
    case kSuccess: return std::make_unique<CudaModule>(*api_, module);
    case kNoBinaryForGpu:
    case kInvalidImage:
    case kInvalidPtx:
    case kUnsupportedPtxVersion:
    case kJitCompilerNotFound:
        return fail(Stage::device, ErrorCode::unsupported,
                    fmt::format("the compiled code does not run on {}, which takes code for {} and has a driver for "
                                "CUDA {}: {}; compile for this architecture, with a toolkit no newer than the driver",
                                info_.name, info_.arch, info_.driver, error_text(*api_, result)));
    case kOutOfMemory:
        return fail(Stage::device, ErrorCode::device,
                    fmt::format("{} has no room for the compiled code; end other programs that hold its memory "
                                "(nvidia-smi lists them)",
                                info_.name));
    default: return error(result, "load the compiled code");
    }
}

Result<device::Pointer> CudaDevice::allocate(std::uint64_t bytes, std::string_view label) {
    CUdeviceptr pointer = 0;
    const auto result = api_->cuMemAlloc(&pointer, bytes);
    if (result == kOutOfMemory) {
        std::size_t free = 0, total = 0;
        std::string room = "has no room for it";
        if (api_->cuMemGetInfo(&free, &total) == kSuccess)
            room = fmt::format("has {:.3g} of its {:.3g} GB free", static_cast<double>(free) / 1e9,
                               static_cast<double>(total) / 1e9);
        return fail(
            Stage::device, ErrorCode::device,
            fmt::format("{} needs {:.3g} GB and {} {}; make [sizes] smaller or end other programs that hold its "
                        "memory",
                        label, static_cast<double>(bytes) / 1e9, info_.name, room));
    }
    if (result != kSuccess) return error(result, fmt::format("allocate {}", label));
    return pointer;
}

void CudaDevice::release(device::Pointer pointer) {
    // After a fault every call fails and the process is about to end.
    if (!lost_) api_->cuMemFree(pointer);
}

Result<void> CudaDevice::upload(device::Pointer to, std::span<const std::byte> from) {
    if (from.empty()) return {};
    if (const auto result = staging_->upload(to, from); result != kSuccess) return error(result, "copy to the GPU");
    return {};
}

Result<void> CudaDevice::download(std::span<std::byte> to, device::Pointer from) {
    if (to.empty()) return {};
    if (const auto result = staging_->download(to, from); result != kSuccess) return error(result, "copy from the GPU");
    return {};
}

Result<void> CudaDevice::fill(device::Pointer to, std::uint64_t bytes, std::byte value) {
    if (bytes == 0) return {};
    if (const auto result = api_->cuMemsetD8(to, static_cast<unsigned char>(value), bytes); result != kSuccess)
        return error(result, "fill memory");
    return {};
}

Result<device::LaunchOutcome> CudaDevice::launch(device::Module& module, std::string_view kernel,
                                                 const device::LaunchConfig& config,
                                                 std::span<const std::byte> parameters, std::stop_token) {
    auto& loaded = static_cast<CudaModule&>(module);
    auto* function = loaded.function(kernel);
    if (!function)
        return fail(Stage::device, ErrorCode::internal, fmt::format("the compiled code has no kernel {}", kernel));
    last_kernel_ = kernel;
    if (const auto result = loaded.allow_dynamic_shared(function, config.dynamic_shared_bytes); result != kSuccess) {
        if (auto fault = refusal_of(result)) return device::LaunchOutcome{.fault = std::move(fault), .output = {}};
        return error(result,
                     fmt::format("give {} {} bytes of dynamic shared memory", kernel, config.dynamic_shared_bytes));
    }
    if (config.cluster.count() > kPortableCluster)
        if (const auto result = loaded.allow_large_clusters(function); result != kSuccess) {
            if (auto fault = refusal_of(result)) return device::LaunchOutcome{.fault = std::move(fault), .output = {}};
            return error(result, fmt::format("give {} clusters of {} blocks", kernel, config.cluster.count()));
        }
    LaunchAttribute attributes[2];
    unsigned count = 0;
    if (config.cooperative) {
        attributes[count].id = LaunchAttribute::kCooperative;
        attributes[count++].value.cooperative = 1;
    }
    if (config.cluster.count() > 1) {
        attributes[count].id = LaunchAttribute::kClusterDimension;
        attributes[count].value.cluster[0] = config.cluster.x;
        attributes[count].value.cluster[1] = config.cluster.y;
        attributes[count++].value.cluster[2] = config.cluster.z;
    }
    const LaunchConfig launch{config.grid.x,
                              config.grid.y,
                              config.grid.z,
                              config.block.x,
                              config.block.y,
                              config.block.z,
                              config.dynamic_shared_bytes,
                              stream_,
                              attributes,
                              count};
    // The driver takes the parameter block by these tags: pointer 1, size 2, end 0 (cuda.h, CU_LAUNCH_PARAM_*).
    std::size_t size = parameters.size();
    void* extra[] = {reinterpret_cast<void*>(1), const_cast<std::byte*>(parameters.data()), reinterpret_cast<void*>(2),
                     &size, nullptr};
    if (const auto result = api_->cuLaunchKernelEx(&launch, function, nullptr, extra); result != kSuccess) {
        if (auto fault = refusal_of(result)) return device::LaunchOutcome{.fault = std::move(fault), .output = {}};
        if (auto fault = fault_of(result)) return faulted(std::move(*fault));
        return error(result, fmt::format("launch {}", kernel));
    }
    return device::LaunchOutcome{};
}

Result<device::LaunchOutcome> CudaDevice::synchronize(std::stop_token stop) {
    // Spin for a short while, as most kernels are short; then sleep, so that a long one does not hold a core.
    const auto start = std::chrono::steady_clock::now();
    for (;;) {
        const auto result = api_->cuStreamQuery(stream_);
        if (result == kSuccess) {
            // The driver writes what kernels printed when it is asked to wait, not when it is asked whether they ended.
            if (standard_output_is_captured()) api_->cuStreamSynchronize(stream_);
            return device::LaunchOutcome{.fault = {}, .output = take_standard_output(kOutputBytes)};
        }
        if (result != kNotReady) {
            if (auto fault = fault_of(result)) return faulted(std::move(*fault));
            return error(result, "finish the work");
        }
        if (stop.stop_requested()) {
            // A kernel cannot be stopped; whoever asked ends this process.
            lost_ = true;
            return fail(Stage::device, ErrorCode::cancelled, "stopped while a kernel was running");
        }
        if (std::chrono::steady_clock::now() - start > std::chrono::milliseconds(2))
            std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
}

Result<std::vector<device::Measurement>> CudaDevice::measure(std::span<const device::Work> works,
                                                             const device::MeasureOptions& options,
                                                             std::stop_token stop, const device::Progress& progress) {
    Timer timer(*api_, stream_, info_.limits.l2_bytes, rated_mhz_);
    if (auto ready = timer.prepare(); !ready) return std::unexpected(ready.error());
    return timer.measure(works, options, *this, stop, progress);
}

Result<Occupancy> CudaDevice::occupancy(device::Module& module, std::string_view kernel,
                                        const device::LaunchConfig& config) {
    auto& loaded = static_cast<CudaModule&>(module);
    auto* function = loaded.function(kernel);
    if (!function)
        return fail(Stage::device, ErrorCode::internal, fmt::format("the compiled code has no kernel {}", kernel));
    if (const auto result = loaded.allow_dynamic_shared(function, config.dynamic_shared_bytes); result != kSuccess)
        return error(result,
                     fmt::format("give {} {} bytes of dynamic shared memory", kernel, config.dynamic_shared_bytes));
    int blocks = 0;
    const auto threads = config.block.count();
    if (const auto result = api_->cuOccupancyMaxActiveBlocksPerMultiprocessor(
            &blocks, function, static_cast<int>(threads), config.dynamic_shared_bytes);
        result != kSuccess)
        return error(result, fmt::format("tell the occupancy of {}", kernel));
    Occupancy occupancy{.blocks_per_sm = static_cast<std::uint32_t>(blocks), .theoretical = 0};
    const auto warps = (threads + kWarp - 1) / kWarp * occupancy.blocks_per_sm;
    if (max_threads_per_sm_ >= kWarp)
        occupancy.theoretical = static_cast<double>(warps) / (max_threads_per_sm_ / kWarp);
    return occupancy;
}

} // namespace kw::cuda
