// What of the window is actions: tool bar, menus, and what each does.

#include "app/desktop/actions.h"
#include "app/desktop/agent_pane.h"
#include "app/desktop/bar_fit.h"
#include "app/desktop/compare_pane.h"
#include "app/desktop/device_chooser.h"
#include "app/desktop/lesson_pane.h"
#include "app/desktop/main_window.h"
#include "app/desktop/profile_panes.h"
#include "app/desktop/settings_dialog.h"
#include "app/desktop/source_tabs.h"
#include "app/desktop/start_page.h"
#include "app/desktop/trajectory_pane.h"
#include "editor/cuda_editor.h"
#include "editor/editor_pane.h"
#include "editor/problem_list.h"
#include "engine/base/version.h"
#include "widgets/command_palette.h"
#include "widgets/theme.h"

#include <QActionGroup>
#include <QApplication>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QMenuBar>
#include <QMessageBox>
#include <QRegularExpression>
#include <QShortcut>
#include <QStackedWidget>
#include <QStatusBar>
#include <QToolBar>
#include <QToolButton>
#include <QToolTip>

#include <algorithm>

namespace kw::desktop {

using widgets::Theme;

namespace {

/// Of text while a class looks on, from the back of a room.
constexpr double kPresentationScale = 1.6;
/// Property of what the tool bar leaves out then.
constexpr const char* kForWorking = "forWorking";

/// What is known of what has the focus: the name at the caret, else what a control says of itself.
void explain_focus() {
    auto* focused = QApplication::focusWidget();
    if (!focused) return;
    if (const auto* editor = qobject_cast<editor::CudaEditor*>(focused)) {
        const auto position = editor->SendScintilla(QsciScintilla::SCI_GETCURRENTPOS);
        const auto x = editor->SendScintilla(QsciScintilla::SCI_POINTXFROMPOSITION, 0UL, position);
        const auto y = editor->SendScintilla(QsciScintilla::SCI_POINTYFROMPOSITION, 0UL, position);
        const QString text = editor->explanation_at(position);
        QToolTip::showText(editor->viewport()->mapToGlobal(QPoint(static_cast<int>(x), static_cast<int>(y))),
                           text.isEmpty() ? MainWindow::tr("Nothing is known of what is at the caret.") : text,
                           focused);
        return;
    }
    const QWidget* told = focused;
    while (told && told->whatsThis().isEmpty() && told->toolTip().isEmpty()) told = told->parentWidget();
    const QString text =
        told ? told->whatsThis().isEmpty() ? told->toolTip() : told->whatsThis() : focused->accessibleName();
    QToolTip::showText(focused->mapToGlobal(QPoint(0, focused->height())), text, focused);
}

} // namespace

void MainWindow::build_tool_bar() {
    auto* bar = tool_bar_ = addToolBar(tr("Main"));
    bar->setObjectName(QStringLiteral("mainBar"));
    bar->setMovable(false);
    bar->setFloatable(false);
    bar->setIconSize(QSize(20, 20));
    bar->setToolButtonStyle(Qt::ToolButtonIconOnly);
    title_ = new QToolButton;
    title_->setToolTip(tr("What is open; what was opened last"));
    title_->setAccessibleName(tr("Task"));
    title_->setPopupMode(QToolButton::InstantPopup);
    title_->setMenu(new QMenu(title_));
    connect(title_->menu(), &QMenu::aboutToShow, this, [this] {
        title_->menu()->clear();
        title_->menu()->addActions({actions_->open_task, actions_->open_file, actions_->start_page});
        title_->menu()->addSection(tr("Recent"));
        for (const QString& path : settings_.recent())
            connect(title_->menu()->addAction(QFileInfo(path).fileName()), &QAction::triggered, this,
                    [this, path] { open(path.toStdString()); });
    });
    bar->addWidget(title_);
    bar->addWidget(device_chooser_)->setProperty(kForWorking, true);
    bar->addSeparator();
    bar->addActions({actions_->compile, actions_->run, actions_->profile, actions_->stop});
    for (auto* action : {actions_->run, actions_->profile})
        if (auto* button = qobject_cast<QToolButton*>(bar->widgetForAction(action)))
            button->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
    bar->addSeparator();
    bar->addAction(actions_->previous_step);
    step_label_ = new QLabel;
    step_label_->setProperty("tone", QStringLiteral("quiet"));
    auto* label = bar->addWidget(step_label_);
    bar->addActions({actions_->next_step, actions_->best_step});
    bar->addSeparator()->setData(QStringLiteral("agent"));
    for (auto* action : agent_pane_->actions().mid(0, 3)) {
        auto* button = new QToolButton;
        button->setDefaultAction(action);
        auto* placed = bar->addWidget(button);
        placed->setProperty(kForWorking, true);
        placed->setData(QStringLiteral("agent"));
    }
    auto* space = new QWidget;
    space->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
    bar->addWidget(space);
    auto* layouts = new QActionGroup(this);
    int number = 1;
    for (const auto& layout : Docks::layouts()) {
        auto* action = new QAction(tr("Layout: %1").arg(layout.title), this);
        action->setObjectName(QStringLiteral("layout_") % layout.name);
        action->setCheckable(true);
        action->setShortcut(QKeySequence(Qt::ALT | static_cast<Qt::Key>(Qt::Key_0 + number++)));
        action->setToolTip(tr("%1 (%2)").arg(action->text(), action->shortcut().toString(QKeySequence::NativeText)));
        layouts->addAction(action);
        actions_->set_icon(action, layout.icon);
        connect(action, &QAction::triggered, this, [this, name = layout.name] { docks_->apply(name); });
        connect(docks_, &Docks::applied, action,
                [action, name = layout.name](const QString& applied) { action->setChecked(applied == name); });
        auto* button = new QToolButton;
        button->setDefaultAction(action);
        auto* placed = bar->addWidget(button);
        placed->setProperty(kForWorking, true);
        placed->setData(QStringLiteral("layout"));
    }
    bar->addSeparator();
    bar->addAction(actions_->palette);
    const auto show_working = [this](const QString& kind, bool shown) {
        for (auto* action : tool_bar_->actions())
            if (action->data().toString() == kind) action->setVisible(shown && !actions_->presentation->isChecked());
    };
    // All that goes has a key, and is in the menus.
    bar_fit_ =
        new BarFit(*bar, {
                             [this](bool shorter) {
                                 for (auto* action : {actions_->run, actions_->profile})
                                     if (auto* button = qobject_cast<QToolButton*>(tool_bar_->widgetForAction(action)))
                                         button->setToolButtonStyle(shorter ? Qt::ToolButtonIconOnly
                                                                            : Qt::ToolButtonTextBesideIcon);
                             },
                             [show_working](bool shorter) { show_working(QStringLiteral("layout"), !shorter); },
                             [show_working](bool shorter) { show_working(QStringLiteral("agent"), !shorter); },
                             [this](bool shorter) {
                                 device_chooser_->set_short(shorter);
                                 shorten_title(shorter);
                             },
                             [label](bool shorter) { label->setVisible(!shorter); },
                         });
}

void MainWindow::shorten_title(bool shorter) {
    constexpr int kLetters = 12;
    const auto& metrics = title_->fontMetrics();
    title_->setText(shorter ? metrics.elidedText(title_text_, Qt::ElideRight, metrics.averageCharWidth() * kLetters)
                            : title_text_);
}

void MainWindow::build_menus() {
    // A key works while its action is some widget's, and menus that are filled when they open are none's until then.
    addActions(actions_->all());
    addActions(agent_pane_->actions());
    addActions(compare_pane_->actions());
    auto* file = menuBar()->addMenu(tr("&File"));
    file->addActions({actions_->open_task, actions_->open_file, actions_->start_page});
    file->addSeparator();
    file->addActions({actions_->save, actions_->export_session});
    file->addSeparator();
    file->addActions({actions_->settings, actions_->quit});
    edit_menu_ = menuBar()->addMenu(tr("&Edit"));
    // What the file in front can do is its pane's.
    connect(edit_menu_, &QMenu::aboutToShow, this, [this] {
        edit_menu_->clear();
        edit_menu_->addActions({actions_->undo, actions_->redo});
        edit_menu_->addSeparator();
        if (const auto* pane = sources_->pane(sources_->current_file()))
            edit_menu_->addActions(pane->actions_for_menu());
        edit_menu_->addSeparator();
        edit_menu_->addActions({actions_->focus_editor, actions_->next_problem, actions_->previous_problem});
    });
    auto* kernel = menuBar()->addMenu(tr("&Kernel"));
    kernel->addActions({actions_->compile, actions_->run, actions_->profile, actions_->stop});
    kernel->addSeparator();
    kernel->addAction(actions_->choose_device);
    auto* step = menuBar()->addMenu(tr("&Step"));
    step->addActions({actions_->previous_step, actions_->next_step, actions_->best_step, actions_->first_wrong_step});
    step->addSeparator();
    step->addActions({actions_->restore_step, actions_->make_task, actions_->start_lesson});
    auto* change = menuBar()->addMenu(tr("&Change"));
    change->addActions(compare_pane_->actions());
    auto* agent = menuBar()->addMenu(tr("&Agent"));
    agent->addActions(agent_pane_->actions());
    auto* view = menuBar()->addMenu(tr("&View"));
    view->addAction(actions_->palette);
    view->addSeparator();
    for (const auto& layout : Docks::layouts())
        view->addAction(findChild<QAction*>(QStringLiteral("layout_") % layout.name));
    view->addAction(actions_->reset_layout);
    view->addSeparator();
    // What is looked at most often has the lowest number.
    const QStringList numbered{QStringLiteral("correctness"), QStringLiteral("timeline"), QStringLiteral("metrics"),
                               QStringLiteral("roofline"),    QStringLiteral("code"),     QStringLiteral("occupancy"),
                               QStringLiteral("problems"),    QStringLiteral("verdict"),  QStringLiteral("steps")};
    for (auto* pane : docks_->panes()) {
        auto* action = new QAction(tr("Pane: %1").arg(pane->windowTitle()), this);
        action->setObjectName(QStringLiteral("pane_") % pane->objectName());
        if (const auto at = numbered.indexOf(pane->objectName()); at >= 0)
            action->setShortcut(QKeySequence(Qt::CTRL | static_cast<Qt::Key>(Qt::Key_1 + at)));
        connect(action, &QAction::triggered, pane, &Pane::reveal);
        view->addAction(action);
    }
    view->addSeparator();
    view->addActions({actions_->presentation, actions_->theme, actions_->full_screen});
    auto* help = menuBar()->addMenu(tr("&Help"));
    help->addActions({actions_->help, actions_->about});
}

void MainWindow::connect_actions() {
    const auto on = [this](QAction* action, auto what) { connect(action, &QAction::triggered, this, what); };
    on(actions_->open_task, [this] {
        const QString folder = QFileDialog::getExistingDirectory(this, tr("Open a task folder"));
        if (!folder.isEmpty()) open(folder.toStdString());
    });
    on(actions_->open_file, [this] {
        const QString file = QFileDialog::getOpenFileName(
            this, tr("Open a session or a trace"), {},
            tr("Sessions and traces (*.kwsession *.json *.json.gz *.sqlite);;All files (*)"));
        if (!file.isEmpty()) open(file.toStdString());
    });
    on(actions_->save, [this] { save(); });
    on(actions_->export_session, [this] { trajectory_pane_->export_session(this); });
    on(actions_->start_page, [this] {
        if (centre_->currentWidget() == start_page_ && workbench_.task())
            centre_->setCurrentWidget(sources_);
        else
            show_start_page();
    });
    on(actions_->quit, [this] { close(); });
    on(actions_->undo, [this] {
        if (auto* editor = sources_->current()) editor->undo();
    });
    on(actions_->redo, [this] {
        if (auto* editor = sources_->current()) editor->redo();
    });
    on(actions_->next_problem, [this] { problems_->go_to_next(); });
    on(actions_->compile, [this] { compile_now(); });
    on(actions_->run, [this] { run(); });
    on(actions_->profile, [this] { profile(); });
    on(actions_->stop, [this] { stop(); });
    on(actions_->choose_device, [this] { device_chooser_->showMenu(); });
    on(actions_->previous_step, [this] { workbench_.select_neighbour(-1); });
    on(actions_->next_step, [this] { workbench_.select_neighbour(1); });
    on(actions_->best_step, [this] {
        if (const auto best = workbench_.best()) workbench_.select(*best);
    });
    on(actions_->first_wrong_step, [this] {
        if (const auto wrong = workbench_.first_wrong()) workbench_.select(*wrong);
    });
    on(actions_->make_task, [this] { make_task(); });
    on(actions_->start_lesson, [this] { lesson_pane_->start(); });
    on(actions_->restore_step, [this] {
        if (const auto& step = workbench_.selected()) restore(step->step.summary.id);
    });
    on(actions_->palette, [this] {
        QList<QAction*> all = actions_->all();
        if (const auto* pane = sources_->pane(sources_->current_file())) all << pane->actions_for_menu();
        all << findChildren<QAction*>(QRegularExpression(QStringLiteral("^(layout|pane|agent|compare)_")));
        palette_->open(all);
    });
    on(actions_->focus_editor, [this] {
        if (auto* editor = sources_->current()) editor->setFocus();
    });
    on(actions_->previous_problem, [this] { problems_->go_to_previous(); });
    on(actions_->theme, [this] {
        const bool dark = Theme::instance().tokens().scheme == widgets::Scheme::dark;
        settings_.set_theme(dark ? QStringLiteral("light") : QStringLiteral("dark"));
        tell_look();
    });
    on(actions_->settings, [this] {
        auto* dialog = new SettingsDialog(settings_, this);
        connect(dialog, &SettingsDialog::look_changed, this, &MainWindow::tell_look);
        connect(dialog, &SettingsDialog::editing_changed, this,
                [this] { sources_->set_auto_close(settings_.auto_close()); });
        connect(dialog, &SettingsDialog::toolkit_changed, this, [this] { use_worker(settings_.worker()); });
        dialog->show();
    });
    on(actions_->reset_layout, [this] { docks_->reset(); });
    on(actions_->full_screen, [this](bool full) { full ? showFullScreen() : showNormal(); });
    connect(actions_->presentation, &QAction::toggled, this, &MainWindow::present);
    end_presentation_ = new QShortcut(QKeySequence(Qt::Key_Escape), this);
    end_presentation_->setEnabled(false);
    connect(end_presentation_, &QShortcut::activated, this, [this] { actions_->presentation->setChecked(false); });
    on(actions_->help, [] { explain_focus(); });
    on(actions_->about, [this] {
        QMessageBox::about(this, tr("About Kernelwright"),
                           tr("Kernelwright %1\nA workbench for CUDA kernels.\nGPL-3.0-or-later")
                               .arg(QString::fromStdString(std::string(version()))));
    });

    connect(start_page_, &StartPage::browse_requested, actions_->open_task, &QAction::trigger);
    connect(start_page_, &StartPage::open_requested, this, [this](const QString& path) { open(path.toStdString()); });
    connect(start_page_, &StartPage::bundled_requested, this,
            [this](const QString& folder) { open_bundled(folder.toStdString()); });

    connect(sources_, &SourceTabs::text_changed, this, &MainWindow::text_edited);
    connect(sources_, &SourceTabs::modification_changed, this, [this] {
        update_title();
        update_actions();
    });
    connect(sources_, &SourceTabs::saved, this, [this](const std::string& file) {
        workbench_.saved(file, sources_->text(file));
        mark_unsaved();
        if (workbench_.folder().empty() || !workbench_.is_yardstick(file)) return;
        // Steps from here on are measured against something else. Not now: the pane that told this would go.
        QTimer::singleShot(0, this, [this, file] {
            if (sources_->modified().empty() && open_task(workbench_.folder())) sources_->show_file(file);
        });
    });
    connect(sources_, &SourceTabs::step_text_wanted, actions_->restore_step, &QAction::trigger);
    connect(sources_, &SourceTabs::draft_answered, this, [this](const std::string& file, bool taken) {
        workbench_.answer_offer(file, taken ? std::optional{sources_->text(file)} : std::nullopt);
    });
    connect(sources_, &SourceTabs::current_changed, this, [this] {
        update_actions();
        check_now();
    });

    connect(device_chooser_, &DeviceChooser::device_chosen, this, [this](const QString& id) {
        settings_.set_device(device_chooser_->worker(), id);
        device_changed();
    });
    connect(device_chooser_, &DeviceChooser::worker_chosen, this, &MainWindow::use_worker);
    connect(device_chooser_, &DeviceChooser::remote_added, this, [this](const QString& specification) {
        auto remotes = settings_.remotes();
        if (!remotes.contains(specification)) remotes << specification;
        settings_.set_remotes(remotes);
        use_worker(specification);
    });
    connect(device_chooser_, &DeviceChooser::remote_removed, this, [this](const QString& specification) {
        auto remotes = settings_.remotes();
        remotes.removeAll(specification);
        settings_.set_remotes(remotes);
        use_worker(QStringLiteral("local"));
    });
}

void MainWindow::tell_look() {
    const double scale = settings_.text_scale();
    Q_EMIT look_changed(settings_.theme(),
                        actions_->presentation->isChecked() ? std::max(scale, kPresentationScale) : scale);
}

void MainWindow::present(bool presenting) {
    actions_->presentation->setChecked(presenting);
    end_presentation_->setEnabled(presenting);
    // Keys and the palette go on working: all actions are the window's own.
    menuBar()->setVisible(!presenting);
    statusBar()->setVisible(!presenting);
    sources_->set_extras_shown(!presenting);
    for (auto* action : tool_bar_->actions())
        if (action->property(kForWorking).toBool()) action->setVisible(!presenting);
    tell_look();
    bar_fit_->fit();
}

} // namespace kw::desktop
