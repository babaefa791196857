#pragma once

#include "app/desktop/compare_diff.h"
#include "app/desktop/compare_log.h"
#include "app/desktop/compare_measure.h"
#include "app/desktop/compare_truth.h"
#include "app/desktop/docks.h"
#include "app/desktop/workbench.h"

#include <QElapsedTimer>
#include <QList>
#include <QPointer>
#include <QTimer>

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

class QAction;

namespace kw::editor {
class CompareView;
class CudaEditor;
} // namespace kw::editor

namespace kw::desktop {

class SourceTabs;

/// Of the lines that a change adds, from 0; the whole change where `count` is 0.
struct HunkPart {
    std::size_t first = 0, count = 0;
};

/// The pane "Suggestion": the selected step's source, or the one an agent is writing, beside the text that is edited.
/// What has been taken is told from the text, and what was turned down from the decisions of the session, which
/// CompareTruth keeps true; nothing else is remembered, so that no order of taking, editing, undo and redo can put the
/// two at odds.
class ComparePane : public QObject {
    Q_OBJECT
public:
    enum class Base { mine, parent, best };

    /// `device` says on what kernels run now.
    ComparePane(Docks& docks, Workbench& workbench, WorkerSession& worker, SourceTabs& sources,
                std::function<std::string()> device, QObject* parent);
    ~ComparePane() override;

    [[nodiscard]] Pane* pane() const { return pane_; }
    [[nodiscard]] QList<QAction*> actions() const { return actions_; }
    /// Made when the pane is first seen; null before.
    [[nodiscard]] editor::CompareView* view() const { return view_; }
    [[nodiscard]] CompareLog& log() { return log_; }
    [[nodiscard]] CompareTruth& truth() { return truth_; }

    /// What an agent has written of its next source so far; empty once it is a step, or nothing.
    void stream(const QString& title, const std::string& source);
    void set_base(Base base);
    [[nodiscard]] Base base() const;

    void accept();
    void accept_all();
    void reject(const QString& reason);
    void measure();
    void measure_all();
    /// Compares anew at once, instead of soon.
    void update();

Q_SIGNALS:
    /// Something to say in the window's status line.
    void told(const QString& text);

protected:
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    struct Shown {
        trajectory::StepId step = 0; ///< 0 while it is written
        std::string file, source;
        QString title;
    };
    [[nodiscard]] QWidget* make();
    void make_actions();
    void soon() { timer_.start(); }
    [[nodiscard]] std::optional<Shown> shown() const;
    /// The base's text where it is known; asks for it where it is not. `instead`: why it is my text, in a sentence,
    /// where something else was asked for.
    [[nodiscard]] std::optional<std::string> base_text(const Shown& shown, const std::string& mine, QString& instead);
    void show_bases(const Shown& shown);
    [[nodiscard]] QString why_nothing_shown() const;
    void show_cover(editor::CudaEditor* over, const std::string* text);
    void decide(const patch::Hunk& hunk, const char* action, const QString& reason = {}, const HunkPart& part = {});
    /// Looks at the text as it is now; what became of earlier decisions is told before the next is made.
    [[nodiscard]] bool ready();
    /// One thing to undo. The splices are of the present text, ascending.
    void apply(std::vector<patch::Splice> splices);
    void show_measures();
    [[nodiscard]] std::string with(const patch::Splice& splice) const;
    /// What is selected in the suggestion, of a change that has more.
    [[nodiscard]] HunkPart selected_part(std::size_t index) const;
    [[nodiscard]] patch::Splice splice_of(std::size_t index, const HunkPart& part) const;
    [[nodiscard]] std::optional<std::size_t> current_index() const;

    Workbench& workbench_;
    SourceTabs& sources_;
    std::function<std::string()> device_;
    CompareLog log_;
    CompareTruth truth_;
    CompareMeasure measure_;
    Pane* pane_;
    QList<QAction*> actions_;
    editor::CompareView* view_ = nullptr;
    QPointer<editor::CudaEditor> editor_; ///< what is edited
    QPointer<editor::CudaEditor> cover_;  ///< the base, read only, in front of it
    static constexpr int kPassingMs = 200;
    QElapsedTimer moved_; ///< since another step was selected
    QTimer timer_;
    std::optional<Base> base_; ///< as it was chosen
    std::optional<Shown> streamed_;
    /// Of steps to compare with; absent where it is not known.
    std::map<trajectory::StepId, std::optional<std::string>> sources_read_;
    std::optional<Compared> compared_;
    trajectory::StepId compared_step_ = 0;
    bool asked_one_ = false, asked_all_ = false;
    std::string asked_hunk_;
    HunkPart asked_part_;
};

} // namespace kw::desktop
