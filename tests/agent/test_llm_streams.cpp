#include "agent/llm/dialect.h"
#include "agent/llm/json_text.h"
#include "agent/llm/models.h"
#include "agent/llm/retry.h"
#include "agent/llm/secret.h"
#include "tests/agent/llm_server.h"

#include <QTest>

#include <fmt/format.h>

#include <sstream>
#include <type_traits>

using namespace kw;
using namespace kw::llm;
using test::chat_chunk;

namespace {

Json call(std::optional<int> index, Json id, Json name, Json arguments) {
    Json piece{{"id", std::move(id)}, {"type", "function"}};
    if (index) piece["index"] = *index;
    piece["function"] = {{"name", std::move(name)}, {"arguments", std::move(arguments)}};
    return chat_chunk({{"tool_calls", Json::array({std::move(piece)})}});
}

template<class Stream, class Value>
constexpr bool can_be_written = requires(Stream& stream, const Value& value) { stream << value; };

/// The reply that a stream gives when it arrives in pieces of that many bytes.
std::expected<Reply, StreamFailure> read(const Dialect& dialect, const std::string& stream, std::size_t piece,
                                         std::string* said = nullptr) {
    auto reader = dialect.reader();
    SseParser parser;
    const SseParser::Sink sink = [&](const SseEvent& event) -> Result<bool> {
        return reader->event(event, [&](Delta delta) {
            if (said && delta.kind == Delta::Kind::text) *said += delta.text;
        });
    };
    for (std::size_t at = 0; at < stream.size(); at += piece)
        if (const auto more = parser.feed(std::string_view{stream}.substr(at, piece), sink); !more || !*more) break;
    static_cast<void>(parser.finish(sink));
    return reader->finish();
}

/// "name(arguments) …" of a reply's calls.
std::string calls_text(const Reply& reply) {
    std::string text;
    for (const auto& use : reply.tool_uses)
        text += use.name + (use.unparsable.empty() ? dump(use.arguments) : "<" + use.unparsable + ">") + " ";
    return text;
}

std::string anthropic(const std::vector<Json>& list) {
    std::string text;
    for (const auto& event : list)
        text += "event: " + event.at("type").get<std::string>() + "\ndata: " + event.dump() + "\n\n";
    return text;
}

} // namespace

class TestLlmStreams : public QObject {
    Q_OBJECT

private slots:
    void lines_and_events_data() {
        QTest::addColumn<QByteArray>("stream");
        QTest::addColumn<QStringList>("expected");
        QTest::newRow("LF") << QByteArray("data: a\n\ndata: b\n\n") << QStringList{"a", "b"};
        QTest::newRow("CRLF") << QByteArray("data: a\r\n\r\ndata: b\r\n\r\n") << QStringList{"a", "b"};
        QTest::newRow("CR") << QByteArray("data: a\r\rdata: b\r\r") << QStringList{"a", "b"};
        QTest::newRow("mixed") << QByteArray("data: a\r\n\ndata: b\n\r\n") << QStringList{"a", "b"};
        QTest::newRow("no blank") << QByteArray("data:a\n\ndata:  b\n\n") << QStringList{"a", " b"};
        QTest::newRow("several lines") << QByteArray("data: a\ndata: b\n\n") << QStringList{"a\nb"};
        QTest::newRow("comments") << QByteArray(": PROCESSING\n\n: x\ndata: a\n\n") << QStringList{"a"};
        QTest::newRow("other fields") << QByteArray("id: 1\nretry: 5\nfoo\ndata: a\n\n") << QStringList{"a"};
        QTest::newRow("empty data") << QByteArray("data\n\ndata:\n\nevent: x\n\n") << QStringList{"", ""};
        QTest::newRow("byte order mark") << QByteArray("\xEF\xBB\xBF"
                                                       "data: a\n\n")
                                         << QStringList{"a"};
        QTest::newRow("no end") << QByteArray("data: a\n\ndata: b") << QStringList{"a", "b"};
        QTest::newRow("characters of several bytes") << QByteArray("data: µ ✓ 𝄞\n\n") << QStringList{"µ ✓ 𝄞"};
    }
    void lines_and_events() {
        QFETCH(QByteArray, stream);
        QFETCH(QStringList, expected);
        for (qsizetype piece = 1; piece <= stream.size(); ++piece) {
            SseParser parser;
            QStringList found;
            const SseParser::Sink sink = [&](const SseEvent& event) -> Result<bool> {
                found << QString::fromStdString(event.data);
                return true;
            };
            for (qsizetype at = 0; at < stream.size(); at += piece)
                QVERIFY(parser.feed(stream.mid(at, piece).toStdString(), sink).value());
            QVERIFY(parser.finish(sink).has_value());
            QCOMPARE(found, expected);
        }
    }
    void an_event_without_end_is_refused() {
        SseParser parser{1000};
        const auto all = [](const SseEvent&) -> Result<bool> { return true; };
        QVERIFY(parser.feed("data: " + std::string(900, 'x'), all).has_value());
        QVERIFY(!parser.feed(std::string(200, 'x'), all).has_value());
    }

