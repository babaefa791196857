#include "editor/cuda_editor.h"
#include "editor/editor_pane.h"
#include "editor/find_bar.h"
#include "engine/base/file.h"

#include <QFile>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <Qsci/qscicommandset.h>

using namespace kw;
using namespace kw::editor;

namespace {

constexpr const char* kSource = "__global__ void k(float* x) {\n"
                                "    float sum = 0;\n"
                                "    for (int i = 0; i < 4; ++i) sum += x[i];\n"
                                "    x[0] = sum;\n"
                                "}\n";

struct Window {
    EditorPane pane;
    explicit Window(const char* text = kSource) {
        pane.resize(700, 400);
        pane.show();
        pane.editor()->load(QString::fromUtf8(text));
        pane.editor()->setFocus();
        (void)QTest::qWaitForWindowActive(&pane);
    }
    CudaEditor& text() { return *pane.editor(); }
    QLineEdit* field(const char* name) { return pane.findChild<QLineEdit*>(QLatin1String(name)); }
    QToolButton* button(const char* name) { return pane.findChild<QToolButton*>(QLatin1String(name)); }
    QString problem() { return pane.findChild<QLabel*>(QStringLiteral("find.problem"))->text(); }
    QString count() { return pane.findChild<QLabel*>(QStringLiteral("find.count"))->text(); }
    void key(int key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
        QTest::keyClick(pane.focusWidget() ? pane.focusWidget() : &pane, static_cast<Qt::Key>(key), modifiers);
    }
    void type(const char* text) { QTest::keyClicks(pane.focusWidget(), QString::fromUtf8(text)); }
    int line() {
        int line = 0, index = 0;
        text().getCursorPosition(&line, &index);
        return line;
    }
};

} // namespace

class TestEditorPane : public QObject {
    Q_OBJECT
    QTemporaryDir folder_;

    std::filesystem::path file(const char* name, std::string_view bytes) {
        const auto path = std::filesystem::path(folder_.path().toStdString()) / name;
        const auto written = write_file(path, bytes);
        Q_ASSERT(written);
        return path;
    }

private Q_SLOTS:
    void finding_counts_and_goes_around() {
        Window w;
        w.key(Qt::Key_F, Qt::ControlModifier);
        QVERIFY(w.pane.find_bar()->isVisible());
        QCOMPARE(w.pane.focusWidget(), w.field("find.pattern"));
        w.type("sum");
        QCOMPARE(w.count(), QStringLiteral("1 of 3"));
        QCOMPARE(w.text().selectedText(), QStringLiteral("sum"));
        w.key(Qt::Key_F3);
        QCOMPARE(w.count(), QStringLiteral("2 of 3"));
        w.key(Qt::Key_F3);
        w.key(Qt::Key_F3);
        QCOMPARE(w.count(), QStringLiteral("1 of 3"));
        w.key(Qt::Key_F3, Qt::ShiftModifier);
        QCOMPARE(w.count(), QStringLiteral("3 of 3"));
        w.button("find.case")->click();
        w.field("find.pattern")->selectAll();
        w.field("find.pattern")->setFocus();
        w.type("SUM");
        QCOMPARE(w.count(), QStringLiteral("no match"));
        w.button("find.regex")->click();
        w.field("find.pattern")->setFocus();
        w.field("find.pattern")->selectAll();
        w.type("su(");
        QVERIFY(w.problem().contains(QStringLiteral("not valid")));
        w.key(Qt::Key_Escape);
        QVERIFY(!w.pane.find_bar()->isVisible());
        QVERIFY(w.text().hasFocus());
    }

    void typing_in_the_text_keeps_the_count() {
        Window w;
        w.key(Qt::Key_F, Qt::ControlModifier);
        w.type("sum");
        w.text().setFocus();
        w.text().setCursorPosition(0, 0);
        w.type("sum ");
        QTRY_COMPARE(w.count(), QStringLiteral("4 match(es)"));
    }

    void replacing_all_is_one_step() {
        Window w;
        w.key(Qt::Key_H, Qt::ControlModifier);
        QVERIFY(w.field("find.replacement")->isVisible());
        w.type("sum");
        w.field("find.replacement")->setFocus();
        w.type("total");
        w.button("find.replace")->click();
        QCOMPARE(w.text().utf8().find("float total = 0"), std::size_t{34});
        w.button("find.replace_all")->click();
        QCOMPARE(w.count(), QStringLiteral("2 replaced"));
        QVERIFY(w.text().utf8().find("sum") == std::string::npos);
        w.text().undo();
        w.text().undo();
        QCOMPARE(w.text().utf8(), std::string(kSource));
        w.button("find.regex")->click();
        w.field("find.pattern")->setText(QStringLiteral("(\\w+)\\[(\\w)\\]"));
        w.field("find.replacement")->setText(QStringLiteral("$1[$2 + 1]"));
        w.button("find.replace_all")->click();
        QVERIFY(w.text().utf8().find("sum += x[i + 1];\n    x[0 + 1]") != std::string::npos);
    }

