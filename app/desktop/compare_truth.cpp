#include "app/desktop/compare_truth.h"

#include "app/desktop/compare_diff.h"
#include "app/desktop/source_tabs.h"

#include <algorithm>

namespace kw::desktop {
namespace {

using patch::Presence;
using trajectory::Decision;

bool took(const Decision& decision) { return decision.action == "accepted" || decision.action == "edited"; }

const char* action_of(Presence presence) {
    return presence == Presence::all ? "accepted" : presence == Presence::some ? "edited" : "undone";
}

/// The last decision about each change; where one was rejected or undone, with the lines that were taken before.
std::map<std::pair<trajectory::StepId, std::string>, Decision> last_of(const std::vector<Decision>& decisions) {
    std::map<std::pair<trajectory::StepId, std::string>, Decision> last;
    for (const auto& each : decisions) {
        if (each.hunk.empty()) continue;
        const auto [at, fresh] = last.try_emplace({each.step, each.hunk}, each);
        if (fresh) continue;
        auto next = each;
        if (!took(next)) {
            next.first_line = at->second.first_line;
            next.lines = at->second.lines;
        }
        if (!next.removed) next.removed = at->second.removed;
        at->second = std::move(next);
    }
    return last;
}

std::optional<patch::Piece> piece_of(const Decision& decision) {
    const auto place = patch::named(decision.hunk);
    if (!place) return std::nullopt;
    patch::Piece piece{place->target_line, place->target_lines, decision.removed, decision.hunk};
    const auto first = static_cast<std::size_t>(std::max<std::int64_t>(decision.first_line, 0));
    if (decision.lines > 0 && first < piece.lines) {
        piece.line += first;
        piece.lines = std::min(static_cast<std::size_t>(decision.lines), piece.lines - first);
    }
    return piece;
}

} // namespace

CompareTruth::CompareTruth(Workbench& workbench, SourceTabs& sources, CompareLog& log, QObject* parent)
    : QObject(parent), workbench_(workbench), sources_(sources), log_(log) {
    pool_.setMaxThreadCount(1);
    timer_.setSingleShot(true);
    timer_.setInterval(kSettleMs);
    connect(&timer_, &QTimer::timeout, this, &CompareTruth::look);
    const auto soon = qOverload<>(&QTimer::start);
    connect(&sources_, &SourceTabs::text_changed, &timer_, soon);
    connect(&log_, &CompareLog::read, &timer_, soon);
    connect(&workbench_, &Workbench::task_opened, this, [this] {
        timer_.stop();
        known_.clear();
        reading_.clear();
        seen_.clear();
    });
    connect(&workbench_, &Workbench::step_read, this, [this](const std::shared_ptr<const StepRecord>& record) {
        if (reading_.erase(record->step.summary.id) == 0) return;
        known_[record->step.summary.id] = {record->step.file, record->step.source};
        timer_.start();
    });
}

CompareTruth::~CompareTruth() { pool_.waitForDone(); }

const CompareTruth::Text* CompareTruth::source_of(trajectory::StepId step) {
    if (const auto found = known_.find(step); found != known_.end()) return &found->second;
    if (const auto& selected = workbench_.selected(); selected && selected->step.summary.id == step)
        return &(known_[step] = {selected->step.file, selected->step.source});
    if (reading_.insert(step).second) workbench_.read(step);
    return nullptr;
}

CompareTruth::Questions CompareTruth::ask() {
    Questions questions{.text = sources_.revision(), .log = log_.revision(), .steps = {}};
    trajectory::StepId step = 0;
    for (auto& [key, decision] : last_of(log_.decisions())) {
        auto piece = piece_of(decision);
        const auto* source = piece ? source_of(key.first) : nullptr;
        if (!source || source->file.empty() || !why_not_compared(source->text).isEmpty()) continue;
        if (questions.steps.empty() || key.first != step)
            questions.steps.push_back({source->text, sources_.text(source->file), {}});
        step = key.first;
        questions.steps.back().claims.push_back({std::move(decision), std::move(*piece)});
    }
    return questions;
}

void CompareTruth::answer(Questions& questions) {
    for (auto& each : questions.steps) {
        const auto lacking = patch::change_between(with_line_feeds(each.text), with_line_feeds(each.source));
        if (!lacking) {
            each.claims.clear();
            continue;
        }
        for (auto& claim : each.claims) claim.found = patch::presence_of(*lacking, claim.piece);
    }
}

void CompareTruth::take(const Questions& answers) {
    std::optional<bool> mine; // whether what the decisions say is of this text
    for (const auto& each : answers.steps) {
        for (const auto& [last, piece, found] : each.claims) {
            const auto [at, first] = seen_.try_emplace({last.step, last.hunk}, found);
            const bool moved = std::exchange(at->second, found) != found;
            const char* action = action_of(found);
            if (last.action == "rejected") {
                if (!moved || found != Presence::all) continue;
            } else if (last.action == action) {
                continue;
            } else if (!moved) {
                if (!first) continue;
                if (!mine) mine = !workbench_.folder().empty() && only_window();
                if (!*mine) continue;
            }
            log_.decide({.step = last.step,
                         .hunk = last.hunk,
                         .action = action,
                         .first_line = last.first_line,
                         .lines = last.lines,
                         .removed = last.removed});
        }
    }
}

void CompareTruth::settle() {
    timer_.stop();
    auto questions = ask();
    answer(questions);
    take(questions);
}

void CompareTruth::look() {
    auto asked = ask();
    if (asked.steps.empty()) return;
    pool_.start([this, questions = std::move(asked)]() mutable {
        answer(questions);
        QMetaObject::invokeMethod(
            this,
            [this, answers = std::move(questions)] {
                // Something was done meanwhile: its own look is to come, or has been.
                if (answers.text == sources_.revision() && answers.log == log_.revision())
                    take(answers);
                else if (!timer_.isActive())
                    timer_.start();
            },
            Qt::QueuedConnection);
    });
}

} // namespace kw::desktop
