#include "engine/timeline/byte_source.h"
#include "engine/timeline/chrome_trace.h"
#include "engine/timeline/json_scanner.h"
#include "engine/timeline/open.h"
#include "engine/timeline/record_parser.h"

#include <QTemporaryDir>
#include <QTest>

#include <fmt/format.h>
#include <zlib.h>

#include <fstream>
#include <map>

using namespace kw;
using namespace kw::timeline;

namespace {

using Opened = Result<std::shared_ptr<const Store>>;

Opened read(std::string text) {
    auto source = memory_source(std::move(text));
    if (!source) return std::unexpected(source.error());
    return read_chrome_trace(std::move(*source));
}

std::string record(const char* name, const std::string& ts, const std::string& dur, int tid = 1,
                   const std::string& more = {}) {
    return fmt::format(R"({{"ph": "X", "cat": "c", "name": "{}", "pid": 1, "tid": {}, "ts": {}, "dur": {}{}}})", name,
                       tid, ts, dur, more);
}

std::string traced(const std::string& events, const std::string& more = {}) {
    return R"({"schemaVersion": 1, "traceEvents": [)" + events + "]" + more + "}";
}

std::string all_warnings(const Store& store) {
    std::string text;
    for (const auto& warning : store.warnings()) text += warning + "\n";
    return text;
}

std::map<std::string, std::pair<Ns, Ns>> spans(const Store& store) {
    std::map<std::string, std::pair<Ns, Ns>> found;
    for (const Lane& lane : store.lanes())
        for (EventId e = lane.first; e < lane.first + lane.count; ++e)
            found[std::string(store.name(e))] = {store.start(e), store.duration(e)};
    return found;
}

std::string gzip(std::string_view text) {
    z_stream stream{};
    deflateInit2(&stream, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
    std::string packed(deflateBound(&stream, text.size()), '\0');
    std::string input(text);
    stream.next_in = reinterpret_cast<unsigned char*>(input.data());
    stream.avail_in = static_cast<unsigned>(input.size());
    stream.next_out = reinterpret_cast<unsigned char*>(packed.data());
    stream.avail_out = static_cast<unsigned>(packed.size());
    deflate(&stream, Z_FINISH);
    packed.resize(stream.total_out);
    deflateEnd(&stream);
    return packed;
}

/// Long enough for several chunks, with what makes guessing their ends hard.
std::string large_trace(int events, bool nested_records) {
    std::string text;
    for (int i = 0; i < events; ++i) {
        const std::string arguments =
            nested_records
                ? ", \"args\": {\"stack\": [{\"name\": \"a\", \"x\": [1, {\"ph\": 2}]}, {\"name\": \"}, {\"}, "
                  "{\"name\": \"\\\"},{\"}]}"
                : fmt::format(", \"args\": {{\"External id\": {}, \"note\": \"a \\\\ and \\\" and }}, {{\"}}", i);
        text +=
            record(fmt::format("name {}", i % 10).c_str(), fmt::format("{}.5", i * 10), "7", i % 3, arguments) + ",\n";
    }
    return traced(text + record("last", "99999999", "1"), R"(, "traceName": "large")");
}

} // namespace

class TestChromeTrace : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void times_are_exact() {
        QCOMPARE(parse_us("1682725898236567.123"), std::optional<Ns>(1682725898236567123));
        QCOMPARE(parse_us("\"12.5\""), std::optional<Ns>(12500));
        QCOMPARE(parse_us("0.0004"), std::optional<Ns>(0));
        QCOMPARE(parse_us("0.0005"), std::optional<Ns>(1));
        QCOMPARE(parse_us("-3"), std::optional<Ns>(-3000));
        QCOMPARE(parse_us("1e3"), std::optional<Ns>(1000000));
        QCOMPARE(parse_us("1.5E-1"), std::optional<Ns>(150));
        for (const char* bad :
             {"", "-", "x", "null", "{", "9223372036854775808", "1e300", "-1e18", "1.5x", "\"\"", ".5"})
            QVERIFY2(!parse_us(bad), bad);
    }

