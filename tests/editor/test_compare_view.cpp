#include "editor/compare.h"
#include "editor/compare_card.h"
#include "editor/compare_view.h"
#include "editor/cuda_editor.h"
#include "widgets/theme.h"

#include <QApplication>
#include <QHBoxLayout>
#include <QLineEdit>
#include <QPushButton>
#include <QScrollBar>
#include <QSignalSpy>
#include <QTest>

using namespace kw::editor;
using S = QsciScintilla;

namespace {

/// Line 2 of the left is lines 2 to 4 of the right; lines 10 and 11 of the left are not in the right.
Comparison two_hunks() {
    return {.hunks = {{.id = "a", .left_line = 2, .left_lines = 1, .right_line = 2, .right_lines = 3},
                      {.id = "b", .left_line = 10, .left_lines = 2, .right_line = 12, .right_lines = 0}}};
}

QString lines(int from, int to) {
    QString text;
    for (int i = from; i < to; ++i) text += QStringLiteral("int line_%1;\n").arg(i);
    return text;
}

struct Window {
    QWidget widget;
    CudaEditor* left = new CudaEditor;
    CompareView* view = new CompareView;
    Window() {
        auto* row = new QHBoxLayout(&widget);
        row->addWidget(left);
        row->addWidget(view);
        widget.resize(1000, 300);
        widget.show();
        left->load(lines(0, 60));
        const QString right = lines(0, 2) + lines(100, 103) + lines(3, 10) + lines(12, 60);
        view->set_suggestion(right.toStdString());
        view->set_left(left);
        view->show_comparison(two_hunks());
        (void)QTest::qWaitForWindowExposed(&widget);
    }
    long row(const S& text, int line) const {
        return text.SendScintilla(S::SCI_VISIBLEFROMDOCLINE, static_cast<unsigned long>(line));
    }
};

} // namespace

