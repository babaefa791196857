#include "agent/drivers/llm.h"
#include "agent/drivers/llm_prompt.h"
#include "agent/llm/json_text.h"
#include "agent/tools/feedback.h"
#include "agent/tools/tool_specs.h"
#include "engine/pipeline/evaluation.h"
#include "tests/agent/session_fixture.h"

#include <QTest>

#include <deque>
#include <thread>

using namespace kw;
using namespace kw::agent;

namespace {

constexpr const char* kTask = R"(name = "t"
kernel = "k.cu"
reference = "r.cu"
[sizes]
n = 64
[[tensor]]
name = "x"
type = "f32"
shape = ["n"]
role = "input"
fill = "normal"
[[tensor]]
name = "y"
type = "f32"
shape = ["n"]
role = "output"
)";
constexpr const char* kKernel = "//@ launch k<<<1, 64>>>(x, y)\n__global__ void k(const float* x, float* y) {\n"
                                "    y[threadIdx.x] = x[threadIdx.x];\n}\n";
constexpr const char* kSecret = "sk-driver-0123456789";

task::Files files() {
    return {
        {"task.toml", kTask}, {"k.cu", kKernel}, {"r.cu", kKernel}, {"lib/h.cuh", "// a\n"}, {"y.npy", "\x93NUMPY"}};
}

/// Says what it was told to, and keeps what it was asked.
class FakeProvider final : public llm::Provider {
public:
    std::deque<llm::Reply> replies;
    std::vector<llm::Conversation> asked;
    std::function<Result<llm::Reply>(const llm::Conversation&)> instead{};

    Result<llm::Reply> complete(const llm::Conversation& conversation, std::span<const llm::ToolSpec>,
                                const llm::Settings&, const OnDelta&, std::stop_token stop) override {
        asked.push_back(conversation);
        if (stop.stop_requested()) return fail(Stage::environment, ErrorCode::cancelled, "stopped");
        if (instead) return instead(conversation);
        if (replies.empty()) return llm::Reply{.text = "I am done."};
        auto reply = std::move(replies.front());
        replies.pop_front();
        return reply;
    }
    Result<std::vector<llm::ServedModel>> models(std::stop_token) override { return std::vector<llm::ServedModel>{}; }
    const llm::Url& url() const override { return url_; }
    const llm::Redactor& redactor() const override { return redactor_; }

private:
    llm::Url url_;
    llm::Redactor redactor_{llm::Secret{kSecret}};
};

llm::Reply calls(std::vector<std::pair<std::string, Json>> list, std::string text = "thinking aloud") {
    llm::Reply reply{.text = std::move(text)};
    for (auto& [name, arguments] : list)
        reply.tool_uses.push_back(
            {.id = "c" + std::to_string(reply.tool_uses.size()), .name = name, .arguments = std::move(arguments)});
    reply.finish = llm::Reply::Finish::tool_use;
    reply.tokens = {.known = true, .prompt = 100, .cached = 60, .completion = 10};
    return reply;
}

std::pair<std::string, Json> edit(int number) {
    return {"edit", {{"content", std::string{kKernel} + "// " + std::to_string(number) + "\n"}}};
}
std::pair<std::string, Json> attempt(const std::string& summary = {}) {
    return {"verify", summary.empty() ? Json::object() : Json{{"summary", summary}}};
}

/// Everything that a run needs, with compilation and evaluation that a test decides on.
struct Fixture {
    test::SessionFolder folder;
    Result<trajectory::SessionFile> session = folder.create();
    FakeProvider provider;
    Control control;
    LlmOptions options{.files = files(), .file = "k.cu"};
    std::function<bool(const std::string&)> compiles = [](const std::string&) { return true; };
    std::vector<double> times; ///< of the attempts, in order; then 10
    std::size_t evaluations = 0;
    std::unique_ptr<LlmDriver> driver;
    std::stop_source stop;

    Fixture() {
        options.source = kKernel;
        options.settings.model = "m";
    }

    Json evaluation(double time) {
        pipeline::Evaluation made;
        made.task = "t";
        made.compile.ok = true;
        made.verify.emplace().ok = time > 0;
        made.verify->because = time > 0 ? "" : "all wrong";
        if (time > 0) made.bench.emplace().time.median_us = time;
        made.reward = reward::Reward{time > 0 ? 1.0 : -1.0, "r", time > 0 ? "correct" : "all wrong", {}};
        if (time > 0) made.reward->speedups.push_back({"b", 10 / time, {}});
        return pipeline::to_json(made);
    }

