#pragma once

#include "agent/trajectory/lesson.h"
#include "app/desktop/docks.h"
#include "app/desktop/workbench.h"

#include <QObject>

#include <optional>

namespace kw::review {
class LessonView;
}

namespace kw::desktop {

/// The pane that goes through a session step by step, asking before it shows.
class LessonPane : public QObject {
    Q_OBJECT
public:
    LessonPane(Docks& docks, Workbench& workbench, QObject* parent);

    [[nodiscard]] Pane* pane() const { return pane_; }
    /// From the first step; steps that come later are hidden in the whole window.
    void start();

Q_SIGNALS:
    void told(const QString& sentence);

private:
    void show_idle();
    void ask();
    void reveal();
    void end(bool finished);
    void edit();
    [[nodiscard]] std::vector<trajectory::Question> questions_before(const StepRecord& step,
                                                                     const StepRecord& before) const;

    Workbench& workbench_;
    Pane* pane_;
    review::LessonView* view_ = nullptr;
    trajectory::Questions questions_;
    bool running_ = false;
    std::shared_ptr<const StepRecord> before_, next_;
    std::optional<trajectory::StepId> reading_; ///< the next step
};

} // namespace kw::desktop
