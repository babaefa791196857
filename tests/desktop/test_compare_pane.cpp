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

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <sstream>

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

using Lines = std::vector<std::string>;

Lines lines_of(const std::string& text) {
    Lines lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) lines.push_back(line);
    return lines;
}

std::string text_of(const Lines& lines) {
    std::string text;
    for (const auto& line : lines) text += line + '\n';
    return text;
}

/// By step and hunk.
std::map<std::string, std::string> last_said(const std::vector<trajectory::Decision>& decisions) {
    std::map<std::string, std::string> last;
    for (const auto& each : decisions) last[std::to_string(each.step) + " " + each.hunk] = each.action;
    return last;
}

/// Where the two differ, in words; empty where they do not.
std::string difference(std::map<std::string, std::string> expected, std::map<std::string, std::string> actual) {
    std::string told;
    for (const auto& [hunk, action] : expected)
        if (actual[hunk] != action) told += hunk + " is to be " + action + ", not '" + actual[hunk] + "'; ";
    for (const auto& [hunk, action] : actual)
        if (!expected.contains(hunk)) told += hunk + " is not to be " + action + "; ";
    return told;
}

/// What a user's acts come to, worked out from lines alone, no two of which are alike in a text. The second step is the
/// best.
class Model {
public:
    Model(const std::vector<std::string>& sources, std::size_t shown, Lines begin)
        : step(shown), past_{std::move(begin)} {
        for (const auto& each : sources) steps_.push_back(lines_of(each));
    }

    std::size_t step;

    [[nodiscard]] const Lines& now() const { return past_.back(); }

    /// The hunks lead from the one text to the other, and nothing that is alike is in them.
    [[nodiscard]] bool shown_rightly(const std::vector<editor::CompareHunk>& hunks, ComparePane::Base base) const {
        const auto& left = base_of(base);
        Lines result;
        int line = 0;
        for (const auto& hunk : hunks) {
            if (hunk.left_line < line || hunk.left_line + hunk.left_lines > std::ssize(left)
                || hunk.right_line + hunk.right_lines > std::ssize(target()))
                return false;
            result.insert(result.end(), left.begin() + line, left.begin() + hunk.left_line);
            const auto lines = added(hunk);
            result.insert(result.end(), lines.begin(), lines.end());
            line = hunk.left_line + hunk.left_lines;
        }
        result.insert(result.end(), left.begin() + line, left.end());
        return result == target();
    }

    [[nodiscard]] HunkState state(const editor::CompareHunk& hunk, ComparePane::Base base) const {
        if (is_taken(hunk, base)) return HunkState::taken;
        if (!place(hunk, base)) return HunkState::stale;
        const auto found = claims_.find(key(hunk));
        return found != claims_.end() && found->second.action == "rejected" ? HunkState::rejected : HunkState::open;
    }

    void accept(const editor::CompareHunk& hunk, ComparePane::Base base, int first = 0, int count = 0) {
        const auto at = is_taken(hunk, base) ? std::nullopt : place(hunk, base);
        if (!at) return;
        claim(hunk, base, first, count); // before the base changes, where that is the text
        edit([&](Lines& lines) { put(lines, hunk, *at, first, count); });
    }

    void accept_all(const std::vector<editor::CompareHunk>& hunks, ComparePane::Base base) {
        std::vector<std::pair<editor::CompareHunk, std::ptrdiff_t>> open;
        for (const auto& hunk : hunks)
            if (state(hunk, base) == HunkState::open) open.emplace_back(hunk, *place(hunk, base));
        for (const auto& [hunk, at] : open) claim(hunk, base, 0, 0);
        edit([&](Lines& lines) {
            for (auto each = open.rbegin(); each != open.rend(); ++each) put(lines, each->first, each->second, 0, 0);
        });
    }

    void reject(const editor::CompareHunk& hunk, ComparePane::Base base) {
        if (is_taken(hunk, base)) return;
        auto& mine = claims_[key(hunk)];
        if (mine.action.empty()) mine = claim_of(hunk, base);
        mine.action = "rejected";
    }

    template<class Change> void edit(const Change& change) {
        Lines lines = now();
        change(lines);
        if (lines == now()) return;
        past_.push_back(std::move(lines));
        future_.clear();
    }
    [[nodiscard]] bool undo() {
        if (past_.size() < 2) return false;
        future_.push_back(std::move(past_.back()));
        past_.pop_back();
        return true;
    }
    [[nodiscard]] bool redo() {
        if (future_.empty()) return false;
        past_.push_back(std::move(future_.back()));
        future_.pop_back();
        return true;
    }

