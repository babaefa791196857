#include "engine/compile/compiler.h"
#include "engine/compile/nvrtc_job.h"
#include "engine/compile/read_fence.h"
#include "engine/compile/sources.h"

#include <QTemporaryDir>
#include <QTest>

#include <chrono>
#include <fstream>
#include <thread>

using namespace kw;
using namespace kw::compile;

namespace {

const char* const kSecret = "CANARY_d41d8cd98f";

Request request_of(Files files, std::string main = "k.cu") {
    Request request;
    request.files = std::move(files);
    request.main = std::move(main);
    request.cubin = false;
    return request;
}

} // namespace

/// A candidate must not read the machine it is compiled on. Each attack names a file that exists and holds a secret.
class IncludeTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::string canary_;
    std::unique_ptr<Compiler> compiler_;

    /// Replaces @ by the canary's path.
    std::string with_canary(std::string text) const {
        for (std::size_t at = text.find('@'); at != std::string::npos; at = text.find('@', at + canary_.size()))
            text.replace(at, 1, canary_);
        return text;
    }

private Q_SLOTS:
    void initTestCase() {
        QVERIFY(folder_.isValid());
        canary_ = folder_.filePath(QStringLiteral("canary.h")).toStdString();
        std::ofstream(canary_) << kSecret << " and more\n";
        if (auto compiler = open_compiler()) compiler_ = std::move(*compiler);
    }

    void attacks_data() {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<bool>("refused"); // else it is harmless: it reads nothing
        const auto row = [](const char* name, const char* text, bool refused = true) {
            QTest::newRow(name) << QByteArray(text) << refused;
        };
        row("quoted", "#include \"@\"\n");
        row("angled", "#include <@>\n");
        row("climbing", "#include \"../../../../../../../../../../../..@\"\n");
        row("climbing inside a folder", "#include \"sub/../../../../../../../../../..@\"\n");
        row("climbing out of the toolkit", "#include <crt/../../../../../../../../..@>\n");
        row("blanks and comments", "/* */ # /* x\n*/ include /**/ \"@\" // c\n");
        row("spliced directive", "#incl\\\nude \"@\"\n");
        row("spliced with carriage returns", "#incl\\\r\nude \"@\"\r\n");
        row("spliced name", "#include \"/\\\n/\\\n@\"\n");
        row("digraph", "%:include \"@\"\n");
        row("next", "#include_next \"@\"\n");
        row("embed", "__device__ const char x[] = {\n#embed \"@\"\n};\n");
        row("import directive", "#import \"@\"\n");
        row("header unit", "import \"@\";\n");
        row("exported header unit", "export import <@>;\n");
        row("macro", "#define H \"@\"\n#include H\n");
        row("angled macro", "#define H <@>\n#include H\n");
        row("redefined macro", "#define H \"ok.h\"\n#undef H\n#define H \"@\"\n#include H\n");
        row("macro of a macro", "#define G \"@\"\n#define H G\n#include H\n");
        row("function-like macro", "#define S(x) #x\n#include S(@)\n");
        row("macro defined in a header", "#include \"defines.h\"\n#include WHERE\n");
        row("in a header", "#include \"bad.h\"\n");
        row("test for existence", "#if __has_include(\"@\")\n#endif\n");
        row("test for existence by macro", "#define P \"@\"\n#if __has_include(P)\n#endif\n");
        row("test hidden in a macro", "#define T __has_include\n#if T(\"@\")\n#endif\n");
        row("behind a comment that a trigraph seems to continue", "// ?"
                                                                  "?/\n#include \"@\"\n");
        row("behind a comment that a blank seems to continue", "// \\ \n#include \"@\"\n");
        row("behind a quote in a skipped group", "#if 0\ndon't /*\n#endif\n#include \"@\"\n*/\n");
        row("behind an unterminated string", "#error \" /*\n#include \"@\"\n");
        row("behind a number with separators", "__device__ int a = 1'000; // '\n#include \"@\"\n");
        row("behind what only looks like a raw string",
            "#define fooR\n__device__ const char* s = fooR\"(\";\n#include \"@\"\n//)\"\n");
        row("in a raw string", "__device__ const char* s = R\"(\n#include \"@\"\n)\";\n");
        row("in a raw string in a skipped group", "#if 0\nR\"x(\n#endif\n#include \"@\"\n#if 0\n)x\"\n#endif\n");
        row("after a form feed", "\f\v#include \"@\"\n");
        row("after a byte order mark", "\xEF\xBB\xBF#include \"@\"\n");
        row("in an untaken branch", "#if 0\n#include \"@\"\n#endif\n");
        row("line directive", "#line 1 \"@\"\n__global__ void k() { x; }\n", false);
        row("line marker", "# 1 \"@\" 1\n__global__ void k() { x; }\n", false);
        row("in a comment", "/*\n#include \"@\"\n*/ // #include \"@\"\n", false);
        row("assembler include",
            "__global__ void k() { asm volatile(\"\\n.include \\\"@\\\"\\n#include \\\"@\\\"\\n\"); }\n", false);
        row("assembler file", "__global__ void k() { asm volatile(\"\\n.file 9 \\\"@\\\"\\n.loc 9 1 1\\n foo;\"); }\n",
            false);
        row("trigraph",
            "?"
            "?=include \"@\"\n",
            false);
        row("pragmas",
            "#pragma GCC dependency \"@\"\n#pragma include_alias(\"ok.h\", \"@\")\n#include "
            "\"ok.h\"\n_Pragma(\"include \\\"@\\\"\")\n",
            false);
    }

    void attacks() {
        QFETCH(QByteArray, text);
        QFETCH(bool, refused);
        Files files{{"k.cu", with_canary(text.toStdString())},
                    {"ok.h", ""},
                    {"bad.h", with_canary("#pragma once\n#include \"@\"\n")},
                    {"defines.h", with_canary("#define WHERE \"@\"\n")},
                    {"sub/x.h", ""}};
        const Request request = request_of(std::move(files));
        const auto prepared = prepare_sources(request);
        QCOMPARE(!prepared, refused);
        if (refused) {
            QCOMPARE(prepared.error().code, ErrorCode::invalid_input);
            QVERIFY(prepared.error().where.line > 0);
        }
        if (!compiler_) QSKIP("NVRTC is not installed");
        for (const bool cubin : {false, true}) {
            Request compiled = request;
            compiled.cubin = cubin;
            const auto out = compiler_->compile(compiled, {});
            QCOMPARE(!out, refused);
            if (!out) continue;
            QVERIFY(!out->log.contains(kSecret));
            QVERIFY(!out->ptx.contains(kSecret));
            QVERIFY(!out->cubin.contains(kSecret));
            QVERIFY(!to_json(*out).dump().contains(kSecret));
        }
    }

    void names_the_place() {
        const auto prepared = prepare_sources(
            request_of({{"k.cu", "#include \"sub/a.h\"\n"}, {"sub/a.h", "\n  #include </etc/passwd>\n"}}));
        QVERIFY(!prepared);
        QCOMPARE(prepared.error().message, std::string("</etc/passwd> is outside the task and the toolkit"));
        QCOMPARE(prepared.error().where, (Where{"sub/a.h", 2, 12}));
    }

    void task_files_are_found() {
        if (!compiler_) QSKIP("NVRTC is not installed");
        auto out = compiler_->compile(
            request_of({{"src/k.cu", "#include \"../common/a.h\"\n"
                                     "#include \"local.h\"\n"
                                     "#include <common/b.h>\n"
                                     "#define C \"common/c.h\"\n"
                                     "#include C\n"
                                     "#if __has_include(\"local.h\") && !__has_include(\"nope.h\")\n"
                                     "__global__ void k(int* x) { *x = a() + b() + c() + local(); }\n"
                                     "#endif\n"},
                        {"src/local.h", "__device__ int local() { return 1; }\n"},
                        {"common/a.h", "#pragma once\n#include \"b.h\"\n__device__ int a() { return b(); }\n"},
                        {"common/b.h", "#pragma once\n__device__ inline int b() { return 2; }\n"},
                        {"common/c.h", "__device__ int c() { return 3; }\n"},
                        {"unused.h", "#include \"/etc/passwd\"\n"}},
                       "src/k.cu"),
            {});
        QVERIFY2(out, out ? "" : describe(out.error()).c_str());
        QVERIFY2(out->ok, out->log.c_str());
        QCOMPARE(out->kernels.size(), std::size_t{1});
        QCOMPARE(out->kernels[0].where.file, std::string("src/k.cu"));
    }

    void same_names_in_two_folders() {
        if (!compiler_) QSKIP("NVRTC is not installed");
        auto out = compiler_->compile(
            request_of({{"k.cu", "#include \"a/x.h\"\n#include \"b/x.h\"\n__global__ void k(int* p) { *p = A + B; }\n"},
                        {"a/x.h", "#include \"y.h\"\n#define A 1 Y\n"},
                        {"a/y.h", "#define Y +1\n"},
                        {"b/x.h", "#include \"y.h\"\n#define B 2\n#error from b\n"},
                        {"b/y.h", "#undef Y\n#define Y\n"}}),
            {});
        QVERIFY(out);
        QVERIFY(!out->ok);
        QCOMPARE(out->diagnostics[0].file, std::string("b/x.h"));
        QCOMPARE(out->diagnostics[0].line, 3);
    }

    void a_missing_header_is_the_compilers_message() {
        if (!compiler_) QSKIP("NVRTC is not installed");
        auto out = compiler_->compile(request_of({{"k.cu", "\n#include \"nope.h\"\n"}}), {});
        QVERIFY(out);
        QVERIFY(!out->ok);
        QCOMPARE(out->diagnostics.size(), std::size_t{1});
        QCOMPARE(out->diagnostics[0].line, 2);
        QVERIFY(out->diagnostics[0].message.contains("nope.h"));
    }

    void file_names_must_be_relative() {
        QVERIFY(!prepare_sources(request_of({{"k.cu", ""}, {"/etc/x.h", ""}})));
        QVERIFY(!prepare_sources(request_of({{"k.cu", ""}, {"../x.h", ""}})));
        QVERIFY(!prepare_sources(request_of({{"k.cu", ""}, {"a\"b.h", ""}})));
    }

    /// The second wall: a thread that may not read, whatever the text says.
    void fence() {
        bool fenced = false, readable = true, allowed = false;
        const std::string inside = folder_.path().toStdString();
        std::thread([&] {
            fenced = restrict_reading({"/usr/include"});
            readable = std::ifstream(canary_).good();
        }).join();
        std::thread([&] {
            restrict_reading({inside});
            allowed = std::ifstream(canary_).good();
        }).join();
        if (!fenced) QSKIP("this kernel has no Landlock");
        QVERIFY(!readable);
        QVERIFY(allowed);
        QVERIFY(std::ifstream(canary_).good());
    }

    void the_compiler_runs_behind_the_fence() {
        bool fenced = false;
        std::thread([&] { fenced = restrict_reading({}); }).join();
        auto nvrtc = open_nvrtc({});
        if (!nvrtc || !fenced) QSKIP("NVRTC is not installed or this kernel has no Landlock");
        NvrtcRunner runner(*nvrtc);
        NvrtcInput input;
        input.source = with_canary("#include \"@\"\n");
        input.name = "k.cu";
        input.options = {"-arch=compute_90"};
        input.readable = {(*nvrtc)->path.parent_path()};
        const auto output = runner.run(std::move(input), {}, std::chrono::steady_clock::time_point::max());
        QVERIFY(output);
        QCOMPARE(output->result, NvrtcResult::compilation);
        QVERIFY(!output->log.contains(kSecret));
    }
};

QTEST_APPLESS_MAIN(IncludeTest)
#include "test_include.moc"
