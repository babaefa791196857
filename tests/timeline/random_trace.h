#pragma once

#include "engine/timeline/builder.h"

#include <algorithm>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace kw::timeline_test {

struct NaiveEvent {
    timeline::Ns start, duration;
    std::uint32_t lane;
    std::string name;
    std::uint64_t origin;
};

/// Events on a few lanes: nested, overlapping, adjacent and instants, and the store that the builder makes of them. The
/// first event begins at 0, so that times are the store's.
struct RandomTrace {
    std::vector<NaiveEvent> events;
    std::shared_ptr<const timeline::Store> store;

    RandomTrace(unsigned seed, int count, timeline::Ns longest, timeline::Ns span) {
        std::mt19937 random(seed);
        const auto below = [&](timeline::Ns limit) {
            return static_cast<timeline::Ns>(random()) % std::max<timeline::Ns>(1, limit);
        };
        for (int i = 0; i < count; ++i)
            events.push_back({i == 0 ? 0 : below(span), random() % 5 == 0 ? 0 : below(longest),
                              static_cast<std::uint32_t>(random() % 3), "name " + std::to_string(random() % 7),
                              static_cast<std::uint64_t>(i)});
        timeline::Builder builder(2);
        for (int i = 0; i < count;) {
            const std::uint32_t shard = random() % 2;
            timeline::Batch batch;
            batch.shard = shard;
            batch.origin = static_cast<std::uint64_t>(i);
            for (int in_batch = 0; i < count && in_batch < 50; ++i, ++in_batch) {
                const auto& e = events[static_cast<std::size_t>(i)];
                auto& s = builder.shard(shard);
                batch.events.push_back({.start = e.start,
                                        .duration = e.duration,
                                        .name = s.name(e.name),
                                        .origin = static_cast<std::uint32_t>(in_batch),
                                        .lane = s.lane("g", "lane " + std::to_string(e.lane)),
                                        .category = s.category("c" + e.name),
                                        .phase = timeline::Phase::complete});
            }
            batch.sort_by_lane(builder.shard(shard).lanes());
            builder.commit(std::move(batch));
        }
        store = *builder.finish();
    }
};

} // namespace kw::timeline_test
