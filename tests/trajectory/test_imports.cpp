#include "agent/trajectory/exports.h"
#include "agent/trajectory/imports.h"
#include "engine/base/file.h"
#include "engine/pipeline/evaluation.h"
#include "tests/trajectory/archives.h"

#include <QTemporaryDir>
#include <QtTest/QtTest>

namespace fs = std::filesystem;
using kw::Json;
using kw::trajectory::SessionFile;
using kw::trajectory::Step;

/// What each form keeps, and that files are what the calls of a trace made of them.
class ImportsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init() { folder_ = std::make_unique<QTemporaryDir>(); }
    void claude_code();
    void codex();
    void swe_agent();
    void swe_agent_tools();
    void inspect();
    void inspect_archive_data();
    void inspect_archive();
    void kernelbench();
    void atif_round_trip();
    void without_a_kernel_each_turn_is_a_step();
    void what_does_not_fit_leaves_the_source_unknown();
    void lines_that_are_not_json_are_left_out();

private:
    std::unique_ptr<QTemporaryDir> folder_;
    [[nodiscard]] fs::path path(const char* name) const { return fs::path{folder_->path().toStdString()} / name; }
    /// All steps of what a text becomes.
    std::vector<Step> import(const std::string& text, const char* format);
    std::vector<Step> steps_at(const fs::path& trace, const char* format);
};

std::vector<Step> ImportsTest::steps_at(const fs::path& trace, const char* format) {
    std::error_code ignored;
    fs::remove(path("s.kwsession"), ignored);
    const auto report = kw::trajectory::import_session(trace, path("s.kwsession"), {});
    if (!report) {
        qWarning("%s", report.error().message.c_str());
        return {};
    }
    if (report->format != format) {
        qWarning("taken for %s", report->format.c_str());
        return {};
    }
    const auto session = SessionFile::open(path("s.kwsession"), SessionFile::Access::read);
    std::vector<Step> steps;
    const auto summaries = session->steps().value();
    for (const auto& summary : summaries) steps.push_back(session->step(summary.id).value());
    return steps;
}

std::vector<Step> ImportsTest::import(const std::string& text, const char* format) {
    if (!kw::write_file(path("trace"), text)) return {};
    return steps_at(path("trace"), format);
}

static std::string lines(std::initializer_list<Json> list) {
    std::string text;
    for (const auto& line : list) text += line.dump() + "\n";
    return text;
}

static Json claude(const char* type, const char* uuid, const char* parent, Json message, Json extra = Json::object()) {
    Json line{
        {"type", type}, {"uuid", uuid}, {"parentUuid", parent}, {"sessionId", "s"}, {"message", std::move(message)}};
    line["timestamp"] = "2025-06-14T10:00:30.250Z";
    line.update(extra);
    return line;
}

static Json claude_call(const char* id, const char* name, Json input) {
    return {{"type", "tool_use"}, {"id", id}, {"name", name}, {"input", std::move(input)}};
}

static Json claude_result(const char* id, const char* text, bool error = false) {
    return {{"role", "user"},
            {"content",
             Json::array({{{"type", "tool_result"}, {"tool_use_id", id}, {"content", text}, {"is_error", error}}})}};
}

static Json claude_reply(const char* id, Json part) {
    return {{"role", "assistant"},
            {"id", id},
            {"content", Json::array({std::move(part)})},
            {"usage", {{"input_tokens", 10}, {"cache_read_input_tokens", 90}, {"output_tokens", 7}}}};
}