    void tool_calls_data() {
        QTest::addColumn<QByteArray>("stream");
        QTest::addColumn<QByteArray>("expected");
        const auto row = [](const char* name, std::vector<Json> chunks, const char* expected) {
            chunks.push_back(chat_chunk(Json::object(), "tool_calls"));
            QTest::newRow(name) << QByteArray::fromStdString(test::events(chunks)) << QByteArray(expected);
        };
        row("id in the first piece only",
            {call(0, "a", "f", ""), call(0, nullptr, nullptr, "{\"x\""), call(0, nullptr, nullptr, ":1}"),
             call(1, "b", "g", "{}")},
            "f{\"x\":1} g{} ");
        row("id in every piece", {call(0, "a", "f", "{\"x\""), call(0, "a", "f", ":1}"), call(1, "b", "f", "{}")},
            "f{\"x\":1} f{} ");
        row("index 0 for each, ids differ", {call(0, "a", "f", "{}"), call(0, "b", "f", "{\"x\":2}")},
            "f{} f{\"x\":2} ");
        row("index 0 for each, no ids, names differ", {call(0, nullptr, "f", "{}"), call(0, nullptr, "g", "{}")},
            "f{} g{} ");
        row("index 0 for each, no ids, one name", {call(0, nullptr, "f", "{}"), call(0, nullptr, "f", "{\"x\":2}")},
            "f{} f{\"x\":2} ");
        row("no index", {call({}, "a", "f", "{\"x\":"), call({}, nullptr, nullptr, "1}"), call({}, "b", "g", "{}")},
            "f{\"x\":1} g{} ");
        row("no index, nothing but names", {call({}, nullptr, "f", "{}"), call({}, nullptr, "f", "{}")}, "f{} f{} ");
        row("the name again in each piece", {call(0, nullptr, "f", "{\"x\""), call(0, nullptr, "f", ":1}")},
            "f{\"x\":1} ");
        row("mixed up",
            {call(0, "a", "f", "{\"x\""), call(1, "b", "g", "{\"y\""), call(0, nullptr, nullptr, ":1}"),
             call(1, nullptr, nullptr, ":2}")},
            "f{\"x\":1} g{\"y\":2} ");
        row("no arguments", {call(0, "a", "f", "")}, "f{} ");
        row("null arguments", {call(0, "a", "f", nullptr)}, "f{} ");
        row("an object", {call(0, "a", "f", {{"x", 1}})}, "f{\"x\":1} ");
        row("JSON in a JSON string", {call(0, "a", "f", "\"{\\\"x\\\":1}\"")}, "f{\"x\":1} ");
        row("half JSON", {call(0, "a", "f", "{\"x\": [1, ")}, "f<{\"x\": [1, > ");
        row("no object", {call(0, "a", "f", "[1]")}, "f<[1]> ");
        row("no name", {call(0, "a", "", "{}")}, "");
    }
    void tool_calls() {
        QFETCH(QByteArray, stream);
        QFETCH(QByteArray, expected);
        for (const std::size_t piece : {1, 7, 100000}) {
            const auto reply = read(*make_chat_dialect(false), stream.toStdString(), piece);
            QVERIFY(reply.has_value());
            QCOMPARE(QByteArray::fromStdString(calls_text(*reply)), expected);
            for (const auto& use : reply->tool_uses) QVERIFY(!use.id.empty());
        }
    }

