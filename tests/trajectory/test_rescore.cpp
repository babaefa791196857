#include "agent/trajectory/rescore.h"

#include <QTemporaryDir>
#include <QtTest/QtTest>

using namespace kw;
using trajectory::rescore;
using trajectory::SessionFile;

/// Rewards of stored evaluations under another rule.
class RescoreTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void the_same_rule_changes_nothing();
    void a_margin_flips();
    void only_one_baseline_counts();
    void a_wrong_candidate_stays_wrong();
    void a_copy_gets_the_rewards();
    void a_damaged_evaluation_is_passed_over();
    void another_tolerance_is_told_of_where_the_errors_tell();

private:
    std::unique_ptr<QTemporaryDir> folder_;
    std::unique_ptr<SessionFile> session_;
    [[nodiscard]] std::filesystem::path path(const char* name) const {
        return std::filesystem::path{folder_->path().toStdString()} / name;
    }
    void add(double reward, bool right, double eager, double compiled);
};

void RescoreTest::add(double reward, bool right, double eager, double compiled) {
    trajectory::Step step;
    step.summary.driver = "human";
    step.file = "k.cu";
    const auto speedup = [](const char* name, double value) {
        return Json{{"baseline", name}, {"speedup", value}, {"lo", value - 0.02}, {"hi", value + 0.02}};
    };
    step.evaluation =
        Json{{"compile", {{"ok", true}}},
             {"verify", {{"ok", right}}},
             {"reward",
              {{"value", reward},
               {"rule", "cuda-agent"},
               {"because", "so it is"},
               {"speedups",
                right ? Json::array({speedup("eager.cu", eager), speedup("compiled.cu", compiled)}) : Json::array()}}}};
    QVERIFY(session_->add(step));
}

void RescoreTest::init() {
    session_.reset();
    folder_ = std::make_unique<QTemporaryDir>();
    session_ = std::make_unique<SessionFile>(SessionFile::create(path("s.kwsession"), {}, "t").value());
    add(3, true, 2.0, 1.15);
    add(2, true, 1.15, 0.9);
    add(-1, false, 0, 0);
    trajectory::Step bare;
    bare.summary.driver = "human";
    QVERIFY(session_->add(bare));
}

static std::vector<double> rewards(const Result<std::vector<trajectory::Rescored>>& list) {
    std::vector<double> values;
    if (list)
        for (const auto& each : *list) values.push_back(each.after.value);
    return values;
}

void RescoreTest::the_same_rule_changes_nothing() {
    const auto list = rescore(*session_, {});
    QCOMPARE(rewards(list), (std::vector<double>{3, 2, -1}));
    QVERIFY(std::ranges::none_of(*list, &trajectory::Rescored::flips));
}

void RescoreTest::a_margin_flips() {
    QCOMPARE(rewards(rescore(*session_, {.rule = {.margin = 0.2}})), (std::vector<double>{2, 1, -1}));
    QCOMPARE(rewards(rescore(*session_, {.rule = {.incorrect = 0, .beats_all = 10}})), (std::vector<double>{10, 2, 0}));
}

void RescoreTest::only_one_baseline_counts() {
    QCOMPARE(rewards(rescore(*session_, {.baseline = "eager.cu"})), (std::vector<double>{3, 3, -1}));
    QCOMPARE(rewards(rescore(*session_, {.baseline = "compiled.cu"})), (std::vector<double>{3, 1, -1}));
    const auto none = rescore(*session_, {.baseline = "other.cu"});
    QVERIFY(!none && none.error().message.find("compiled.cu, eager.cu") != std::string::npos);
}

void RescoreTest::a_wrong_candidate_stays_wrong() {
    const auto list = rescore(*session_, {.rule = {.margin = 0}});
    QCOMPARE(list->back().after.because, std::string{"so it is"});
}

