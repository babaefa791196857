#include "editor/cuda_editor.h"
#include "editor/problem_list.h"

#include <QCoreApplication>
#include <QKeyEvent>
#include <QSignalSpy>
#include <QTest>
#include <QTreeWidget>
#include <Qsci/qscilexercpp.h>

using namespace kw;
using namespace kw::editor;

namespace {

constexpr const char* kSource = "//@ launch k<<<1, 32>>>(x)\n"
                                "__global__ void k(float* x) {\n"
                                "    x[threadIdx.x] = missing;\n"
                                "    \xC3\xA4();\n"
                                "}\n";

compile::Diagnostic diagnostic(compile::Severity severity, int line, int column, std::string message,
                               std::string file = "k.cu") {
    return {.severity = severity,
            .file = std::move(file),
            .line = line,
            .column = column,
            .message = std::move(message),
            .code = {},
            .notes = {}};
}

/// The indicator bits at a byte position.
long indicators(const CudaEditor& editor, int line, int byte) {
    const long begin = editor.SendScintilla(QsciScintilla::SCI_POSITIONFROMLINE, line - 1);
    return editor.SendScintilla(QsciScintilla::SCI_INDICATORALLONFOR, begin + byte);
}

} // namespace

class TestCudaEditor : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void a_shortcuts_key_that_is_held_longer_is_not_typed() {
        CudaEditor editor;
        const auto press = [&](int key, const QString& text, quint32 scan_code, bool repeats) {
            QKeyEvent event(QEvent::KeyPress, key, {}, scan_code, 0, 0, text, repeats);
            QCoreApplication::sendEvent(&editor, &event);
        };
        press(Qt::Key_A, QStringLiteral("a"), 38, false);
        press(Qt::Key_A, QStringLiteral("a"), 38, true);
        QCOMPARE(editor.utf8(), std::string("aa"));
        press(Qt::Key_1, QStringLiteral("1"), 10, true); // went down with Ctrl and Alt, as a shortcut
        QCOMPARE(editor.utf8(), std::string("aa"));
        QKeyEvent up(QEvent::KeyRelease, Qt::Key_1, {}, 10, 0, 0),
            down(QEvent::KeyPress, Qt::Key_1, {}, 10, 0, 0, QStringLiteral("1"));
        for (auto* each : {&up, &down}) each->setTimestamp(1000);
        QCoreApplication::sendEvent(&editor, &up);
        QCoreApplication::sendEvent(&editor, &down); // up and down at one moment is a repetition too
        QCOMPARE(editor.utf8(), std::string("aa"));
        press(Qt::Key_1, QStringLiteral("1"), 10, false);
        press(Qt::Key_1, QStringLiteral("1"), 10, true);
        QCOMPARE(editor.utf8(), std::string("aa11"));
    }

    void loading_is_not_a_modification() {
        CudaEditor editor;
        editor.load(QString::fromUtf8(kSource));
        QVERIFY(!editor.isModified());
        QVERIFY(!editor.isUndoAvailable());
        QCOMPARE(editor.utf8(), std::string(kSource));
        QTest::keyClicks(&editor, QStringLiteral("x"));
        QVERIFY(editor.isModified());
        editor.undo();
        QCOMPARE(editor.utf8(), std::string(kSource));
    }

    void cuda_words_have_their_own_styles() {
        CudaEditor editor;
        editor.load(QString::fromUtf8(kSource));
        editor.SendScintilla(QsciScintilla::SCI_COLOURISE, 0UL, -1L);
        const auto style_at = [&](int line, int byte) {
            const long begin = editor.SendScintilla(QsciScintilla::SCI_POSITIONFROMLINE, line - 1);
            return editor.SendScintilla(QsciScintilla::SCI_GETSTYLEAT, begin + byte);
        };
        QCOMPARE(style_at(2, 0), long{QsciLexerCPP::Keyword});     // __global__
        QCOMPARE(style_at(3, 6), long{QsciLexerCPP::KeywordSet2}); // threadIdx
        QCOMPARE(style_at(3, 21), long{QsciLexerCPP::Identifier}); // missing
    }

    void diagnostics_underline_the_word_and_go_away() {
        CudaEditor editor;
        editor.load(QString::fromUtf8(kSource));
        editor.show_diagnostics({diagnostic(compile::Severity::error, 3, 22, "identifier \"missing\" is undefined"),
                                 diagnostic(compile::Severity::warning, 4, 0, "statement has no effect"),
                                 diagnostic(compile::Severity::error, 1, 1, "elsewhere", "other.cu")},
                                "k.cu");
        QVERIFY(indicators(editor, 3, 21) & 1 << 8);
        QVERIFY(indicators(editor, 3, 27) & 1 << 8);
        QVERIFY(!(indicators(editor, 3, 28) & 1 << 8));
        QVERIFY(!(indicators(editor, 3, 20) & 1 << 8));
        QVERIFY(indicators(editor, 4, 4) & 1 << 9);
        QVERIFY(!(indicators(editor, 1, 0) & 1 << 8));
        QVERIFY(editor.markersAtLine(2) & 1 << 8);
        QVERIFY(editor.markersAtLine(3) & 1 << 9);
        editor.show_diagnostics({}, "k.cu");
        QVERIFY(!(indicators(editor, 3, 21) & 1 << 8));
        QCOMPARE(editor.markersAtLine(2), 0u);
    }

    void positions_outside_the_text_do_no_harm() {
        CudaEditor editor;
        editor.load(QStringLiteral("a"));
        editor.show_diagnostics({diagnostic(compile::Severity::error, 900, 900, "far"),
                                 diagnostic(compile::Severity::error, 1, 99, "right")},
                                "k.cu");
        QVERIFY(editor.markersAtLine(0) & 1 << 8);
        editor.go_to(900, 900);
        editor.load({});
        editor.show_diagnostics({diagnostic(compile::Severity::error, 1, 1, "empty")}, "k.cu");
        QVERIFY(editor.markersAtLine(0) & 1 << 8);
    }

    void directives_are_marked() {
        CudaEditor editor;
        editor.load(QString::fromUtf8(kSource));
        QVERIFY(indicators(editor, 1, 4) & 1 << 11);
        QVERIFY(!(indicators(editor, 2, 4) & 1 << 10));
    }

    void go_to_counts_bytes_from_one() {
        CudaEditor editor;
        editor.load(QString::fromUtf8(kSource));
        editor.go_to(3, 22);
        int line = 0, index = 0;
        editor.getCursorPosition(&line, &index);
        QCOMPARE(line, 2);
        QCOMPARE(index, 21);
    }

    void problems_are_listed_and_walked() {
        ProblemList list;
        auto error = diagnostic(compile::Severity::error, 3, 22, "first line\nsecond line");
        error.notes.push_back(diagnostic(compile::Severity::note, 1, 1, "candidate"));
        list.show_diagnostics({error, diagnostic(compile::Severity::warning, 4, 5, "odd")});
        QCOMPARE(list.error_count(), 1);
        QCOMPARE(list.warning_count(), 1);
        auto* tree = list.findChild<QTreeWidget*>();
        QCOMPARE(tree->topLevelItemCount(), 2);
        QCOMPARE(tree->topLevelItem(0)->childCount(), 1);
        QCOMPARE(tree->topLevelItem(0)->text(0), QStringLiteral("first line"));
        QSignalSpy wanted(&list, &ProblemList::go_to_requested);
        list.go_to_next();
        list.go_to_next();
        list.go_to_next(); // around the end
        QCOMPARE(wanted.count(), 3);
        QCOMPARE(wanted.at(1).at(1).toInt(), 4);
        QCOMPARE(wanted.at(2).at(1).toInt(), 3);
        list.show_diagnostics({});
        list.go_to_next();
        QCOMPARE(wanted.count(), 3);
    }

    void brackets_and_quotes_are_closed() {
        CudaEditor editor;
        editor.show();
        const auto typed = [&](const char* text, const char* keys) {
            editor.load(QString::fromLatin1(text));
            editor.SendScintilla(QsciScintilla::SCI_DOCUMENTEND);
            QTest::keyClicks(&editor, QString::fromLatin1(keys));
            return editor.text();
        };
        QCOMPARE(typed("f", "("), QStringLiteral("f()"));
        QCOMPARE(typed("f", "(a[i])"), QStringLiteral("f(a[i])")); // typed over
        QCOMPARE(typed("f", "(\"x\")"), QStringLiteral("f(\"x\")"));
        QCOMPARE(typed("int n = 1", "'000"), QStringLiteral("int n = 1'000"));
        QCOMPARE(typed("// don", "'t (see"), QStringLiteral("// don't (see"));
        QCOMPARE(typed("f(", ")"), QStringLiteral("f()")); // what was there before is not typed over
        QCOMPARE(typed("f()", ")"), QStringLiteral("f())"));
        // One step to undo, and gone together.
        QCOMPARE(typed("f", "("), QStringLiteral("f()"));
        editor.undo();
        QCOMPARE(editor.text(), QStringLiteral("f"));
        QCOMPARE(typed("f", "("), QStringLiteral("f()"));
        QTest::keyClick(&editor, Qt::Key_Backspace);
        QCOMPARE(editor.text(), QStringLiteral("f"));
        // Nothing is closed in front of a name; a selection is put between.
        editor.load(QStringLiteral("name"));
        QTest::keyClicks(&editor, QStringLiteral("("));
        QCOMPARE(editor.text(), QStringLiteral("(name"));
        editor.load(QStringLiteral("name"));
        editor.selectAll();
        QTest::keyClicks(&editor, QStringLiteral("["));
        QCOMPARE(editor.text(), QStringLiteral("[name]"));
        QCOMPARE(editor.selectedText(), QStringLiteral("name"));
        editor.undo();
        QCOMPARE(editor.text(), QStringLiteral("name"));
        // A block.
        editor.load(QStringLiteral("    if (x) "));
        editor.SendScintilla(QsciScintilla::SCI_DOCUMENTEND);
        QTest::keyClicks(&editor, QStringLiteral("{"));
        QTest::keyClick(&editor, Qt::Key_Return);
        QTest::keyClicks(&editor, QStringLiteral("y"));
        QCOMPARE(editor.text(), QStringLiteral("    if (x) {\n        y\n    }"));
        editor.set_auto_close(false);
        QCOMPARE(typed("f", "("), QStringLiteral("f("));
    }
};

QTEST_MAIN(TestCudaEditor)
#include "test_cuda_editor.moc"
