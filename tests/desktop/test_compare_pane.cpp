// The pane with the suggestion beside a real editor: accepting, rejecting, editing, undoing, stepping, in any order.

#include "agent/trajectory/session_file.h"
#include "app/desktop/compare_pane.h"
#include "app/desktop/settings.h"
#include "app/desktop/source_tabs.h"
#include "editor/compare_view.h"
#include "editor/cuda_editor.h"
#include "editor/editor_pane.h"
#include "tests/desktop/task_fixture.h"

#include <QMainWindow>
#include <QSignalSpy>
#include <QTest>

#include <random>

using namespace kw;
using namespace kw::desktop;
using namespace kw::desktop::testing;
using editor::HunkState;

namespace {

/// A kernel and changes of it, one step after the other.
std::vector<std::string> sources_of(int steps, unsigned seed) {
    std::mt19937 random(seed);
    std::vector<std::string> lines;
    for (int i = 0; i < 30; ++i) lines.push_back("    int line_" + std::to_string(i) + " = 0;");
    std::vector<std::string> sources;
    int fresh = 0;
    for (int step = 0; step < steps; ++step) {
        for (int edit = 0; edit < 5; ++edit) {
            const auto at = lines.begin() + static_cast<std::ptrdiff_t>(random() % lines.size());
            const auto line = "    float fresh_" + std::to_string(++fresh) + ";";
            const auto what = random() % 3;
            if (what == 0) lines.insert(at, line);
            if (what == 1 && lines.size() > 5) lines.erase(at);
            if (what == 2) *at = line;
        }
        std::string text;
        for (const auto& line : lines) text += line + '\n';
        sources.push_back(std::string(kKernel) + text);
    }
    return sources;
}

struct Window {
    explicit Window(const std::filesystem::path& folder, const std::vector<std::string>& sources)
        : path(folder / "s.kwsession") {
        task::Files files{{"task.toml", kToml}, {"scale.cu", kKernel}, {"reference.cu", kReference}};
        auto session = trajectory::SessionFile::create(path, files, "scale");
        QVERIFY(session);
        for (std::size_t i = 0; i < sources.size(); ++i) {
            trajectory::Step step;
            if (i > 0) step.summary.parent = static_cast<trajectory::StepId>(i);
            step.summary.driver = "tuner";
            step.summary.title = "step";
            step.file = "scale.cu";
            step.source = sources[i];
            const auto added = session->add(step);
            QVERIFY(added);
        }
        window.setCentralWidget(&tabs);
        QObject::connect(&workbench, &Workbench::task_opened, &tabs,
                         [this] { tabs.open_task(workbench.files(), *workbench.task(), {}); });
        docks.add(QStringLiteral("steps"), QStringLiteral("Steps"), Docks::Place::left, [] { return new QWidget; });
        pane =
            std::make_unique<ComparePane>(docks, workbench, worker, tabs, [] { return std::string("sim"); }, nullptr);
        docks.add(QStringLiteral("verdict"), QStringLiteral("Verdict"), Docks::Place::right,
                  [] { return new QWidget; });
        docks.add(QStringLiteral("problems"), QStringLiteral("Problems"), Docks::Place::bottom,
                  [] { return new QWidget; });
        window.resize(1280, 800);
        docks.apply(QStringLiteral("review"));
        window.show();
        QSignalSpy opened(&workbench, &Workbench::session_opened);
        workbench.open_session(path);
        QVERIFY(opened.wait(10'000));
        select(static_cast<trajectory::StepId>(sources.size()));
        pane->set_base(ComparePane::Base::mine);
    }
    ~Window() { pane.reset(); }

    void select(trajectory::StepId id) {
        workbench.select(id);
        QVERIFY(
            QTest::qWaitFor([&] { return workbench.selected() && workbench.selected()->step.summary.id == id; }, 5000));
    }
    [[nodiscard]] editor::CudaEditor& text() { return *tabs.current(); }
    [[nodiscard]] editor::CompareView& view() { return *pane->view(); }
    [[nodiscard]] const std::vector<editor::CompareHunk>& hunks() { return view().comparison().hunks; }
    void settle() {
        QTest::qWait(1);
        pane->update();
    }
    [[nodiscard]] std::vector<trajectory::Decision> kept() const {
        return trajectory::SessionFile::open(path, trajectory::SessionFile::Access::read)->decisions().value();
    }

    std::filesystem::path path;
    WorkerSession worker{rpc::WorkerCommand{.arguments = {KW_WORKER_PROGRAM, "serve"}, .name = "the worker"}};
    Workbench workbench{worker};
    Settings settings;
    QMainWindow window;
    Docks docks{window, settings};
    SourceTabs tabs;
    std::unique_ptr<ComparePane> pane;
};

} // namespace

class TestComparePane : public QObject {
    Q_OBJECT
    QTemporaryDir home_;

private Q_SLOTS:
    void initTestCase() { use_home(home_); }

