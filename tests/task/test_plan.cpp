#include "engine/task/plan.h"

#include <QTest>

using namespace kw::task;

namespace {

Task softmax_task() {
    const Files files{{"task.toml", R"(
name = "softmax"
kernel = "softmax.cu"
reference = "reference.cu"
[sizes]
rows = 4096
cols = 1024
[scalars]
eps = { type = "f32", value = 1e-5 }
[[tensor]]
name = "x"
type = "f32"
shape = ["rows", "cols"]
role = "input"
fill = "normal"
[[tensor]]
name = "y"
type = "f32"
shape = ["rows", "cols"]
role = "output"
)"},
                      {"softmax.cu", ""},
                      {"reference.cu", ""}};
    auto task = parse_task(files);
    if (!task) qFatal("%s", kw::describe(task.error()).c_str());
    return *task;
}

kw::device::Limits gpu() {
    kw::device::Limits limits;
    limits.max_shared_bytes_optin = 232448;
    limits.memory_bytes = std::uint64_t{8} << 30;
    return limits;
}

/// What parsing and binding `source` says: "ok" or "line:column: message".
QString outcome(const std::string& source, Sizes sizes = {{"rows", 4096}, {"cols", 1024}},
                const Sizes& configuration = {}) {
    const Task task = softmax_task();
    const auto told = [](const kw::Error& error) {
        return QStringLiteral("%1:%2: %3").arg(error.where.line).arg(error.where.column).arg(error.message.c_str());
    };
    auto plan = parse_plan(source, "softmax.cu", task);
    if (!plan) return told(plan.error());
    auto bound = kw::task::bind(*plan, task, sizes, configuration, gpu());
    return bound ? QStringLiteral("ok") : told(bound.error());
}

} // namespace

class TestPlan : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void designExample() {
        const std::string source =
            "//@ tune BLOCK = 64 128 256 512\n"
            "//@ scratch partial : f32[rows, ceil_div(cols, BLOCK)]\n"
            "//@ launch row_max<BLOCK><<<dim3(ceil_div(cols, BLOCK), rows), BLOCK>>>(x, partial, rows, cols)\n"
            "//@ launch softmax<<<rows, BLOCK, BLOCK * 4>>>(x, partial, y, rows, cols, eps, 1.5f, -2)\n";
        const Task task = softmax_task();
        const auto plan = parse_plan(source, "softmax.cu", task);
        QVERIFY2(plan, plan ? "" : kw::describe(plan.error()).c_str());
        QCOMPARE(plan->tunables.at(0).values, (std::vector<std::int64_t>{64, 128, 256, 512}));
        QCOMPARE(kernel_names(*plan, {}), (std::vector<std::string>{"row_max<64>", "softmax"}));
        QCOMPARE(kernel_names(*plan, {{"BLOCK", 512}}), (std::vector<std::string>{"row_max<512>", "softmax"}));

