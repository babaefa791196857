#include "engine/task/arguments.h"
#include "engine/task/half.h"

#include <QTest>

#include <cmath>
#include <cstring>
#include <limits>

using namespace kw::task;
using kw::compile::Parameter;

namespace {

Parameter parameter(std::string type, std::uint32_t bytes, std::string ptx = "u32", bool pointer = false) {
    return {std::move(type), pointer, 0, bytes, bytes, std::move(ptx)};
}

Parameter pointer(std::string type) { return parameter(std::move(type), 8, "u64", true); }

BoundArgument buffer(std::size_t index, std::string text) {
    return {BoundArgument::Kind::buffer, index, 0, 0, std::move(text), {"k.cu", 3, 20}};
}
BoundArgument integer(std::int64_t value) {
    return {BoundArgument::Kind::integer, 0, value, 0, std::to_string(value), {"k.cu", 3, 30}};
}
BoundArgument floating(double value) { return {BoundArgument::Kind::floating, 0, 0, value, "f", {"k.cu", 3, 40}}; }

const std::vector<Buffer> kBuffers{
    {"x", ScalarType::f32, {4}, 4, 16}, {"h", ScalarType::f16, {4}, 4, 8}, {"raw", ScalarType::u8, {4}, 4, 4}};
const std::vector<kw::device::Pointer> kPointers{0x1000, 0x2000, 0x3000};

kw::Result<std::vector<std::byte>> packed(std::vector<BoundArgument> arguments, std::vector<Parameter> parameters) {
    std::uint32_t offset = 0;
    for (auto& one : parameters) {
        offset = (offset + one.align - 1) / one.align * one.align;
        one.offset = offset;
        offset += one.bytes;
    }
    BoundLaunch launch;
    launch.arguments = std::move(arguments);
    launch.where = {"k.cu", 3, 12};
    kw::compile::Kernel kernel;
    kernel.name = "softmax";
    kernel.parameters = std::move(parameters);
    return pack(launch, kernel, kBuffers, kPointers);
}

QString outcome(const BoundArgument& argument, const Parameter& wanted) {
    const auto result = packed({argument}, {wanted});
    return result ? QStringLiteral("ok") : QString::fromStdString(result.error().message);
}

template<class T> T value_at(const std::vector<std::byte>& block, std::size_t offset) {
    T value;
    std::memcpy(&value, block.data() + offset, sizeof value);
    return value;
}

} // namespace

