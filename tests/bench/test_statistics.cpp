#include "engine/bench/statistics.h"

#include <QTest>

#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

using namespace kw::bench;

namespace {

std::vector<double> noisy(double center, double spread, std::size_t n, unsigned seed) {
    std::mt19937 engine(seed);
    std::vector<double> samples(n);
    for (auto& sample : samples) sample = center + spread * (static_cast<double>(engine()) / 4294967296.0 - 0.5);
    return samples;
}

/// The textbook bootstrap, against which the order-statistics form is checked.
std::vector<double> plain_bootstrap(const std::vector<double>& samples) {
    std::mt19937 engine(7);
    std::vector<double> medians;
    for (int i = 0; i < 20000; ++i) {
        std::vector<double> drawn(samples.size());
        for (auto& value : drawn) value = samples[engine() % samples.size()];
        medians.push_back(quantile(drawn, 0.5));
    }
    return medians;
}

} // namespace

class TestStatistics : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void quantiles() {
        const std::vector<double> samples{4, 1, 3, 2};
        QCOMPARE(quantile(samples, 0), 1.0);
        QCOMPARE(quantile(samples, 1), 4.0);
        QCOMPARE(quantile(samples, 0.5), 2.5);
        QCOMPARE(quantile(samples, 0.25), 1.75);
        QVERIFY(std::isnan(quantile({}, 0.5)));
        const Summary summary = summarize(std::vector<double>{5});
        QVERIFY((summary == Summary{5, 5, 5, 1}));
    }

    void intervalAgreesWithPlainBootstrap_data() {
        QTest::addColumn<int>("n");
        for (const int n : {3, 10, 11, 40, 101}) QTest::addRow("%d samples", n) << n;
    }

    void intervalAgreesWithPlainBootstrap() {
        QFETCH(int, n);
        const auto samples = noisy(100, 10, static_cast<std::size_t>(n), 3);
        const Interval fast = median_interval(samples, 0.9);
        const auto plain = plain_bootstrap(samples);
        // Both are Monte Carlo over few distinct values, so the ends are compared in probability.
        QVERIFY(quantile(plain, 0.035) <= fast.lo && fast.lo <= quantile(plain, 0.065));
        QVERIFY(quantile(plain, 0.935) <= fast.hi && fast.hi <= quantile(plain, 0.965));
    }

    void coversTheTruth() {
        int covered = 0;
        for (unsigned trial = 0; trial < 200; ++trial) {
            const Interval interval = median_interval(noisy(50, 4, 30, trial), 0.95, trial);
            covered += interval.lo <= 50 && 50 <= interval.hi;
        }
        QVERIFY2(covered >= 175, qPrintable(QString::number(covered)));
    }

    void deterministic() {
        const auto samples = noisy(10, 1, 50, 1);
        QVERIFY(median_interval(samples) == median_interval(samples));
        QVERIFY(ratio_interval(samples, samples) == ratio_interval(samples, samples));
    }

    void ratios() {
        const auto slow = noisy(200, 4, 101, 1), fast = noisy(100, 2, 101, 2);
        const Interval ratio = ratio_interval(slow, fast);
        QVERIFY(ratio.lo > 1.95 && ratio.lo < 2 && ratio.hi > 2 && ratio.hi < 2.05);
        QVERIFY(clears(ratio, 0.05));
        QVERIFY(!clears(ratio, 1.0));
        QVERIFY(!clears(ratio_interval(fast, fast), 0.05));
        QVERIFY((ratio_interval(std::vector<double>{3}, std::vector<double>{2}) == Interval{1.5, 1.5}));
        QVERIFY(!clears(ratio_interval({}, fast), 0.05));
    }

    void noise() {
        QVERIFY(std::isinf(relative_noise(std::vector<double>{1, 1})));
        QCOMPARE(relative_noise(std::vector<double>(20, 3.0)), 0.0);
        const double few = relative_noise(noisy(100, 10, 25, 1)), many = relative_noise(noisy(100, 10, 2500, 1));
        QVERIFY(many < few / 4);
        // Uniform on a width of 10 about 100: the standard error of the median is 10/(2·√n)/100.
        QVERIFY(std::abs(many - 0.001) < 0.0003);
    }

    void hundredThousandSamplesAreQuick() {
        const auto samples = noisy(10, 1, 100000, 1);
        QVERIFY(median_interval(samples).lo > 9.9);
    }

    void json() {
        const Summary summary{1.5, 1.25, 2, 40};
        QVERIFY(summary_from_json(to_json(summary)) == summary);
        QVERIFY((interval_from_json(to_json(Interval{0.5, 2})) == Interval{0.5, 2}));
        const auto text = to_json(Interval{std::nan(""), 1}).dump();
        QVERIFY(std::isnan(interval_from_json(kw::Json::parse(text)).lo));
    }
};

QTEST_APPLESS_MAIN(TestStatistics)
#include "test_statistics.moc"
