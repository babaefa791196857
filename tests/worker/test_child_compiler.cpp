#include "engine/rpc/server.h"
#include "engine/worker/child_compiler.h"
#include "engine/worker/compile_wire.h"
#include "engine/worker/stdio_guard.h"

#include <QtTest/QtTest>

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <thread>

using namespace std::chrono_literals;
using kw::Json;
using kw::compile::Request;
using kw::worker::ChildCompiler;

/// The compiler in a child: the real one, and this program (--child), which breaks down on request.
class ChildCompilerTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void carries_requests_and_results();
    void compiles();
    void tells_what_is_wrong_with_the_toolkit();
    void stops_what_does_not_end();
    void takes_a_crash_for_the_sources_doing();
    void is_cancelled_at_once();

private:
    static kw::Result<std::unique_ptr<kw::compile::Compiler>> real() {
        return ChildCompiler::open({KW_PROGRAMS "/kw-worker", "compiler"});
    }
    static std::unique_ptr<kw::compile::Compiler> fake() {
        return std::move(*ChildCompiler::open({QCoreApplication::applicationFilePath().toStdString(), "--child"}));
    }
    static Request request(const std::string& source) {
        Request request;
        request.files["k.cu"] = source;
        request.main = "k.cu";
        return request;
    }
};

static int child_main() {
    auto channel = kw::worker::take_stdio();
    if (!channel) return 1;
    kw::rpc::Server server{std::move(channel->input), std::move(channel->output)};
    server.add("describe", {[](const Json&, std::stop_token, const kw::rpc::Progress&) -> kw::Result<Json> {
                                return Json{{"version", "13.0"}, {"architectures", {"sm_90"}}};
                            },
                            "compile"});
    server.add("compile", {[](const Json& params, std::stop_token, const kw::rpc::Progress&) -> kw::Result<Json> {
                               const auto asked = kw::worker::request_from_json(params);
                               const auto& source = asked->files.at("k.cu");
                               if (source == "crash") {
                                   std::fputs("out of memory\n", stderr);
                                   ::raise(SIGKILL);
                               }
                               if (source == "hang") std::this_thread::sleep_for(60s);
                               kw::compile::Output output;
                               output.ok = true;
                               output.ptx = std::to_string(::getpid());
                               return kw::worker::whole_output_to_json(output);
                           },
                           "compile"});
    const auto served = server.serve();
    ::_exit(served ? 0 : 1);
}

void ChildCompilerTest::carries_requests_and_results() {
    Request asked = request("__global__ void k() {}");
    asked.files["odd.h"] = "\xFF";
    asked.defines = {{"BLOCK", "256"}, {"FLAG", ""}};
    asked.kernels = {"k"};
    asked.arch = "sm_80";
    asked.cubin = false;
    asked.timeout_s = 2.5;
    const auto arrived = kw::worker::request_from_json(kw::worker::to_json(asked));
    QVERIFY(arrived);
    QVERIFY(arrived->files == asked.files && arrived->defines == asked.defines && arrived->kernels == asked.kernels);
    QCOMPARE(arrived->arch, asked.arch);
    QCOMPARE(arrived->timeout_s, 2.5);
    QVERIFY(!arrived->cubin && !arrived->syntax_only && arrived->line_info);

    kw::compile::Output output;
    output.ok = true;
    output.cubin = std::string("\0\x7F"
                               "ELF\xFF",
                               6);
    output.log = "log";
    output.diagnostics.push_back({.severity = kw::compile::Severity::warning,
                                  .file = "k.cu",
                                  .line = 3,
                                  .column = 1,
                                  .message = "unused",
                                  .code = {},
                                  .notes = {}});
    const auto back = kw::worker::whole_output_from_json(kw::worker::whole_output_to_json(output));
    QVERIFY(back && back->ok);
    QVERIFY(back->cubin == output.cubin && back->log == "log");
    QCOMPARE(back->diagnostics.at(0).line, 3);
    QVERIFY(!kw::worker::request_from_json(Json{{"files", Json::object()}}));
    QVERIFY(!kw::worker::whole_output_from_json(Json::array()));
}

