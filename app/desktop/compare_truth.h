#pragma once

#include "agent/patch/hunks.h"
#include "app/desktop/compare_log.h"
#include "app/desktop/workbench.h"

#include <QObject>
#include <QThreadPool>
#include <QTimer>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace kw::desktop {

class SourceTabs;

/// Keeps the last decision about each change true: whatever was done to the text, by whichever way, and whichever step
/// is looked at, it says whether the change is there. Told from the text alone, on a thread of its own, soon after each
/// edit.
///
/// Where several windows are open, or the text is no folder's, a window only tells what it has seen come or go: the
/// text that a decision was about may be another's.
class CompareTruth : public QObject {
    Q_OBJECT
public:
    CompareTruth(Workbench& workbench, SourceTabs& sources, CompareLog& log, QObject* parent);
    ~CompareTruth() override;

    /// Of the text as it is now, at once.
    void settle();
    /// A change, or a part of it, has just been put into the text.
    void taken(trajectory::StepId step, const std::string& hunk) { seen_[{step, hunk}] = patch::Presence::all; }

    /// Another text took the place of the one before, and nobody decided anything by it.
    void forget_text() { seen_.clear(); }

    /// Longer than a burst of keys.
    static constexpr int kSettleMs = 150;

private:
    struct Claim {
        trajectory::Decision last; ///< with the range of the last that accepted it
        patch::Piece piece;
        patch::Presence found = patch::Presence::none;
    };
    struct Text {
        std::string file, text;
    };
    struct Question {
        std::string source; ///< of the step
        std::string text;
        std::vector<Claim> claims;
    };
    struct Questions {
        quint64 text = 0, log = 0; ///< revisions
        std::vector<Question> steps;
    };

    [[nodiscard]] Questions ask();
    [[nodiscard]] const Text* source_of(trajectory::StepId step);
    static void answer(Questions& questions);
    void take(const Questions& answers);
    void look();

    Workbench& workbench_;
    SourceTabs& sources_;
    CompareLog& log_;
    QTimer timer_;
    std::map<trajectory::StepId, Text> known_;
    std::set<trajectory::StepId> reading_;
    std::map<std::pair<trajectory::StepId, std::string>, patch::Presence> seen_;
    QThreadPool pool_;
};

} // namespace kw::desktop