    void what_is_unparsable_is_never_sent_back() {
        const auto reply =
            read(*make_chat_dialect(false),
                 test::events({call(0, "a", "f", "{\"half"), chat_chunk(Json::object(), "tool_calls")}), 50);
        Conversation conversation{.turns = {{.role = Turn::Role::user, .text = "go"},
                                            {.role = Turn::Role::assistant, .tool_uses = reply->tool_uses}}};
        for (const auto& dialect : {make_chat_dialect(false), make_responses_dialect(), make_anthropic_dialect()}) {
            const auto request = dump(dialect->request(conversation, {}, {.model = "m"}, {}));
            QVERIFY(!request.contains("half"));
        }
    }

    void chat_usage_and_ends_data() {
        QTest::addColumn<QByteArray>("stream");
        QTest::addColumn<qint64>("prompt");
        QTest::addColumn<QByteArray>("failure");
        const auto text = chat_chunk({{"content", "hi"}});
        const auto stop = chat_chunk(Json::object(), "stop");
        const Json usage{
            {"prompt_tokens", 7}, {"completion_tokens", 3}, {"prompt_tokens_details", {{"cached_tokens", 5}}}};
        auto with_usage = stop;
        with_usage["usage"] = usage;
        const Json trailing{{"choices", Json::array()}, {"usage", usage}};
        const auto row = [](const char* name, const std::string& stream, qint64 prompt, const char* failure = "") {
            QTest::newRow(name) << QByteArray::fromStdString(stream) << prompt << QByteArray(failure);
        };
        row("in a chunk of its own", test::events({text, stop, trailing}), 7);
        row("in the last chunk with content", test::events({text, with_usage}), 7);
        row("none", test::events({text, stop}), 0);
        row("comments between", ": PROCESSING\n\n" + test::events({text, stop, trailing}), 7);
        row("no [DONE]", test::events({text, stop, trailing}, false), 7);
        row("broken off", test::events({text}, false), 0, "broke off");
        row("[DONE] without an end", test::events({text}), 0, "empty");
        row("nothing", "", 0, "broke off");
        row("not JSON", "data: {\"choices\": [\n\n", 0, "not JSON");
        row("an error", test::events({text, {{"error", {{"message", "Overloaded"}, {"type", "overloaded_error"}}}}}), 0,
            "Overloaded");
        row("an error that is a text", test::events({{{"error", "no memory"}}}), 0, "no memory");
        std::string deep;
        for (int i = 0; i < 1000000; ++i) deep += '[';
        row("a million levels", "data: " + deep + "\n\n", 0, "not JSON");
    }
    void chat_usage_and_ends() {
        QFETCH(QByteArray, stream);
        QFETCH(qint64, prompt);
        QFETCH(QByteArray, failure);
        for (const std::size_t piece : {std::size_t{13}, std::size_t{1} << 22}) {
            std::string said;
            const auto reply = read(*make_chat_dialect(false), stream.toStdString(), piece, &said);
            QCOMPARE(reply.has_value(), failure.isEmpty());
            if (!reply) {
                QVERIFY2(reply.error().message.find(failure.toStdString()) != std::string::npos,
                         reply.error().message.c_str());
                continue;
            }
            QCOMPARE(reply->text, std::string{"hi"});
            QCOMPARE(said, reply->text);
            QCOMPARE(reply->tokens.prompt, prompt);
            QCOMPARE(reply->tokens.known, prompt > 0);
            QCOMPARE(reply->tokens.cached, prompt > 0 ? 5 : 0);
        }
    }

