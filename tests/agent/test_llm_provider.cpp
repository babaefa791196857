#include "agent/llm/json_text.h"
#include "agent/llm/keys.h"
#include "agent/llm/provider.h"
#include "tests/agent/llm_server.h"

#include <QTest>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>

using namespace kw;
using namespace kw::llm;
using namespace std::chrono_literals;
using test::ScriptedServer;

namespace {

constexpr const char* kKey = "sk-0123456789abcdef-test";

Endpoint endpoint(const std::string& url, Protocol protocol = Protocol::chat) {
    Endpoint made{.protocol = protocol, .base_url = url, .key = Secret{kKey}};
    made.http.idle_timeout = 5s;
    made.http.total_timeout = 20s;
    made.wait = [](std::chrono::milliseconds, const std::stop_token& stop) { return !stop.stop_requested(); };
    return made;
}

Conversation hello() { return {.system = "be brief", .turns = {{.role = Turn::Role::user, .text = "hello"}}}; }

const std::vector<ToolSpec>& tools() {
    static const std::vector<ToolSpec> list{{"f", "does f", {{"type", "object"}, {"properties", Json::object()}}}};
    return list;
}

Result<Reply> ask(Endpoint made, const Provider::OnDelta& on_delta = {}, std::stop_token stop = {},
                  const Settings& settings = {.model = "m"}) {
    const auto provider = make_provider(std::move(made));
    if (!provider) return std::unexpected(provider.error());
    return (*provider)->complete(hello(), tools(), settings, on_delta, std::move(stop));
}

std::string why(const Result<Reply>& reply) {
    return reply ? "a reply: " + reply->text : describe(reply.error()) + "\n" + reply.error().detail;
}

Json answer(const std::string& body) { return {{"body", body}}; }
Json refusal(int status, const std::string& message, Json headers = Json::object()) {
    headers["Content-Type"] = "application/json";
    return {{"status", status}, {"headers", headers}, {"body", Json{{"error", {{"message", message}}}}.dump()}};
}

} // namespace

class TestLlmProvider : public QObject {
    Q_OBJECT

private slots:
    void a_budget_of_thought_that_is_refused_is_written_anew() {
        if (!test::has_python()) QSKIP("python3 is needed for the scripted server");
        const auto refused = refusal(400, "thinking: budget_tokens is not supported by this model");
        const Json message{{"type", "message"},
                           {"model", "m"},
                           {"stop_reason", "end_turn"},
                           {"content", Json::array({{{"type", "text"}, {"text", "hello"}}})}};
        const ScriptedServer server{
            Json::array({refused, {{"headers", {{"Content-Type", "application/json"}}}, {"body", message.dump()}}})};
        auto made = endpoint(server.url());
        made.protocol = Protocol::anthropic;
        const auto reply = ask(std::move(made), {}, {}, {.model = "m", .effort = "low"});
        QVERIFY2(reply.has_value(), why(reply).c_str());
        const auto requests = server.requests();
        QVERIFY(requests.at(0).at("body").at("thinking").at("type") == Json("enabled"));
        QVERIFY(requests.at(1).at("body").at("thinking") == Json({{"type", "adaptive"}}));
        QVERIFY(requests.at(1).at("body").at("output_config").at("effort") == Json("low"));
    }

    void headers_are_read() {
        QCOMPARE(parse_header("X-Team:  kernels ")->second, std::string{"kernels"});
        QVERIFY(!parse_header("X Team: kernels") && !parse_header("X-Team:") && !parse_header("X-Team: a\nb"));
        QVERIFY(!parse_header("Authorization: short"));
        QVERIFY(looks_secret("X-Api-Key") && looks_secret("Cookie") && !looks_secret("X-Team"));
        auto made = Endpoint{.base_url = "http://example.com"};
        made.headers = {{"X-Api-Key", "0123456789"}};
        QVERIFY(!make_provider(std::move(made)));
    }

