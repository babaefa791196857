// What a GPU gave, kept in tests/data/h200 (tests/gpu/record.py makes it), read by everything that reads such values.
#include "engine/pipeline/evaluation.h"
#include "engine/profile/metrics.h"
#include "engine/profile/report.h"
#include "engine/report/evaluation_text.h"
#include "engine/report/profile_text.h"
#include "engine/timeline/byte_source.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <set>

using namespace kw;

namespace {

namespace fs = std::filesystem;
const fs::path kRoot{KW_SOURCE_FOLDER};
const fs::path kRecorded = kRoot / "tests/data/h200";

std::string unpack(const fs::path& path) {
    const auto source = timeline::open_source(path);
    if (!source) return {};
    std::string text;
    char piece[65536];
    for (;;) {
        const auto got = (*source)->read(piece, sizeof piece);
        if (!got || *got == 0) return text;
        text.append(piece, *got);
    }
}

double metric(const profile::LaunchProfile& launch, const std::string& id) {
    const auto found = launch.metrics.find(id);
    return found == launch.metrics.end() ? std::nan("") : found->second;
}

} // namespace

class TestRecorded : public QObject {
    Q_OBJECT

private slots:
    void every_bundled_candidate_is_there() {
        std::set<std::string> wanted, have;
        for (const auto& task : fs::directory_iterator{kRoot / "resources/tasks"})
            for (const auto& file : fs::directory_iterator{task})
                if (const auto name = file.path().stem().string();
                    file.path().extension() == ".cu" && name.starts_with(task.path().filename().string()))
                    wanted.insert(name);
        for (const auto& file : fs::directory_iterator{kRecorded})
            if (const auto name = file.path().filename().string(); name.ends_with(".json.gz"))
                have.insert(name.substr(0, name.size() - 8));
        QCOMPARE(have.size(), wanted.size());
        QVERIFY(have == wanted);
    }

    void reads_as_what_it_is_data() {
        QTest::addColumn<QString>("file");
        for (const auto& file : fs::directory_iterator{kRecorded})
            if (file.path().filename().string().ends_with(".json.gz"))
                QTest::newRow(file.path().stem().c_str()) << QString::fromStdString(file.path().string());
    }
    void reads_as_what_it_is() {
        QFETCH(QString, file);
        const auto text = unpack(file.toStdString());
        const auto json = Json::parse(text, nullptr, false);
        QVERIFY(json.is_object());
        for (const char* name : {"gpu", "driver", "toolkit", "kernelwright", "commit", "date", "commands"})
            QVERIFY2(json.at("provenance").contains(name), name);

        const auto evaluation = pipeline::evaluation_from_json(json.at("evaluation"));
        QVERIFY2(evaluation.has_value(), evaluation ? "" : evaluation.error().message.c_str());
        QVERIFY(evaluation->ok());
        QCOMPARE(evaluation->device.kind, device::Kind::cuda);
        QVERIFY(evaluation->bench && !evaluation->bench->estimated && evaluation->bench->time.median_us > 0);
        QVERIFY(evaluation->reward && evaluation->reward->value >= 1);
        QVERIFY(!report::render(*evaluation, {}, {}).empty());

        const auto report = profile::report_from_json(json.at("evaluation").at("profile"));
        QVERIFY2(report.has_value(), report ? "" : report.error().message.c_str());
        QVERIFY(!report->estimated && !report->fault);
        QCOMPARE(report->rungs.size(), std::size(profile::kRungs));
        for (const auto& state : report->rungs)
            QVERIFY2(state.state == profile::RungState::State::done, state.reason.c_str());
        check_launches(*report);
        check_times(*report);
        QVERIFY(report::render(*report, {}, {}).find("speed of light") != std::string::npos);
        QVERIFY(to_json(*profile::report_from_json(to_json(*report))) == to_json(*report));
    }

private:
    static void check_launches(const profile::Report& report) {
        int sampled = 0;
        for (const auto& launch : report.launches) {
            QVERIFY(launch.metrics.size() > 80);
            for (const auto& [id, value] : launch.metrics) QVERIFY2(profile::find_metric(id), id.c_str());
            for (const char* id : {"sm_throughput", "l2_throughput", "dram_throughput", "warps_active"}) {
                const double value = metric(launch, id);
                QVERIFY2(value >= 0 && value <= 105, qPrintable(QStringLiteral("%1 %2").arg(id).arg(value)));
            }
            QVERIFY(metric(launch, "duration_us") > 0);
            QVERIFY(metric(launch, "theoretical_occupancy") > 0 && metric(launch, "theoretical_occupancy") <= 100);
            QVERIFY(launch.registers > 0);
            // A kernel may be too short for a sample, and a repeated one has them at its first launch.
            if (launch.instructions.empty()) continue;
            ++sampled;
            const auto in_task = [](const profile::LineProfile& line) {
                return line.line > 0 && line.file.ends_with(".cu");
            };
            QVERIFY(std::ranges::any_of(launch.lines, in_task));
            // A line's samples are those of its instructions.
            double by_line = 0, by_instruction = 0;
            for (const auto& line : launch.lines) by_line += line.values.at("samples");
            for (const auto& each : launch.instructions) by_instruction += each.values.at("samples");
            QCOMPARE(by_line, by_instruction);
        }
        QVERIFY(sampled > 0);
    }

    static void check_times(const profile::Report& report) {
        const auto kernels =
            std::ranges::count(report.activities, profile::Activity::Kind::kernel, &profile::Activity::kind);
        QCOMPARE(static_cast<std::size_t>(kernels) % report.launches.size(), std::size_t{0});
        QVERIFY(kernels > 0);
        for (const auto& activity : report.activities) QVERIFY(activity.end_ns >= activity.start_ns);
        // Samples lie where the last run lies, on the same clock.
        const auto last = std::ranges::max_element(report.activities, {}, [](const auto& each) {
            return each.kind == profile::Activity::Kind::kernel ? each.end_ns : 0;
        });
        QVERIFY(!report.sampling.end_ns.empty());
        QVERIFY(report.sampling.end_ns.front() <= last->end_ns && report.sampling.end_ns.back() >= last->start_ns);
        for (const auto& [id, values] : report.sampling.values) QCOMPARE(values.size(), report.sampling.end_ns.size());
    }
};

QTEST_APPLESS_MAIN(TestRecorded)
#include "test_recorded.moc"
