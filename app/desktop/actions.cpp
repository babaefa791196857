#include "app/desktop/actions.h"

#include "widgets/icons.h"
#include "widgets/theme.h"

namespace kw::desktop {

Actions::Actions(QObject* parent) : QObject(parent) {
    const auto ctrl = [](Qt::Key key) { return QKeySequence(Qt::CTRL | key); };
    const auto ctrl_shift = [](Qt::Key key) { return QKeySequence(Qt::CTRL | Qt::SHIFT | key); };
    const auto alt = [](Qt::Key key) { return QKeySequence(Qt::ALT | key); };
    const auto named = [](const char* name) { return QString::fromLatin1(name); };

    open_task = make(named("open_task"), tr("Open task folder…"), QKeySequence::Open, named("open"));
    open_file = make(named("open_file"), tr("Open session or trace…"), ctrl_shift(Qt::Key_O), named("trace"));
    save = make(named("save"), tr("Save"), QKeySequence::Save, named("save"));
    export_session = make(named("export_session"), tr("Export the session…"), ctrl_shift(Qt::Key_S));
    start_page = make(named("start_page"), tr("Start page"), ctrl_shift(Qt::Key_H));
    settings = make(named("settings"), tr("Settings…"), ctrl(Qt::Key_Comma), named("settings"));
    quit = make(named("quit"), tr("Quit"), QKeySequence::Quit);

    undo = make(named("undo"), tr("Undo"), QKeySequence::Undo);
    redo = make(named("redo"), tr("Redo"), QKeySequence::Redo);
    focus_editor = make(named("focus_editor"), tr("To the source"), ctrl(Qt::Key_E));
    next_problem = make(named("next_problem"), tr("Next problem"), QKeySequence(Qt::Key_F8));
    previous_problem = make(named("previous_problem"), tr("Previous problem"), QKeySequence(Qt::SHIFT | Qt::Key_F8));

    compile = make(named("compile"), tr("Compile"), ctrl(Qt::Key_B), named("compile"));
    run = make(named("run"), tr("Run"), ctrl(Qt::Key_R), named("run"));
    profile = make(named("profile"), tr("Profile"), ctrl_shift(Qt::Key_R), named("profile"));
    stop = make(named("stop"), tr("Stop"), QKeySequence(Qt::SHIFT | Qt::Key_F5), named("stop"));
    choose_device = make(named("choose_device"), tr("Choose device…"), ctrl_shift(Qt::Key_E));

    previous_step = make(named("previous_step"), tr("Previous step"), alt(Qt::Key_Left), named("previous"));
    next_step = make(named("next_step"), tr("Next step"), alt(Qt::Key_Right), named("next"));
    best_step = make(named("best_step"), tr("Best step"), alt(Qt::Key_Up), named("best"));
    first_wrong_step = make(named("first_wrong_step"), tr("First wrong step"), alt(Qt::Key_Down));
    start_lesson = make(named("start_lesson"), tr("Go through the steps as a lesson"));
    make_task = make(named("make_task"), tr("Make a task of this step"));
    restore_step = make(named("restore_step"), tr("Go on from this step's text"), alt(Qt::Key_Return));

    palette = make(named("palette"), tr("Command palette…"), ctrl_shift(Qt::Key_P), named("search"));
    theme = make(named("theme"), tr("Dark or light"), ctrl_shift(Qt::Key_L), named("theme"));
    reset_layout = make(named("reset_layout"), tr("Reset this layout"));
    full_screen = make(named("full_screen"), tr("Full screen"), QKeySequence(Qt::Key_F11));
    full_screen->setCheckable(true);
    presentation = make(named("presentation"), tr("Presentation"), QKeySequence(Qt::Key_F5));
    presentation->setCheckable(true);

    help = make(named("help"), tr("What is this?"), QKeySequence::HelpContents);
    about = make(named("about"), tr("About Kernelwright"));
    apply_icons();
}

QAction* Actions::make(const QString& name, const QString& text, const QKeySequence& key, const QString& icon) {
    auto* action = new QAction(text, this);
    action->setObjectName(name);
    action->setShortcut(key);
    action->setToolTip(key.isEmpty() ? text : tr("%1 (%2)").arg(text, key.toString(QKeySequence::NativeText)));
    if (!icon.isEmpty()) icons_.push_back({action, icon});
    return action;
}

void Actions::set_icon(QAction* action, const QString& icon) {
    icons_.push_back({action, icon});
    apply_icons();
}

void Actions::apply_icons() {
    const auto& tokens = widgets::Theme::instance().tokens();
    for (const auto& [action, name] : icons_) {
        const QColor color = action == run ? tokens.good : action == stop ? tokens.bad : tokens.text1;
        action->setIcon(widgets::icon(name, color, tokens.text3));
    }
}

} // namespace kw::desktop
