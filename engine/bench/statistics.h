#pragma once

#include "engine/base/json.h"

#include <cstddef>
#include <cstdint>
#include <span>

/// Statistics of timing samples. All times in microseconds.
namespace kw::bench {

struct Interval {
    double lo = 0;
    double hi = 0;
    bool operator==(const Interval&) const = default;
};

struct Summary {
    double median_us = 0;
    double p05_us = 0;
    double p95_us = 0;
    std::size_t samples = 0;
    bool operator==(const Summary&) const = default;
};

/// Sample quantile with linear interpolation (Hyndman and Fan, type 7); q in [0, 1]. NaN of an empty sample.
[[nodiscard]] double quantile(std::span<const double> samples, double q);

[[nodiscard]] Summary summarize(std::span<const double> samples_us);

/// Percentile-bootstrap confidence interval of the median; deterministic for a seed.
[[nodiscard]] Interval median_interval(std::span<const double> samples, double confidence = 0.95,
                                       std::uint64_t seed = 1);

/// The same of median(numerator) ÷ median(denominator), resampling both independently. With one sample each (an
/// estimate) lo = hi = ratio.
[[nodiscard]] Interval ratio_interval(std::span<const double> numerator, std::span<const double> denominator,
                                      double confidence = 0.95, std::uint64_t seed = 1);

/// Standard error of the median ÷ median: half the distance of the order statistics one standard deviation of the
/// binomial rank below and above the middle; infinite below 3 samples. The noise criterion: sampling may stop when this
/// falls below its target.
[[nodiscard]] double relative_noise(std::span<const double> samples);

/// "Faster" needs the whole interval of baseline ÷ candidate to clear the margin: lo > 1 + margin.
[[nodiscard]] bool clears(const Interval& ratio, double margin);

[[nodiscard]] Json to_json(const Interval& interval);
[[nodiscard]] Json to_json(const Summary& summary);
[[nodiscard]] Interval interval_from_json(const Json& json);
[[nodiscard]] Summary summary_from_json(const Json& json);

} // namespace kw::bench