void ImportsTest::claude_code() {
    const auto steps = import(
        lines({claude("user", "u1", "", {{"role", "user"}, {"content", "make it fast"}}),
               claude("assistant", "a1", "u1", claude_reply("m1", {{"type", "thinking"}, {"thinking", "hm"}})),
               claude("assistant", "a2", "a1", claude_reply("m1", {{"type", "text"}, {"text", "First I write it."}})),
               claude("assistant", "a3", "a2",
                      claude_reply("m1",
                                   claude_call("t1", "Write", {{"file_path", "/w/k.cu"}, {"content", "one\ntwo\n"}}))),
               claude("user", "u2", "a3", claude_result("t1", "written")),
               claude("assistant", "a4", "u2",
                      claude_reply(
                          "m2", claude_call("t2", "Edit",
                                            {{"file_path", "k.cu"}, {"old_string", "two"}, {"new_string", "three"}}))),
               claude("user", "u3", "a4", claude_result("t2", "edited")),
               claude("assistant", "a5", "u3",
                      claude_reply(
                          "m3", claude_call("t3", "Edit",
                                            {{"file_path", "/w/k.cu"}, {"old_string", "one"}, {"new_string", "x"}}))),
               claude("user", "u4", "a5", claude_result("t3", "refused", true)),
               claude("assistant", "a6", "u4", claude_reply("m4", {{"type", "text"}, {"text", "Done."}}))}),
        "claude-code");
    QCOMPARE(steps.size(), std::size_t{2});
    QCOMPARE(steps[0].source, std::string{"one\ntwo\n"});
    QCOMPARE(steps[1].source, std::string{"one\nthree\n"});
    QCOMPARE(steps[0].file, std::string{"k.cu"});
    QCOMPARE(steps[0].thought, std::string{"First I write it."});
    QCOMPARE(steps[0].summary.driver, std::string{"imported:claude-code"});
    QVERIFY(steps[1].summary.parent == steps[0].summary.id);
    // Once a reply, however many lines it has.
    QCOMPARE(steps[0].summary.usage.prompt_tokens, std::int64_t{100});
    QCOMPARE(steps[0].summary.usage.cached_tokens, std::int64_t{90});
    QCOMPARE(steps[0].summary.usage.completion_tokens, std::int64_t{7});
    QVERIFY(!steps[0].summary.usage.cost_usd);
    QCOMPARE(steps[0].summary.started_ms, std::int64_t{1'749'895'230'250});
    QCOMPARE(steps[0].messages.size(), std::size_t{3});
    QCOMPARE(steps[0].messages[1].reasoning, std::string{"hm"});
    QCOMPARE(steps[0].tool_calls.at(0).result, std::string{"written"});
    // The failed edit and the last words are with the last step that changed something.
    QCOMPARE(steps[1].tool_calls.size(), std::size_t{2});
    QVERIFY(!steps[1].tool_calls[1].ok);
    QCOMPARE(steps[1].summary.usage.completion_tokens, std::int64_t{21});
}

void ImportsTest::codex() {
    const auto item = [](Json payload) {
        return Json{{"timestamp", "2025-09-01T00:00:01Z"}, {"type", "response_item"}, {"payload", std::move(payload)}};
    };
    const auto tokens = [](std::int64_t input, std::int64_t output) {
        return Json{{"type", "event_msg"},
                    {"payload",
                     {{"type", "token_count"},
                      {"info", {{"total_token_usage", {{"input_tokens", input}, {"output_tokens", output}}}}}}}};
    };
    const char* add = "*** Begin Patch\n*** Add File: k.cu\n+a\n+b\n+c\n*** End Patch";
    const char* update = "*** Begin Patch\n*** Update File: k.cu\n@@\n a\n-b\n+B\n@@\n-c\n+C\n*** End Patch";
    const auto steps = import(
        lines({{{"type", "session_meta"}, {"payload", {{"id", "x"}}}},
               item({{"type", "message"},
                     {"role", "user"},
                     {"content", Json::array({{{"type", "input_text"}, {"text", "go"}}})}}),
               item({{"type", "reasoning"}, {"summary", Json::array({{{"type", "summary_text"}, {"text", "plan"}}})}}),
               item({{"type", "custom_tool_call"}, {"name", "apply_patch"}, {"call_id", "1"}, {"input", add}}),
               tokens(100, 10),
               tokens(100, 10),
               item({{"type", "custom_tool_call_output"},
                     {"call_id", "1"},
                     {"output", R"({"output":"ok","metadata":{"exit_code":0}})"}}),
               item({{"type", "function_call"},
                     {"name", "shell"},
                     {"call_id", "2"},
                     {"arguments", Json{{"command", Json::array({"bash", "-lc",
                                                                 std::string{"apply_patch <<'X'\n"} + update + "\nX"})}}
                                       .dump()}}),
               item({{"type", "function_call_output"}, {"call_id", "2"}, {"output", "done"}}),
               {{"type", "event_msg"}, {"payload", {{"type", "token_count"}, {"info", nullptr}}}},
               tokens(250, 15)}),
        "codex");
    QCOMPARE(steps.size(), std::size_t{2});
    QCOMPARE(steps[0].source, std::string{"a\nb\nc\n"});
    QCOMPARE(steps[1].source, std::string{"a\nB\nC\n"});
    QCOMPARE(steps[0].summary.usage.prompt_tokens, std::int64_t{100});
    QCOMPARE(steps[1].summary.usage.prompt_tokens, std::int64_t{150});
    QCOMPARE(steps[1].summary.usage.completion_tokens, std::int64_t{5});
    QCOMPARE(steps[0].messages.at(1).reasoning, std::string{"plan"});
    QCOMPARE(steps[0].tool_calls.at(0).result, std::string{"ok"});
}

