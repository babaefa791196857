#include "engine/task/expression.h"

#include <QTest>

#include <limits>

using namespace kw::task;

namespace {

const Sizes kNames{{"n", 1000}, {"m", 7}, {"zero", 0}, {"least", std::numeric_limits<std::int64_t>::min()}};

QString value_of(const std::string& text) {
    auto parsed = Expression::parse(text, kw::Where{"f", 3, 10});
    if (!parsed)
        return QStringLiteral("parse %1: %2").arg(parsed.error().where.column).arg(parsed.error().message.c_str());
    auto value = parsed->evaluate(kNames);
    if (!value)
        return QStringLiteral("value %1: %2").arg(value.error().where.column).arg(value.error().message.c_str());
    return QString::number(*value);
}

} // namespace

class TestExpression : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void evaluates_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char* text, const char* expected) {
            QTest::newRow(text) << QString::fromUtf8(text) << QString::fromUtf8(expected);
        };
        row("42", "42");
        row("0x1F", "31");
        row("1 + 2 * 3", "7");
        row("(1 + 2) * 3", "9");
        row("10 - 4 - 3", "3");
        row("100 / 7 * 7", "98");
        row("-7 / 2", "-3");
        row("-7 % 3", "-1");
        row("- - 5", "5");
        row("2 * -3", "-6");
        row("ceil_div(n, 256)", "4");
        row("ceil_div(-7, 2)", "-3");
        row("ceil_div(-7, -2)", "4");
        row("ceil_div(7, -2)", "-3");
        row("min(n, m) + max(n, m)", "1007");
        row(" n\t*\tm ", "7000");
        row("max(1, min(n / m, 3))", "3");
        row("9223372036854775807", "9223372036854775807");
        row("9223372036854775808", "parse 10: '9223372036854775808' is larger than 2^63-1");
        row("9223372036854775807 + 1", "value 30: '9223372036854775807 + 1' overflows 64 bits");
        row("n * 9223372036854775807", "value 12: 'n * 9223372036854775807' overflows 64 bits");
        row("-least", "value 10: '-least' overflows 64 bits");
        row("least / -1", "value 16: 'least / -1' overflows 64 bits");
        row("least % -1", "value 16: 'least % -1' overflows 64 bits");
        row("ceil_div(least, -1)", "value 10: 'ceil_div(least, -1)' overflows 64 bits");
        row("n / zero", "value 12: 'n / zero' divides by zero");
        row("n % zero", "value 12: 'n % zero' divides by zero");
        row("ceil_div(n, zero)", "value 10: 'ceil_div(n, zero)' divides by zero");
        row("", "parse 10: an expression ends where a number, a name or '(' was expected");
        row("1 +", "parse 13: an expression ends where a number, a name or '(' was expected");
        row("(1 + 2", "parse 10: '(' is never closed");
        row("1 2", "parse 12: unexpected '2' in an expression");
        row("n)", "parse 11: unexpected ')' in an expression");
        row("3x", "parse 10: '3x' is not an integer");
        row("1.5", "parse 10: '1.5' is not an integer");
        row("abs(3)", "parse 10: there is no function 'abs' here; ceil_div, min and max are known");
        row("min(3)", "parse 10: 'min' takes two arguments, as in min(a, b)");
        row("min(1, 2, 3)", "parse 18: 'min' takes two arguments, as in min(a, b)");
        row("max + 1", "parse 10: 'max' takes two arguments, as in max(a, b)");
        row("rows", "value 10: 'rows' has no value in 'rows'");
        row("n & m", "parse 12: unexpected '&' in an expression");
    }

    void evaluates() {
        QFETCH(QString, text);
        QFETCH(QString, expected);
        QCOMPARE(value_of(text.toStdString()), expected);
    }

    void limitsDepthAndLength() {
        QVERIFY(
            value_of(std::string(1000, '(') + "1" + std::string(1000, ')')).contains(QLatin1String("deeper than 64")));
        QVERIFY(value_of(std::string(1000, '-') + "1").contains(QLatin1String("deeper than 64")));
        QVERIFY(value_of(std::string(5000, '1')).contains(QLatin1String("longer than 4096")));
        std::string sum = "1";
        for (int i = 0; i < 1500; ++i) sum += "+1";
        QCOMPARE(value_of(sum), QStringLiteral("1501"));
    }

    void namesInOrder() {
        const auto parsed = Expression::parse("b + a * b - min(c, a)", kw::Where{"f", 1, 1});
        QVERIFY(parsed.has_value());
        QCOMPARE(parsed->names(), (std::vector<std::string>{"b", "a", "c"}));
        QCOMPARE(parsed->position_of("c").column, 17);
        QVERIFY(Expression::constant(5).names().empty());
        QCOMPARE(Expression::constant(5).evaluate({}).value(), std::int64_t{5});
        QCOMPARE(Expression().evaluate({}).value(), std::int64_t{0});
    }
};

QTEST_APPLESS_MAIN(TestExpression)
#include "test_expression.moc"
