#include "agent/trajectory/session_file.h"
#include "engine/base/file.h"
#include "tests/agent/llm_server.h"
#include "tests/cli/task_folder.h"

#include <QTest>

#include <chrono>
#include <fstream>
#include <random>
#include <thread>

using namespace kw;
using namespace std::chrono_literals;
using test::ScriptedServer;
using trajectory::SessionFile;

namespace {

constexpr const char* kKey = "sk-command-0123456789abcdef";

Json answer(const std::string& body) { return {{"body", body}}; }

std::string attempt(int number) {
    return test::chat_reply(
        "Attempt " + std::to_string(number),
        {{"edit", {{"content", test::candidate(test::kRight) + "// " + std::to_string(number) + "\n"}}},
         {"verify", {{"summary", "attempt " + std::to_string(number)}}}});
}

std::string environment_of(pid_t pid) {
    std::ifstream file{"/proc/" + std::to_string(pid) + "/environ", std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
}

} // namespace

/// `kw agent run --driver llm` against a scripted server, with a worker and the simulator.
class TestLlmCommand : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        if (!test::has_python()) QSKIP("python3 is needed for the scripted server");
        const test::TaskFolder folder;
        const auto compiled = test::run_kw({"eval", folder.string(), "--device", "sim", "--stages", "compile"});
        if (!compiled || compiled->status.code == 3) QSKIP("NVRTC is needed to compile candidates");
    }

    void a_run() {
        const test::TaskFolder folder;
        // The key comes back from the server in every place it can.
        const std::string echo = kKey;
        const ScriptedServer server{Json::array(
            {answer(attempt(1)), answer(test::chat_reply("Your key is " + echo, {{"read_file", {{"path", echo}}}})),
             answer(attempt(2)), answer(test::chat_reply("Done. " + echo))})};
        const auto result = run(server, folder, {"--steps", "5"});
        QVERIFY2(result && result->status.success(), text(result).c_str());
        QVERIFY2(result->output.contains("attempt 1") && result->output.contains("attempt 2"), text(result).c_str());
        QVERIFY(result->output.contains("the model has nothing more to try"));
        QVERIFY(result->output.contains("price that is not known"));
        const auto session = SessionFile::open(session_of(folder), SessionFile::Access::read);
        QCOMPARE(session->steps()->size(), std::size_t{2});
        QCOMPARE(session->steps()->at(1).parent.value_or(0), trajectory::StepId{1});
        QCOMPARE(session->steps()->at(0).driver, std::string{"llm:m-1"});
        QVERIFY(server.requests().at(0).at("headers").at("authorization").get<std::string>().ends_with(kKey));
        // In nothing that is kept or said.
        std::string all = result->output + result->errors;
        for (const char* format : {"csv", "jsonl", "atif"})
            all += test::run_kw({"session", "export", session_of(folder).string(), "--format", format})->output;
        for (trajectory::StepId id = 1; id <= 2; ++id) {
            const auto step = session->step(id);
            all += step->thought + step->summary.title;
            for (const auto& message : step->messages) all += message.content + message.reasoning;
            for (const auto& call : step->tool_calls) all += call.arguments.dump() + call.result;
        }
        all += session->meta("unfinished").value();
        for (const char* ending : {"", "-wal"})
            all += read_file(session_of(folder).string() + ending, 1 << 26).value_or("");
        QVERIFY(all.contains("[key removed]"));
        QVERIFY(!all.contains(kKey));
    }

    void the_worker_never_has_the_key() {
        const test::TaskFolder folder;
        const ScriptedServer server{Json::array({answer(attempt(1)), {{"wait_ms", 60000}}})};
        auto child =
            start(server, folder, {"--key-env", "ODDLY_NAMED"},
                  {{"ODDLY_NAMED", kKey}, {"OPENAI_API_KEY", kKey}, {"ANTHROPIC_API_KEY", kKey}, {"KW_API_KEY", kKey}});
        QVERIFY(child.has_value());
        QVERIFY(await([&] { return server.requests().size() == 2; }));
        // The worker, and the processes of its own that compile and run what a model wrote.
        std::vector<pid_t> all = test::children_of(child->pid());
        for (std::size_t i = 0; i < all.size(); ++i)
            for (const auto grandchild : test::children_of(all[i])) all.push_back(grandchild);
        QVERIFY(all.size() >= 2);
        for (const auto pid : all) {
            const auto environment = environment_of(pid);
            QVERIFY(environment.contains("PATH="));
            QVERIFY(!environment.contains(kKey));
        }
        QVERIFY(environment_of(child->pid()).contains(kKey)); // it looks where a key would be
        child->kill_and_wait();
    }

    void ctrl_c_keeps_what_is_there() {
        const test::TaskFolder folder;
        const ScriptedServer server{Json::array({answer(attempt(1)), {{"wait_ms", 60000}}})};
        auto child = start(server, folder);
        QVERIFY(await([&] { return server.requests().size() == 2; }));
        child->kill(SIGINT);
        const auto status = child->wait(10s);
        QVERIFY(status && *status == (ExitStatus{130, 0}));
        QCOMPARE(SessionFile::open(session_of(folder), SessionFile::Access::read)->steps()->size(), std::size_t{1});
        // And goes on from there.
        const ScriptedServer more{Json::array({answer(attempt(2)), answer(test::chat_reply("Done."))})};
        QVERIFY(run(more, folder)->status.success());
        const auto session = SessionFile::open(session_of(folder), SessionFile::Access::read);
        QCOMPARE(session->steps()->size(), std::size_t{2});
        QCOMPARE(session->steps()->at(1).parent.value_or(0), trajectory::StepId{1});
        QVERIFY(
            more.requests().at(0).at("body").at("messages")[1].at("content").get<std::string>().contains("attempt 1"));
        const ScriptedServer branch{Json::array({answer(attempt(3)), answer(test::chat_reply("Done."))})};
        QVERIFY(run(branch, folder, {"--from", "1", "--message", "think of warps"})->status.success());
        QCOMPARE(session->steps()->at(2).parent.value_or(0), trajectory::StepId{1});
        QVERIFY(branch.raw_log().contains("think of warps"));
        const auto missing = run(branch, folder, {"--from", "99"});
        QVERIFY(missing->status.code == 2 && missing->errors.contains("99"));
    }

    void odd_arguments_are_told_data() {
        QTest::addColumn<QStringList>("arguments");
        QTest::addColumn<QByteArray>("says");
        QTest::newRow("no model") << QStringList{"--base-url", "http://localhost:9"} << QByteArray("--model");
        QTest::newRow("no price") << QStringList{"--base-url", "http://localhost:9", "--model", "m", "--cost", "1"}
                                  << QByteArray("is not known");
        QTest::newRow("no URL") << QStringList{"--base-url", "localhost", "--model", "m"} << QByteArray("base URL");
        QTest::newRow("a password in it")
            << QStringList{"--base-url", "https://u:p@x/", "--model", "m"} << QByteArray("password");
        QTest::newRow("unencrypted") << QStringList{"--base-url", "http://example.com", "--model", "m"}
                                     << QByteArray("unencrypted");
        QTest::newRow("no such variable")
            << QStringList{"--key-env", "NO_SUCH", "--model", "m"} << QByteArray("NO_SUCH");
        QTest::newRow("no temperature") << QStringList{"--temperature", "nan", "--model", "m"}
                                        << QByteArray("from 0 to 2");
        QTest::newRow("no cost") << QStringList{"--cost", "nan", "--model", "m"} << QByteArray("from 0 to 1e+06");
        QTest::newRow("an empty server") << QStringList{"--base-url", "", "--model", "m"} << QByteArray("is empty");
        QTest::newRow("an empty variable") << QStringList{"--key-env", "", "--model", "m"} << QByteArray("is empty");
        QTest::newRow("no header") << QStringList{"--header", "odd", "--model", "m"} << QByteArray("'X-Team: kernels'");
        QTest::newRow("a header of its own")
            << QStringList{"--header", "Host: x", "--model", "m"} << QByteArray("set by the program");
        QTest::newRow("no temperature of this model")
            << QStringList{"--provider", "anthropic", "--model", "claude-opus-5-5", "--temperature", "0.5"}
            << QByteArray("takes no temperature");
    }
    void odd_arguments_are_told() {
        QFETCH(QStringList, arguments);
        QFETCH(QByteArray, says);
        const test::TaskFolder folder;
        std::vector<std::string> all{
            "agent", "run", folder.string(), "--driver", "llm", "-o", session_of(folder).string()};
        for (const auto& argument : arguments) all.push_back(argument.toStdString());
        const auto result = test::run_kw(all, {.environment = {{"KW_API_KEY", kKey}}});
        QVERIFY2(result->status.code == 2 && result->errors.contains(says.toStdString()), text(result).c_str());
        QVERIFY(!std::filesystem::exists(session_of(folder)));
    }

    void a_short_key_is_refused() {
        const test::TaskFolder folder;
        const auto result = test::run_kw({"agent", "run", folder.string(), "--driver", "llm", "--model", "m",
                                          "--base-url", "http://localhost:9", "-o", session_of(folder).string()},
                                         {.environment = {{"KW_API_KEY", "hunter2"}}});
        QVERIFY2(result->status.code == 2 && result->errors.contains("fewer than 8 characters"), text(result).c_str());
        QVERIFY(!result->errors.contains("hunter2"));
    }

    void secret_headers_are_sent_and_kept_nowhere() {
        const test::TaskFolder folder;
        const std::string secret = "portkey-0123456789";
        const ScriptedServer server{Json::array(
            {answer(attempt(1)), answer(test::chat_reply("You sent " + secret)), answer(test::chat_reply("Done."))})};
        const auto result = run(
            server, folder, {"--header", "X-Gateway-Token: " + secret, "--header", "X-Team: kernels", "--steps", "2"});
        QVERIFY2(result->status.success(), text(result).c_str());
        const auto headers = server.requests().at(0).at("headers");
        QCOMPARE(headers.at("x-gateway-token").get<std::string>(), secret);
        QCOMPARE(headers.at("x-team").get<std::string>(), std::string{"kernels"});
        std::string all = result->output + result->errors;
        for (const char* ending : {"", "-wal"})
            all += read_file(session_of(folder).string() + ending, 1 << 26).value_or("");
        QVERIFY(!all.contains(secret));
        QVERIFY(SessionFile::open(session_of(folder), SessionFile::Access::read)
                    ->meta("unfinished")
                    ->contains("[key removed]"));
    }

    void a_server_that_gives_up_leaves_a_summary() {
        const test::TaskFolder folder;
        const ScriptedServer server{Json::array(
            {answer(attempt(1)), {{"status", 400}, {"body", R"({"error": {"message": "no more for you"}})"}}})};
        const auto result = run(server, folder);
        QVERIFY2(result->status.code == 3, text(result).c_str());
        QVERIFY2(result->output.contains("1 step written to") && result->output.contains("best: step 1"),
                 text(result).c_str());
        QVERIFY(result->errors.contains("no more for you"));
    }

    void lists_models() {
        const ScriptedServer server{Json::array({answer(R"({"data": [{"id": "m-1", "max_model_len": 32768}]})")})};
        const auto result = test::run_kw({"agent", "models", "--base-url", server.url(), "--json"});
        QVERIFY2(result->status.success(), text(result).c_str());
        const auto list = Json::parse(result->output);
        QCOMPARE(list[0].at("context").get<int>(), 32768);
        QVERIFY(list[0].at("usd_per_million_tokens").is_null());
    }

    /// kill -9 at any moment of a run: the session opens, and every step in it is whole.
    void survives_being_killed() {
        const test::TaskFolder folder;
        auto script = Json::array();
        for (int i = 0; i < 2000; ++i) script.push_back(answer(attempt(i)));
        const ScriptedServer server{script};
        std::mt19937 random{7};
        trajectory::StepId seen = 0;
        for (int round = 0; round < 50; ++round) {
            auto child = start(server, folder, {"--steps", "1000"});
            QVERIFY(child.has_value());
            std::this_thread::sleep_for(std::chrono::milliseconds{std::uniform_int_distribution{50, 900}(random)});
            child->kill_and_wait();
            if (!std::filesystem::exists(session_of(folder))) continue;
            const auto session = SessionFile::open(session_of(folder), SessionFile::Access::write);
            QVERIFY2(session.has_value(), session ? "" : session.error().message.c_str());
            const auto steps = session->steps();
            QVERIFY(steps.has_value());
            for (const auto& summary : *steps) {
                if (summary.id <= seen) continue;
                QCOMPARE(summary.id, seen + 1);
                seen = summary.id;
                const auto step = session->step(summary.id);
                QVERIFY2(step.has_value(), step ? "" : step.error().message.c_str());
                QVERIFY(step->evaluation.has_value() && summary.correct.value_or(false));
                QCOMPARE(step->tool_calls.size(), std::size_t{2});
                QCOMPARE(step->tool_calls[1].name, std::string{"verify"});
                QCOMPARE(std::ranges::count(step->messages, std::string{"tool"}, &trajectory::Message::role), 2);
                QVERIFY(!step->tool_calls[1].result.empty());
            }
        }
        QVERIFY2(seen > 0, "it was always killed before it had written anything");
        qInfo("%lld steps in 50 runs that were killed", static_cast<long long>(seen));
    }