    /// What was accepted is there, or in part, or not; what was rejected may have come by another way.
    void settle() {
        for (auto& [key, claim] : claims_) {
            const bool adds = !claim.added.empty();
            const auto& lines = adds ? claim.added : claim.removed;
            const auto there = std::ranges::count_if(
                lines, [&](const auto& line) { return adds ? is_in_text(line) : !is_back(line, claim); });
            const std::string action = there == 0 ? "undone" : there < std::ssize(lines) ? "edited" : "accepted";
            const bool moved = !claim.seen.empty() && claim.seen != action;
            claim.seen = action;
            if (claim.action != "rejected" || (moved && action == "accepted")) claim.action = action;
        }
    }
    [[nodiscard]] std::map<std::string, std::string> said() const {
        std::map<std::string, std::string> said;
        for (const auto& [key, claim] : claims_) said[key] = claim.action;
        return said;
    }

private:
    struct Claim {
        std::string action, seen{};
        Lines added{}, removed{};
        std::size_t step = 0;
        int at = 0; ///< line of the step's source
    };

    [[nodiscard]] bool is_in_text(const std::string& line) const {
        return std::ranges::find(now(), line) != now().end();
    }
    /// A removed line is back where it was: between the next lines before and after it that the step and the text have.
    [[nodiscard]] bool is_back(const std::string& line, const Claim& claim) const {
        const auto& source = steps_[claim.step - 1];
        auto from = now().begin(), to = now().end();
        for (int i = claim.at - 1; i >= 0; --i)
            if (const auto& before = source[static_cast<std::size_t>(i)]; is_in_text(before)) {
                from = std::ranges::find(now(), before);
                break;
            }
        for (int i = claim.at; i < std::ssize(source); ++i)
            if (const auto& after = source[static_cast<std::size_t>(i)]; is_in_text(after)) {
                to = std::ranges::find(now(), after);
                break;
            }
        return from < to && std::find(from, to, line) != to;
    }

    [[nodiscard]] const Lines& target() const { return steps_[step - 1]; }
    [[nodiscard]] const Lines& base_of(ComparePane::Base base) const {
        if (base == ComparePane::Base::parent && step > 1) return steps_[step - 2];
        return base == ComparePane::Base::best ? steps_[1] : now();
    }
    [[nodiscard]] std::string key(const editor::CompareHunk& hunk) const {
        return std::to_string(step) + " " + hunk.id;
    }
    [[nodiscard]] Lines added(const editor::CompareHunk& hunk) const {
        return {target().begin() + hunk.right_line, target().begin() + hunk.right_line + hunk.right_lines};
    }
    [[nodiscard]] Lines removed(const editor::CompareHunk& hunk, ComparePane::Base base) const {
        const auto& left = base_of(base);
        return {left.begin() + hunk.left_line, left.begin() + hunk.left_line + hunk.left_lines};
    }

    /// Where `lines` of `of` from `line` on stand in the text as they are: all of them, one after the other; where
    /// there are none, where those around them meet.
    [[nodiscard]] std::optional<std::ptrdiff_t> stands(const Lines& of, int line, int lines) const {
        const auto& text = now();
        if (lines > 0) {
            const auto found = std::search(text.begin(), text.end(), of.begin() + line, of.begin() + line + lines);
            return found == text.end() ? std::nullopt : std::optional{found - text.begin()};
        }
        const auto before = line > 0 ? std::ranges::find(text, of[static_cast<std::size_t>(line) - 1]) : text.begin();
        if (line > 0 && before == text.end()) return std::nullopt;
        const auto here = line > 0 ? before + 1 : before;
        const bool meets = line == std::ssize(of) ? here == text.end()
                                                  : here != text.end() && *here == of[static_cast<std::size_t>(line)];
        return meets ? std::optional{here - text.begin()} : std::nullopt;
    }
    [[nodiscard]] std::optional<std::ptrdiff_t> place(const editor::CompareHunk& hunk, ComparePane::Base base) const {
        return stands(base_of(base), hunk.left_line, hunk.left_lines);
    }
    [[nodiscard]] bool is_taken(const editor::CompareHunk& hunk, ComparePane::Base base) const {
        return !place(hunk, base) && stands(target(), hunk.right_line, hunk.right_lines);
    }
    /// Some lines take the place of those that they stand beside, or come after them.
    void put(Lines& lines, const editor::CompareHunk& hunk, std::ptrdiff_t at, int first, int count) const {
        auto piece = added(hunk);
        const bool part = count > 0 && count < hunk.right_lines;
        const int from = part ? std::min(first, hunk.left_lines) : 0;
        const int to = part ? std::min(first + count, hunk.left_lines) : hunk.left_lines;
        if (part) piece = Lines(piece.begin() + first, piece.begin() + first + count);
        lines.erase(lines.begin() + at + from, lines.begin() + at + to);
        lines.insert(lines.begin() + at + from, piece.begin(), piece.end());
    }
    [[nodiscard]] Claim claim_of(const editor::CompareHunk& hunk, ComparePane::Base base) const {
        return {
            .action = {}, .added = added(hunk), .removed = removed(hunk, base), .step = step, .at = hunk.right_line};
    }
    void claim(const editor::CompareHunk& hunk, ComparePane::Base base, int first, int count) {
        auto& mine = claims_[key(hunk)] = claim_of(hunk, base);
        mine.action = mine.seen = "accepted";
        if (count > 0 && count < hunk.right_lines)
            mine.added = Lines(mine.added.begin() + first, mine.added.begin() + first + count);
    }

