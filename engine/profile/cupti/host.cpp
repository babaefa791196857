#include "engine/profile/cupti/host.h"

#include <fmt/format.h>

#include <limits>
#include <utility>

namespace kw::cupti {
namespace {

std::unexpected<Error> error(const CuptiApi& api, CUptiResult result, std::string_view doing) {
    return fail(Stage::profile, ErrorCode::device, explain(api, result, doing).reason);
}

std::vector<const char*> c_strings(std::span<const std::string> names) {
    std::vector<const char*> texts;
    for (const auto& name : names) texts.push_back(name.c_str());
    return texts;
}

/// A host object for its lifetime. A name that it refuses spoils it, and names are packed into few passes only when
/// they are added by one call.
class Host {
public:
    Host(const CuptiApi& api, ProfilerType type, const std::string& chip) : api_(&api) {
        HostInitializeParams params;
        params.type = type;
        params.chip = chip.c_str();
        result_ = api.cuptiProfilerHostInitialize(&params);
        object_ = params.object;
    }
    ~Host() {
        if (!object_) return;
        HostObjectParams params;
        params.object = object_;
        api_->cuptiProfilerHostDeinitialize(&params);
    }
    Host(const Host&) = delete;
    Host& operator=(const Host&) = delete;

    [[nodiscard]] CUptiResult result() const { return result_; }
    [[nodiscard]] bool add(std::span<const std::string> names) {
        auto texts = c_strings(names);
        HostMetricsParams params;
        params.object = object_;
        params.names = texts.data();
        params.count = texts.size();
        return api_->cuptiProfilerHostConfigAddMetrics(&params) == kSuccess;
    }
    [[nodiscard]] Result<void> finish(Configuration& configuration) {
        HostConfigSizeParams size;
        size.object = object_;
        if (const auto result = api_->cuptiProfilerHostGetConfigImageSize(&size); result != kSuccess)
            return error(*api_, result, "planning the counters");
        configuration.image.resize(size.image_size);
        HostConfigParams config;
        config.object = object_;
        config.image_size = configuration.image.size();
        config.image = configuration.image.data();
        if (const auto result = api_->cuptiProfilerHostGetConfigImage(&config); result != kSuccess)
            return error(*api_, result, "planning the counters");
        HostPassesParams passes;
        passes.image_size = configuration.image.size();
        passes.image = configuration.image.data();
        if (const auto result = api_->cuptiProfilerHostGetNumOfPasses(&passes); result != kSuccess)
            return error(*api_, result, "planning the counters");
        configuration.passes = passes.passes;
        return {};
    }
    [[nodiscard]] HostObject release() { return std::exchange(object_, nullptr); }

private:
    const CuptiApi* api_;
    HostObject object_ = nullptr;
    CUptiResult result_ = kSuccess;
};

const std::vector<std::string>& names_of(const profile::Metric& metric, ProfilerType type) {
    return type == kPmSampler ? metric.sampled_names : metric.names;
}

/// The chip's name of a metric, or empty.
std::string probe(const CuptiApi& api, ProfilerType type, const std::string& chip, const profile::Metric& metric) {
    for (const auto& name : names_of(metric, type)) {
        Host host{api, type, chip};
        if (host.result() == kSuccess && host.add({&name, 1})) return name;
    }
    return {};
}

Result<Configuration> plan(const CuptiApi& api, ProfilerType type, const std::string& chip,
                           std::vector<const profile::Metric*> metrics, std::vector<std::string> names) {
    Configuration configuration;
    configuration.metrics = std::move(metrics);
    configuration.names = std::move(names);
    if (configuration.names.empty()) return configuration;
    Host host{api, type, chip};
    if (host.result() != kSuccess) return error(api, host.result(), "preparing the counters");
    if (!host.add(configuration.names))
        return fail(Stage::profile, ErrorCode::unsupported,
                    fmt::format("{} metrics cannot be counted together", configuration.names.size()));
    if (auto done = host.finish(configuration); !done) return std::unexpected(done.error());
    return configuration;
}

struct Probed {
    std::vector<const profile::Metric*> metrics;
    std::vector<std::string> names;
    std::vector<const profile::Metric*> missing;
};

Result<Probed> probe_all(const CuptiApi& api, ProfilerType type, const std::string& chip,
                         std::span<const profile::Metric* const> metrics) {
    if (!api.cuptiProfilerHostInitialize)
        return fail(Stage::profile, ErrorCode::unsupported, "this CUPTI is older than 12.6 and cannot plan counters");
    if (const Host host{api, type, chip}; host.result() != kSuccess)
        return fail(Stage::profile, ErrorCode::unsupported,
                    fmt::format("this CUPTI ({}) does not know the chip {}", api.toolkit, chip));
    Probed probed;
    for (const auto* metric : metrics) {
        if (names_of(*metric, type).empty()) continue;
        probed.metrics.push_back(metric);
        probed.names.push_back(names_of(*metric, type).front());
    }
    // Mostly the chip has them all under their first name, and one question answers that.
    if (Host host{api, type, chip}; host.add(probed.names)) return probed;
    const auto candidates = std::exchange(probed.metrics, {});
    probed.names.clear();
    for (const auto* metric : candidates) {
        auto name = probe(api, type, chip, *metric);
        if (name.empty()) {
            probed.missing.push_back(metric);
        } else {
            probed.metrics.push_back(metric);
            probed.names.push_back(std::move(name));
        }
    }
    return probed;
}

} // namespace

Result<Configuration> configure(const CuptiApi& api, ProfilerType type, const std::string& chip,
                                std::span<const profile::Metric* const> metrics) {
    auto probed = probe_all(api, type, chip, metrics);
    if (!probed) return std::unexpected(probed.error());
    auto configuration = plan(api, type, chip, std::move(probed->metrics), std::move(probed->names));
    if (configuration) configuration->missing = std::move(probed->missing);
    return configuration;
}

Result<Configuration> configure_single_pass(const CuptiApi& api, ProfilerType type, const std::string& chip,
                                            std::span<const profile::Metric* const> metrics) {
    auto probed = probe_all(api, type, chip, metrics);
    if (!probed) return std::unexpected(probed.error());
    Configuration best;
    for (std::size_t i = 0; i < probed->metrics.size(); ++i) {
        auto longer = best.metrics;
        auto names = best.names;
        longer.push_back(probed->metrics[i]);
        names.push_back(probed->names[i]);
        auto tried = plan(api, type, chip, std::move(longer), std::move(names));
        if (tried && tried->passes <= 1) {
            tried->missing = std::move(best.missing);
            best = std::move(*tried);
        } else {
            best.missing.push_back(probed->metrics[i]);
        }
    }
    best.missing.insert(best.missing.end(), probed->missing.begin(), probed->missing.end());
    return best;
}

Result<Evaluator> Evaluator::open(const CuptiApi& api, ProfilerType type, const std::string& chip,
                                  const Configuration& configuration) {
    Host host{api, type, chip};
    if (host.result() != kSuccess) return error(api, host.result(), "reading the counters");
    return Evaluator{api, host.release(), c_strings(configuration.names)};
}

Evaluator::Evaluator(Evaluator&& other) noexcept
    : api_(other.api_), object_(std::exchange(other.object_, nullptr)), names_(std::move(other.names_)) {}

Evaluator::~Evaluator() {
    if (!object_) return;
    HostObjectParams params;
    params.object = object_;
    api_->cuptiProfilerHostDeinitialize(&params);
}

Result<std::vector<double>> Evaluator::values(std::span<const std::uint8_t> image, std::size_t index) const {
    std::vector<double> values(names_.size(), std::numeric_limits<double>::quiet_NaN());
    HostEvaluateParams params;
    params.object = object_;
    params.image = image.data();
    params.image_size = image.size();
    params.range = index;
    params.names = const_cast<const char**>(names_.data());
    params.count = names_.size();
    params.values = values.data();
    if (const auto result = api_->cuptiProfilerHostEvaluateToGpuValues(&params); result != kSuccess)
        return error(*api_, result, "reading the counters");
    return values;
}

} // namespace kw::cupti
