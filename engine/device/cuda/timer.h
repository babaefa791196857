#pragma once

#include "engine/device/cuda/driver_api.h"
#include "engine/device/device.h"

#include <cstdint>
#include <span>
#include <vector>

namespace kw::cuda {

/// Times works on one stream with events, all in the same way. When each is long: one run a sample, L2 flushed before
/// each, the stream held by a spinning kernel until everything is queued, so that launch overhead stays out. When any
/// is short (under 10 µs, where an event's resolution of about 0.5 µs shows): a graph of many runs a sample, rotating
/// over input sets. Such runs are cold only if the sets together exceed twice the L2 cache; the measurement says
/// whether. Works are sampled in turn, one each a round, so that drift of the clock meets all alike.
class Timer {
public:
    Timer(const DriverApi& api, CUstream stream, std::uint64_t l2_bytes)
        : api_(&api), stream_(stream), l2_bytes_(l2_bytes) {}
    ~Timer();
    Timer(const Timer&) = delete;
    Timer& operator=(const Timer&) = delete;

    [[nodiscard]] Result<void> prepare();
    [[nodiscard]] Result<std::vector<device::Measurement>> measure(std::span<const device::Work> works,
                                                                   const device::MeasureOptions& options,
                                                                   device::Device& device, std::stop_token stop,
                                                                   const device::Progress& progress);

private:
    struct Contestant;

    /// The median of a few runs, in µs.
    [[nodiscard]] Result<double> warm_up(Contestant& contestant, const device::MeasureOptions& options,
                                         device::Device& device, std::stop_token stop);
    [[nodiscard]] Result<void> capture(Contestant& contestant);
    [[nodiscard]] Result<double> sample(Contestant& contestant, const device::MeasureOptions& options,
                                        device::Device& device, std::stop_token stop);
    [[nodiscard]] Result<double> timed(const std::function<Result<void>()>& work, bool flush, Contestant& contestant,
                                       device::Device& device, std::stop_token stop);
    /// Whether batched runs that rotate over the inputs find none of them in L2.
    [[nodiscard]] bool exceeds_l2(const device::MeasureOptions& options) const;
    [[nodiscard]] Result<void> hold();
    void release_hold();
    [[nodiscard]] Result<void> record(CUevent event);
    [[nodiscard]] std::unexpected<Error> error(CUresult result, std::string_view doing) const;

    const DriverApi* api_;
    CUstream stream_;
    std::uint64_t l2_bytes_;
    CUmodule hold_module_ = nullptr;
    CUfunction hold_function_ = nullptr;
    volatile std::uint32_t* flag_ = nullptr;
    CUdeviceptr flag_on_device_ = 0;
    CUdeviceptr flush_buffer_ = 0;
    std::uint64_t flush_bytes_ = 0;
    CUevent begin_ = nullptr, end_ = nullptr;
};

} // namespace kw::cuda
