#include "app/desktop/workbench.h"

#include "agent/session/loop.h"
#include "app/desktop/settings.h"
#include "engine/base/hash.h"
#include "engine/task/folder.h"

#include <QDateTime>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kw::desktop {
namespace {

bool counts(const task::Task& task, const std::string& file) {
    return file == "task.toml" || file == task.reference
           || std::ranges::find(task.baselines, file) != task.baselines.end();
}

/// One session for a folder and for what its candidates are measured against: after a change of the reference, a
/// baseline or task.toml, steps before and after could not be compared.
std::filesystem::path session_of(const TaskFolder& opened) {
    std::error_code error;
    std::string key = std::filesystem::weakly_canonical(opened.folder, error).string();
    for (const auto& [name, text] : opened.files)
        if (counts(opened.task, name)) key += '\n' + name + '\n' + sha256_hex(text);
    return data_folder() / "sessions"
           / fmt::format("{}-{}.kwsession", task::safe_name(opened.task.name), sha256_hex(key).substr(0, 12));
}

} // namespace

Result<TaskFolder> read_task(const std::filesystem::path& folder) {
    auto files = task::read_folder_in_any_encoding(folder);
    if (!files) return std::unexpected(std::move(files.error()));
    auto task = task::parse_task(*files);
    if (!task) return std::unexpected(std::move(task.error()));
    return TaskFolder{folder, std::move(*files), std::move(*task)};
}

Workbench::Workbench(WorkerSession& worker, QObject* parent) : QObject(parent), worker_(worker) {
    draft_timer_.setSingleShot(true);
    draft_timer_.setInterval(kDraftMs);
    connect(&draft_timer_, &QTimer::timeout, this, [this] {
        for (auto& [file, draft] : drafts_) store_.keep_draft(file, std::move(draft));
        drafts_.clear();
    });
    connect_store();
    connect_worker();
}

void Workbench::connect_store() {
    connect(&store_, &SessionStore::opened, this, [this](const std::shared_ptr<const OpenedSession>& opened) {
        // That of a folder was adopted when it was asked for.
        if (!opened->of_folder) adopt(opened->files, opened->task, {}, opened->trace);
        session_ = opened->path;
        steps_ = opened->steps;
        offers_.clear();
        for (const auto& [file, draft] : opened->drafts) offers_[file] = draft.kept_as;
        Q_EMIT session_opened(opened);
        Q_EMIT steps_changed();
        // A lesson is for going through; anything else for going on.
        if (steps_.empty()) return;
        const auto shown = (steps_.front().driver == "lesson" ? steps_.front() : steps_.back()).id;
        origin_ = opened->of_folder ? steps_.back().id : shown; // a folder has a text of its own
        select(shown);
    });
    connect(&store_, &SessionStore::open_failed, this, &Workbench::session_failed);
    connect(&store_, &SessionStore::draft_failed, this, &Workbench::session_failed);
    connect(&store_, &SessionStore::added, this, [this](const std::shared_ptr<const StepRecord>& record) {
        adding_.reset();
        finish_run(record);
    });
    connect(&store_, &SessionStore::add_failed, this, [this](const Error& error) {
        Q_EMIT session_failed(error);
        if (adding_) keep_here(std::exchange(adding_, std::nullopt).value());
    });
    connect(&store_, &SessionStore::loaded, this, [this](const std::shared_ptr<const StepRecord>& record) {
        if (record->report && !profiles_.contains(record->step.summary.id)) {
            keep_profile(record);
            Q_EMIT profiles_changed();
        }
        if (arriving_.erase(record->step.summary.id) > 0) join(record);
        Q_EMIT step_read(record);
        if (wanted_ == record->step.summary.id) show(record);
    });
    connect(&store_, &SessionStore::written_by_others, this, &Workbench::merge);
    connect(&store_, &SessionStore::add_waits, this, &Workbench::step_waits);
    connect(&store_, &SessionStore::load_failed, this, [this](trajectory::StepId id, const Error& error) {
        // What the list says of it is known all the same, and the steps behind it can be reached.
        if (const auto* summary = wanted_ == id ? find(id) : nullptr) {
            trajectory::Step step;
            step.summary = *summary;
            show(std::make_shared<const StepRecord>(
                StepRecord{.step = std::move(step), .evaluation = {}, .report = {}, .unreadable = error}));
        } else if (wanted_ == id) {
            wanted_.reset();
        }
        Q_EMIT step_unreadable(id);
        Q_EMIT session_failed(error);
    });
}

