#include "engine/profile/expression.h"
#include "engine/profile/metrics.h"

#include <QTest>

#include <algorithm>
#include <map>

using namespace kw;
using namespace kw::profile;

namespace {

std::optional<double> value_of(const char* text, const std::map<std::string, double, std::less<>>& values = {}) {
    const auto expression = Expression::parse(text);
    if (!expression) return std::nullopt;
    return expression->evaluate([&](std::string_view name) -> std::optional<double> {
        const auto at = values.find(name);
        return at == values.end() ? std::nullopt : std::optional{at->second};
    });
}

bool has(const std::vector<const Metric*>& metrics, std::string_view id) {
    return std::ranges::any_of(metrics, [&](const Metric* metric) { return metric->id == id; });
}

} // namespace

class TestMetrics : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void expressions() {
        QCOMPARE(value_of("1 + 2 * 3 - 4 / 2"), 5.0);
        QCOMPARE(value_of("8 - 4 - 2"), 2.0);
        QCOMPARE(value_of("8 / 4 / 2"), 1.0);
        QCOMPARE(value_of("-(1 + 2) * 1e3"), -3000.0);
        QCOMPARE(value_of("a / b", {{"a", 1}, {"b", 4}}), 0.25);
        QCOMPARE(value_of("a / b", {{"a", 1}, {"b", 0}}), std::nullopt);
        QCOMPARE(value_of("a / b", {{"a", 1}}), std::nullopt);
        QCOMPARE(value_of("a? + b?", {{"a", 3}}), 3.0);
        QCOMPARE(value_of("a? + b?"), std::nullopt);
        QCOMPARE(value_of("a + b?", {{"b", 3}}), std::nullopt);
    }

    void malformed_expressions_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("message");
        QTest::newRow("empty") << "" << "a number, a name or '(' was expected at column 1 of ''";
        QTest::newRow("operator") << "1 +" << "a number, a name or '(' was expected at column 4 of '1 +'";
        QTest::newRow("open") << "(1" << "')' was expected at column 3 of '(1'";
        QTest::newRow("two") << "a b" << "an operator was expected at column 3 of 'a b'";
        QTest::newRow("infinite") << "inf" << "";
        QTest::newRow("deep") << QString(1000, QLatin1Char('(')) << "too much is nested";
    }
    void malformed_expressions() {
        QFETCH(QString, text);
        QFETCH(QString, message);
        const auto parsed = Expression::parse(text.toStdString());
        if (message.isEmpty()) {
            QVERIFY(parsed); // a name like any other
            return;
        }
        QVERIFY(!parsed);
        QVERIFY2(QString::fromStdString(parsed.error().message).startsWith(message), parsed.error().message.c_str());
    }

    void what_comes_with_the_program() {
        QVERIFY(metrics().size() > 100);
        for (const auto& metric : metrics()) {
            QVERIFY2(find_metric(metric.id) == &metric, metric.id.c_str());
            // "samples" comes from PC sampling as such.
            QVERIFY2(!metric.names.empty() || !metric.sampled_names.empty() || !metric.formula.empty()
                         || !metric.sim.empty() || metric.id == "samples",
                     metric.id.c_str());
            QVERIFY2(metric.about.ends_with('.'), metric.id.c_str());
            QCOMPARE(metric.over_time, !metric.sampled_names.empty());
        }
        QCOMPARE(find_metric("stall_barrier")->stall, std::string("barrier"));
        QVERIFY(find_metric("no such") == nullptr);
    }

    void sets() {
        const auto basic = select_metrics("basic", {});
        const auto full = select_metrics("full", {});
        QVERIFY(basic && full);
        QCOMPARE(std::ranges::count_if(*basic, [](const Metric* metric) { return !metric->names.empty(); }), 15);
        for (const auto* metric : *basic) QVERIFY2(has(*full, metric->id), metric->id.c_str());
        const auto unknown = select_metrics("everything", {});
        QVERIFY(!unknown);
        QCOMPARE(unknown.error().code, ErrorCode::invalid_input);
        QVERIFY(unknown.error().message.find("basic and full") != std::string::npos);
    }

    void named_ones_bring_their_operands() {
        const std::vector<std::string> ids{"intensity_dram"};
        const auto chosen = select_metrics("full", ids);
        QVERIFY(chosen);
        for (const auto* id : {"intensity_dram", "flops", "ffma", "dram_read_bytes", "flops_tensor_bf16"})
            QVERIFY2(has(*chosen, id), id);
        QVERIFY(!has(*chosen, "l2_hit_rate"));
        const std::vector<std::string> wrong{"dram_thruput"};
        const auto refused = select_metrics("full", wrong);
        QVERIFY(!refused);
        QCOMPARE(refused.error().stage, Stage::usage);
        QVERIFY2(refused.error().message.find("did you mean 'dram_throughput'?") != std::string::npos,
                 refused.error().message.c_str());
    }

    void derives_through_several_formulas() {
        std::map<std::string, double> values{{"fadd", 10},
                                             {"fmul", 20},
                                             {"ffma", 30},
                                             {"hadd", 0},
                                             {"hmul", 0},
                                             {"hfma", 0},
                                             {"dadd", 0},
                                             {"dmul", 0},
                                             {"dfma", 0},
                                             {"tensor_fp16_to_fp32", 1000},
                                             {"dram_read_bytes", 300},
                                             {"dram_write_bytes", 200},
                                             {"duration_ns", 2000}};
        derive(values);
        QCOMPARE(values.at("flops_fp32"), 90.0);
        QCOMPARE(values.at("flops_tensor"), 1000.0);
        QCOMPARE(values.at("flops"), 1090.0);
        QCOMPARE(values.at("duration_us"), 2.0);
        QCOMPARE(values.at("flop_rate"), 1090 / 2000.0 * 1e9);
        QCOMPARE(values.at("intensity_dram"), 1090 / 500.0);
        QVERIFY(!values.contains("intensity_l2"));
        QVERIFY(!values.contains("local_bytes"));
    }

    void keeps_what_was_measured() {
        std::map<std::string, double> values{{"flops_fp32", 7}, {"fadd", 1}, {"fmul", 1}, {"ffma", 1}};
        derive(values);
        QCOMPARE(values.at("flops_fp32"), 7.0);
    }

    void simulators_events() {
        const std::map<std::string, double, std::less<>> events{
            {"global_load_requests", 10},  {"global_load_sectors", 80},  {"warp_instructions", 100},
            {"thread_instructions", 3200}, {"shared_bank_conflicts", 0}, {"branches", 4},
            {"divergent_branches", 1},     {"estimated_us", 5}};
        const auto launch = simulated(events, false);
        QCOMPARE(launch.at("sectors_per_load"), 8.0);
        QCOMPARE(launch.at("threads_per_instruction"), 32.0);
        QCOMPARE(launch.at("branch_uniformity"), 75.0);
        QCOMPARE(launch.at("duration_ns"), 5000.0);
        QCOMPARE(launch.at("shared_bank_conflicts"), 0.0);
        const auto line = simulated(events, true);
        QCOMPARE(line.at("sectors_per_load"), 8.0);
        QVERIFY(!line.contains("duration_ns"));
        QVERIFY(!line.contains("shared_bank_conflicts"));
    }

    void malformed_lists_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("message");
        const QString good =
            QStringLiteral("[[metric]]\nid=\"a\"\nlabel=\"A\"\nunit=\"\"\ngroup=\"memory\"\nabout=\"A.\"\n");
        QTest::newRow("syntax") << "[[metric]" << "is not TOML";
        QTest::newRow("none") << "x = 1" << "has no [[metric]]";
        QTest::newRow("id") << "[[metric]]\nlabel = 1\n" << "'id' is not a text";
        QTest::newRow("twice") << good + good << "the metric 'a' is declared twice";
        QTest::newRow("group") << QString(good).replace(QLatin1String("memory"), QLatin1String("mem"))
                               << "'group' cannot be 'mem'";
        QTest::newRow("set") << good + "sets = [\"all\"]" << "'sets' cannot be 'all'";
        QTest::newRow("names") << good + "names = [1]" << "'names' holds something else than texts";
        QTest::newRow("unknown") << good + "colour = \"red\"" << "'colour' is unknown";
        QTest::newRow("formula") << good + "formula = \"1 +\"" << "'formula': a number";
        QTest::newRow("operand") << QString(good).replace(QLatin1String("\"a\""), QLatin1String("\"bytes\""))
                                        + "formula = \"byte\""
                                 << "names 'byte', which is no metric; did you mean 'bytes'?";
    }
    void malformed_lists() {
        QFETCH(QString, text);
        QFETCH(QString, message);
        const auto parsed = parse_metrics(text.toStdString(), "m.toml");
        QVERIFY(!parsed);
        QCOMPARE(parsed.error().where.file, std::string("m.toml"));
        QVERIFY2(QString::fromStdString(parsed.error().message).contains(message), parsed.error().message.c_str());
    }
};

QTEST_APPLESS_MAIN(TestMetrics)
#include "test_metrics.moc"
