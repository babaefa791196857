#include "engine/profile/live.h"

#include "engine/profile/report_reader.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace kw::profile {
namespace {

constexpr double kUnknown = std::numeric_limits<double>::quiet_NaN();

bool is_empty(const LiveUpdate& update) {
    return update.activities.empty() && update.sampling.end_ns.empty() && update.dropped == 0
           && update.dropped_samples == 0;
}

template<class T> void drop_front(std::vector<T>& values, std::size_t count) {
    values.erase(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count));
}

/// Appends; a metric that one side lacks is unknown there.
void append(Sampling& to, const Sampling& more) {
    const auto before = to.end_ns.size();
    if (more.interval_ns != 0) to.interval_ns = more.interval_ns;
    to.overflowed = to.overflowed || more.overflowed;
    to.end_ns.insert(to.end_ns.end(), more.end_ns.begin(), more.end_ns.end());
    for (const auto& [id, values] : more.values) {
        auto& all = to.values[id];
        all.resize(before, kUnknown);
        all.insert(all.end(), values.begin(), values.end());
    }
    for (auto& [id, values] : to.values) values.resize(to.end_ns.size(), kUnknown);
}

} // namespace

void LiveBuffer::add(const LiveUpdate& update) {
    const std::scoped_lock lock{mutex_};
    pending_.dropped += update.dropped;
    pending_.dropped_samples += update.dropped_samples;
    auto& activities = pending_.activities;
    activities.insert(activities.end(), update.activities.begin(), update.activities.end());
    if (activities.size() > kLiveActivities) {
        const auto excess = activities.size() - kLiveActivities;
        drop_front(activities, excess);
        pending_.dropped += excess;
    }
    auto& sampling = pending_.sampling;
    append(sampling, update.sampling);
    if (sampling.end_ns.size() > kLiveSamples) {
        const auto excess = sampling.end_ns.size() - kLiveSamples;
        drop_front(sampling.end_ns, excess);
        for (auto& [id, values] : sampling.values) drop_front(values, excess);
        pending_.dropped_samples += excess;
    }
}

std::optional<LiveUpdate> LiveBuffer::take() {
    const std::scoped_lock lock{mutex_};
    if (is_empty(pending_)) return std::nullopt;
    return std::exchange(pending_, {});
}

Json to_json(const LiveUpdate& update) {
    Json json{{"activities", Json::array()}, {"sampling", to_json(update.sampling)}};
    for (const auto& activity : update.activities) json["activities"].push_back(to_json(activity));
    if (update.dropped != 0) json["dropped"] = update.dropped;
    if (update.dropped_samples != 0) json["dropped_samples"] = update.dropped_samples;
    return json;
}

Result<LiveUpdate> live_update_from_json(const Json& json) {
    return read_json<LiveUpdate>("live update", json, [](const JsonReader& reader) {
        LiveUpdate update;
        reader.each("activities", [&](const JsonReader& item) { update.activities.push_back(read_activity(item)); });
        update.sampling = read_sampling(reader.at("sampling"));
        reader.optional("dropped", update.dropped);
        reader.optional("dropped_samples", update.dropped_samples);
        return update;
    });
}

} // namespace kw::profile