    void going_to_a_line() {
        Window w;
        w.key(Qt::Key_G, Qt::ControlModifier);
        w.type("3:5");
        w.key(Qt::Key_Return);
        int line = 0, index = 0;
        w.text().getCursorPosition(&line, &index);
        QCOMPARE(line, 2);
        QCOMPARE(index, 4);
        QVERIFY(w.text().hasFocus());
        w.key(Qt::Key_G, Qt::ControlModifier);
        w.type("x");
        w.key(Qt::Key_Return);
        QVERIFY(w.field("editor.place")->isVisible());
        w.key(Qt::Key_Escape);
        QVERIFY(!w.field("editor.place")->isVisible());
        QCOMPARE(parse_place(QStringLiteral(" 12 : 7 ")), (std::optional{std::pair{12, 7}}));
        QVERIFY(!parse_place(QStringLiteral("0")));
        QVERIFY(!parse_place(QStringLiteral("99999999999")));
    }

    void comments_come_and_go() {
        Window w;
        w.text().setSelection(1, 0, 4, 0);
        w.key(Qt::Key_Slash, Qt::ControlModifier);
        QVERIFY(w.text().utf8().find("\n    // float sum = 0;\n    // for") != std::string::npos);
        QVERIFY(w.text().utf8().ends_with("// x[0] = sum;\n}\n"));
        w.key(Qt::Key_Slash, Qt::ControlModifier);
        QCOMPARE(w.text().utf8(), std::string(kSource));
    }