    void reasoning_is_kept_apart() {
        for (const char* key : {"reasoning_content", "reasoning"}) {
            const auto reply =
                read(*make_chat_dialect(false),
                     test::events({chat_chunk({{key, "hm"}}), chat_chunk({{"content", "so"}}, "stop")}), 5);
            QCOMPARE(reply->reasoning, std::string{"hm"});
            QCOMPARE(reply->text, std::string{"so"});
        }
        const Json details = Json::array({{{"type", "reasoning.text"}, {"text", "hm"}}});
        auto both = chat_chunk({{"reasoning_details", details}, {"reasoning", "hm"}}, "stop");
        QCOMPARE(read(*make_chat_dialect(false), test::events({both}), 9)->reasoning, std::string{"hm"});
        auto inside = chat_chunk({{"content", "\n<think>hm</think>\n\nso"}}, "stop");
        const auto reply = read(*make_chat_dialect(false), test::events({inside}), 9);
        QCOMPARE(reply->reasoning, std::string{"hm"});
        QCOMPARE(reply->text, std::string{"so"});
    }

    void responses() {
        const auto item = [](int number, Json value, const char* type = "response.output_item.done") {
            return Json{{"type", type}, {"output_index", number}, {"item", std::move(value)}};
        };
        const Json reasoning{{"type", "reasoning"},
                             {"id", "rs_1"},
                             {"summary", Json::array({{{"type", "summary_text"}, {"text", "hm"}}})},
                             {"encrypted_content", "sealed"}};
        const Json function{
            {"type", "function_call"}, {"id", "fc_1"}, {"call_id", "c1"}, {"name", "f"}, {"arguments", ""}};
        const Json message{{"type", "message"}, {"content", Json::array({{{"type", "output_text"}, {"text", "so"}}})}};
        const std::vector<Json> list{
            {{"type", "response.created"}},
            {{"type", "response.something_new"}, {"x", 1}},
            item(0, reasoning),
            item(1, message),
            item(2, function, "response.output_item.added"),
            {{"type", "response.function_call_arguments.delta"}, {"output_index", 2}, {"delta", "{\"x\""}},
            {{"type", "response.function_call_arguments.delta"}, {"output_index", 2}, {"delta", ":1}"}},
            {{"type", "response.completed"},
             {"response",
              {{"model", "m"},
               {"usage",
                {{"input_tokens", 9},
                 {"output_tokens", 4},
                 {"input_tokens_details", {{"cached_tokens", 8}}},
                 {"output_tokens_details", {{"reasoning_tokens", 2}}}}}}}}};
        const auto dialect = make_responses_dialect();
        const auto reply = read(*dialect, test::events(list, false), 11);
        QVERIFY(reply.has_value());
        QCOMPARE(reply->text, std::string{"so"});
        QCOMPARE(reply->reasoning, std::string{"hm"});
        QCOMPARE(calls_text(*reply), std::string{"f{\"x\":1} "});
        QCOMPARE(reply->tool_uses[0].id, std::string{"c1"});
        QCOMPARE(reply->tokens.cached, 8);
        QCOMPARE(reply->tokens.reasoning, 2);
        // Reasoning goes back as it came, before what it led to.
        const Conversation conversation{
            .turns = {{.role = Turn::Role::assistant, .tool_uses = reply->tool_uses, .state = reply->state},
                      {.role = Turn::Role::user, .results = {{"c1", "done"}}}}};
        const auto input = dialect->request(conversation, {}, {.model = "m"}, {}).at("input");
        QCOMPARE(input[0].at("encrypted_content").get<std::string>(), std::string{"sealed"});
        QCOMPARE(input[2].at("arguments").get<std::string>(), std::string{"{\"x\":1}"});
        QCOMPARE(input[3].at("type").get<std::string>(), std::string{"function_call_output"});

        const Json failed{{"type", "response.failed"},
                          {"response", {{"error", {{"code", "server_error"}, {"message", "oops"}}}}}};
        const auto failure = read(*dialect, test::events({failed}, false), 11);
        QVERIFY(!failure && failure.error().transient && failure.error().message == "oops");
        const Json cut{{"type", "response.incomplete"},
                       {"response", {{"incomplete_details", {{"reason", "max_output_tokens"}}}}}};
        QCOMPARE(read(*dialect, test::events({item(0, message), cut}, false), 11)->finish, Reply::Finish::length);
        QVERIFY(!read(*dialect, test::events({item(0, message)}, false), 11));
    }

