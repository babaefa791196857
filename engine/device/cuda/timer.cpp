#include "engine/device/cuda/timer.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <new>
#include <thread>

namespace kw::cuda {
namespace {

/// How often progress is told and the noise looked at.
constexpr std::chrono::milliseconds kTick{100};

/// How long a GPU that idles may take to reach its clock.
constexpr std::chrono::milliseconds kWaking{300};
/// A GPU whose clock has dropped is left alone for so long before the next round.
constexpr std::chrono::milliseconds kCooling{50};

/// kw_hold spins until the host sets the flag, at most two seconds: should the queue behind it ever fill up, the
/// launching thread would wait for this kernel and this kernel for the launching thread. Then it leaves a stamp, as
/// kw_stamp does. The offsets are those of Timer::Page.
constexpr const char* kPtx = R"(
.version 7.0
.target sm_52
.address_size 64
.visible .entry kw_hold(.param .u64 page)
{
    .reg .pred %p<3>;
    .reg .b32 %r<3>;
    .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [page];
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
    mov.u32 %r2, %smid;
    cvt.u64.u32 %rd5, %r2;
    mov.u64 %rd6, %clock64;
    mov.u64 %rd7, %globaltimer;
    st.volatile.global.u64 [%rd1+8], %rd6;
    st.volatile.global.u64 [%rd1+16], %rd7;
    st.volatile.global.u64 [%rd1+24], %rd5;
    ret;
}
.visible .entry kw_stamp(.param .u64 page)
{
    .reg .b32 %r<2>;
    .reg .b64 %rd<5>;
    ld.param.u64 %rd1, [page];
    mov.u32 %r1, %smid;
    cvt.u64.u32 %rd2, %r1;
    mov.u64 %rd3, %clock64;
    mov.u64 %rd4, %globaltimer;
    st.volatile.global.u64 [%rd1+32], %rd3;
    st.volatile.global.u64 [%rd1+40], %rd4;
    st.volatile.global.u64 [%rd1+48], %rd2;
    ret;
}
)";

} // namespace

/// What the host and the two kernels share.
struct Timer::Page {
    std::uint32_t released = 0;
    std::uint32_t unused = 0;
    Stamp begin{}; ///< when the hold ended
    Stamp end{};   ///< behind the sample
};

struct Timer::Contestant {
    const device::Work* work = nullptr;
    device::Measurement result;
    std::vector<double> clocks_mhz{};
    std::size_t next_rotation = 0;
    std::size_t batch = 1; ///< runs a sample
    CUgraphExec graph = nullptr;
};

std::unexpected<Error> Timer::error(CUresult result, std::string_view doing) const {
    const auto help = remedy(result);
    return fail(
        Stage::bench, ErrorCode::device,
        fmt::format("timing could not {}: {}{}{}", doing, error_text(*api_, result), help.empty() ? "" : "; ", help));
}

Result<void> Timer::prepare() {
    static_assert(offsetof(Page, begin) == 8 && offsetof(Page, end) == 32 && sizeof(Stamp) == 24);
    if (const auto r = api_->cuModuleLoadData(&module_, kPtx); r != kSuccess) return error(r, "load its kernels");
    if (const auto r = api_->cuModuleGetFunction(&hold_, module_, "kw_hold"); r != kSuccess)
        return error(r, "find its holding kernel");
    if (const auto r = api_->cuModuleGetFunction(&stamp_, module_, "kw_stamp"); r != kSuccess)
        return error(r, "find its stamping kernel");
    void* host = nullptr;
    if (const auto r = api_->cuMemHostAlloc(&host, sizeof(Page), kHostAllocDeviceMap); r != kSuccess)
        return error(r, "allocate its page");
    page_ = new (host) Page;
    if (const auto r = api_->cuMemHostGetDevicePointer(&page_on_device_, host, 0); r != kSuccess)
        return error(r, "map its page");
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
    if (page_) api_->cuMemFreeHost(const_cast<Page*>(page_));
    if (module_) api_->cuModuleUnload(module_);
}

Result<void> Timer::launch_alone(CUfunction function, std::string_view doing) {
    LaunchConfig config{1, 1, 1, 1, 1, 1, 0, stream_, nullptr, 0};
    std::size_t size = sizeof page_on_device_;
    void* extra[] = {reinterpret_cast<void*>(1), &page_on_device_, reinterpret_cast<void*>(2), &size, nullptr};
    if (const auto r = api_->cuLaunchKernelEx(&config, function, nullptr, extra); r != kSuccess) return error(r, doing);
    return {};
}

Result<void> Timer::hold() {
    page_->released = 0;
    return launch_alone(hold_, "launch its holding kernel");
}

void Timer::release_hold() { page_->released = 1; }

Result<void> Timer::record(CUevent event) {
    if (const auto r = api_->cuEventRecord(event, stream_); r != kSuccess) return error(r, "record an event");
    return {};
}

