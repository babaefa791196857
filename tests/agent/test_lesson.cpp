#include "agent/drivers/lesson.h"
#include "tests/agent/session_fixture.h"

#include <QTest>

#include <fstream>

using namespace kw;
using namespace kw::agent;

namespace {

constexpr const char* kLesson = R"(task = "t"
[[step]]
file = "1.cu"
title = "one"
thought = "first"
[[step]]
file = "2.cu"
title = "two"
thought = "second"
expect = "wrong"
[[step]]
file = "3.cu"
title = "three"
thought = "third"
parent = "1.cu"
configuration = { BLOCK = 64 }
)";

class Folder {
public:
    void write(const std::string& name, const std::string& text) const { std::ofstream{path() / name} << text; }
    [[nodiscard]] std::filesystem::path path() const { return folder_.path().toStdString(); }

private:
    QTemporaryDir folder_;
};

Folder folder_of(const std::string& lesson) {
    Folder folder;
    folder.write("lesson.toml", lesson);
    for (const auto* name : {"1", "2", "3"}) folder.write(std::string{name} + ".cu", name);
    return folder;
}

/// Line and message of what is wrong with a lesson.
std::string problem(const std::string& lesson) {
    const auto folder = folder_of(lesson);
    const auto read = read_lesson(folder.path());
    if (read) return "none";
    return std::to_string(read.error().where.line) + ": " + read.error().message;
}

std::string with(std::string text, const std::string& what, const std::string& instead) {
    return text.replace(text.find(what), what.size(), instead);
}

} // namespace

class TestLesson : public QObject {
    Q_OBJECT

private slots:
    void reads_all_of_a_lesson() {
        const auto folder = folder_of(kLesson);
        const auto lesson = read_lesson(folder.path());
        QVERIFY2(lesson, lesson ? "" : lesson.error().message.c_str());
        QCOMPARE(lesson->task, std::string{"t"});
        QCOMPARE(lesson->steps.size(), std::size_t{3});
        QVERIFY(!lesson->steps[0].parent);
        QCOMPARE(lesson->steps[1].parent, std::optional<std::size_t>{0});
        QCOMPARE(lesson->steps[2].parent, std::optional<std::size_t>{0});
        QCOMPARE(lesson->steps[1].source, std::string{"2"});
        QVERIFY(lesson->steps[1].expectation == Expectation::wrong);
        QCOMPARE(lesson->steps[2].configuration.at("BLOCK"), 64);
        QVERIFY(read_lesson(folder.path() / "lesson.toml"));
    }

    void says_what_is_wrong_and_where() {
        QCOMPARE(problem(kLesson), std::string{"none"});
        QVERIFY(problem("task = \"t\"\n").starts_with("1: the lesson has no step"));
        QVERIFY(problem(with(kLesson, "title = \"one\"", "")).find("a step lacks 'title'") != std::string::npos);
        QVERIFY(
            problem(with(kLesson, "3.cu", "../3.cu")).starts_with("12: '../3.cu' is no file of the lesson's folder"));
        QVERIFY(problem(with(kLesson, "3.cu", "4.cu")).starts_with("12: "));
        QVERIFY(problem(with(kLesson, "parent = \"1.cu\"", "parent = \"3.cu\""))
                    .starts_with("15: '3.cu' is no file of an earlier"));
        QVERIFY(problem(with(kLesson, "\"wrong\"", "\"fast\"")).starts_with("10: 'fast' is no expectation"));
        QVERIFY(problem(with(kLesson, "expect", "expects")).find("expects") != std::string::npos);
        QVERIFY(problem(with(kLesson, "64 }", "\"64\" }")).starts_with("16: "));
        QVERIFY(problem("task = ").starts_with("1: "));
        const Folder empty;
        QVERIFY(!read_lesson(empty.path()));
    }

    void writes_its_steps_as_a_tree() {
        const auto folder = folder_of(kLesson);
        LessonDriver driver{read_lesson(folder.path()).value()};
        const test::SessionFolder place;
        auto session = place.create().value();
        std::vector<task::Sizes> configurations;
        const auto evaluate = [&](const task::Files&, const pipeline::Options& options, std::stop_token,
                                  const pipeline::Progress&) -> Result<Json> {
            configurations.push_back(options.configuration);
            return *test::step("", configurations.size() == 2 ? -1 : 2, 2, 10).evaluation;
        };
        Control control;
        const auto result = run(session, driver, evaluate, {.files = {{"k.cu", "text"}}, .file = "k.cu"}, control, {});
        QVERIFY(result);
        QVERIFY(result->end == End::no_more);
        const auto steps = test::steps_of(session);
        QCOMPARE(steps.size(), std::size_t{3});
        QVERIFY(!steps[0].parent);
        QCOMPARE(steps[1].parent, std::optional{steps[0].id});
        QCOMPARE(steps[2].parent, std::optional{steps[0].id});
        for (const auto& step : steps) QCOMPARE(step.driver, std::string{"lesson"});
        const auto last = session.step(steps[2].id).value();
        QCOMPARE(last.thought, std::string{"third"});
        QCOMPARE(last.source, std::string{"3"});
        QCOMPARE(configurations[2].at("BLOCK"), 64);
    }
};

QTEST_APPLESS_MAIN(TestLesson)
#include "test_lesson.moc"