class TestCompare : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void room_is_left_where_the_other_has_lines() {
        QCOMPARE(fillers_of(two_hunks(), false), (Fillers{{2, 2}}));
        QCOMPARE(fillers_of(two_hunks(), true), (Fillers{{11, 2}}));
        const Comparison top{
            .hunks = {{.id = "t", .left_line = 0, .left_lines = 0, .right_line = 0, .right_lines = 1}}};
        QCOMPARE(fillers_of(top, false), (Fillers{{0, 1}}));
    }

    void each_line_has_one_beside_it() {
        const auto both = two_hunks();
        QCOMPARE(line_beside(both, 1, false), 1);
        QCOMPARE(line_beside(both, 2, false), 2);
        QCOMPARE(line_beside(both, 3, false), 5);
        QCOMPARE(line_beside(both, 12, false), 12);
        QCOMPARE(line_beside(both, 5, true), 3);
        QCOMPARE(line_beside(both, 12, true), 12);
    }

    void same_lines_are_beside_each_other() {
        Window w;
        for (int line = 0; line < 60; ++line) {
            if (line == 2 || line == 10 || line == 11) continue;
            QCOMPARE(w.row(*w.view->text(), line_beside(two_hunks(), line, false)), w.row(*w.left, line));
        }
        QCOMPARE(w.left->text(), lines(0, 60)); // nothing of it is in the text
        QVERIFY(!w.left->isModified());
        QVERIFY(!w.left->isUndoAvailable());
        w.view->set_left(nullptr);
        QCOMPARE(w.row(*w.left, 59), 59L);
    }

    void both_scroll_together() {
        Window w;
        w.left->verticalScrollBar()->setValue(20);
        QCOMPARE(w.view->text()->SendScintilla(S::SCI_GETFIRSTVISIBLELINE), 20L);
        w.view->text()->verticalScrollBar()->setValue(7);
        QCOMPARE(w.left->SendScintilla(S::SCI_GETFIRSTVISIBLELINE), 7L);
    }

    void both_go_to_a_change_and_follow_the_caret() {
        Window w;
        w.view->show_comparison(
            {.hunks = {{.id = "far", .left_line = 45, .left_lines = 1, .right_line = 45, .right_lines = 1}}});
        w.view->go(1);
        const auto first = [](const S& text) { return text.SendScintilla(S::SCI_GETFIRSTVISIBLELINE); };
        QVERIFY(first(*w.view->text()) > 10);
        QCOMPARE(first(*w.left), first(*w.view->text()));
        w.left->setFocus();
        QTest::keyClick(w.left, Qt::Key_Home, Qt::ControlModifier);
        QTRY_COMPARE(first(*w.view->text()), 0L);
        QCOMPARE(first(*w.left), 0L);
        w.view->text()->setFocus();
        QTest::keyClick(w.view->text(), Qt::Key_PageDown);
        QTest::keyClick(w.view->text(), Qt::Key_PageDown);
        QTRY_VERIFY(first(*w.left) > 10);
        QCOMPARE(first(*w.left), first(*w.view->text()));
    }

    void nothing_moves_while_text_streams_in() {
        Window w;
        w.left->setCursorPosition(30, 0);
        w.left->verticalScrollBar()->setValue(25);
        const auto at = w.left->SendScintilla(S::SCI_GETFIRSTVISIBLELINE);
        for (int written = 1; written < 50; ++written) {
            w.view->set_suggestion(lines(100, 100 + written).toStdString());
            w.view->show_comparison(
                {.hunks = {{.id = "s", .left_line = 0, .left_lines = 1, .right_line = 0, .right_lines = written}},
                 .unfinished = true});
            QCOMPARE(w.left->SendScintilla(S::SCI_GETFIRSTVISIBLELINE), at);
            QVERIFY(!w.view->card()->isVisible());
        }
    }

    void the_caret_stays_where_it_is_when_room_is_made() {
        Window w;
        w.view->show_comparison({});
        w.left->verticalScrollBar()->setValue(1);
        w.left->setCursorPosition(6, 3);
        const auto y = [&] {
            return w.left->SendScintilla(S::SCI_POINTYFROMPOSITION, 0UL, w.left->SendScintilla(S::SCI_GETCURRENTPOS));
        };
        const auto before = y();
        w.view->show_comparison(two_hunks());
        QCOMPARE(y(), before);
    }

    void keys_and_buttons_ask() {
        Window w;
        QSignalSpy accept(w.view, &CompareView::accept_requested), reject(w.view, &CompareView::reject_requested),
            measure(w.view, &CompareView::measure_requested);
        QVERIFY(w.view->card()->isVisible());
        QCOMPARE(w.view->current()->id, std::string("a"));
        w.view->go(1);
        QCOMPARE(w.view->current()->id, std::string("b"));
        w.view->go(1);
        QCOMPARE(w.view->current()->id, std::string("a"));
        const auto press = [&](const char* name) {
            QTest::mouseClick(w.view->findChild<QPushButton*>(QLatin1String(name)), Qt::LeftButton);
        };
        press("compare.accept");
        QCOMPARE(accept.count(), 1);
        press("compare.measure");
        QCOMPARE(measure.count(), 1);
        press("compare.reject");
        auto* reason = w.view->findChild<QLineEdit*>(QStringLiteral("compare.reason"));
        QVERIFY(reason->isVisible());
        QTest::keyClicks(reason, QStringLiteral("too slow"));
        QTest::keyClick(reason, Qt::Key_Return);
        QCOMPARE(reject.count(), 1);
        QCOMPARE(reject[0][0].toString(), QStringLiteral("too slow"));
        w.view->text()->setSelection(3, 0, 4, 4);
        QCOMPARE(w.view->selected_lines(), (std::optional{std::pair{1, 2}}));
    }

    void a_removal_at_the_very_top_has_its_card() {
        Window w;
        w.view->show_comparison({.hunks = {{.id = "t", .left_line = 0, .left_lines = 2}}});
        QVERIFY(w.view->card()->isVisible());
    }

    void every_control_has_a_name() {
        Window w;
        for (const auto* control : w.view->findChildren<QWidget*>())
            if (control->focusPolicy() != Qt::NoFocus && control->isVisible() && control->accessibleName().isEmpty()
                && !control->inherits("QLabel"))
                QVERIFY2(control->inherits("QScrollBar") || control == w.view->text()->viewport()
                             || control->inherits("QPushButton"),
                         qPrintable(control->objectName() + QLatin1String(control->metaObject()->className())));
    }
};

QTEST_MAIN(TestCompare)
#include "test_compare_view.moc"