void RescoreTest::a_copy_gets_the_rewards() {
    const auto list = rescore(*session_, {.rule = {.name = "strict", .margin = 0.2}});
    {
        auto copy = session_->copy_to(path("copy.kwsession"));
        QVERIFY2(copy.has_value(), copy ? "" : copy.error().message.c_str());
        QVERIFY(trajectory::write_rewards(*copy, *list));
    }
    const auto copy = SessionFile::open(path("copy.kwsession"), SessionFile::Access::read);
    QVERIFY2(copy.has_value(), copy ? "" : copy.error().message.c_str());
    QCOMPARE(*copy->steps()->at(0).reward, 2.0);
    QCOMPARE(*session_->steps()->at(0).reward, 3.0);
    QCOMPARE(copy->step(1)->evaluation->at("reward").at("rule"), Json("strict"));
    const auto again = session_->copy_to(path("copy.kwsession"));
    QVERIFY(!again && again.error().message.find("exists already") != std::string::npos);
}

void RescoreTest::a_damaged_evaluation_is_passed_over() {
    for (const char* text :
         {R"([])", R"({"reward":7})", R"({"reward":{"value":"x"}})",
          R"({"reward":{"value":1,"speedups":[3,{"baseline":4}]},"audit":{"findings":[1]},"verify":7})"})
        (void)trajectory::score_facts(Json::parse(text), nullptr);
    QVERIFY(!trajectory::score_facts(Json::parse(R"({"reward":{"value":"x"}})"), nullptr));
}

void RescoreTest::another_tolerance_is_told_of_where_the_errors_tell() {
    task::Task task;
    task.tolerance = {.atol = 1e-3, .rtol = 1e-3};
    task.tensors.resize(2);
    task.tensors[0].name = "y";
    task.tensors[1].name = "n";
    task.tensors[1].type = task::ScalarType::i32;
    const auto facts = [&](Json check, bool right) {
        check["ok"] = right;
        check.emplace("tensor", "y");
        return *trajectory::score_facts(Json{{"compile", {{"ok", true}}},
                                             {"verify", {{"ok", right}, {"checks", {check}}}},
                                             {"reward", {{"value", right ? 1 : -1}}}},
                                        &task);
    };
    const auto passes = [&](const Json& check, bool right, double atol, double rtol) {
        return would_pass(facts(check, right), {.atol = atol, .rtol = rtol});
    };
    const Json close{{"nan", 0}, {"max_abs", 2e-4}, {"max_rel", 5e-2}};
    QCOMPARE(passes(close, true, 2e-4, 0), std::optional{true});
    QCOMPARE(passes(close, true, 0, 5e-2), std::optional{true});
    QCOMPARE(passes(close, true, 1e-2, 1e-2), std::optional{true}); // looser than what it passed
    QCOMPARE(passes(close, true, 1e-4, 1e-2), std::optional<bool>{});
    const Json off{
        {"nan", 0}, {"max_abs", 0.5}, {"max_rel", 0.2}, {"first_mismatch", {{"expected", 2}, {"actual", 2.1}}}};
    QCOMPARE(passes(off, false, 0.5, 0), std::optional{true});
    QCOMPARE(passes(off, false, 1e-2, 1e-2), std::optional{false}); // its first mismatch still is one
    QCOMPARE(passes(off, false, 0.2, 0), std::optional<bool>{});
    QCOMPARE(passes(off, false, 1e-4, 1e-4), std::optional{false}); // stricter than what it failed
    const Json nan{{"nan", 1}, {"max_abs", 0}, {"max_rel", 0}};
    QCOMPARE(passes(nan, false, 1, 1), std::optional{false});
    const Json counted{{"tensor", "n"}, {"nan", 0}, {"max_abs", 1}, {"max_rel", 1}};
    QCOMPARE(passes(counted, false, 9, 9), std::optional{false}); // integers have no tolerance
    auto faulted = facts(off, false);
    faulted.only_values_wrong = false;
    QCOMPARE(would_pass(faulted, {.atol = 9, .rtol = 9}), std::optional{false});

    const trajectory::RescoreOptions loose{.rule = {}, .baseline = {}, .tolerance = task::Tolerance{0.5, 0}};
    QCOMPARE(rescored(facts(off, false), loose)->value, 1.0);
    QVERIFY(!rescored(facts(off, false), {.rule = {}, .baseline = {}, .tolerance = task::Tolerance{0.2, 0}}));
}

QTEST_GUILESS_MAIN(RescoreTest)
#include "test_rescore.moc"
