#include "agent/trajectory/lesson.h"

#include <QtTest/QtTest>

using namespace kw;
using namespace kw::trajectory;

class LessonTest : public QObject {
    Q_OBJECT
    static Step timed(double median_us, std::optional<bool> correct = true) {
        Step step;
        step.summary.median_us = median_us;
        step.summary.correct = correct;
        return step;
    }
private Q_SLOTS:
    void a_step_is_asked_about_by_what_is_known_of_it() {
        const auto right = [](double before, double after) {
            const auto asked = questions_about(timed(after), timed(before));
            return asked.empty() ? std::string("nothing") : asked[0].choices[asked[0].right];
        };
        QCOMPARE(right(10, 20), std::string("slower"));
        QCOMPARE(right(10, 10.2), std::string("about the same (within 5 %)"));
        QCOMPARE(right(12, 10), std::string("up to 1.5× faster"));
        QCOMPARE(right(20, 10), std::string("1.5× to 3× faster"));
        QCOMPARE(right(50, 10), std::string("more than 3× faster"));
        QCOMPARE(right(50, 0), std::string("nothing"));
        const auto wrong = questions_about(timed(5, false), timed(10));
        QCOMPARE(wrong.size(), std::size_t{1});
        QCOMPARE(wrong[0].choices[wrong[0].right], std::string("its results are wrong"));
        auto estimated = timed(5);
        estimated.summary.estimated = true;
        QVERIFY(questions_about(estimated, timed(10)).empty()); // beside a measurement
    }

    void the_longest_launch_says_what_limits() {
        const auto right = [](const char* launches) {
            auto step = timed(5);
            step.evaluation = Json{{"profile", {{"launches", Json::parse(launches)}}}};
            const auto asked = questions_about(step, timed(10));
            return asked.size() < 2 ? std::string("nothing") : asked[1].choices[asked[1].right];
        };
        QCOMPARE(right(R"([{"limited_by": "DRAM", "metrics": {"duration_ns": 10}},
                           {"limited_by": "shared memory", "metrics": {"duration_ns": 90}}, 7])"),
                 std::string("L1 and shared memory"));
        const char* measured = R"([{"metrics": {"duration_ns": 10, "sm_throughput": 20, "l1_throughput": 30,
                                   "l2_throughput": 40, "dram_throughput": %1}}])";
        QCOMPARE(right(QString::fromLatin1(measured).arg(91).toUtf8().constData()), std::string("DRAM bandwidth"));
        QVERIFY(right(QString::fromLatin1(measured).arg(41).toUtf8().constData()).starts_with("latency"));
        // Not all of them were counted.
        QCOMPARE(right(R"([{"metrics": {"duration_ns": 10, "sm_throughput": 99}}])"), std::string("nothing"));
        QCOMPARE(right("7"), std::string("nothing"));
    }

    void questions_are_kept_as_they_were_written() {
        const Questions questions{{3, {{"Why?", {"so", "else"}, 1, "because"}, {"What?", {"a", "b"}, 0, ""}}},
                                  {9, {{"?", {"x", "y"}, 0, ""}}}};
        const auto again = questions_from(to_text(questions));
        QVERIFY(again.has_value());
        QCOMPARE(*again, questions);
        QVERIFY(questions_from("")->empty());
        for (const char* text : {"7", "{}", R"({"questions": {"x": []}})", R"({"questions": {"1": [{"text": 3}]}})",
                                 R"({"questions": {"1": [{"text": "q", "choices": ["a"], "right": 4}]}})"}) {
            const auto read = questions_from(text);
            QVERIFY2(!read && read.error().message.find("cannot be read") != std::string::npos, text);
        }
    }

    void a_draft_reads_as_it_is_written() {
        const Question question{"Which is faster?", {"this", "that"}, 1, "It moves fewer bytes."};
        QCOMPARE(*question_from_draft(to_draft(question)), question);
        const auto why = [](const char* draft) { return question_from_draft(draft).error().message; };
        QVERIFY(why("").find("begins with") != std::string::npos);
        QVERIFY(why("What?\n* only").find("two choices") != std::string::npos);
        QVERIFY(why("What?\n- a\n- b").find("'* '") != std::string::npos);
        QVERIFY(why("What?\n* a\n* b").find("only one") != std::string::npos);
    }
};

QTEST_APPLESS_MAIN(LessonTest)
#include "test_lesson_questions.moc"
