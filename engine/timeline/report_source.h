#pragma once

#include "engine/profile/profiler.h"
#include "engine/profile/report.h"
#include "engine/timeline/builder.h"

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace kw::timeline {

/// A part of an evaluation that the host works on. They follow one another; the one named "profile" begins where the
/// report's clock does.
struct Stage {
    std::string name; ///< "compile", "verify", "bench", "profile"
    double milliseconds = 0;
};

/// What a profiler tells, collected while it runs. Takes what comes; a picture of it is made when asked for.
class LiveTrace {
public:
    /// Beyond these many, activities are counted and not kept.
    static constexpr std::size_t kMostActivities = 200'000;

    LiveTrace();
    void append(const profile::LiveUpdate& update);
    void append(const profile::Report& report);
    /// A lane of the host for what led to the profile; once.
    void append(std::span<const Stage> stages);
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

/// A finished report's activities and samples, and the stages of the evaluation that it is part of.
[[nodiscard]] std::shared_ptr<const Store> store_of(const profile::Report& report, std::span<const Stage> stages = {});

} // namespace kw::timeline
