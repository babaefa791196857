#include "engine/bench/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>
#include <vector>

namespace kw::bench {
namespace {

constexpr std::size_t kResamples = 4000;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

double sorted_quantile(std::span<const double> sorted, double q) {
    if (sorted.empty()) return kNaN;
    const double position = std::clamp(q, 0.0, 1.0) * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<std::size_t>(position);
    const auto above = std::min(below + 1, sorted.size() - 1);
    const double fraction = position - static_cast<double>(below);
    return sorted[below] + fraction * (sorted[above] - sorted[below]);
}

std::vector<double> sorted_copy(std::span<const double> samples) {
    std::vector<double> sorted(samples.begin(), samples.end());
    std::ranges::sort(sorted);
    return sorted;
}

/// Draws from mt19937_64, whose sequence the standard fixes; the library's distributions it does not.
class Random {
public:
    explicit Random(std::uint64_t seed) : engine_(seed) {}

    /// In (0, 1).
    double uniform() { return (static_cast<double>(engine_() >> 11) + 0.5) * 0x1p-53; }

    double normal() { return std::sqrt(-2 * std::log(uniform())) * std::cos(2 * std::numbers::pi * uniform()); }

    /// Gamma with shape ≥ 1 and scale 1: Marsaglia and Tsang, "A simple method for generating gamma variables", 2000.
    double gamma(double shape) {
        const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
        for (;;) {
            const double x = normal(), v = std::pow(1 + c * x, 3);
            if (v > 0 && std::log(uniform()) < 0.5 * x * x + d - d * v + d * std::log(v)) return d * v;
        }
    }

private:
    std::mt19937_64 engine_;
};

/// Medians of bootstrap resamples without resampling: the k-th smallest of n draws from a sorted sample is the element
/// at ⌊nU⌋ with U ~ Beta(k, n + 1 − k), and the next order statistic follows from it, so that each median costs the
/// same for any n.
class MedianResampler {
public:
    MedianResampler(std::span<const double> samples, std::uint64_t seed)
        : sorted_(sorted_copy(samples)), random_(seed) {}

    double draw() {
        const std::size_t n = sorted_.size(), k = (n + 1) / 2;
        const double a = random_.gamma(static_cast<double>(k)), b = random_.gamma(static_cast<double>(n + 1 - k));
        const double u = a / (a + b);
        if (n % 2 == 1) return at(u);
        const double above = 1 - (1 - u) * std::pow(random_.uniform(), 1 / static_cast<double>(n - k));
        return 0.5 * (at(u) + at(above));
    }

private:
    [[nodiscard]] double at(double u) const {
        return sorted_[std::min(static_cast<std::size_t>(u * static_cast<double>(sorted_.size())), sorted_.size() - 1)];
    }

    std::vector<double> sorted_;
    Random random_;
};

Interval percentile_interval(std::vector<double> draws, double confidence) {
    std::ranges::sort(draws);
    const double tail = (1 - std::clamp(confidence, 0.0, 1.0)) / 2;
    return {sorted_quantile(draws, tail), sorted_quantile(draws, 1 - tail)};
}

/// JSON has no NaN or infinity; both are written as null and read as NaN.
double number_from(const Json& json) { return json.is_null() ? kNaN : json.get<double>(); }

} // namespace

double quantile(std::span<const double> samples, double q) { return sorted_quantile(sorted_copy(samples), q); }

Summary summarize(std::span<const double> samples_us) {
    const auto sorted = sorted_copy(samples_us);
    return {sorted_quantile(sorted, 0.5), sorted_quantile(sorted, 0.05), sorted_quantile(sorted, 0.95), sorted.size()};
}

Interval median_interval(std::span<const double> samples, double confidence, std::uint64_t seed) {
    if (samples.empty()) return {kNaN, kNaN};
    MedianResampler resampler(samples, seed);
    std::vector<double> draws(kResamples);
    for (double& draw : draws) draw = resampler.draw();
    return percentile_interval(std::move(draws), confidence);
}

Interval ratio_interval(std::span<const double> numerator, std::span<const double> denominator, double confidence,
                        std::uint64_t seed) {
    if (numerator.empty() || denominator.empty()) return {kNaN, kNaN};
    // Different streams, so that two equal samples are still resampled independently.
    MedianResampler top(numerator, 2 * seed), bottom(denominator, 2 * seed + 1);
    std::vector<double> draws(kResamples);
    for (double& draw : draws) draw = top.draw() / bottom.draw();
    return percentile_interval(std::move(draws), confidence);
}

double relative_noise(std::span<const double> samples) {
    if (samples.size() < 3) return std::numeric_limits<double>::infinity();
    const auto sorted = sorted_copy(samples);
    const double n = static_cast<double>(sorted.size());
    const double half = 0.5 / std::sqrt(n);
    const double error = 0.5 * (sorted_quantile(sorted, 0.5 + half) - sorted_quantile(sorted, 0.5 - half));
    return error / sorted_quantile(sorted, 0.5);
}

bool clears(const Interval& ratio, double margin) { return ratio.lo > 1 + margin; }

Json to_json(const Interval& interval) { return Json::array({interval.lo, interval.hi}); }

Json to_json(const Summary& summary) {
    return Json{{"median_us", summary.median_us},
                {"p05_us", summary.p05_us},
                {"p95_us", summary.p95_us},
                {"samples", summary.samples}};
}

Interval interval_from_json(const Json& json) { return {number_from(json.at(0)), number_from(json.at(1))}; }

Summary summary_from_json(const Json& json) {
    return {number_from(json.at("median_us")), number_from(json.at("p05_us")), number_from(json.at("p95_us")),
            json.at("samples").get<std::size_t>()};
}

} // namespace kw::bench