    void initTestCase() {
        if (!test::has_python()) QSKIP("python3 is needed for the scripted server");
        for (const char* name :
             {"http_proxy", "https_proxy", "HTTPS_PROXY", "all_proxy", "KW_API_KEY", "OPENAI_API_KEY"})
            ::unsetenv(name);
    }

    void each_protocol_streams_data() {
        QTest::addColumn<int>("protocol");
        QTest::addColumn<QByteArray>("body");
        QTest::addColumn<QByteArray>("path");
        QTest::addColumn<QByteArray>("header");
        const auto row = [](const char* name, Protocol protocol, const std::string& body, const char* path,
                            const char* header) {
            QTest::newRow(name) << static_cast<int>(protocol) << QByteArray::fromStdString(body) << QByteArray(path)
                                << QByteArray(header);
        };
        row("chat", Protocol::chat, test::chat_reply("hi ✓ there"), "/v1/chat/completions", "authorization");
        const Json item{{"type", "message"},
                        {"content", Json::array({{{"type", "output_text"}, {"text", "hi ✓ there"}}})}};
        row("responses", Protocol::responses,
            test::events({{{"type", "response.output_text.delta"}, {"delta", "hi ✓ there"}},
                          {{"type", "response.output_item.done"}, {"output_index", 0}, {"item", item}},
                          {{"type", "response.completed"},
                           {"response", {{"usage", {{"input_tokens", 100}, {"output_tokens", 10}}}}}}},
                         false),
            "/v1/responses", "authorization");
        row("anthropic", Protocol::anthropic,
            test::events(
                {{{"type", "message_start"}, {"message", {{"usage", {{"input_tokens", 100}}}}}},
                 {{"type", "content_block_start"}, {"index", 0}, {"content_block", {{"type", "text"}, {"text", ""}}}},
                 {{"type", "content_block_delta"},
                  {"index", 0},
                  {"delta", {{"type", "text_delta"}, {"text", "hi ✓ there"}}}},
                 {{"type", "message_delta"},
                  {"delta", {{"stop_reason", "end_turn"}}},
                  {"usage", {{"output_tokens", 10}}}},
                 {{"type", "message_stop"}}},
                false),
            "/v1/messages", "x-api-key");
    }
    void each_protocol_streams() {
        QFETCH(int, protocol);
        QFETCH(QByteArray, body);
        QFETCH(QByteArray, path);
        QFETCH(QByteArray, header);
        const ScriptedServer server{Json::array({{{"body", body.toStdString()}, {"split", 7}}})};
        std::string said;
        const auto reply = ask(endpoint(server.url(), static_cast<Protocol>(protocol)), [&](const Delta& delta) {
            if (delta.kind == Delta::Kind::text) said += delta.text;
        });
        QVERIFY2(reply.has_value(), why(reply).c_str());
        QCOMPARE(reply->text, std::string{"hi ✓ there"});
        QCOMPARE(said, reply->text);
        QCOMPARE(reply->tokens.prompt, 100);
        QCOMPARE(reply->tokens.completion, 10);
        const auto request = server.requests().at(0);
        QVERIFY(request.at("line").get<std::string>().starts_with("POST " + path.toStdString() + " "));
        QVERIFY(request.at("headers").at(header.toStdString()).get<std::string>().ends_with(kKey));
        QVERIFY(!dump(request.at("body")).contains(kKey));
    }

    void a_server_that_does_not_stream() {
        const Json body{{"choices", Json::array({{{"message", {{"role", "assistant"}, {"content", "whole"}}},
                                                  {"finish_reason", "stop"}}})},
                        {"usage", {{"prompt_tokens", 3}}}};
        const ScriptedServer server{
            Json::array({{{"headers", {{"Content-Type", "application/json; charset=utf-8"}}}, {"body", body.dump()}}})};
        const auto reply = ask(endpoint(server.url() + "/v1/"));
        QVERIFY2(reply.has_value(), why(reply).c_str());
        QCOMPARE(reply->text, std::string{"whole"});
        QCOMPARE(reply->tokens.prompt, 3);
    }