class TestArguments : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void layout() {
        const auto block =
            packed({buffer(0, "x"), integer(-7), buffer(1, "h"), floating(1.5), integer(3), integer(1)},
                   {pointer("float const*"), parameter("int", 4), pointer("__half*"), parameter("__half", 2, "b8"),
                    parameter("double", 8, "f64"), parameter("bool", 1, "u8")});
        QVERIFY2(block, block ? "" : block.error().message.c_str());
        QCOMPARE(block->size(), std::size_t{41});
        QCOMPARE(value_at<std::uint64_t>(*block, 0), std::uint64_t{0x1000});
        QCOMPARE(value_at<std::int32_t>(*block, 8), -7);
        QCOMPARE(value_at<std::uint64_t>(*block, 16), std::uint64_t{0x2000});
        QCOMPARE(value_at<std::uint16_t>(*block, 24), std::uint16_t{0x3E00});
        QCOMPARE(value_at<double>(*block, 32), 3.0);
        QCOMPARE(value_at<std::uint8_t>(*block, 40), std::uint8_t{1});
    }

    void countMismatch() {
        const auto result = packed({buffer(0, "x")}, {pointer("float const*"), parameter("int", 4)});
        QCOMPARE(result.error().message,
                 std::string("softmax takes 2 parameters (float const*, int), but the launch passes 1"));
        QCOMPARE(result.error().where.column, 12);
        QVERIFY(packed({}, {}).value().empty());
    }

    void types() {
        QCOMPARE(outcome(buffer(0, "x"), pointer("double const*")),
                 QStringLiteral("argument 1 'x' is a buffer of f32, but parameter 1 of softmax is double const*"));
        QCOMPARE(packed({buffer(0, "x")}, {pointer("double*")}).error().where.column, 20);
        for (const char* type :
             {"float*", "const float *", "float const* __restrict__", "float4 const*", "float2*", "void const*", ""})
            QCOMPARE(outcome(buffer(0, "x"), pointer(type)), QStringLiteral("ok"));
        for (const char* type : {"__half2 const*", "half*", "__half const*"})
            QCOMPARE(outcome(buffer(1, "h"), pointer(type)), QStringLiteral("ok"));
        QVERIFY(outcome(buffer(0, "x"), pointer("int4*")) != QStringLiteral("ok"));
        QCOMPARE(outcome(buffer(2, "raw"), pointer("Pair const*")), QStringLiteral("ok"));
        QCOMPARE(outcome(buffer(0, "x"), pointer("Pair*")),
                 QStringLiteral("argument 1 'x' is a buffer of f32 (data of a type unknown here is declared u8), but "
                                "parameter 1 of softmax is Pair*"));
        QVERIFY(outcome(buffer(0, "x"), pointer("float**"))
                    .contains(QLatin1String("a plan passes pointers to buffers and plain numbers")));
        QCOMPARE(outcome(buffer(0, "x"), parameter("int", 4)),
                 QStringLiteral("argument 1 'x' is a buffer of f32, but parameter 1 of softmax is int"));
        QCOMPARE(outcome(integer(0), pointer("float*")),
                 QStringLiteral("argument 1 '0' is an integer, but parameter 1 of softmax is float*"));
        QCOMPARE(outcome(floating(1), parameter("int", 4)),
                 QStringLiteral("argument 1 'f' is a floating-point number, but parameter 1 of softmax is int"));
        QVERIFY(outcome(integer(1), parameter("Params", 24, "b8"))
                    .contains(QLatin1String("parameter 1 of softmax is Params")));
        QCOMPARE(outcome(integer(1), parameter("Mode", 4, "u32")), QStringLiteral("ok"));
    }

    void ranges_data() {
        QTest::addColumn<qint64>("value");
        QTest::addColumn<QString>("type");
        QTest::addColumn<int>("size");
        QTest::addColumn<bool>("fits");
        QTest::newRow("int max") << qint64{2147483647} << "int" << 4 << true;
        QTest::newRow("int over") << qint64{2147483648} << "int" << 4 << false;
        QTest::newRow("unsigned max") << qint64{4294967295} << "unsigned int" << 4 << true;
        QTest::newRow("unsigned minus") << qint64{-1} << "unsigned int" << 4 << false;
        QTest::newRow("char") << qint64{128} << "signed char" << 1 << false;
        QTest::newRow("short") << qint64{-32768} << "short" << 2 << true;
        QTest::newRow("bool") << qint64{2} << "bool" << 1 << false;
        QTest::newRow("long") << std::numeric_limits<qint64>::min() << "long" << 8 << true;
        QTest::newRow("unsigned long") << qint64{-1} << "unsigned long" << 8 << false;
        QTest::newRow("unknown") << qint64{4294967295} << "" << 4 << true;
        QTest::newRow("unknown minus") << qint64{-1} << "" << 4 << true;
        QTest::newRow("unknown over") << qint64{4294967296} << "" << 4 << false;
    }

    void ranges() {
        QFETCH(qint64, value);
        QFETCH(QString, type);
        QFETCH(int, size);
        QFETCH(bool, fits);
        const QString told = outcome(integer(value), parameter(type.toStdString(), static_cast<std::uint32_t>(size)));
        QCOMPARE(told == QStringLiteral("ok"), fits);
        if (!fits) QVERIFY2(told.contains(QLatin1String("does not fit")), qPrintable(told));
    }

    void externC() {
        QCOMPARE(outcome(buffer(1, "h"), parameter("", 8, "u64")), QStringLiteral("ok"));
        QCOMPARE(outcome(buffer(1, "h"), parameter("", 4, "u32")),
                 QStringLiteral("argument 1 'h' is a buffer of f16, but parameter 1 of softmax is .u32 of 4 bytes"));
        QCOMPARE(outcome(floating(2), parameter("", 4, "f32")), QStringLiteral("ok"));
        QVERIFY(outcome(floating(2), parameter("", 4, "u32")) != QStringLiteral("ok"));
        QVERIFY(outcome(floating(2), parameter("", 2, "b8")).contains(QLatin1String("only types that PTX tells")));
    }

    void halfConversions() {
        // Every half survives the way through double and back.
        for (unsigned bits = 0; bits < 65536; ++bits) {
            const auto half = static_cast<std::uint16_t>(bits);
            const float f = from_f16(half), b = from_bf16(half);
            if (std::isnan(f))
                QVERIFY((to_f16(static_cast<double>(f)) & 0x7FFF) > 0x7C00);
            else
                QCOMPARE(to_f16(static_cast<double>(f)), half);
            if (std::isnan(b))
                QVERIFY((to_bf16(static_cast<double>(b)) & 0x7FFF) > 0x7F80);
            else
                QCOMPARE(to_bf16(static_cast<double>(b)), half);
        }
        QCOMPARE(to_f16(1 + 0x1p-11), std::uint16_t{0x3C00});           // a tie goes to even
        QCOMPARE(to_f16(1 + 0x1p-11 + 0x1p-40), std::uint16_t{0x3C01}); // double rounding would lose this
        QCOMPARE(to_f16(1 + 3 * 0x1p-11), std::uint16_t{0x3C02});
        QCOMPARE(to_f16(65519), std::uint16_t{0x7BFF});
        QCOMPARE(to_f16(65520), std::uint16_t{0x7C00});
        QCOMPARE(to_f16(0x1p-25), std::uint16_t{0});
        QCOMPARE(to_f16(0x1.8p-25), std::uint16_t{1});
        QCOMPARE(to_f16(-1e-300), std::uint16_t{0x8000});
        QCOMPARE(to_bf16(3.3895313892515355e38), std::uint16_t{0x7F7F});
        QCOMPARE(to_bf16(1e39), std::uint16_t{0x7F80});
    }
};

QTEST_APPLESS_MAIN(TestArguments)
#include "test_arguments.moc"