    void both_forms_and_their_metadata() {
        const std::string events = record("outer", "1000", "50") + "," + record("inner", "1010.5", "2.25") + R"(,
            {"name": "process_name", "ph": "M", "pid": 1, "tid": 0, "ts": 0, "args": {"name": "python \u00e9"}},
            {"name": "thread_name", "ph": "M", "pid": 1, "tid": 1, "args": {"name": "main"}},
            {"name": "instant", "ph": "i", "s": "t", "pid": 1, "tid": 1, "ts": 1020},
            {"ph": "C", "name": "memory", "pid": 1, "ts": 1000, "args": {"used": 5, "free": 7.5}},
            {"ph": "C", "name": "memory", "pid": 1, "ts": 1040, "args": {"used": 9}})";
        for (const std::string& text : {traced(events, R"(, "baseTimeNanoseconds": 1700000000000000000)"),
                                        "[" + events + "]", "\xef\xbb\xbf [" + events, "[" + events + ",\n"}) {
            const auto store = read(text);
            QVERIFY2(store, store ? "" : store.error().message.c_str());
            const std::map<std::string, std::pair<Ns, Ns>> expected{
                {"outer", {0, 50000}}, {"inner", {10500, 2250}}, {"instant", {20000, 0}}};
            QVERIFY(spans(**store) == expected);
            QCOMPARE((*store)->groups().size(), 1u);
            QCOMPARE((*store)->groups()[0].label, std::string("python \xc3\xa9 1"));
            QCOMPARE((*store)->lanes()[0].label, std::string("main"));
            QCOMPARE((*store)->lanes()[0].rows.size(), 2u);
            QCOMPARE((*store)->counters().size(), 1u);
            QCOMPARE((*store)->counters()[0].series.size(), 2u);
            QCOMPARE((*store)->epoch().has_value(), text.contains("baseTime"));
        }
        QCOMPARE(*(*read(traced(events, R"(, "baseTimeNanoseconds": 1700000000000000000)")))->epoch(),
                 Ns{1700000000001000000});
    }

    void other_phases() {
        const auto store = read(traced(R"(
            {"ph": "B", "name": "b", "pid": 1, "tid": 1, "ts": 0}, {"ph": "E", "pid": 1, "tid": 1, "ts": 10},
            {"ph": "b", "cat": "io", "id": "0x1", "name": "read", "pid": 1, "tid": 1, "ts": 2},
            {"ph": "b", "cat": "io", "id": "0x2", "name": "write", "pid": 1, "tid": 1, "ts": 3},
            {"ph": "n", "cat": "io", "id": "0x1", "name": "half", "pid": 1, "tid": 1, "ts": 4},
            {"ph": "e", "cat": "io", "id": "0x1", "name": "read", "pid": 1, "tid": 1, "ts": 5},
            {"ph": "e", "cat": "io", "id": "0x2", "name": "write", "pid": 1, "tid": 1, "ts": 6},
            {"ph": "X", "name": "kernel", "pid": 0, "tid": 7, "ts": 20, "dur": 5},
            {"ph": "s", "cat": "ac2g", "name": "ac2g", "id": 5, "pid": 1, "tid": 1, "ts": 1},
            {"ph": "f", "cat": "ac2g", "name": "ac2g", "id": 5, "pid": 0, "tid": 7, "ts": 20, "bp": "e"},
            {"ph": "O", "name": "object", "pid": 1, "tid": 1, "ts": 1})"));
        QVERIFY(store);
        const std::map<std::string, std::pair<Ns, Ns>> expected{{"b", {0, 10000}},
                                                                {"read", {2000, 3000}},
                                                                {"write", {3000, 3000}},
                                                                {"half", {4000, 0}},
                                                                {"kernel", {20000, 5000}}};
        QVERIFY(spans(**store) == expected);
        QCOMPARE((*store)->flows().size(), 1u);
        QCOMPARE((*store)->name((*store)->flows()[0].from), std::string_view("b"));
        QVERIFY(all_warnings(**store).contains("a kind that is not shown"));
    }

    void details_are_read_from_the_source() {
        const std::string text = large_trace(60000, false);
        for (const std::string& form : {text, gzip(text)}) {
            const auto store = read(form);
            QVERIFY(store);
            QCOMPARE((*store)->size(), 60001u);
            for (const EventId e : {EventId{0}, EventId{17}, EventId{20000}, EventId{59000}}) {
                const auto details = (*store)->details(e);
                QVERIFY2(details, details ? "" : details.error().message.c_str());
                std::map<std::string, std::string> found;
                for (const auto& d : *details) found[d.name] = d.value;
                QCOMPARE(found["External id"], std::to_string((*store)->start(e) / 10000));
                QCOMPARE(found["note"], std::string("a \\ and \" and }, {"));
                QCOMPARE(found["pid"], std::string("1"));
            }
        }
    }

    void chunks_that_end_where_they_should_not_are_read_again() {
        const auto store = read(large_trace(70000, true));
        QVERIFY(store);
        QCOMPARE((*store)->size(), 70001u);
        QCOMPARE(all_warnings(**store), std::string());
    }

    void truncated_text_is_read_up_to_there() {
        const std::string text = large_trace(30000, false);
        for (const std::size_t size :
             {text.size() - 1, text.size() - 30, text.size() / 2, text.size() / 2 + 77, std::size_t{400}}) {
            const auto store = read(text.substr(0, size));
            QVERIFY2(store, store ? "" : store.error().message.c_str());
            const double share = static_cast<double>(size) / static_cast<double>(text.size());
            QVERIFY(std::abs(static_cast<double>((*store)->size()) / 30001 - share) < 0.01);
            QVERIFY((*store)->warnings().size() >= 1);
        }
        const std::string packed = gzip(text);
        const auto cut = read(packed.substr(0, packed.size() * 2 / 3));
        QVERIFY(cut && (*cut)->size() > 10000);
        QVERIFY2(all_warnings(**cut).contains("gzip data ends early"), all_warnings(**cut).c_str());
        std::string damaged = packed;
        for (std::size_t i = packed.size() / 2; i < packed.size() / 2 + 40; ++i) damaged[i] = 'x';
        const auto broken = read(damaged);
        QVERIFY(broken && (*broken)->size() > 100);
        QVERIFY(!(*broken)->warnings().empty());
    }

    void odd_records_cost_only_themselves() {
        const auto store = read(
            traced(record("good", "10", "5") + ", 17, null, \"text\", [1, 2], {}," + record("negative", "20", "-5")
                   + "," + record("no time", "\"soon\"", "5") + "," + record("late", "9223372036854775808", "5") + ","
                   + record("long", "30", "9223372036854775807") + "," + record("wrong", "40", "{\"a\": 1}") + ","
                   + R"({"ph": "X", "name": {"a": [1]}, "pid": [1], "tid": {}, "ts": 50, "dur": 1},)"
                   + R"({"ph": 5, "ts": 1}, {"ph": "X", "ts": 60}, {"ph": "C", "name": "c", "ts": 1, "args": "none"},)"
                   + R"({"ph": "C", "name": "c", "ts": 1, "args": {"x": "much"}})"));
        QVERIFY2(store, store ? "" : store.error().message.c_str());
        const auto found = spans(**store);
        QVERIFY(found.contains("good") && found.contains("negative") && found.contains("long")
                && found.contains("wrong"));
        QVERIFY(!found.contains("no time") && !found.contains("late"));
        QCOMPARE(found.at("negative").second, Ns{0});
        const std::string warnings = all_warnings(**store);
        for (const char* said :
             {"4 elements of the array are no events", "no usable \"ts\"", "negative or unusable \"dur\""})
            QVERIFY2(warnings.contains(said), warnings.c_str());
    }

    void bytes_that_are_not_utf8_and_garbage_between_records() {
        const auto latin = read(traced(record("caf\xe9", "1", "1") + "," + record("ok\x01", "2", "1")));
        QVERIFY(latin);
        QCOMPARE((*latin)->size(), 2u);
        QVERIFY(spans(**latin).contains("caf?"));
        const auto garbage = read(traced(record("a", "1", "1") + ", {\"ph\": \"X\", oops}, " + record("b", "2", "1")));
        QVERIFY(garbage);
        QVERIFY(spans(**garbage).contains("a") && spans(**garbage).contains("b"));
        const auto stray = read("[" + record("a", "1", "1") + "} }, " + record("b", "2", "1") + "]");
        QVERIFY(stray && spans(**stray).contains("a"));
        QVERIFY(!(*stray)->warnings().empty());
    }

    void deep_nesting_and_long_strings() {
        const std::string deep = std::string(100000, '[') + std::string(100000, ']');
        const std::string name(3'000'000, 'n'), note(6'000'000, 'x');
        const auto store = read(traced(record("deep", "1", "1", 1, ", \"args\": {\"a\": " + deep + "}") + ","
                                       + record(name.c_str(), "2", "1") + ","
                                       + record("noted", "3", "1", 1, ", \"args\": {\"note\": \"" + note + "\"}") + ","
                                       + record("after", "4", "1")));
        QVERIFY2(store, store ? "" : store.error().message.c_str());
        QCOMPARE((*store)->size(), 4u);
        QVERIFY(all_warnings(**store).contains("very long"));
        for (EventId e = 0; e < 4; ++e) QVERIFY((*store)->details(e));
        // Events nested deeper than there are rows.
        std::string nested;
        for (int i = 0; i < 700; ++i) nested += record("n", std::to_string(i), std::to_string(2000 - 2 * i)) + ",";
        const auto rows = read("[" + nested);
        QVERIFY(rows);
        QCOMPARE((*rows)->lanes()[0].rows.size(), std::size_t{kMostRows});
        QCOMPARE((*rows)->size(), kMostRows);
        QVERIFY(all_warnings(**rows).contains("levels deep"));
    }

    void what_is_no_trace_is_refused_with_a_sentence() {
        const std::map<std::string, const char*> cases{{"", "empty"},
                                                       {"   \n", "empty"},
                                                       {"hello", "begins with"},
                                                       {"{}", "no \"traceEvents\""},
                                                       {R"({"a": [1, 2], "b": {"c": 3}})", "no \"traceEvents\""},
                                                       {R"({"traceEvents": 5})", "no \"traceEvents\""},
                                                       {"{nonsense", "not JSON"},
                                                       {R"({"a" 5})", "':' is missing"},
                                                       {"[1, 2, 3]", "no events"}};
        for (const auto& [text, why] : cases) {
            const auto store = read(text);
            QVERIFY2(!store, text.c_str());
            QVERIFY2(store.error().message.contains(why), store.error().message.c_str());
        }
        const auto empty = read(R"({"traceEvents": []})");
        QVERIFY(empty && (*empty)->empty());
    }

    void files_are_opened_by_what_is_in_them() {
        const QTemporaryDir folder;
        const std::filesystem::path path = folder.filePath(QStringLiteral("t.json")).toStdString();
        std::ofstream(path) << traced(record("a", "1", "1"));
        const auto store = open_trace(path);
        QVERIFY(store && (*store)->size() == 1);
        std::ofstream(path) << "text";
        const auto refused = open_trace(path);
        QVERIFY(!refused && refused.error().message.contains("t.json"));
        QVERIFY(!open_trace(folder.filePath(QStringLiteral("none.json")).toStdString()));
        QVERIFY(!open_trace(folder.path().toStdString()));
        // The file changes after it was opened.
        const auto details = (*store)->details(0);
        QVERIFY(!details && details.error().message.contains("open the trace again"));
    }

    void stopping_stops() {
        std::stop_source stop;
        auto source = memory_source(large_trace(60000, false));
        const auto store =
            read_chrome_trace(std::move(*source), stop.get_token(), [&](double) { stop.request_stop(); });
        QVERIFY(!store);
        QVERIFY(store.error().code == ErrorCode::cancelled);
    }

    void strings_are_unescaped() {
        QCOMPARE(unescape_json("a\\n\\\"\\\\\\/\\u0041\\u00e9\\ud83d\\ude00"),
                 std::string("a\n\"\\/A\xc3\xa9\xf0\x9f\x98\x80"));
        QCOMPARE(unescape_json(R"(\ud83d \q \u12)"), std::string("\xef\xbf\xbd \\q \\u12"));
    }
};

QTEST_APPLESS_MAIN(TestChromeTrace)
#include "test_chrome_trace.moc"