private:
    static std::filesystem::path session_of(const test::TaskFolder& folder) { return folder.path() / "s.kwsession"; }
    static std::string text(const Result<RunResult>& result) {
        return result ? to_string(result->status) + "\n" + result->output + result->errors : result.error().message;
    }
    static std::vector<std::string> command(const ScriptedServer& server, const test::TaskFolder& folder,
                                            const std::vector<std::string>& more) {
        std::vector<std::string> all{"agent",
                                     "run",
                                     folder.string(),
                                     "--driver",
                                     "llm",
                                     "--device",
                                     "sim",
                                     "--model",
                                     "m-1",
                                     "--base-url",
                                     server.url(),
                                     "-o",
                                     session_of(folder).string()};
        all.insert(all.end(), more.begin(), more.end());
        return all;
    }
    static Result<RunResult> run(const ScriptedServer& server, const test::TaskFolder& folder,
                                 const std::vector<std::string>& more = {}) {
        return test::run_kw(command(server, folder, more), {.environment = {{"KW_API_KEY", kKey}}});
    }
    static Result<Child> start(const ScriptedServer& server, const test::TaskFolder& folder,
                               const std::vector<std::string>& more = {},
                               std::vector<std::pair<std::string, std::optional<std::string>>> environment = {}) {
        SpawnOptions options{.arguments = command(server, folder, more)};
        options.arguments.insert(options.arguments.begin(), test::program("kw"));
        options.environment = std::move(environment);
        options.output = options.errors = SpawnOptions::Stream::null;
        return Child::spawn(options);
    }
    static bool await(const std::function<bool()>& holds) {
        for (int i = 0; i < 200; ++i, std::this_thread::sleep_for(50ms))
            if (holds()) return true;
        return false;
    }
};

QTEST_GUILESS_MAIN(TestLlmCommand)
#include "test_llm_command.moc"