    void trouble_is_tried_again() {
        auto overloaded =
            answer(test::events({{{"error", {{"type", "overloaded_error"}, {"message", "busy"}}}}}, false));
        auto broken = answer("data: {\"choices\"");
        auto cut = answer(test::events({test::chat_chunk({{"content", "half"}})}, false));
        auto reset = cut;
        reset["reset"] = true;
        const ScriptedServer server{Json::array({refusal(429, "slow down", {{"retry-after-ms", "10"}}), overloaded,
                                                 broken, cut, reset, answer(test::chat_reply("at last"))})};
        int restarts = 0;
        std::vector<std::chrono::milliseconds> waits;
        auto made = endpoint(server.url());
        made.wait = [&](std::chrono::milliseconds time, const std::stop_token&) {
            waits.push_back(time);
            return true;
        };
        const auto reply =
            ask(std::move(made), [&](const Delta& delta) { restarts += delta.kind == Delta::Kind::restart; });
        QVERIFY2(reply.has_value(), why(reply).c_str());
        QCOMPARE(reply->text, std::string{"at last"});
        QCOMPARE(restarts, 5);
        QCOMPARE(waits.at(0), 10ms);
        QVERIFY(waits.at(1) >= 500ms);
    }

    void trouble_for_ever_ends_data() {
        QTest::addColumn<QByteArray>("answer");
        QTest::addColumn<int>("requests");
        QTest::addColumn<QByteArray>("says");
        const auto row = [](const char* name, const Json& json, int requests, const char* says) {
            QTest::newRow(name) << QByteArray::fromStdString(json.dump()) << requests << QByteArray(says);
        };
        row("429 for ever", refusal(429, "slow down"), 6, "gave up after 6 tries");
        row("an hour to wait", refusal(429, "quota", {{"retry-after", "3600"}}), 1, "asks to wait 60 min");
        row("500", refusal(500, "oops"), 6, "oops");
        row("not to be retried", refusal(503, "down", {{"x-should-retry", "false"}}), 1, "down");
        row("401", refusal(401, "bad key"), 1, "does not accept the key");
        row("404", refusal(404, "no model"), 1, "kw agent models");
        row("redirect", refusal(307, "go on", {{"Location", "http://127.0.0.1:1/elsewhere"}}), 1, "redirects");
        row("context", refusal(400, "This model's maximum context length is 10 tokens"), 1, "too long for the model");
        row("HTML", {{"status", 200}, {"headers", {{"Content-Type", "text/html"}}}, {"body", "<html>hello</html>"}}, 6,
            "broke off");
        row("empty", answer(""), 6, "broke off");
    }
    void trouble_for_ever_ends() {
        QFETCH(QByteArray, answer);
        QFETCH(int, requests);
        QFETCH(QByteArray, says);
        const ScriptedServer server{Json::array({Json::parse(answer.toStdString())})};
        const auto reply = ask(endpoint(server.url()));
        QVERIFY2(!reply && why(reply).contains(says.toStdString()), why(reply).c_str());
        QCOMPARE(server.requests().size(), static_cast<std::size_t>(requests));
        QCOMPARE(context_exceeded(reply.error()), says.contains("too long"));
    }

    void a_refused_member_is_left_out() {
        const ScriptedServer server{
            Json::array({refusal(400, "Unknown parameter: 'stream_options'"),
                         refusal(422, "Unsupported parameter: 'max_tokens', use "
                                      "'max_completion_tokens'"),
                         refusal(400, "temperature is not supported"), answer(test::chat_reply("ok"))})};
        const auto reply = ask(endpoint(server.url()), {}, {}, {.model = "m", .temperature = 0.5});
        QVERIFY2(reply.has_value(), why(reply).c_str());
        const auto requests = server.requests();
        QVERIFY(requests.at(0).at("body").contains("stream_options"));
        const auto& last = requests.back().at("body");
        QVERIFY(!last.contains("stream_options") && !last.contains("temperature") && !last.contains("max_tokens"));
        QVERIFY(last.contains("max_completion_tokens"));
    }

