#include "editor/cuda_editor.h"
#include "editor/heat.h"
#include "editor/heat_chooser.h"
#include "editor/heat_margin.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QTest>

using namespace kw;
using namespace kw::editor;

namespace {

profile::LaunchProfile launch(std::vector<profile::LineProfile> lines) {
    profile::LaunchProfile out;
    out.kernel = "k";
    out.lowered = "_Z1kPf";
    out.lines = std::move(lines);
    return out;
}

profile::Report report() {
    profile::Report out;
    out.estimated = true;
    out.launches.push_back(launch({{"k.cu", 2, {{"warp_instructions", 100}, {"threads_per_instruction", 32}}},
                                   {"k.cu", 3, {{"warp_instructions", 300}, {"threads_per_instruction", 8}}},
                                   {"", 0, {{"warp_instructions", 600}}}}));
    out.launches.push_back(launch({{"k.cu", 2, {{"warp_instructions", 300}, {"threads_per_instruction", 16}}},
                                   {"h.h", 2, {{"warp_instructions", 700}, {"global_load_sectors", 7}}}}));
    return out;
}

const HeatColumn& column(const std::vector<HeatColumn>& columns, const char* id) {
    return *std::ranges::find(columns, id, &HeatColumn::id);
}

} // namespace

class TestHeat : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void columns_add_up_what_can_be_added() {
        const auto columns = heat_columns_of(report(), "k.cu");
        QCOMPARE(columns.size(), std::size_t{2});
        const auto& instructions = column(columns, "warp_instructions");
        QCOMPARE(instructions.lines, (std::map<int, double>{{2, 400}, {3, 300}}));
        QCOMPARE(instructions.total, 2000.0);
        QVERIFY(instructions.estimated);
        // A ratio is the mean over instructions, and no share of anything.
        const auto& threads = column(columns, "threads_per_instruction");
        QCOMPARE(threads.lines.at(2), 20.0);
        QCOMPARE(threads.total, 0.0);
        QVERIFY(heat_columns_of(report(), "none.cu").empty());
        QVERIFY(heat_columns_of({}, "k.cu").empty());
        for (const char* ratio : {"sectors_per_load", "branch_uniformity", "threads_per_instruction"})
            QVERIFY2(!adds_up(*profile::find_metric(ratio)), ratio);
        for (const char* sum : {"warp_instructions", "global_load_sectors", "samples", "stall_barrier"})
            QVERIFY2(adds_up(*profile::find_metric(sum)), sum);
    }

    void the_margin_follows_its_lines() {
        CudaEditor editor;
        editor.resize(500, 300);
        editor.show();
        editor.load(QStringLiteral("a\nb\nc\nd\n"));
        QCOMPARE(editor.marginWidth(CudaEditor::kHeat), 0);
        editor.set_heat(column(heat_columns_of(report(), "k.cu"), "warp_instructions"));
        QVERIFY(editor.marginWidth(CudaEditor::kHeat) > 20);
        QVERIFY(editor.heat()->isVisible());
        QCOMPARE(editor.heat()->value_of(2), std::optional(400.0));
        QCOMPARE(editor.heat()->value_of(1), std::nullopt);
        const QString text = editor.heat()->explain(2);
        QVERIFY2(text.contains(QStringLiteral("20.0")) && text.contains(QStringLiteral("estimated")), qPrintable(text));
        editor.SendScintilla(QsciScintilla::SCI_INSERTTEXT, 0UL, "new\n"); // above
        QCOMPARE(editor.heat()->value_of(3), std::optional(400.0));
        QCOMPARE(editor.heat()->value_of(4), std::optional(300.0));
        editor.insertAt(QStringLiteral("more\nlines\n"), 3, 1); // within the line of 300: it begins there
        QCOMPARE(editor.heat()->value_of(4), std::optional(300.0));
        QCOMPARE(editor.heat()->value_of(5), std::nullopt);
        editor.undo();
        editor.undo();
        QCOMPARE(editor.heat()->value_of(2), std::optional(400.0));
        QCOMPARE(editor.heat()->value_of(3), std::optional(300.0));
        const QImage image = editor.heat()->grab().toImage();
        QVERIFY(image.width() > 20);
        const int row = editor.textHeight(0);
        QVERIFY(image.pixelColor(3, row + row / 2) != image.pixelColor(3, row / 2)); // a bar in line 2, none in line 1
        editor.set_heat(std::nullopt);
        QCOMPARE(editor.marginWidth(CudaEditor::kHeat), 0);
        QVERIFY(!editor.heat()->isVisible());
    }

    void the_choice_stays() {
        HeatChooser chooser;
        new QAbstractItemModelTester(chooser.model(), QAbstractItemModelTester::FailureReportingMode::QtTest, this);
        QVERIFY(!chooser.isEnabled());
        QSignalSpy chosen(&chooser, &HeatChooser::chosen);
        chooser.set_columns(heat_columns_of(report(), "k.cu"));
        QVERIFY(chooser.isEnabled());
        QCOMPARE(chooser.count(), 3);
        QVERIFY(chosen.count() > 0);
        QCOMPARE(chooser.current()->id, std::string("warp_instructions"));
        chooser.choose("threads_per_instruction");
        QCOMPARE(chooser.current()->id, std::string("threads_per_instruction"));
        chooser.set_columns({});
        QVERIFY(!chooser.current());
        chooser.set_columns(heat_columns_of(report(), "k.cu"));
        QCOMPARE(chooser.current()->id, std::string("threads_per_instruction"));
        QTest::keyClick(&chooser, Qt::Key_Home); // "No heat"
        QVERIFY(!chooser.current());
    }

    void odd_values_do_no_harm() {
        CudaEditor editor;
        editor.resize(300, 200);
        editor.show();
        editor.load(QStringLiteral("a\nb"));
        HeatColumn odd{"x", "X", "", "About.", false, {{-1, 1}, {0, 1}, {1, -5}, {2, std::nan("")}, {900, 1}}, 0};
        editor.set_heat(odd);
        QCOMPARE(editor.heat()->value_of(1), std::optional(-5.0));
        QCOMPARE(editor.heat()->value_of(2), std::nullopt);
        (void)editor.heat()->grab();
        editor.load({});
        (void)editor.heat()->grab();
        QCOMPARE(editor.heat()->explain(900), QString());
    }
};

QTEST_MAIN(TestHeat)
#include "test_heat.moc"
