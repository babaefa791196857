#include "widgets/numbers.h"

#include <QTest>

#include <limits>

using namespace kw::widgets;

class TestNumbers : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void times_data() {
        QTest::addColumn<double>("microseconds");
        QTest::addColumn<QString>("expected");
        QTest::newRow("zero") << 0.0 << QStringLiteral("0 µs");
        QTest::newRow("tiny") << 0.00412 << QStringLiteral("0.00412 µs");
        QTest::newRow("one") << 1.0 << QStringLiteral("1.00 µs");
        QTest::newRow("rounds up a digit") << 9.996 << QStringLiteral("10.0 µs");
        QTest::newRow("usual") << 41.234 << QStringLiteral("41.2 µs");
        QTest::newRow("three digits") << 412.4 << QStringLiteral("412 µs");
        QTest::newRow("just below a millisecond") << 999.4 << QStringLiteral("999 µs");
        QTest::newRow("rounds to a millisecond") << 999.6 << QStringLiteral("1.00 ms");
        QTest::newRow("milliseconds") << 12345.0 << QStringLiteral("12.3 ms");
        QTest::newRow("seconds") << 2.5e6 << QStringLiteral("2.50 s");
        QTest::newRow("not a number") << std::numeric_limits<double>::quiet_NaN() << QStringLiteral("–");
    }
    void times() {
        QFETCH(double, microseconds);
        QFETCH(QString, expected);
        QCOMPARE(format_time_us(microseconds), expected);
    }

    void ratios_and_numbers() {
        QCOMPARE(format_ratio(2.614), QStringLiteral("2.61×"));
        QCOMPARE(format_ratio(0.0414), QStringLiteral("0.0414×"));
        QCOMPARE(format_number(1.5e-9), QStringLiteral("1.50e-09"));
        QCOMPARE(format_number(-0.5), QStringLiteral("-0.500"));
        QCOMPARE(format_number(std::numeric_limits<double>::infinity()), QStringLiteral("∞"));
    }
};

QTEST_APPLESS_MAIN(TestNumbers)
#include "test_numbers.moc"
