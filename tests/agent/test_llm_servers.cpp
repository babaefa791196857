#include "agent/llm/provider.h"
#include "agent/tools/tool_specs.h"
#include "agent/trajectory/session_file.h"
#include "engine/base/file.h"
#include "tests/agent/llm_server.h"
#include "tests/cli/task_folder.h"

#include <QTest>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <thread>

using namespace kw;
using namespace std::chrono_literals;
using llm::Turn;

namespace {

/// Where packaging/test.sh puts fakellm, openai and anthropic.
std::string tool(const std::string& name) {
    const char* folder = std::getenv("KW_LLM_TOOLS");
    const auto path = std::string{folder ? folder : KW_LLM_TOOLS} + "/" + name;
    return std::filesystem::exists(path) ? path : std::string{};
}

/// A port that nobody listens at.
int free_port() {
    const Descriptor listener{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    auto* const any = reinterpret_cast<sockaddr*>(&address);
    if (::bind(listener.get(), any, size) != 0 || ::getsockname(listener.get(), any, &size) != 0) return 0;
    return ntohs(address.sin_port);
}

/// A conversation with all there is: several calls, one that failed, one whose arguments were no JSON, reasoning.
llm::Conversation conversation(const llm::Reply& reply) {
    return {.system = "be brief",
            .turns = {{.role = Turn::Role::user, .text = "hello"},
                      {.role = Turn::Role::assistant,
                       .text = "two things",
                       .tool_uses = {{.id = "a_1", .name = "read_file", .arguments = {{"path", "x"}}},
                                     {.id = "a_2", .name = "edit", .unparsable = "{"}}},
                      {.role = Turn::Role::user, .text = "and?", .results = {{"a_1", "text"}, {"a_2", "wrong", false}}},
                      {.role = Turn::Role::assistant,
                       .text = reply.text,
                       .tool_uses = {reply.tool_uses.front()},
                       .state = reply.state},
                      {.role = Turn::Role::user, .results = {{reply.tool_uses.front().id, ""}}}}};
}

Json item(Json value) {
    return {{"type", "response.output_item.done"}, {"output_index", value.at("n")}, {"item", value.at("item")}};
}

} // namespace

/// Against what others made: a server of a registry, and the vendors' own types.
class TestLlmServers : public QObject {
    Q_OBJECT

private slots:
    void a_server_of_others_data() {
        QTest::addColumn<QString>("provider");
        QTest::newRow("chat") << "chat";
        QTest::newRow("anthropic") << "anthropic";
    }
    /// fakellm: FastAPI and uvicorn, chunked transfer, events of its own making.
    void a_server_of_others() {
        QFETCH(QString, provider);
        const auto program = tool("fakellm");
        if (program.empty()) QSKIP("fakellm is not installed (pip install fakellm in build/llm-tools)");
        const test::TaskFolder folder;
        const auto compiled = test::run_kw({"eval", folder.string(), "--device", "sim", "--stages", "compile"});
        if (!compiled || compiled->status.code == 3) QSKIP("NVRTC is needed to compile candidates");
        const auto source = test::candidate(test::kRight) + "// better\n";
        // What is JSON is YAML.
        const Json rules{
            {"version", 1},
            {"rules",
             Json::array(
                 {{{"name", "end"},
                   {"when", {{"tool_result_contains", "checks passed"}}},
                   {"respond", {{"content", "That is all ✓."}}}},
                  {{"name", "begin"},
                   {"when", Json::object()},
                   {"respond",
                    {{"tool_calls",
                      Json::array({{{"name", "edit"}, {"arguments", {{"content", source}}}},
                                   {{"name", "verify"}, {"arguments", {{"summary", "by another's server"}}}}})}}}}})}};
        const auto config = (folder.path() / "rules.yaml").string();
        QVERIFY(write_file(config, rules.dump()));
        const auto port = std::to_string(free_port());
        auto server = Child::spawn({.arguments = {program, "serve", "--port", port, "--config", config},
                                    .input = SpawnOptions::Stream::null,
                                    .output = SpawnOptions::Stream::null,
                                    .errors = SpawnOptions::Stream::null});
        QVERIFY(server.has_value());
        const auto url = "http://127.0.0.1:" + port;
        const auto session = (folder.path() / "s.kwsession").string();
        // The server takes a second or two to listen; the retries of a refused connection bridge that.
        const auto result = test::run_kw({"agent", "run", folder.string(), "--driver", "llm", "--device", "sim",
                                          "--provider", provider.toStdString(), "--model", "some-model", "--base-url",
                                          url, "--steps", "1", "-o", session});
        QVERIFY2(result && result->status.success(), (result->output + result->errors).c_str());
        const auto step = trajectory::SessionFile::open(session, trajectory::SessionFile::Access::read)->step(1);
        QVERIFY(step.has_value());
        QCOMPARE(step->summary.title, std::string{"by another's server"});
        QCOMPARE(step->source, source);
        QCOMPARE(step->tool_calls.size(), std::size_t{2});
    }

