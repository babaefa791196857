#include "app/desktop/lesson_pane.h"

#include "agent/review/lesson_view.h"

#include <algorithm>
#include <utility>

namespace kw::desktop {

LessonPane::LessonPane(Docks& docks, Workbench& workbench, QObject* parent) : QObject(parent), workbench_(workbench) {
    pane_ = docks.add(QStringLiteral("lesson"), tr("Lesson"), Docks::Place::right, [this] {
        view_ = new review::LessonView;
        connect(view_, &review::LessonView::start_requested, this, &LessonPane::start);
        connect(view_, &review::LessonView::reveal_requested, this, &LessonPane::reveal);
        connect(view_, &review::LessonView::next_requested, this, &LessonPane::ask);
        connect(view_, &review::LessonView::end_requested, this, [this] { end(false); });
        connect(view_, &review::LessonView::edit_requested, this, &LessonPane::edit);
        connect(view_, &review::LessonView::edited, this, [this](const std::vector<trajectory::Question>& questions) {
            const auto& selected = workbench_.selected();
            if (!selected) return;
            if (questions.empty())
                questions_.erase(selected->step.summary.id);
            else
                questions_[selected->step.summary.id] = questions;
            workbench_.keep_lesson(trajectory::to_text(questions_));
            show_idle();
        });
        return view_;
    });
    connect(pane_, &Pane::came_to_front, this, [this] {
        if (!running_) show_idle();
    });
    connect(&workbench_, &Workbench::session_opened, this, [this](const std::shared_ptr<const OpenedSession>& opened) {
        running_ = false;
        auto questions = trajectory::questions_from(opened->lesson);
        if (!questions) Q_EMIT told(QString::fromStdString(questions.error().message));
        questions_ = questions ? std::move(*questions) : trajectory::Questions{};
    });
    connect(&workbench_, &Workbench::steps_changed, this, [this] {
        if (view_ && !running_) show_idle();
    });
    connect(&workbench_, &Workbench::step_read, this, [this](const std::shared_ptr<const StepRecord>& record) {
        if (reading_ != record->step.summary.id) return;
        reading_.reset();
        next_ = record;
        if (!before_ || !running_) return;
        const auto& step = next_->step;
        const auto shown = static_cast<int>(workbench_.steps().size());
        view_->ask(shown + 1, shown + static_cast<int>(workbench_.hidden().size()),
                   QString::fromStdString(step.summary.title), review::change_text(before_->step.source, step.source),
                   questions_before(*next_, *before_));
    });
    // The first step of a lesson, and each that was revealed, is looked at before the next is asked about.
    connect(&workbench_, &Workbench::step_selected, this, [this] {
        if (running_ && !before_) ask();
    });
}

void LessonPane::show_idle() {
    if (!view_) return;
    view_->show_idle(workbench_.steps().size() < 2
                         ? tr("A lesson goes from one step of a session to the next; this one has not two.")
                         : QString(),
                     !questions_.empty());
}

void LessonPane::start() {
    if (workbench_.steps().size() < 2) return;
    pane_->reveal();
    running_ = true;
    before_.reset();
    const auto first = workbench_.steps().front().id;
    workbench_.hide_after(first);
    if (workbench_.selected() && workbench_.selected()->step.summary.id == first)
        ask();
    else
        workbench_.select(first);
}

void LessonPane::ask() {
    before_ = workbench_.selected();
    next_.reset();
    if (!before_) return;
    if (workbench_.hidden().empty()) return end(true);
    reading_ = workbench_.hidden().front().id;
    workbench_.read(*reading_);
}

void LessonPane::reveal() {
    if (!next_) return;
    const auto id = next_->step.summary.id;
    workbench_.show_next();
    workbench_.select(id);
    view_->reveal(QString::fromStdString(next_->step.thought));
}

void LessonPane::end(bool finished) {
    running_ = false;
    workbench_.show_all();
    if (finished)
        view_->show_end();
    else
        show_idle();
}

void LessonPane::edit() {
    const auto& selected = workbench_.selected();
    if (!selected) return Q_EMIT told(tr("Choose the step that questions are to come before"));
    const auto& steps = workbench_.steps();
    const auto at = std::ranges::find(steps, selected->step.summary.id, &trajectory::StepSummary::id);
    if (at == steps.begin()) return Q_EMIT told(tr("Nothing is asked before the first step; choose a later one"));
    const auto found = questions_.find(selected->step.summary.id);
    view_->edit(static_cast<int>(at - steps.begin()) + 1,
                found == questions_.end() ? std::vector<trajectory::Question>{} : found->second);
}

std::vector<trajectory::Question> LessonPane::questions_before(const StepRecord& step, const StepRecord& before) const {
    const auto own = questions_.find(step.step.summary.id);
    return own != questions_.end() ? own->second : trajectory::questions_about(step.step, before.step);
}

} // namespace kw::desktop