void Workbench::connect_worker() {
    connect(&worker_, &WorkerSession::progressed, this, [this](const QString& what, double fraction) {
        if (running_) Q_EMIT progressed(what, fraction);
    });
    connect(&worker_, &WorkerSession::live, this, [this](const profile::LiveUpdate& update) {
        if (running_) Q_EMIT live(update);
    });
    connect(&worker_, &WorkerSession::evaluated, this, &Workbench::add_step);
    connect(&worker_, &WorkerSession::failed, this, &Workbench::end_run);
    connect(&worker_, &WorkerSession::about_to_leave, this,
            [this] { end_run({Stage::rpc, ErrorCode::cancelled, "another machine was chosen"}); });
}

void Workbench::end_run(const Error& error) {
    if (std::exchange(running_, false)) Q_EMIT run_finished(error);
}

void Workbench::adopt(task::Files files, task::Task task, std::filesystem::path folder, bool trace) {
    worker_.abandon_evaluation();
    end_run({Stage::rpc, ErrorCode::cancelled, "another task was opened"});
    draft_timer_.stop();
    drafts_.clear();
    folder_ = std::move(folder);
    files_ = std::move(files);
    task_ = std::move(task);
    trace_ = trace;
    session_.clear();
    steps_.clear();
    hidden_.clear();
    unkept_.clear();
    adding_.reset();
    arriving_.clear();
    profiles_.clear();
    profiles_read_ = false;
    selected_.reset();
    wanted_.reset();
    origin_.reset();
    newest_.reset();
    Q_EMIT task_opened();
    Q_EMIT steps_changed();
    Q_EMIT step_selected();
}

void Workbench::open_task(TaskFolder opened) {
    store_.open(session_of(opened), opened.files, opened.task);
    adopt(std::move(opened.files), std::move(opened.task), std::move(opened.folder));
}

void Workbench::open_session(const std::filesystem::path& path) { store_.open_existing(path); }

bool Workbench::is_yardstick(const std::string& file) const { return task_ && counts(*task_, file); }

bool Workbench::refresh() {
    if (folder_.empty()) return false;
    auto now = task::read_folder_in_any_encoding(folder_);
    if (!now) return false; // what was read before is still good for a run
    const auto changed = [&](const std::string& file) {
        const auto found = now->find(file);
        return found != now->end() && found->second != files_[file];
    };
    const bool other =
        changed("task.toml") || changed(task_->reference) || std::ranges::any_of(task_->baselines, changed);
    if (!other) files_ = std::move(*now);
    return other;
}

void Workbench::saved(const std::string& file, const std::string& text) {
    files_[file] = text;
    // A session without its task's folder has no file to write: what it keeps is what there is.
    if (folder_.empty())
        store_.keep_draft(file, Draft{text, QDateTime::currentMSecsSinceEpoch()});
    else
        forget_draft(file);
}

void Workbench::keep_draft(const std::string& file, const std::string& text) {
    drafts_[file] = {text, QDateTime::currentMSecsSinceEpoch()};
    // Not started anew by each key, so that text is kept while somebody types without a pause.
    if (!draft_timer_.isActive()) draft_timer_.start();
}

void Workbench::forget_draft(const std::string& file) {
    drafts_.erase(file);
    store_.keep_draft(file, std::nullopt);
}

