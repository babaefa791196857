#pragma once

#include "app/desktop/docks.h"
#include "app/desktop/workbench.h"
#include "engine/pipeline/outputs.h"

#include <QObject>

namespace kw::profiler_views {
class CorrectnessView;
} // namespace kw::profiler_views

namespace kw::desktop {

/// The pane about where results are wrong: the selected step's checks, which are run again by the worker to look at
/// single elements.
class CorrectnessPane : public QObject {
    Q_OBJECT
public:
    CorrectnessPane(Docks& docks, Workbench& workbench, WorkerSession& worker, QObject* parent);

    [[nodiscard]] Pane* pane() const { return pane_; }

Q_SIGNALS:
    void go_to_requested(const QString& file, int line, int column);

private:
    void show_step();
    void rerun(const pipeline::OutputsQuery& query);

    Workbench& workbench_;
    WorkerSession& worker_;
    bool stale_ = true;
    Pane* pane_;
    profiler_views::CorrectnessView* view_ = nullptr;
};

} // namespace kw::desktop
