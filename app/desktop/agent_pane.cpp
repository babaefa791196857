#include "app/desktop/agent_pane.h"

#include "agent/review/agent_branches.h"
#include "agent/review/agent_entries.h"
#include "agent/review/agent_view.h"
#include "app/desktop/agent_form.h"
#include "app/desktop/settings.h"
#include "app/desktop/source_tabs.h"
#include "widgets/icons.h"
#include "widgets/theme.h"

#include <QAction>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollArea>
#include <QSpinBox>
#include <QToolButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace kw::desktop {
namespace {

QString from(const std::string& text) { return QString::fromStdString(text); }

QToolButton* button_of(QAction* action) {
    auto* button = new QToolButton;
    button->setDefaultAction(action);
    button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    button->setAccessibleName(action->text());
    return button;
}

} // namespace

AgentPane::AgentPane(Docks& docks, Workbench& workbench, WorkerSession& worker, SourceTabs& sources,
                     std::function<std::string()> device, QObject* parent)
    : QObject(parent), workbench_(workbench), worker_(worker), sources_(sources), device_(std::move(device)) {
    const auto ctrl_alt = [](Qt::Key key) { return QKeySequence(Qt::CTRL | Qt::ALT | key); };
    start_ = make_action("agent_start", tr("Start agent"), QStringLiteral("run"), ctrl_alt(Qt::Key_R));
    pause_ = make_action("agent_pause", tr("Pause agent"), QStringLiteral("pause"), ctrl_alt(Qt::Key_P));
    stop_ = make_action("agent_stop", tr("Stop agent"), QStringLiteral("stop"), ctrl_alt(Qt::Key_S));
    approve_ =
        make_action("agent_approve", tr("Approve step, go on"), QStringLiteral("check"), ctrl_alt(Qt::Key_Return));
    branch_ = make_action("agent_branch", tr("Agent: branch from this step…"), {}, ctrl_alt(Qt::Key_B));
    pane_ = docks.add(QStringLiteral("agent"), tr("Agent"), Docks::Place::right, [this] { return make(); });
    connect(start_, &QAction::triggered, this, &AgentPane::start);
    connect(pause_, &QAction::triggered, this,
            [this] { agent_.state() == AgentSession::State::running ? agent_.pause() : agent_.resume(); });
    connect(approve_, &QAction::triggered, &agent_, &AgentSession::resume);
    connect(stop_, &QAction::triggered, &agent_, &AgentSession::stop);
    connect(branch_, &QAction::triggered, this, [this] {
        pane_->reveal();
        if (!form_) return;
        choose_->setChecked(true);
        form_->branch_from_selected();
    });
    connect(pane_, &Pane::came_to_front, this, [this] {
        if (std::exchange(stale_, false)) show_step();
    });
    connect(&workbench_, &Workbench::step_selected, this, [this] {
        stale_ = !pane_->in_front();
        if (!stale_) show_step();
        show_state();
    });
    connect(&workbench_, &Workbench::steps_changed, this, &AgentPane::show_branches);
    connect(&workbench_, &Workbench::task_opened, this, [this] {
        // It writes into a session that is not looked at any longer.
        agent_.stop();
        ended_.clear();
        stale_ = true;
        if (form_ && workbench_.task()) {
            const auto& name = workbench_.task()->name;
            form_->set_task(from(name), from(bundled("lessons/" + name).string()));
        }
        show_state();
    });
    connect(&workbench_, &Workbench::session_opened, this, &AgentPane::show_state);
    connect(&widgets::Theme::instance(), &widgets::Theme::changed, this, &AgentPane::draw_icons);
    connect_agent();
    draw_icons();
    show_state();
}

QAction* AgentPane::make_action(const char* name, const QString& text, const QString& icon, const QKeySequence& key) {
    auto* action = new QAction(text, this);
    action->setObjectName(QString::fromLatin1(name));
    action->setShortcut(key);
    action->setToolTip(tr("%1 (%2)").arg(text, key.toString(QKeySequence::NativeText)));
    action->setData(icon);
    return action;
}

void AgentPane::draw_icons() {
    const auto& tokens = widgets::Theme::instance().tokens();
    for (auto* action : actions())
        if (const auto name = action->data().toString(); !name.isEmpty())
            action->setIcon(widgets::icon(name,
                                          action == start_  ? tokens.good
                                          : action == stop_ ? tokens.bad
                                                            : tokens.text1,
                                          tokens.text3));
    if (choose_) choose_->setIcon(widgets::icon(QStringLiteral("settings")));
}