void Workbench::answer_offer(const std::string& file, const std::optional<std::string>& taken) {
    if (taken) store_.keep_draft(file, Draft{*taken, QDateTime::currentMSecsSinceEpoch()});
    if (const auto offer = offers_.find(file); offer != offers_.end()) {
        store_.forget_offer(offer->second);
        offers_.erase(offer);
    }
}

void Workbench::run(const task::Files& files, const pipeline::Options& options) {
    if (!can_evaluate()) return;
    running_ = true;
    trajectory::Step step;
    step.file = options.candidate.empty() ? task_->kernel : options.candidate;
    if (const auto source = files.find(step.file); source != files.end()) step.source = source->second;
    // Not the one that is looked at: that may be another's.
    step.summary.parent = origin_;
    const bool same = selected_ && selected_->step.source == step.source;
    step.summary.driver = "human";
    step.summary.title = (same ? "Run again: " : "Edit of ") + step.file;
    step.summary.started_ms = QDateTime::currentMSecsSinceEpoch();
    run_ = std::move(step);
    Q_EMIT run_started();
    worker_.evaluate(files, options);
}

void Workbench::stop() {
    if (running_) worker_.cancel_evaluation();
}

void Workbench::add_step(const pipeline::Evaluation& evaluation) {
    if (!run_) return;
    trajectory::Step step = std::move(*run_);
    run_.reset();
    step.summary.ended_ms = QDateTime::currentMSecsSinceEpoch();
    step.configuration = pipeline::sizes_to_json(evaluation.configuration);
    step.evaluation = pipeline::to_json(evaluation);
    // After one that could not be kept, none is: a kept one could not say where it comes from.
    if (!unkept_.empty()) {
        keep_here(std::move(step));
        return;
    }
    adding_ = step;
    store_.add(std::move(step));
}

void Workbench::keep_here(trajectory::Step step) {
    trajectory::summarize_evaluation(step);
    step.summary.id = steps_.empty() ? 1 : steps_.back().id + 1;
    auto record = std::make_shared<const StepRecord>(read_step(std::move(step)));
    unkept_[record->step.summary.id] = record;
    finish_run(std::move(record));
}

void Workbench::take_in(qlonglong id) {
    if (session_.empty()) return;
    arriving_.insert(id);
    store_.load(id);
}

void Workbench::join(const std::shared_ptr<const StepRecord>& record) {
    const auto id = record->step.summary.id;
    // Where a step is kept only here, its number may be another's in the file.
    if (unkept_.contains(id)) return;
    const auto at = std::ranges::lower_bound(steps_, id, {}, &trajectory::StepSummary::id);
    if (at != steps_.end() && at->id == id) return;
    const bool follows = std::exchange(newest_, std::nullopt) == id || looks_at_newest();
    steps_.insert(at, record->step.summary);
    Q_EMIT steps_changed();
    if (follows) show(record);
}

void Workbench::merge(const std::vector<trajectory::StepSummary>& stored) {
    // Where a step is kept only here, its number may be another's in the file.
    if (unkept_.empty()) {
        bool changed = false;
        std::vector<trajectory::StepSummary> fresh;
        for (const auto& each : stored) {
            auto* known = find(each.id);
            if (!known) {
                if (!arriving_.contains(each.id)) fresh.push_back(each);
            } else if (known->reward != each.reward || known->correct != each.correct || known->because != each.because
                       || known->findings != each.findings) {
                *known = each;
                changed = true;
            }
        }
        // The last is read and followed, as one that an agent of this window has written.
        if (!fresh.empty() && looks_at_newest()) newest_ = fresh.back().id;
        for (std::size_t i = 0; i + 1 < fresh.size(); ++i) {
            steps_.insert(std::ranges::upper_bound(steps_, fresh[i].id, {}, &trajectory::StepSummary::id), fresh[i]);
            changed = true;
        }
        if (!fresh.empty()) take_in(fresh.back().id);
        if (changed) Q_EMIT steps_changed();
    }
    Q_EMIT session_changed();
}

