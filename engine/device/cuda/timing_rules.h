#pragma once

#include "engine/device/device.h"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

/// What timing decides from numbers alone.
namespace kw::cuda {

/// Whether any of these works (the median of a few runs of each, in µs) is too short to be timed run by run: an event's
/// resolution of about 0.5 µs shows in it.
[[nodiscard]] bool needs_batches(std::span<const double> medians_us);

/// Runs in one batch of a work whose run takes `us`: whole turns of the rotation, so that every batch is the same work,
/// unless one turn would take too long.
[[nodiscard]] std::size_t batch_size(double us, std::size_t rotations);

/// Whether runs that rotate over the inputs find none of them in an L2 cache of this size.
[[nodiscard]] bool exceeds_l2(const device::MeasureOptions& options, std::uint64_t l2_bytes);

/// Whether sampling may stop: every work has its least number of samples and little enough noise, and the least time
/// has passed. Two fifths of that time suffice where there are ten times the samples and a fifth of the noise.
[[nodiscard]] bool is_enough(std::span<const std::span<const double>> samples_us, const device::MeasureOptions& options,
                             double elapsed_s);

/// Where an SM's counters stood at one moment.
struct Stamp {
    std::uint64_t cycles = 0;
    std::uint64_t nanoseconds = 0;
    std::uint64_t sm = 0;
};

/// The clock between two stamps in MHz; none when they are of different SMs, whose cycle counters start apart, or so
/// close that the nanosecond counter's step of up to 1 µs would show.
[[nodiscard]] std::optional<double> clock_between(const Stamp& begin, const Stamp& end);

/// Tells samples taken at a low clock (heat, power, a GPU that is still waking up) from the rest. The limit is 75 % of
/// the rated clock, as in NVBench. A GPU that never gets there, because its clock is locked or capped, is measured
/// against the clock that it has, and note() says so.
class ClockJudge {
public:
    /// 0: the driver does not tell the rated clock.
    explicit ClockJudge(double rated_mhz) : rated_mhz_(rated_mhz), reference_mhz_(rated_mhz) {}

    [[nodiscard]] bool is_low(std::optional<double> mhz) const;
    /// Whether a sample that was taken `seconds` after sampling began counts. A clock that is not known never speaks
    /// against a sample.
    [[nodiscard]] bool accept(std::optional<double> mhz, double seconds);
    /// Something has been accepted at full clock, so a low one will pass.
    [[nodiscard]] bool has_seen_full_clock() const { return accepted_ > 0; }
    /// One sentence where there is something to know; empty when all is well.
    [[nodiscard]] std::string note() const;
    /// Why a work has no samples.
    [[nodiscard]] std::string why_nothing_counts() const;

private:
    double rated_mhz_;
    double reference_mhz_;
    double highest_low_mhz_ = 0;
    std::size_t lows_ = 0;     ///< since the beginning
    std::size_t accepted_ = 0; ///< with a known clock
    std::size_t unknown_ = 0;
    bool capped_ = false;
};

[[nodiscard]] double median_of(std::vector<double> values);

} // namespace kw::cuda