QWidget* AgentPane::make() {
    form_ = new AgentForm;
    form_->set_fields(Settings().agent_form());
    status_ = new QLabel;
    status_->setTextFormat(Qt::PlainText);
    status_->setWordWrap(true);
    status_->setProperty("tone", QStringLiteral("quiet"));
    status_->setObjectName(QStringLiteral("agent_status"));
    problem_ = new QLabel;
    problem_->setTextFormat(Qt::PlainText);
    problem_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    problem_->setWordWrap(true);
    problem_->setProperty("tone", QStringLiteral("bad"));
    problem_->setObjectName(QStringLiteral("agent_problem"));
    problem_->hide();
    view_ = new review::AgentView;
    connect(view_, &review::AgentView::go_to_requested, this, &AgentPane::go_to_requested);

    choose_ = new QToolButton;
    choose_->setObjectName(QStringLiteral("agent_choose"));
    choose_->setCheckable(true);
    // Where something has been done already, that is what is looked at first.
    choose_->setChecked(workbench_.steps().empty());
    choose_->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    choose_->setToolTip(tr("What is chosen of the driver: which one, its budget, where it begins"));
    auto* row = new QHBoxLayout;
    row->setSpacing(4);
    row->addWidget(choose_);
    row->addStretch();
    for (auto* action : {approve_, pause_, stop_}) {
        auto* button = button_of(action);
        button->setToolButtonStyle(Qt::ToolButtonIconOnly);
        row->addWidget(button);
    }
    row->addWidget(button_of(start_));

    auto* scroll = new QScrollArea;
    scroll->setFocusPolicy(Qt::NoFocus); // what is in it has the focus
    scroll->setObjectName(QStringLiteral("agent_form"));
    scroll->setAccessibleName(tr("What is chosen of the driver"));
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(form_);
    // As high as what is asked for, up to half of the pane.
    const auto fit = [this, scroll] {
        scroll->setMaximumHeight(form_->sizeHint().height() + 4);
        scroll->setMinimumHeight(std::min(form_->sizeHint().height() + 4, 220));
    };
    connect(form_, &AgentForm::changed, scroll, fit);
    connect(choose_, &QToolButton::toggled, scroll, &QWidget::setVisible);
    connect(form_, &AgentForm::changed, this, &AgentPane::show_state);
    connect(form_, &AgentForm::approve_each_changed, &agent_, &AgentSession::set_approve_each);

    compare_ = new QToolButton;
    compare_->setObjectName(QStringLiteral("agent_compare"));
    compare_->setText(tr("Compare with step"));
    compare_->setToolTip(tr("Shows the selected step and another one beside each other"));
    compare_->setCheckable(true);
    other_ = new QSpinBox;
    other_->setObjectName(QStringLiteral("agent_other"));
    other_->setAccessibleName(tr("Step to compare with"));
    branches_ = new review::BranchTable;
    branches_->hide();
    connect(compare_, &QToolButton::toggled, this, &AgentPane::show_branches);
    connect(other_, &QSpinBox::valueChanged, this, &AgentPane::show_branches);
    auto* compare_row = new QHBoxLayout;
    compare_row->setSpacing(4);
    compare_row->addWidget(compare_);
    compare_row->addWidget(other_);
    compare_row->addStretch();

    auto* content = new QWidget;
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->setSpacing(6);
    layout->addLayout(row);
    layout->addWidget(scroll);
    layout->addWidget(status_);
    layout->addWidget(problem_);
    layout->addWidget(view_, 1);
    layout->addWidget(branches_);
    layout->addLayout(compare_row);
    if (workbench_.task()) {
        const auto& name = workbench_.task()->name;
        form_->set_task(from(name), from(bundled("lessons/" + name).string()));
    }
    fit();
    scroll->setVisible(choose_->isChecked());
    draw_icons();
    show_step();
    show_state();
    return content;
}

void AgentPane::connect_agent() {
    connect(&agent_, &AgentSession::state_changed, this, &AgentPane::show_state);
    connect(&agent_, &AgentSession::step_written, this, [this](qlonglong id) {
        // The last step of a run that another task's opening stopped is in another session.
        if (agent_.session() == workbench_.session()) workbench_.take_in(id);
        show_state();
    });
    connect(&agent_, &AgentSession::progressed, this, [this](const QString& what, double fraction) {
        say_status(fraction < 0 ? what : tr("%1, %2 %").arg(what).arg(100 * fraction, 0, 'f', 0));
    });
    connect(&agent_, &AgentSession::drafted, this, [this](const review::AgentDraft& draft) {
        if (!view_) return;
        const bool nothing = draft.activity.isEmpty() && draft.thought.isEmpty() && draft.text.isEmpty();
        nothing ? view_->end_draft() : view_->show_draft(draft);
    });
    connect(&agent_, &AgentSession::ended, this, [this](const QString& why, const std::optional<Error>& error) {
        const bool stopped = error && error->code == ErrorCode::cancelled;
        ended_ = stopped ? tr("it was stopped") : error ? tr("it broke off") : why;
        say_problem(error && !stopped ? from(error->message) : QString());
        show_state();
        Q_EMIT told(tr("Agent: %1").arg(error && !stopped ? from(error->message) : ended_));
    });
}

