#include "engine/timeline/chrome_trace.h"
#include "tests/trajectory/export_fixture.h"

#include <QtTest/QtTest>

using namespace kw;
using kw::test::ExportFixture;
using kw::test::text_of;

/// Forms for people and viewers, each read by somebody else.
class ExportsTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void atif_is_as_published();
    void the_timeline_opens();
    void the_page_is_whole_and_escaped();
    void an_empty_session_is_exported();
    void a_sink_that_is_full_is_told();
};

void ExportsTest::atif_is_as_published() {
    const ExportFixture fixture;
    const auto text = text_of([&](const auto& sink) { return export_atif(fixture.session, sink); });
    QCOMPARE(fixture.check("atif", text), QByteArray{"8\n"});
    // The check can fail.
    auto wrong = text;
    wrong.replace(wrong.find("\"source\":\"agent\""), 16, "\"source\":\"robot\"");
    QVERIFY(fixture.check("atif", wrong).contains("robot"));
}

void ExportsTest::the_timeline_opens() {
    const ExportFixture fixture;
    const auto text = text_of([&](const auto& sink) { return export_chrome(fixture.session, sink); });
    // A name of the process and three of lanes, steps, calls, stages, rewards.
    QCOMPARE(fixture.check("chrome", text), QByteArray{"34\n"});
    const auto store = timeline::read_chrome_trace(timeline::memory_source(text).value());
    QVERIFY(store.has_value());
    QVERIFY((*store)->warnings().empty());
    std::map<std::string, std::uint32_t> lanes;
    for (const auto& lane : (*store)->lanes()) lanes[lane.label] += lane.count;
    QCOMPARE((*store)->lanes().size(), std::size_t{3});
    std::uint32_t events = 0;
    for (const auto& [label, count] : lanes) events += count;
    // Seven steps, three calls, three stages of five evaluations.
    QCOMPARE(events, std::uint32_t{7 + 3 + 15});
    QCOMPARE((*store)->counters().size(), std::size_t{1});
    QCOMPARE((*store)->epoch().value_or(0), timeline::Ns{1'700'000'000'000'000'000});
}

void ExportsTest::the_page_is_whole_and_escaped() {
    const ExportFixture fixture;
    const auto page = text_of([&](const auto& sink) { return export_html(fixture.session, sink); });
    QCOMPARE(fixture.check("html", page), QByteArray{"7\n"});
    QVERIFY(page.find("<img") == std::string::npos);
    QVERIFY(page.find("<svg") != std::string::npos);
    QVERIFY(page.find("<del>-line 2</del><ins>+line two</ins>") != std::string::npos);
    QVERIFY(page.find("What the source was is not known") != std::string::npos);
    QVERIFY(page.find("prefers-color-scheme:dark") != std::string::npos);
    QCOMPARE(first_invalid_utf8(page), std::string::npos);
    QVERIFY(fixture.check("html", page + "<script>").contains("script"));
}

void ExportsTest::an_empty_session_is_exported() {
    const ExportFixture fixture;
    const auto session = trajectory::SessionFile::create(fixture.path("e.kwsession"), {}, "empty").value();
    QCOMPARE(fixture.check("atif", text_of([&](const auto& sink) { return export_atif(session, sink); })),
             QByteArray{"1\n"});
    QCOMPARE(fixture.check("html", text_of([&](const auto& sink) { return export_html(session, sink); })),
             QByteArray{"0\n"});
    QCOMPARE(fixture.check("chrome", text_of([&](const auto& sink) { return export_chrome(session, sink); })),
             QByteArray{"4\n"});
    QVERIFY(text_of([&](const auto& sink) { return export_chat(session, {}, sink); }).empty());
    QVERIFY(text_of([&](const auto& sink) { return export_dpo(session, {}, sink); }).empty());
}

void ExportsTest::a_sink_that_is_full_is_told() {
    const ExportFixture fixture;
    std::size_t pieces = 0;
    const trajectory::Sink full = [&pieces](std::string_view) -> Result<void> {
        if (++pieces < 3) return {};
        return fail(Stage::environment, ErrorCode::invalid_input, "full");
    };
    for (const auto& write : std::vector<std::function<Result<void>()>>{
             [&] { return export_atif(fixture.session, full); }, [&] { return export_chrome(fixture.session, full); },
             [&] { return export_html(fixture.session, full); }, [&] { return export_chat(fixture.session, {}, full); },
             [&] { return export_kto(fixture.session, {}, full); }}) {
        pieces = 0;
        const auto done = write();
        QVERIFY(!done && done.error().message == "full");
        QCOMPARE(pieces, std::size_t{3});
    }
}

QTEST_GUILESS_MAIN(ExportsTest)
#include "test_exports.moc"