    void what_is_accepted_is_in_the_text_and_undo_brings_it_back() {
        const QTemporaryDir folder;
        Window w(folder.path().toStdString(), sources_of(3, 1));
        const std::string before = w.text().utf8();
        QVERIFY(w.hunks().size() > 0);
        while (!w.hunks().empty()) w.pane->accept();
        QCOMPARE(w.text().utf8(), w.workbench.selected()->step.source);
        while (w.text().isUndoAvailable()) w.text().undo();
        QCOMPARE(w.text().utf8(), before);
        w.settle();
        w.pane->accept_all();
        QCOMPARE(w.text().utf8(), w.workbench.selected()->step.source);
        w.text().undo(); // one step
        QCOMPARE(w.text().utf8(), before);
    }

    void a_rejection_is_kept_with_its_reason_and_shown_again() {
        const QTemporaryDir folder;
        Window w(folder.path().toStdString(), sources_of(3, 2));
        w.select(2);
        w.text().replace_text(w.workbench.selected()->step.source);
        w.select(3);
        w.settle();
        const auto id = w.view().current()->id;
        w.pane->reject(QStringLiteral("spills registers"));
        const auto is = [&](HunkState state) {
            return std::ranges::any_of(w.hunks(), [&](const auto& hunk) {
                return hunk.id == id && hunk.state == state && hunk.note.contains(QStringLiteral("spills registers"));
            });
        };
        QVERIFY(is(HunkState::rejected));
        w.select(1);
        w.select(3);
        w.settle();
        QVERIFY(is(HunkState::rejected));
        w.pane->accept_all();
        QVERIFY(w.text().utf8() != w.workbench.selected()->step.source);
        QTRY_VERIFY(std::ranges::any_of(w.kept(), [&](const trajectory::Decision& each) {
            return each.step == 3 && each.hunk == id && each.action == "rejected" && each.reason == "spills registers"
                   && each.time_ms > 0;
        }));
    }

    void an_undone_accept_is_told() {
        const QTemporaryDir folder;
        Window w(folder.path().toStdString(), sources_of(2, 3));
        const auto id = w.view().current()->id;
        w.pane->accept();
        w.text().undo();
        w.settle();
        w.text().redo();
        w.settle();
        std::vector<std::string> actions;
        for (const auto& each : w.pane->log().decisions())
            if (each.hunk == id) actions.push_back(each.action);
        QCOMPARE(actions, (std::vector<std::string>{"accepted", "undone", "accepted"}));
    }

    void a_text_that_has_moved_on_says_so() {
        const QTemporaryDir folder;
        Window w(folder.path().toStdString(), {"a\nb\nc\nd\ne\n", "a\nB\nc\nD\ne\n"});
        w.text().replace_text("a\nmine\nc\nd\ne\n");
        w.pane->set_base(ComparePane::Base::parent);
        QTRY_COMPARE(w.hunks().size(), 2u);
        QTRY_COMPARE(w.hunks()[0].state, HunkState::stale);
        QVERIFY(w.hunks()[0].note.contains(QStringLiteral("line 2")));
        QCOMPARE(w.hunks()[1].state, HunkState::open);
        w.view().set_current(0, true);
        w.pane->accept(); // refused
        QCOMPARE(w.text().utf8(), std::string("a\nmine\nc\nd\ne\n"));
        w.pane->accept_all();
        QCOMPARE(w.text().utf8(), std::string("a\nmine\nc\nD\ne\n"));
        QCOMPARE(w.hunks()[1].state, HunkState::taken);
    }

