#include "app/desktop/compare_pane.h"

#include "app/desktop/source_tabs.h"
#include "editor/compare_card.h"
#include "editor/compare_view.h"
#include "editor/cuda_editor.h"

#include <QAction>
#include <QCoreApplication>
#include <QEvent>
#include <QKeyEvent>

#include <algorithm>
#include <utility>

namespace kw::desktop {
namespace {

/// A burst of keys is one comparison.
constexpr int kSoonMs = 30;

} // namespace

ComparePane::ComparePane(Docks& docks, Workbench& workbench, WorkerSession& worker, SourceTabs& sources,
                         std::function<std::string()> device, QObject* parent)
    : QObject(parent),
      workbench_(workbench),
      sources_(sources),
      device_(std::move(device)),
      truth_(workbench, sources, log_, this),
      measure_(worker, this) {
    pane_ = docks.add(QStringLiteral("suggestion"), tr("Suggestion"), Docks::Place::beside, [this] { return make(); });
    make_actions();
    timer_.setSingleShot(true);
    timer_.setInterval(kSoonMs);
    connect(&timer_, &QTimer::timeout, this, &ComparePane::update);
    connect(pane_, &QDockWidget::visibilityChanged, this, &ComparePane::soon);
    connect(&sources_, &SourceTabs::text_changed, this, &ComparePane::soon);
    connect(&sources_, &SourceTabs::current_changed, this, &ComparePane::update);
    connect(&workbench_, &Workbench::task_opened, this, [this] {
        streamed_.reset();
        sources_read_.clear();
        base_.reset();
        measure_.forget();
        log_.open({});
        update();
    });
    connect(&workbench_, &Workbench::session_opened, this,
            [this](const std::shared_ptr<const OpenedSession>& session) { log_.open(session->path); });
    connect(&workbench_, &Workbench::run_started, &measure_, &CompareMeasure::give_way);
    connect(&workbench_, &Workbench::session_changed, &log_, &CompareLog::reread);
    connect(&workbench_, &Workbench::step_selected, this, [this] {
        if (view_) view_->forget_measures();
        // Who goes through steps fast sees the comparison of the one that they stay at.
        const bool passing = moved_.isValid() && moved_.elapsed() < kPassingMs;
        moved_.start();
        if (!passing || !view_) return update();
        // Until then there is nothing to take: what is shown is another step's.
        compared_.reset();
        view_->show_comparison({});
        timer_.start();
    });
    connect(&workbench_, &Workbench::step_read, this, [this](const std::shared_ptr<const StepRecord>& record) {
        auto& source = sources_read_[record->step.summary.id];
        source = record->step.has_source() ? std::optional{record->step.source} : std::nullopt;
        soon();
    });
    connect(&workbench_, &Workbench::step_unreadable, this, [this](qlonglong id) {
        sources_read_[id] = std::nullopt;
        soon();
    });
    connect(&log_, &CompareLog::read, this, &ComparePane::update);
    connect(&log_, &CompareLog::failed, this,
            [this](const Error& error) { Q_EMIT told(QString::fromStdString(error.message)); });
    connect(&measure_, &CompareMeasure::advanced, this, &ComparePane::show_measures);
    connect(&measure_, &CompareMeasure::failed, this, [this](const Error& error) {
        show_measures(); // what was being measured is not any more
        if (view_ && error.code != ErrorCode::cancelled)
            view_->set_measure({}, tr("Could not be measured: %1").arg(QString::fromStdString(error.message)),
                               QStringLiteral("bad"), false);
    });
}

ComparePane::~ComparePane() {
    if (view_) view_->disconnect(this);
}

QWidget* ComparePane::make() {
    view_ = new editor::CompareView;
    connect(view_, &editor::CompareView::accept_requested, this, &ComparePane::accept);
    connect(view_, &editor::CompareView::accept_all_requested, this, &ComparePane::accept_all);
    connect(view_, &editor::CompareView::reject_requested, this, &ComparePane::reject);
    connect(view_, &editor::CompareView::measure_requested, this, &ComparePane::measure);
    connect(view_, &editor::CompareView::measure_all_requested, this, &ComparePane::measure_all);
    connect(view_, &editor::CompareView::base_chosen, this, [this](int index) { set_base(static_cast<Base>(index)); });
    connect(view_, &QObject::destroyed, this, [this] { view_ = nullptr; });
    soon();
    return view_;
}

void ComparePane::make_actions() {
    const auto make = [this](const char* name, const QString& text, const QList<QKeySequence>& keys, auto what) {
        auto* action = new QAction(text, this);
        action->setObjectName(QLatin1String(name));
        action->setShortcuts(keys);
        connect(action, &QAction::triggered, this, [this, what] {
            pane_->ensure();
            if (!pane_->isVisible()) pane_->show();
            what();
        });
        actions_ << action;
    };
    const auto key = [](const char* text) { return QKeySequence(QLatin1String(text)); };
    make("compare_next", tr("Next change"), {key("F7")}, [this] { view_->go(1); });
    make("compare_previous", tr("Previous change"), {key("Shift+F7")}, [this] { view_->go(-1); });
    make("compare_accept", tr("Accept change"), {key("Ctrl+Return"), key("Ctrl+Enter")}, [this] { accept(); });
    make("compare_accept_all", tr("Accept all changes"), {key("Ctrl+Shift+Return")}, [this] { accept_all(); });
    // The first is a word's deletion where text is edited.
    make("compare_reject", tr("Reject change…"), {key("Ctrl+Backspace"), key("Ctrl+Alt+Backspace")}, [this] {
        if (view_->current()) view_->card()->ask_reason();
    });
    make("compare_measure", tr("Measure this change"), {key("Ctrl+M")}, [this] { measure(); });
    make("compare_measure_all", tr("Measure all changes"), {key("Ctrl+Shift+M")}, [this] { measure_all(); });
    make("compare_base_mine", tr("Compare with my text"), {key("Ctrl+Alt+1")}, [this] { set_base(Base::mine); });
    make("compare_base_parent", tr("Compare with the parent step"), {key("Ctrl+Alt+2")},
         [this] { set_base(Base::parent); });
    make("compare_base_best", tr("Compare with the best step"), {key("Ctrl+Alt+3")}, [this] { set_base(Base::best); });
}

ComparePane::Base ComparePane::base() const {
    // Where the text follows the steps, there would never be a difference to it.
    return base_.value_or(workbench_.folder().empty() && !streamed_ ? Base::parent : Base::mine);
}

void ComparePane::set_base(Base base) {
    base_ = base;
    if (view_) view_->forget_measures();
    update();
}

void ComparePane::stream(const QString& title, const std::string& source) {
    const bool was = streamed_.has_value();
    if (source.empty() || !workbench_.task())
        streamed_.reset();
    else
        streamed_ = Shown{.step = 0, .file = workbench_.task()->kernel, .source = source, .title = title};
    if (was || streamed_) soon();
}

std::optional<ComparePane::Shown> ComparePane::shown() const {
    if (streamed_) return streamed_;
    const auto& record = workbench_.selected();
    if (!record || !record->step.has_source()) return std::nullopt;
    return Shown{.step = record->step.summary.id,
                 .file = record->step.file,
                 .source = record->step.source,
                 .title = tr("Suggestion · step %1").arg(record->step.summary.id)};
}

std::optional<std::string> ComparePane::base_text(const Shown& shown, const std::string& mine, QString& instead) {
    if (base() == Base::mine || !workbench_.selected()) return mine;
    const auto wanted = base() == Base::best ? workbench_.best()
                        : shown.step == 0    ? std::optional{workbench_.selected()->step.summary.id}
                                             : workbench_.selected()->step.summary.parent;
    if (!wanted) {
        instead = base() == Base::best ? tr("No step is right yet, so this is against my text.")
                                       : tr("This step has no parent, so this is against my text.");
        return mine;
    }
    const auto& selected = workbench_.selected()->step;
    if (*wanted == selected.summary.id && selected.has_source()) return selected.source;
    if (const auto found = sources_read_.find(*wanted); found != sources_read_.end()) {
        if (found->second) return found->second;
        instead = tr("The source of step %1 is not known, so this is against my text.").arg(*wanted);
        return mine;
    }
    workbench_.read(*wanted);
    return std::nullopt;
}

QString ComparePane::why_nothing_shown() const {
    const auto& record = workbench_.selected();
    if (!record)
        return tr("Run the kernel or start an agent: the step that is selected is compared with your text here.");
    if (record->unreadable)
        return tr("This step's source cannot be read: %1.").arg(QString::fromStdString(record->unreadable->message));
    return tr("Nothing is known of this step's source.");
}

void ComparePane::show_bases(const Shown& shown) {
    const auto& record = workbench_.selected();
    trajectory::StepId parent = 0; // none
    if (record) parent = shown.step == 0 ? record->step.summary.id : record->step.summary.parent.value_or(0);
    const auto best = workbench_.best().value_or(0);
    view_->set_bases({tr("against my text"),
                      parent > 0 ? tr("against its parent, step %1").arg(parent) : tr("against its parent (none)"),
                      best > 0 ? tr("against the best, step %1").arg(best) : tr("against the best (none yet)")},
                     static_cast<int>(base()));
}

void ComparePane::update() {
    timer_.stop();
    compared_.reset();
    if (!view_) return;
    const auto now = shown();
    auto* editor = now && sources_.current_file() == now->file ? sources_.editor(now->file) : nullptr;
    const QString problem = now ? why_not_compared(now->source) : QString();
    if (!now || !editor || !problem.isEmpty() || !pane_->isVisible()) {
        show_cover(nullptr, nullptr);
        view_->set_left(nullptr);
        editor_ = nullptr;
        if (!now)
            view_->show_message(tr("No suggestion"), why_nothing_shown());
        else if (!problem.isEmpty())
            view_->show_message(tr("Not compared"), problem);
        else if (!editor)
            view_->show_message(
                tr("Another file is in front"),
                tr("This suggestion is of %1; open that to compare.").arg(QString::fromStdString(now->file)));
        return;
    }
    editor_ = editor;
    view_->set_title(now->title, now->step > 0 ? tr("Step %1").arg(now->step) : tr("Being written"));
    view_->set_notice({});
    show_bases(*now);
    const std::string mine = editor->utf8();
    QString instead;
    const auto base_now = base_text(*now, mine, instead);
    if (!base_now) {
        view_->show_comparison({}); // what was there is of another base
        view_->set_notice(tr("Reading the step to compare with…"));
        return;
    }
    const bool against_mine = base() == Base::mine || *base_now == mine;
    show_cover(editor, against_mine ? nullptr : &*base_now);
    auto compared = compare_texts({.base = *base_now,
                                   .suggestion = now->source,
                                   .mine = against_mine ? std::nullopt : std::optional{mine},
                                   .unfinished = now->step == 0});
    if (!compared) {
        view_->show_message(tr("Not compared"), QString::fromStdString(compared.error().message));
        return;
    }
    compared_step_ = now->step;
    apply_decisions(compared->comparison, log_.decisions(), now->step);
    compared_ = std::move(*compared);
    view_->set_suggestion(now->source);
    view_->set_left(against_mine ? editor : cover_.data());
    view_->show_comparison(compared_->comparison);
    const auto& hunks = compared_->comparison.hunks;
    if (now->step == 0)
        view_->set_notice(tr("Being written; it can be taken once it is whole."), QStringLiteral("info"));
    else if (editor->isReadOnly())
        view_->set_notice(tr("My text is read only, so nothing can be taken."), QStringLiteral("warn"));
    else if (const auto stale = std::ranges::count(hunks, editor::HunkState::stale, &editor::CompareHunk::state))
        view_->set_notice(tr("My text has moved on: %n change(s) no longer fit.", nullptr, static_cast<int>(stale)),
                          QStringLiteral("warn"));
    else if (!instead.isEmpty())
        view_->set_notice(instead);
    else if (!against_mine && !hunks.empty())
        view_->set_notice(tr("On the left is what this is compared with; typing there brings my text back."));
    else if (hunks.empty())
        view_->set_notice(against_mine ? tr("The same as my text.") : tr("The same as what it is compared with."));
}

void ComparePane::decide(const patch::Hunk& hunk, const char* action, const QString& reason, const HunkPart& part) {
    log_.decide({.step = compared_step_,
                 .hunk = hunk.id,
                 .action = action,
                 .reason = reason.toStdString(),
                 .first_line = static_cast<std::int64_t>(part.first),
                 .lines = static_cast<std::int64_t>(part.count),
                 .removed = hunk.removed});
}

bool ComparePane::ready() {
    truth_.settle();
    update();
    return compared_ && editor_ && !streamed_;
}

std::optional<std::size_t> ComparePane::current_index() const {
    const auto* current = view_ ? view_->current() : nullptr;
    if (!current || !compared_ || !editor_) return std::nullopt;
    return static_cast<std::size_t>(
        std::ranges::find(compared_->comparison.hunks, current->id, &editor::CompareHunk::id)
        - compared_->comparison.hunks.begin());
}

void ComparePane::apply(std::vector<patch::Splice> splices) {
    using S = QsciScintilla;
    const std::string text = editor_->utf8();
    editor_->beginUndoAction();
    for (auto splice = splices.rbegin(); splice != splices.rend(); ++splice) {
        const auto bytes = patch::bytes_of(editor_->view(0, editor_->SendScintilla(S::SCI_GETLENGTH)), *splice);
        editor_->SendScintilla(S::SCI_SETTARGETRANGE, static_cast<unsigned long>(bytes.begin),
                               static_cast<long>(bytes.end));
        splice->text = with_ends_of(text, std::move(splice->text));
        editor_->SendScintilla(S::SCI_REPLACETARGET, static_cast<unsigned long>(splice->text.size()),
                               splice->text.data());
    }
    editor_->endUndoAction();
}

HunkPart ComparePane::selected_part(std::size_t index) const {
    const auto lines = view_->selected_lines();
    if (!lines || static_cast<std::size_t>(lines->second) >= compared_->change.hunks[index].target_lines) return {};
    return {static_cast<std::size_t>(lines->first), static_cast<std::size_t>(lines->second)};
}

patch::Splice ComparePane::splice_of(std::size_t index, const HunkPart& part) const {
    const auto& hunk = compared_->change.hunks[index];
    const auto line = compared_->places[index].line;
    return part.count > 0 ? patch::splice_of_part(hunk, line, part.first, part.count) : patch::splice_of(hunk, line);
}

void ComparePane::accept() {
    if (!ready() || editor_->isReadOnly()) return;
    const auto index = current_index();
    if (!index) return;
    const auto& place = compared_->places[*index];
    if (place.state != patch::Place::State::open) {
        Q_EMIT told(compared_->comparison.hunks[*index].note);
        return;
    }
    const auto hunk = compared_->change.hunks[*index];
    const auto part = selected_part(*index);
    apply({splice_of(*index, part)});
    truth_.taken(compared_step_, hunk.id);
    decide(hunk, "accepted", {}, part);
    update();
}

void ComparePane::accept_all() {
    if (!ready() || editor_->isReadOnly()) return;
    std::vector<patch::Splice> splices;
    std::vector<patch::Hunk> taken;
    for (std::size_t i = 0; i < compared_->change.hunks.size(); ++i) {
        if (compared_->comparison.hunks[i].state != editor::HunkState::open) continue;
        splices.push_back(splice_of(i, {}));
        taken.push_back(compared_->change.hunks[i]);
    }
    if (splices.empty()) return;
    apply(std::move(splices));
    for (const auto& hunk : taken) {
        truth_.taken(compared_step_, hunk.id);
        decide(hunk, "accepted");
    }
    update();
}

void ComparePane::reject(const QString& reason) {
    if (!ready()) return;
    const auto index = current_index();
    if (!index) return;
    // What is in the text is not turned down: undo or typing takes it out.
    if (const auto& shown = compared_->comparison.hunks[*index]; shown.state == editor::HunkState::taken) {
        Q_EMIT told(shown.note);
        return;
    }
    decide(compared_->change.hunks[*index], "rejected", reason);
    update();
    view_->go(1);
}

std::string ComparePane::with(const patch::Splice& splice) const { return taken_into(editor_->utf8(), splice); }

void ComparePane::measure() {
    if (measure_.running()) {
        measure_.stop();
        return;
    }
    update();
    const auto index = current_index();
    if (!index || streamed_ || compared_->places[*index].state != patch::Place::State::open) return;
    if (workbench_.running()) {
        Q_EMIT told(tr("A run is under way; measuring beside it would disturb both."));
        return;
    }
    pipeline::Options options;
    view_->set_measure({}, {}, {}, false); // of another time
    options.candidate = shown()->file;
    options.device = device_();
    asked_one_ = true;
    asked_hunk_ = compared_->change.hunks[*index].id;
    asked_part_ = selected_part(*index);
    measure_.start({{{}, editor_->utf8()}, {asked_hunk_, with(splice_of(*index, asked_part_))}},
                   sources_.overlay(workbench_.files()), options);
}

void ComparePane::measure_all() {
    if (measure_.running()) {
        measure();
        return;
    }
    update();
    if (!compared_ || !editor_ || streamed_) return;
    if (workbench_.running()) {
        Q_EMIT told(tr("A run is under way; measuring beside it would disturb both."));
        return;
    }
    const std::string mine = editor_->utf8();
    std::vector<CompareMeasure::Job> jobs{{{}, mine}};
    std::string together = mine;
    for (std::size_t i = compared_->change.hunks.size(); i-- > 0;) {
        if (compared_->comparison.hunks[i].state != editor::HunkState::open) continue;
        const auto& hunk = compared_->change.hunks[i];
        const auto splice = splice_of(i, {});
        jobs.insert(jobs.begin() + 1, {hunk.id, taken_into(mine, splice)});
        together = taken_into(together, splice);
    }
    if (jobs.size() == 1) return;
    jobs.push_back({{}, together});
    pipeline::Options options;
    view_->set_measure({}, {}, {}, false);
    options.candidate = shown()->file;
    options.device = device_();
    asked_all_ = true;
    asked_part_ = {};
    measure_.start(std::move(jobs), sources_.overlay(workbench_.files()), options);
}

void ComparePane::show_measures() {
    if (!view_ || !compared_ || !editor_ || !(asked_one_ || asked_all_)) return;
    const auto* before = measure_.outcome(editor_->utf8());
    const bool running = measure_.running();
    std::vector<Measured> alone;
    std::string together = editor_->utf8();
    std::size_t open = 0;
    for (std::size_t i = compared_->change.hunks.size(); i-- > 0;) {
        const auto& hunk = compared_->change.hunks[i];
        if (compared_->comparison.hunks[i].state != editor::HunkState::open) continue;
        ++open;
        const auto part = hunk.id == asked_hunk_ ? asked_part_ : HunkPart{};
        const auto splice = splice_of(i, part);
        const auto* after = measure_.outcome(with(splice));
        together = taken_into(together, splice);
        if (before && after) {
            const auto said = tell(*before, *after);
            const QString of = tr("%n line(s): ", nullptr, static_cast<int>(part.count));
            view_->set_measure(hunk.id, part.count > 0 ? of + said.text : said.text, said.tone, false);
            alone.insert(alone.begin(), {i + 1, *after});
        } else if (running && (asked_all_ || hunk.id == asked_hunk_)) {
            view_->set_measure(hunk.id, tr("Measuring…"), QStringLiteral("quiet"), true);
        } else {
            view_->set_measure(hunk.id, {}, {}, false);
        }
    }
    if (asked_all_) {
        const auto* all = measure_.outcome(together);
        if (running) {
            view_->set_measure({}, tr("Measuring, %1 of %2 changes…").arg(alone.size()).arg(open),
                               QStringLiteral("quiet"), true);
        } else if (before && all && alone.size() == open) {
            const auto said = tell(*before, *all);
            QStringList sentences{tr("All together: %1").arg(said.text)};
            sentences << interactions(*before, alone, *all);
            view_->set_measure({}, sentences.join(QLatin1Char('\n')), said.tone, false);
        } else {
            view_->set_measure({}, {}, {}, false);
        }
    }
    if (!running) asked_one_ = asked_all_ = false;
}

void ComparePane::show_cover(editor::CudaEditor* over, const std::string* text) {
    if (cover_ && (!text || cover_->parentWidget() != over->parentWidget())) {
        if (view_) view_->set_left(nullptr);
        const bool had_focus = cover_->hasFocus();
        cover_->hide();
        cover_->deleteLater();
        cover_ = nullptr;
        if (had_focus && over) over->setFocus();
    }
    if (!text) return;
    if (!cover_) {
        cover_ = new editor::CudaEditor(over->parentWidget());
        cover_->setObjectName(QStringLiteral("compare.base_text"));
        cover_->setAccessibleName(tr("What the suggestion is compared with, read only"));
        cover_->setGeometry(over->geometry());
        over->installEventFilter(this);
        cover_->installEventFilter(this);
        if (over->hasFocus()) cover_->setFocus();
        cover_->show();
    }
    if (cover_->utf8() != *text) {
        cover_->setReadOnly(false);
        cover_->load_utf8(*text);
        cover_->setReadOnly(true);
    }
    cover_->raise();
}

bool ComparePane::eventFilter(QObject* object, QEvent* event) {
    if (object == editor_ && cover_ && (event->type() == QEvent::Resize || event->type() == QEvent::Move))
        cover_->setGeometry(editor_->geometry());
    // Who types means the text that can be typed in.
    if (object == cover_ && editor_ && event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<const QKeyEvent*>(event);
        const bool plain = !(key->modifiers() & (Qt::ControlModifier | Qt::AltModifier | Qt::MetaModifier));
        if (plain && !key->isAutoRepeat() && !key->text().isEmpty() && key->text().front().isPrint()) {
            QKeyEvent again(key->type(), key->key(), key->modifiers(), key->text());
            const QPointer edited = editor_;
            set_base(Base::mine);
            edited->setFocus();
            QCoreApplication::sendEvent(edited, &again);
            return true;
        }
    }
    return QObject::eventFilter(object, event);
}

} // namespace kw::desktop