    void anthropic_messages() {
        const auto delta = [](int number, Json value) {
            return Json{{"type", "content_block_delta"}, {"index", number}, {"delta", std::move(value)}};
        };
        const auto start = [](int number, Json value) {
            return Json{{"type", "content_block_start"}, {"index", number}, {"content_block", std::move(value)}};
        };
        const std::vector<Json> list{
            {{"type", "message_start"},
             {"message",
              {{"model", "m"},
               {"usage",
                {{"input_tokens", 3},
                 {"cache_read_input_tokens", 20},
                 {"cache_creation_input_tokens", 5},
                 {"output_tokens", 1}}}}}},
            start(0, {{"type", "thinking"}, {"thinking", ""}, {"signature", ""}}),
            delta(0, {{"type", "thinking_delta"}, {"thinking", "hm"}}),
            {{"type", "ping"}},
            delta(0, {{"type", "signature_delta"}, {"signature", "sig"}}),
            start(1, {{"type", "text"}, {"text", ""}}),
            delta(1, {{"type", "text_delta"}, {"text", "so"}}),
            start(2, {{"type", "tool_use"}, {"id", "t1"}, {"name", "f"}, {"input", Json::object()}}),
            delta(2, {{"type", "input_json_delta"}, {"partial_json", ""}}),
            delta(2, {{"type", "input_json_delta"}, {"partial_json", "{\"x\""}}),
            delta(2, {{"type", "input_json_delta"}, {"partial_json", ":1}"}}),
            start(3, {{"type", "tool_use"}, {"id", "t2"}, {"name", "g"}, {"input", Json::object()}}),
            {{"type", "content_block_stop"}, {"index", 3}},
            {{"type", "message_delta"}, {"delta", {{"stop_reason", nullptr}}}, {"usage", {{"output_tokens", 30}}}},
            {{"type", "message_delta"}, {"delta", {{"stop_reason", "tool_use"}}}, {"usage", {{"output_tokens", 42}}}},
            {{"type", "message_stop"}}};
        const auto dialect = make_anthropic_dialect();
        const auto reply = read(*dialect, anthropic(list), 17);
        QVERIFY(reply.has_value());
        QCOMPARE(calls_text(*reply), std::string{"f{\"x\":1} g{} "});
        QCOMPARE(reply->reasoning, std::string{"hm"});
        QCOMPARE(reply->text, std::string{"so"});
        QCOMPARE(reply->tokens.prompt, 28);
        QCOMPARE(reply->tokens.cached, 20);
        QCOMPARE(reply->tokens.completion, 42); // cumulative, not a sum
        const Conversation conversation{
            .system = "s",
            .turns = {{.role = Turn::Role::user, .text = "go"},
                      {.role = Turn::Role::assistant, .tool_uses = reply->tool_uses, .state = reply->state},
                      {.role = Turn::Role::user, .results = {{"t1", "a"}, {"t2", "b", false}}}}};
        const auto request = dialect->request(conversation, {}, {.model = "m", .effort = "high"}, {});
        const auto& blocks = request.at("messages")[1].at("content");
        QCOMPARE(blocks[0].at("signature").get<std::string>(), std::string{"sig"});
        QCOMPARE(blocks[0].at("thinking").get<std::string>(), std::string{"hm"});
        QVERIFY(request.at("system")[0].contains("cache_control"));
        QVERIFY(request.at("messages")[2].at("content")[1].contains("cache_control"));
        QVERIFY(request.at("messages")[2].at("content")[1].at("is_error").get<bool>());
        QVERIFY(request.at("thinking").at("budget_tokens") < request.at("max_tokens"));
        const auto newer = dialect->request(conversation, {},
                                            {.model = "m", .temperature = 0.5, .effort = "high", .adaptive = true}, {});
        QVERIFY(newer.at("thinking") == Json({{"type", "adaptive"}}));
        QVERIFY(newer.at("output_config").at("effort") == Json("high"));
        QVERIFY(!newer.contains("temperature"));
        QVERIFY(!dialect->request(conversation, {}, {.model = "m", .temperature = 0.5, .adaptive = true}, {})
                     .contains("temperature"));
        QVERIFY(!dialect->request(conversation, {}, {.model = "m", .effort = "high", .adaptive = true}, {"thinking"})
                     .contains("thinking"));
        // Of another dialect, its own form means nothing.
        QVERIFY(!dump(make_responses_dialect()->request(conversation, {}, {.model = "m"}, {})).contains("sig"));

        const Json error{{"type", "error"}, {"error", {{"type", "overloaded_error"}, {"message", "Overloaded"}}}};
        const auto failure = read(*dialect, anthropic({list[0], list[1], error}), 17);
        QVERIFY(!failure && failure.error().transient);
        QVERIFY(!read(*dialect, anthropic({list[0], list[1], list[2]}), 17));
    }

