#include "editor/builtins.h"
#include "editor/call_tip.h"
#include "editor/code_assist.h"
#include "editor/completion.h"
#include "editor/completion_popup.h"
#include "editor/cuda_editor.h"

#include <QAbstractItemModelTester>
#include <QTest>

#include <set>

using namespace kw::editor;

namespace {

std::vector<std::string> names(std::span<const CompletionItem> items, std::string_view typed) {
    std::vector<std::string> out;
    for (const auto& ranked : rank(items, typed)) out.push_back(items[ranked.index].name);
    return out;
}

CompletionItem item(const char* name, CompletionItem::Source source = CompletionItem::Source::task) {
    return {name, "word", {}, {}, source};
}

struct Window {
    CudaEditor editor;
    explicit Window(const char* text = "") {
        editor.resize(600, 400);
        editor.show();
        editor.load(QString::fromUtf8(text));
        editor.setFocus();
        editor.SendScintilla(QsciScintilla::SCI_DOCUMENTEND);
        (void)QTest::qWaitForWindowActive(&editor);
    }
    CompletionPopup& popup() { return *editor.assist()->popup(); }
    CallTip& tip() { return *editor.assist()->call_tip(); }
    void type(const char* text) { QTest::keyClicks(&editor, QString::fromUtf8(text)); }
    void key(Qt::Key key, Qt::KeyboardModifiers modifiers = Qt::NoModifier) {
        QTest::keyClick(&editor, key, modifiers);
    }
};

} // namespace

