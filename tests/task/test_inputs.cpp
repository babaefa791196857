#include "engine/base/hash.h"
#include "engine/task/inputs.h"
#include "engine/task/random.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <set>

using namespace kw::task;

namespace {

Tensor tensor(ScalarType type, std::int64_t n, const std::string& fill, std::string name = "x") {
    Tensor result;
    result.name = std::move(name);
    result.type = type;
    result.shape = {Expression::constant(n)};
    auto parsed = parse_fill(fill, {});
    if (!parsed) qFatal("%s", parsed.error().message.c_str());
    result.fill = *parsed;
    return result;
}

template<class T> std::vector<T> values(const Tensor& tensor, std::uint64_t seed = 1, const Sizes& sizes = {}) {
    const auto bytes = generate(tensor, {}, sizes, seed);
    if (!bytes) qFatal("%s", bytes.error().message.c_str());
    std::vector<T> result(bytes->size() / sizeof(T));
    std::memcpy(result.data(), bytes->data(), bytes->size());
    return result;
}

std::string digest(std::span<const std::byte> bytes) {
    return kw::sha256_hex({reinterpret_cast<const char*>(bytes.data()), bytes.size()}).substr(0, 16);
}

std::string message(const Tensor& tensor, const Sizes& sizes = {}) {
    const auto result = generate(tensor, {}, sizes, 1);
    return result ? "ok" : result.error().message;
}

} // namespace

