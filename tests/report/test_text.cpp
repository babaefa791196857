#include "engine/report/diagnostics.h"
#include "engine/report/text.h"

#include <QtTest/QtTest>

#include <cmath>

namespace report = kw::report;

class TextTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void numbers_have_three_digits();
    void units_fit();
    void counts_are_grouped();
    void tables_align();
    void carets_stand_under_their_column();
    void many_messages_are_cut();
    void control_characters_are_not_shown();
};

void TextTest::numbers_have_three_digits() {
    QCOMPARE(report::number(0), std::string("0"));
    QCOMPARE(report::number(1), std::string("1.00"));
    QCOMPARE(report::number(12.345), std::string("12.3"));
    QCOMPARE(report::number(999.7), std::string("1000"));
    QCOMPARE(report::number(9.996), std::string("10.0"));
    QCOMPARE(report::number(0.012345), std::string("0.0123"));
    QCOMPARE(report::number(-2.5), std::string("-2.50"));
    QCOMPARE(report::number(1.5e-7), std::string("1.50e-07"));
    QCOMPARE(report::number(123456), std::string("123000"));
    QCOMPARE(report::number(std::nan("")), std::string("NaN"));
}

void TextTest::units_fit() {
    QCOMPARE(report::duration(0), std::string("0 µs"));
    QCOMPARE(report::duration(0.5), std::string("0.500 µs"));
    QCOMPARE(report::duration(0.00012), std::string("0.000120 µs"));
    QCOMPARE(report::duration(std::nan("")), std::string("–"));
    QCOMPARE(report::duration(12.345), std::string("12.3 µs"));
    QCOMPARE(report::duration(999.7), std::string("1.00 ms"));
    QCOMPARE(report::duration(2.5e6), std::string("2.50 s"));
    QCOMPARE(report::bytes(512), std::string("512 B"));
    QCOMPARE(report::bytes(4096), std::string("4.00 KiB"));
    QCOMPARE(report::bytes(std::uint64_t{3} << 29), std::string("1.50 GiB"));
}

void TextTest::counts_are_grouped() {
    QCOMPARE(report::count(999), std::string("999"));
    QCOMPARE(report::count(4096), std::string("4096"));
    QCOMPARE(report::count(4194304), std::string("4 194 304"));
}

void TextTest::tables_align() {
    report::Table table{{1}};
    const report::Style style{true};
    table.add({"a", "1.00 µs"});
    table.add({style.paint(report::Color::red, "long"), "100 µs"});
    QCOMPARE(table.render("  "), std::string("  a     1.00 µs\n  \x1b[31mlong\x1b[0m   100 µs\n"));
}

void TextTest::carets_stand_under_their_column() {
    const kw::compile::Files files{{"a.cu", "int x;\n\tint y = z;\r\n"}};
    const kw::compile::Diagnostic note{.severity = kw::compile::Severity::note,
                                       .file = {},
                                       .line = 0,
                                       .column = 0,
                                       .message = "see here",
                                       .code = {},
                                       .notes = {}};
    const kw::compile::Diagnostic error{.severity = kw::compile::Severity::error,
                                        .file = "a.cu",
                                        .line = 2,
                                        .column = 10,
                                        .message = "unknown z",
                                        .code = {},
                                        .notes = {note}};
    QCOMPARE(
        report::render(std::span{&error, 1}, files, {}),
        std::string("a.cu:2:10: error: unknown z\n     2 | \tint y = z;\n       | \t        ^\n  note: see here\n"));
    QCOMPARE(report::excerpt(files, {"a.cu", 99, 1}, {}), std::string());
    QCOMPARE(report::excerpt(files, {"b.cu", 1, 1}, {}), std::string());
    QCOMPARE(report::excerpt(files, {"a.cu", 1, 500}, {}), std::string("     1 | int x;\n"));
}

void TextTest::many_messages_are_cut() {
    const std::vector<kw::compile::Diagnostic> many(30);
    const auto text = report::render(many, {}, {}, 20);
    QVERIFY(text.ends_with("… and 10 more messages; --json has them all\n"));
}

void TextTest::control_characters_are_not_shown() {
    QCOMPARE(report::printable("a\x1b[2Jb\tc\n"), std::string("a?[2Jb\tc\n"));
}

QTEST_APPLESS_MAIN(TextTest)
#include "test_text.moc"
