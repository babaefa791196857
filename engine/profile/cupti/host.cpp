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

struct Named {
    const profile::Metric* metric;
    std::string name; ///< empty: the chip has none of the metric's names
};

bool accepts(const CuptiApi& api, ProfilerType type, const std::string& chip, std::span<const Named> named) {
    std::vector<std::string> names;
    for (const auto& each : named) names.push_back(each.name);
    Host host{api, type, chip};
    return host.result() == kSuccess && host.add(names);
}

/// Replaces names that the chip does not know. A question about many costs about what one about few does, and few names
/// are refused, so those are found by halving.
void resolve(const CuptiApi& api, ProfilerType type, const std::string& chip, std::span<Named> named) {
    if (named.empty() || accepts(api, type, chip, named)) return;
    if (named.size() > 1) {
        const auto half = named.size() / 2;
        resolve(api, type, chip, named.first(half));
        resolve(api, type, chip, named.subspan(half));
        return;
    }
    auto& only = named.front();
    for (const auto& name : names_of(*only.metric, type)) {
        only.name = name;
        if (accepts(api, type, chip, named)) return;
    }
    only.name.clear();
}

Result<Configuration> plan(const CuptiApi& api, ProfilerType type, const std::string& chip,
                           std::span<const Named> named) {
    Configuration configuration;
    for (const auto& each : named) {
        if (each.name.empty()) {
            configuration.missing.push_back(each.metric);
        } else {
            configuration.metrics.push_back(each.metric);
            configuration.names.push_back(each.name);
        }
    }
    if (configuration.names.empty()) return configuration;
    Host host{api, type, chip};
    if (host.result() != kSuccess) return error(api, host.result(), "preparing the counters");
    if (!host.add(configuration.names))
        return fail(Stage::profile, ErrorCode::unsupported,
                    fmt::format("{} metrics cannot be counted together", configuration.names.size()));
    if (auto done = host.finish(configuration); !done) return std::unexpected(done.error());
    return configuration;
}

Result<std::vector<Named>> first_names(const CuptiApi& api, ProfilerType type, const std::string& chip,
                                       std::span<const profile::Metric* const> metrics) {
    if (!api.cuptiProfilerHostInitialize)
        return fail(Stage::profile, ErrorCode::unsupported, "this CUPTI is older than 12.6 and cannot plan counters");
    if (const Host host{api, type, chip}; host.result() != kSuccess)
        return fail(Stage::profile, ErrorCode::unsupported,
                    fmt::format("this CUPTI ({}) does not know the chip {}", api.toolkit, chip));
    std::vector<Named> named;
    for (const auto* metric : metrics)
        if (const auto& names = names_of(*metric, type); !names.empty()) named.push_back({metric, names.front()});
    return named;
}

} // namespace

Result<Configuration> configure(const CuptiApi& api, ProfilerType type, const std::string& chip,
                                std::span<const profile::Metric* const> metrics) {
    auto named = first_names(api, type, chip, metrics);
    if (!named) return std::unexpected(named.error());
    // Mostly the chip has them all under their first names.
    if (auto configuration = plan(api, type, chip, *named)) return configuration;
    resolve(api, type, chip, *named);
    return plan(api, type, chip, *named);
}

Result<Configuration> configure_single_pass(const CuptiApi& api, ProfilerType type, const std::string& chip,
                                            std::span<const profile::Metric* const> metrics) {
    auto named = first_names(api, type, chip, metrics);
    if (!named) return std::unexpected(named.error());
    if (auto all = plan(api, type, chip, *named); all && all->passes <= 1) return all;
    resolve(api, type, chip, *named);
    Configuration best;
    std::vector<Named> taken;
    std::vector<const profile::Metric*> left;
    for (const auto& each : *named) {
        taken.push_back(each);
        auto tried = plan(api, type, chip, taken);
        if (!each.name.empty() && tried && tried->passes <= 1) {
            best = std::move(*tried);
        } else {
            taken.pop_back();
            left.push_back(each.metric);
        }
    }
    best.missing = std::move(left);
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
