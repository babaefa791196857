#include "engine/base/json.h"
#include "tests/cli/task_folder.h"

#include <QTemporaryDir>
#include <QTest>

#include <fstream>

using kw::Json;
using kw::test::run_kw;

/// The commands that need no task: what a trace holds, how many blocks fit.
class TestInspect : public QObject {
    Q_OBJECT

    static std::string write(const QTemporaryDir& folder, const char* name, const char* text) {
        const std::string path = folder.filePath(QLatin1String(name)).toStdString();
        std::ofstream(path) << text;
        return path;
    }

private Q_SLOTS:
    void a_trace_is_summed_up() {
        const QTemporaryDir folder;
        const auto path = write(folder, "t.json", R"([
            {"ph": "M", "name": "thread_name", "pid": 1, "tid": 7, "args": {"name": "stream 7"}},
            {"ph": "X", "name": "softmax", "pid": 1, "tid": 7, "ts": 0, "dur": 30},
            {"ph": "X", "name": "softmax", "pid": 1, "tid": 7, "ts": 50, "dur": 10},
            {"ph": "X", "name": "copy", "pid": 1, "tid": 8, "ts": 90, "dur": 10},
            {"ph": "C", "name": "memory", "pid": 1, "ts": 5, "args": {"used": 12}}])");
        const auto text = run_kw({"timeline", path});
        QVERIFY(text);
        QVERIFY2(text->status == (kw::ExitStatus{0, 0}), text->errors.c_str());
        for (const char* part : {"3 events", "over 100 µs", "stream 7", "40.0 %", "softmax", "20.0 µs"})
            QVERIFY2(text->output.find(part) != std::string::npos, (part + (": " + text->output)).c_str());
        const auto answer = run_kw({"timeline", path, "--json"});
        QVERIFY(answer);
        const auto json = Json::parse(answer->output);
        QCOMPARE(json.at("span_ns").get<std::int64_t>(), std::int64_t{100'000});
        QCOMPARE(json.at("events").get<int>(), 3);
        QCOMPARE(json.at("names").at(0).at("name").get<std::string>(), std::string("softmax"));
        QCOMPARE(json.at("names").at(0).at("total_ns").get<std::int64_t>(), std::int64_t{40'000});
        QCOMPARE(json.at("counters").at(0).at("most").get<double>(), 12.0);
        double busy = 0;
        for (const auto& lane : json.at("lanes")) busy += lane.at("busy_share").get<double>();
        QVERIFY(std::abs(busy - 0.5) < 1e-9);
        QVERIFY(json.at("warnings").empty());
    }

    void a_cut_trace_is_summed_up_with_a_warning() {
        const QTemporaryDir folder;
        const auto path = write(
            folder, "t.json", "[{\"ph\": \"X\", \"name\": \"a\", \"pid\": 1, \"tid\": 1, \"ts\": 0, \"dur\": 3}, {\"p");
        const auto text = run_kw({"timeline", path});
        QVERIFY(text);
        QCOMPARE(text->status, (kw::ExitStatus{0, 0}));
        QVERIFY(text->output.starts_with("1 event on 1 lane and 0 counters"));
        QVERIFY2(text->errors.find("kw: warning: ") == 0, text->errors.c_str());
        const auto json = Json::parse(run_kw({"timeline", path, "--json"})->output);
        QCOMPARE(json.at("warnings").size(), std::size_t{1});
    }

    void what_is_no_trace_is_refused() {
        const QTemporaryDir folder;
        for (const auto& path :
             {write(folder, "t.json", "nothing"), folder.filePath(QStringLiteral("none")).toStdString()}) {
            const auto refused = run_kw({"timeline", path});
            QVERIFY(refused);
            QVERIFY2(refused->status == (kw::ExitStatus{2, 0}) || refused->status == (kw::ExitStatus{3, 0}),
                     to_string(refused->status).c_str());
            QVERIFY(refused->errors.find(path) != std::string::npos);
            QVERIFY(refused->output.empty());
        }
    }

    void occupancy_is_told() {
        const auto text = run_kw({"occupancy", "--block", "256", "--registers", "91", "--shared", "8448"});
        QVERIFY(text);
        QVERIFY2(text->output.find("NVIDIA H200: 25 % occupancy, 16 of 64 warps, 2 blocks per SM, limited by registers")
                     == 0,
                 text->output.c_str());
        const auto answer = run_kw(
            {"occupancy", "--device", "sm_75", "--block", "64", "--registers", "16", "--shared", "16384", "--json"});
        QVERIFY(answer);
        const auto json = Json::parse(answer->output);
        QCOMPARE(json.at("blocks_per_sm").get<int>(), 4);
        QCOMPARE(json.at("limited_by").get<std::string>(), std::string("shared memory"));
        QCOMPARE(json.at("blocks_allowed_by").at("warps").get<int>(), 16);
        QCOMPARE(json.at("curves").at("block").at("at").size(), std::size_t{32});
        QCOMPARE(json.at("curves").at("registers").at("occupancy").at(15).get<double>(),
                 json.at("occupancy").get<double>());
        // A data sheet, and a device that not even a worker knows.
        QCOMPARE(run_kw({"occupancy", "--device", "sim:rtx4090"})->status, (kw::ExitStatus{0, 0}));
        const auto unknown = run_kw({"occupancy", "--device", "cuda:77"});
        QVERIFY(unknown);
        QCOMPARE(unknown->status, (kw::ExitStatus{2, 0}));
        QVERIFY(unknown->errors.find("there is no device cuda:77") != std::string::npos);
        for (const auto& [arguments, says] : std::vector<std::pair<std::vector<std::string>, std::string>>{
                 {{"--block", "1025"}, "at most 1024"},
                 {{"--registers", "256"}, "at most 255"},
                 {{"--shared", "999999"}, "for a block"},
                 {{"--device", "sm_999"}, "no device sm_999"}}) {
            auto command = arguments;
            command.insert(command.begin(), "occupancy");
            const auto refused = run_kw(command);
            QVERIFY2(refused->status == (kw::ExitStatus{2, 0}) && refused->errors.find(says) != std::string::npos,
                     (refused->output + refused->errors).c_str());
        }
        QCOMPARE(run_kw({"occupancy", "--block", "0"})->status, (kw::ExitStatus{2, 0}));
    }
};

QTEST_APPLESS_MAIN(TestInspect)
#include "test_inspect.moc"