void AgentPane::start() {
    pane_->reveal();
    if (!form_ || agent_.busy()) return;
    if (!workbench_.task() || workbench_.session().empty()) {
        say_problem(tr("Open a task first: an agent writes its steps into the task's session."));
        return;
    }
    if (const auto problem = form_->problem(); !problem.isEmpty()) {
        choose_->setChecked(true);
        say_problem(problem);
        return;
    }
    say_problem({});
    ended_.clear();
    choose_->setChecked(false);
    Settings().set_agent_form(form_->fields());
    agent_.start({.options = launch_options(),
                  .worker = worker_.command(),
                  .session = workbench_.session(),
                  .approve_each = form_->approve_each()});
}

agent::LaunchOptions AgentPane::launch_options() const {
    auto options = form_->options();
    options.files = sources_.overlay(workbench_.files());
    options.task = *workbench_.task();
    options.file = sources_.candidate();
    options.evaluation.candidate = options.file;
    options.evaluation.device = device_();
    // What it advises it takes from a profile.
    options.evaluation.stages.profile = options.driver == "advisor";
    if (form_->begins_from_best())
        options.from = workbench_.best();
    else if (const auto& selected = workbench_.selected();
             !options.from && options.driver != "lesson" && options.driver != "replay" && selected
             && selected->step.file == options.file && selected->step.source == options.files[options.file])
        options.from = selected->step.summary.id; // the text is that step's
    options.own_text = !options.from;
    return options;
}

void AgentPane::show_step() {
    if (!view_) return;
    const auto& selected = workbench_.selected();
    if (selected)
        view_->show_step(selected->step);
    else
        view_->show_nothing();
    form_->set_selected_step(selected ? std::optional{selected->step.summary.id} : std::nullopt);
    show_branches();
}

void AgentPane::show_branches() {
    if (!branches_) return;
    const auto& steps = workbench_.steps();
    const auto& selected = workbench_.selected();
    compare_->setEnabled(steps.size() > 1 && selected);
    other_->setEnabled(compare_->isEnabled());
    if (!steps.empty()) other_->setRange(static_cast<int>(steps.front().id), static_cast<int>(steps.back().id));
    const bool shown = compare_->isChecked() && compare_->isEnabled();
    branches_->setVisible(shown);
    if (shown) branches_->show_branches(steps, selected->step.summary.id, other_->value());
}

void AgentPane::say_problem(const QString& text) {
    if (!problem_) return;
    problem_->setText(text);
    problem_->setVisible(!text.isEmpty());
}

void AgentPane::say_status(const QString& what) {
    if (!status_) return;
    QStringList parts{from(agent_.driver())};
    if (!what.isEmpty()) parts << what;
    if (agent_.steps() > 0) parts << tr("%n step(s)", nullptr, static_cast<int>(agent_.steps()));
    if (const auto usage = review::usage_text(agent_.usage()); !usage.isEmpty()) parts << usage;
    status_->setText(parts.join(QStringLiteral(" · ")));
}

void AgentPane::show_state() {
    using State = AgentSession::State;
    const auto state = agent_.state();
    const bool busy = agent_.busy();
    start_->setEnabled(!busy && !workbench_.session().empty());
    stop_->setEnabled(busy && state != State::stopping);
    pause_->setEnabled(busy && state != State::stopping);
    pause_->setText(state == State::running || !busy ? tr("Pause agent") : tr("Let agent go on"));
    approve_->setEnabled(state == State::awaiting);
    branch_->setEnabled(workbench_.selected() != nullptr && !busy);
    if (!status_) return;
    choose_->setText(form_->driver_title());
    form_->setEnabled(true);
    switch (state) {
    case State::idle: ended_.isEmpty() ? status_->clear() : say_status(ended_); break;
    case State::running: say_status(tr("working")); break;
    case State::pausing: say_status(tr("pausing when this step is done")); break;
    case State::paused: say_status(tr("paused")); break;
    case State::awaiting: say_status(tr("waits for your approval to go on")); break;
    case State::stopping: say_status(tr("stopping")); break;
    }
    status_->setVisible(!status_->text().isEmpty());
}

} // namespace kw::desktop
