#include "engine/profile/cupti/pm_sampling.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <utility>

namespace kw::cupti {
namespace {

/// The image for so many samples of ten metrics takes some 50 MB, and clearing it 30 ms.
constexpr std::uint32_t kSamplesPerDecode = 1024;
constexpr std::size_t kHardwareBytes = std::size_t{64} << 20;
/// What is shorter fills buffers faster than they are read: reading one sample took 0.1 ms next to an H200.
constexpr std::uint64_t kShortestNs = 5'000;
constexpr std::uint64_t kLongestNs = 1'000'000;
constexpr double kSamplesPerRun = 100;
constexpr double kMostSamples = 4000;

} // namespace

std::uint64_t choose_interval_ns(double run_ns, double total_ns) {
    const auto wanted = std::max(run_ns / kSamplesPerRun, total_ns / kMostSamples);
    const auto rounded = std::ceil(std::min(wanted, 1e9) / static_cast<double>(kShortestNs));
    return std::clamp(static_cast<std::uint64_t>(rounded) * kShortestNs, kShortestNs, kLongestNs);
}

PmSampling::~PmSampling() {
    if (!sampler_) return;
    PmParams params;
    params.sampler = sampler_;
    api_->cuptiPmSamplingDisable(&params);
}

Climbed<void> PmSampling::open(const Target& target, const std::string& chip, const Configuration& configuration,
                               std::uint64_t interval_ns) {
    configuration_ = &configuration;
    interval_ns_ = interval_ns;
    auto evaluator = Evaluator::open(*api_, kPmSampler, chip, configuration);
    if (!evaluator) return refused(evaluator.error());
    evaluator_ = std::make_unique<Evaluator>(std::move(*evaluator));

    PmEnableParams enable;
    enable.device = static_cast<std::size_t>(target.device);
    if (const auto result = api_->cuptiPmSamplingEnable(&enable); result != kSuccess)
        return refused(*api_, result, "enabling PM sampling");
    sampler_ = enable.sampler;

    PmConfigParams config;
    config.sampler = sampler_;
    config.config_size = configuration.image.size();
    config.config = configuration.image.data();
    config.hardware_buffer_bytes = kHardwareBytes;
    config.interval = interval_ns;
    if (const auto result = api_->cuptiPmSamplingSetConfig(&config); result != kSuccess)
        return refused(*api_, result, "configuring PM sampling");

    std::vector<const char*> names;
    names.reserve(configuration.names.size());
    for (const auto& name : configuration.names) names.push_back(name.c_str());
    PmDataSizeParams size;
    size.sampler = sampler_;
    size.names = names.data();
    size.count = names.size();
    size.max_samples = kSamplesPerDecode;
    if (const auto result = api_->cuptiPmSamplingGetCounterDataSize(&size); result != kSuccess)
        return refused(*api_, result, "laying out the samples");
    image_.resize(size.image_size);
    return reset();
}

Climbed<void> PmSampling::reset() {
    DataInitializeParams params;
    params.profiler = sampler_;
    params.image_size = image_.size();
    params.image = image_.data();
    if (const auto result = api_->cuptiPmSamplingCounterDataImageInitialize(&params); result != kSuccess)
        return refused(*api_, result, "laying out the samples");
    return {};
}

Climbed<void> PmSampling::start() {
    first_ = true;
    PmParams params;
    params.sampler = sampler_;
    if (const auto result = api_->cuptiPmSamplingStart(&params); result != kSuccess)
        return refused(*api_, result, "starting PM sampling");
    return {};
}

Climbed<void> PmSampling::stop() {
    PmParams params;
    params.sampler = sampler_;
    if (const auto result = api_->cuptiPmSamplingStop(&params); result != kSuccess)
        return refused(*api_, result, "stopping PM sampling");
    return {};
}

Climbed<profile::Sampling> PmSampling::take() {
    profile::Sampling sampling;
    sampling.interval_ns = interval_ns_;
    for (;;) {
        const auto more = decode(sampling);
        if (!more) return std::unexpected(more.error());
        if (!*more) return sampling;
    }
}

/// Whether there may be more.
Climbed<bool> PmSampling::decode(profile::Sampling& into) {
    PmDecodeParams decode;
    decode.sampler = sampler_;
    decode.image = image_.data();
    decode.image_size = image_.size();
    const auto decoded = api_->cuptiPmSamplingDecodeData(&decode);
    // The hardware wrote faster than it was read: what is there is lost, what was read before stays.
    if (decoded == kOutOfMemory) {
        into.overflowed = true;
        return false;
    }
    if (decoded != kSuccess) return refused(*api_, decoded, "reading the samples");
    into.overflowed = into.overflowed || decode.overflow != 0;
    PmDataInfoParams info;
    info.image = image_.data();
    info.image_size = image_.size();
    if (const auto result = api_->cuptiPmSamplingGetCounterDataInfo(&info); result != kSuccess)
        return refused(*api_, result, "reading the samples");
    for (std::size_t i = 0; i < info.completed; ++i) {
        if (std::exchange(first_, false)) continue;
        PmSampleInfoParams sample;
        sample.sampler = sampler_;
        sample.image = image_.data();
        sample.image_size = image_.size();
        sample.sample = i;
        if (const auto result = api_->cuptiPmSamplingCounterDataGetSampleInfo(&sample); result != kSuccess)
            return refused(*api_, result, "reading the samples");
        const auto values = evaluator_->values(image_, i);
        if (!values) return refused(values.error());
        into.end_ns.push_back(sample.end_ns);
        for (std::size_t k = 0; k < values->size(); ++k)
            into.values[configuration_->metrics[k]->id].push_back((*values)[k]);
    }
    if (info.completed > 0)
        if (auto done = reset(); !done) return std::unexpected(done.error());
    return decode.stop == kDataFull;
}

} // namespace kw::cupti