    void lines_move_and_double() {
        Window w;
        w.text().setCursorPosition(1, 6);
        w.key(Qt::Key_Down, Qt::ShiftModifier | Qt::AltModifier);
        QVERIFY(w.text().utf8().find("    float sum = 0;\n    float sum = 0;\n") != std::string::npos);
        QCOMPARE(w.line(), 2);
        w.text().undo();
        QCOMPARE(w.text().utf8(), std::string(kSource));
        w.text().setCursorPosition(3, 0);
        w.key(Qt::Key_Up, Qt::ControlModifier | Qt::ShiftModifier);
        QVERIFY(w.text().utf8().find("x[0] = sum;\n    for") != std::string::npos);
        w.key(Qt::Key_Down, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(w.text().utf8(), std::string(kSource));
        w.text().setCursorPosition(1, 0);
        w.key(Qt::Key_BracketRight, Qt::ControlModifier);
        QVERIFY(w.text().utf8().find("\n        float sum") != std::string::npos);
        w.key(Qt::Key_BracketLeft, Qt::ControlModifier);
        QCOMPARE(w.text().utf8(), std::string(kSource));
    }

    void several_cursors_type_at_once() {
        Window w;
        w.text().setCursorPosition(1, 11);
        w.key(Qt::Key_D, Qt::ControlModifier);
        QCOMPARE(w.text().selectedText(), QStringLiteral("sum"));
        w.key(Qt::Key_D, Qt::ControlModifier);
        QCOMPARE(w.text().SendScintilla(QsciScintilla::SCI_GETSELECTIONS), 2L);
        w.key(Qt::Key_D, Qt::ControlModifier | Qt::ShiftModifier);
        QCOMPARE(w.text().SendScintilla(QsciScintilla::SCI_GETSELECTIONS), 3L);
        w.type("acc");
        QVERIFY(w.text().utf8().find("sum") == std::string::npos);
        QVERIFY(w.text().utf8().find("x[0] = acc;") != std::string::npos);
        w.text().undo();
        w.text().undo();
        w.text().undo();
        QCOMPARE(w.text().utf8(), std::string(kSource));
        w.text().setCursorPosition(1, 4);
        w.key(Qt::Key_Down, Qt::ControlModifier | Qt::AltModifier);
        w.key(Qt::Key_Down, Qt::ControlModifier | Qt::AltModifier);
        QCOMPARE(w.text().SendScintilla(QsciScintilla::SCI_GETSELECTIONS), 3L);
        w.type("/");
        QVERIFY(w.text().utf8().find("    /float sum = 0;\n    /for") != std::string::npos);
    }

    void folding_and_zoom() {
        Window w;
        w.text().SendScintilla(QsciScintilla::SCI_COLOURISE, 0UL, -1L);
        w.pane.action(QStringLiteral("editor.fold_all"))->trigger();
        QVERIFY(!w.text().SendScintilla(QsciScintilla::SCI_GETLINEVISIBLE, 2));
        w.pane.action(QStringLiteral("editor.unfold_all"))->trigger();
        QVERIFY(w.text().SendScintilla(QsciScintilla::SCI_GETLINEVISIBLE, 2));
        w.key(Qt::Key_Plus, Qt::ControlModifier);
        QCOMPARE(w.text().SendScintilla(QsciScintilla::SCI_GETZOOM), 1L);
        w.key(Qt::Key_0, Qt::ControlModifier);
        QCOMPARE(w.text().SendScintilla(QsciScintilla::SCI_GETZOOM), 0L);
        QSet<QString> names;
        QSet<QString> keys;
        for (const auto* action : w.pane.actions_for_menu()) {
            QVERIFY(!action->text().isEmpty());
            QVERIFY(action->objectName().startsWith(QStringLiteral("editor.")));
            names << action->objectName();
            keys << action->shortcut().toString();
        }
        QCOMPARE(names.size(), w.pane.actions_for_menu().size());
        QCOMPARE(keys.size(), names.size());
    }

    void saving_keeps_bytes_and_undo() {
        Window w;
        const auto path = file("crlf.cu", "\xEF\xBB\xBFint a;\r\nint b;\r\n");
        QVERIFY(w.pane.open_file(path).has_value());
        w.text().setCursorPosition(0, 6);
        w.key(Qt::Key_Return);
        w.type("x");
        QVERIFY(w.pane.save().has_value());
        QVERIFY(!w.text().isModified());
        QCOMPARE(read_file(path, 1000).value(), std::string("\xEF\xBB\xBFint a;\r\nx\r\nint b;\r\n"));
        QVERIFY(w.text().isUndoAvailable());
        while (w.text().isUndoAvailable()) w.text().undo();
        QVERIFY(w.text().isModified());
        QVERIFY(w.pane.save().has_value());
        QCOMPARE(read_file(path, 1000).value(), std::string("\xEF\xBB\xBFint a;\r\nint b;\r\n"));
        QTest::qWait(250);
        QVERIFY(!w.pane.has_notice(QStringLiteral("file.changed")));
    }

    void another_program_s_change_is_offered() {
        Window w;
        const auto path = file("changed.cu", "a\nb\nc\n");
        QVERIFY(w.pane.open_file(path).has_value());
        // Without edits of mine the new text is shown, and can be undone.
        QVERIFY(write_file(path, "a\nB\nc\n").has_value());
        QTRY_COMPARE(w.text().utf8(), std::string("a\nB\nc\n"));
        QVERIFY(!w.text().isModified());
        w.text().undo();
        QCOMPARE(w.text().utf8(), std::string("a\nb\nc\n"));
        w.text().redo();
        // With edits it is asked.
        w.text().setCursorPosition(0, 0);
        w.type("mine ");
        QVERIFY(write_file(path, "a\nB\ntheirs\n").has_value());
        QTRY_VERIFY(w.pane.has_notice(QStringLiteral("file.changed")));
        const auto saved = w.pane.save();
        QVERIFY(!saved.has_value());
        QVERIFY(saved.error().message.find("changed by another program") != std::string::npos);
        QSignalSpy chosen(&w.pane, &EditorPane::notice_action);
        const auto press = [&](const QString& text) {
            for (auto* button : w.pane.findChildren<QPushButton*>())
                if (button->text() == text && button->isVisible()) return button->click();
            QFAIL("no such button");
        };
        press(QStringLiteral("Keep mine"));
        QCOMPARE(chosen.count(), 1);
        QVERIFY(!w.pane.has_notice(QStringLiteral("file.changed")));
        QCOMPARE(w.text().utf8(), std::string("mine a\nB\nc\n"));
        QVERIFY(w.pane.save().has_value());
        w.text().setCursorPosition(0, 0);
        w.type("more ");
        QVERIFY(write_file(path, "theirs\n").has_value());
        QTRY_VERIFY(w.pane.has_notice(QStringLiteral("file.changed")));
        press(QStringLiteral("Reload"));
        QCOMPARE(w.text().utf8(), std::string("theirs\n"));
        w.text().undo(); // one step
        QCOMPARE(w.text().utf8(), std::string("more mine a\nB\nc\n"));
        w.text().redo();
        QVERIFY(QFile::remove(QString::fromStdString(path.string())));
        QTRY_VERIFY(w.pane.has_notice(QStringLiteral("file.deleted")));
        press(QStringLiteral("Save"));
        QCOMPARE(read_file(path, 100).value(), std::string("theirs\n"));
        QTRY_VERIFY(!w.pane.has_notice(QStringLiteral("file.deleted")));
    }

    void a_save_never_overwrites_what_was_not_seen() {
        Window w;
        const auto path = file("raced.cu", "a\n");
        QVERIFY(w.pane.open_file(path).has_value());
        QSignalSpy saved(&w.pane, &EditorPane::saved);
        w.type("mine ");
        QVERIFY(w.pane.save().has_value());
        QCOMPARE(saved.count(), 1);
        w.type("more ");
        QVERIFY(write_file(path, "theirs\n").has_value()); // no event of it has been handled
        QVERIFY(!w.pane.save().has_value());
        QCOMPARE(read_file(path, 100).value(), std::string("theirs\n"));
        QVERIFY(w.pane.has_notice(QStringLiteral("file.changed")));
        QCOMPARE(saved.count(), 1);
        QVERIFY(QFile::remove(QString::fromStdString(path.string())));
        QTRY_VERIFY(w.pane.has_notice(QStringLiteral("file.deleted")));
        for (auto* button : w.pane.findChildren<QPushButton*>())
            if (button->text() == QStringLiteral("Save") && button->isVisible()) button->click();
        QCOMPARE(saved.count(), 2);
        QCOMPARE(read_file(path, 100).value(), std::string("mine more a\n"));
    }

    void keys_of_the_window_reach_it() {
        const Window w;
        auto* commands = w.pane.editor()->standardCommands();
        for (const char* keys :
             {"Ctrl+L",       "Ctrl+Shift+L", "Ctrl+T",   "Ctrl+D",       "Ctrl+U",       "Ctrl+Shift+U",
              "Ctrl+B",       "Ctrl+R",       "Ctrl+E",   "Ctrl+Shift+R", "Ctrl+Shift+P", "Ctrl+Shift+O",
              "Ctrl+Shift+H", "Ctrl+Shift+E", "Alt+Left", "Alt+Right",    "Alt+Up",       "Alt+Return",
              "F8",           "Shift+F8",     "Ctrl+,"})
            QVERIFY2(!commands->boundTo(QKeySequence(QLatin1String(keys))[0].toCombined()), keys);
        for (const char* keys : {"Left", "Ctrl+Left", "Shift+End", "PgDown", "Del", "Backspace", "Ctrl+Backspace",
                                 "Tab", "Ctrl+Z", "Ctrl+Y", "Ctrl+C", "Ctrl+V", "Ctrl+X", "Ctrl+A", "Ctrl+Home"})
            QVERIFY2(commands->boundTo(QKeySequence(QLatin1String(keys))[0].toCombined()), keys);
    }

    void what_is_not_utf8_stays_so_until_converted() {
        Window w;
        const auto path = file("latin.cu", "// caf\xE9\n");
        QVERIFY(w.pane.open_file(path).has_value());
        QVERIFY(w.pane.has_notice(QStringLiteral("file.encoding")));
        QVERIFY(!w.text().isReadOnly());
        w.text().replace_text("// caf\xC3\xA9s\n");
        QVERIFY(w.pane.save().has_value());
        QCOMPARE(read_file(path, 100).value(), std::string("// caf\xE9s\n"));
        // What Latin-1 lacks is not lost on the way.
        w.text().replace_text("// caf\xC3\xA9 \xE2\x82\xAC\n");
        QVERIFY(!w.pane.save().has_value());
        QCOMPARE(read_file(path, 100).value(), std::string("// caf\xE9s\n"));
        w.text().replace_text("// caf\xC3\xA9\n");
        for (auto* button : w.pane.findChildren<QPushButton*>())
            if (button->text() == QStringLiteral("Convert to UTF-8")) button->click();
        QVERIFY(!w.text().isReadOnly());
        QVERIFY(w.text().isModified());
        QVERIFY(w.pane.save().has_value());
        QCOMPARE(read_file(path, 100).value(), std::string("// caf\xC3\xA9\n"));
    }

    void what_cannot_be_opened_leaves_the_text() {
        Window w;
        QVERIFY(!w.pane.open_file(file("binary.cu", std::string_view("a\0b", 3))).has_value());
        QVERIFY(!w.pane.open_file(folder_.filePath(QStringLiteral("none.cu")).toStdString()).has_value());
        QVERIFY(!w.pane.open_file(folder_.path().toStdString()).has_value());
        QCOMPARE(w.text().utf8(), std::string(kSource));
        QVERIFY(!w.pane.save().has_value());
    }

    void every_control_has_a_name() {
        Window w;
        w.key(Qt::Key_H, Qt::ControlModifier);
        w.pane.show_notice(QStringLiteral("a"), Tone::warn, QStringLiteral("Something."), {QStringLiteral("Do it")});
        w.pane.show_notice(QStringLiteral("b"), Tone::info, QStringLiteral("Else."));
        for (const auto* control : w.pane.findChildren<QWidget*>())
            if (control->focusPolicy() != Qt::NoFocus && control->isVisible() && !control->accessibleName().size()
                && !qobject_cast<const QLabel*>(control))
                QVERIFY2(control->inherits("QScrollBar") || control == w.text().viewport(),
                         qPrintable(control->objectName() + QLatin1String(control->metaObject()->className())));
    }
};

QTEST_MAIN(TestEditorPane)
#include "test_editor_pane.moc"
