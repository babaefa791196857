#pragma once

#include "engine/profile/cupti/host.h"
#include "engine/profile/cupti/ladder.h"
#include "engine/profile/cupti/session.h"

#include <cstdint>
#include <memory>
#include <vector>

namespace kw::cupti {

/// Samples the counters of one pass at a fixed interval while it is enabled. start() and stop() bracket what is looked
/// at; take() may be called from another thread in between.
class PmSampling {
public:
    explicit PmSampling(const CuptiApi& api) : api_(&api) {}
    ~PmSampling();
    PmSampling(const PmSampling&) = delete;
    PmSampling& operator=(const PmSampling&) = delete;

    /// `configuration` must outlive this.
    [[nodiscard]] Climbed<void> open(const Target& target, const std::string& chip, const Configuration& configuration,
                                     std::uint64_t interval_ns);
    [[nodiscard]] Climbed<void> start();
    [[nodiscard]] Climbed<void> stop();
    /// What was sampled since the last call. The first sample after start() is of no use and left out.
    [[nodiscard]] Climbed<profile::Sampling> take();

private:
    [[nodiscard]] Climbed<void> reset();
    [[nodiscard]] Climbed<bool> decode(profile::Sampling& into);

    const CuptiApi* api_;
    PmSampler sampler_ = nullptr;
    const Configuration* configuration_ = nullptr;
    std::unique_ptr<Evaluator> evaluator_;
    std::uint64_t interval_ns_ = 0;
    std::vector<std::uint8_t> image_;
    bool first_ = true;
};

/// The shortest interval that is useful when one run takes `run_ns` and all that is sampled `total_ns`.
[[nodiscard]] std::uint64_t choose_interval_ns(double run_ns, double total_ns);

} // namespace kw::cupti
