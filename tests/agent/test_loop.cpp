#include "agent/drivers/tuner.h"
#include "agent/trajectory/exports.h"
#include "engine/task/plan.h"
#include "tests/agent/session_fixture.h"

#include <QTest>

#include <algorithm>
#include <cmath>
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
constexpr const char* kKernel = "//@ tune BLOCK = 32 64 128 256 512\n//@ tune UNROLL = 1 2 4 8\n"
                                "//@ launch k<<<1, BLOCK>>>(x, y)\n__global__ void k(const float* x, float* y) {}\n";

task::Files files() { return {{"task.toml", kTask}, {"k.cu", kKernel}, {"r.cu", kKernel}}; }

SearchSpace space() {
    const auto all = files();
    const auto task = task::parse_task(all);
    return *SearchSpace::make(*task::parse_plan(kKernel, "k.cu", *task), "k.cu", {});
}

/// Times that a tuner can learn: best at BLOCK 256, UNROLL 4.
Result<Json> evaluate(const task::Files&, const pipeline::Options& options, std::stop_token,
                      const pipeline::Progress&) {
    const double block = std::log2(static_cast<double>(options.configuration.at("BLOCK")));
    const double unroll = std::log2(static_cast<double>(options.configuration.at("UNROLL")));
    const double time = 10 * std::exp(0.3 * std::abs(block - 8) + 0.2 * std::abs(unroll - 2));
    return *test::step("", 2, 20 / time, time).evaluation;
}

std::vector<std::string> titles(const trajectory::SessionFile& session) {
    std::vector<std::string> list;
    for (const auto& step : test::steps_of(session)) list.push_back(step.title);
    return list;
}

Result<RunResult> tune(trajectory::SessionFile& session, Tuner::Search search, std::size_t steps,
                       std::uint64_t seed = 1) {
    Tuner tuner{space(), kKernel, search, seed};
    Control control;
    RunOptions options{.files = files(), .file = "k.cu"};
    options.budget.steps = steps;
    return run(session, tuner, evaluate, options, control, {});
}

trajectory::StepSummary summary(trajectory::StepId id, std::optional<double> reward, double time) {
    trajectory::StepSummary made;
    made.id = id;
    made.reward = reward;
    if (reward) made.correct = *reward > 0;
    made.median_us = time;
    return made;
}

} // namespace

class TestLoop : public QObject {
    Q_OBJECT

private slots:
    void exhaustive_tries_all_once() {
        const test::SessionFolder folder;
        auto session = folder.create();
        const auto result = tune(*session, Tuner::Search::exhaustive, 100);
        QVERIFY(result.has_value());
        QCOMPARE(result->end, End::no_more);
        QCOMPARE(result->steps, std::size_t{20});
        auto list = titles(*session);
        std::ranges::sort(list);
        QVERIFY(std::ranges::adjacent_find(list) == list.end());
        const auto steps = *session->steps();
        QVERIFY(!steps[0].parent);
        for (std::size_t i = 1; i < steps.size(); ++i) QCOMPARE(steps[i].parent.value_or(0), steps[0].id);
        QCOMPARE(session->step(**session->best())->configuration.at("BLOCK").get<int>(), 256);
    }

    void random_and_guided_never_repeat_data() {
        QTest::addColumn<int>("search");
        QTest::newRow("random") << static_cast<int>(Tuner::Search::random);
        QTest::newRow("guided") << static_cast<int>(Tuner::Search::guided);
    }
    void random_and_guided_never_repeat() {
        QFETCH(int, search);
        const test::SessionFolder folder;
        auto session = folder.create();
        QCOMPARE(tune(*session, static_cast<Tuner::Search>(search), 100)->end, End::no_more);
        auto list = titles(*session);
        QCOMPARE(list.size(), std::size_t{20});
        std::ranges::sort(list);
        QVERIFY(std::ranges::adjacent_find(list) == list.end());
    }

    void guided_finds_the_best_early() {
        int found = 0;
        for (std::uint64_t seed = 0; seed < 10; ++seed) {
            const test::SessionFolder folder;
            auto session = folder.create();
            QVERIFY(tune(*session, Tuner::Search::guided, 12, seed).has_value());
            const auto best = session->step(**session->best())->configuration;
            found += best.at("BLOCK") == 256 && best.at("UNROLL") == 4;
        }
        // By chance 12 of 20 trials would find it 6 times in 10.
        QVERIFY2(found >= 9, qPrintable(QString::number(found)));
    }

    void the_same_seed_gives_the_same_steps() {
        const test::SessionFolder a, b;
        auto first = a.create();
        auto second = b.create();
        QVERIFY(tune(*first, Tuner::Search::guided, 15, 7) && tune(*second, Tuner::Search::guided, 15, 7));
        QVERIFY(titles(*first) == titles(*second));
    }

    void budgets_end_a_run() {
        const test::SessionFolder folder;
        auto session = folder.create();
        QCOMPARE(tune(*session, Tuner::Search::exhaustive, 3)->end, End::steps);
        Tuner tuner{space(), kKernel, Tuner::Search::exhaustive, 1};
        Control control;
        RunOptions options{.files = files(), .file = "k.cu"};
        options.budget.seconds = 0;
        QCOMPARE(run(*session, tuner, evaluate, options, control, {})->end, End::seconds);
        options.budget = {.tokens = 0};
        QCOMPARE(run(*session, tuner, evaluate, options, control, {})->end, End::tokens);
        options.budget = {.cost_usd = 0};
        QCOMPARE(run(*session, tuner, evaluate, options, control, {})->end, End::cost);
        QCOMPARE(session->steps()->size(), std::size_t{3});
    }

