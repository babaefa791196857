#pragma once

#include <QAction>
#include <QList>
#include <QObject>

#include <vector>

class QActionGroup;
class QMenuBar;

namespace kw::desktop {

/// Everything the window can do, with its key: what menus, the tool bar and the command palette show.
class Actions : public QObject {
    Q_OBJECT
public:
    explicit Actions(QObject* parent);

    // File
    QAction* open_task;
    QAction* open_file; ///< a session or a trace
    QAction* save;
    QAction* export_session;
    QAction* start_page;
    QAction* settings;
    QAction* quit;
    // Edit
    QAction* undo;
    QAction* redo;
    QAction* focus_editor;
    QAction* next_problem;
    QAction* previous_problem;
    // Kernel
    QAction* compile;
    QAction* run;
    QAction* profile;
    QAction* stop;
    QAction* choose_device;
    // Steps
    QAction* previous_step;
    QAction* next_step;
    QAction* best_step;
    QAction* first_wrong_step;
    QAction* restore_step;
    QAction* make_task;
    QAction* start_lesson;
    // View
    QAction* palette;
    QAction* theme;
    QAction* reset_layout;
    QAction* full_screen;
    QAction* presentation;
    // Help
    QAction* help;
    QAction* about;

    [[nodiscard]] QList<QAction*> all() const { return findChildren<QAction*>(Qt::FindDirectChildrenOnly); }
    /// An icon of resources/icons in the theme's colours.
    void set_icon(QAction* action, const QString& icon);
    /// Colours icons anew after the theme has changed.
    void apply_icons();

private:
    QAction* make(const QString& name, const QString& text, const QKeySequence& key = {}, const QString& icon = {});

    struct Icon {
        QAction* action;
        QString name;
    };
    std::vector<Icon> icons_;
};

} // namespace kw::desktop