    void the_same_beginning_stays_the_same() {
        // What servers cache is a prefix: a longer conversation begins as the shorter one did.
        Conversation conversation{.system = "s", .turns = {{.role = Turn::Role::user, .text = "one"}}};
        const std::vector<ToolSpec> tools{{"f", "does", {{"type", "object"}}}};
        const auto dialect = make_chat_dialect(false);
        const auto before = dialect->request(conversation, tools, {.model = "m"}, {}).at("messages");
        conversation.turns.push_back({.role = Turn::Role::assistant, .text = "two"});
        const auto after = dialect->request(conversation, tools, {.model = "m"}, {}).at("messages");
        for (std::size_t i = 0; i < before.size(); ++i) QCOMPARE(dump(before[i]), dump(after[i]));
    }

    void retries() {
        using std::chrono::milliseconds;
        const RetryPolicy policy;
        for (const int status : {408, 409, 429, 500, 502, 503, 504, 529}) QVERIFY(is_transient({status, {}}));
        for (const int status : {400, 401, 403, 404, 413, 422}) QVERIFY(!is_transient({status, {}}));
        QVERIFY(!is_transient({500, {{"x-should-retry", "false"}}}));
        QVERIFY(is_transient({400, {{"x-should-retry", "true"}}}));
        QCOMPARE(asked_wait({429, {{"retry-after-ms", "1500"}, {"retry-after", "9"}}}, 0), milliseconds{1500});
        QCOMPARE(asked_wait({429, {{"retry-after", "2.5"}}}, 0), milliseconds{2500});
        QCOMPARE(asked_wait({429, {{"retry-after", "Thu, 01 Jan 1970 00:01:00 GMT"}}}, 50), milliseconds{10000});
        QCOMPARE(asked_wait({429, {{"retry-after", "Thu, 01 Jan 1970 00:01:00 GMT"}}}, 500), milliseconds{0});
        for (const char* nonsense : {"", "soon", "-5", "nan", "1e400x"})
            QVERIFY(!asked_wait({429, {{"retry-after", nonsense}}}, 0));
        QVERIFY(*asked_wait({429, {{"retry-after", "1e300"}}}, 0) > policy.longest_wait);
        milliseconds waited{0};
        int tries = 1;
        for (; const auto wait = wait_before_retry(policy, tries, {}, waited, 0.999); ++tries) {
            QVERIFY(*wait <= policy.longest_wait && *wait >= milliseconds{500});
            waited += *wait;
        }
        QVERIFY(tries <= policy.attempts && waited <= policy.longest_total);
        QVERIFY(!wait_before_retry(policy, 1, milliseconds{3'600'000}, {}, 0));
        QCOMPARE(wait_before_retry(policy, 1, milliseconds{5}, {}, 0), milliseconds{5});
    }