    void failures_are_steps_and_hopeless_ones_end_the_run() {
        const test::SessionFolder folder;
        auto session = folder.create();
        Tuner tuner{space(), kKernel, Tuner::Search::exhaustive, 1};
        Control control;
        RunOptions options{.files = files(), .file = "k.cu"};
        options.budget.steps = 4;
        int calls = 0;
        const auto failing = [&](const task::Files&, const pipeline::Options&, std::stop_token,
                                 const pipeline::Progress&) -> Result<Json> {
            if (++calls == 1) return fail(Stage::device, ErrorCode::crashed, "it crashed");
            return fail(Stage::environment, ErrorCode::not_found, "no compiler");
        };
        const auto result = run(*session, tuner, failing, options, control, {});
        QVERIFY(!result.has_value());
        QCOMPARE(result.error().message, std::string{"no compiler"});
        QCOMPARE(session->steps()->size(), std::size_t{1});
        QCOMPARE(session->steps()->front().because, std::string{"it crashed"});
    }

    void stop_and_pause() {
        const test::SessionFolder folder;
        auto session = folder.create();
        Tuner tuner{space(), kKernel, Tuner::Search::exhaustive, 1};
        Control control;
        control.pause();
        std::stop_source stop;
        RunOptions options{.files = files(), .file = "k.cu"};
        std::atomic<int> steps = 0;
        options.on_step = [&](const trajectory::Step&) {
            if (++steps == 2) stop.request_stop();
        };
        Result<RunResult> result;
        {
            std::jthread runner{[&] { result = run(*session, tuner, evaluate, options, control, stop.get_token()); }};
            std::this_thread::sleep_for(std::chrono::milliseconds(30));
            QCOMPARE(steps.load(), 0);
            control.resume();
        }
        QCOMPARE(result->end, End::stopped);
        QCOMPARE(session->steps()->size(), std::size_t{2});
    }

    void a_paused_run_can_be_stopped() {
        const test::SessionFolder folder;
        auto session = folder.create();
        Tuner tuner{space(), kKernel, Tuner::Search::exhaustive, 1};
        Control control;
        control.pause();
        std::stop_source stop;
        Result<RunResult> result;
        {
            std::jthread runner{[&] {
                result = run(*session, tuner, evaluate, {.files = files(), .file = "k.cu"}, control, stop.get_token());
            }};
            stop.request_stop();
        }
        QCOMPARE(result->end, End::stopped);
    }

    void trends_are_noticed() {
        QVERIFY(!trend_of({}).best);
        std::vector<trajectory::StepSummary> steps{summary(1, 1, 10), summary(2, 3, 5), summary(3, 3, 5.1)};
        QCOMPARE(trend_of(steps).best.value_or(0), trajectory::StepId{2});
        QVERIFY(!trend_of(steps).regression && !trend_of(steps).plateau);
        steps.push_back(summary(4, 3, 6));
        QVERIFY(trend_of(steps).regression);
        steps.push_back(summary(5, -1, 1));
        QVERIFY(trend_of(steps).regression);
        QVERIFY(trend_of(steps, 3).plateau);
        steps.push_back(summary(6, 3, 4));
        QVERIFY(!trend_of(steps, 3).plateau && !trend_of(steps).regression);
    }

    void exports() {
        const test::SessionFolder folder;
        auto session = folder.create();
        auto odd = test::step("a \"b\"\n", 3, 2, 5);
        odd.summary.title = "say \"hi\", then\ngo";
        odd.tool_calls = {{"c1", "edit", {{"old", "x"}}, "done", true, 1}};
        odd.summary.usage = {10, 5, 3, 1, 0.5};
        QVERIFY(session->add(odd).has_value());
        auto unknown = test::step("b", 1, 1, 1, 1);
        unknown.evaluation.reset();
        QVERIFY(session->add(unknown).has_value());
        std::string text;
        const trajectory::Sink sink = [&](std::string_view piece) -> Result<void> {
            text += piece;
            return {};
        };
        QVERIFY(export_csv(*session, sink).has_value());
        QVERIFY(text.find("\"say \"\"hi\"\", then\ngo\",true,3,2,5,true") != std::string::npos);
        QVERIFY(text.find("2,1,human,a change,,,,,false") != std::string::npos);
        text.clear();
        QVERIFY(export_jsonl(*session, sink).has_value());
        QCOMPARE(std::ranges::count(text, '\n'), std::ptrdiff_t{2});
        QCOMPARE(Json::parse(text.substr(0, text.find('\n'))).at("source").get<std::string>(),
                 std::string{"a \"b\"\n"});
        text.clear();
        QVERIFY(export_atif(*session, sink).has_value());
        const auto atif = Json::parse(text);
        QCOMPARE(atif.at("schema_version").get<std::string>(), std::string{"ATIF-v1.7"});
        QCOMPARE(atif.at("steps").size(), std::size_t{3});
        for (std::size_t i = 0; i < 3; ++i) QCOMPARE(atif.at("steps")[i].at("step_id").get<std::size_t>(), i + 1);
        const auto& step = atif.at("steps")[1];
        QCOMPARE(step.at("tool_calls").size(), step.at("observation").at("results").size());
        QCOMPARE(step.at("extra").at("reward").get<double>(), 3.0);
        QCOMPARE(atif.at("final_metrics").at("total_prompt_tokens").get<int>(), 10);
        // A sink that cannot go on ends the export.
        const trajectory::Sink full = [](std::string_view) -> Result<void> {
            return fail(Stage::usage, ErrorCode::invalid_input, "full");
        };
        QVERIFY(!export_csv(*session, full) && !export_jsonl(*session, full) && !export_atif(*session, full));
    }
};

QTEST_GUILESS_MAIN(TestLoop)
#include "test_loop.moc"
