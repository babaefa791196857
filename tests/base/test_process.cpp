#include "engine/base/process.h"

#include <QtTest/QtTest>

#include <fcntl.h>
#include <unistd.h>

#include <chrono>
#include <fstream>
#include <iterator>
#include <thread>

using namespace std::chrono_literals;

class ProcessTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void captures_streams_and_status();
    void passes_large_input();
    void reports_signals();
    void names_a_missing_program();
    void reports_exec_failure();
    void changes_environment_and_folder();
    void finds_a_relative_program_from_here();
    void quotes_for_a_shell();
    void kills_from_any_thread();
    void stops_at_the_deadline();
    void stops_at_the_output_limit();
    void stops_on_request();
    void leaves_no_grandchild();
    void passes_no_descriptor();
    void survives_a_reader_that_left();
    void outlives_the_thread_that_spawned_it();
    void dies_with_its_parent();
    void destruction_kills();
};

using Milliseconds = std::chrono::milliseconds;

static qint64 elapsed_ms(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration_cast<Milliseconds>(std::chrono::steady_clock::now() - start).count();
}

/// Gone, or a zombie that its new parent has yet to reap.
static bool is_dead(pid_t pid) {
    std::ifstream file{"/proc/" + std::to_string(pid) + "/stat"};
    const std::string text{std::istreambuf_iterator<char>{file}, {}};
    const auto name_end = text.rfind(')');
    return name_end == std::string::npos || text.substr(name_end + 2, 1) == "Z";
}

void ProcessTest::captures_streams_and_status() {
    const auto result = kw::run({"sh", "-c", "echo out; echo err >&2; exit 3"});
    QVERIFY(result);
    QCOMPARE(result->output, std::string("out\n"));
    QCOMPARE(result->errors, std::string("err\n"));
    QCOMPARE(result->status.code, 3);
    QVERIFY(!result->status.success());
    QCOMPARE(kw::to_string(result->status), std::string("exit status 3"));
}

void ProcessTest::passes_large_input() {
    kw::RunOptions options;
    options.input.assign(5'000'000, 'x');
    const auto result = kw::run({"cat"}, options);
    QVERIFY(result);
    QVERIFY(result->output == options.input);
}

void ProcessTest::reports_signals() {
    const auto result = kw::run({"sh", "-c", "kill -SEGV $$"});
    QVERIFY(result);
    QCOMPARE(kw::to_string(result->status), std::string("signal 11 (SIGSEGV)"));
}

void ProcessTest::names_a_missing_program() {
    const auto result = kw::run({"no-such-program-here"});
    QVERIFY(!result);
    QCOMPARE(result.error().code, kw::ErrorCode::not_found);
    QVERIFY(result.error().message.find("no-such-program-here") != std::string::npos);
}

void ProcessTest::reports_exec_failure() {
    const auto result = kw::run({"/etc"});
    QVERIFY(!result);
    QCOMPARE(result.error().code, kw::ErrorCode::not_found);
}

void ProcessTest::changes_environment_and_folder() {
    kw::RunOptions options;
    options.environment = {{"KW_ADDED", "1"}, {"HOME", std::nullopt}};
    options.folder = "/usr";
    const auto result = kw::run({"sh", "-c", "echo ${KW_ADDED}-${HOME-unset}-$(pwd)"}, options);
    QVERIFY(result);
    QCOMPARE(result->output, std::string("1-unset-/usr\n"));
}

void ProcessTest::finds_a_relative_program_from_here() {
    const auto before = std::filesystem::current_path();
    std::filesystem::current_path("/bin");
    const auto result = kw::run({"./sh", "-c", "pwd"}, {.folder = "/usr"});
    std::filesystem::current_path(before);
    QVERIFY2(result, result ? "" : result.error().message.c_str());
    QCOMPARE(result->output, std::string("/usr\n"));
}

void ProcessTest::quotes_for_a_shell() {
    QCOMPARE(kw::shell_word("/opt/cuda-13.0"), std::string("/opt/cuda-13.0"));
    for (const std::string text : {"", "a b", "it's", "$HOME `id` \"x\" \\ *", "~", "a\nb"}) {
        const auto result = kw::run({"sh", "-c", "printf %s " + kw::shell_word(text)});
        QVERIFY(result);
        QCOMPARE(result->output, text);
    }
}

