#include "engine/timeline/detail_level.h"
#include "engine/timeline/query.h"
#include "tests/timeline/random_trace.h"

#include <QTest>

#include <cmath>
#include <map>
#include <set>
#include <tuple>

using namespace kw::timeline;
using kw::timeline_test::NaiveEvent;
using kw::timeline_test::RandomTrace;

namespace {

bool touches(const NaiveEvent& e, Ns begin, Ns end) {
    return e.start < end && (e.start + e.duration > begin || (e.duration == 0 && e.start >= begin));
}

/// One number per lane of the store, by its label.
std::uint32_t lane_named(const Store& store, const std::string& label) {
    for (std::uint32_t i = 0; i < store.lanes().size(); ++i)
        if (store.lanes()[i].label == label) return i;
    return UINT32_MAX;
}

Ns naive_busy(std::vector<std::pair<Ns, Ns>> spans, Ns begin, Ns end) {
    std::ranges::sort(spans);
    Ns total = 0, reached = begin;
    for (auto [from, to] : spans) {
        from = std::max(from, reached);
        to = std::min(to, end);
        if (to > from) total += to - from;
        reached = std::max(reached, to);
    }
    return total;
}

struct Case {
    unsigned seed;
    int count;
    Ns longest, span;
};
constexpr Case kCases[] = {{1, 1, 5, 1},          {2, 40, 10, 50},       {3, 500, 100, 300},
                           {4, 3000, 40, 200000}, {5, 3000, 1000, 9000}, {6, 2000, 3, 5000}};

} // namespace

