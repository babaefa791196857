#include "engine/device/cuda/cuda_device.h"

#include "engine/device/cuda/timer.h"

#include <fmt/format.h>

#include <chrono>
#include <thread>

namespace kw::cuda {
namespace {

device::Info describe_device(const DriverApi& api, CUdevice device, int index) {
    const auto attribute = [&](int which) {
        int value = 0;
        api.cuDeviceGetAttribute(&value, which, device);
        return static_cast<std::uint32_t>(value);
    };
    device::Info info;
    info.kind = device::Kind::cuda;
    info.id = fmt::format("cuda:{}", index);
    char name[256] = {};
    api.cuDeviceGetName(name, sizeof name - 1, device);
    info.name = name;
    info.arch = fmt::format("sm_{}{}", attribute(kComputeCapabilityMajor), attribute(kComputeCapabilityMinor));
    info.driver = driver_version(api);
    info.limits.max_threads_per_block = attribute(kMaxThreadsPerBlock);
    info.limits.max_block = {attribute(kMaxBlockDimX), attribute(kMaxBlockDimX + 1), attribute(kMaxBlockDimX + 2)};
    info.limits.max_grid = {attribute(kMaxGridDimX), attribute(kMaxGridDimX + 1), attribute(kMaxGridDimX + 2)};
    info.limits.max_shared_bytes = attribute(kMaxSharedPerBlock);
    info.limits.max_shared_bytes_optin = attribute(kMaxSharedPerBlockOptin);
    info.limits.l2_bytes = attribute(kL2CacheSize);
    std::size_t memory = 0;
    api.cuDeviceTotalMem(&memory, device);
    info.limits.memory_bytes = memory;
    return info;
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

std::vector<device::Info> list_gpus() {
    std::vector<device::Info> gpus;
    const auto api = driver();
    if (!api) return gpus;
    int count = 0;
    (*api)->cuDeviceGetCount(&count);
    for (int i = 0; i < count; ++i) {
        CUdevice device = 0;
        if ((*api)->cuDeviceGet(&device, i) == kSuccess) gpus.push_back(describe_device(**api, device, i));
    }
    return gpus;
}

Result<std::unique_ptr<device::Device>> CudaDevice::open(int index) {
    const auto api = driver();
    if (!api) return std::unexpected(api.error());
    int count = 0;
    (*api)->cuDeviceGetCount(&count);
    if (index < 0 || index >= count)
        return fail(Stage::device, ErrorCode::not_found,
                    fmt::format("there is no GPU cuda:{}; the driver shows {}", index, count));
    CUdevice handle = 0;
    if (const auto result = (*api)->cuDeviceGet(&handle, index); result != kSuccess)
        return fail(Stage::device, ErrorCode::device,
                    fmt::format("GPU cuda:{} cannot be used: {}", index, error_text(**api, result)));
    std::unique_ptr<CudaDevice> device(new CudaDevice(**api, handle, index));
    if (auto started = device->start(); !started) return std::unexpected(started.error());
    return device;
}

Result<void> CudaDevice::start() {
    info_ = describe_device(*api_, device_, index_);
    if (const auto result = api_->cuDevicePrimaryCtxRetain(&context_, device_); result != kSuccess)
        return error(result, "create a context");
    if (const auto result = api_->cuCtxSetCurrent(context_); result != kSuccess)
        return error(result, "use the context");
    if (const auto result = api_->cuStreamCreate(&stream_, 0); result != kSuccess)
        return error(result, "create a stream");
    return {};
}

CudaDevice::~CudaDevice() {
    if (stream_) api_->cuStreamDestroy(stream_);
    if (context_) api_->cuDevicePrimaryCtxRelease(device_);
}

std::unexpected<Error> CudaDevice::error(CUresult result, std::string_view doing) {
    return fail(Stage::device, ErrorCode::device,
                fmt::format("{} could not {}: {}", info_.id, doing, error_text(*api_, result)));
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
    if (const auto result = api_->cuModuleLoadData(&module, image.cubin.data()); result != kSuccess)
        return error(result, "load the compiled code");
    return std::make_unique<CudaModule>(*api_, module);
}

Result<device::Pointer> CudaDevice::allocate(std::uint64_t bytes, std::string_view label) {
    CUdeviceptr pointer = 0;
    const auto result = api_->cuMemAlloc(&pointer, bytes);
    if (result == kOutOfMemory) {
        std::size_t free = 0, total = 0;
        api_->cuMemGetInfo(&free, &total);
        return fail(Stage::device, ErrorCode::device,
                    fmt::format("{} needs {:.3g} GB; {} has {:.3g} GB free", label, static_cast<double>(bytes) / 1e9,
                                info_.name, static_cast<double>(free) / 1e9));
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
    if (const auto result = api_->cuMemcpyHtoD(to, from.data(), from.size()); result != kSuccess)
        return error(result, "copy to the GPU");
    return {};
}

Result<void> CudaDevice::download(std::span<std::byte> to, device::Pointer from) {
    if (to.empty()) return {};
    if (const auto result = api_->cuMemcpyDtoH(to.data(), from, to.size()); result != kSuccess)
        return error(result, "copy from the GPU");
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
        auto fault = refusal_of(result);
        if (!fault) fault = fault_of(result);
        if (fault) return device::LaunchOutcome{.fault = std::move(fault), .output = {}};
        return error(result, fmt::format("launch {}", kernel));
    }
    return device::LaunchOutcome{};
}

Result<device::LaunchOutcome> CudaDevice::synchronize(std::stop_token stop) {
    // Spin for a short while, as most kernels are short; then sleep, so that a long one does not hold a core.
    const auto start = std::chrono::steady_clock::now();
    for (;;) {
        const auto result = api_->cuStreamQuery(stream_);
        if (result == kSuccess) return device::LaunchOutcome{};
        if (result != kNotReady) {
            if (auto fault = fault_of(result)) return device::LaunchOutcome{.fault = std::move(fault), .output = {}};
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
    Timer timer(*api_, stream_, info_.limits.l2_bytes);
    if (auto ready = timer.prepare(); !ready) return std::unexpected(ready.error());
    return timer.measure(works, options, *this, stop, progress);
}

} // namespace kw::cuda