static Json swe(const char* action, const char* observation, const char* open = "/r/k.cu") {
    return {{"action", action},
            {"observation", observation},
            {"thought", "because"},
            {"response", "because"},
            {"state", Json{{"open_file", open}}.dump()}};
}

void ImportsTest::swe_agent() {
    const auto steps = import(
        Json{{"environment", "e"},
             {"trajectory",
              Json::array(
                  {swe("create k.cu\n", "[File: /r/k.cu (1 lines total)]\n1:\n"),
                   swe("edit 1:1\na\nb\nc\nend_of_edit\n", "[File: /r/k.cu (3 lines total)]\n1:a"),
                   swe("edit 2:2\nbroken\nend_of_edit\n", "Your proposed edit has introduced new syntax error(s)."),
                   swe("edit 2:3\nB\nend_of_edit\n", "[File: /r/k.cu (2 lines total)]"),
                   swe("edit 9:9\nodd\nend_of_edit\n", "[File: /r/k.cu (77 lines total)]"), swe("submit\n", "")})},
             {"history",
              Json::array({{{"role", "system"}, {"content", "rules"}}, {{"role", "assistant"}, {"content", "x"}}})},
             {"info",
              {{"exit_status", "submitted"},
               {"model_stats", {{"instance_cost", 1.5}, {"tokens_sent", 9}, {"tokens_received", 4}}}}}}
            .dump(1),
        "swe-agent");
    QCOMPARE(steps.size(), std::size_t{4});
    QCOMPARE(steps[1].source, std::string{"a\nb\nc\n"});
    QCOMPARE(steps[2].source, std::string{"a\nB\n"});
    // The observation says that the file is another than what is known of it.
    QVERIFY(!steps[3].has_source());
    QVERIFY(steps[3].summary.because.find("k.cu") != std::string::npos);
    QCOMPARE(steps[0].messages.at(0).role, std::string{"system"});
    QCOMPARE(*steps[3].summary.usage.cost_usd, 1.5);
}

void ImportsTest::swe_agent_tools() {
    const auto steps = import(
        Json{{"trajectory",
              Json::array(
                  {swe("str_replace_editor create /r/k.cu --file_text 'int a;\nint b;\n'", "New file created"),
                   swe("str_replace_editor str_replace /r/k.cu --old_str 'int b;' --new_str 'int c = '\\''x'\\'';'",
                       "edited"),
                   swe("str_replace_editor insert /r/k.cu --insert_line 1 --new_str 'mid'", "edited"),
                   swe("cat > k.cu <<'END'\nwhole $X\nEND\n", "")})},
             {"info", Json::object()}}
            .dump(),
        "swe-agent");
    QCOMPARE(steps.size(), std::size_t{4});
    QCOMPARE(steps[0].source, std::string{"int a;\nint b;\n"});
    QCOMPARE(steps[1].source, std::string{"int a;\nint c = 'x';\n"});
    QCOMPARE(steps[2].source, std::string{"int a;\nmid\nint c = 'x';\n"});
    QCOMPARE(steps[3].source, std::string{"whole $X\n"});
}

