#pragma once

#include "engine/profile/profiler.h"
#include "engine/profile/report.h"
#include "engine/timeline/builder.h"

#include <cstdint>
#include <map>
#include <memory>
#include <tuple>
#include <vector>

namespace kw::timeline {

/// What a profiler tells, collected while it runs. Takes what comes; a picture of it is made when asked for.
class LiveTrace {
public:
    /// Beyond these many, activities are counted and not kept.
    static constexpr std::size_t kMostActivities = 200'000;

    LiveTrace();
    void append(const profile::LiveUpdate& update);
    void append(const profile::Report& report);
    /// Of everything so far.
    [[nodiscard]] std::shared_ptr<const Store> snapshot();
    [[nodiscard]] std::size_t activities() const { return count_; }

private:
    void append(const std::vector<profile::Activity>& activities, const profile::Sampling& sampling,
                std::uint64_t dropped);
    [[nodiscard]] std::uint32_t lane_of(const profile::Activity& activity);

    /// As they came, for details; shared with the stores made of them.
    using Block = std::shared_ptr<const std::vector<profile::Activity>>;
    std::vector<Block> blocks_;
    std::size_t count_ = 0;
    Builder builder_;
    std::map<std::tuple<bool, std::uint32_t, std::uint32_t>, std::uint32_t> lanes_;
    std::uint32_t sampled_device_ = 0; ///< of the latest kernel: samples do not say whose they are
    std::uint64_t dropped_ = 0;
    std::uint64_t unusable_ = 0;
    bool overflowed_ = false;
};

/// A finished report's activities and samples.
[[nodiscard]] std::shared_ptr<const Store> store_of(const profile::Report& report);

} // namespace kw::timeline
