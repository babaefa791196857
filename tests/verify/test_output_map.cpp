#include "engine/base/json.h"
#include "engine/task/half.h"
#include "engine/verify/inspection.h"
#include "engine/verify/local_source.h"
#include "engine/verify/output_json.h"

#include <QTest>

#include <cmath>
#include <cstring>
#include <future>
#include <limits>
#include <random>

using namespace kw;
using namespace kw::verify;
using task::ScalarType;

namespace {

constexpr float kInf = std::numeric_limits<float>::infinity();

struct Pair {
    std::string expected, actual;
};

void put(std::string& to, double value, ScalarType type) {
    const auto append = [&](auto typed) { to.append(reinterpret_cast<const char*>(&typed), sizeof typed); };
    switch (type) {
    case ScalarType::f16: return append(task::to_f16(value));
    case ScalarType::bf16: return append(task::to_bf16(value));
    case ScalarType::f32: return append(static_cast<float>(value));
    case ScalarType::f64: return append(value);
    case ScalarType::i8: return append(static_cast<std::int8_t>(value));
    case ScalarType::u8:
    case ScalarType::boolean: return append(static_cast<std::uint8_t>(std::abs(value)));
    case ScalarType::i16: return append(static_cast<std::int16_t>(value));
    case ScalarType::u16: return append(static_cast<std::uint16_t>(std::abs(value)));
    case ScalarType::i32: return append(static_cast<std::int32_t>(value));
    case ScalarType::u32: return append(static_cast<std::uint32_t>(std::abs(value)));
    case ScalarType::i64: return append(static_cast<std::int64_t>(value));
    case ScalarType::u64: return append(static_cast<std::uint64_t>(std::abs(value)));
    }
}

/// Mostly right values; some a little off, some wrong, and where the type has them NaN and infinity.
Pair make(std::size_t elements, ScalarType type, unsigned seed) {
    std::mt19937 random{seed};
    std::uniform_real_distribution<double> any{-100, 100};
    Pair pair;
    for (std::size_t i = 0; i < elements; ++i) {
        const double e = any(random);
        double a = e;
        switch (random() % 16) {
        case 0: a = e * (1 + 1e-6); break;
        case 1: a = e + any(random) / 10; break;
        case 2:
            if (task::is_floating(type)) a = std::nan("");
            break;
        case 3:
            if (task::is_floating(type)) a = i % 2 == 0 ? kInf : -kInf;
            break;
        default: break;
        }
        put(pair.expected, e, type);
        put(pair.actual, a, type);
    }
    return pair;
}

std::span<const std::byte> bytes(const std::string& text) { return std::as_bytes(std::span(text)); }

std::shared_ptr<Inspection> inspect(std::shared_ptr<Pair> pair, ScalarType type, std::vector<std::int64_t> shape,
                                    task::Tolerance tolerance = {}) {
    TensorOutput tensor{
        .name = "y", .type = type, .shape = std::move(shape), .map = {}, .tolerance = tolerance, .comparison = {}};
    const auto expected = bytes(pair->expected), actual = bytes(pair->actual);
    return std::make_shared<Inspection>(std::move(pair), expected, actual, std::move(tensor));
}

std::uint64_t product(const std::vector<std::int64_t>& shape) {
    std::uint64_t n = 1;
    for (const auto extent : shape) n *= static_cast<std::uint64_t>(extent);
    return n;
}

/// A cell the slow way: every element of the map by itself.
Cell brute_cell(const Pair& pair, ScalarType type, const MapShape& map, const task::Tolerance& tolerance,
                const Region& region) {
    Cell cell;
    const std::size_t width = task::size_of(type);
    for (auto row = region.row; row < std::min(region.row_end, map.rows); ++row)
        for (auto column = region.column; column < std::min(region.column_end, map.columns); ++column) {
            const auto i = row * map.columns + column;
            if (i >= map.elements) continue;
            const auto* e = bytes(pair.expected).data() + i * width;
            const auto* a = bytes(pair.actual).data() + i * width;
            const auto error = describe_element(e, a, type, tolerance);
            cell.worst = std::max(cell.worst, error.ratio);
            cell.mismatches += error.ratio > 1 ? 1 : 0;
            cell.nan += std::isnan(error.actual.number) ? 1 : 0;
            cell.inf += std::isinf(error.actual.number) ? 1 : 0;
            if (std::isfinite(error.absolute))
                cell.max_abs = std::max(cell.max_abs, static_cast<float>(error.absolute));
        }
    return cell;
}

void compare_cells(const Pair& pair, const Inspection& output, const CellQuery& query) {
    const auto answer = output.cells(query);
    QVERIFY2(answer.has_value(), answer ? "" : answer.error().message.c_str());
    const auto& tensor = output.tensor();
    const auto tolerance = query.tolerance.value_or(tensor.tolerance);
    QCOMPARE(answer->cells.size(), answer->rows * answer->columns);
    for (std::uint64_t row = 0; row < answer->rows; ++row)
        for (std::uint64_t column = 0; column < answer->columns; ++column) {
            const auto r = answer->region.row + row * query.row_step,
                       c = answer->region.column + column * query.column_step;
            const auto right =
                brute_cell(pair, tensor.type, tensor.map, tolerance, {r, r + query.row_step, c, c + query.column_step});
            const auto& cell = answer->cells[row * answer->columns + column];
            QCOMPARE(cell.worst, right.worst);
            QCOMPARE(cell.mismatches, right.mismatches);
            QCOMPARE(cell.nan, right.nan);
            QCOMPARE(cell.inf, right.inf);
            QVERIFY(std::abs(cell.max_abs - right.max_abs) <= 1e-6f * right.max_abs);
        }
}

} // namespace

