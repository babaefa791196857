#include "engine/task/half.h"
#include "engine/verify/compare.h"

#include <QTest>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>

using namespace kw::verify;
using kw::task::ScalarType;
using kw::task::Tolerance;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();
const float kNaN = std::nanf("");

template<class T> std::span<const std::byte> bytes(const std::vector<T>& values) {
    return std::as_bytes(std::span(values));
}

template<class T>
Comparison run(ScalarType type, const std::vector<T>& expected, const std::vector<T>& actual, Tolerance tolerance = {},
               std::vector<std::int64_t> shape = {}) {
    if (shape.empty()) shape = {static_cast<std::int64_t>(expected.size())};
    return compare(bytes(expected), bytes(actual), type, shape, tolerance);
}

Comparison run(const std::vector<float>& expected, const std::vector<float>& actual, Tolerance tolerance = {},
               std::vector<std::int64_t> shape = {}) {
    return run(ScalarType::f32, expected, actual, tolerance, std::move(shape));
}

/// Distance in representable numbers, counted the slow way.
std::uint64_t ulps(float a, float b) {
    const auto key = [](float x) {
        const auto bits = std::bit_cast<std::int32_t>(x);
        return bits < 0 ? -std::int64_t{bits & 0x7FFFFFFF} : std::int64_t{bits};
    };
    return static_cast<std::uint64_t>(std::abs(key(a) - key(b)));
}

std::size_t bucket_of(std::uint64_t ulp) {
    std::size_t bucket = 0;
    for (std::uint64_t limit = 0; ulp > limit && bucket < 11; limit = limit == 0 ? 1 : limit * 10) ++bucket;
    return bucket;
}

} // namespace

