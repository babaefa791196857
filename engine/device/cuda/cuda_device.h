#pragma once

#include "engine/device/cuda/driver_api.h"
#include "engine/device/cuda/staging.h"
#include "engine/device/device.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace kw::cuda {

/// A cubin loaded into a context. Functions are looked up once.
class CudaModule final : public device::Module {
public:
    CudaModule(const DriverApi& api, CUmodule module) : api_(&api), module_(module) {}
    ~CudaModule() override { api_->cuModuleUnload(module_); }
    CudaModule(const CudaModule&) = delete;
    CudaModule& operator=(const CudaModule&) = delete;

    /// Null when the module has no such kernel.
    [[nodiscard]] CUfunction function(std::string_view lowered);
    /// Lets launches of a function have so much dynamic shared memory. Without it static and dynamic together are
    /// bounded by 48 KB.
    [[nodiscard]] CUresult allow_dynamic_shared(CUfunction function, std::uint32_t bytes);
    /// Lets launches of a function have clusters of more than the 8 blocks that every device can hold.
    [[nodiscard]] CUresult allow_large_clusters(CUfunction function);

private:
    const DriverApi* api_;
    CUmodule module_;
    std::unordered_map<std::string, CUfunction> functions_;
    std::unordered_map<CUfunction, std::uint32_t> dynamic_shared_; ///< the most allowed so far
};

/// How many blocks of a launch an SM holds at one time, by the driver's reckoning.
struct Occupancy {
    std::uint32_t blocks_per_sm = 0;
    double theoretical = 0; ///< resident warps ÷ the most that an SM holds, 0 to 1
};

/// One GPU through the driver API: the primary context, one stream. A fault of a kernel (illegal address and its like)
/// makes the context useless; lost() then says so, and the process is to be replaced.
class CudaDevice final : public device::Device {
public:
    [[nodiscard]] static Result<std::unique_ptr<CudaDevice>> open(int index);
    /// With a driver that start_driver() has started and that outlives the device.
    [[nodiscard]] static Result<std::unique_ptr<CudaDevice>> open(int index, const DriverApi& api);
    ~CudaDevice() override;
    CudaDevice(const CudaDevice&) = delete;
    CudaDevice& operator=(const CudaDevice&) = delete;

    [[nodiscard]] const device::Info& info() const override { return info_; }
    [[nodiscard]] bool lost() const override { return lost_; }
    [[nodiscard]] Result<std::unique_ptr<device::Module>> load(const device::Image& image) override;
    [[nodiscard]] Result<device::Pointer> allocate(std::uint64_t bytes, std::string_view label) override;
    void release(device::Pointer pointer) override;
    [[nodiscard]] Result<void> upload(device::Pointer to, std::span<const std::byte> from) override;
    [[nodiscard]] Result<void> download(std::span<std::byte> to, device::Pointer from) override;
    [[nodiscard]] Result<void> fill(device::Pointer to, std::uint64_t bytes, std::byte value) override;
    [[nodiscard]] Result<device::LaunchOutcome> launch(device::Module& module, std::string_view kernel,
                                                       const device::LaunchConfig& config,
                                                       std::span<const std::byte> parameters,
                                                       std::stop_token stop) override;
    [[nodiscard]] Result<device::LaunchOutcome> synchronize(std::stop_token stop) override;
    [[nodiscard]] Result<std::vector<device::Measurement>> measure(std::span<const device::Work> works,
                                                                   const device::MeasureOptions& options,
                                                                   std::stop_token stop,
                                                                   const device::Progress& progress) override;
    [[nodiscard]] Result<Occupancy> occupancy(device::Module& module, std::string_view kernel,
                                              const device::LaunchConfig& config);

    /// For what else looks at the GPU from this process, such as a profiler.
    [[nodiscard]] CUcontext context() const { return context_; }
    [[nodiscard]] CUdevice handle() const { return device_; }

private:
    CudaDevice(const DriverApi& api, CUdevice device, int index) : api_(&api), device_(device), index_(index) {}
    [[nodiscard]] Result<void> start();
    /// Notes that the context is lost where `result` says so.
    [[nodiscard]] std::unexpected<Error> error(CUresult result, std::string_view doing);
    [[nodiscard]] device::LaunchOutcome faulted(device::Fault fault);
    /// A fault when `result` is a kernel's doing; notes that the context is lost.
    [[nodiscard]] std::optional<device::Fault> fault_of(CUresult result);
    /// A fault when `result` says that a launch asks for what the device does not have; the context stays good.
    [[nodiscard]] std::optional<device::Fault> refusal_of(CUresult result) const;

    const DriverApi* api_;
    CUdevice device_;
    int index_;
    CUcontext context_ = nullptr;
    CUstream stream_ = nullptr;
    std::optional<Staging> staging_; ///< on stream_; before it goes
    device::Info info_;
    std::string last_kernel_;
    double rated_mhz_ = 0; ///< the SMs' highest clock; 0 where the driver does not tell
    std::uint32_t max_threads_per_sm_ = 0;
    bool lost_ = false;
};

/// Every GPU that the driver offers and that says what it is; empty where there is none.
[[nodiscard]] std::vector<device::Info> list_gpus();
[[nodiscard]] std::vector<device::Info> list_gpus(const DriverApi& api);

} // namespace kw::cuda
