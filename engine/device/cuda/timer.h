#pragma once

#include "engine/device/cuda/driver_api.h"
#include "engine/device/cuda/timing_rules.h"
#include "engine/device/device.h"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stop_token>
#include <string_view>
#include <vector>

namespace kw::cuda {

/// Times works on one stream with events, all in the same way. When each is long: one run a sample, L2 flushed before
/// each, the stream held by a spinning kernel until everything is queued, so that launch overhead stays out. When any
/// is short (under 10 µs, where an event's resolution of about 0.5 µs shows): a graph of many runs a sample, rotating
/// over input sets. Such runs are cold only if the sets together exceed twice the L2 cache; the measurement says
/// whether. Works are sampled in turn, one each a round, so that drift of the clock meets all alike.
///
/// The clock of the SMs is measured during each sample, from an SM's cycle counter and the nanosecond counter: the
/// holding kernel reads both as it ends, a second kernel behind the sample reads them again. That asks for no
/// permission and tells the clock of just that time, where NVML would tell that of some moment within 100 ms.
class Timer {
public:
    /// `rated_mhz` is the SMs' highest clock, 0 where it is not known.
    Timer(const DriverApi& api, CUstream stream, std::uint64_t l2_bytes, double rated_mhz)
        : api_(&api), stream_(stream), l2_bytes_(l2_bytes), rated_mhz_(rated_mhz) {}
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
    struct Page;
    struct Sample {
        double us = 0;
        std::optional<double> mhz{};
    };

    /// The median of a few runs, in µs. Goes on for a moment where the GPU has yet to reach its clock, as what it tells
    /// decides how the work is timed.
    [[nodiscard]] Result<double> warm_up(Contestant& contestant, const device::MeasureOptions& options,
                                         device::Device& device, std::stop_token stop);
    [[nodiscard]] Result<void> capture(Contestant& contestant);
    [[nodiscard]] Result<Sample> sample(Contestant& contestant, const device::MeasureOptions& options,
                                        device::Device& device, std::stop_token stop);
    [[nodiscard]] Result<Sample> timed(const std::function<Result<void>()>& work, bool flush, Contestant& contestant,
                                       device::Device& device, std::stop_token stop);
    /// One round: a sample of each, kept where the clock was right. False: nothing more can be timed.
    [[nodiscard]] Result<bool> run_round(std::size_t round, std::span<Contestant> contestants, ClockJudge& judge,
                                         double elapsed_s, const device::MeasureOptions& options,
                                         device::Device& device, std::stop_token stop);
    [[nodiscard]] Result<void> hold();
    void release_hold();
    [[nodiscard]] Result<void> launch_alone(CUfunction function, std::string_view doing);
    [[nodiscard]] Result<void> record(CUevent event);
    [[nodiscard]] std::unexpected<Error> error(CUresult result, std::string_view doing) const;

    const DriverApi* api_;
    CUstream stream_;
    std::uint64_t l2_bytes_;
    double rated_mhz_;
    CUmodule module_ = nullptr;
    CUfunction hold_ = nullptr;
    CUfunction stamp_ = nullptr;
    volatile Page* page_ = nullptr; ///< of host memory that the GPU sees too
    CUdeviceptr page_on_device_ = 0;
    CUdeviceptr flush_buffer_ = 0;
    std::uint64_t flush_bytes_ = 0;
    CUevent begin_ = nullptr, end_ = nullptr;
};

} // namespace kw::cuda