    Result<RunResult> run(std::size_t steps = 10) {
        tools::Services services;
        services.compile = [this](const task::Files& all, const std::string& main, std::stop_token) -> Result<Json> {
            const bool ok = compiles(all.at(main));
            Json diagnostics = Json::array();
            if (!ok)
                diagnostics.push_back(
                    {{"severity", "error"}, {"file", main}, {"line", 3}, {"column", 5}, {"message", "no such thing"}});
            return Json{{"ok", ok}, {"diagnostics", diagnostics}, {"kernels", Json::array()}};
        };
        services.profile = [](const task::Files&, const std::vector<std::string>&, std::stop_token) -> Result<Json> {
            return fail(Stage::profile, ErrorCode::unsupported, "there are no counters here");
        };
        services.disassemble = [](const task::Files&, const std::string&, bool, std::stop_token) -> Result<Json> {
            std::string text;
            for (int i = 0; i < 5000; ++i) text += "ld.global.f32 %f1, [%rd1];\n";
            return Json{{"ok", true}, {"text", text}};
        };
        auto made = LlmDriver::make(provider, *session, std::move(services), options);
        if (!made) return std::unexpected(made.error());
        driver = std::move(*made);
        RunOptions how{.files = files(), .file = "k.cu"};
        how.budget = options.budget;
        how.budget.steps = steps;
        return agent::run(
            *session, *driver,
            [this](const task::Files&, const pipeline::Options&, std::stop_token,
                   const pipeline::Progress&) -> Result<Json> {
                const auto number = evaluations++;
                return evaluation(number < times.size() ? times[number] : 10);
            },
            how, control, stop.get_token());
    }

    trajectory::Step step(trajectory::StepId id) { return session->step(id).value(); }
};

std::string last_results(const llm::Conversation& conversation) {
    std::string text;
    for (const auto& result : conversation.turns.back().results) text += (result.ok ? "+ " : "- ") + result.text + "\n";
    return text;
}

} // namespace

class TestLlmDriver : public QObject {
    Q_OBJECT

private slots:
    void an_attempt_is_a_step() {
        Fixture f;
        f.provider.replies = {calls({{"read_file", {{"path", "task.toml"}}}}, "I look first."),
                              calls({edit(1), attempt("first idea"), {"list_attempts", Json::object()}}, "Now this."),
                              calls({edit(2), attempt()}, "Then *that* one. And more.")};
        f.times = {10, 5};
        const auto result = f.run();
        QVERIFY2(result.has_value(), result ? "" : result.error().message.c_str());
        QCOMPARE(result->steps, std::size_t{2});
        QCOMPARE(result->end, End::no_more);
        const auto first = f.step(1);
        QCOMPARE(first.summary.title, std::string{"first idea"});
        QCOMPARE(first.summary.driver, std::string{"llm:m"});
        QVERIFY(!first.summary.parent);
        QCOMPARE(first.summary.usage.prompt_tokens, 200);
        QCOMPARE(first.summary.usage.cached_tokens, 120);
        QVERIFY(!first.summary.usage.cost_usd);
        std::string roles, names;
        for (const auto& message : first.messages) roles += message.role + " ";
        for (const auto& call : first.tool_calls) names += call.name + " ";
        QCOMPARE(roles, std::string{"system user assistant tool assistant tool tool "});
        QCOMPARE(names, std::string{"read_file edit verify "});
        QVERIFY(first.tool_calls[2].result.contains("correct"));
        QCOMPARE(first.messages.back().content, first.tool_calls[2].result);
        const auto second = f.step(2);
        QCOMPARE(second.summary.parent.value_or(0), trajectory::StepId{1});
        QCOMPARE(second.tool_calls[0].name, std::string{"list_attempts"});
        QVERIFY(second.tool_calls[0].result.contains("first idea"));
        QVERIFY(second.tool_calls.back().result.contains("best attempt so far"));
        // What was said at the end belongs to no step and is kept all the same.
        const auto left = Json::parse(f.session->meta("unfinished").value());
        QCOMPARE(left[0].at("after").get<int>(), 2);
        QCOMPARE(left[0].at("messages")[0].at("content").get<std::string>(), std::string{"I am done."});
    }

