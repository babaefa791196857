#include "tests/trajectory/export_fixture.h"

#include <QtTest/QtTest>

#include <sstream>

using namespace kw;
using kw::test::ExportFixture;
using kw::test::text_of;
using trajectory::TrainingOptions;

/// Rows for training: which there are and what is in them.
class TrainingRowsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void conversations();
    void only_conversations_that_reach_a_reward();
    void tools_are_those_that_were_offered();
    void labels();
    void pairs_of_one_parent();
    void pairs_of_the_task();
};

static std::vector<Json> rows(const std::string& text) {
    std::vector<Json> list;
    std::istringstream stream{text};
    for (std::string line; std::getline(stream, line);) list.push_back(Json::parse(line));
    return list;
}

static std::string chat(const ExportFixture& fixture, const TrainingOptions& options = {}) {
    return text_of([&](const auto& sink) { return export_chat(fixture.session, options, sink); });
}

static std::string roles(const Json& messages) {
    std::string text;
    for (const auto& message : messages) text += message.at("role").get<std::string>().substr(0, 1);
    return text;
}

void TrainingRowsTest::conversations() {
    const ExportFixture fixture;
    const auto text = chat(fixture);
    const auto list = rows(text);
    QCOMPARE(fixture.check("chat", text), QByteArray::number(static_cast<qulonglong>(list.size())) + "\n");
    QCOMPARE(list.size(), std::size_t{5});
    QCOMPARE(roles(list[0]["messages"]), std::string{"ua"}); // a person's step
    // Steps 2 to 4, whose last two went on in the order of writing.
    QCOMPARE(roles(list[1]["messages"]), std::string{"suattuata"});
    QCOMPARE(list[1]["messages"][2]["tool_calls"].size(), std::size_t{2});
    QCOMPARE(list[1]["messages"][2]["reasoning_content"], Json("hm"));
    QCOMPARE(roles(list[2]["messages"]), std::string{"sua"});
    // The result of a call that is not in it is left out, and somebody has to have asked.
    QCOMPARE(roles(list[3]["messages"]), std::string{"ua"});
    QCOMPARE(roles(list[4]["messages"]), std::string{"ua"});
}

void TrainingRowsTest::only_conversations_that_reach_a_reward() {
    const ExportFixture fixture;
    const auto two = rows(chat(fixture, {.min_reward = 2}));
    QCOMPARE(two.size(), std::size_t{1});
    QCOMPARE(roles(two[0]["messages"]), std::string{"suattuata"});
    const auto three = rows(chat(fixture, {.min_reward = 3}));
    QCOMPARE(three.size(), std::size_t{1});
    QCOMPARE(roles(three[0]["messages"]), std::string{"suattu"});
    QCOMPARE(rows(chat(fixture, {.min_reward = 9})).size(), std::size_t{0});
}

void TrainingRowsTest::tools_are_those_that_were_offered() {
    const ExportFixture fixture;
    const Json edit{{"type", "function"},
                    {"function", {{"name", "edit"}, {"description", "d"}, {"parameters", Json::object()}}}};
    const auto list = rows(chat(fixture, {.tools = {{"edit", edit}, {"other", edit}}}));
    QCOMPARE(list[1]["tools"].size(), std::size_t{2});
    QVERIFY(list[1]["tools"][0] == edit);
    QVERIFY(list[1]["tools"][1]["function"]["parameters"]["properties"].contains("text"));
    QCOMPARE(list[0]["tools"].size(), std::size_t{0});
}

void TrainingRowsTest::labels() {
    const ExportFixture fixture;
    const auto write = [&](std::optional<double> good) {
        return text_of([&](const auto& sink) { return export_kto(fixture.session, {.min_reward = good}, sink); });
    };
    QCOMPARE(fixture.check("kto", write({})), QByteArray{"5\n"});
    std::vector<bool> labels;
    for (const auto& row : rows(write({}))) labels.push_back(row.at("label").get<bool>());
    QCOMPARE(labels, (std::vector<bool>{false, true, false, true, false}));
    QVERIFY(rows(write(1))[0].at("label").get<bool>());
    // What a step began from is in its prompt, and what it made in its completion.
    const auto second = rows(write({}))[1];
    QVERIFY(second["prompt"][0]["content"].get<std::string>().find("line two") != std::string::npos);
    QVERIFY(second["completion"][0]["content"].get<std::string>().find("line 2b") != std::string::npos);
}

void TrainingRowsTest::pairs_of_one_parent() {
    const ExportFixture fixture;
    const auto text = text_of([&](const auto& sink) { return export_dpo(fixture.session, {}, sink); });
    QCOMPARE(fixture.check("dpo", text), QByteArray{"1\n"});
    const auto list = rows(text);
    QVERIFY(list[0]["chosen"][0]["content"].get<std::string>().find("line 2b") != std::string::npos);
    QVERIFY(list[0]["rejected"][0]["content"].get<std::string>().find("]]>") != std::string::npos);
}

void TrainingRowsTest::pairs_of_the_task() {
    const ExportFixture fixture;
    const auto text = text_of(
        [&](const auto& sink) { return export_dpo(fixture.session, {.pairs = TrainingOptions::Pairs::task}, sink); });
    // Step 2 has the highest reward, four others a lower one.
    QCOMPARE(fixture.check("dpo", text), QByteArray{"4\n"});
    for (const auto& row : rows(text))
        QVERIFY(row["prompt"][0]["content"].get<std::string>().find("line 2\n") != std::string::npos);
}

QTEST_GUILESS_MAIN(TrainingRowsTest)
#include "test_training_rows.moc"