bool Workbench::looks_at_newest() const {
    return !wanted_ && (!selected_ || steps_.empty() || selected_->step.summary.id == steps_.back().id);
}

trajectory::StepSummary* Workbench::find(trajectory::StepId id) {
    for (auto* list : {&steps_, &hidden_}) {
        const auto found = std::ranges::find(*list, id, &trajectory::StepSummary::id);
        if (found != list->end()) return &*found;
    }
    return nullptr;
}

void Workbench::keep_profile(const std::shared_ptr<const StepRecord>& record) {
    if (!record->report) return;
    profiles_[record->step.summary.id] = {record, &*record->report};
    while (profiles_.size() > kMostProfiles) profiles_.erase(profiles_.begin());
}

void Workbench::finish_run(std::shared_ptr<const StepRecord> record) {
    running_ = false;
    steps_.push_back(record->step.summary);
    origin_ = record->step.summary.id;
    keep_profile(record);
    Q_EMIT steps_changed();
    show(std::move(record));
    Q_EMIT run_finished(std::nullopt);
}

void Workbench::show(std::shared_ptr<const StepRecord> record) {
    wanted_.reset();
    selected_ = std::move(record);
    Q_EMIT step_selected();
}

void Workbench::read_profiles() {
    if (steps_.empty() || std::exchange(profiles_read_, true)) return;
    for (std::size_t i = steps_.size(), read = 0; i-- > 0 && read < kMostProfiles; ++read)
        if (!profiles_.contains(steps_[i].id)) store_.load(steps_[i].id);
}

void Workbench::read(trajectory::StepId id) {
    if (const auto found = unkept_.find(id); found != unkept_.end())
        Q_EMIT step_read(found->second);
    else
        store_.load(id);
}

void Workbench::hide_after(trajectory::StepId id) {
    show_all();
    const auto from = std::ranges::find(steps_, id, &trajectory::StepSummary::id);
    if (from == steps_.end()) return;
    hidden_.assign(from + 1, steps_.end());
    steps_.erase(from + 1, steps_.end());
    Q_EMIT steps_changed();
}

void Workbench::show_next() {
    if (hidden_.empty()) return;
    steps_.push_back(std::move(hidden_.front()));
    hidden_.erase(hidden_.begin());
    std::ranges::sort(steps_, {}, &trajectory::StepSummary::id);
    Q_EMIT steps_changed();
}

void Workbench::show_all() {
    if (hidden_.empty()) return;
    std::ranges::move(std::exchange(hidden_, {}), std::back_inserter(steps_));
    std::ranges::sort(steps_, {}, &trajectory::StepSummary::id);
    Q_EMIT steps_changed();
}

std::optional<trajectory::StepId> Workbench::best() const { return agent::trend_of(steps_).best; }

std::optional<trajectory::StepId> Workbench::first_wrong() const {
    const auto found = std::ranges::find(steps_, std::optional{false}, &trajectory::StepSummary::correct);
    return found == steps_.end() ? std::nullopt : std::optional{found->id};
}

void Workbench::select(trajectory::StepId id) {
    if (selected_ && selected_->step.summary.id == id) {
        wanted_.reset();
        return;
    }
    if (const auto found = unkept_.find(id); found != unkept_.end()) {
        show(found->second);
        return;
    }
    wanted_ = id;
    store_.load_latest(id);
    Q_EMIT step_wanted(id);
}

void Workbench::select_neighbour(int offset) {
    const auto current = wanted_ ? *wanted_ : selected_ ? selected_->step.summary.id : 0;
    const auto at = std::ranges::find(steps_, current, &trajectory::StepSummary::id);
    const auto to = (at - steps_.begin()) + offset;
    if (at != steps_.end() && to >= 0 && to < std::ssize(steps_)) select(steps_[static_cast<std::size_t>(to)].id);
}

} // namespace kw::desktop
