#include "engine/device/cuda/timer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>

namespace kw::cuda {
namespace {

/// Below this a single run is too short for events.
constexpr double kBatchBelowUs = 10;
/// What one batched sample lasts, about.
constexpr double kBatchUs = 250;
/// A slow work that shares a run with a short one takes part in batches, but not in whole turns past this.
constexpr double kLongestTurnUs = 20000;
/// How often progress is told and the noise looked at.
constexpr std::chrono::milliseconds kTick{100};

/// Spins until the host sets the flag, at most two seconds: should the queue behind it ever fill up, the launching
/// thread would wait for this kernel and this kernel for the launching thread.
constexpr const char* kHoldPtx = R"(
.version 7.0
.target sm_52
.address_size 64
.visible .entry kw_hold(.param .u64 flag)
{
    .reg .pred %p<3>;
    .reg .b32 %r<2>;
    .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [flag];
    mov.u64 %rd2, %globaltimer;
WAIT:
    ld.volatile.global.u32 %r1, [%rd1];
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra DONE;
    mov.u64 %rd3, %globaltimer;
    sub.u64 %rd4, %rd3, %rd2;
    setp.lt.u64 %p2, %rd4, 2000000000;
    @%p2 bra WAIT;
DONE:
    ret;
}
)";

double median_of(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

/// Runs in one batch of a work whose run takes `us`: whole turns of the rotation, so that every batch is the same work,
/// unless one turn would take too long.
std::size_t batch_size(double us, std::size_t rotations) {
    us = std::max(us, 0.5);
    const auto runs = static_cast<std::size_t>(std::ceil(kBatchUs / us));
    const auto whole = (runs + rotations - 1) / rotations * rotations;
    return std::max(runs, std::min(whole, static_cast<std::size_t>(kLongestTurnUs / us)));
}

} // namespace

struct Timer::Contestant {
    const device::Work* work = nullptr;
    device::Measurement result;
    std::size_t next_rotation = 0;
    std::size_t batch = 1; ///< runs a sample
    CUgraphExec graph = nullptr;
};

std::unexpected<Error> Timer::error(CUresult result, std::string_view doing) const {
    return fail(Stage::bench, ErrorCode::device,
                fmt::format("timing could not {}: {}", doing, error_text(*api_, result)));
}

Result<void> Timer::prepare() {
    if (const auto r = api_->cuModuleLoadData(&hold_module_, kHoldPtx); r != kSuccess)
        return error(r, "load its holding kernel");
    if (const auto r = api_->cuModuleGetFunction(&hold_function_, hold_module_, "kw_hold"); r != kSuccess)
        return error(r, "find its holding kernel");
    void* host = nullptr;
    if (const auto r = api_->cuMemHostAlloc(&host, sizeof(std::uint32_t), kHostAllocDeviceMap); r != kSuccess)
        return error(r, "allocate its flag");
    flag_ = static_cast<volatile std::uint32_t*>(host);
    if (const auto r = api_->cuMemHostGetDevicePointer(&flag_on_device_, host, 0); r != kSuccess)
        return error(r, "map its flag");
    flush_bytes_ = std::max<std::uint64_t>(l2_bytes_ * 2, 1 << 20);
    if (const auto r = api_->cuMemAlloc(&flush_buffer_, flush_bytes_); r != kSuccess)
        return error(r, "allocate the buffer that flushes L2");
    if (const auto r = api_->cuEventCreate(&begin_, 0); r != kSuccess) return error(r, "create an event");
    if (const auto r = api_->cuEventCreate(&end_, 0); r != kSuccess) return error(r, "create an event");
    return {};
}

Timer::~Timer() {
    if (begin_) api_->cuEventDestroy(begin_);
    if (end_) api_->cuEventDestroy(end_);
    if (flush_buffer_) api_->cuMemFree(flush_buffer_);
    if (flag_) api_->cuMemFreeHost(const_cast<std::uint32_t*>(flag_));
    if (hold_module_) api_->cuModuleUnload(hold_module_);
}

Result<void> Timer::hold() {
    *flag_ = 0;
    LaunchConfig config{1, 1, 1, 1, 1, 1, 0, stream_, nullptr, 0};
    std::size_t size = sizeof flag_on_device_;
    void* extra[] = {reinterpret_cast<void*>(1), &flag_on_device_, reinterpret_cast<void*>(2), &size, nullptr};
    if (const auto r = api_->cuLaunchKernelEx(&config, hold_function_, nullptr, extra); r != kSuccess)
        return error(r, "launch its holding kernel");
    return {};
}

void Timer::release_hold() { *flag_ = 1; }

Result<void> Timer::record(CUevent event) {
    if (const auto r = api_->cuEventRecord(event, stream_); r != kSuccess) return error(r, "record an event");
    return {};
}

bool Timer::exceeds_l2(const device::MeasureOptions& options) const {
    return options.rotations * options.rotation_bytes > 2 * l2_bytes_;
}

Result<double> Timer::timed(const std::function<Result<void>()>& work, bool flush, Contestant& contestant,
                            device::Device& device, std::stop_token stop) {
    if (flush)
        if (const auto r = api_->cuMemsetD8Async(flush_buffer_, 0, flush_bytes_, stream_); r != kSuccess)
            return error(r, "flush L2");
    auto queued = hold();
    if (queued) queued = record(begin_);
    if (queued) queued = work();
    if (queued) queued = record(end_);
    release_hold();
    const auto ended = device.synchronize(stop);
    // A fault first: the error of a call that was refused because of it says less.
    if (ended && ended->fault) {
        contestant.result.fault = ended->fault;
        // The device knows the kernel that was launched last, which for a batch was when it was recorded.
        auto& fault = *contestant.result.fault;
        if (contestant.graph && !fault.kernel.empty() && fault.message.starts_with(fault.kernel))
            fault.message.replace(0, fault.kernel.size(), contestant.work->label);
        if (contestant.graph) fault.kernel.clear();
    }
    if (contestant.result.fault) return 0.0;
    if (!queued) return std::unexpected(queued.error());
    if (!ended) return std::unexpected(ended.error());
    float milliseconds = 0;
    if (const auto r = api_->cuEventElapsedTime(&milliseconds, begin_, end_); r != kSuccess)
        return error(r, "read its events");
    return static_cast<double>(milliseconds) * 1000;
}

Result<double> Timer::sample(Contestant& contestant, const device::MeasureOptions& options, device::Device& device,
                             std::stop_token stop) {
    const auto first = contestant.graph ? 0 : contestant.next_rotation++ % options.rotations;
    const auto run = [&]() -> Result<void> {
        if (contestant.graph) {
            if (const auto r = api_->cuGraphLaunch(contestant.graph, stream_); r != kSuccess)
                return error(r, "launch a batch");
            return {};
        }
        auto outcome = contestant.work->run(first);
        if (!outcome) return std::unexpected(outcome.error());
        if (outcome->fault) contestant.result.fault = outcome->fault;
        return {};
    };
    if (contestant.work->prepare)
        for (std::size_t i = 0; i < std::min(contestant.batch, options.rotations); ++i)
            if (auto done = contestant.work->prepare(first + i); !done) return std::unexpected(done.error());
    // A batch too small for L2 runs warm after its first turn; flushing would only blur that.
    const bool flush = options.flush_l2 && (!contestant.graph || exceeds_l2(options));
    auto time = timed(run, flush, contestant, device, stop);
    if (!time) return time;
    return *time / static_cast<double>(contestant.batch);
}

Result<double> Timer::warm_up(Contestant& contestant, const device::MeasureOptions& options, device::Device& device,
                              std::stop_token stop) {
    std::vector<double> times;
    for (int i = 0; i < 5; ++i) {
        auto time = sample(contestant, options, device, stop);
        if (!time || contestant.result.fault) return time;
        if (i > 0) times.push_back(*time); // the first one loads code
    }
    return median_of(times);
}

Result<void> Timer::capture(Contestant& contestant) {
    if (const auto r = api_->cuStreamBeginCapture(stream_, kCaptureThreadLocal); r != kSuccess)
        return error(r, "record a batch");
    Result<void> queued;
    for (std::size_t i = 0; i < contestant.batch && queued && !contestant.result.fault; ++i) {
        auto outcome = contestant.work->run(i);
        if (!outcome)
            queued = std::unexpected(outcome.error());
        else if (outcome->fault)
            contestant.result.fault = outcome->fault;
    }
    CUgraph graph = nullptr;
    const auto ended = api_->cuStreamEndCapture(stream_, &graph);
    CUresult made = kSuccess;
    const bool complete = queued && !contestant.result.fault && ended == kSuccess;
    if (complete) made = api_->cuGraphInstantiate(&contestant.graph, graph, 0);
    if (graph) api_->cuGraphDestroy(graph);
    if (!queued) return queued;
    if (contestant.result.fault) return {};
    if (ended != kSuccess) return error(ended, "record a batch");
    if (made != kSuccess) {
        contestant.graph = nullptr;
        return error(made, "make a batch");
    }
    return {};
}

Result<std::vector<device::Measurement>> Timer::measure(std::span<const device::Work> works,
                                                        const device::MeasureOptions& options, device::Device& device,
                                                        std::stop_token stop, const device::Progress& progress) {
    using Clock = std::chrono::steady_clock;
    std::vector<Contestant> contestants(works.size());
    struct GraphGuard {
        const DriverApi& api;
        std::vector<Contestant>& contestants;
        ~GraphGuard() {
            for (auto& contestant : contestants)
                if (contestant.graph) api.cuGraphExecDestroy(contestant.graph);
        }
    } guard{*api_, contestants};

    const auto faulted = [&] {
        return std::ranges::any_of(contestants, [](const auto& c) { return c.result.fault.has_value(); });
    };
    std::vector<double> medians;
    progress("bench: warm-up", -1);
    for (std::size_t i = 0; i < works.size(); ++i) {
        auto& contestant = contestants[i];
        contestant.work = &works[i];
        contestant.result.label = works[i].label;
        auto warmed = warm_up(contestant, options, device, stop);
        if (!warmed) return std::unexpected(warmed.error());
        // A fault has taken the context along: nothing more can be timed.
        if (contestant.result.fault) break;
        medians.push_back(*warmed);
    }
    const bool batched = !faulted() && std::ranges::any_of(medians, [](double us) { return us < kBatchBelowUs; });
    for (std::size_t i = 0; i < contestants.size(); ++i) {
        auto& contestant = contestants[i];
        contestant.result.cold = options.flush_l2 && (!batched || exceeds_l2(options));
        if (!batched || faulted()) continue;
        contestant.batch = batch_size(medians[i], options.rotations);
        if (auto captured = capture(contestant); !captured) return std::unexpected(captured.error());
    }

    const auto start = Clock::now();
    auto last_tick = start - kTick;
    for (std::size_t round = 0; !faulted(); ++round) {
        const auto now = Clock::now();
        const double elapsed = std::chrono::duration<double>(now - start).count();
        if (elapsed >= options.max_seconds) break;
        if (now - last_tick >= kTick) {
            last_tick = now;
            const bool enough = std::ranges::all_of(contestants, [&](const Contestant& c) {
                const auto& samples = c.result.samples_us;
                return samples.size() >= options.min_samples
                       && (!options.noise || options.noise(samples) < options.noise_target);
            });
            if (enough && elapsed >= options.min_seconds) break;
            progress(fmt::format("bench: round {}", round + 1),
                     std::min(1.0, elapsed / std::max(options.min_seconds, 1e-3)));
        }
        for (std::size_t i = 0; i < contestants.size(); ++i) {
            if (stop.stop_requested()) return fail(Stage::bench, ErrorCode::cancelled, "timing was cancelled");
            auto& contestant = contestants[(i + round) % contestants.size()];
            auto time = sample(contestant, options, device, stop);
            if (!time) return std::unexpected(time.error());
            if (contestant.result.fault) break;
            contestant.result.samples_us.push_back(*time);
        }
    }
    std::vector<device::Measurement> results;
    results.reserve(contestants.size());
    for (auto& contestant : contestants) results.push_back(std::move(contestant.result));
    return results;
}

} // namespace kw::cuda
