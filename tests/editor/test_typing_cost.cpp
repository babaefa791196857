#include "editor/cuda_editor.h"
#include "editor/heat_margin.h"

#include <QElapsedTimer>
#include <QTest>

#include <algorithm>

using namespace kw::editor;

namespace {

std::string source_of(int lines) {
    std::string text = "//@ tune BLOCK = 128\n//@ launch k<<<1, BLOCK>>>(x)\n__global__ void k(float* x) {\n";
    for (int i = 3; i < lines; ++i) text += "    x[threadIdx.x + " + std::to_string(i) + "] *= 1.5f; // line\n";
    return text + "}\n";
}

/// The median of the milliseconds that a key takes, with what it paints.
double per_key(int lines) {
    CudaEditor editor;
    editor.resize(800, 600);
    editor.show();
    editor.load_utf8(source_of(lines));
    HeatColumn heat{"warp_instructions", "Instructions", "", "About.", true, {}, 0};
    for (int line = 1; line <= lines; line += 3) heat.lines[line] = line;
    editor.set_heat(heat);
    editor.setCursorPosition(lines / 2, 4);
    editor.ensureCursorVisible();
    (void)QTest::qWaitForWindowExposed(&editor);
    QCoreApplication::processEvents();
    std::vector<double> times;
    const QString keys = QStringLiteral("y = fmaf(a, b, c);\nz+=1; ");
    for (int round = 0; round < 6; ++round)
        for (const QChar key : keys) {
            QElapsedTimer timer;
            timer.start();
            if (key == QLatin1Char('\n'))
                QTest::keyClick(&editor, Qt::Key_Return);
            else
                QTest::keyClick(&editor, key.toLatin1());
            editor.viewport()->repaint();
            times.push_back(static_cast<double>(timer.nsecsElapsed()) / 1e6);
        }
    std::ranges::nth_element(times, times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2));
    return times[times.size() / 2];
}

} // namespace

class TestTypingCost : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void only_touched_lines_are_scanned() {
        CudaEditor editor;
        editor.load_utf8(source_of(20'000));
        auto before = editor.lines_scanned();
        const auto cost = [&] { return std::exchange(before, editor.lines_scanned()); };
        const auto scanned = [&] {
            const auto old = cost();
            return before - old;
        };
        editor.insertAt(QStringLiteral("x"), 10'000, 4);
        QCOMPARE(scanned(), std::size_t{1});
        editor.insertAt(QStringLiteral("\n"), 10'000, 4);
        QVERIFY(scanned() <= 2);
        // A comment that opens changes the state of every line below it, once.
        editor.insertAt(QStringLiteral("/*"), 19'000, 0);
        QVERIFY(scanned() > 900);
        editor.insertAt(QStringLiteral("x"), 19'500, 0);
        QCOMPARE(scanned(), std::size_t{1});
    }

    // What a key costs here must not follow the length of the text. QScintilla itself counts the characters up to the
    // caret twice a key, for screen readers, which is where the allowance comes from: 2 to 3 ms for half a megabyte.
    void a_long_text_types_as_a_short_one() {
        const double small = per_key(100), large = per_key(20'000);
        qInfo("%.2f ms a key in 100 lines, %.2f ms in 20000 lines, %.2f times as much", small, large, large / small);
        QVERIFY2(large < 3 * small + 8, "typing in a long text is slow");
    }
};

QTEST_MAIN(TestTypingCost)
#include "test_typing_cost.moc"
