#include "agent/trajectory/imports.h"
#include "engine/base/file.h"
#include "tests/trajectory/archives.h"

#include <QTemporaryDir>
#include <QtTest/QtTest>

namespace fs = std::filesystem;
using kw::trajectory::ImportOptions;
using kw::trajectory::read_trace_text;

/// Traces that somebody made to do harm, or that came to it: each is refused with one sentence, or read as far as it
/// makes sense.
class HostileTracesTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void is_refused_data();
    void is_refused();
    void is_mended_data();
    void is_mended();
    void a_bomb_is_refused_data();
    void a_bomb_is_refused();
    void a_name_that_leads_out_leads_nowhere();
    void every_beginning_is_answered_data();
    void every_beginning_is_answered();
    void a_failed_import_leaves_nothing();
    void an_import_replaces_nothing();
    void a_stopped_import_leaves_nothing();
};

static std::string deep(std::size_t levels) {
    return R"({"schema_version":"ATIF-v1.7","steps":)" + std::string(levels, '[') + std::string(levels, ']') + "}";
}

static std::string atif(const std::string& message) {
    return R"({"schema_version":"ATIF-v1.7","agent":{"name":"a","version":"1"},"steps":[{"step_id":1,"source":"agent","message":)"
           + message + "}]}";
}

static void check_refused(const kw::Result<kw::trajectory::Trace>& trace, const std::string& says) {
    QVERIFY(!trace.has_value());
    const auto& message = trace.error().message;
    QVERIFY2(message.find(says) != std::string::npos && message.find("trace.x") != std::string::npos, message.c_str());
    QVERIFY2(message.size() < 300 && message.find('\n') == std::string::npos, message.c_str());
}

void HostileTracesTest::is_refused_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("says");
    const auto row = [](const char* name, const std::string& text, const char* says) {
        QTest::newRow(name) << QByteArray::fromStdString(text) << QByteArray(says);
    };
    row("empty", "", "is empty");
    row("blank", " \n\n ", "is empty");
    row("nothing known", R"({"a":1})", "no trace that is known");
    row("a number", "17", "no trace that is known");
    row("text", "hello", "is not JSON");
    row("10^6 levels", deep(1'000'000), "nested too deeply");
    row("10^6 levels, unclosed", std::string(1'000'000, '['), "cut short");
    row("cut short", atif(R"("text)").substr(0, 120), "cut short");
    row("steps of another type", R"({"schema_version":"ATIF-v1.7","steps":{"a":[1]}})", "holds no turn");
    row("steps of numbers", R"({"schema_version":"ATIF-v1.7","steps":[1,null,"x",[],{}]})", "holds no turn");
    row("types of nothing", R"({"trajectory":7,"history":false,"info":[]})", "holds no turn");
    row("samples of nothing", R"({"eval":3,"samples":[{"messages":{"role":"assistant"}},4,null]})", "holds no turn");
    row("a zip of nothing", "PK\5\6" + std::string(18, '\0'), "holds no turn");
    row("half a zip", kw::test::zip_of({{"samples/1.json", "{}"}}, ZIP_CM_DEFLATE).substr(0, 40),
        "damaged or cut short");
    row("only a user",
        R"({"type":"user","uuid":"a","message":{"role":"user","content":"x"}})"
        "\n",
        "holds no turn");
}

void HostileTracesTest::is_refused() {
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, says);
    check_refused(read_trace_text(text.toStdString(), "trace.x", {}), says.toStdString());
}