    void what_never_ends_is_ended_data() {
        QTest::addColumn<QByteArray>("answer");
        QTest::addColumn<QByteArray>("says");
        const auto row = [](const char* name, const Json& json, const char* says) {
            QTest::newRow(name) << QByteArray::fromStdString(json.dump()) << QByteArray(says);
        };
        const auto chunk = test::events({test::chat_chunk({{"content", std::string(4000, 'x')}})}, false);
        row("an endless stream", {{"body", chunk}, {"endless", true}}, "larger than");
        row("an endless line", {{"body", std::string(65536, 'x')}, {"endless", true}}, "larger than");
        row("endless comments", {{"body", ": PROCESSING\n\n"}, {"endless", true}, {"pause_ms", 20}}, "in time");
        row("silence", {{"body", test::events({test::chat_chunk({{"content", "x"}})}, false)}, {"hang", true}},
            "sent nothing");
        row("no answer", {{"wait_ms", 60000}}, "sent nothing");
        row("an endless error", {{"status", 400}, {"body", std::string(65536, 'x')}, {"endless", true}}, "400");
    }
    void what_never_ends_is_ended() {
        QFETCH(QByteArray, answer);
        QFETCH(QByteArray, says);
        const ScriptedServer server{Json::array({Json::parse(answer.toStdString())})};
        auto made = endpoint(server.url());
        made.http.idle_timeout = 400ms;
        made.http.total_timeout = 1500ms;
        made.http.largest = std::size_t{4} << 20;
        made.retry.attempts = 1;
        const auto reply = ask(std::move(made));
        QVERIFY2(!reply && why(reply).contains(says.toStdString()), why(reply).c_str());
    }

    void a_whole_reply_counts_though_the_connection_hangs() {
        const auto body = test::events({test::chat_chunk({{"content", "all"}}, "stop")}, true);
        const ScriptedServer server{Json::array({{{"body", body}, {"hang", true}}})};
        const auto start = std::chrono::steady_clock::now();
        const auto reply = ask(endpoint(server.url()));
        QVERIFY2(reply.has_value(), why(reply).c_str());
        QVERIFY(std::chrono::steady_clock::now() - start < 3s);
    }

    void two_megabytes_of_text_are_read() {
        const std::string text(2'000'000, 'y');
        const ScriptedServer server{Json::array({answer(test::chat_reply(text))})};
        const auto reply = ask(endpoint(server.url()));
        QVERIFY2(reply.has_value(), reply ? "" : "no reply");
        QCOMPARE(reply->text.size(), text.size());
    }

    void it_can_be_stopped() {
        for (const Json& each : {Json{{"wait_ms", 60000}}, refusal(429, "wait", {{"retry-after", "50"}})}) {
            const ScriptedServer server{Json::array({each})};
            auto made = endpoint(server.url());
            made.wait = {};
            std::stop_source stop;
            const std::jthread later{[&stop] {
                std::this_thread::sleep_for(300ms);
                stop.request_stop();
            }};
            const auto start = std::chrono::steady_clock::now();
            const auto reply = ask(std::move(made), {}, stop.get_token());
            QVERIFY(!reply && reply.error().code == ErrorCode::cancelled);
            QVERIFY(std::chrono::steady_clock::now() - start < 3s);
        }
    }

