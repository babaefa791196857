#include "engine/task/inputs.h"
#include "engine/task/task.h"

#include <QTemporaryDir>
#include <QTest>

#include <filesystem>
#include <fstream>

using namespace kw::task;

namespace {

const std::string kGood = R"toml(name = "softmax"
title = "Row-wise softmax, fp32"
kernel = "softmax.cu"
reference = "reference.cu"
baselines = ["baseline.cu"]

[sizes]
rows = 4096
cols = 1024

[[case]]
rows = 33
cols = 1000

[[case]]
rows = 1
timed = true

[[tensor]]
name = "x"
type = "f32"
shape = ["rows", "cols"]
role = "input"
fill = "normal(0, 2)"

[[tensor]]
name = "y"
type = "f32"
shape = ["rows", "cols"]
role = "output"
tolerance = { atol = 1e-6 }

[scalars]
eps = { type = "f32", value = 1e-5 }
count = { type = "u8", value = 255 }
flag = { type = "bool", value = true }

[sim.sizes]
rows = 256

[tolerance]
atol = 1e-4
rtol = 1e-3
)toml";

Files folder(std::string toml) {
    return {{"task.toml", std::move(toml)}, {"softmax.cu", ""}, {"reference.cu", ""}, {"baseline.cu", ""}};
}

/// "ok" or "line:column: message" for the good task with one piece of text replaced.
QString outcome(const std::string& from, const std::string& to) {
    std::string text = kGood;
    const auto at = text.find(from);
    if (at == std::string::npos) return QStringLiteral("the test's text is gone");
    text.replace(at, from.size(), to);
    const auto task = parse_task(folder(text));
    if (task) return QStringLiteral("ok");
    return QStringLiteral("%1:%2: %3")
        .arg(task.error().where.line)
        .arg(task.error().where.column)
        .arg(task.error().message.c_str());
}

void write(const std::filesystem::path& path, const std::string& text) {
    std::filesystem::create_directories(path.parent_path());
    std::ofstream(path, std::ios::binary) << text;
}

} // namespace

