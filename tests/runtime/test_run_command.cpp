#include "engine/base/file.h"
#include "engine/base/process.h"
#include "engine/compile/toolkit.h"

#include <QtCore/QTemporaryDir>
#include <QtTest/QtTest>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <string>
#include <vector>

using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

/// `kw run` with these words, in this folder.
kw::RunResult run(std::vector<std::string> words, const fs::path& folder = {}) {
    words.insert(words.begin(), {KW_PROGRAMS "/kw", "run"});
    auto ran = kw::run(words, {.folder = folder, .timeout = 100s});
    if (ran) return std::move(*ran);
    return {.status = {.code = -1, .signal = 0}, .output = {}, .errors = ran.error().message};
}

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

std::string with_main(std::string_view kernels, std::string_view body) {
    return "#include <cstdio>\n#include <cstdlib>\n#include <unistd.h>\n" + std::string(kernels)
           + "\nint main(int argc, char** argv) {\n" + std::string(body) + "\nreturn 0;\n}\n";
}

} // namespace

class TestRunCommand : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    bool nvcc_ = false;

    /// Runs a program of this text, p.cu.
    kw::RunResult program(const std::string& text, std::vector<std::string> arguments = {},
                          std::vector<std::string> options = {}) {
        const fs::path folder{folder_.path().toStdString()};
        if (!kw::write_file(folder / "p.cu", text)) return {};
        options.emplace_back("p.cu");
        options.insert(options.end(), arguments.begin(), arguments.end());
        return run(std::move(options), folder);
    }