    void requests_fit_the_vendors_types_data() {
        QTest::addColumn<int>("protocol");
        QTest::addColumn<QByteArray>("reply");
        const auto row = [](const char* name, llm::Protocol protocol, const std::string& reply) {
            QTest::newRow(name) << static_cast<int>(protocol) << QByteArray::fromStdString(reply);
        };
        row("chat", llm::Protocol::chat, test::chat_reply("I read", {{"read_file", {{"path", "k.cu"}}}}));
        row("responses", llm::Protocol::responses,
            test::events(
                {item({{"n", 0},
                       {"item",
                        {{"type", "reasoning"},
                         {"id", "rs_1"},
                         {"summary", Json::array()},
                         {"encrypted_content", "e"}}}}),
                 item({{"n", 1},
                       {"item",
                        {{"type", "message"},
                         {"id", "msg_1"},
                         {"content", Json::array({{{"type", "output_text"}, {"text", "I read"}}})}}}}),
                 item({{"n", 2},
                       {"item",
                        {{"type", "function_call"}, {"call_id", "c1"}, {"name", "read_file"}, {"arguments", "{}"}}}}),
                 {{"type", "response.completed"}, {"response", Json::object()}}},
                false));
        row("anthropic", llm::Protocol::anthropic,
            test::events({{{"type", "content_block_start"},
                           {"index", 0},
                           {"content_block", {{"type", "thinking"}, {"thinking", "hm"}, {"signature", "s"}}}},
                          {{"type", "content_block_start"},
                           {"index", 1},
                           {"content_block", {{"type", "tool_use"}, {"id", "t1"}, {"name", "read_file"}}}},
                          {{"type", "message_delta"}, {"delta", {{"stop_reason", "tool_use"}}}},
                          {{"type", "message_stop"}}},
                         false));
    }
    void requests_fit_the_vendors_types() {
        QFETCH(int, protocol);
        QFETCH(QByteArray, reply);
        const auto python = tool("python");
        if (python.empty() || !run({python, "-c", "import openai, anthropic"})->status.success())
            QSKIP("the packages openai and anthropic are not installed (pip install openai anthropic in "
                  "build/llm-tools)");
        const test::ScriptedServer server{Json::array({{{"body", reply.toStdString()}}})};
        const auto provider =
            llm::make_provider({.protocol = static_cast<llm::Protocol>(protocol), .base_url = server.url()});
        const llm::Settings settings{.model = "m", .temperature = 0.5, .effort = "low", .seed = 7};
        const auto specs = llm::Conversation{.system = "s", .turns = {{.role = Turn::Role::user, .text = "go"}}};
        const auto first = (*provider)->complete(specs, tools::tool_specs(), settings, {}, {});
        QVERIFY2(first.has_value(), first ? "" : first.error().message.c_str());
        const auto second = (*provider)->complete(conversation(*first), tools::tool_specs(), settings, {}, {});
        QVERIFY2(second.has_value(), second ? "" : second.error().message.c_str());
        const auto checked = run({python, KW_CHECK_REQUESTS, QTest::currentDataTag(), server.log().string()});
        QVERIFY2(checked && checked->status.success(), (checked->output + checked->errors).c_str());
        QVERIFY(checked->output.starts_with("2 requests fit"));
    }
};

QTEST_GUILESS_MAIN(TestLlmServers)
#include "test_llm_servers.moc"