class TestTask : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void good() {
        const auto task = parse_task(folder(kGood));
        QVERIFY2(task, task ? "" : kw::describe(task.error()).c_str());
        QCOMPARE(task->title, std::string("Row-wise softmax, fp32"));
        QCOMPARE(task->baselines, std::vector<std::string>{"baseline.cu"});
        QCOMPARE(task->cases.size(), std::size_t{3});
        QCOMPARE(task->cases[0].label, std::string("rows=4096 cols=1024"));
        QVERIFY(!task->cases[0].timed);
        QVERIFY(!task->cases[1].timed);
        QCOMPARE(task->cases[1].label, std::string("rows=33 cols=1000"));
        QCOMPARE(task->cases[2].sizes, (Sizes{{"rows", 1}, {"cols", 1024}}));
        QVERIFY(task->cases[2].timed);
        QCOMPARE(task->sim_sizes, (Sizes{{"rows", 256}}));
        QCOMPARE(task->tolerance.rtol, 1e-3);
        QCOMPARE(task->tensors[1].tolerance->atol, 1e-6);
        QCOMPARE(task->tensors[1].tolerance->rtol, 1e-3);
        QCOMPARE(task->tensors[0].fill.b, 2.0);
        QCOMPARE(std::get<double>(task->scalars.at("eps").value), 1e-5);
        QCOMPARE(std::get<std::int64_t>(task->scalars.at("flag").value), std::int64_t{1});
        QCOMPARE(task->find_tensor("y")->name, std::string("y"));
        QVERIFY(!task->find_tensor("z"));
    }

    void referenceIsTheBaselineWhenNoneIsNamed() {
        std::string text = kGood;
        text.replace(text.find("baselines = [\"baseline.cu\"]"), 27, "");
        const auto task = parse_task(folder(text));
        QVERIFY(task.has_value());
        QCOMPARE(task->baselines, std::vector<std::string>{"reference.cu"});
    }

    void sizesAreTimedWhenNoCaseIs() {
        std::string text = kGood;
        text.replace(text.find("timed = true"), 12, "timed = false");
        const auto task = parse_task(folder(text));
        QVERIFY(task.has_value());
        QVERIFY(task->cases[0].timed);
        QVERIFY(!task->cases[2].timed);
    }

    void sizesAsText() {
        QCOMPARE(sizes_text({{"rows", 64}, {"cols", 1024}}), std::string("cols=1024 rows=64"));
        QCOMPARE(sizes_text({}), std::string("no sizes"));
    }

    void errors_data() {
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("to");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* from, const char* to, const char* expected) {
            QTest::newRow(expected) << QString::fromUtf8(from) << QString::fromUtf8(to) << QString::fromUtf8(expected);
        };
        row("kernel =", "kernal =", "3:1: task.toml has no key 'kernal'; did you mean 'kernel'?");
        row("name = \"softmax\"\n", "", "1:1: a task lacks 'name'");
        row("name = \"softmax\"", "name = 3", "1:8: 'name' is an integer; it must be a string");
        row("\"softmax.cu\"", "\"softmux.cu\"",
            "3:10: the kernel file 'softmux.cu' is not in the task folder; did you mean 'softmax.cu'?");
        row("\"softmax.cu\"", "\"../softmax.cu\"", "3:10: '../softmax.cu' is no file inside the task folder");
        row("\"softmax.cu\"", "\"/etc/passwd\"", "3:10: '/etc/passwd' is no file inside the task folder");
        row("reference = \"reference.cu\"", "", "1:1: task.toml lacks 'reference', the file that holds the reference");
        row("[\"baseline.cu\"]", "[\"reference.cu\", \"base.cu\"]",
            "5:30: the baseline file 'base.cu' is not in the task folder");
        row("[\"baseline.cu\"]", "\"baseline.cu\"", "5:13: 'baselines' is a string; it must be an array of strings");
        row("cols = 1024", "cols = \"rows\"", "9:8: 'cols' is a string; it must be an integer");
        row("cols = 1024", "cols = -1", "9:8: size 'cols' is -1; sizes are not negative");
        row("cols = 1024", "cols = 0", "22:19: a dimension of 'x' is 0 ('cols'); it must be at least 1");
        row("cols = 1024", "cols = 9000000000000000000", "22:19: the size of 'x' overflows 2^63 bytes");
        row("cols = 1024", "min = 4\ncols = 1024",
            "9:1: 'min' cannot name a size: it has a meaning of its own in directives");
        row("cols = 1024", "\"a b\" = 4\ncols = 1024",
            "9:1: 'a b' cannot name a size: a name is letters, digits and '_', and begins with no digit");
        row("cols = 1024", "timed = 4\ncols = 1024", "9:1: 'timed' cannot name a size: it is a key of [[case]]");
        row("cols = 1024", "x = 4\ncols = 1024", "21:8: 'x' names a tensor here and a size elsewhere in this task");
        row("cols = 1000", "colz = 1000", "13:1: [sizes] has no 'colz'; did you mean 'cols'?");
        row("[[case]]\nrows = 33\ncols = 1000\n\n[[case]]", "[case]",
            "11:1: 'case' is a table; write [[case]] with two brackets");
        row("rows = 33\n", "rows = 33\ntimed = true\n",
            "18:9: more than one [[case]] is timed; times are of one set of sizes, so mark only one");
        row("timed = true", "timed = 1", "17:9: 'timed' is an integer; it must be true or false");
        row("name = \"y\"", "name = \"x\"", "27:8: 'x' names a tensor here and a tensor elsewhere in this task");
        row("type = \"f32\"", "type = \"float32\"",
            "21:8: unknown type 'float32'; the types are f16, bf16, f32, f64, i8, u8, i16, u16, i32, u32, i64, u64 and "
            "bool");
        row("shape = [\"rows\", \"cols\"]", "shape = [\"rows\", \"2 * colz\"]",
            "22:23: [sizes] has no 'colz'; did you mean 'cols'?");
        row("shape = [\"rows\", \"cols\"]", "shape = [\"rows\", 1.5]",
            "22:18: a dimension of 'shape' is a floating-point number; it must be an integer or an expression");
        row("shape = [\"rows\", \"cols\"]", "shape = []", "22:9: 'shape' has 0 dimensions; it must have 1 to 8");
        row("shape = [\"rows\", \"cols\"]\n", "", "19:1: tensor 'x' has no shape, as in shape = [\"rows\", 16]");
        row("role = \"input\"", "role = \"in\"", "23:8: unknown role 'in'; the roles are input, output and inout");
        row("fill = \"normal(0, 2)\"\n", "", "19:1: tensor 'x' has neither fill nor file, as in fill = \"normal\"");
        row("fill = \"normal(0, 2)\"", "file = \"x.npy\"", "24:8: the data file 'x.npy' is not in the task folder");
        row("normal(0, 2)", "gauss",
            "24:9: unknown fill 'gauss'; the fills are normal, uniform, integers, permutation, sorted, zeros, ones and "
            "iota");
        row("normal(0, 2)", "normal(0)", "24:9: 'normal' is written 'normal(mean, std)'");
        row("normal(0, 2)", "normal(0, -2)", "24:9: 'normal(0, -2)' has a negative standard deviation");
        row("normal(0, 2)", "uniform(3, 2)", "24:9: 'uniform(3, 2)' has its low end above its high end");
        row("normal(0, 2)", "integers(0, rowz - 1)", "24:21: [sizes] has no 'rowz'; did you mean 'rows'?");
        row("normal(0, 2)", "integers(0, rows - 1)", "ok");
        row("normal(0, 2)", "normal(0, 2", "24:15: expected 'normal(mean, std)'");
        row("role = \"output\"", "role = \"output\"\nfill = \"ones\"",
            "31:8: tensor 'y' is an output, so it takes no fill");
        row("role = \"output\"", "role = \"input\"\nfill = \"ones\"",
            "19:1: no [[tensor]] has role = \"output\" or \"inout\", so there is nothing to verify");
        row("atol = 1e-6", "atol = -1.0", "31:22: atol is -1; it must be finite and not negative");
        row("atol = 1e-6", "tol = 1.0", "31:15: a tolerance has no key 'tol'; did you mean 'atol'?");
        row("{ type = \"f32\", value = 1e-5 }", "1e-5",
            "34:7: scalar 'eps' needs a type, as in eps = { type = \"f32\", value = 1 }");
        row("value = 255", "value = 256", "35:32: 256 does not fit u8");
        row("value = 255", "value = 2.5", "35:32: 'value' is a floating-point number; it must be an integer");
        row("value = 1e-5", "value = 1e39", "34:31: 1e+39 does not fit f32");
        row("eps =", "rows =", "34:1: 'rows' names a scalar here and a size elsewhere in this task");
        row("rows = 256", "row = 256", "39:1: [sizes] has no 'row'; did you mean 'rows'?");
    }

    void errors() {
        QFETCH(QString, from);
        QFETCH(QString, to);
        QFETCH(QString, expected);
        QCOMPARE(outcome(from.toStdString(), to.toStdString()), expected);
    }

    void arraysAreChecked() {
        const std::vector<float> data(6, 1.0f);
        const std::vector<std::int64_t> shape{2, 3};
        const auto told = [&](const std::string& rows, const std::string& key, const std::string& sizes = "") {
            const auto task =
                parse_task({{"task.toml", "name = \"t\"\nkernel = \"k.cu\"\nreference = \"k.cu\"\n" + sizes
                                              + "[[tensor]]\nname = \"x\"\ntype = \"f32\"\nshape = [" + rows
                                              + ", 3]\nrole = \"inout\"\n" + key},
                            {"k.cu", ""},
                            {"x.npy", format_npy(ScalarType::f32, shape, std::as_bytes(std::span(data)))},
                            {"bad.npy", "text"}});
            return task ? std::string("ok") : task.error().message;
        };
        QCOMPARE(told("2", "file = \"x.npy\""), std::string("ok"));
        QCOMPARE(told("2", "fill = \"ones\"\nexpected = \"x.npy\""), std::string("ok"));
        QCOMPARE(told("3", "file = \"x.npy\""), std::string("tensor 'x' is f32 of 3x3, but x.npy holds f32 of 2x3"));
        QCOMPARE(told("\"n\"", "file = \"x.npy\"", "[sizes]\nn = 2\n[[case]]\nn = 4\n"),
                 std::string("tensor 'x' is f32 of 4x3 at n=4, but x.npy holds f32 of 2x3"));
        QVERIFY(told("2", "file = \"bad.npy\"").starts_with("bad.npy is no .npy file"));
        // A task whose outputs are all given needs no reference, but something to beat.
        QVERIFY(told("2", "file = \"x.npy\"\nexpected = \"x.npy\"") == "ok");
    }

    void malformedToml() {
        const QString told = outcome("rows = 4096", "rows = = 4096");
        QVERIFY2(told.startsWith(QLatin1String("8:8: not valid TOML: ")), told.toUtf8().constData());
        QVERIFY(!parse_task(folder("")).has_value());
        const auto latin = parse_task(folder("name = 1\n# caf\xE9"));
        QVERIFY(latin.error().where.line == 2 && latin.error().where.column == 6);
        QVERIFY(!parse_task({}).has_value());
        QVERIFY(!parse_task(folder(std::string(100000, '['))).has_value());
    }

    void columnsCountBytes() {
        const auto task = parse_task(folder("\"\xC3\xA4\xC3\xB6\" = 1"));
        QVERIFY(!task.has_value());
        const auto second = parse_task(folder("name = \"\xC3\xA4\"\nkernel = [\"\xC3\xA4\", 1]\n"));
        QCOMPARE(second.error().where.line, 2);
        const auto third = parse_task(folder("tolerance = { \"\xC3\xA4\" = 1 }\nname=\"a\"\nkernel=\"softmax.cu\""));
        QCOMPARE(third.error().where.column, 15);
        const auto fourth =
            parse_task(folder("sim = { a = \"\xC3\xA4\", sizes = 3 }\nname=\"a\"\nkernel=\"softmax.cu\""));
        QCOMPARE(fourth.error().where.line, 1);
    }

    void folders() {
        const QTemporaryDir temporary;
        const std::filesystem::path root = temporary.path().toStdString();
        QCOMPARE(read_folder(root / "absent").error().code, kw::ErrorCode::not_found);
        QVERIFY(read_folder(root).error().message.ends_with("has no task.toml"));
        std::filesystem::create_directory(root / "task.toml");
        QVERIFY(read_folder(root).error().message.ends_with("task.toml' is a folder; the file that describes the task "
                                                            "belongs there"));
        std::filesystem::remove(root / "task.toml");
        write(root / "task.toml", kGood);
        write(root / "softmax.cu", "// kernel");
        write(root / "include" / "util.cuh", "// header");
        write(root / "notes.txt", "not read");
        write(root / ".git" / "x.cu", "not read");
        const auto files = read_folder(root);
        QVERIFY(files.has_value());
        QCOMPARE(files->size(), std::size_t{3});
        QCOMPARE(files->at("include/util.cuh"), std::string("// header"));

        write(root / "latin.cu", "// a\n// caf\xE9\n");
        const auto latin = read_folder(root).error();
        QCOMPARE(latin.message, std::string("latin.cu is not UTF-8 (byte 0xE9); save it as UTF-8"));
        QCOMPARE(latin.where.line, 2);
        QCOMPARE(latin.where.column, 7);
        std::filesystem::remove(root / "latin.cu");

        write(root / "big.cu", std::string(std::size_t{17} << 20, ' '));
        QCOMPARE(read_folder(root).error().message,
                 std::string("big.cu holds 17 MiB; a source may hold at most 16 MiB"));
        std::filesystem::remove(root / "big.cu");

        std::filesystem::create_symlink("/etc/hostname", root / "link.h");
        QVERIFY(read_folder(root).error().message.starts_with("link.h is a link that leaves the task folder"));
        std::filesystem::remove(root / "link.h");
        std::filesystem::create_symlink("softmax.cu", root / "link.h");
        QCOMPARE(read_folder(root)->at("link.h"), std::string("// kernel"));
    }
};

QTEST_APPLESS_MAIN(TestTask)
#include "test_task.moc"