private slots:
    void initTestCase() {
        nvcc_ = !kw::compile::find_tool("nvcc", {}).path.empty();
        if (!nvcc_) qInfo("no nvcc: what needs one is skipped");
    }

    void samples_data() {
        QTest::addColumn<QString>("file");
        for (const auto& entry : fs::directory_iterator{KW_SAMPLES})
            if (entry.path().extension() == ".cu")
                QTest::newRow(entry.path().stem().c_str()) << QString::fromStdString(entry.path().string());
    }
    void samples() {
        if (!nvcc_) QSKIP("there is no nvcc");
        QFETCH(QString, file);
        const auto ran = run({file.toStdString()});
        QVERIFY2(ran.status.code == 0, (ran.output + ran.errors).c_str());
        QVERIFY2(ran.output.ends_with("PASS\n"), ran.output.c_str());
    }

    void wrong_usage() {
        const auto absent = run({"/no/such/file.cu"});
        QCOMPARE(absent.status.code, 2);
        QVERIFY(has(absent.errors, "there is no file /no/such/file.cu"));
        QCOMPARE(run({"--device", "sim:none", KW_SAMPLES "/vector_add.cu"}).status.code, 3);
        QCOMPARE(run({"--device", "tpu", KW_SAMPLES "/vector_add.cu"}).status.code, 2);
        QCOMPARE(run({KW_SAMPLES "/check.h"}).status.code, 2);
        const auto check = run({"--sanitize", "bogus", KW_SAMPLES "/vector_add.cu"});
        QCOMPARE(check.status.code, 2);
        QVERIFY2(has(check.errors, "--sanitize: \"bogus\" is no check"), check.errors.c_str());
        const auto elsewhere = run({"--worker", "srun", KW_SAMPLES "/vector_add.cu"});
        QCOMPARE(elsewhere.status.code, 2);
        QVERIFY2(has(elsewhere.errors, "--worker"), elsewhere.errors.c_str());
        const auto folder = fs::path{folder_.path().toStdString()} / "x.cu";
        fs::create_directories(folder);
        const auto no_file = run({folder.string()});
        QCOMPARE(no_file.status.code, 2);
        QVERIFY2(has(no_file.errors, "x.cu is a folder"), no_file.errors.c_str());
    }

    void no_nvcc() {
        const auto named = run({"--toolkit", "/nowhere", KW_SAMPLES "/vector_add.cu"});
        QCOMPARE(named.status.code, 3);
        QVERIFY2(has(named.errors, "/nowhere/bin/nvcc of --toolkit"), named.errors.c_str());
        auto ran =
            kw::run({KW_PROGRAMS "/kw", "run", KW_SAMPLES "/vector_add.cu"},
                    {.environment = {{"PATH", "/nowhere"}, {"CUDA_HOME", "/nowhere"}, {"CUDA_PATH", "/nowhere"}}});
        QVERIFY(ran);
        if (ran->status.code == 0 || ran->status.code == 1) QSKIP("nvcc is where it is always looked for");
        QCOMPARE(ran->status.code, 3);
        QVERIFY2(has(ran->errors, "needs nvcc"), ran->errors.c_str());
    }

    void compiler_errors_are_shown() {
        if (!nvcc_) QSKIP("there is no nvcc");
        const auto ran = program("int main() { return undeclared_name; }\n");
        QCOMPARE(ran.status.code, 1);
        QVERIFY2(has(ran.errors, "undeclared_name") && has(ran.errors, "p.cu does not compile"), ran.errors.c_str());
    }

    void libraries_are_named() {
        if (!nvcc_) QSKIP("there is no nvcc");
        const auto ran =
            program(with_main("extern \"C\" int cublasCreate_v2(void**);", "void* h; return cublasCreate_v2(&h);"));
        QCOMPARE(ran.status.code, 3);
        QVERIFY2(has(ran.errors, "cublasCreate_v2 (cuBLAS)"), ran.errors.c_str());
    }

    void missing_calls_are_named() {
        if (!nvcc_) QSKIP("there is no nvcc");
        const auto ran =
            program(with_main("", "puts(\"first\"); cudaGraph_t g; cudaGraphCreate(&g, 0); puts(\"never\");"));
        QCOMPARE(ran.status.code, 3);
        QCOMPARE(ran.output, std::string("first\n"));
        QVERIFY2(has(ran.errors, "cudaGraphCreate at p.cu:6"), ran.errors.c_str());
    }

    void fault_has_both_lines() {
        if (!nvcc_) QSKIP("there is no nvcc");
        const auto ran = program(with_main("__global__ void k(int* p) {\n  p[threadIdx.x + 100] = 1;\n}",
                                           "int* d_p;\ncudaMalloc(&d_p, 400);\nk<<<1, 32>>>(d_p);\n"
                                           "printf(\"%s\\n\", cudaGetErrorName(cudaDeviceSynchronize()));\n"
                                           "printf(\"%s\\n\", cudaGetErrorName(cudaFree(d_p)));\n"
                                           "printf(\"%s\\n\", cudaGetErrorName(cudaGetLastError()));"));
        QCOMPARE(ran.status.code, 0);
        QCOMPARE(ran.output,
                 std::string("cudaErrorIllegalAddress\ncudaErrorIllegalAddress\ncudaErrorIllegalAddress\n"));
        QVERIFY2(has(ran.errors, "at p.cu:5"), ran.errors.c_str());
        QVERIFY2(has(ran.errors, "launched at p.cu:10"), ran.errors.c_str());
        QVERIFY2(has(ran.errors, "d_p (cudaMalloc at p.cu:9)"), ran.errors.c_str());
    }

    void host_memory_in_a_kernel() {
        if (!nvcc_) QSKIP("there is no nvcc");
        const auto ran = program(with_main("__global__ void k(int* p) { *p = 1; }",
                                           "int x = 0; k<<<1, 1>>>(&x);\n"
                                           "return cudaDeviceSynchronize() == cudaErrorIllegalAddress ? 5 : 6;"));
        QCOMPARE(ran.status.code, 5);
        QVERIFY2(has(ran.errors, "a variable on the host's stack"), ran.errors.c_str());
    }

    void device_memory_on_the_host() {
        if (!nvcc_) QSKIP("there is no nvcc");
        const auto ran = program(with_main("", "int* p;\ncudaMalloc(&p, 4);\nreturn *p;"));
        QCOMPARE(ran.status.code, 128 + SIGSEGV);
        QVERIFY2(has(ran.errors, "host code at p.cu:8") && has(ran.errors, "memory of the device"), ran.errors.c_str());
    }

    void refused_launches_and_frees() {
        if (!nvcc_) QSKIP("there is no nvcc");
        const auto ran = program(with_main("__global__ void k() {}",
                                           "int* p; cudaMalloc(&p, 4);\n"
                                           "k<<<1, 2048>>>();\nprintf(\"%d \", cudaGetLastError());\n"
                                           "k<<<1, 1, 60000>>>();\nprintf(\"%d \", cudaGetLastError());\n"
                                           "k<<<0, 1>>>();\nprintf(\"%d \", cudaGetLastError());\n"
                                           "cudaFree(p);\nprintf(\"%d \", cudaFree(p));\n"
                                           "printf(\"%d %d\\n\", cudaGetLastError(), cudaGetLastError());"));
        QCOMPARE(ran.status.code, 0);
        QVERIFY2(ran.output == "1 1 9 1 1 0\n" || ran.output == "1 1 9 1 0 1\n", ran.output.c_str());
        QVERIFY2(has(ran.errors, "is free already; it was freed at p.cu:13"), ran.errors.c_str());
        QVERIFY2(has(ran.errors, "2048 threads"), ran.errors.c_str());
    }

    void endless_kernels_stop() {
        if (!nvcc_) QSKIP("there is no nvcc");
        const auto ran = program(with_main("__global__ void k(volatile int* p) { while (*p == 0) {} }",
                                           "int* p; cudaMalloc(&p, 4); cudaMemset(p, 0, 4); k<<<1, 1>>>(p);\n"
                                           "return cudaDeviceSynchronize() == cudaErrorLaunchTimeout ? 7 : 8;"),
                                 {}, {"--most-instructions", "1000000"});
        QCOMPARE(ran.status.code, 7);
        QVERIFY2(has(ran.errors, "seems not to end"), ran.errors.c_str());
    }

    void arguments_and_status_are_the_programs() {
        if (!nvcc_) QSKIP("there is no nvcc");
        const auto ran = program(
            with_main("", "for (int i = 1; i < argc; ++i) printf(\"[%s]\", argv[i]);\n_exit(fflush(stdout) + 42);"),
            {"--device", "x y", "-n", "--"}, {"--device", "sim:a100"});
        QCOMPARE(ran.status.code, 42);
        QCOMPARE(ran.output, std::string("[--device][x y][-n][--]"));
        const auto aborted = program(with_main("", "cudaFree(0); abort();"));
        QCOMPARE(aborted.status.code, 128 + SIGABRT);
        QVERIFY2(has(aborted.errors, "SIGABRT"), aborted.errors.c_str());
    }

    void children_of_a_program_cannot_use_the_device() {
        if (!nvcc_) QSKIP("there is no nvcc");
        const auto ran = program(with_main("#include <sys/wait.h>",
                                           "cudaFree(0);\nif (fork() == 0) { int n; _exit(cudaGetDeviceCount(&n)); }\n"
                                           "int status; wait(&status); return WEXITSTATUS(status);"));
        QCOMPARE(ran.status.code, 3); // cudaErrorInitializationError, as with a GPU
    }

    void output_is_in_order() {
        if (!nvcc_) QSKIP("there is no nvcc");
        const auto ran = program(
            with_main("#include <cassert>\n__global__ void k(int i) { printf(\"kernel %d\\n\", i); assert(i < 1); }",
                      "puts(\"a\"); k<<<1, 1>>>(0); cudaDeviceSynchronize(); puts(\"b\"); k<<<1, 1>>>(1);\n"
                      "printf(\"%d\\n\", cudaDeviceSynchronize());"),
            {}, {"--nvcc", "-std=c++20"});
        QCOMPARE(ran.output, std::string("a\nkernel 0\nb\nkernel 1\n710\n"));
        QVERIFY2(has(ran.errors, "launched at p.cu:"), ran.errors.c_str());
    }

    void limits_beyond_the_simulators_are_told() {
        if (!nvcc_) QSKIP("there is no nvcc");
        const auto ran = program(with_main("", "cudaDeviceSetLimit(cudaLimitStackSize, 4096);\n"
                                               "for (int i = 0; i < 2; ++i)\n"
                                               "cudaDeviceSetLimit(cudaLimitStackSize, 128 << 10);\n"
                                               "cudaDeviceSetLimit(cudaLimitPrintfFifoSize, 2 << 20);\n"
                                               "cudaDeviceSetLimit(cudaLimitMallocHeapSize, 64 << 20);\n"
                                               "size_t now; cudaDeviceGetLimit(&now, cudaLimitStackSize);\n"
                                               "return now == 128 << 10 ? 0 : 1;"));
        QCOMPARE(ran.status.code, 0);
        QVERIFY2(has(ran.errors, "cudaDeviceSetLimit at p.cu:8: 65536 bytes of stack"), ran.errors.c_str());
        QVERIFY2(has(ran.errors, "cudaDeviceSetLimit at p.cu:9: 1048576 bytes"), ran.errors.c_str());
        QVERIFY2(has(ran.errors, "cudaDeviceSetLimit at p.cu:10: 8388608 bytes"), ran.errors.c_str());
        QCOMPARE(std::ranges::count(ran.errors, '\n'), 3);
    }

    void long_output_is_cut_with_a_word() {
        if (!nvcc_) QSKIP("there is no nvcc");
        const auto ran =
            program(with_main("__global__ void k(int n) { for (int i = 0; i < n; ++i) printf(\"%063d\\n\", i); }",
                              "k<<<1, 1>>>(16384); cudaDeviceSynchronize();\n"
                              "if (argc > 1) k<<<1, 1>>>(16385); return cudaDeviceSynchronize();"),
                    {"more"});
        QCOMPARE(ran.status.code, 0);
        QCOMPARE(ran.output.size(), (std::size_t{2} << 20) + 1); // whole lines fill it, so one more newline ends it
        QCOMPARE(ran.errors, std::string("kw run: the launch of k at p.cu:7: its kernel printed more than the "
                                         "1048576 bytes that are shown of a launch\n"));
    }

    void events_turn_checks_off_with_a_word() {
        if (!nvcc_) QSKIP("there is no nvcc");
        const auto text = [](std::string_view flags) {
            return with_main("__global__ void k() {}", "cudaEvent_t e; cudaEventCreateWithFlags(&e, "
                                                           + std::string(flags)
                                                           + ");\nk<<<1, 1>>>(); k<<<1, 1>>>(); return "
                                                             "cudaDeviceSynchronize();");
        };
        const auto timed = program(text("cudaEventDefault"));
        QCOMPARE(timed.status.code, 0);
        QVERIFY2(has(timed.errors, "barriers and shuffles are not looked at"), timed.errors.c_str());
        QCOMPARE(std::ranges::count(timed.errors, '\n'), 1);
        QCOMPARE(program(text("cudaEventDisableTiming")).errors, std::string());
        QCOMPARE(program(text("cudaEventDefault"), {}, {"--sanitize", "sync"}).errors, std::string());
    }

    void nvcc_options_that_cannot_be_data() {
        QTest::addColumn<QString>("option");
        QTest::addColumn<QString>("value");
        QTest::addColumn<QString>("words");
        QTest::newRow("rdc") << "-rdc=true" << "" << "separate compilation";
        QTest::newRow("rdc in two words") << "-rdc" << "true" << "separate compilation";
        QTest::newRow("rdc in full") << "--relocatable-device-code=true" << "" << "separate compilation";
        QTest::newRow("dc") << "-dc" << "" << "separate compilation";
        QTest::newRow("cudart") << "-cudart=static" << "" << "shared CUDA runtime";
        QTest::newRow("cudart in two words") << "--cudart" << "none" << "shared CUDA runtime";
        QTest::newRow("c") << "-c" << "" << "builds a whole program";
        QTest::newRow("ptx") << "--ptx" << "" << "builds a whole program";
        QTest::newRow("o") << "-o" << "x" << "not kept";
    }
    void nvcc_options_that_cannot_be() {
        QFETCH(QString, option);
        QFETCH(QString, value);
        QFETCH(QString, words);
        std::vector<std::string> line{"--nvcc", option.toStdString()};
        if (!value.isEmpty()) line.insert(line.end(), {"--nvcc", value.toStdString()});
        line.emplace_back(KW_SAMPLES "/vector_add.cu");
        const auto ran = run(line);
        QCOMPARE(ran.status.code, 2);
        QVERIFY2(has(ran.errors, words.toStdString()), ran.errors.c_str());
    }

    void separate_compilation_behind_our_back_is_named() {
        if (!nvcc_) QSKIP("there is no nvcc");
        const fs::path folder{folder_.path().toStdString()};
        QVERIFY(kw::write_file(folder / "p.cu", with_main("__global__ void k() {}", "k<<<1, 1>>>();")));
        const auto ran = kw::run({KW_PROGRAMS "/kw", "run", "p.cu"},
                                 {.environment = {{"NVCC_APPEND_FLAGS", "-rdc=true"}}, .folder = folder});
        QVERIFY(ran);
        QCOMPARE(ran->status.code, 3);
        QVERIFY2(has(ran->errors, "separate compilation"), ran->errors.c_str());
    }

    void static_runtime_behind_our_back_is_named() {
        if (!nvcc_) QSKIP("there is no nvcc");
        const fs::path folder{folder_.path().toStdString()};
        QVERIFY(kw::write_file(folder / "p.cu", with_main("", "return cudaFree(0);")));
        const auto ran = kw::run({KW_PROGRAMS "/kw", "run", "p.cu"},
                                 {.environment = {{"NVCC_APPEND_FLAGS", "-cudart static"}}, .folder = folder});
        QVERIFY(ran);
        QCOMPARE(ran->status.code, 3);
        QVERIFY2(has(ran->errors, "not linked to the shared CUDA runtime"), ran->errors.c_str());
    }

    /// A compiler that is interrupted and ends as nvcc does, like after an error.
    void interrupted_while_compiling() {
        const fs::path toolkit = fs::path{folder_.path().toStdString()} / "toolkit";
        fs::create_directories(toolkit / "bin");
        const auto nvcc = toolkit / "bin" / "nvcc";
        QVERIFY(kw::write_file(nvcc, "#!/bin/sh\ntrap 'exit 1' INT\nkill -INT $PPID\n"
                                     "for i in 1 2 3 4 5 6 7 8 9; do sleep 0.2; done\nexit 3\n"));
        fs::permissions(nvcc, fs::perms::owner_all);
        const auto ran = run({"--toolkit", toolkit.string(), KW_SAMPLES "/vector_add.cu"});
        QCOMPARE(ran.status.code, 128 + SIGINT);
        QCOMPARE(ran.errors, std::string());
    }

    void paths_beyond_ascii() {
        if (!nvcc_) QSKIP("there is no nvcc");
        const fs::path folder{folder_.path().toStdString()};
        QVERIFY(kw::write_file(folder / "h\u00e9.cu", with_main("__global__ void k(int* p) {\n  *p = 1;\n}",
                                                                "k<<<1, 1>>>(nullptr); cudaDeviceSynchronize();")));
        const auto ran = run({"h\u00e9.cu"}, folder);
        QVERIFY2(has(ran.errors, "  at h\u00e9.cu:5\n"), ran.errors.c_str());
    }
};

QTEST_APPLESS_MAIN(TestRunCommand)
#include "test_run_command.moc"
