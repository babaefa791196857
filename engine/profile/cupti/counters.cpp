#include "engine/profile/cupti/counters.h"

#include <fmt/format.h>

#include <cmath>

namespace kw::cupti {
namespace {

/// The Range Profiler is enabled on a context for this object's lifetime.
class Session {
public:
    explicit Session(const CuptiApi& api) : api_(&api) {}
    ~Session() {
        if (!profiler_) return;
        RangeParams params;
        params.profiler = profiler_;
        api_->cuptiRangeProfilerDisable(&params);
    }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    Climbed<void> open(const Target& target, const Configuration& configuration, std::size_t ranges) {
        RangeEnableParams enable;
        enable.context = target.context;
        if (const auto result = api_->cuptiRangeProfilerEnable(&enable); result != kSuccess)
            return refused(*api_, result, "enabling the Range Profiler");
        profiler_ = enable.profiler;

        std::vector<const char*> names;
        names.reserve(configuration.names.size());
        for (const auto& name : configuration.names) names.push_back(name.c_str());
        RangeDataSizeParams size;
        size.profiler = profiler_;
        size.names = names.data();
        size.count = names.size();
        size.max_ranges = ranges;
        size.max_tree_nodes = static_cast<std::uint32_t>(ranges);
        if (const auto result = api_->cuptiRangeProfilerGetCounterDataSize(&size); result != kSuccess)
            return refused(*api_, result, "laying out the counters' data");
        image_.resize(size.image_size);
        DataInitializeParams initialize;
        initialize.profiler = profiler_;
        initialize.image_size = image_.size();
        initialize.image = image_.data();
        if (const auto result = api_->cuptiRangeProfilerCounterDataImageInitialize(&initialize); result != kSuccess)
            return refused(*api_, result, "laying out the counters' data");

        RangeConfigParams config;
        config.profiler = profiler_;
        config.config_size = configuration.image.size();
        config.config = configuration.image.data();
        config.image_size = image_.size();
        config.image = image_.data();
        config.range = kAutoRange;
        config.replay = kUserReplay;
        config.max_ranges = ranges;
        if (const auto result = api_->cuptiRangeProfilerSetConfig(&config); result != kSuccess)
            return refused(*api_, result, "configuring the Range Profiler");
        return {};
    }

    /// One pass; whether it was the last.
    Climbed<bool> pass(const profile::Workload& work, std::stop_token stop) {
        RangeParams start;
        start.profiler = profiler_;
        if (const auto result = api_->cuptiRangeProfilerStart(&start); result != kSuccess)
            return refused(*api_, result, "starting a pass");
        const auto ran = run_once(work, std::move(stop));
        RangeStopParams end;
        end.profiler = profiler_;
        const auto result = api_->cuptiRangeProfilerStop(&end);
        if (!ran) return std::unexpected(ran.error());
        if (result != kSuccess) return refused(*api_, result, "ending a pass");
        return end.all_passes_submitted != 0;
    }

    /// The number of ranges that were counted; their values are in image() then.
    Climbed<std::size_t> decode() {
        RangeDecodeParams decode;
        decode.profiler = profiler_;
        if (const auto result = api_->cuptiRangeProfilerDecodeData(&decode); result != kSuccess)
            return refused(*api_, result, "reading the counters");
        RangeDataInfoParams info;
        info.image = image_.data();
        info.image_size = image_.size();
        if (const auto result = api_->cuptiRangeProfilerGetCounterDataInfo(&info); result != kSuccess)
            return refused(*api_, result, "reading the counters");
        return info.ranges;
    }

    [[nodiscard]] const std::vector<std::uint8_t>& image() const { return image_; }

private:
    const CuptiApi* api_;
    RangeProfiler profiler_ = nullptr;
    std::vector<std::uint8_t> image_;
};

} // namespace

Climbed<Counted> count(const CuptiApi& api, const Target& target, const std::string& chip,
                       const Configuration& configuration, const profile::Workload& work, bool flush_l2,
                       std::stop_token stop, const device::Progress& progress) {
    Session session{api};
    if (auto opened = session.open(target, configuration, work.launches.size()); !opened)
        return std::unexpected(opened.error());
    Counted counted;
    for (bool last = false; !last;) {
        if (configuration.passes > 0)
            progress("profile: counters",
                     static_cast<double>(counted.passes) / static_cast<double>(configuration.passes));
        // CUPTI says when it has enough; a plan it never finishes would go on for ever.
        if (counted.passes > configuration.passes + 8)
            return std::unexpected(Failure{.refusal = {"the counters needed more passes than planned", {}}});
        if (auto ready = make_ready(work, flush_l2, stop); !ready) return std::unexpected(ready.error());
        const auto passed = session.pass(work, stop);
        if (!passed) return std::unexpected(passed.error());
        last = *passed;
        ++counted.passes;
    }
    const auto ranges = session.decode();
    if (!ranges) return std::unexpected(ranges.error());
    if (*ranges != work.launches.size())
        return std::unexpected(Failure{
            .refusal = {fmt::format("{} launches were counted instead of {}", *ranges, work.launches.size()), {}}});
    const auto evaluator = Evaluator::open(api, kRangeProfiler, chip, configuration);
    if (!evaluator) return refused(evaluator.error());
    for (std::size_t i = 0; i < *ranges; ++i) {
        const auto values = evaluator->values(session.image(), i);
        if (!values) return refused(values.error());
        auto& launch = counted.launches.emplace_back();
        for (std::size_t k = 0; k < values->size(); ++k)
            if (std::isfinite((*values)[k])) launch[configuration.metrics[k]->id] = (*values)[k];
    }
    return counted;
}

} // namespace kw::cupti