static std::string inspect_sample() {
    return R"({"id":"p1","epoch":2,"input":"go","messages":[
      {"role":"user","content":"attachment://h1"},
      {"role":"assistant","id":"m1","content":[{"type":"reasoning","reasoning":"think"},{"type":"text","text":"write"}],
       "tool_calls":[{"id":"c1","function":"text_editor","arguments":{"command":"create","path":"k.cu","file_text":"attachment://h2"}}]},
      {"role":"tool","tool_call_id":"c1","content":"attachment://gone","function":"text_editor"}],
      "attachments":{"h1":"please","h2":"kernel text\n"},"scores":{"speed":{"value":NaN,"answer":"x"}},
      "events":[{"event":"model","timestamp":"2025-01-01T00:00:00+01:00","output":{"choices":[{"message":{"id":"m1"}}],
        "usage":{"input_tokens":3,"output_tokens":2,"input_tokens_cache_read":4}}}]})";
}

static void check_inspect(const std::vector<Step>& steps) {
    QCOMPARE(steps.size(), std::size_t{1});
    const auto& step = steps[0];
    QCOMPARE(step.source, std::string{"kernel text\n"});
    QCOMPARE(step.messages.at(0).content, std::string{"please"});
    QCOMPARE(step.messages.at(1).reasoning, std::string{"think"});
    QCOMPARE(step.summary.usage.prompt_tokens, std::int64_t{7});
    QCOMPARE(step.summary.started_ms, std::int64_t{1'735'686'000'000});
    QCOMPARE(step.summary.because, std::string{"scored speed = "});
    QCOMPARE(step.tool_calls.at(0).result, std::string{"attachment://gone"});
}

void ImportsTest::inspect() {
    check_inspect(import(R"({"version":2,"status":"success","eval":{"task":"t"},"samples":[)" + inspect_sample() + "]}",
                         "inspect"));
}

void ImportsTest::inspect_archive_data() {
    QTest::addColumn<int>("method");
    QTest::newRow("deflate") << int{ZIP_CM_DEFLATE};
    QTest::newRow("store") << int{ZIP_CM_STORE};
    QTest::newRow("zstd") << kw::test::kZstd;
}

void ImportsTest::inspect_archive() {
    QFETCH(int, method);
    check_inspect(import(kw::test::zip_of({{"header.json", R"({"eval":{"task":"t"}})"},
                                           {"_journal/start.json", "{}"},
                                           {"samples/p1_epoch_2.json", inspect_sample()}},
                                          method),
                         "inspect"));
}

void ImportsTest::kernelbench() {
    fs::create_directory(path("run"));
    const auto write = [&](const char* name, const char* text) { QVERIFY(kw::write_file(path("run") / name, text)); };
    write("level_1_problem_2_sample_0_kernel.py", "src = '''__global__ void k() {}'''\n");
    write("level_1_problem_2_sample_1_kernel.py", "pass\n");
    write("level_1_problem_10_sample_0_kernel.py", "pass # ten\n");
    write("notes_kernel.py", "not one\n");
    fs::create_symlink("/etc/passwd", path("run") / "level_1_problem_3_sample_0_kernel.py");
    write("eval_results.json",
          R"({"2":[{"sample_id":0,"compiled":true,"correctness":true,"runtime":1.25,"metadata":{"hardware":"H"}},
        {"sample_id":1,"compiled":false,"correctness":false,"metadata":{"compilation_error":"no kernel\nmore"},"runtime":-1.0}],
        "77":[{"sample_id":0,"compiled":true}]})");
    const auto steps = steps_at(path("run"), "kernelbench");
    QCOMPARE(steps.size(), std::size_t{3});
    QVERIFY(!steps[1].summary.parent);
    QCOMPARE(*steps[0].summary.median_us, 1250.0);
    QCOMPARE(*steps[0].summary.reward, 1.0);
    QCOMPARE(*steps[1].summary.reward, -1.0);
    QVERIFY(steps[1].summary.because.find("no kernel") != std::string::npos);
    QVERIFY(!steps[2].summary.reward);
    QCOMPARE(steps[2].source, std::string{"pass # ten\n"});
    for (const auto i : {0, 1}) {
        const auto read = kw::pipeline::evaluation_from_json(*steps[static_cast<std::size_t>(i)].evaluation);
        QVERIFY2(read.has_value(), read ? "" : read.error().message.c_str());
    }
}

