#include "engine/device/cuda/timing_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace kw::cuda {
namespace {

/// Below this a single run is too short for events.
constexpr double kBatchBelowUs = 10;
/// What one batched sample lasts, about: so long that the start of a graph, some µs, does not show.
constexpr double kBatchUs = 500;
/// A slow work that shares a run with a short one takes part in batches, but not in whole turns past this.
constexpr double kLongestTurnUs = 20000;

/// When sampling may end before its time: parts of the time and of the noise allowed, and times the samples.
constexpr double kEarlyTime = 0.4;
constexpr double kEarlyNoise = 0.2;
constexpr std::size_t kEarlySamples = 10;

constexpr double kLowClock = 0.75;
/// So many samples in a row, over so long, are taken for the clock that this GPU has.
constexpr std::size_t kCappedSamples = 25;
constexpr double kCappedSeconds = 0.5;
/// The counter behind %globaltimer steps by up to 1.024 µs; an interval eight times that is told within 12 %.
constexpr std::uint64_t kShortestIntervalNs = 8000;

} // namespace

bool needs_batches(std::span<const double> medians_us) {
    return std::ranges::any_of(medians_us, [](double us) { return us < kBatchBelowUs; });
}

std::size_t batch_size(double us, std::size_t rotations) {
    us = std::max(us, 0.5);
    const auto runs = static_cast<std::size_t>(std::ceil(kBatchUs / us));
    const auto whole = (runs + rotations - 1) / rotations * rotations;
    return std::max(runs, std::min(whole, static_cast<std::size_t>(kLongestTurnUs / us)));
}

bool exceeds_l2(const device::MeasureOptions& options, std::uint64_t l2_bytes) {
    return options.rotations * options.rotation_bytes > 2 * l2_bytes;
}

bool is_enough(std::span<const std::span<const double>> samples_us, const device::MeasureOptions& options,
               double elapsed_s) {
    const auto all_have = [&](std::size_t least, double noise) {
        return std::ranges::all_of(samples_us, [&](std::span<const double> samples) {
            return samples.size() >= least && (!options.noise || options.noise(samples) < noise);
        });
    };
    if (elapsed_s >= options.min_seconds) return all_have(options.min_samples, options.noise_target);
    return options.noise && elapsed_s >= kEarlyTime * options.min_seconds
           && all_have(kEarlySamples * options.min_samples, kEarlyNoise * options.noise_target);
}

std::optional<double> clock_between(const Stamp& begin, const Stamp& end) {
    if (begin.sm != end.sm || end.cycles <= begin.cycles || end.nanoseconds < begin.nanoseconds + kShortestIntervalNs)
        return std::nullopt;
    return static_cast<double>(end.cycles - begin.cycles) * 1e3
           / static_cast<double>(end.nanoseconds - begin.nanoseconds);
}

bool ClockJudge::is_low(std::optional<double> mhz) const { return mhz && *mhz < kLowClock * reference_mhz_; }

bool ClockJudge::accept(std::optional<double> mhz, double seconds) {
    if (!mhz || reference_mhz_ <= 0) {
        ++unknown_;
        return true;
    }
    if (!is_low(mhz)) {
        ++accepted_;
        return true;
    }
    ++lows_;
    highest_low_mhz_ = std::max(highest_low_mhz_, *mhz);
    if (accepted_ == 0 && lows_ >= kCappedSamples && seconds >= kCappedSeconds) {
        reference_mhz_ = highest_low_mhz_;
        capped_ = true;
    }
    return false;
}

std::string ClockJudge::note() const {
    if (capped_)
        return fmt::format("the SMs ran at {:.0f} MHz, {:.0f} % of their rated {:.0f}: the clock is locked or capped",
                           reference_mhz_, 100 * reference_mhz_ / rated_mhz_, rated_mhz_);
    if (rated_mhz_ <= 0) return "the clock was not checked: the driver does not tell the rated one";
    if (accepted_ + lows_ == 0 && unknown_ > 0) return "the clock was not checked: the GPU's counters do not tell it";
    return {};
}

std::string ClockJudge::why_nothing_counts() const {
    return fmt::format(
        "the GPU's clock stayed below {:.0f} % of {:.0f} MHz; let the GPU cool down or lock a lower clock "
        "(nvidia-smi --lock-gpu-clocks)",
        100 * kLowClock, reference_mhz_);
}

double median_of(std::vector<double> values) {
    const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
    std::nth_element(values.begin(), middle, values.end());
    return *middle;
}

} // namespace kw::cuda