class TestCompare : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void specialValues() {
        QVERIFY(run({0.0f, kInf, -kInf, 1}, {-0.0f, kInf, -kInf, 1}).ok());
        QCOMPARE(run({0.0f}, {-0.0f}).max_ulp, std::uint64_t{0});
        QCOMPARE(run({1, kNaN}, {1, kNaN}).mismatches, std::uint64_t{1});
        QCOMPARE(run({1, 2}, {1, kNaN}).nan, std::uint64_t{1});
        QCOMPARE(run({kNaN}, {1}).mismatches, std::uint64_t{1});
        QCOMPARE(run({kInf}, {1}).mismatches, std::uint64_t{1});
        QCOMPARE(run({1}, {kInf}).mismatches, std::uint64_t{1});
        QCOMPARE(run({kInf}, {-kInf}).mismatches, std::uint64_t{1});
        // A huge tolerance lets no NaN and no lone infinity through.
        const Tolerance all{1e30, 1e30};
        QVERIFY(run({1}, {1e20f}, all).ok());
        QVERIFY(!run({1}, {kNaN}, all).ok());
        QVERIFY(!run({kInf}, {1}, all).ok());
        QVERIFY(!run({1}, {kInf}, all).ok());
        const auto denormal = run({0}, {1e-45f}, {0, 0});
        QCOMPARE(denormal.max_ulp, std::uint64_t{1});
        QCOMPARE(denormal.mismatches, std::uint64_t{1});
        QCOMPARE(run({-1e-45f}, {1e-45f}).max_ulp, std::uint64_t{2});
    }

    void toleranceIsNumpys() {
        QVERIFY(run({100}, {100.5f}, {0.25, 0.0025}).ok());
        QVERIFY(!run({100}, {100.5625f}, {0.25, 0.0025}).ok());
        QVERIFY(run({100}, {101}, {1, 0}).ok());
        QVERIFY(!run({100}, {101.00001f}, {1, 0}).ok());
    }

    void firstMismatch() {
        std::vector<float> expected(3 * 5 * 700, 1.0f), actual = expected;
        actual[2 * 3500 + 3] = 2.5f;
        actual[9000] = kNaN;
        const auto result = run(expected, actual, {}, {3, 5, 700});
        QCOMPARE(result.mismatches, std::uint64_t{2});
        QVERIFY(result.first_mismatch.has_value());
        QCOMPARE(result.first_mismatch->index, std::uint64_t{7003});
        QCOMPARE(result.first_mismatch->coordinates, (std::vector<std::uint64_t>{2, 0, 3}));
        QCOMPARE(result.first_mismatch->expected_text, std::string("1"));
        QCOMPARE(result.first_mismatch->actual_text, std::string("2.5"));
        QCOMPARE(result.max_abs, 1.5);
        QCOMPARE(result.max_rel, 1.5);
    }

    void matchesPlainLoop_data() {
        QTest::addColumn<int>("n");
        for (const int n : {1, 7, 2047, 2048, 2049, 131072, 131073, 400001}) QTest::addRow("%d elements", n) << n;
    }

    void matchesPlainLoop() {
        QFETCH(int, n);
        std::mt19937 engine(static_cast<unsigned>(n));
        std::vector<float> expected, actual;
        for (int i = 0; i < n; ++i) {
            expected.push_back((static_cast<float>(engine()) / 4294967296.0f - 0.5f)
                               * std::ldexp(1.0f, static_cast<int>(engine() % 40) - 20));
            const auto bits = std::bit_cast<std::uint32_t>(expected.back());
            actual.push_back(
                engine() % 4 ? std::bit_cast<float>(bits + static_cast<std::uint32_t>(engine() % (1u << engine() % 20)))
                             : expected.back());
        }
        const Tolerance tolerance{1e-6, 1e-3};
        std::uint64_t mismatches = 0, max_ulp = 0;
        double max_abs = 0;
        std::vector<std::uint64_t> histogram(12, 0);
        for (std::size_t i = 0; i < expected.size(); ++i) {
            const float off = std::abs(actual[i] - expected[i]);
            mismatches += off <= 1e-6f + 1e-3f * std::abs(expected[i]) ? 0 : 1;
            max_abs = std::max(max_abs, static_cast<double>(off));
            max_ulp = std::max(max_ulp, ulps(expected[i], actual[i]));
            ++histogram[bucket_of(ulps(expected[i], actual[i]))];
        }
        const auto result = run(expected, actual, tolerance);
        QCOMPARE(result.elements, static_cast<std::uint64_t>(n));
        QCOMPARE(result.mismatches, mismatches);
        QCOMPARE(result.max_abs, max_abs);
        QCOMPARE(result.max_ulp, max_ulp);
        QCOMPARE(result.ulp_histogram, histogram);
    }

    void histogramOfNaN() {
        const auto result = run({1, 1, 1, kInf, kInf}, {1, kNaN, std::nextafter(1.0f, 2.0f), kInf, 1});
        QCOMPARE(result.ulp_histogram, (std::vector<std::uint64_t>{2, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2}));
    }

    void halves() {
        std::vector<std::uint16_t> all;
        for (unsigned bits = 0; bits < 65536; ++bits) all.push_back(static_cast<std::uint16_t>(bits));
        // Every number equals itself; NaN (2·1023 of f16, 2·127 of bf16) does not.
        QCOMPARE(run(ScalarType::f16, all, all).mismatches, std::uint64_t{2046});
        QCOMPARE(run(ScalarType::bf16, all, all).mismatches, std::uint64_t{254});
        QCOMPARE(run(ScalarType::f16, all, all).nan, std::uint64_t{2046});
        const std::vector<std::uint16_t> one{kw::task::to_f16(1)}, more{kw::task::to_f16(1 + 3.0 / 1024)};
        const auto result = run(ScalarType::f16, one, more);
        QCOMPARE(result.max_ulp, std::uint64_t{3});
        QCOMPARE(result.max_abs, 3.0 / 1024);
        QVERIFY(run(ScalarType::f16, one, more, {0, 4e-3}).ok());
        const std::vector<std::uint16_t> big{kw::task::to_f16(65504)}, lowest{kw::task::to_f16(-65504)};
        QCOMPARE(run(ScalarType::f16, big, lowest).max_ulp, std::uint64_t{63486});
    }

    void doubles() {
        const std::vector<double> expected{1, 1e300, -4}, actual{1 + 0x1p-52, 1e300, -4.5};
        const auto result = run(ScalarType::f64, expected, actual, {0, 1e-12});
        QCOMPARE(result.mismatches, std::uint64_t{1});
        QCOMPARE(result.max_abs, 0.5);
        QCOMPARE(result.ulp_histogram[1], std::uint64_t{1});
        QCOMPARE(result.ulp_histogram[11], std::uint64_t{1});
        QVERIFY(run(ScalarType::f64, std::vector<double>{1}, std::vector<double>{1 + 0x1p-52}, {0, 1e-12}).ok());
    }

    void integersAreExact() {
        const std::vector<std::int32_t> expected{1, -2, std::numeric_limits<std::int32_t>::min()};
        QVERIFY(run(ScalarType::i32, expected, expected).ok());
        auto actual = expected;
        actual[2] = std::numeric_limits<std::int32_t>::max();
        const auto result = run(ScalarType::i32, expected, actual, {1e30, 1e30});
        QCOMPARE(result.mismatches, std::uint64_t{1});
        QCOMPARE(result.max_abs, 4294967295.0);
        QCOMPARE(result.max_ulp, std::uint64_t{0});
        QCOMPARE(result.first_mismatch->expected_text, std::string("-2147483648"));
        const std::vector<std::uint64_t> large{0xFFFFFFFFFFFFFFFFu}, near{0xFFFFFFFFFFFFFFFEu};
        const auto wide = run(ScalarType::u64, large, near);
        QCOMPARE(wide.max_abs, 1.0);
        QCOMPARE(wide.first_mismatch->actual_text, std::string("18446744073709551614"));
        std::vector<std::uint8_t> bytes(5000, 0), other(5000, 255);
        const auto small = run(ScalarType::u8, bytes, other);
        QCOMPARE(small.mismatches, std::uint64_t{5000});
        QCOMPARE(small.ulp_histogram[4], std::uint64_t{5000});
        QVERIFY(!run(ScalarType::boolean, std::vector<std::uint8_t>{1}, std::vector<std::uint8_t>{0}).ok());
    }

    void errorMap() {
        const std::size_t rows = 130, columns = 1000;
        std::vector<float> expected(rows * columns, 1.0f), actual = expected;
        actual[129 * columns + 999] = 1.0f + 4e-5f;
        actual[0] = kNaN;
        const auto result = run(expected, actual, {1e-5, 1e-5}, {10, 13, 1000});
        QVERIFY(result.map.has_value());
        const ErrorMap& map = *result.map;
        QCOMPARE(map.rows, std::uint64_t{130});
        QCOMPARE(map.tile_rows, std::uint64_t{3});
        QCOMPARE(map.grid_rows, std::uint64_t{44});
        QCOMPARE(map.tile_columns, std::uint64_t{16});
        QCOMPARE(map.grid_columns, std::uint64_t{63});
        QVERIFY(std::isinf(map.worst.front()));
        QVERIFY(std::abs(map.worst.back() - 2) < 0.01f);
        QCOMPARE(map.mismatches.front(), 1u);
        QCOMPARE(map.mismatches.back(), 1u);
        QCOMPARE(map.worst[1], 0.0f);
        QVERIFY(!run({1}, {1}).map.has_value());
    }

    void lenient() {
        const auto told = [](const std::vector<float>& expected, Tolerance tolerance) {
            return too_lenient(bytes(expected), ScalarType::f32, tolerance, std::byte{0xFF}).value_or("");
        };
        QCOMPARE(told({0, 1}, {}), std::string());
        QVERIFY(told({0, 0.5f}, {1, 0}).starts_with("a candidate that writes only zeros would pass"));
        QVERIFY(told({1, kNaN, kNaN}, {}).starts_with("the reference yields NaN in 2 of 3 elements, first at index 1"));
        const std::vector<std::uint8_t> ones(10, 0xFF);
        QVERIFY(too_lenient(bytes(ones), ScalarType::u8, {}, std::byte{0xFF})
                    ->starts_with("a candidate that writes nothing would pass"));
        QVERIFY(!too_lenient(bytes(ones), ScalarType::u8, {}, std::byte{0xAA}));
    }

    void json() {
        std::vector<float> expected(100, 1.0f), actual = expected;
        actual[7] = kNaN;
        const auto result = run(expected, actual, {}, {10, 10});
        const auto again = comparison_from_json(kw::Json::parse(to_json(result).dump()));
        QCOMPARE(again.mismatches, result.mismatches);
        QCOMPARE(again.first_mismatch->coordinates, result.first_mismatch->coordinates);
        QCOMPARE(again.first_mismatch->actual_text, std::string("nan"));
        QVERIFY(std::isnan(again.first_mismatch->actual));
        QVERIFY(again.map->worst == result.map->worst);
        QVERIFY(again.ulp_histogram == result.ulp_histogram);
    }

    void hostileMaps() {
        std::vector<float> expected(10'000, 1.0f), actual = expected;
        actual[7] = kNaN;
        const auto good = to_json(run(expected, actual, {}, {100, 100}));
        (void)comparison_from_json(good);
        const auto refused = [&](const char* name, const kw::Json& value) {
            auto json = good;
            json["map"][name] = value;
            try {
                (void)comparison_from_json(json);
                return false;
            } catch (const kw::Json::exception&) {
                return true;
            }
        };
        for (const char* name : {"tile_rows", "tile_columns", "grid_rows", "grid_columns", "rows", "columns"})
            for (const kw::Json& value : {kw::Json(0), kw::Json(-1), kw::Json(1e300), kw::Json(~0ull), kw::Json("1")})
                QVERIFY2(refused(name, value), name);
        QVERIFY(refused("tile_rows", 1)); // more tiles than there may be
        QVERIFY(refused("worst", kw::Json::array({1.0})));
        QVERIFY(refused("mismatches", kw::Json::array()));
    }
};

QTEST_APPLESS_MAIN(TestCompare)
#include "test_compare.moc"