class TestCompletion : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void the_table_keeps_its_rules() {
        const auto all = builtins();
        QVERIFY2(all.size() >= 200, "the table could not be read");
        std::set<std::string> groups;
        for (const auto& builtin : all) {
            groups.insert(builtin.group);
            QVERIFY2(builtin.about.ends_with('.') && builtin.about.size() > 2, builtin.name.c_str());
            QVERIFY2(builtin.about.find('\n') == std::string::npos, builtin.name.c_str());
            for (const auto& signature : builtin.signatures)
                QVERIFY2(signature.find(builtin.name) != std::string::npos, builtin.name.c_str());
            if (builtin.kind == Builtin::Kind::function)
                QVERIFY2(builtin.signatures.front().find('(') != std::string::npos, builtin.name.c_str());
        }
        for (const char* group :
             {"synchronisation", "warp", "atomics", "fast_math", "half", "bfloat16", "math", "directives",
              "asynchronous_copies", "cooperative_groups", "vector_types", "constructors"})
            QVERIFY2(groups.contains(group), group);
        QVERIFY(find_builtin("__shfl_xor_sync") && find_builtin("make_float4") && find_builtin("tune"));
        QVERIFY(!find_builtin("make_float9") && !find_builtin(""));
        const auto parsed = [](const char* text) { return parse_builtins(text, "b.toml"); };
        QVERIFY(!parsed("[[a]]\nname = \"x\"\nsignature = \"x\"\n").has_value());
        QVERIFY(!parsed("[[a]]\nname = \"x\"\nsignature = \"x\"\nabout = \"y\"\nkind = \"z\"\n").has_value());
        QVERIFY(!parsed("a = 1\n").has_value() && !parsed("[[a").has_value());
        const auto twice = parsed("[[a]]\nname = \"x\"\nsignature = \"x\"\nabout = \"y\"\n[[b]]\nname = "
                                  "\"x\"\nsignature = \"x\"\nabout = \"y\"\n");
        QVERIFY(!twice.has_value() && twice.error().message.find("twice") != std::string::npos);
    }

    void what_fits_best_comes_first() {
        using enum CompletionItem::Source;
        const std::vector<CompletionItem> items{item("__syncthreads", builtin),
                                                item("sync_all", document),
                                                item("Syncer"),
                                                item("sync", language),
                                                item("sync", document),
                                                item("resync_it"),
                                                item("async"),
                                                item("sAyAnAc"),
                                                item("other")};
        QCOMPARE(names(items, "sync"), (std::vector<std::string>{"sync", "sync_all", "Syncer", "__syncthreads", "async",
                                                                 "sAyAnAc", "resync_it"}));
        QCOMPARE(fit("tiled_partition", "part"), std::optional(2));
        QCOMPARE(fit("threadIdx", "Idx"), std::optional(2));
        QCOMPARE(fit("threadIdx", "tdx"), std::optional(3));
        QCOMPARE(fit("threadIdx", "xd"), std::nullopt);
        QCOMPARE(fitting_letters("threadIdx", "id"), (std::vector<std::size_t>{6, 7}));
        QCOMPARE(fitting_letters("threadIdx", "tx"), (std::vector<std::size_t>{0, 8}));
    }

    void a_line_says_where_the_caret_is() {
        QVERIFY(place_at_end("  x = thr") == Place::code);
        QVERIFY(place_at_end("  //@ tu") == Place::directive);
        QVERIFY(place_at_end("x; // thr") == Place::comment);
        QVERIFY(place_at_end("f(\"thr") == Place::string);
        QVERIFY(place_at_end("f(\"thr\", x") == Place::code);
        QVERIFY(place_at_end("f(\"a\\\"b") == Place::string);
        QVERIFY(place_at_end("a /* b */ c") == Place::code);
        QVERIFY(place_at_end("a /* b") == Place::comment);
        QVERIFY(place_at_end("#include <cu") == Place::preprocessor);
    }

    void the_call_around_the_caret() {
        const auto call = [](const char* text) {
            const auto found = call_at_end(text);
            return found ? found->name + "/" + std::to_string(found->argument) : std::string("-");
        };
        QCOMPARE(call("fmaf("), std::string("fmaf/0"));
        QCOMPARE(call("y = fmaf(a, g(1, 2), "), std::string("fmaf/2"));
        QCOMPARE(call("f(a[i, j], h(1, "), std::string("h/1"));
        QCOMPARE(call("f(\"a, (\", ',', /* , */ "), std::string("f/2"));
        QCOMPARE(call("tiled_partition<32>("), std::string("tiled_partition/0"));
        QCOMPARE(call("f(a); g"), std::string("-"));
        QCOMPARE(call("if (a"), std::string("-"));
        QCOMPARE(call("f(a, {1, 2"), std::string("-"));
        QCOMPARE(call("f(x;\n y"), std::string("-"));
        QCOMPARE(call(") ] }"), std::string("-"));
        const std::string_view signature = "float fmaf(float x, vec<int, 2> y, ...)";
        const auto parameter = [&](int i) {
            const auto range = parameter_range(signature, i);
            return std::string(signature.substr(range.begin, range.end - range.begin));
        };
        QCOMPARE(parameter(0), std::string("float x"));
        QCOMPARE(parameter(1), std::string("vec<int, 2> y"));
        QCOMPARE(parameter(5), std::string("..."));
        QCOMPARE(parameter_range("f()", 0), Range{});
        QCOMPARE(identifiers_of("int abc; // def\n\"ghi\" abc jkl2 12ab ab"),
                 (std::vector<std::string>{"abc", "jkl2"}));
    }

    void typing_offers_and_return_takes() {
        Window w("//@ launch k<<<1, 1>>>(x)\n__global__ void k(float* x) {\n    int threshold = 3;\n    x[");
        new QAbstractItemModelTester(w.popup().model(), QAbstractItemModelTester::FailureReportingMode::QtTest, this);
        w.type("t");
        QVERIFY(!w.popup().isVisible());
        w.type("hr");
        QVERIFY(w.popup().isVisible());
        QCOMPARE(w.popup().current()->name, std::string("threadIdx"));
        QVERIFY(!w.popup().current()->about.empty());
        w.key(Qt::Key_Tab);
        QVERIFY(!w.popup().isVisible());
        QVERIFY(w.editor.utf8().ends_with("x[threadIdx"));
        w.type("+thres");
        QVERIFY(w.popup().isVisible());
        QCOMPARE(w.popup().current()->name, std::string("threshold")); // of the text
        w.key(Qt::Key_Return);
        QVERIFY(w.editor.utf8().ends_with("x[threadIdx+threshold"));
        w.editor.undo();
        QVERIFY(w.editor.utf8().ends_with("+thres"));
        w.type("x");
        w.key(Qt::Key_Escape);
        QVERIFY(!w.popup().isVisible());
        w.type(" // thr");
        QVERIFY(!w.popup().isVisible());
    }

    void keys_walk_the_list_and_words_narrow_it() {
        Window w("__sh");
        w.editor.assist()->complete();
        QVERIFY(w.popup().isVisible());
        const auto first = w.popup().current()->name;
        w.key(Qt::Key_Down);
        QVERIFY(w.popup().current()->name != first);
        w.key(Qt::Key_Up);
        w.key(Qt::Key_Up); // around
        QCOMPARE(w.popup().current()->name, w.popup().model()->item(w.popup().model()->rowCount() - 1).name);
        const int before = w.popup().model()->rowCount();
        w.type("fl_x");
        QVERIFY(w.popup().model()->rowCount() < before);
        QCOMPARE(w.popup().current()->name, std::string("__shfl_xor_sync"));
        w.key(Qt::Key_Backspace);
        QVERIFY(w.popup().isVisible());
        w.type(" ");
        QVERIFY(!w.popup().isVisible());
    }

    void directives_offer_their_own_words() {
        Window w("//@ ");
        w.editor.set_task_words({{"rows", "size", "rows = 4096", "A size of the task.", {}}});
        w.type("tu");
        QVERIFY(w.popup().isVisible());
        QCOMPARE(w.popup().current()->name, std::string("tune"));
        w.key(Qt::Key_Escape);
        w.type(" ro");
        QCOMPARE(w.popup().current()->name, std::string("rows"));
        QCOMPARE(w.popup().current()->about, std::string("A size of the task."));
        for (int row = 0; row < w.popup().model()->rowCount(); ++row)
            QVERIFY(w.popup().model()->item(row).kind != "function");
    }

    void call_tips_follow_the_argument() {
        Window w("");
        w.type("__shfl_xor_sync");
        w.key(Qt::Key_Escape);
        w.type("(");
        QVERIFY(w.tip().isVisible());
        QVERIFY(w.tip().html().contains(QStringLiteral(">unsigned mask</b>")));
        w.type("m, ");
        QVERIFY(w.tip().html().contains(QStringLiteral(">T value</b>")));
        w.type("max(1, ");
        QVERIFY(w.tip().html().contains(QStringLiteral(">T y</b>")));
        w.type("2), ");
        QVERIFY(w.tip().html().contains(QStringLiteral(">int laneMask</b>")));
        w.type("1)");
        QVERIFY(!w.tip().isVisible());
        w.type("; __shfl_sync(");
        QVERIFY(w.tip().isVisible());
        w.key(Qt::Key_Escape);
        QVERIFY(!w.tip().isVisible());
    }

    void names_are_explained() {
        Window w("__syncthreads(); rows; nothing;");
        w.editor.set_task_words({{"rows", "size", "rows = 4096", "A size of the task.", {}}});
        QVERIFY(w.editor.explanation_at(3).contains(QStringLiteral("Waits until all threads")));
        QCOMPARE(w.editor.explanation_at(18), QStringLiteral("rows = 4096\nA size of the task."));
        QCOMPARE(w.editor.explanation_at(26), QString());
        w.editor.show_diagnostics({{.severity = kw::compile::Severity::error,
                                    .file = "k.cu",
                                    .line = 1,
                                    .column = 1,
                                    .message = "first",
                                    .code = {},
                                    .notes = {}}},
                                  "k.cu");
        QCOMPARE(w.editor.explanation_at(3), QStringLiteral("first"));
        w.editor.SendScintilla(QsciScintilla::SCI_INSERTTEXT, 0UL, "\n\n");
        QCOMPARE(w.editor.explanation_at(5), QStringLiteral("first")); // moved along
    }

    void a_read_only_text_offers_nothing() {
        Window w("thr");
        w.editor.setReadOnly(true);
        w.editor.assist()->complete();
        QVERIFY(!w.popup().isVisible());
    }
};

QTEST_MAIN(TestCompletion)
#include "test_completion.moc"
