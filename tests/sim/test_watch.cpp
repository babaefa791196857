#include "engine/device/sim/watch.h"
#include "tests/sim/harness.h"

#include <limits>

using namespace kw;
using namespace kw::sim;
using kw::sim::test::Bench;
using kw::sim::test::Parameters;

namespace {

/// y[i] = x[i], lanes of pairs by one wide store each; odd threads of the second kernel add to y[0].
const std::string kPtx = test::header() + R"(
.visible .entry copy(.param .u64 x, .param .u64 y) {
    .reg .pred %p<2>;
    .reg .b32 %r<8>;
    .reg .f32 %f<8>;
    .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [x];
    ld.param.u64 %rd2, [y];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.s32 %r4, %r1, %r2, %r3;
    mul.wide.u32 %rd3, %r4, 8;
    add.s64 %rd4, %rd1, %rd3;
    add.s64 %rd5, %rd2, %rd3;
    .loc 1 4 1
    ld.global.v2.f32 {%f1, %f2}, [%rd4];
    .loc 1 5 1
    sub.f32 %f3, %f1, %f1;
    .loc 1 6 1
    add.f32 %f4, %f2, %f3;
    setp.eq.s32 %p1, %r4, 3;
    .loc 1 7 1
    @!%p1 st.global.v2.f32 [%rd5], {%f1, %f4};
    ret;
}
.visible .entry more(.param .u64 y) {
    .reg .pred %p<2>;
    .reg .b32 %r<8>;
    .reg .f32 %f<4>;
    .reg .b64 %rd<4>;
    ld.param.u64 %rd1, [y];
    mov.u32 %r1, %tid.x;
    and.b32 %r2, %r1, 1;
    setp.eq.s32 %p1, %r2, 1;
    mov.f32 %f1, 0f3F800000;
    .loc 1 12 1
    @%p1 red.global.add.f32 [%rd1], %f1;
    ret;
}
.file 1 "k.cu"
)";

class TestWatch : public QObject {
    Q_OBJECT

    struct Scene {
        Bench bench{kPtx};
        device::Pointer x, y;
        explicit Scene(std::vector<float> values) {
            x = bench.upload(values);
            y = bench.upload(std::vector<float>(values.size(), -1.0f));
        }
        Watched watch(std::size_t element, std::optional<TracedThread> trace = {},
                      NonFinite looked_for = NonFinite::nan) {
            const WatchOptions options{.begin = y + element * 4, .bytes = 4, .trace = trace, .looked_for = looked_for};
            auto seen = sim::watch(*bench.device, options, [&] {
                auto outcome = bench.launch("copy", {2, 1, 1}, {4, 1, 1}, Parameters().add(x).add(y));
                if (!outcome || outcome->fault) return outcome;
                return bench.launch("more", {1, 1, 1}, {64, 1, 1}, Parameters().add(y));
            });
            if (!seen) qFatal("%s", seen.error().message.c_str());
            return std::move(*seen);
        }
    };

private Q_SLOTS:
    void stores_name_their_thread() {
        Scene scene(std::vector<float>(16, 2.0f));
        const auto seen = scene.watch(11);
        QVERIFY(!seen.fault);
        QCOMPARE(seen.stores.size(), std::size_t{1});
        const auto& store = seen.stores[0];
        QCOMPARE(store.kernel, std::string{"copy"});
        QCOMPARE(store.launch, std::size_t{0});
        QVERIFY((store.block == device::Dim3{1, 0, 0} && store.thread == device::Dim3{1, 0, 0}));
        QVERIFY((store.where == Where{"k.cu", 7, 1}));
        QVERIFY(!store.atomic && !store.whole_warp);
        // What ran is what runs without being watched.
        const auto values = scene.bench.download<float>(scene.y, 16);
        QCOMPARE(values[11], 2.0f);
        QCOMPARE(values[0], 34.0f);
    }

    void a_store_that_is_not_made_is_not_seen() {
        Scene scene(std::vector<float>(16, 2.0f));
        QVERIFY(scene.watch(6).stores.empty());
        QVERIFY(scene.watch(7).stores.empty());
        QCOMPARE(scene.watch(8).stores.size(), std::size_t{1});
    }

    void atomics_of_many_threads_are_counted() {
        Scene scene(std::vector<float>(16, 2.0f));
        const auto seen = scene.watch(0);
        QCOMPARE(seen.stores.size(), kMostStores);
        QCOMPARE(seen.more, std::uint64_t{1 + 32 - kMostStores});
        QVERIFY(!seen.stores[0].atomic && seen.stores[1].atomic);
        QCOMPARE(seen.stores[1].launch, std::size_t{1});
        QCOMPARE(seen.stores[1].where.line, 12);
        QCOMPARE(seen.stores[1].thread.x, 1u);
    }

    void the_first_nan_is_found() {
        std::vector<float> values(16, 2.0f);
        values[10] = std::numeric_limits<float>::infinity();
        Scene scene(values);
        const TracedThread thread{.launch = 0, .block = {1, 0, 0}, .thread = {1, 0, 0}};
        const auto seen = scene.watch(11, thread);
        QVERIFY(seen.origin.has_value());
        QCOMPARE(seen.origin->line, 5); // infinity − infinity
        QVERIFY2(seen.what.find("subtraction") != std::string::npos, seen.what.c_str());
        // The infinity itself came from memory.
        const auto infinite = scene.watch(10, thread, NonFinite::infinity);
        QCOMPARE(infinite.origin.value().line, 4);
        QVERIFY2(infinite.what.find("read from global memory") != std::string::npos, infinite.what.c_str());
        // Another thread has made none.
        const TracedThread other{.launch = 0, .block = {1, 0, 0}, .thread = {2, 0, 0}};
        QVERIFY(!scene.watch(11, other).origin.has_value());
    }

    void nothing_stays_behind() {
        Scene scene(std::vector<float>(16, 2.0f));
        QCOMPARE(scene.watch(11).stores.size(), std::size_t{1});
        const auto outcome = scene.bench.launch("copy", {2, 1, 1}, {4, 1, 1}, Parameters().add(scene.x).add(scene.y));
        QVERIFY(outcome && !outcome->fault);
        QCOMPARE(scene.watch(11).stores.size(), std::size_t{1});
    }

    void a_fault_is_told() {
        Scene scene(std::vector<float>(16, 2.0f));
        const WatchOptions options{.begin = scene.y, .bytes = 4};
        const auto seen = sim::watch(*scene.bench.device, options, [&] {
            return scene.bench.launch("copy", {200, 1, 1}, {4, 1, 1}, Parameters().add(scene.x).add(scene.y));
        });
        QVERIFY(seen.has_value());
        QVERIFY(seen->fault.has_value());
    }
};

} // namespace

QTEST_GUILESS_MAIN(TestWatch)
#include "test_watch.moc"
