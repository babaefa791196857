#include "agent/drivers/replay.h"

#include <QTemporaryDir>
#include <QtTest/QtTest>

using namespace kw;
using trajectory::SessionFile;

/// A recorded session as the agent.
class ReplayTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void the_tree_is_made_again();
    void a_budget_ends_it();
    void an_empty_session_is_refused();
};

static trajectory::Step step(const char* source, std::optional<trajectory::StepId> parent,
                             const char* file = "old.cu") {
    trajectory::Step made;
    made.summary.driver = "llm:m";
    made.summary.parent = parent;
    made.summary.title = source;
    made.summary.usage.prompt_tokens = 100;
    made.file = file;
    made.source = source;
    made.thought = "why";
    made.configuration = {{"BLOCK", 64}};
    made.messages = {{"assistant", "hi"}};
    made.tool_calls = {{.id = "1", .name = "edit"}};
    return made;
}

struct Place {
    QTemporaryDir folder;
    [[nodiscard]] std::filesystem::path path(const char* name) const {
        return std::filesystem::path{folder.path().toStdString()} / name;
    }
    /// Root, no source, below that, of another kind, branch of the root.
    [[nodiscard]] SessionFile recorded() const {
        auto session = SessionFile::create(path("old.kwsession"), {}, "t").value();
        for (const auto& each : {step("a", {}), step("", 1, ""), step("b", 2), step("c", 3, "k.py"), step("d", 1)})
            if (!session.add(each)) qFatal("cannot add");
        return session;
    }
};

static Result<Json> evaluate(const task::Files& files, const pipeline::Options& options, std::stop_token,
                             const pipeline::Progress&) {
    return Json{{"candidate", options.candidate},
                {"block", options.configuration.at("BLOCK")},
                {"text", files.at("k.cu")},
                {"reward", {{"value", 1}}}};
}

void ReplayTest::the_tree_is_made_again() {
    const Place place;
    auto driver = agent::ReplayDriver::make(place.recorded(), "k.cu");
    QVERIFY(driver.has_value());
    auto session = SessionFile::create(place.path("new.kwsession"), {}, "t").value();
    QVERIFY(session.add(step("before", {})));
    agent::Control control;
    const auto result = agent::run(session, **driver, evaluate, {.files = {{"k.cu", ""}}, .file = "k.cu"}, control, {});
    QVERIFY(result.has_value());
    QCOMPARE(result->steps, std::size_t{3});
    QCOMPARE(result->usage.prompt_tokens, std::int64_t{0});
    std::string text;
    const auto summaries = session.steps().value();
    for (const auto& summary : summaries) {
        const auto made = session.step(summary.id).value();
        text += made.source + (summary.parent ? std::to_string(*summary.parent) : "-") + " ";
        if (summary.id == 1) continue;
        QCOMPARE(summary.driver, std::string{"replay"});
        QCOMPARE(made.file, std::string{"k.cu"});
        QCOMPARE(made.thought, std::string{"why"});
        QCOMPARE(made.messages.size(), std::size_t{1});
        QCOMPARE(made.tool_calls.size(), std::size_t{1});
        QCOMPARE(made.evaluation->at("block"), Json(64));
        QCOMPARE(made.evaluation->at("text"), Json(made.source));
    }
    QCOMPARE(text, std::string{"before- a- b2 d2 "});
    QCOMPARE((*driver)->passed_over(),
             std::string{"step 2 of the recording had no source and could not be tried; step 4 "
                         "held a file that k.cu cannot be"});
}

void ReplayTest::a_budget_ends_it() {
    const Place place;
    auto driver = agent::ReplayDriver::make(place.recorded(), "k.cu");
    auto session = SessionFile::create(place.path("new.kwsession"), {}, "t").value();
    agent::Control control;
    const auto result = agent::run(session, **driver, evaluate,
                                   {.files = {{"k.cu", ""}}, .file = "k.cu", .budget = {.steps = 1}}, control, {});
    QVERIFY(result && result->end == agent::End::steps);
    QVERIFY((*driver)->passed_over().empty());
}

void ReplayTest::an_empty_session_is_refused() {
    const Place place;
    auto driver = agent::ReplayDriver::make(SessionFile::create(place.path("e.kwsession"), {}, "t").value(), "k.cu");
    QVERIFY(!driver && driver.error().message.find("no step to replay") != std::string::npos);
}

QTEST_GUILESS_MAIN(ReplayTest)
#include "test_replay.moc"