    void typing_over_the_base_brings_my_text_back() {
        const QTemporaryDir folder;
        Window w(folder.path().toStdString(), {"a\nb\n", "a\nB\n"});
        w.text().replace_text("mine\n");
        w.pane->set_base(ComparePane::Base::parent);
        const auto cover = [&] { return w.tabs.findChild<editor::CudaEditor*>(QStringLiteral("compare.base_text")); };
        QTRY_VERIFY(cover());
        QCOMPARE(cover()->utf8(), std::string("a\nb\n"));
        w.text().setCursorPosition(0, 0);
        QTest::keyClick(cover(), Qt::Key_Down); // looking around is no typing
        QCOMPARE(w.pane->base(), ComparePane::Base::parent);
        QTest::keyClicks(cover(), QStringLiteral("x"));
        QCOMPARE(w.pane->base(), ComparePane::Base::mine);
        QCOMPARE(w.text().utf8(), std::string("xmine\n"));
    }

    void some_lines_of_a_hunk_are_taken() {
        const QTemporaryDir folder;
        Window w(folder.path().toStdString(), {"a\nz\n", "a\nb\nc\nd\nz\n"});
        w.text().replace_text("a\nz\n");
        w.settle();
        w.view().text()->setSelection(2, 0, 2, 1);
        w.pane->accept();
        QCOMPARE(w.text().utf8(), std::string("a\nc\nz\n"));
        w.text().undo();
        QCOMPARE(w.text().utf8(), std::string("a\nz\n"));
    }

    void what_cannot_be_compared_is_said() {
        const QTemporaryDir folder;
        Window w(folder.path().toStdString(), {std::string("a\0b", 3), std::string(10 << 20, 'x'), "\xff\xfe", "ok\n"});
        for (const auto& [step, word] : {std::pair{1, "binary"}, std::pair{2, "MiB"}, std::pair{3, "UTF-8"}}) {
            w.select(step);
            w.settle();
            QVERIFY2(all_text(w.view()).contains(QLatin1String(word)), qPrintable(all_text(w.view())));
            QVERIFY(w.hunks().empty());
        }
    }

    void a_stream_is_shown_and_cannot_be_taken() {
        const QTemporaryDir folder;
        Window w(folder.path().toStdString(), {"a\nb\nc\nd\n"});
        w.text().replace_text("a\nb\nc\nd\n");
        w.pane->stream(QStringLiteral("being written"), "a\nB\n");
        w.settle();
        QCOMPARE(w.hunks().size(), 1u);
        QCOMPARE(w.hunks()[0].left_lines, 1); // c and d are still to come
        w.pane->accept();
        w.pane->accept_all();
        QCOMPARE(w.text().utf8(), std::string("a\nb\nc\nd\n"));
        w.pane->stream({}, {});
        w.settle();
        QVERIFY(w.hunks().empty());
    }