class TestStore : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void every_event_is_there_once_and_rows_do_not_overlap() {
        for (const Case& c : kCases) {
            const RandomTrace trace(c.seed, c.count, c.longest, c.span);
            const Store& store = *trace.store;
            QCOMPARE(store.size(), static_cast<std::uint32_t>(c.count));
            using Key = std::tuple<std::string, Ns, Ns, std::string>;
            std::multiset<Key> expected, found;
            for (const auto& e : trace.events)
                expected.emplace("lane " + std::to_string(e.lane), e.start, e.duration, e.name);
            for (std::uint32_t l = 0; l < store.lanes().size(); ++l) {
                const Lane& lane = store.lanes()[l];
                std::uint32_t in_rows = 0;
                for (std::uint32_t r = 0; r < lane.rows.size(); ++r) {
                    Ns reached = 0;
                    for (EventId e = lane.rows[r].first; e < lane.rows[r].first + lane.rows[r].count; ++e) {
                        QVERIFY(store.start(e) >= reached);
                        reached = store.end(e);
                        QCOMPARE(store.lane_of(e), l);
                        QCOMPARE(store.row_of(e), r);
                        QCOMPARE(std::string(store.category(e)), "c" + std::string(store.name(e)));
                        found.emplace(lane.label, store.start(e), store.duration(e), std::string(store.name(e)));
                        if (lane.nested && r > 0) {
                            const EventId parent = first_starting_after(store, lane.rows[r - 1], store.start(e)) - 1;
                            QVERIFY(store.end(parent) >= store.end(e));
                        }
                    }
                    in_rows += lane.rows[r].count;
                }
                QCOMPARE(in_rows, lane.count);
            }
            QVERIFY(expected == found);
        }
    }

    void ranges_busy_times_and_statistics_agree_with_a_scan() {
        for (const Case& c : kCases) {
            const RandomTrace trace(c.seed, c.count, c.longest, c.span);
            const Store& store = *trace.store;
            std::mt19937 random(c.seed);
            for (int round = 0; round < 20; ++round) {
                const Ns begin = static_cast<Ns>(random()) % (c.span + 10),
                         end = begin + static_cast<Ns>(random()) % (c.span + 10);
                std::vector<std::uint32_t> lanes;
                std::map<std::string, std::pair<std::uint64_t, Ns>> by_name;
                std::uint64_t count = 0;
                for (std::uint32_t number = 0; number < 3; ++number) {
                    const std::uint32_t lane = lane_named(store, "lane " + std::to_string(number));
                    if (lane == UINT32_MAX) continue;
                    lanes.push_back(lane);
                    std::uint64_t expected = 0;
                    std::vector<std::pair<Ns, Ns>> spans;
                    for (const auto& e : trace.events) {
                        if (e.lane != number) continue;
                        spans.emplace_back(e.start, e.start + e.duration);
                        if (!touches(e, begin, end)) continue;
                        ++expected;
                        ++by_name[e.name].first;
                        by_name[e.name].second += e.duration;
                    }
                    QCOMPARE(events_in(store, lane, begin, end).size(), expected);
                    QCOMPARE(busy(store, lane, begin, end), naive_busy(spans, begin, end));
                    count += expected;
                }
                const auto statistics = kw::timeline::statistics(store, lanes, begin, end);
                QCOMPARE(statistics->count, count);
                QCOMPARE(statistics->names.size(), by_name.size());
                Ns before = std::numeric_limits<Ns>::max();
                for (const auto& row : statistics->names) {
                    const auto& expected = by_name[std::string(store.names()[row.name])];
                    QCOMPARE(row.count, expected.first);
                    QCOMPARE(row.total, expected.second);
                    QVERIFY(row.least <= row.most && row.total <= before);
                    QCOMPARE(store.duration(row.longest), row.most);
                    before = row.total;
                }
            }
        }
    }

    void searching_visits_every_match_in_order_both_ways() {
        for (const Case& c : kCases) {
            const RandomTrace trace(c.seed, c.count, c.longest, c.span);
            const Store& store = *trace.store;
            const NameSet names(store.names(), [](std::string_view n) { return n == "name 3" || n == "name 5"; });
            std::uint64_t expected = 0;
            for (const auto& e : trace.events) expected += e.name == "name 3" || e.name == "name 5";
            std::vector<EventId> forward;
            for (EventId e = next_match(store, names, kNoEvent); e != kNoEvent; e = next_match(store, names, e)) {
                if (!forward.empty()) QVERIFY(store.start(forward.back()) <= store.start(e));
                QCOMPARE(count_matches(store, names, e).before, forward.size());
                forward.push_back(e);
                QVERIFY(forward.size() <= expected);
            }
            QCOMPARE(forward.size(), expected);
            QCOMPARE(count_matches(store, names, kNoEvent).total, expected);
            std::vector<EventId> backward;
            for (EventId e = previous_match(store, names, kNoEvent); e != kNoEvent;
                 e = previous_match(store, names, e)) {
                backward.push_back(e);
                QVERIFY(backward.size() <= expected);
            }
            std::ranges::reverse(backward);
            QVERIFY(forward == backward);
        }
    }

    void the_event_at_a_point_is_the_one_that_is_there() {
        const RandomTrace trace(7, 2000, 40, 9000);
        const Store& store = *trace.store;
        for (std::uint32_t l = 0; l < store.lanes().size(); ++l)
            for (std::uint32_t r = 0; r < store.lanes()[l].rows.size(); ++r) {
                const Row& row = store.lanes()[l].rows[r];
                for (Ns at = 0; at < 9000; at += 7) {
                    const EventId found = event_at(store, l, r, at, 0);
                    EventId expected = kNoEvent;
                    for (EventId e = row.first; e < row.first + row.count; ++e)
                        if (store.start(e) <= at && at <= store.end(e)) expected = e;
                    QCOMPARE(found, expected);
                }
            }
    }

    void what_is_drawn_covers_what_is_there_at_every_scale() {
        for (const Case& c : kCases) {
            const RandomTrace trace(c.seed, c.count, c.longest, c.span);
            const Store& store = *trace.store;
            for (const double ns_per_pixel : {0.3, 1.0, 3.7, 20.0, 300.0, 5000.0}) {
                const Viewport view{static_cast<double>(c.span) * 0.1, ns_per_pixel, 100};
                for (const Lane& lane : store.lanes())
                    for (const Row& row : lane.rows) {
                        std::vector<RowItem> items;
                        row_items(store, row, view, items);
                        QVERIFY(items.size() <= 2 * 100 + 4);
                        // Every event in sight lies under an item; what is drawn is as long as what is there.
                        double drawn = 0, there = 0;
                        std::uint64_t events = 0, counted = 0;
                        for (EventId e = row.first; e < row.first + row.count; ++e) {
                            const double begin = (static_cast<double>(store.start(e)) - view.start) / ns_per_pixel;
                            const double end = (static_cast<double>(store.end(e)) - view.start) / ns_per_pixel;
                            if (end <= 0 || begin >= 99) continue;
                            there += std::min(end, 104.0) - std::max(begin, -4.0);
                            ++events;
                            const bool drawn_over = std::ranges::any_of(items, [&](const RowItem& item) {
                                return item.begin <= std::max(begin, -4.0) + 1
                                       && item.end >= std::min(end, 100.0) - 1.001;
                            });
                            QVERIFY2(drawn_over, qPrintable(QStringLiteral("[%1, %2)").arg(begin).arg(end)));
                        }
                        float before = -10;
                        for (const RowItem& item : items) {
                            QVERIFY(item.begin >= before - 1);
                            before = item.begin;
                            QVERIFY(item.coverage > -1e-6f && item.coverage <= 1);
                            QVERIFY(item.event >= row.first && item.event < row.first + row.count);
                            counted += item.count;
                            drawn += static_cast<double>((item.end - item.begin) * item.coverage);
                        }
                        QVERIFY(counted >= events);
                        QVERIFY2(drawn >= there - 2, qPrintable(QStringLiteral("%1 of %2").arg(drawn).arg(there)));
                    }
            }
        }
    }

    void counters_keep_their_extremes_at_every_scale() {
        Builder builder;
        Batch batch;
        const auto series = builder.shard().series("g", "power", "power");
        std::mt19937 random(3);
        for (int i = 0; i < 5000; ++i) batch.samples.push_back({i * 10, static_cast<double>(random() % 1000), series});
        batch.samples[2500].value = 5000;
        batch.sort_by_lane(0);
        builder.commit(std::move(batch));
        builder.set_sample_interval(10);
        const auto store = *builder.finish();
        QCOMPARE(store->counters().size(), 1u);
        const Series& found = store->counters()[0].series[0];
        QCOMPARE(found.most, 5000.0);
        QCOMPARE(found.end, Ns{50000});
        QCOMPARE(value_at(found, 25005), std::optional(5000.0));
        QVERIFY(!value_at(found, 50000));
        for (const double ns_per_pixel : {1.0, 17.0, 333.0, 500.0}) {
            std::vector<SeriesItem> items;
            series_items(found, {0, ns_per_pixel, 50000 / ns_per_pixel}, items);
            QVERIFY(static_cast<double>(items.size()) <= 2 * 50000 / ns_per_pixel + 2);
            double most = 0;
            for (const auto& item : items) most = std::max(most, item.most);
            QCOMPARE(most, 5000.0);
            for (std::size_t i = 1; i < items.size(); ++i) QVERIFY(items[i].begin >= items[i - 1].end - 0.01f);
        }
    }

    void begins_and_ends_are_joined() {
        Builder builder;
        Batch batch;
        auto& shard = builder.shard();
        const auto lane = shard.lane("g", "l");
        const auto edge = [&](Ns at, Phase phase, const char* name) {
            batch.events.push_back({.start = at,
                                    .duration = 0,
                                    .name = shard.name(name),
                                    .origin = 0,
                                    .lane = lane,
                                    .category = 0,
                                    .phase = phase});
        };
        edge(0, Phase::begin, "outer");
        edge(10, Phase::begin, "inner");
        edge(20, Phase::end, "");
        edge(30, Phase::end, "outer");
        edge(35, Phase::end, "never begun");
        edge(40, Phase::begin, "never ended");
        edge(50, Phase::begin, "last");
        edge(60, Phase::end, "last");
        batch.sort_by_lane(shard.lanes());
        builder.commit(std::move(batch));
        const auto store = *builder.finish();
        std::map<std::string, std::pair<Ns, Ns>> found;
        for (const Row& row : store->lanes()[0].rows)
            for (EventId e = row.first; e < row.first + row.count; ++e)
                found[std::string(store->name(e))] = {store->start(e), store->end(e)};
        const std::map<std::string, std::pair<Ns, Ns>> expected{
            {"outer", {0, 30}}, {"inner", {10, 20}}, {"never ended", {40, 60}}, {"last", {50, 60}}};
        QVERIFY(found == expected);
        QCOMPARE(store->warnings().size(), 2u);
    }

    void chains_become_arrows() {
        Builder builder;
        Batch batch;
        auto& shard = builder.shard();
        const auto cpu = shard.lane("cpu", "t"), gpu = shard.lane("gpu", "s");
        const auto event = [&](std::uint32_t lane, Ns at, Ns length, const char* name) {
            batch.events.push_back({.start = at,
                                    .duration = length,
                                    .name = shard.name(name),
                                    .origin = 0,
                                    .lane = lane,
                                    .category = 0,
                                    .phase = Phase::complete});
        };
        event(cpu, 0, 100, "op");
        event(cpu, 10, 20, "launch");
        event(gpu, 50, 10, "kernel");
        event(gpu, 70, 10, "copy");
        batch.flows.push_back({RawFlow::Kind::start, 1, 10, cpu});
        batch.flows.push_back({RawFlow::Kind::step, 1, 50, gpu});
        batch.flows.push_back({RawFlow::Kind::finish, 1, 65, gpu}); // binds to the next
        batch.flows.push_back({RawFlow::Kind::finish, 2, 65, gpu}); // of no start
        batch.sort_by_lane(shard.lanes());
        builder.commit(std::move(batch));
        const auto store = *builder.finish();
        std::vector<std::pair<std::string, std::string>> found;
        for (const Flow& flow : store->flows()) {
            found.emplace_back(store->name(flow.from), store->name(flow.to));
            QCOMPARE(store->flows_from(flow.from).size(), 1u);
            QVERIFY(store->flows_to(flow.to) == std::vector{flow});
        }
        std::ranges::sort(found);
        const std::vector<std::pair<std::string, std::string>> expected{{"kernel", "copy"}, {"launch", "kernel"}};
        QVERIFY(found == expected);
    }

    void an_event_takes_no_more_than_promised() {
        const RandomTrace trace(9, 100000, 50, 10'000'000);
        QVERIFY(trace.store->memory_bytes() < 64 * 100000);
    }
};

QTEST_APPLESS_MAIN(TestStore)
#include "test_store.moc"