    void the_same_replies_give_the_same_conversation() {
        std::vector<std::string> asked;
        for (int round = 0; round < 2; ++round) {
            Fixture f;
            f.provider.replies = {calls({edit(1), attempt()}),
                                  calls({{"disassemble", Json::object()}, edit(2), attempt()})};
            QVERIFY(f.run().has_value());
            std::string all;
            for (const auto& conversation : f.provider.asked)
                for (const auto& turn : conversation.turns) {
                    all += turn.text;
                    for (const auto& result : turn.results) all += result.text;
                }
            asked.push_back(all);
        }
        QCOMPARE(asked[0], asked[1]);
    }

    void what_does_not_compile_costs_no_attempt() {
        Fixture f;
        f.compiles = [](const std::string& source) { return !source.contains("// 1"); };
        f.provider.replies = {calls({edit(1), attempt()}), calls({edit(2), attempt()})};
        QCOMPARE(f.run()->steps, std::size_t{1});
        QVERIFY(last_results(f.provider.asked[1]).contains("k.cu:3:5: error: no such thing"));
    }

    void a_fence_is_no_title() {
        Fixture f;
        f.provider.replies = {calls({edit(1)}, "```cuda\nint x;\n```\n\n## Wider loads\nthey help"), {.text = ""}};
        QCOMPARE(f.run()->steps, std::size_t{1});
        QCOMPARE(f.step(1).summary.title, std::string{"Wider loads"});
    }

    void a_turn_that_ends_is_evaluated() {
        Fixture f;
        f.provider.replies = {calls({edit(1)}), {.text = "That should do."}};
        QCOMPARE(f.run()->steps, std::size_t{1});
        const auto step = f.step(1);
        QCOMPARE(step.summary.title, std::string{"thinking aloud"});
        QCOMPARE(step.messages.back().role, std::string{"user"});
        QVERIFY(step.messages.back().content.contains("evaluated"));
    }

    void a_model_without_tools_answers_with_code() {
        Fixture f;
        f.provider.replies = {{.text = "Try ```x``` or\n```cuda\n" + std::string{kKernel} + "// new\n```\nGood."}};
        QCOMPARE(f.run()->steps, std::size_t{1});
        QVERIFY(f.step(1).source.ends_with("// new\n"));
        QCOMPARE(fenced_candidate("```\n//@ launch\n"), std::string{});
        QCOMPARE(fenced_candidate("no fence"), std::string{});
    }

    void mistakes_are_told_data() {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<QByteArray>("arguments");
        QTest::addColumn<QByteArray>("told");
        const auto row = [](const char* label, const char* name, const Json& arguments, const char* told) {
            QTest::newRow(label) << QByteArray(name) << QByteArray::fromStdString(arguments.dump()) << QByteArray(told);
        };
        row("unknown tool", "edits", Json::object(), "did you mean 'edit'");
        row("a shell", "bash", {{"command", "ls"}}, "there is no tool 'bash'");
        row("unknown argument", "read_file", {{"file", "k.cu"}}, "takes no 'file'");
        row("wrong type", "read_file", {{"path", 3}}, "of type string");
        row("missing", "read_attempt", Json::object(), "needs 'attempt'");
        row("no such attempt", "read_attempt", {{"attempt", 7}}, "no attempt 7");
        row("below the range", "read_attempt", {{"attempt", 0}}, "at least 1");
        row("matches nothing", "edit", {{"old_text", "    y[threadIdx.x] = x[threadIdx.y];"}, {"new_text", "z"}},
            "the nearest is line 3: y[threadIdx.x] = x[threadIdx.x];");
        row("like nothing", "edit", {{"old_text", "qqqqqqq"}, {"new_text", "z"}}, "nothing like it");
        row("white space", "edit", {{"old_text", "\ty[threadIdx.x] = x[threadIdx.x];"}, {"new_text", "z"}},
            "white space");
        row("matches twice", "edit", {{"old_text", "threadIdx.x"}, {"new_text", "z"}},
            "occurs 2 times in k.cu (lines 3, 3)");
        row("empty", "edit", {{"old_text", ""}, {"new_text", "z"}}, "old_text is empty");
        row("both", "edit", {{"old_text", "a"}, {"content", "z"}}, "either");
        row("neither", "edit", Json::object(), "either");
        row("the reference", "edit", {{"path", "r.cu"}, {"content", "z"}}, "may only be read");
        row("task.toml", "edit", {{"path", "task.toml"}, {"content", "z"}}, "may only be read");
        row("a new file", "edit", {{"path", "new.cu"}, {"content", "z"}}, "has no 'new.cu'");
        row("above", "read_file", {{"path", "../r.cu"}}, "leads out");
        row("above, hidden", "read_file", {{"path", "lib/../../r.cu"}}, "leads out");
        row("absolute", "read_file", {{"path", "/etc/passwd"}}, "relative");
        row("home", "read_file", {{"path", "~/.ssh/id"}}, "relative");
        row("zero", "read_file", {{"path", std::string("k.cu\0x", 6)}}, "relative");
        row("data", "read_file", {{"path", "y.npy"}}, "is data");
        row("not UTF-8 text", "edit", {{"content", std::string("a\0b", 3)}}, "UTF-8");
        row("too large", "edit", {{"content", std::string(200000, 'x') + std::string(1 << 20, 'y')}}, "bytes");
        row("a metric", "profile", {{"metrics", {"nonsense"}}}, "nonsense");
        row("no profile here", "profile", Json::object(), "no counters here");
        row("a choice", "disassemble", {{"form", "x86"}}, "one of");
    }
    void mistakes_are_told() {
        QFETCH(QByteArray, name);
        QFETCH(QByteArray, arguments);
        QFETCH(QByteArray, told);
        Fixture f;
        f.provider.replies = {calls({{name.toStdString(), Json::parse(arguments.toStdString())}})};
        QVERIFY(f.run().has_value());
        QCOMPARE(f.evaluations, std::size_t{0});
        // Arguments that are too large begin the conversation anew.
        const auto result = f.session->meta("unfinished").value();
        const auto calls_made = Json::parse(result)[0].at("tool_calls");
        QVERIFY2(calls_made[0].at("result").get<std::string>().contains(told.toStdString()), result.c_str());
        QVERIFY(!calls_made[0].at("ok").get<bool>());
    }