void ProcessTest::kills_from_any_thread() {
    for (int round = 0; round < 20; ++round) {
        auto child = kw::Child::spawn({.arguments = {"sleep", "60"}});
        QVERIFY(child);
        std::jthread one{[&] { child->kill(); }};
        std::jthread other{[&] { child->kill(); }};
        QCOMPARE(child->wait()->signal, SIGKILL);
    }
}

void ProcessTest::stops_at_the_deadline() {
    kw::RunOptions options;
    options.timeout = 100ms;
    const auto start = std::chrono::steady_clock::now();
    const auto result = kw::run({"sleep", "30"}, options);
    QVERIFY(!result);
    QCOMPARE(result.error().code, kw::ErrorCode::timeout);
    QVERIFY(elapsed_ms(start) < 5000);
}

void ProcessTest::stops_at_the_output_limit() {
    kw::RunOptions options;
    options.output_limit = 100'000;
    const auto result = kw::run({"yes"}, options);
    QVERIFY(!result);
    QCOMPARE(result.error().code, kw::ErrorCode::unsupported);
}

void ProcessTest::stops_on_request() {
    std::stop_source source;
    std::jthread stopper{[&] {
        std::this_thread::sleep_for(50ms);
        source.request_stop();
    }};
    const auto start = std::chrono::steady_clock::now();
    const auto result = kw::run({"sleep", "30"}, {}, source.get_token());
    QVERIFY(!result);
    QCOMPARE(result.error().code, kw::ErrorCode::cancelled);
    QVERIFY(elapsed_ms(start) < 5000);
}

void ProcessTest::leaves_no_grandchild() {
    const auto start = std::chrono::steady_clock::now();
    const auto result = kw::run({"sh", "-c", "sleep 30 & echo $!"});
    QVERIFY(result);
    QVERIFY(elapsed_ms(start) < 5000);
    const auto pid = static_cast<pid_t>(std::stol(result->output));
    QTRY_VERIFY(is_dead(pid));
}

void ProcessTest::passes_no_descriptor() {
    // Deliberately without O_CLOEXEC.
    const kw::Descriptor leaked{::open("/dev/null", O_RDONLY)};
    QVERIFY(leaked.get() > 2);
    const auto result = kw::run({"ls", "/proc/self/fd"});
    QVERIFY(result);
    // 3 is the folder that ls itself reads.
    QCOMPARE(result->output, std::string("0\n1\n2\n3\n"));
}

void ProcessTest::survives_a_reader_that_left() {
    auto child = kw::Child::spawn({.arguments = {"true"}});
    QVERIFY(child);
    QVERIFY(child->wait(5s));
    const auto written = kw::write_all(child->input().get(), "text");
    QVERIFY(!written);
    QCOMPARE(written.error().code, kw::ErrorCode::crashed);
}

void ProcessTest::outlives_the_thread_that_spawned_it() {
    std::optional<kw::Child> child;
    std::thread{[&] {
        auto spawned = kw::Child::spawn({.arguments = {"cat"}});
        if (spawned) child.emplace(std::move(*spawned));
    }}.join();
    QVERIFY(child);
    QVERIFY(!child->wait(100ms));
    child->input().reset();
    const auto status = child->wait(5s);
    QVERIFY(status);
    QVERIFY(status->success());
}

void ProcessTest::dies_with_its_parent() {
    auto middle =
        kw::Child::spawn({.arguments = {QCoreApplication::applicationFilePath().toStdString(), "--spawn-sleeper"}});
    QVERIFY(middle);
    std::array<char, 64> text{};
    QVERIFY(kw::read_some(middle->output().get(), text.data(), text.size()) > 0);
    const auto sleeper = static_cast<pid_t>(std::stol(text.data()));
    QVERIFY(!is_dead(sleeper));
    ::kill(middle->pid(), SIGKILL); // not its group: the sleeper is in its own
    QTRY_VERIFY(is_dead(sleeper));
}

void ProcessTest::destruction_kills() {
    pid_t pid = 0;
    {
        const auto child = kw::Child::spawn({.arguments = {"sleep", "30"}});
        QVERIFY(child);
        pid = child->pid();
    }
    QVERIFY(::kill(pid, 0) != 0);
}

int main(int argc, char** argv) {
    if (argc == 2 && std::string_view{argv[1]} == "--spawn-sleeper") {
        const auto child = kw::Child::spawn({.arguments = {"sleep", "60"}});
        const auto text = std::to_string(child ? child->pid() : 0) + "\n";
        if (!kw::write_all(1, text)) return 1;
        std::this_thread::sleep_for(60s);
        return 0;
    }
    QCoreApplication app{argc, argv};
    ProcessTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "test_process.moc"