    void the_key_is_in_nothing_that_comes_out() {
        const std::string key{kKey};
        std::vector<Json> chunks;
        for (const char c : "echo: " + key) chunks.push_back(test::chat_chunk({{"content", std::string(1, c)}}));
        chunks.push_back(test::chat_chunk({{"reasoning_content", key}}));
        chunks.push_back(test::chat_chunk(
            {{"tool_calls", Json::array({{{"index", 0},
                                          {"id", "a"},
                                          {"function", {{"name", "f"}, {"arguments", Json{{"x", key}}.dump()}}}}})}},
            "tool_calls"));
        std::string out;
        {
            const ScriptedServer server{Json::array({answer(test::events(chunks))})};
            const auto reply = ask(endpoint(server.url()), [&](const Delta& delta) { out += delta.text; });
            QVERIFY2(reply.has_value(), why(reply).c_str());
            out += reply->text + reply->reasoning + dump(reply->tool_uses[0].arguments);
            QVERIFY(out.contains("echo: "));
        }
        for (const int status : {401, 400, 500, 307}) {
            const ScriptedServer server{Json::array({refusal(status, "the key " + key, {{"Location", "/?k=" + key}})})};
            out += why(ask(endpoint(server.url())));
        }
        {
            const ScriptedServer server{Json::array({refusal(401, "the key " + key)})};
            const auto models = (*make_provider(endpoint(server.url())))->models({});
            QVERIFY(!models && !models.error().detail.empty());
            out += describe(models.error()) + models.error().detail;
        }
        QVERIFY2(!out.contains(key), out.c_str());
        QVERIFY(out.contains(Redactor::kInstead));
    }

    void certificates() {
        if (find_program("openssl").empty()) QSKIP("openssl is needed to make a certificate");
        const QTemporaryDir folder;
        const auto certificate = folder.filePath("c.pem").toStdString(), key = folder.filePath("k.pem").toStdString();
        const auto made = run({"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                               "-nodes", "-days", "1", "-subj", "/CN=localhost", "-addext",
                               "subjectAltName=DNS:localhost", "-keyout", key, "-out", certificate});
        QVERIFY(made && made->status.success());
        const ScriptedServer server{Json::array({answer(test::chat_reply("safe"))}), {certificate, key}};
        const auto refused = ask(endpoint(server.url("https", "localhost")));
        QVERIFY2(!refused && why(refused).contains("--ca-file"), why(refused).c_str());
        auto trusting = endpoint(server.url("https", "localhost"));
        trusting.http.ca_file = certificate;
        const auto reply = ask(trusting);
        QVERIFY2(reply.has_value(), why(reply).c_str());
        // Trusted, but for another name.
        trusting.base_url = server.url("https", "127.0.0.1");
        QVERIFY(!ask(trusting));
        ::setenv("SSL_CERT_FILE", certificate.c_str(), 1);
        const auto by_variable = ask(endpoint(server.url("https", "localhost")));
        ::unsetenv("SSL_CERT_FILE");
        QVERIFY2(by_variable.has_value(), why(by_variable).c_str());
        trusting.http.ca_file = "/nonexistent";
        const auto unreadable = ask(trusting);
        QVERIFY2(!unreadable && why(unreadable).contains("/nonexistent"), why(unreadable).c_str());
        // No TLS where TLS is expected. Nothing of the key went anywhere without a trusted certificate.
        const ScriptedServer plain{Json::array({answer("")})};
        const auto mixed = ask(endpoint(plain.url("https")));
        QVERIFY2(!mixed && why(mixed).contains("http://"), why(mixed).c_str());
        QVERIFY(!plain.raw_log().contains(kKey));
        QCOMPARE(server.requests().size(), std::size_t{2});
    }

    void nothing_listens() {
        auto made = endpoint("http://127.0.0.1:9");
        made.retry.attempts = 2;
        const auto reply = ask(std::move(made));
        QVERIFY2(!reply && why(reply).contains("nothing answers at 127.0.0.1:9"), why(reply).c_str());
    }