class TestOutputMap : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void cells_equal_brute_force_data() {
        QTest::addColumn<int>("type");
        QTest::addColumn<QList<int>>("shape");
        const QList<QList<int>> shapes{{}, {1}, {64}, {65}, {1000}, {37, 53}, {3, 17, 29}, {130, 1}, {1, 300}};
        for (int type = 0; type <= static_cast<int>(ScalarType::boolean); ++type)
            for (const auto& shape : shapes)
                QTest::addRow("%s rank %d of %d", std::string(task::to_string(static_cast<ScalarType>(type))).c_str(),
                              static_cast<int>(shape.size()), shape.isEmpty() ? 0 : shape.last())
                    << type << shape;
    }

    void cells_equal_brute_force() {
        QFETCH(int, type);
        QFETCH(QList<int>, shape);
        const auto scalar = static_cast<ScalarType>(type);
        const std::vector<std::int64_t> extents(shape.begin(), shape.end());
        const auto pair = std::make_shared<Pair>(make(product(extents), scalar, 7));
        const auto output = inspect(pair, scalar, extents, {1e-4, 1e-4});
        const auto& map = output->tensor().map;
        QCOMPARE(map.elements, product(extents));
        QVERIFY(map.rows * map.columns >= map.elements && (map.rows - 1) * map.columns < map.elements);
        for (const std::uint64_t row_step : {1, 2, 16, 32, 128})
            for (const std::uint64_t column_step : {1, 8, 16, 64})
                compare_cells(
                    *pair, *output,
                    {.region = {0, map.rows, 0, map.columns}, .row_step = row_step, .column_step = column_step});
        compare_cells(*pair, *output,
                      {.region = {0, map.rows, 0, map.columns},
                       .row_step = 16,
                       .column_step = 16,
                       .tolerance = task::Tolerance{1, 0.01}});
        // A part, whose end lies within a cell.
        if (map.rows > 40 && map.columns > 40)
            compare_cells(*pair, *output, {.region = {16, 33, 16, 41}, .row_step = 16, .column_step = 16});
    }

    void totals_agree_with_the_comparison() {
        const auto pair = std::make_shared<Pair>(make(70000, ScalarType::f32, 3));
        const auto output = inspect(pair, ScalarType::f32, {70000});
        const auto& comparison = output->tensor().comparison;
        const auto whole = output->cells({.region = {0, 512, 0, 512}, .row_step = 512, .column_step = 512});
        QVERIFY(whole.has_value());
        QCOMPARE(whole->cells.size(), std::size_t{1});
        QCOMPARE(std::uint64_t{whole->cells[0].mismatches}, comparison.mismatches);
        QCOMPARE(std::uint64_t{whole->cells[0].nan}, comparison.nan);
        QCOMPARE(*output->mismatches({1e-5, 1e-5}), comparison.mismatches);
    }

    void refuses_what_makes_no_sense() {
        const auto output =
            inspect(std::make_shared<Pair>(make(1024 * 1024, ScalarType::u8, 1)), ScalarType::u8, {1024, 1024});
        const auto refused = [&](const CellQuery& query, const char* why) {
            const auto answer = output->cells(query);
            QVERIFY(!answer.has_value());
            QCOMPARE(answer.error().code, ErrorCode::invalid_input);
            QVERIFY2(answer.error().message.find(why) != std::string::npos, answer.error().message.c_str());
        };
        const auto most = std::numeric_limits<std::uint64_t>::max();
        refused({.region = {0, 10, 0, 10}, .row_step = 3}, "powers of two");
        refused({.region = {0, 10, 0, 10}, .row_step = 0}, "powers of two");
        refused({.region = {1, 10, 0, 10}, .row_step = 2}, "multiples");
        refused({.region = {0, most, 0, most}}, "more than");
        refused({.region = {5, 5, 0, 10}}, "empty");
        refused({.region = {1024, most, 0, 10}}, "empty");
        refused({.region = {most, 0, most, 0}}, "empty");
        refused({.region = {0, 10, 0, 10}, .tolerance = task::Tolerance{-1, 0}}, "tolerance");
        refused({.region = {0, 10, 0, 10}, .tolerance = task::Tolerance{std::nan(""), 0}}, "tolerance");
        QVERIFY(output->cells({.region = {0, most, 0, most}, .row_step = std::uint64_t{1} << 63, .column_step = 8})
                    .has_value());
        QVERIFY(!output->values({0, most, 0, most}).has_value());
        QVERIFY(!output->values({7, 3, 0, 1}).has_value());
        QVERIFY(!output->next_mismatch(most, true, {}).has_value());
        QVERIFY(!output->mismatches({kInf, 0}).has_value());
    }

    void values_are_those_of_the_region() {
        const auto pair = std::make_shared<Pair>(make(1000, ScalarType::f64, 5)); // 32 columns, the last row has 8
        const auto output = inspect(pair, ScalarType::f64, {1000});
        QCOMPARE(output->tensor().map.columns, std::uint64_t{32});
        const auto values = output->values({30, 40, 4, 12});
        QVERIFY(values.has_value());
        QCOMPARE(values->region.row_end, std::uint64_t{32});
        // Eight of row 30, four of row 31.
        QCOMPARE(values->expected.size(), std::size_t{12 * 8});
        QCOMPARE(values->actual.substr(0, 64), pair->actual.substr((30 * 32 + 4) * 8, 64));
        QCOMPARE(values->actual.substr(64), pair->actual.substr((31 * 32 + 4) * 8, 32));
    }

    void finds_the_next_mismatch() {
        auto pair = std::make_shared<Pair>();
        for (int i = 0; i < 10000; ++i) {
            put(pair->expected, i, ScalarType::i32);
            put(pair->actual, i == 100 || i == 9000 ? -1 : i, ScalarType::i32);
        }
        const auto output = inspect(pair, ScalarType::i32, {100, 100});
        const auto next = [&](std::uint64_t from, bool forward) {
            return output->next_mismatch(from, forward, {})->value();
        };
        QCOMPARE(next(0, true), std::uint64_t{100});
        QCOMPARE(next(100, true), std::uint64_t{9000});
        QCOMPARE(next(9000, true), std::uint64_t{100});
        QCOMPARE(next(9000, false), std::uint64_t{100});
        QCOMPARE(next(50, false), std::uint64_t{9000});
        const auto right = inspect(std::make_shared<Pair>(pair->expected, pair->expected), ScalarType::i32, {10000});
        QVERIFY(!right->next_mismatch(5, true, {})->has_value());
    }

    void histograms_count_every_element_once() {
        for (const auto type : {ScalarType::f16, ScalarType::bf16, ScalarType::f32, ScalarType::f64}) {
            const auto pair = std::make_shared<Pair>(make(50000, type, 11));
            const auto output = inspect(pair, type, {50000}, {1e-3, 1e-3});
            const auto histogram = output->histogram();
            std::uint64_t ulp = 0, relative = 0, joint = 0;
            for (const auto count : histogram.ulp) ulp += count;
            for (const auto count : histogram.relative) relative += count;
            for (const auto& bin : histogram.joint.bins) joint += bin.count;
            QCOMPARE(histogram.exact + histogram.never + ulp, std::uint64_t{50000});
            QCOMPARE(relative, ulp);
            QCOMPARE(joint, ulp);
            std::uint64_t one_ulp = 0, octave = 0;
            for (std::size_t i = 0; i < 50000; ++i) {
                const std::size_t width = task::size_of(type);
                const auto error = describe_element(bytes(pair->expected).data() + i * width,
                                                    bytes(pair->actual).data() + i * width, type, {});
                one_ulp += error.ulp == 1 ? 1 : 0;
                octave += error.relative >= 0x1p-10 && error.relative < 0x1p-9 ? 1 : 0;
            }
            QCOMPARE(histogram.ulp[1], one_ulp);
            QCOMPARE(ErrorHistogram::relative_edge(51), 0x1p-10);
            QCOMPARE(histogram.relative[51], octave);
            // Any tolerance: what the histogram says holds the truth between its two numbers, and they are close.
            for (const double atol : {0.0, 1e-7, 1e-4, 0.01, 3.0, 1e6})
                for (const double rtol : {0.0, 1e-6, 1e-3, 0.3}) {
                    const auto passing = histogram.joint.passing({atol, rtol});
                    const auto right = 50000 - *output->mismatches({atol, rtol});
                    QVERIFY2(passing.at_least <= right && right <= passing.at_most,
                             qPrintable(QStringLiteral("%1 <= %2 <= %3 at %4, %5")
                                            .arg(passing.at_least)
                                            .arg(right)
                                            .arg(passing.at_most)
                                            .arg(atol)
                                            .arg(rtol)));
                    QVERIFY(passing.at_most - passing.at_least < 50000 / 15);
                }
        }
        const auto integers = inspect(std::make_shared<Pair>(make(5000, ScalarType::i64, 2)), ScalarType::i64, {5000});
        const auto histogram = integers->histogram();
        QVERIFY(histogram.joint.bins.empty());
        QCOMPARE(histogram.exact, 5000 - integers->tensor().comparison.mismatches);
    }

    void distances_are_those_of_the_comparison() {
        const auto far = std::numeric_limits<std::uint64_t>::max();
        const auto between = [](float e, float a) {
            return distance(reinterpret_cast<const std::byte*>(&e), reinterpret_cast<const std::byte*>(&a),
                            ScalarType::f32);
        };
        QCOMPARE(between(0.0f, -0.0f), std::uint64_t{0});
        QCOMPARE(between(1.0f, std::nextafter(1.0f, 2.0f)), std::uint64_t{1});
        QCOMPARE(between(-1e-45f, 1e-45f), std::uint64_t{2});
        QCOMPARE(between(kInf, kInf), std::uint64_t{0});
        QCOMPARE(between(kInf, -kInf), far);
        QCOMPARE(between(kInf, 1.0f), far);
        QCOMPARE(between(std::nanf(""), std::nanf("")), far);
        const std::int64_t low = std::numeric_limits<std::int64_t>::min(),
                           high = std::numeric_limits<std::int64_t>::max();
        QCOMPARE(distance(reinterpret_cast<const std::byte*>(&low), reinterpret_cast<const std::byte*>(&high),
                          ScalarType::i64),
                 far);
    }

    void answers_survive_the_wire() {
        const auto pair = std::make_shared<Pair>(make(5000, ScalarType::f32, 9));
        const auto output = inspect(pair, ScalarType::f32, {50, 100});
        const auto cells = output->cells({.region = {0, 50, 0, 100}, .row_step = 8, .column_step = 4}).value();
        const auto read = cells_from_json(Json::parse(to_json(cells).dump()));
        QCOMPARE(read.region, cells.region);
        QCOMPARE(read.rows, cells.rows);
        QVERIFY(std::memcmp(read.cells.data(), cells.cells.data(), cells.cells.size() * sizeof(Cell)) == 0);
        const auto values = output->values({3, 9, 2, 70}).value();
        const auto values_read = values_from_json(Json::parse(to_json(values).dump()));
        QCOMPARE(values_read.actual, values.actual);
        QCOMPARE(values_read.expected, values.expected);
        const auto histogram = output->histogram();
        const auto histogram_read = error_histogram_from_json(Json::parse(to_json(histogram).dump()));
        QCOMPARE(histogram_read.joint.passing({1e-4, 1e-4}).at_most, histogram.joint.passing({1e-4, 1e-4}).at_most);
        QVERIFY(histogram_read.ulp == histogram.ulp && histogram_read.relative == histogram.relative);
        auto bad = to_json(cells);
        bad["worst"] = "AAAA";
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, (void)cells_from_json(bad));
        bad = to_json(cells);
        bad["cells"] = {std::uint64_t{1} << 40, std::uint64_t{1} << 40};
        QVERIFY_THROWS_EXCEPTION(std::invalid_argument, (void)cells_from_json(bad));
    }

    void a_local_source_answers_and_ends() {
        std::promise<Result<Cells>> promise;
        std::promise<Result<std::uint64_t>> none;
        LocalSource source({inspect(std::make_shared<Pair>(make(100, ScalarType::f32, 1)), ScalarType::f32, {100})});
        source.cells({.region = {0, 8, 0, 16}}, [&](Result<Cells> cells) { promise.set_value(std::move(cells)); });
        source.mismatches(3, {}, [&](Result<std::uint64_t> count) { none.set_value(count); });
        QVERIFY(promise.get_future().get().has_value());
        QCOMPARE(none.get_future().get().error().code, ErrorCode::not_found);
    }
};

QTEST_APPLESS_MAIN(TestOutputMap)
#include "test_output_map.moc"