    void what_is_right_works() {
        Fixture f;
        f.provider.replies = {
            calls({{"read_file", {{"path", "./lib/h.cuh"}}},
                   {"read_file", {{"path", "k.cu"}, {"from_line", 2}, {"lines", 1}}},
                   {"read_file", Json::object()},
                   {"edit", {{"old_text", "x[threadIdx.x]"}, {"new_text", "2 * x[threadIdx.x]"}, {"path", "k.cu"}}},
                   {"compile", Json::object()},
                   {"disassemble", {{"kernel", nullptr}}},
                   attempt()}),
            calls({edit(2), attempt()}),
            calls({{"read_attempt", {{"attempt", 1}, {"restore", true}}},
                   {"read_attempt", {{"attempt", 1}, {"show", "result"}}}}),
            calls({edit(3), attempt()})};
        QCOMPARE(f.run()->steps, std::size_t{3});
        const auto first = f.step(1);
        for (const auto& call : first.tool_calls) QVERIFY2(call.ok, call.result.c_str());
        QCOMPARE(first.tool_calls[1].result,
                 std::string{
                     "2\t__global__ void k(const float* x, float* y) {\n… 2 more lines; from_line = 3 shows them\n"});
        QVERIFY(first.tool_calls[2].result.contains("k.cu (the candidate)"));
        QVERIFY(!first.tool_calls[2].result.contains("npy"));
        QVERIFY(first.tool_calls[5].result.size() < 2 * tools::kBudget);
        QVERIFY(first.source.contains("2 * x[threadIdx.x]"));
        // The third goes on from the first, whose source was put back.
        QCOMPARE(f.step(3).summary.parent.value_or(0), trajectory::StepId{1});
    }

    void half_json_is_told_and_not_sent_back() {
        Fixture f;
        auto reply = calls({{"edit", Json::object()}});
        reply.tool_uses[0].unparsable = "{\"content\": \"x";
        f.provider.replies = {reply};
        QVERIFY(f.run().has_value());
        QVERIFY(last_results(f.provider.asked[1]).contains("not a JSON object"));
    }

    void megabytes_are_cut() {
        Fixture f;
        auto large = calls({edit(1)}, std::string(2'000'000, 'x'));
        large.reasoning = std::string(2'000'000, 'r');
        large.state = {{"dialect", "anthropic"}, {"blocks", Json::array({std::string(2'000'000, 's')})}};
        f.provider.replies = {large, calls({attempt()})};
        QCOMPARE(f.run()->steps, std::size_t{1});
        for (const auto& message : f.step(1).messages) QVERIFY(message.content.size() < 2 * kMostText);
        for (const auto& conversation : f.provider.asked)
            QVERIFY(bytes_of(conversation, tools::tool_specs()) < 4 * kMostText);
    }