    void proxies() {
        const ScriptedServer proxy{Json::array({answer(test::chat_reply("by proxy"))})};
        auto made = endpoint("http://localhost:1");
        made.http.proxy = proxy.url();
        const auto reply = ask(made);
        QVERIFY2(reply.has_value(), why(reply).c_str());
        QVERIFY(proxy.requests().at(0).at("line").get<std::string>().starts_with("POST http://localhost:1/v1/"));
        // What is on this machine is not looked for through a proxy of the environment.
        ::setenv("http_proxy", proxy.url().c_str(), 1);
        const ScriptedServer server{Json::array({answer(test::chat_reply("direct"))})};
        const auto direct = ask(endpoint(server.url()));
        ::unsetenv("http_proxy");
        QVERIFY2(direct && direct->text == "direct", why(direct).c_str());
    }

    void keys_go_where_they_belong() {
        QVERIFY(!make_provider(endpoint("http://example.com/v1")));
        QVERIFY(make_provider(endpoint("https://example.com/v1")));
        const auto catalog = Catalog::load("");
        const auto key_for = [&](const char* url, const std::string& variable = {}) {
            return find_key(*catalog, *parse_url(url), variable, {});
        };
        // A keyring of the machine's own would answer too.
        const auto path = std::string{::getenv("PATH")};
        ::setenv("PATH", "/nonexistent", 1);
        ::setenv("OPENAI_API_KEY", "sk-openai-1234", 1);
        QCOMPARE(key_for("https://api.openai.com/v1")->source, std::string{"OPENAI_API_KEY"});
        QVERIFY(key_for("http://localhost:8000")->key.empty());
        QVERIFY(key_for("https://api.openai.com.example.com/v1")->key.empty());
        ::setenv("KW_API_KEY", "kw-12345678", 1);
        QCOMPARE(key_for("http://localhost:8000")->source, std::string{"KW_API_KEY"});
        ::unsetenv("KW_API_KEY");
        QVERIFY(!key_for("https://example.com", "MISSING_KEY"));
        QCOMPARE(key_for("https://example.com", "OPENAI_API_KEY")->source, std::string{"OPENAI_API_KEY"});
        ::setenv("OPENAI_API_KEY", "sk-openai\r\nX-Evil: 1", 1);
        const auto bad = key_for("https://api.openai.com/v1");
        QVERIFY(!bad && !bad.error().message.contains("Evil"));
        ::unsetenv("OPENAI_API_KEY");
        // The keyring, by a program of its name.
        const QTemporaryDir folder;
        const auto tool = folder.filePath("secret-tool").toStdString();
        std::ofstream{tool} << "#!/bin/sh\n[ \"$*\" = 'lookup service kernelwright host example.com' ] && echo "
                               "sk-keyring-1234\n";
        std::filesystem::permissions(tool, std::filesystem::perms{0755});
        ::setenv("PATH", (folder.path().toStdString() + ":" + path).c_str(), 1);
        const auto kept = key_for("https://example.com/v1");
        const auto none = key_for("https://example.org/v1");
        ::setenv("PATH", path.c_str(), 1);
        QCOMPARE(std::string{kept->key.reveal()}, std::string{"sk-keyring-1234"});
        QVERIFY(none && none->key.empty());
    }

    void lists_models() {
        const Json list{{"data", Json::array({{{"id", "a"}, {"max_model_len", 32768}}, {{"id", "b"}}, Json(3)})}};
        const ScriptedServer server{Json::array({answer(list.dump()), answer("nonsense")})};
        const auto provider = make_provider(endpoint(server.url()));
        const auto models = (*provider)->models({});
        QVERIFY(models && models->size() == 2 && models->at(0).context == 32768);
        QVERIFY(server.requests().at(0).at("line").get<std::string>().starts_with("GET /v1/models "));
        QVERIFY(!(*provider)->models({}));
    }
};

QTEST_GUILESS_MAIN(TestLlmProvider)
#include "test_llm_provider.moc"
