#include "editor/clangd/client.h"
#include "editor/clangd/messages.h"
#include "editor/code_assist.h"
#include "editor/completion_popup.h"
#include "editor/cuda_editor.h"

#include <QFile>
#include <QSignalSpy>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>

using namespace kw;
using namespace kw::editor;

class TestClangd : public QObject {
    Q_OBJECT
    QTemporaryDir folder_;

    /// A program that runs the scripted server in `mode`.
    QString server(const char* mode) {
        const QString path = folder_.filePath(QLatin1String(mode));
        QFile file(path);
        const bool open = file.open(QIODevice::WriteOnly);
        Q_ASSERT(open);
        file.write(QByteArray("#!/bin/sh\nexec python3 '" KW_FAKE_CLANGD "' ") + mode + "\n");
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        return path;
    }
    ClangdOptions options(const QString& program) {
        return {program, folder_.filePath(QStringLiteral("k.cu")), "sm_90", {}, {{"BLOCK", "128"}}};
    }

private Q_SLOTS:
    void initTestCase() {
        if (QStandardPaths::findExecutable(QStringLiteral("python3")).isEmpty()) QSKIP("python3 is not installed");
    }

    void messages_are_put_together() {
        MessageReader reader;
        const std::string two = frame({{"a", 1}}) + "X: y\r\n" + frame({{"b", "\xC3\xA4"}});
        std::vector<Json> seen;
        for (const char c : two) {
            reader.add({&c, 1});
            const auto message = reader.next();
            QVERIFY(message.has_value());
            if (*message) seen.push_back(**message);
        }
        QCOMPARE(seen.size(), std::size_t{2});
        QCOMPARE(seen[1].at("b").get<std::string>(), std::string("\xC3\xA4"));
        for (const std::string& broken :
             {std::string("Content-Length: x\r\n\r\n"), std::string("\r\n\r\n"), std::string(5000, 'x'),
              std::string("Content-Length: 99999999999\r\n\r\n"), std::string("Content-Length: -1\r\n\r\n"),
              std::string("Content-Length: 2\r\n\r\n{]"), std::string("Content-Length: 1\r\n\r\n1")}) {
            MessageReader bad;
            bad.add(broken);
            QVERIFY2(!bad.next().has_value(), broken.c_str());
        }
        for (const char* odd : {"null", "1", "[]", "{\"items\":1}", "{\"contents\":1}", "{\"signatures\":[1,{}]}"}) {
            QVERIFY(completions_of(Json::parse(odd)).empty());
            QVERIFY(hover_of(Json::parse(odd)).empty());
            QVERIFY(signatures_of(Json::parse(odd)).signatures.empty());
        }
    }

    void questions_are_answered() {
        ClangdClient client;
        QSignalSpy off(&client, &ClangdClient::switched_off);
        client.start(options(server("good")));
        QTRY_VERIFY(client.running());
        client.set_text("first");
        client.set_text("\xC3\xA4 my");
        std::vector<CompletionItem> items;
        QString hover;
        CallTipText tip;
        client.complete({0, 4}, [&](std::vector<CompletionItem> answer) { items = std::move(answer); });
        client.hover({0, 0}, [&](const QString& text) { hover = text; });
        client.signature({0, 0}, [&](const CallTipText& text) { tip = text; });
        QTRY_VERIFY(!tip.signatures.empty());
        QCOMPARE(items.size(), std::size_t{3});
        QCOMPARE(items[0].name, std::string("my_function"));
        QCOMPARE(items[0].about, std::string("What it does."));
        QCOMPARE(items[0].kind, std::string("function"));
        QCOMPARE(items[1].name, std::string("seen_\xC3\xA4_my"));
        QCOMPARE(items[2].name, std::string("flag_True"));
        QCOMPARE(hover, QStringLiteral("int x"));
        QCOMPARE(tip.signatures[0], std::string("void f(int a, int b)"));
        QCOMPARE(off.count(), 0);
    }

    void text_before_it_is_ready_is_not_lost() {
        ClangdClient client;
        client.start(options(server("good")));
        client.set_text("older");
        client.set_text("early");
        std::vector<CompletionItem> items;
        connect(&client, &ClangdClient::ready, &client, [&] {
            client.complete({0, 5}, [&](std::vector<CompletionItem> answer) { items = std::move(answer); });
        });
        QTRY_COMPARE(items.size(), std::size_t{3});
        QCOMPARE(items[1].name, std::string("seen_early"));
    }

    void a_tip_does_not_cost_the_list_its_names() {
        ClangdClient client;
        client.start(options(server("good")));
        QTRY_VERIFY(client.running());
        CudaEditor editor;
        editor.resize(600, 400);
        editor.show();
        editor.assist()->set_clangd(&client);
        editor.load(QString());
        QTest::keyClicks(&editor, QStringLiteral("f("));
        QTRY_VERIFY(editor.assist()->call_tip()->isVisible());
        QTest::keyClicks(&editor, QStringLiteral("my"));
        QVERIFY(editor.assist()->call_tip()->isVisible()); // does not flicker
        auto* list = editor.assist()->popup();
        const auto has_its_name = [list] {
            for (int row = 0; row < list->model()->rowCount(); ++row)
                if (list->model()->item(row).name == "my_function") return true;
            return false;
        };
        QTRY_VERIFY(list->isVisible() && has_its_name());
        QTRY_VERIFY(editor.assist()->call_tip()->isVisible());
        editor.assist()->hide();
        QTest::qWait(50);
        QVERIFY(!editor.assist()->call_tip()->isVisible());
    }