    void no_tool_calls_at_all() {
        Fixture f;
        f.provider.instead = [](const llm::Conversation&) -> Result<llm::Reply> {
            return llm::Reply{.text = "Hello!"};
        };
        const auto result = f.run();
        QCOMPARE(result->end, End::no_more);
        QCOMPARE(f.provider.asked.size(), std::size_t{2});
        QVERIFY(!f.driver->ending().empty());
    }

    void calls_without_end() {
        Fixture f;
        f.provider.instead = [](const llm::Conversation&) -> Result<llm::Reply> {
            return calls(std::vector<std::pair<std::string, Json>>(100, {"list_attempts", Json::object()}));
        };
        const auto result = f.run();
        QVERIFY2(result.has_value(), result ? "" : result.error().message.c_str());
        QCOMPARE(result->end, End::stalled);
        QVERIFY(f.provider.asked.size() < 100);
    }

    void budgets() {
        const auto work = [](Fixture& f) {
            int number = 0;
            f.provider.instead = [&number](const llm::Conversation&) -> Result<llm::Reply> {
                return calls({edit(++number), attempt()});
            };
            return f.run(5);
        };
        Fixture steps;
        QCOMPARE(work(steps)->end, End::steps);
        Fixture tokens;
        tokens.options.budget.tokens = 250;
        const auto result = work(tokens);
        QCOMPARE(result->end, End::tokens);
        QCOMPARE(result->steps, std::size_t{3});
        Fixture cost;
        cost.options.budget.cost_usd = 0.00015;
        cost.options.prices = llm::ModelFacts{
            .host = "h", .name = "m", .input = 1, .cached = 0.5, .cache_write = 1, .output = 2, .context = 0};
        const auto priced = work(cost); // 40 + 30 + 20 millionths a reply
        QCOMPARE(priced->end, End::cost);
        QCOMPARE(priced->steps, std::size_t{2});
        QVERIFY(std::abs(priced->usage.cost_usd.value_or(0) - 0.00018) < 1e-9);
        Fixture unknown;
        unknown.options.budget.cost_usd = 1;
        QCOMPARE(work(unknown)->steps, std::size_t{1});
        QVERIFY(unknown.driver->ending().contains("not known"));
    }

    void plateau_and_regression_are_told() {
        Fixture f;
        f.times = {10, 5, 20, -1};
        int number = 0;
        f.provider.instead = [&number](const llm::Conversation&) -> Result<llm::Reply> {
            return calls({edit(++number), attempt()});
        };
        QVERIFY(f.run(12).has_value());
        QVERIFY(f.step(3).tool_calls.back().result.contains("step back"));
        QVERIFY(f.step(4).tool_calls.back().result.contains("WRONG: all wrong"));
        QVERIFY(!f.step(4).tool_calls.back().result.contains("brought nothing better"));
        QVERIFY(f.step(11).tool_calls.back().result.contains("brought nothing better"));
    }

    void a_long_conversation_is_begun_anew() {
        Fixture f;
        f.options.context = 16000;
        f.options.settings.max_tokens = 1000;
        f.times = {10, 5};
        int number = 0;
        f.provider.instead = [&number](const llm::Conversation& conversation) -> Result<llm::Reply> {
            auto reply = ++number % 3 == 0 ? calls({edit(number), attempt()})
                                           : calls({{"disassemble", Json::object()}}, std::string(3000, 'w'));
            reply.tokens = {.known = true,
                            .prompt = static_cast<std::int64_t>(bytes_of(conversation, tools::tool_specs()) / 3)};
            return reply;
        };
        QVERIFY(f.run(8).has_value());
        std::size_t anew = 0;
        for (std::size_t i = 0; i < f.provider.asked.size(); ++i) {
            const auto& conversation = f.provider.asked[i];
            QVERIFY(bytes_of(conversation, tools::tool_specs()) / 3 <= 15000);
            QVERIFY(conversation.system.contains("CUDA"));
            QVERIFY(conversation.turns[0].text.contains("task.toml"));
            if (i > 0 && conversation.turns.size() == 1) {
                ++anew;
                QVERIFY(conversation.turns[0].text.contains("Attempts so far"));
            }
            // Every result answers a call of the turn before.
            for (std::size_t t = 0; t < conversation.turns.size(); ++t)
                if (!conversation.turns[t].results.empty())
                    QCOMPARE(conversation.turns[t].results.size(), conversation.turns[t - 1].tool_uses.size());
        }
        QVERIFY(anew > 1);
        // The best source is kept where the candidate is another.
        QVERIFY(f.provider.asked.back().turns[0].text.contains("The best, attempt 2"));
    }