void HostileTracesTest::is_mended_data() {
    QTest::addColumn<QByteArray>("message");
    QTest::addColumn<QByteArray>("becomes");
    const auto row = [](const char* name, const char* message, const char* becomes) {
        QTest::newRow(name) << QByteArray(message) << QByteArray(becomes);
    };
    row("half a surrogate pair", R"("a\ud800z")", "a\xEF\xBF\xBDz");
    row("the other half", R"("a\udc00")", "a\xEF\xBF\xBD");
    row("both", R"("\ud83d\ude00\ud800")", "\xF0\x9F\x98\x80\xEF\xBF\xBD");
    row("no hexadecimal", R"("\uZZZZ")", "\xEF\xBF\xBDZZZZ");
    row("no UTF-8", "\"a\xFFz\"", "a\xEF\xBF\xBDz");
    row("a control character", "\"a\x01z\"", "a\x01z");
    row("an escape that there is not", R"("\q")", "\\q");
    row("not a number", R"("x","extra":{"reward":NaN,"a":-Infinity,"b":[Infinity]})", "x");
    row("beyond a double", R"("x","extra":{"reward":1e999,"a":-1e999})", "x");
    row("beyond 64 bits", R"("x","metrics":{"prompt_tokens":123456789012345678901234567890})", "x");
    row("twice", R"("x","message":"y")", "x");
    row("another type", R"(["x",5,null,{"type":"image"},{"type":"text","text":"y"}])", "x\n[image]\ny");
}

void HostileTracesTest::is_mended() {
    QFETCH(QByteArray, message);
    QFETCH(QByteArray, becomes);
    const auto trace = read_trace_text(atif(message.toStdString()), "trace.x", {});
    QVERIFY2(trace.has_value(), trace ? "" : trace.error().message.c_str());
    QCOMPARE(trace->turns.size(), std::size_t{1});
    QCOMPARE(trace->turns[0].messages.at(0).content, becomes.toStdString());
    QVERIFY(!trace->turns[0].evaluation);
    QCOMPARE(trace->turns[0].usage.prompt_tokens, std::int64_t{0});
}

void HostileTracesTest::a_bomb_is_refused_data() {
    QTest::addColumn<QByteArray>("archive");
    QTest::addColumn<QByteArray>("says");
    const std::string zeros(std::size_t{8} << 20, ' ');
    const auto row = [](const char* name, const std::string& archive, const char* says) {
        QTest::newRow(name) << QByteArray::fromStdString(archive) << QByteArray(says);
    };
    row("deflate", kw::test::zip_of({{"samples/1.json", zeros}}, ZIP_CM_DEFLATE), "times its size");
    row("zstd", kw::test::zip_of({{"samples/1.json", zeros}}, kw::test::kZstd), "times its size");
    kw::test::ZipWriter large;
    large.add("samples/1.json", "x", 0x1FFFFFFF, 0, ZIP_CM_DEFLATE);
    row("says that it is large", large.finish(), "at most 256");
    // Says that it is small, and is not.
    for (const int method : {int{ZIP_CM_DEFLATE}, kw::test::kZstd}) {
        kw::test::ZipWriter liar;
        liar.add("samples/1.json", kw::test::packed_by(zeros, method), 1000, kw::test::crc_of(zeros), method);
        row(method == kw::test::kZstd ? "says that it is small, zstd" : "says that it is small", liar.finish(),
            "damaged");
    }
    std::string noise(std::size_t{3} << 20, 'x');
    for (std::size_t i = 0; i < noise.size(); i += 97) noise[i] = static_cast<char>('a' + i % 23);
    kw::test::ZipWriter overlapping;
    // One text under many names: much more is unpacked than there is.
    const auto packed = kw::test::packed_by(noise, ZIP_CM_DEFLATE);
    for (int i = 0; i < 400; ++i)
        overlapping.add("samples/" + std::to_string(i) + ".json", packed, static_cast<std::uint32_t>(noise.size()),
                        kw::test::crc_of(noise), ZIP_CM_DEFLATE);
    row("more than a gigabyte in all", overlapping.finish(), "more than 1024 MiB");
}

void HostileTracesTest::a_bomb_is_refused() {
    QFETCH(QByteArray, archive);
    QFETCH(QByteArray, says);
    check_refused(read_trace_text(archive.toStdString(), "trace.x", {}), says.toStdString());
}

