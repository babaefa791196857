// Holds the names in resources/profile/metrics.toml against CUPTI itself, whose host side needs no GPU.
#include "engine/profile/cupti/host.h"

#include <QTest>

#include <algorithm>
#include <string>
#include <vector>

using namespace kw;
using namespace kw::cupti;

namespace {

std::string ids(const std::vector<const profile::Metric*>& metrics) {
    std::string list;
    for (const auto* metric : metrics) list += metric->id + " ";
    return list;
}

} // namespace

class TestMetricNames : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        auto opened = open_cupti("");
        if (!opened) QSKIP(opened.error().message.c_str());
        // Closing it would take libnvperf_host along, which does not like that.
        api_ = new CuptiApi{std::move(*opened)};
        if (!api_->has_counters()) QSKIP("this CUPTI is older than 12.6");
    }

    void basic_set_data() { chips(); }
    void basic_set() {
        QFETCH(QString, chip);
        QFETCH(int, basic_passes);
        const auto made = configured(chip, "basic");
        QVERIFY2(made.has_value(), made ? "" : made.error().message.c_str());
        QVERIFY2(made->missing.empty(), ids(made->missing).c_str());
        qInfo("%s basic: %zu metrics, %zu passes", qPrintable(chip), made->names.size(), made->passes);
        QVERIFY(made->passes > 0 && made->passes <= static_cast<std::size_t>(basic_passes));
    }

    void full_set_data() { chips(); }
    void full_set() {
        QFETCH(QString, chip);
        QFETCH(int, full_passes);
        QFETCH(int, full_missing);
        const auto made = configured(chip, "full");
        QVERIFY2(made.has_value(), made ? "" : made.error().message.c_str());
        qInfo("%s full: %zu metrics, %zu passes, missing %s", qPrintable(chip), made->names.size(), made->passes,
              ids(made->missing).c_str());
        QVERIFY2(made->missing.size() <= static_cast<std::size_t>(full_missing), ids(made->missing).c_str());
        QVERIFY(made->passes > 0 && made->passes <= static_cast<std::size_t>(full_passes));
    }

    void sampled_in_one_pass_data() { chips(); }
    void sampled_in_one_pass() {
        QFETCH(QString, chip);
        QFETCH(int, sampled);
        std::vector<const profile::Metric*> wanted;
        for (const auto& metric : profile::metrics())
            if (metric.over_time) wanted.push_back(&metric);
        QVERIFY(!wanted.empty());
        const auto made = configure_single_pass(*api_, kPmSampler, chip.toStdString(), wanted);
        QVERIFY2(made.has_value(), made ? "" : made.error().message.c_str());
        qInfo("%s sampled: %s missing %s", qPrintable(chip), ids(made->metrics).c_str(), ids(made->missing).c_str());
        QCOMPARE(made->passes, std::size_t{1});
        QVERIFY(made->metrics.size() >= static_cast<std::size_t>(sampled));
    }

    void names_that_no_chip_has_are_told() {
        profile::Metric invented;
        invented.id = "invented";
        invented.names = {"sm__no_such_thing.sum"};
        const std::vector<const profile::Metric*> wanted{&invented};
        const auto made = configure(*api_, kRangeProfiler, "GH100", wanted);
        QVERIFY(made.has_value());
        QVERIFY(made->names.empty());
        QCOMPARE(ids(made->missing), std::string{"invented "});
    }

    void chips_that_do_not_exist_are_told() {
        const auto made = configure(*api_, kRangeProfiler, "ZZ999", {});
        QVERIFY(!made.has_value());
        QVERIFY(made.error().message.find("ZZ999") != std::string::npos);
    }

private:
    static void chips() {
        QTest::addColumn<QString>("chip");
        QTest::addColumn<int>("basic_passes");
        QTest::addColumn<int>("full_passes");
        QTest::addColumn<int>("full_missing");
        QTest::addColumn<int>("sampled");
        QTest::newRow("H100, H200") << QStringLiteral("GH100") << 12 << 60 << 6 << 6;
        QTest::newRow("A100") << QStringLiteral("GA100") << 12 << 60 << 10 << 3;
        QTest::newRow("RTX 4090") << QStringLiteral("AD102") << 12 << 60 << 10 << 3;
        QTest::newRow("RTX 5090") << QStringLiteral("GB202") << 12 << 60 << 10 << 3;
    }

    Result<Configuration> configured(const QString& chip, const char* set) {
        const auto chosen = profile::select_metrics(set, {});
        if (!chosen) return std::unexpected(chosen.error());
        return configure(*api_, kRangeProfiler, chip.toStdString(), *chosen);
    }

    const CuptiApi* api_ = nullptr;
};

QTEST_APPLESS_MAIN(TestMetricNames)
#include "test_metric_names.moc"
