#pragma once

#include "app/desktop/agent_session.h"
#include "app/desktop/docks.h"
#include "app/desktop/workbench.h"

#include <QList>
#include <QObject>

#include <functional>

class QAction;
class QLabel;
class QSpinBox;
class QToolButton;

namespace kw::review {
class AgentView;
class BranchTable;
} // namespace kw::review

namespace kw::desktop {

class AgentForm;
class SourceTabs;

/// The pane of the agent: what is chosen of it, what it does at the moment, and how the selected step came to be. Its
/// steps appear in the session as they are written, and are followed while the newest step is looked at.
class AgentPane : public QObject {
    Q_OBJECT
public:
    /// `device` says on what kernels run now.
    AgentPane(Docks& docks, Workbench& workbench, WorkerSession& worker, SourceTabs& sources,
              std::function<std::string()> device, QObject* parent);

    [[nodiscard]] Pane* pane() const { return pane_; }
    [[nodiscard]] AgentSession& agent() { return agent_; }
    /// Start, pause or go on, stop, approve, branch from the selected step: for tool bar, menu and palette.
    [[nodiscard]] QList<QAction*> actions() const { return {start_, pause_, stop_, approve_, branch_}; }
    void start();

Q_SIGNALS:
    void go_to_requested(const QString& file, int line, int column);
    /// Something to say in the window's status line.
    void told(const QString& text);

private:
    QWidget* make();
    QAction* make_action(const char* name, const QString& text, const QString& icon, const QKeySequence& key);
    void connect_agent();
    void show_step();
    void show_state();
    void show_branches();
    void draw_icons();
    void say_problem(const QString& text);
    void say_status(const QString& what);
    [[nodiscard]] agent::LaunchOptions launch_options() const;

    Workbench& workbench_;
    WorkerSession& worker_;
    SourceTabs& sources_;
    std::function<std::string()> device_;
    AgentSession agent_;
    Pane* pane_;
    QAction* start_;
    QAction* pause_;
    QAction* stop_;
    QAction* approve_;
    QAction* branch_;
    bool stale_ = true;
    QString ended_; ///< how the last run ended

    // Made with the pane.
    AgentForm* form_ = nullptr;
    QToolButton* choose_ = nullptr;
    QLabel* status_ = nullptr;
    QLabel* problem_ = nullptr;
    review::AgentView* view_ = nullptr;
    QToolButton* compare_ = nullptr;
    QSpinBox* other_ = nullptr;
    review::BranchTable* branches_ = nullptr;
};

} // namespace kw::desktop