void HostileTracesTest::a_name_that_leads_out_leads_nowhere() {
    const std::string sample = R"({"messages":[{"role":"assistant","content":"hi"}]})";
    for (const char* name : {"../samples/1.json", "samples/../../1.json", "/samples/1.json", "samples/a/1.json",
                             "samples\\1.json", "samples/..\\1.json", "samples/.json"})
        check_refused(read_trace_text(kw::test::zip_of({{name, sample}}, ZIP_CM_STORE), "trace.x", {}),
                      "holds no turn");
    QVERIFY(read_trace_text(kw::test::zip_of({{"samples/1.json", sample}}, ZIP_CM_STORE), "trace.x", {}));
}

void HostileTracesTest::every_beginning_is_answered_data() {
    QTest::addColumn<QByteArray>("format");
    for (const auto format : kw::trajectory::kImportFormats)
        QTest::newRow(format.data()) << QByteArray(format.data(), static_cast<qsizetype>(format.size()));
}

void HostileTracesTest::every_beginning_is_answered() {
    QFETCH(QByteArray, format);
    const ImportOptions options{.format = format.toStdString()};
    const std::string text =
        R"({"type":"assistant","uuid":"a","message":{"id":"m","role":"assistant","content":[{"type":"text","text":"hé\u00e9"}]},"samples":[{"messages":[{"role":"assistant","content":"x","tool_calls":[{"id":"1","function":"f","arguments":{"path":"k.cu","content":"y"}}]}]}],"trajectory":[{"action":"edit 1:2\nx\nend_of_edit","observation":"o","state":"{}"}],"steps":[{"source":"agent","message":"m","tool_calls":[{"tool_call_id":"1"}]}]})";
    for (std::size_t size = 0; size <= text.size(); ++size) {
        const auto trace = read_trace_text(text.substr(0, size), "trace.x", options);
        if (!trace)
            QVERIFY(!trace.error().message.empty());
        else
            QVERIFY(!trace->turns.empty());
    }
}

void HostileTracesTest::a_failed_import_leaves_nothing() {
    const QTemporaryDir folder;
    const fs::path path{folder.path().toStdString()};
    QVERIFY(kw::write_file(path / "trace", R"({"a":1})"));
    QVERIFY(!kw::trajectory::import_session(path / "trace", path / "s.kwsession", {}));
    QVERIFY(!kw::trajectory::import_session(path / "none", path / "s.kwsession", {}));
    QVERIFY(!kw::trajectory::import_session(path / "trace", path / "s.kwsession", {.format = "odd"}));
    QCOMPARE(std::distance(fs::directory_iterator{path}, fs::directory_iterator{}), std::ptrdiff_t{1});
}

void HostileTracesTest::an_import_replaces_nothing() {
    const QTemporaryDir folder;
    const fs::path path{folder.path().toStdString()};
    QVERIFY(kw::write_file(path / "trace", atif("\"x\"")));
    const auto done = kw::trajectory::import_session(path / "trace", path / "trace", {});
    QVERIFY(!done && done.error().message.find("exists already") != std::string::npos);
    QCOMPARE(kw::read_file(path / "trace", 1000).value(), atif("\"x\""));
}

void HostileTracesTest::a_stopped_import_leaves_nothing() {
    const QTemporaryDir folder;
    const fs::path path{folder.path().toStdString()};
    QVERIFY(kw::write_file(path / "trace", atif("\"x\"")));
    std::stop_source stop;
    stop.request_stop();
    const auto done = kw::trajectory::import_session(path / "trace", path / "s.kwsession", {.stop = stop.get_token()});
    QVERIFY(!done && done.error().code == kw::ErrorCode::cancelled);
    QVERIFY(!fs::exists(path / "s.kwsession"));
}

QTEST_GUILESS_MAIN(HostileTracesTest)
#include "test_hostile_traces.moc"