Result<Timer::Sample> Timer::timed(const std::function<Result<void>()>& work, bool flush, Contestant& contestant,
                                   device::Device& device, std::stop_token stop) {
    if (flush)
        if (const auto r = api_->cuMemsetD8Async(flush_buffer_, 0, flush_bytes_, stream_); r != kSuccess)
            return error(r, "flush L2");
    auto queued = hold();
    if (queued) queued = record(begin_);
    if (queued) queued = work();
    if (queued) queued = record(end_);
    if (queued) queued = launch_alone(stamp_, "launch its stamping kernel");
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
    if (contestant.result.fault) return Sample{};
    if (!queued) return std::unexpected(queued.error());
    if (!ended) return std::unexpected(ended.error());
    float milliseconds = 0;
    if (const auto r = api_->cuEventElapsedTime(&milliseconds, begin_, end_); r != kSuccess)
        return error(r, "read its events");
    const auto read = [](const volatile Stamp& stamp) { return Stamp{stamp.cycles, stamp.nanoseconds, stamp.sm}; };
    return Sample{.us = static_cast<double>(milliseconds) * 1000,
                  .mhz = clock_between(read(page_->begin), read(page_->end))};
}

Result<Timer::Sample> Timer::sample(Contestant& contestant, const device::MeasureOptions& options,
                                    device::Device& device, std::stop_token stop) {
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
    const bool flush = options.flush_l2 && (!contestant.graph || exceeds_l2(options, l2_bytes_));
    auto sample = timed(run, flush, contestant, device, stop);
    if (sample) sample->us /= static_cast<double>(contestant.batch);
    return sample;
}

Result<double> Timer::warm_up(Contestant& contestant, const device::MeasureOptions& options, device::Device& device,
                              std::stop_token stop) {
    constexpr std::size_t kRuns = 5;
    const ClockJudge judge(rated_mhz_);
    const auto until = std::chrono::steady_clock::now() + kWaking;
    std::vector<double> times;
    for (bool first = true; times.size() < kRuns; first = false) {
        if (stop.stop_requested()) return fail(Stage::bench, ErrorCode::cancelled, "timing was cancelled");
        auto run = sample(contestant, options, device, stop);
        if (!run) return std::unexpected(run.error());
        if (contestant.result.fault) return 0.0;
        if (first) continue; // it loads code
        if (judge.is_low(run->mhz) && std::chrono::steady_clock::now() < until) continue;
        times.push_back(run->us);
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

Result<bool> Timer::run_round(std::size_t round, std::span<Contestant> contestants, ClockJudge& judge, double elapsed_s,
                              const device::MeasureOptions& options, device::Device& device, std::stop_token stop) {
    bool cool = false;
    for (std::size_t i = 0; i < contestants.size(); ++i) {
        if (stop.stop_requested()) return fail(Stage::bench, ErrorCode::cancelled, "timing was cancelled");
        auto& contestant = contestants[(i + round) % contestants.size()];
        auto taken = sample(contestant, options, device, stop);
        if (!taken) return std::unexpected(taken.error());
        if (contestant.result.fault) return false;
        if (!judge.accept(taken->mhz, elapsed_s)) {
            ++contestant.result.discarded;
            cool = judge.has_seen_full_clock();
            continue;
        }
        contestant.result.samples_us.push_back(taken->us);
        if (taken->mhz) contestant.clocks_mhz.push_back(*taken->mhz);
    }
    if (cool) std::this_thread::sleep_for(kCooling);
    return true;
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
    const bool batched = !faulted() && needs_batches(medians);
    for (std::size_t i = 0; i < contestants.size(); ++i) {
        auto& contestant = contestants[i];
        contestant.result.cold = options.flush_l2 && (!batched || exceeds_l2(options, l2_bytes_));
        if (!batched || faulted()) continue;
        contestant.batch = batch_size(medians[i], options.rotations);
        if (auto captured = capture(contestant); !captured) return std::unexpected(captured.error());
    }

    const auto start = Clock::now();
    auto last_tick = start - kTick;
    ClockJudge judge(rated_mhz_);
    bool going = !faulted();
    for (std::size_t round = 0; going; ++round) {
        const auto now = Clock::now();
        const double elapsed = std::chrono::duration<double>(now - start).count();
        if (elapsed >= options.max_seconds) break;
        if (now - last_tick >= kTick) {
            last_tick = now;
            std::vector<std::span<const double>> samples;
            for (const auto& contestant : contestants) samples.emplace_back(contestant.result.samples_us);
            if (is_enough(samples, options, elapsed)) break;
            progress(fmt::format("bench: round {}", round + 1),
                     std::min(1.0, elapsed / std::max(options.min_seconds, 1e-3)));
        }
        auto more = run_round(round, contestants, judge, elapsed, options, device, stop);
        if (!more) return std::unexpected(more.error());
        going = *more;
    }
    for (auto& contestant : contestants) {
        if (contestant.result.samples_us.empty() && contestant.result.discarded > 0 && !faulted())
            return fail(Stage::bench, ErrorCode::device,
                        fmt::format("{} could not be timed: {}", contestant.work->label, judge.why_nothing_counts()));
        if (!contestant.clocks_mhz.empty()) contestant.result.clock_mhz = median_of(contestant.clocks_mhz);
        contestant.result.clock_note = judge.note();
    }
    std::vector<device::Measurement> results;
    results.reserve(contestants.size());
    for (auto& contestant : contestants) results.push_back(std::move(contestant.result));
    return results;
}

} // namespace kw::cuda