    void a_context_that_is_too_small_is_told() {
        Fixture f;
        f.options.context = 500;
        const auto result = f.run();
        QVERIFY(!result && result.error().message.contains("--context"));
    }

    void a_server_with_a_smaller_context() {
        Fixture f;
        f.provider.replies = {calls({edit(1), attempt()})};
        int refusals = 2;
        f.provider.instead = [&](const llm::Conversation&) -> Result<llm::Reply> {
            if (refusals-- > 0)
                return fail(Stage::environment, ErrorCode::unsupported,
                            "the conversation is too long for the model (4096)");
            f.provider.instead = {};
            return calls({edit(1), attempt()});
        };
        QCOMPARE(f.run(1)->steps, std::size_t{1});
        f.provider.instead = [](const llm::Conversation&) -> Result<llm::Reply> {
            return fail(Stage::environment, ErrorCode::unsupported, "the conversation is too long for the model (1)");
        };
        QVERIFY(!f.run(1));
    }

    void branches_from_a_step() {
        Fixture f;
        f.provider.replies = {calls({edit(1), attempt("one")}), calls({edit(2), attempt("two")})};
        QVERIFY(f.run(2).has_value());
        const auto from = f.step(1);
        f.provider.asked.clear();
        f.options.source = from.source;
        f.options.parent = 1;
        f.options.message = std::string{"use shuffles; my key is "} + kSecret;
        f.provider.replies = {calls({edit(3), attempt("three")})};
        QCOMPARE(f.run(1)->steps, std::size_t{1});
        QCOMPARE(f.step(3).summary.parent.value_or(0), trajectory::StepId{1});
        const auto& begin = f.provider.asked[0].turns[0].text;
        QVERIFY(begin.contains("use shuffles") && begin.contains("2. two") && begin.contains("// 1"));
        QVERIFY(!begin.contains(kSecret));
        QVERIFY(!f.step(3).messages[1].content.contains(kSecret));
    }

    void a_task_may_have_its_own_skill_text() {
        auto all = files();
        QVERIFY(system_text(all).contains("What success is"));
        all["skill.md"] = "Do as I say.";
        QCOMPARE(system_text(all), std::string{"Do as I say."});
    }

    void pausing_and_stopping() {
        Fixture f;
        f.options.control = &f.control;
        f.provider.replies = {calls({edit(1), attempt()}), calls({edit(2), attempt()})};
        f.control.pause();
        std::jthread later{[&f] {
            std::this_thread::sleep_for(std::chrono::milliseconds{100});
            f.control.resume();
        }};
        QCOMPARE(f.run(1)->steps, std::size_t{1});
        f.provider.instead = [&f](const llm::Conversation&) -> Result<llm::Reply> {
            f.stop.request_stop();
            return calls({{"list_attempts", Json::object()}});
        };
        const auto stopped = f.run(5);
        QVERIFY2(stopped.has_value(), stopped ? "" : stopped.error().message.c_str());
        QCOMPARE(stopped->end, End::stopped);
        QCOMPARE(f.session->steps()->size(), std::size_t{1});
        // Tokens that were used are told even so.
        QVERIFY(stopped->usage.prompt_tokens > 0);
    }

    void an_error_ends_the_run_and_keeps_its_steps() {
        Fixture f;
        f.provider.replies = {calls({edit(1), attempt()})};
        f.provider.instead = [&f, first = true](const llm::Conversation&) mutable -> Result<llm::Reply> {
            if (std::exchange(first, false)) return calls({edit(1), attempt()});
            return fail(Stage::environment, ErrorCode::unsupported, "gave up");
        };
        QVERIFY(!f.run());
        QCOMPARE(f.session->steps()->size(), std::size_t{1});
    }

    void schemas_are_what_servers_take() {
        QCOMPARE(tools::tool_specs().size(), std::size_t{8});
        for (const auto& tool : tools::tool_specs()) {
            QVERIFY(tool.parameters.at("type") == "object" && tool.parameters.at("properties").is_object());
            QVERIFY(!tool.description.empty());
        }
    }
};

QTEST_GUILESS_MAIN(TestLlmDriver)
#include "test_llm_driver.moc"