void ChildCompilerTest::compiles() {
    const auto compiler = real();
    if (!compiler) QSKIP(compiler.error().message.c_str());
    QVERIFY(!(*compiler)->architectures().empty());
    const auto good = (*compiler)->compile(request("__global__ void k(int* a) { *a = 1; }\n"), {});
    QVERIFY(good && good->ok);
    QVERIFY(!good->cubin.empty() && !good->ptx.empty());
    QCOMPARE(good->kernels.size(), 1u);
    const auto bad = (*compiler)->compile(request("\n__global__ void k() { x = 1; }\n"), {});
    QVERIFY(bad && !bad->ok);
    QCOMPARE(bad->diagnostics.at(0).line, 2);
    const auto refused = (*compiler)->compile({.files = {}, .main = "absent.cu", .defines = {}, .kernels = {}}, {});
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, kw::ErrorCode::invalid_input);
}

void ChildCompilerTest::tells_what_is_wrong_with_the_toolkit() {
    const auto compiler = ChildCompiler::open({KW_PROGRAMS "/kw-worker", "--toolkit", "/nowhere", "compiler"});
    QVERIFY(!compiler);
    QCOMPARE(compiler.error().code, kw::ErrorCode::not_found);
    QVERIFY(!ChildCompiler::open({"/nowhere/kw-worker", "compiler"}));
}

void ChildCompilerTest::stops_what_does_not_end() {
    const auto compiler = real();
    if (!compiler) QSKIP(compiler.error().message.c_str());
    // 2²⁷ instances; NVRTC asks nobody whether to go on meanwhile.
    auto endless =
        request("template<int A, long B> struct Grow { static const long value = Grow<A - 1, 2 * B>::value + "
                "Grow<A - 1, 2 * B + 1>::value; };\n"
                "template<long B> struct Grow<0, B> { static const long value = B; };\n"
                "__global__ void k(long* a) { *a = Grow<27, 1>::value; }\n");
    endless.timeout_s = 0.5;
    const auto start = std::chrono::steady_clock::now();
    const auto output = (*compiler)->compile(endless, {});
    const auto took = std::chrono::steady_clock::now() - start;
    QVERIFY(output && !output->ok);
    QVERIFY(took < 1s);
    QVERIFY(output->diagnostics.at(0).message.starts_with("the compilation did not end within 0.5 s and was stopped"));
    QCOMPARE(output->diagnostics.at(0).file, std::string("k.cu"));
    const auto next = (*compiler)->compile(request("__global__ void k() {}\n"), {});
    QVERIFY(next && next->ok);
}

void ChildCompilerTest::takes_a_crash_for_the_sources_doing() {
    const auto compiler = fake();
    const auto output = compiler->compile(request("crash"), {});
    QVERIFY(output && !output->ok);
    QCOMPARE(
        output->diagnostics.at(0).message,
        std::string("the compiler broke down on this source: the process that compiles ended unexpectedly (signal 9 "
                    "(SIGKILL)): out of memory"));
    const auto first = compiler->compile(request("good"), {});
    const auto second = compiler->compile(request("good"), {});
    QVERIFY(first && first->ok && second);
    QCOMPARE(first->ptx, second->ptx); // the same process
}

void ChildCompilerTest::is_cancelled_at_once() {
    const auto compiler = fake();
    std::stop_source stop;
    std::jthread stopper{[&] {
        std::this_thread::sleep_for(50ms);
        stop.request_stop();
    }};
    const auto start = std::chrono::steady_clock::now();
    const auto output = compiler->compile(request("hang"), stop.get_token());
    QVERIFY(std::chrono::steady_clock::now() - start < 200ms);
    QVERIFY(!output);
    QCOMPARE(output.error().code, kw::ErrorCode::cancelled);
    QVERIFY(compiler->compile(request("good"), {}));
}

int main(int argc, char** argv) {
    if (argc == 2 && std::string_view{argv[1]} == "--child") return child_main();
    QCoreApplication app{argc, argv};
    ChildCompilerTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "test_child_compiler.moc"