    std::vector<Lines> steps_;
    std::vector<Lines> past_, future_;
    std::map<std::string, Claim> claims_;
};

struct Window {
    /// Of a new session with these steps; where one is named, it is right and the others are wrong.
    Window(const std::filesystem::path& folder, const std::vector<std::string>& sources, std::size_t best = 0)
        : Window((write_session(folder / "s.kwsession", sources, best), folder / "s.kwsession")) {}
    explicit Window(const std::filesystem::path& session) : path(session) {
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
        select(workbench.steps().back().id);
        pane->set_base(ComparePane::Base::mine);
    }
    ~Window() { pane.reset(); }

    static void write_session(const std::filesystem::path& path, const std::vector<std::string>& sources,
                              std::size_t best) {
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
            if (best > 0) step.evaluation = Json{{"reward", {{"value", i + 1 == best ? 1 : -1}}}};
            QVERIFY(session->add(step));
        }
    }

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
        const auto actions = [&] {
            std::vector<std::string> told;
            for (const auto& each : w.kept())
                if (each.hunk == id) told.push_back(each.action);
            return told;
        };
        w.pane->accept();
        w.text().undo();
        QTRY_COMPARE(actions(), (std::vector<std::string>{"accepted", "undone"}));
        w.text().redo();
        QTRY_COMPARE(actions(), (std::vector<std::string>{"accepted", "undone", "accepted"}));
        // Whichever step is looked at.
        w.select(1);
        w.pane->set_base(ComparePane::Base::parent);
        w.text().undo();
        QTRY_COMPARE(actions(), (std::vector<std::string>{"accepted", "undone", "accepted", "undone"}));
    }

    void what_was_accepted_and_edited_is_told() {
        const QTemporaryDir folder;
        Window w(folder.path().toStdString(), {"a\nz\n", "a\nb\nc\nd\nz\n"});
        w.text().replace_text("a\nz\n");
        w.settle();
        w.view().text()->setSelection(3, 0, 3, 1);
        w.pane->accept();
        w.text().undo();
        w.pane->truth().settle();
        w.view().text()->setCursorPosition(0, 0);
        w.pane->accept();
        w.text().setSelection(2, 0, 3, 0);
        w.text().removeSelectedText();
        w.pane->truth().settle();
        std::vector<std::tuple<std::string, std::int64_t, std::int64_t>> told;
        for (const auto& each : w.pane->log().decisions()) {
            told.emplace_back(each.action, each.first_line, each.lines);
            QCOMPARE(each.made_by, std::string("human"));
            QCOMPARE(each.reason, std::string());
        }
        QCOMPARE(told, (std::vector<std::tuple<std::string, std::int64_t, std::int64_t>>{
                           {"accepted", 2, 1}, {"undone", 2, 1}, {"accepted", 0, 0}, {"edited", 0, 0}}));
    }

    void a_second_window_sees_what_the_first_decides_and_leaves_it() {
        const QTemporaryDir folder;
        const auto sources = sources_of(2, 3);
        Window w(folder.path().toStdString(), sources);
        Window other(w.path);
        for (auto* each : {&w, &other}) {
            each->text().load_utf8(sources[0]);
            each->settle();
        }
        const auto before = other.text().utf8();
        w.pane->accept();
        w.pane->reject(QStringLiteral("spills"));
        const auto said = last_said(w.pane->log().decisions());
        QCOMPARE(said.size(), std::size_t{2});
        QTRY_COMPARE(last_said(other.pane->log().decisions()), said);
        const auto noted = [&](const QString& word) {
            return std::ranges::any_of(other.hunks(), [&](const auto& hunk) { return hunk.note.contains(word); });
        };
        QTRY_VERIFY(noted(QStringLiteral("spills")));
        // Its own text is another, which is no decision about the first's.
        QVERIFY(noted(QStringLiteral("in another text")));
        other.text().insertAt(QStringLiteral("// mine\n"), 0, 0);
        other.pane->truth().settle();
        QCOMPARE(last_said(w.kept()), said);
        other.text().undo();
        QCOMPARE(other.text().utf8(), before);
    }

    void how_lines_end_is_no_change() {
        const QTemporaryDir folder;
        Window w(folder.path().toStdString(), {"a\nb one\nc\nd\n", "a\nb two\nc\nD\nE\n"});
        w.text().load_utf8("a\r\nb one\r\nc\r\nd\r\n", editor::LineEnd::crlf);
        w.settle();
        QCOMPARE(w.hunks().size(), 2u);
        const auto words = w.hunks()[0].left_words;
        QCOMPARE(words.size(), 1u);
        QCOMPARE(w.text().utf8().substr(static_cast<std::size_t>(words[0].begin),
                                        static_cast<std::size_t>(words[0].end - words[0].begin)),
                 std::string("one"));
        w.view().set_current(1, false);
        w.pane->accept();
        QCOMPARE(w.text().utf8(), std::string("a\r\nb one\r\nc\r\nD\r\nE\r\n"));
        w.pane->set_base(ComparePane::Base::parent);
        QTRY_COMPARE(w.hunks().size(), 2u); // once the parent has been read
        QCOMPARE(w.hunks()[1].state, HunkState::taken);
        w.pane->accept_all();
        QCOMPARE(w.text().utf8(), std::string("a\r\nb two\r\nc\r\nD\r\nE\r\n"));
        w.text().undo();
        w.text().undo();
        w.pane->truth().settle();
        for (const auto& [hunk, action] : last_said(w.pane->log().decisions())) QCOMPARE(action, std::string("undone"));
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
        Window w(folder.path().toStdString(),
                 {std::string("a\0b", 3), std::string(10 << 20, 'x'), "\xff\xfe", std::string(10'000, '\n'), "ok\n"});
        for (const auto& [step, word] :
             {std::pair{1, "binary"}, std::pair{2, "MiB"}, std::pair{3, "UTF-8"}, std::pair{4, "lines, too many"}}) {
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

    // No order of what a user may do leaves the text, or what is said of it, other than what those acts say.
    void any_sequence_gives_what_was_asked() {
        std::map<std::string, int> done;
        for (unsigned seed = 1; seed <= 4; ++seed) {
            const QTemporaryDir folder;
            const auto sources = sources_of(5, 10 + seed);
            Window w(folder.path().toStdString(), sources, 2);
            w.text().load_utf8(sources[1]);
            w.settle();
            Model model(sources, 5, lines_of(sources[1]));
            std::mt19937 random(seed);
            for (int round = 0; round < 150; ++round) {
                w.view().text()->setCursorPosition(0, 0); // nothing is selected
                const auto base = w.pane->base();
                // Another step may still be being read.
                QVERIFY(QTest::qWaitFor([&] {
                    w.pane->update();
                    return model.shown_rightly(w.hunks(), base);
                }));
                for (const auto& hunk : w.hunks()) QCOMPARE(hunk.state, model.state(hunk, base));
                const auto what = random() % 12;
                const auto& hunks = w.hunks();
                if (!hunks.empty()) w.view().set_current(random() % hunks.size(), false);
                const auto line = static_cast<int>(random() % static_cast<unsigned>(w.text().lines() - 1));
                if (what <= 1 && !hunks.empty()) {
                    model.accept(*w.view().current(), base);
                    w.pane->accept();
                    ++done[base == ComparePane::Base::mine ? "accept" : "accept against another base"];
                } else if (what == 2 && !hunks.empty()) {
                    const auto chosen = *w.view().current();
                    if (chosen.right_lines < 2) continue;
                    const int first = static_cast<int>(random() % static_cast<unsigned>(chosen.right_lines));
                    const int count = first == 0 ? 1 : chosen.right_lines - first;
                    w.view().text()->setSelection(chosen.right_line + first, 0, chosen.right_line + first + count - 1,
                                                  1);
                    model.accept(chosen, base, first, count);
                    w.pane->accept();
                    ++done["accept of some lines"];
                } else if (what == 3 && random() % 3 == 0) {
                    model.accept_all(hunks, base);
                    w.pane->accept_all();
                    ++done["accept all"];
                } else if (what == 4 && !hunks.empty()) {
                    model.reject(*w.view().current(), base);
                    w.pane->reject(QStringLiteral("no"));
                    ++done["reject"];
                } else if (what == 5) {
                    const auto text = QStringLiteral("// mine %1").arg(round);
                    w.text().beginUndoAction();
                    w.text().insertAt(text + QLatin1Char('\n'), line, 0);
                    w.text().endUndoAction();
                    model.edit([&](Lines& lines) { lines.insert(lines.begin() + line, text.toStdString()); });
                    ++done["a line between"];
                } else if (what == 6) {
                    w.text().beginUndoAction();
                    w.text().insertAt(QStringLiteral("x%1 ").arg(round), line, 0);
                    w.text().endUndoAction();
                    model.edit([&](Lines& lines) {
                        auto& changed = lines[static_cast<std::size_t>(line)];
                        changed = "x" + std::to_string(round) + " " + changed;
                    });
                    ++done["typing inside"];
                } else if (what == 7) {
                    w.text().setSelection(line, 0, line + 1, 0);
                    w.text().removeSelectedText();
                    model.edit([&](Lines& lines) { lines.erase(lines.begin() + line); });
                    ++done["typing it away"];
                } else if (what == 8 && model.undo()) {
                    w.text().undo();
                    ++done["undo"];
                } else if (what == 9 && model.redo()) {
                    w.text().redo();
                    ++done["redo"];
                } else if (what == 10) {
                    // Here the text follows no step: it is the user's.
                    model.step = 1 + random() % sources.size();
                    w.select(static_cast<trajectory::StepId>(model.step));
                    ++done["step"];
                } else if (what == 11) {
                    w.pane->set_base(static_cast<ComparePane::Base>(random() % 3));
                    ++done["base"];
                }
                w.pane->truth().settle();
                QCOMPARE(w.text().utf8(), text_of(model.now()));
                model.settle();
                const auto other = difference(model.said(), last_said(w.pane->log().decisions()));
                QVERIFY2(other.empty(), (std::to_string(seed) + "/" + std::to_string(round) + ": " + other).c_str());
            }
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
            w.pane->truth().settle();
            QTRY_COMPARE(last_said(w.kept()), last_said(w.pane->log().decisions()));
        }
        for (const char* each :
             {"accept", "accept against another base", "accept of some lines", "accept all", "reject", "a line between",
              "typing inside", "typing it away", "undo", "redo", "step", "base"})
            QVERIFY2(done[each] > 0, each);
    }

    void interactions_are_told() {
        const auto timed = [](double us) {
            return Outcome{.compiles = true, .correct = true, .time = bench::Summary{us, us, us, 1}, .estimated = true};
        };
        const Outcome broken{.compiles = false, .correct = false};
        const auto said = [](const QStringList& sentences) { return sentences.join(QLatin1Char(' ')); };
        QVERIFY(said(interactions(timed(10), {{1, timed(9)}, {3, broken}, {4, broken}}, timed(5)))
                    .contains(QStringLiteral("3 and 4 only compile together")));
        QVERIFY(said(interactions(timed(18), {{1, timed(15)}, {2, timed(16.4)}}, timed(10)))
                    .contains(QStringLiteral("Together 1.80×, apart 1.20×, 1.10×")));
        QVERIFY(interactions(timed(12), {{1, timed(10)}, {2, timed(12)}}, timed(10)).isEmpty());
        const auto gain = gain_of({.compiles = true, .correct = true, .time = bench::Summary{10, 9, 11, 100}},
                                  {.compiles = true, .correct = true, .time = bench::Summary{5, 4.9, 5.1, 100}});
        QVERIFY(gain && gain->interval.lo < 2 && gain->interval.hi > 2 && gain->interval.hi < 2.1);
    }

    void a_stopped_measurement_leaves_nothing_behind() {
        const QTemporaryDir folder;
        std::string other(kKernel);
        other.replace(other.find("2.0f"), 4, "3.0f");
        Window w(folder.path().toStdString(), {kKernel, other});
        w.text().replace_text(kKernel);
        w.settle();
        w.pane->measure();
        QVERIFY2(all_text(w.view()).contains(QStringLiteral("Measuring")), qPrintable(all_text(w.view())));
        w.pane->measure(); // which stops it
        QVERIFY2(!all_text(w.view()).contains(QStringLiteral("Measuring")), qPrintable(all_text(w.view())));
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