class TestInputs : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void philoxKnownAnswer() {
        // Known-answer vectors of the generator's publication: counter and key all zero, ten rounds.
        std::vector<std::uint32_t> words(4);
        random_words({0, 0}, 0, words);
        QCOMPARE(words, (std::vector<std::uint32_t>{0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8}));
    }

    void wordsDependOnPositionAlone() {
        std::vector<std::uint32_t> all(1000), part(100);
        random_words({5, 6}, 0, all);
        random_words({5, 6}, 400, part);
        QVERIFY(std::equal(part.begin(), part.end(), all.begin() + 400));
    }

    void normal() {
        const auto x = values<float>(tensor(ScalarType::f32, 1 << 20, "normal(3, 2)"));
        double sum = 0, squares = 0, cubes = 0;
        int beyond = 0;
        for (const float v : x) {
            const double z = (static_cast<double>(v) - 3) / 2;
            sum += z;
            squares += z * z;
            cubes += z * z * z;
            beyond += std::abs(z) > 1.959964 ? 1 : 0;
        }
        const double n = static_cast<double>(x.size());
        QVERIFY(std::abs(sum / n) < 0.005);
        QVERIFY(std::abs(squares / n - 1) < 0.007);
        QVERIFY(std::abs(cubes / n) < 0.015);
        QVERIFY(std::abs(beyond / n - 0.05) < 0.001);
        // Neighbours made from one pair of words are independent.
        double product = 0;
        for (std::size_t i = 0; i + 1 < x.size(); i += 2)
            product += (static_cast<double>(x[i]) - 3) * (static_cast<double>(x[i + 1]) - 3) / 4;
        QVERIFY(std::abs(product / (n / 2)) < 0.007);
    }

    void normalsAgreeWithTheLibrary() {
        const std::vector<std::uint32_t> words{0,          0,          1,          0x40000000, 0xFFFFFFFF,
                                               0x80000000, 0x12345678, 0xC0000001, 0x80000000, 0x3FFFFFFF};
        std::vector<double> out(words.size());
        normals_from(words, out);
        for (std::size_t i = 0; i < words.size(); i += 2) {
            const double u = (static_cast<double>(words[i]) + 0.5) * 0x1p-32, radius = std::sqrt(-2 * std::log(u));
            const double inside = (static_cast<double>(words[i + 1] << 2) + 0.5) * 0x1p-32 - 0.5;
            const double angle = (inside + static_cast<double>(words[i + 1] >> 30)) * M_PI / 2;
            QVERIFY(std::abs(out[i] - radius * std::cos(angle)) < 1e-14 * (1 + radius));
            QVERIFY(std::abs(out[i + 1] - radius * std::sin(angle)) < 1e-14 * (1 + radius));
        }
    }

    void uniformAndIntegers() {
        const auto u = values<double>(tensor(ScalarType::f64, 100001, "uniform(-2, 6)"));
        QVERIFY(*std::ranges::min_element(u) >= -2 && *std::ranges::max_element(u) <= 6);
        double sum = 0;
        for (const double v : u) sum += v;
        QVERIFY(std::abs(sum / 100001 - 2) < 0.03);
        const auto i = values<std::int8_t>(tensor(ScalarType::i8, 100000, "integers(-3, 4)"));
        std::vector<int> counts(8, 0);
        for (const auto v : i) {
            QVERIFY(v >= -3 && v <= 4);
            ++counts[static_cast<std::size_t>(v + 3)];
        }
        for (const int count : counts) QVERIFY(std::abs(count - 12500) < 500);
        const auto wide = values<std::int64_t>(tensor(ScalarType::i64, 1000, "integers(-4e18, 4e18)"));
        QVERIFY(*std::ranges::min_element(wide) < -3000000000000000000
                && *std::ranges::max_element(wide) > 3000000000000000000);
        const auto sized = values<std::int32_t>(tensor(ScalarType::i32, 1000, "integers(0, 2)"));
        QVERIFY(std::set<std::int32_t>(sized.begin(), sized.end()) == (std::set<std::int32_t>{0, 1, 2}));
        Tensor named = tensor(ScalarType::i32, 1000, "integers(0, bins - 1)");
        const auto bins = values<std::int32_t>(named, 1, {{"bins", 2}});
        QCOMPARE(*std::ranges::max_element(bins), 1);
        QCOMPARE(message(named), std::string("'bins' has no value in 'bins - 1'"));
    }

    void ordered() {
        QCOMPARE(values<std::int32_t>(tensor(ScalarType::i32, 5, "iota")), (std::vector<std::int32_t>{0, 1, 2, 3, 4}));
        QCOMPARE(values<double>(tensor(ScalarType::f64, 2, "ones")), (std::vector<double>{1, 1}));
        QCOMPARE(values<std::uint16_t>(tensor(ScalarType::f16, 2, "ones")),
                 (std::vector<std::uint16_t>{0x3C00, 0x3C00}));
        QCOMPARE(values<float>(tensor(ScalarType::f32, 2, "zeros")), (std::vector<float>{0, 0}));
        const auto sorted = values<float>(tensor(ScalarType::f32, 300000, "sorted(-1, 1)"));
        QVERIFY(std::ranges::is_sorted(sorted));
        QVERIFY(sorted.front() >= -1 && sorted.front() < -0.99f && sorted.back() > 0.99f && sorted.back() <= 1);
        const auto whole = values<std::uint8_t>(tensor(ScalarType::u8, 300000, "sorted(0, 255)"));
        QVERIFY(std::ranges::is_sorted(whole));
        QCOMPARE(int{whole.front()}, 0);
        QCOMPARE(int{whole.back()}, 255);
    }

    void permutations() {
        for (const std::int64_t n : {1, 2, 3, 1000, 4096, 200001}) {
            auto p = values<std::int32_t>(tensor(ScalarType::i32, n, "permutation"));
            if (n >= 1000) QVERIFY(!std::ranges::is_sorted(p));
            std::ranges::sort(p);
            for (std::size_t i = 0; i < p.size(); ++i) QCOMPARE(p[i], static_cast<std::int32_t>(i));
        }
        const auto blocks = values<std::uint8_t>(tensor(ScalarType::u8, 1000, "permutation(100)"));
        for (std::size_t b = 0; b < 10; ++b) {
            const auto from = blocks.begin() + static_cast<std::ptrdiff_t>(b * 100);
            QCOMPARE(std::set<int>(from, from + 100).size(), std::size_t{100});
        }
        QVERIFY(!std::equal(blocks.begin(), blocks.begin() + 100, blocks.begin() + 100));
    }

    void seedsAndNames() {
        const auto a = values<float>(tensor(ScalarType::f32, 100, "normal"), 1);
        QVERIFY(a == values<float>(tensor(ScalarType::f32, 100, "normal"), 1));
        QVERIFY(a != values<float>(tensor(ScalarType::f32, 100, "normal"), 2));
        QVERIFY(a != values<float>(tensor(ScalarType::f32, 100, "normal", "y"), 1));
        // A longer tensor begins with the same values.
        const auto longer = values<float>(tensor(ScalarType::f32, 400000, "normal"), 1);
        QVERIFY(std::equal(a.begin(), a.end(), longer.begin()));
    }

    void everyMachineMakesTheseBytes() {
        const auto of = [](ScalarType type, const char* fill) {
            return digest(*generate(tensor(type, 100000, fill), {}, {}, 42));
        };
        QCOMPARE(of(ScalarType::f32, "normal"), std::string("f36b057caf34169c"));
        QCOMPARE(of(ScalarType::f64, "normal"), std::string("27e7aaac4b682535"));
        QCOMPARE(of(ScalarType::f16, "uniform(-1, 1)"), std::string("d2f11da8377dc6e1"));
        QCOMPARE(of(ScalarType::i32, "permutation"), std::string("be57812e63d446bc"));
    }

    void refusals() {
        QCOMPARE(message(tensor(ScalarType::u8, 1000, "iota")),
                 std::string("tensor 'x' would count to 999, which u8 does not hold"));
        QCOMPARE(message(tensor(ScalarType::f16, 10000, "permutation")),
                 std::string("tensor 'x' would count to 9999, which f16 does not hold"));
        QVERIFY(message(tensor(ScalarType::i8, 10, "integers(0, n)"), {{"n", 200}})
                    .ends_with("has a fill up to 200, which i8 does not hold"));
        QVERIFY(message(tensor(ScalarType::i8, 10, "integers(0, n)"), {{"n", -2}})
                    .contains("low end 0 is above its high end -2"));
        QVERIFY(message(tensor(ScalarType::f64, std::int64_t{1} << 59, "ones")).contains("more than there are"));
        QVERIFY(message(tensor(ScalarType::f64, std::int64_t{1} << 61, "ones")).contains("overflows 2^63 bytes"));
    }

    void npyRoundTrip() {
        const std::vector<float> data{1, 2, 3, 4, 5, 6};
        const std::vector<std::int64_t> shape{2, 3};
        const std::string file = format_npy(ScalarType::f32, shape, std::as_bytes(std::span(data)));
        QCOMPARE((file.size() - 24) % 64, std::size_t{0});
        const auto array = parse_npy(file, "x.npy");
        QVERIFY(array.has_value());
        QVERIFY(array->shape == shape && array->type == ScalarType::f32);
        QVERIFY(std::memcmp(array->bytes.data(), data.data(), 24) == 0);

        Tensor x = tensor(ScalarType::f32, 2, "ones");
        x.shape = {Expression::constant(2), Expression::constant(3)};
        x.fill.kind = Fill::Kind::file;
        x.fill.file = "x.npy";
        QCOMPARE(generate(x, {{"x.npy", file}}, {}, 1)->size(), std::size_t{24});
        x.shape = {Expression::constant(3), Expression::constant(2)};
        QCOMPARE(generate(x, {{"x.npy", file}}, {}, 1).error().message,
                 std::string("tensor 'x' is f32 of 3x2, but x.npy holds f32 of 2x3"));
        QVERIFY(!generate(x, {}, {}, 1).has_value());
    }

    void npyVariants() {
        const auto npy = [](const std::string& header, const std::string& data, char version = 1) {
            std::string file = std::string("\x93NUMPY") + version + '\0';
            file += static_cast<char>(header.size() & 0xFF);
            file += static_cast<char>(header.size() >> 8);
            if (version > 1) file += std::string(2, '\0');
            return parse_npy(file + header + data, "x.npy");
        };
        const std::string data{"\x01\x00\x02\x00\x03\x00\x04\x00\x05\x00\x06\x00", 12};
        const auto fortran = npy("{'descr': '<i2', 'fortran_order': True, 'shape': (2, 3), }\n", data);
        QVERIFY(fortran.has_value());
        QCOMPARE(std::string(reinterpret_cast<const char*>(fortran->bytes.data()), 12),
                 std::string("\x01\x00\x03\x00\x05\x00\x02\x00\x04\x00\x06\x00", 12));
        QVERIFY(npy("{\"shape\": (6,), \"fortran_order\": False, \"descr\": \"<i2\"}", data, 2).has_value());
        QVERIFY(npy("{'descr': '<i2', 'fortran_order': False, 'shape': (6,), }", data, 3).has_value());
        QVERIFY(npy("{'descr': '|u1', 'fortran_order': False, 'shape': (), }", "x")->shape
                == std::vector<std::int64_t>{1});
        const auto told = [&](const std::string& header, char version = 1) {
            const auto result = npy(header, data, version);
            return result ? std::string("ok") : result.error().message;
        };
        QCOMPARE(told("{'descr': '>i2', 'fortran_order': False, 'shape': (6,), }"),
                 std::string("x.npy is big-endian ('>i2'); save it little-endian"));
        QCOMPARE(told("{'descr': '<c8', 'fortran_order': False, 'shape': (6,), }"),
                 std::string("x.npy holds elements of numpy type '<c8', which tasks do not have"));
        QCOMPARE(told("{'descr': '<i2', 'fortran_order': False, 'shape': (7,), }"),
                 std::string("x.npy holds 12 bytes of data, but its shape needs 7 elements of 2 bytes"));
        QVERIFY(told("{'descr': '<i2', 'fortran_order': False, 'shape': (4611686018427387904, 8), }").contains("2^64"));
        QVERIFY(told("{'descr': '<i2'}").contains("malformed header"));
        QVERIFY(
            told("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (6,), }").contains("malformed header"));
        QVERIFY(told("{'descr': '<i2', 'fortran_order': False, 'shape': (6,), }", 4).contains("version 4"));
        QVERIFY(parse_npy("\x93NUMPY", "x.npy").error().message.contains("is no .npy file"));
        QVERIFY(parse_npy(std::string("\x93NUMPY\x01\x00\xFF\xFF{", 11), "x.npy")
                    .error()
                    .message.contains("ends within its header"));
    }
};

QTEST_APPLESS_MAIN(TestInputs)
#include "test_inputs.moc"