    // No order of what a user may do leaves the text other than what those acts say.
    void any_sequence_gives_what_was_asked() {
        for (unsigned seed = 1; seed <= 4; ++seed) {
            const QTemporaryDir folder;
            const auto sources = sources_of(5, 10 + seed);
            Window w(folder.path().toStdString(), sources);
            w.text().load_utf8(sources[1]);
            w.settle();
            std::mt19937 random(seed);
            // Texts as undo goes back through them.
            std::vector<std::string> past{sources[1]}, future;
            const auto now = [&](std::string text) {
                if (text == past.back()) return;
                past.push_back(std::move(text));
                future.clear();
            };
            std::map<std::string, int> done;
            for (int round = 0; round < 120; ++round) {
                const auto what = random() % 8;
                const auto& hunks = w.hunks();
                if (!hunks.empty()) w.view().set_current(random() % hunks.size(), false);
                if ((what == 0 || what == 1) && !hunks.empty()) {
                    const auto chosen = *w.view().current();
                    std::string expected = past.back();
                    if (w.pane->base() == ComparePane::Base::mine) {
                        // By lines, as the card shows them.
                        const auto target =
                            QString::fromStdString(w.workbench.selected()->step.source).split(QLatin1Char('\n'));
                        auto lines = QString::fromStdString(expected).split(QLatin1Char('\n'));
                        lines.remove(chosen.left_line, chosen.left_lines);
                        for (int i = 0; i < chosen.right_lines; ++i)
                            lines.insert(chosen.left_line + i, target[chosen.right_line + i]);
                        expected = lines.join(QLatin1Char('\n')).toStdString();
                        w.pane->accept();
                        QCOMPARE(w.text().utf8(), expected);
                        ++done["accept"];
                    } else {
                        const bool can = chosen.state == HunkState::open || chosen.state == HunkState::rejected;
                        w.pane->accept();
                        QCOMPARE(w.text().utf8() != expected, can);
                        expected = w.text().utf8();
                        ++done["accept against another base"];
                    }
                    now(expected);
                } else if (what == 2 && !hunks.empty()) {
                    w.pane->reject(QStringLiteral("no"));
                    QCOMPARE(w.text().utf8(), past.back());
                    ++done["reject"];
                } else if (what == 3) {
                    const auto line = static_cast<int>(random() % static_cast<unsigned>(w.text().lines()));
                    w.text().beginUndoAction();
                    w.text().insertAt(QStringLiteral("// mine %1\n").arg(round), line, 0);
                    w.text().endUndoAction();
                    now(w.text().utf8());
                    ++done["edit"];
                } else if (what == 4 && past.size() > 1) {
                    w.text().undo();
                    future.push_back(past.back());
                    past.pop_back();
                    ++done["undo"];
                } else if (what == 5 && !future.empty()) {
                    w.text().redo();
                    past.push_back(future.back());
                    future.pop_back();
                    ++done["redo"];
                } else if (what == 6) {
                    // Here the text follows no step: it is the user's.
                    w.select(1 + static_cast<trajectory::StepId>(random() % sources.size()));
                    ++done["step"];
                } else if (what == 7) {
                    w.pane->set_base(static_cast<ComparePane::Base>(random() % 3));
                    ++done["base"];
                }
                w.settle();
                if (w.view().comparison().hunks.empty()) QTest::qWait(20); // another step may be being read
                QCOMPARE(w.text().utf8(), past.back());
            }
            for (const char* each :
                 {"accept", "accept against another base", "reject", "edit", "undo", "redo", "step", "base"})
                QVERIFY2(done[each] > 0, each);
            w.pane->set_base(ComparePane::Base::mine);
            w.settle();
            // All that was not turned down, and then that too.
            w.pane->accept_all();
            while (!w.hunks().empty()) {
                w.view().set_current(0, false);
                w.pane->accept();
            }
            QCOMPARE(w.text().utf8(), w.workbench.selected()->step.source);
            while (w.text().isUndoAvailable()) w.text().undo();
            QCOMPARE(w.text().utf8(), sources[1]);
        }
    }

    void interactions_are_told() {
        const auto timed = [](double us) {
            return Outcome{.compiles = true, .correct = true, .time = bench::Summary{us, us, us, 1}, .estimated = true};
        };
        const Outcome broken{.compiles = false, .correct = false};
        const auto said = [](const QStringList& sentences) { return sentences.join(QLatin1Char(' ')); };
        QVERIFY(said(interactions(timed(10), {timed(9), broken, broken}, timed(5)))
                    .contains(QStringLiteral("2 and 3 only compile together")));
        QVERIFY(said(interactions(timed(18), {timed(15), timed(16.4)}, timed(10)))
                    .contains(QStringLiteral("Together 1.80×, apart 1.20×, 1.10×")));
        QVERIFY(interactions(timed(12), {timed(10), timed(12)}, timed(10)).isEmpty());
        const auto gain = gain_of({.compiles = true, .correct = true, .time = bench::Summary{10, 9, 11, 100}},
                                  {.compiles = true, .correct = true, .time = bench::Summary{5, 4.9, 5.1, 100}});
        QVERIFY(gain && gain->interval.lo < 2 && gain->interval.hi > 2 && gain->interval.hi < 2.1);
    }

    void a_change_is_measured_without_becoming_a_step() {
        const QTemporaryDir folder;
        std::string broken(kKernel);
        broken.replace(broken.find("2.0f"), 4, "3.0f");
        Window w(folder.path().toStdString(), {kKernel, broken});
        w.text().replace_text(kKernel);
        w.settle();
        w.pane->measure();
        QTRY_VERIFY2_WITH_TIMEOUT(all_text(w.view()).contains(QStringLiteral("Wrong")), qPrintable(all_text(w.view())),
                                  60'000);
        QCOMPARE(w.workbench.steps().size(), 2u);
    }
};

QTEST_MAIN(TestComparePane)
#include "test_compare_pane.moc"