    void its_names_join_the_list() {
        ClangdClient client;
        client.start(options(server("good")));
        QTRY_VERIFY(client.running());
        CudaEditor editor;
        editor.show();
        editor.assist()->set_clangd(&client);
        editor.load(QStringLiteral("my"));
        editor.SendScintilla(QsciScintilla::SCI_DOCUMENTEND);
        QTest::keyClicks(&editor, QStringLiteral("_"));
        editor.assist()->complete();
        auto* popup = editor.assist()->popup();
        QTRY_VERIFY(popup->isVisible() && popup->current()->name == "my_function");
        editor.load(QStringLiteral("seen = se"));
        editor.SendScintilla(QsciScintilla::SCI_DOCUMENTEND);
        editor.assist()->complete();
        QVERIFY(popup->isVisible());
        popup->move_by(1);
        const auto moved_to = popup->current()->name;
        const auto lists = [&](std::string_view name) {
            for (int row = 0; row < popup->model()->rowCount(); ++row)
                if (popup->model()->item(row).name == name) return true;
            return false;
        };
        QTRY_VERIFY(lists("seen_seen_=_se"));
        QCOMPARE(popup->current()->name, moved_to);
        // A list that was closed does not come back.
        editor.assist()->complete();
        editor.assist()->hide();
        QTest::qWait(50);
        QVERIFY(!popup->isVisible());
    }

    void misbehaviour_switches_it_off() {
        const std::pair<const char*, const char*> cases[] = {{"silent", "does not answer"},
                                                             {"garbage", "no sense"},
                                                             {"crash", "ended unexpectedly"},
                                                             {"hang", "does not answer"}};
        for (const auto& [mode, sentence] : cases) {
            ClangdClient client;
            client.set_patience(600);
            QSignalSpy off(&client, &ClangdClient::switched_off);
            client.start(options(server(mode)));
            connect(&client, &ClangdClient::ready, &client, [&] {
                client.set_text("x");
                client.complete({0, 1}, [](const auto&) {});
            });
            QTRY_COMPARE(off.count(), 1);
            QVERIFY2(off.at(0).at(0).toString().contains(QLatin1String(sentence)),
                     qPrintable(off.at(0).at(0).toString()));
            QVERIFY(!client.running());
            client.complete({0, 0}, [](const auto&) { QFAIL("an answer from the dead"); });
            client.set_text("y");
            QTest::qWait(20);
            QCOMPARE(off.count(), 1);
        }
        ClangdClient none;
        QSignalSpy off(&none, &ClangdClient::switched_off);
        none.start(options(QStringLiteral("/nowhere/clangd")));
        QTRY_COMPARE(off.count(), 1);
        QVERIFY(off.at(0).at(0).toString().contains(QStringLiteral("cannot be started")));
    }

    void odd_answers_are_survived() {
        ClangdClient client;
        QSignalSpy off(&client, &ClangdClient::switched_off);
        client.start(options(server("odd")));
        QTRY_VERIFY(client.running());
        client.set_text("x");
        std::vector<CompletionItem> items;
        bool answered = false;
        client.complete({0, 1}, [&](std::vector<CompletionItem> answer) { items = std::move(answer); });
        client.signature({0, 1}, [&](const CallTipText& text) { answered = text.signatures.empty(); });
        QTRY_VERIFY(answered);
        QCOMPARE(items.size(), std::size_t{1});
        QCOMPARE(off.count(), 0);
    }

    void the_real_one_knows_cuda() {
        const QString program = find_clangd();
        if (program.isEmpty()) QSKIP("clangd is not installed");
        ClangdClient client;
        client.set_patience(20'000);
        client.start(options(program));
        QTRY_VERIFY_WITH_TIMEOUT(client.running(), 20'000);
        client.set_text("struct Tile { float first; int second; };\n__device__ float f(Tile t) {\n    "
                        "return t.fi\n}\n");
        std::vector<CompletionItem> items;
        client.complete({2, 15}, [&](std::vector<CompletionItem> answer) { items = std::move(answer); });
        QTRY_VERIFY_WITH_TIMEOUT(!items.empty(), 20'000);
        QCOMPARE(items[0].name, std::string("first"));
        QString hover;
        client.hover({1, 17}, [&](const QString& text) { hover = text; });
        QTRY_VERIFY_WITH_TIMEOUT(hover.contains(QStringLiteral("Tile")), 10'000);
    }
};

QTEST_MAIN(TestClangd)
#include "test_clangd.moc"