        const auto bound = kw::task::bind(*plan, task, task.cases[0].sizes, {{"BLOCK", 128}}, gpu());
        QVERIFY2(bound, bound ? "" : kw::describe(bound.error()).c_str());
        QCOMPARE(bound->buffers.size(), std::size_t{3});
        QCOMPARE(bound->buffers[2].name, std::string("partial"));
        QCOMPARE(bound->buffers[2].shape, (std::vector<std::int64_t>{4096, 8}));
        QCOMPARE(bound->bytes, std::uint64_t{4096} * 1024 * 4 * 2 + 4096 * 8 * 4);
        QCOMPARE(bound->launches[0].kernel, std::string("row_max<128>"));
        QVERIFY((bound->launches[0].config.grid == kw::device::Dim3{8, 4096, 1}));
        QCOMPARE(bound->launches[1].config.dynamic_shared_bytes, 512u);
        const auto& arguments = bound->launches[1].arguments;
        QCOMPARE(arguments.size(), std::size_t{8});
        QVERIFY(arguments[1].kind == BoundArgument::Kind::buffer && arguments[1].buffer == 2);
        QVERIFY(arguments[4].kind == BoundArgument::Kind::integer && arguments[4].integer == 1024);
        QVERIFY(arguments[5].kind == BoundArgument::Kind::floating && arguments[5].floating == 1e-5);
        QVERIFY(arguments[6].kind == BoundArgument::Kind::floating && arguments[6].floating == 1.5);
        QVERIFY(arguments[7].kind == BoundArgument::Kind::integer && arguments[7].integer == -2);
    }

    void kernelNames_data() {
        QTest::addColumn<QString>("launch");
        QTest::addColumn<QString>("name");
        const auto row = [](const char* launch, const char* name) {
            QTest::newRow(launch) << QString::fromUtf8(launch) << QString::fromUtf8(name);
        };
        row("k<<<1, 2>>>()", "k");
        row("ns::k<<<1, 2>>>()", "ns::k");
        row("::ns::k <<< 1, 2 >>> ()", "::ns::k");
        row("k<float, 4, (A>B)><<<1, 2>>>()", "k<float, 4, (3>5)>");
        row("k<T<U<A>>><<<1, 2>>>()", "k<T<U<3>>>");
        row("k<(A << 2)><<<1, 2>>>()", "k<(3 << 2)>");
        row("k<A << 2><<<1, 2>>>()", "k<3 << 2>");
        row("k<'>', A><<<1, 2>>>()", "k<'>', 3>");
        row("k<ns::A, A><<<1, 2>>>()", "k<ns::A, 3>");
        row("k<AB, A_, 0xA, A><<<1, 2>>>()", "k<AB, A_, 0xA, 3>");
        row("k<decltype(f<A>(1))><<<1, 2>>>()", "k<decltype(f<3>(1))>");
    }

    void kernelNames() {
        QFETCH(QString, launch);
        QFETCH(QString, name);
        const auto source = "//@ tune A = 3\n//@ tune B = 5\n//@ launch " + launch.toStdString();
        const auto plan = parse_plan(source, "k.cu", softmax_task());
        QVERIFY2(plan, plan ? "" : kw::describe(plan.error()).c_str());
        QCOMPARE(QString::fromStdString(kernel_names(*plan, {}).at(0)), name);
    }

    void errors_data() {
        QTest::addColumn<QString>("source");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* source, const char* expected) {
            QTest::newRow(source) << QString::fromUtf8(source) << QString::fromUtf8(expected);
        };
        row("", "1:1: softmax.cu is empty and so has no launch directive; add one such as //@ launch kernel<<<grid, "
                "block>>>(arguments)");
        row("int x;",
            "1:1: softmax.cu has no launch directive; add one such as //@ launch kernel<<<grid, block>>>(arguments)");
        row("\n  //@ lunch k<<<1,1>>>()", "2:7: unknown directive 'lunch'; did you mean 'launch'?");
        row("//@", "1:4: a directive begins with tune, scratch or launch");
        row("//@ tune = 3", "1:10: expected the name of a tunable, found '='");
        row("//@ tune B", "1:11: expected '=' after 'B', as in //@ tune B = 64 128, found the end of the line");
        row("//@ tune B =", "1:13: expected a value of 'B', found the end of the line");
        row("//@ tune B = 64 128 first value",
            "1:21: 'first' is no integer; a tune directive holds nothing but integers after '='");
        row("//@ tune B = 64, 128", "1:14: '64,' is no integer below 2^63");
        row("//@ tune B = 99999999999999999999", "1:14: '99999999999999999999' is no integer below 2^63");
        row("//@ tune int = 3", "1:10: 'int' cannot name a tunable: it is a word of C++");
        row("//@ tune rows = 3\n//@ launch k<<<1,1>>>()", "1:10: the tunable 'rows' has the name of a size");
        row("//@ tune B = 3\n//@ tune B = 4\n//@ launch k<<<1,1>>>()",
            "2:10: the tunable 'B' has the name of a tunable");
        row("//@ scratch x : f32[4]\n//@ launch k<<<1,1>>>()", "1:13: the scratch buffer 'x' has the name of a tensor");
        row("//@ scratch p f32[4]", "1:15: expected ':' after 'p', as in //@ scratch p : f32[1024], found 'f32[4]'");
        row("//@ scratch p : float[4]", "1:17: unknown type 'float'; the types are f16, bf16, f32, f64, i8, u8, i16, "
                                        "u16, i32, u32, i64, u64 and bool");
        row("//@ scratch p : f32[4", "1:20: '[' is never closed by ']'");
        row("//@ scratch p : f32[row]\n//@ launch k<<<1,1>>>()",
            "1:21: neither the task nor the plan defines 'row'; did you mean 'rows'?");
        row("//@ scratch p : f32[0]\n//@ launch k<<<1,1>>>()",
            "1:21: a dimension of 'p' is 0 ('0'); it must be at least 1");
        row("//@ launch", "1:11: expected the name of a kernel, found the end of the line");
        row("//@ launch k(x)", "1:13: expected '<<<' after 'k', as in k<<<grid, block>>>(…), found '(x)'");
        row("//@ launch k<float<<<1, 2>>>(x)", "1:13: the template arguments are never closed by '>'");
        row("//@ launch k<<<1>>>(x)",
            "1:13: '<<<' takes a grid, a block and at most shared bytes and stream 0, not 1 values");
        row("//@ launch k<<<1, 2>>(x)", "1:15: '<<<' is never closed by '>>>'");
        row("//@ launch k<<<1, 2, 0, s>>>(x)", "1:25: 's' is no stream here; plans run on stream 0");
        row("//@ launch k<<<1, 2, 0, 0>>>(x)", "ok");
        row("//@ launch k<<<dim3(1, 2, 3, 4), 2>>>(x)", "1:16: dim3 takes one to three values");
        row("//@ launch k<<<dim3(1, 2) + 1, 2>>>(x)", "1:27: expected ',' or '>>>' after dim3(…), found '+'");
        row("//@ launch k<<<1, 2>>>(x", "1:23: '(' is never closed by ')'");
        row("//@ launch k<<<1, 2>>>(x, )", "1:27: an argument is missing");
        row("//@ launch k<<<1, 2>>>(z)", "1:24: neither the task nor the plan defines 'z'");
        row("//@ launch k<<<1, 2>>>(x + 1)",
            "1:24: 'x' is a tensor, which an expression cannot use; sizes and tunables it can");
        row("//@ launch k<<<eps, 2>>>(x)",
            "1:16: 'eps' is a scalar, which an expression cannot use; sizes and tunables it can");
        row("//@ launch k<<<1, 2>>>(x);",
            "1:26: expected cooperative, cluster(x, y, z) or the end of the line, found ';'");
        row("//@ launch k<<<1, 2>>>(x) cooperative cooperative",
            "1:39: expected cooperative, cluster(x, y, z) or the end of the line, found 'cooperative'");
        row("//@ launch k<<<0, 2>>>(x)", "1:16: grid.x is 0 ('0' at cols=1024 rows=4096); it must be at least 1");
        row("//@ launch k<<<rows, cols * 2>>>(x)",
            "1:22: block.x is 2048 ('cols * 2' at cols=1024 rows=4096); the limit is 1024");
        row("//@ launch k<<<1, dim3(64, 32)>>>(x)", "1:24: the block has 2048 threads (64x32x1); the limit is 1024");
        row("//@ launch k<<<dim3(1, 65536), 1>>>(x)",
            "1:24: grid.y is 65536 ('65536' at cols=1024 rows=4096); the limit is 65535");
        row("//@ launch k<<<1, 2, 0 - 4>>>(x)", "1:22: the dynamic shared memory is -4 bytes; it cannot be negative");
        row("//@ launch k<<<1, 2, 300000>>>(x)",
            "1:22: the launch asks for 300000 bytes of dynamic shared memory; the device has at most 232448 per block");
        row("//@ launch k<<<6, 2>>>(x) cluster(4)", "1:35: the cluster 4x1x1 does not divide the grid 6x1x1");
        row("//@ launch k<<<8, 2>>>(x) cluster(4, 1, 1) cooperative", "ok");
        row("//@ launch k<<<64, 2>>>(x) cluster(16)", "1:36: the cluster has 16 blocks; the limit is 8");
        row("//@ launch k<<<rows / (cols - 1024), 2>>>(x)", "1:21: 'rows / (cols - 1024)' divides by zero");
        row("//@ launch k<<<1, 2>>>(x, rows * 9223372036854775807)",
            "1:32: 'rows * 9223372036854775807' overflows 64 bits");
        row("//@ launch k<<<1, 2>>>(true, false)", "ok");
        row("//@ launch k<<<1, 2>>>(1.5.2)", "1:24: '1.5.2' is not an integer");
    }

    void errors() {
        QFETCH(QString, source);
        QFETCH(QString, expected);
        QCOMPARE(outcome(source.toStdString()), expected);
    }

    void memory() {
        const QString told = outcome("//@ launch k<<<1, 1>>>(x)", {{"rows", 4096}, {"cols", std::int64_t{1} << 20}});
        QVERIFY2(told.contains(QLatin1String("the device has 8.6 GB")), told.toUtf8().constData());
        QVERIFY(outcome("//@ scratch p : f64[rows, cols]\n//@ launch k<<<1, 1>>>(x)",
                        {{"rows", std::int64_t{1} << 40}, {"cols", std::int64_t{1} << 40}})
                    .contains(QLatin1String("the size of 'x' overflows 2^63 bytes")));
        QVERIFY(outcome("//@ launch k<<<1, 1>>>(x)", {{"rows", 1}, {"cols", 1}}, {{"BLOK", 3}})
                    .contains(QLatin1String("the plan has no tunable 'BLOK'")));
    }

    void whereDirectivesAre() {
        // In strings, raw strings, block comments and line comments they are text.
        const std::string hidden = "const char* a = \"//@ nonsense\"; /* //@ nonsense */ // //@ nonsense\n"
                                   "/*\n//@ nonsense\n*/\n"
                                   "const char* b = R\"(\n//@ nonsense\n)\";\n"
                                   "const char* c = R\"x(\n)\"\n//@ nonsense\n)x\"; int n = 1'000'000; char q = '\"';\n"
                                   "// continued \\\n//@ nonsense\n";
        QCOMPARE(outcome(hidden + "//@ launch k<<<1, 2>>>(x)\n"), QStringLiteral("ok"));
        QCOMPARE(outcome("int a; //@launch k<<<1, 2>>>(x)\n"), QStringLiteral("ok"));
        QVERIFY(outcome("/* never closed\n//@ launch k<<<1, 2>>>(x)\n").contains(QLatin1String("no launch directive")));
    }

    void continuationAndCrLf() {
        const std::string source = "//@ launch k<<<1, \\\r\n//@            2>>>(x, \\\r\n   rows,\\\r\n  y, nope)\r\n";
        QCOMPARE(outcome(source), QStringLiteral("4:6: neither the task nor the plan defines 'nope'"));
        QCOMPARE(outcome("//@ launch k<<<1, 2>>>(x, rows + \\\n// colz)\n"),
                 QStringLiteral("2:4: neither the task nor the plan defines 'colz'; did you mean 'cols'?"));
        QCOMPARE(outcome("//@ tune A = 1 \\\n 2 \\"),
                 QStringLiteral("2:4: '\\' is no integer; a tune directive holds nothing but integers after '='"));
    }

    void hugeSourceIsQuick() {
        std::string source = "//@ launch k<<<1, 2>>>(x)\n";
        for (int i = 0; i < 100000; ++i) source += "x[i] = '\\'' + \"a\\\"b\"; // text\n";
        QCOMPARE(outcome(source), QStringLiteral("ok"));
        std::string many;
        for (int i = 0; i < 1000; ++i) many += "//@ launch k<<<1, 2>>>(x)\n";
        QCOMPARE(outcome(many), QStringLiteral("257:4: more than 256 launches"));
    }
};

QTEST_APPLESS_MAIN(TestPlan)
#include "test_plan.moc"
