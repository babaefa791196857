#pragma once

#include "agent/trajectory/rescore.h"
#include "app/desktop/docks.h"
#include "app/desktop/workbench.h"

#include <QObject>

#include <thread>

namespace kw::review {
class TrajectoryView;
}

namespace kw::desktop {

/// The pane about the whole session: reward and speed-up over its steps, and what it would be under another rule.
class TrajectoryPane : public QObject {
    Q_OBJECT
public:
    TrajectoryPane(Docks& docks, Workbench& workbench, QObject* parent);
    ~TrajectoryPane() override;

    [[nodiscard]] Pane* pane() const { return pane_; }
    /// Asks what to write of the session, and where.
    void export_session(QWidget* over);

Q_SIGNALS:
    void exported(const QString& path);

private:
    void show_steps();
    /// Reads what is not known of the session's steps yet, in a thread of its own.
    void read_facts();

    Workbench& workbench_;
    Pane* pane_;
    review::TrajectoryView* view_ = nullptr;
    bool stale_ = true;
    std::jthread reader_;
    bool reading_ = false;
    bool more_ = false;              ///< steps came while it read
    quint64 session_ = 0;            ///< which one answers are about
    trajectory::StepId read_to_ = 0; ///< facts are known up to here
};

} // namespace kw::desktop
