#pragma once

#include "engine/profile/cupti/cupti_api.h"
#include "engine/profile/metrics.h"

#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// CUPTI's host side: from metrics to what the hardware is to be told, and from its data to values. Needs no GPU.
namespace kw::cupti {

/// What a chip calls the metrics that it has, and how to count them.
struct Configuration {
    std::vector<const profile::Metric*> metrics; ///< those the chip has
    std::vector<std::string> names;              ///< the chip's, one for each
    std::vector<const profile::Metric*> missing; ///< those it does not have
    std::vector<std::uint8_t> image;
    std::size_t passes = 0;
};

/// Metrics without names (those made by a formula) are left out of both lists. Errors: an unknown chip, or CUPTI's own.
[[nodiscard]] Result<Configuration> configure(const CuptiApi& api, ProfilerType type, const std::string& chip,
                                              std::span<const profile::Metric* const> metrics);

/// The same, of the metrics as many as fit into one pass, in their order; the rest are in `missing`.
[[nodiscard]] Result<Configuration> configure_single_pass(const CuptiApi& api, ProfilerType type,
                                                          const std::string& chip,
                                                          std::span<const profile::Metric* const> metrics);

/// Reads values out of the data that a device filled.
class Evaluator {
public:
    [[nodiscard]] static Result<Evaluator> open(const CuptiApi& api, ProfilerType type, const std::string& chip,
                                                const Configuration& configuration);
    Evaluator(Evaluator&& other) noexcept;
    Evaluator(const Evaluator&) = delete;
    Evaluator& operator=(Evaluator&&) = delete;
    ~Evaluator();

    /// One value for each of the configuration's metrics, of range or sample `index`; NaN where there is none.
    [[nodiscard]] Result<std::vector<double>> values(std::span<const std::uint8_t> image, std::size_t index) const;

private:
    Evaluator(const CuptiApi& api, HostObject object, std::vector<const char*> names)
        : api_(&api), object_(object), names_(std::move(names)) {}

    const CuptiApi* api_;
    HostObject object_;
    std::vector<const char*> names_; ///< of the configuration, which must outlive this
};

} // namespace kw::cupti