void ImportsTest::atif_round_trip() {
    auto session = SessionFile::create(path("o.kwsession"), {{"task.toml", "name = \"t\""}}, "t").value();
    Step step;
    step.summary.driver = "llm:m";
    step.summary.usage = {.prompt_tokens = 5, .cached_tokens = 1, .completion_tokens = 2, .cost_usd = 0.25};
    step.thought = "why";
    step.file = "k.cu";
    for (const char* source : {"first\n", "second\n", "third\n"}) {
        step.source = source;
        step.evaluation =
            Json{{"reward", {{"value", 2}, {"because", "fast"}}}, {"bench", {{"median_us", 3.5}, {"estimated", true}}}};
        QVERIFY(session.add(step));
        step.summary.parent = 1;
    }
    std::string text;
    QVERIFY(kw::trajectory::export_atif(session, [&](std::string_view piece) -> kw::Result<void> {
        text += piece;
        return {};
    }));
    const auto steps = import(text, "atif");
    QCOMPARE(steps.size(), std::size_t{3});
    QCOMPARE(steps[2].source, std::string{"third\n"});
    QVERIFY(steps[2].summary.parent == steps[0].summary.id);
    QCOMPARE(*steps[2].summary.reward, 2.0);
    QCOMPARE(*steps[2].summary.median_us, 3.5);
    QVERIFY(steps[2].summary.estimated);
    QCOMPARE(*steps[1].summary.usage.cost_usd, 0.25);
    QCOMPARE(steps[1].thought, std::string{"why"});
}

void ImportsTest::without_a_kernel_each_turn_is_a_step() {
    const auto steps =
        import(Json{{"schema_version", "ATIF-v1.5"},
                    {"agent", {{"name", "a"}}},
                    {"steps", Json::array({{{"source", "user"}, {"message", "hello"}},
                                           {{"source", "agent"}, {"message", "one"}, {"timestamp", 1700000000}},
                                           {{"source", "agent"}, {"message", "two"}}})}}
                   .dump(),
               "atif");
    QCOMPARE(steps.size(), std::size_t{2});
    QVERIFY(!steps[0].has_source() && !steps[1].has_source());
    QCOMPARE(steps[0].summary.started_ms, std::int64_t{1'700'000'000'000});
    QCOMPARE(steps[1].summary.title, std::string{"two"});
}

void ImportsTest::what_does_not_fit_leaves_the_source_unknown() {
    const auto steps = import(
        lines(
            {claude("assistant", "a1", "",
                    claude_reply("m1", claude_call("t1", "Edit",
                                                   {{"file_path", "k.cu"}, {"old_string", "a"}, {"new_string", "b"}}))),
             claude("assistant", "a2", "a1",
                    claude_reply("m2", claude_call("t2", "Write", {{"file_path", "k.cu"}, {"content", "x x"}}))),
             claude("assistant", "a3", "a2",
                    claude_reply("m3", claude_call("t3", "Edit",
                                                   {{"file_path", "k.cu"}, {"old_string", "x"}, {"new_string", "b"}}))),
             claude("assistant", "a4", "a3",
                    claude_reply("m4", claude_call("t4", "Edit",
                                                   {{"file_path", "k.cu"}, {"old_string", "q"}, {"new_string", "b"}}))),
             claude("user", "u4", "a4", claude_result("t4", "ok"), {{"toolUseResult", {{"originalFile", "q r\n"}}}})}),
        "claude-code");
    QCOMPARE(steps.size(), std::size_t{4});
    QVERIFY(!steps[0].has_source());
    QCOMPARE(steps[1].source, std::string{"x x"});
    QVERIFY(!steps[2].has_source());
    // What the trace says the file was before.
    QCOMPARE(steps[3].source, std::string{"b r\n"});
}

void ImportsTest::lines_that_are_not_json_are_left_out() {
    const auto good = lines({claude("assistant", "a1", "", claude_reply("m1", {{"type", "text"}, {"text", "hi"}}))});
    QVERIFY(kw::write_file(path("trace"), good + "{not json}\n" + good.substr(0, good.size() / 2)));
    const auto report = kw::trajectory::import_session(path("trace"), path("n.kwsession"), {});
    QVERIFY(report.has_value());
    QCOMPARE(report->notes.size(), std::size_t{1});
    QVERIFY(report->notes[0].ends_with("(2)"));
    QVERIFY(report->notes[0].find("cut short") != std::string::npos);
}

QTEST_GUILESS_MAIN(ImportsTest)
#include "test_imports.moc"