    void keys_are_not_to_be_printed() {
        static_assert(!std::is_convertible_v<Secret, std::string>);
        static_assert(!std::is_convertible_v<Secret, std::string_view>);
        static_assert(!fmt::is_formattable<Secret>::value);
        static_assert(!can_be_written<std::ostringstream, Secret>);
        const Secret key{"sk-test-1234567890/+="};
        const Redactor redact{key};
        QCOMPARE(redact("a sk-test-1234567890/+= b"), "a " + std::string{Redactor::kInstead} + " b");
        QVERIFY(!redact("?k=sk-test-1234567890%2F%2B%3D&").contains("1234567890"));
        QCOMPARE(redact("nothing"), std::string{"nothing"});
        // Too short to be told from words.
        QCOMPARE(Redactor{Secret{"abc"}}("abc"), std::string{"abc"});
        const std::string stream = "before sk-test-1234567890/+= sk-test-123 after";
        for (std::size_t piece = 1; piece < stream.size(); ++piece) {
            StreamRedactor guard{redact};
            std::string out;
            for (std::size_t at = 0; at < stream.size(); at += piece) out += guard.feed(stream.substr(at, piece));
            out += guard.finish();
            QCOMPARE(out, "before " + std::string{Redactor::kInstead} + " sk-test-123 after");
        }
    }

    void a_key_is_found_however_json_spells_it() {
        const std::string key = "sk-SECRET/abc\"42";
        const Redactor redact{Secret{key}};
        const std::string all = R"(\u0073\u006B-SECRET\/abc\"42)";
        QCOMPARE(redact("before " + all + " after"), "before " + std::string{Redactor::kInstead} + " after");
        QCOMPARE(redact("before " + key + " after"), "before " + std::string{Redactor::kInstead} + " after");
        QCOMPARE(redact(R"(\u0073\u006B-SECRET\/abd)"), std::string{R"(\u0073\u006B-SECRET\/abd)"});
        StreamRedactor guard{redact};
        std::string out;
        for (const char c : "x" + all + "y") out += guard.feed(std::string_view{&c, 1});
        out += guard.finish();
        QCOMPARE(out, "x" + std::string{Redactor::kInstead} + "y");
    }

    void prices() {
        const auto catalog = Catalog::load("");
        QVERIFY2(catalog.has_value(), catalog ? "" : catalog.error().message.c_str());
        const auto* model = catalog->model("api.anthropic.com", "claude-sonnet-4-5-20250929");
        QVERIFY(model);
        QVERIFY(!catalog->model("example.com", "claude-sonnet-4-5"));
        TokenCounts tokens{
            .known = true, .prompt = 1'000'000, .cached = 400'000, .cache_written = 100'000, .completion = 1000};
        QCOMPARE(*cost_of(tokens, model),
                 0.5 * model->input + 0.4 * model->cached + 0.1 * model->cache_write + 0.001 * model->output);
        QVERIFY(!cost_of(tokens, nullptr));
        tokens.cost_usd = 0.5;
        QCOMPARE(*cost_of(tokens, nullptr), 0.5);
        const auto own = Catalog::parse("[[model]]\nhost = 'h'\nname = 'm*'\ninput = 1\noutput = 2\n", "own.toml");
        QVERIFY(own && own->model("h", "m-7"));
        QCOMPARE(own->model("h", "m-7")->cached, 1.0);
        for (const char* wrong :
             {"x = 1", "[[model]]\nhost = 'h'\n", "[[model]]\nhost = 'h'\nname='m'\ninput = -1\noutput=1\n",
              "[[server]]\nhost = 'h'\nkey='K'\nkee='L'\n", "model = 3", "[[model]"})
            QVERIFY2(!Catalog::parse(wrong, "own.toml"), wrong);
    }

    void base_urls() {
        QCOMPARE(parse_url("HTTPS://Api.Example.COM/v1/")->text(), std::string{"https://api.example.com/v1"});
        QVERIFY(parse_url("http://[::1]:8000")->loopback());
        QVERIFY(parse_url("http://127.0.0.1:1/v1")->loopback());
        QVERIFY(!parse_url("http://127.0.0.1.example.com")->loopback());
        QVERIFY(!parse_url("http://127.example.com")->loopback());
        for (const char* wrong :
             {"", "example", "ftp://x", "file:///etc/passwd", "https://u:sk-secret-secret@x/", "http://x/?k=1"}) {
            const auto url = parse_url(wrong);
            QVERIFY2(!url, wrong);
            QVERIFY(!url.error().message.contains("sk-secret"));
        }
    }
};

QTEST_GUILESS_MAIN(TestLlmStreams)
#include "test_llm_streams.moc"
