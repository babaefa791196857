#include "app/desktop/workbench.h"

#include "agent/session/loop.h"
#include "app/desktop/settings.h"
#include "engine/base/hash.h"

#include <QDateTime>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kw::desktop {
namespace {

/// One session for a folder and for what its candidates are measured against: after a change of the reference, a
/// baseline or task.toml, steps before and after could not be compared.
std::filesystem::path session_of(const std::filesystem::path& folder, const task::Files& files,
                                 const task::Task& task) {
    std::error_code error;
    std::string key = std::filesystem::weakly_canonical(folder, error).string();
    const auto counts = [&](const std::string& name) {
        return name == "task.toml" || name == task.reference
               || std::ranges::find(task.baselines, name) != task.baselines.end();
    };
    for (const auto& [name, text] : files)
        if (counts(name)) key += '\n' + name + '\n' + sha256_hex(text);
    return data_folder() / "sessions" / fmt::format("{}-{}.kwsession", task.name, sha256_hex(key).substr(0, 12));
}

} // namespace

Workbench::Workbench(WorkerSession& worker, QObject* parent) : QObject(parent), worker_(worker) {
    draft_timer_.setSingleShot(true);
    draft_timer_.setInterval(kDraftMs);
    connect(&draft_timer_, &QTimer::timeout, this, [this] {
        for (auto& [file, draft] : drafts_) store_.keep_draft(file, std::move(draft));
        drafts_.clear();
    });
    connect(&store_, &SessionStore::opened, this, [this](const std::shared_ptr<const OpenedSession>& opened) {
        // Of an earlier task: the next one's is on its way.
        if (opened->path != opening_) return;
        if (!task_) {
            auto task = task::parse_task(opened->files);
            if (!task) {
                Q_EMIT session_failed(task.error());
                return;
            }
            adopt(opened->files, std::move(*task), {});
        }
        session_ = opened->path;
        steps_ = opened->steps;
        Q_EMIT session_opened(opened);
        Q_EMIT steps_changed();
        if (!steps_.empty()) select(steps_.back().id);
    });
    connect(&store_, &SessionStore::added, this, [this](const std::shared_ptr<const StepRecord>& record) {
        adding_.reset();
        finish_run(record);
    });
    connect(&store_, &SessionStore::loaded, this, [this](const std::shared_ptr<const StepRecord>& record) {
        if (record->report && !profiles_.contains(record->step.summary.id)) {
            keep_profile(record);
            Q_EMIT profiles_changed();
        }
        if (wanted_ != record->step.summary.id) return;
        wanted_.reset();
        selected_ = record;
        Q_EMIT step_selected();
    });
    connect(&store_, &SessionStore::failed, this, [this](const Error& error) {
        Q_EMIT session_failed(error);
        if (!adding_) return;
        auto step = std::move(*adding_);
        adding_.reset();
        trajectory::summarize_evaluation(step);
        step.summary.id = steps_.empty() ? 1 : steps_.back().id + 1;
        finish_run(std::make_shared<const StepRecord>(read_step(std::move(step))));
    });

    connect(&worker_, &WorkerSession::progressed, this, [this](const QString& what, double fraction) {
        if (running_) Q_EMIT progressed(what, fraction);
    });
    connect(&worker_, &WorkerSession::live, this, [this](const profile::LiveUpdate& update) {
        if (running_) Q_EMIT live(update);
    });
    connect(&worker_, &WorkerSession::evaluated, this,
            [this](const pipeline::Evaluation& evaluation) { add_step(evaluation); });
    connect(&worker_, &WorkerSession::failed, this, [this](const Error& error) {
        running_ = false;
        Q_EMIT run_finished(error);
    });
}

void Workbench::adopt(task::Files files, task::Task task, std::filesystem::path folder) {
    worker_.abandon_evaluation();
    if (std::exchange(running_, false))
        Q_EMIT run_finished(Error{Stage::rpc, ErrorCode::cancelled, "another task was opened"});
    folder_ = std::move(folder);
    files_ = std::move(files);
    task_ = std::move(task);
    session_.clear();
    steps_.clear();
    profiles_.clear();
    profiles_read_ = false;
    selected_.reset();
    wanted_.reset();
    Q_EMIT task_opened();
    Q_EMIT steps_changed();
    Q_EMIT step_selected();
}

Result<void> Workbench::open_task(const std::filesystem::path& folder) {
    auto files = task::read_folder(folder);
    if (!files) return std::unexpected(std::move(files.error()));
    auto task = task::parse_task(*files);
    if (!task) return std::unexpected(std::move(task.error()));
    opening_ = session_of(folder, *files, *task);
    store_.open(opening_, *files, task->name);
    adopt(std::move(*files), std::move(*task), folder);
    return {};
}

void Workbench::open_session(const std::filesystem::path& path) {
    opening_ = path;
    task_.reset();
    store_.open_existing(path);
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

void Workbench::run(const task::Files& files, const pipeline::Options& options) {
    if (!task_) return;
    running_ = true;
    run_files_ = files;
    run_file_ = options.candidate.empty() ? task_->kernel : options.candidate;
    run_started_ms_ = QDateTime::currentMSecsSinceEpoch();
    Q_EMIT run_started();
    worker_.evaluate(files, options);
}

void Workbench::stop() {
    if (running_) worker_.cancel_evaluation();
}

void Workbench::add_step(const pipeline::Evaluation& evaluation) {
    trajectory::Step step;
    step.file = run_file_;
    const auto source = run_files_.find(run_file_);
    step.source = source == run_files_.end() ? std::string() : source->second;
    if (selected_) step.summary.parent = selected_->step.summary.id;
    step.summary.driver = "human";
    step.summary.title =
        selected_ && selected_->step.source == step.source ? "Run again: " + run_file_ : "Edit of " + run_file_;
    step.summary.started_ms = run_started_ms_;
    step.summary.ended_ms = QDateTime::currentMSecsSinceEpoch();
    step.configuration = pipeline::sizes_to_json(evaluation.configuration);
    step.evaluation = pipeline::to_json(evaluation);
    adding_ = step;
    store_.add(std::move(step));
}

void Workbench::keep_profile(const std::shared_ptr<const StepRecord>& record) {
    if (!record->report) return;
    profiles_[record->step.summary.id] = {record, &*record->report};
    while (profiles_.size() > kMostProfiles) profiles_.erase(profiles_.begin());
}

void Workbench::finish_run(std::shared_ptr<const StepRecord> record) {
    running_ = false;
    steps_.push_back(record->step.summary);
    keep_profile(record);
    selected_ = std::move(record);
    wanted_.reset();
    Q_EMIT steps_changed();
    Q_EMIT step_selected();
    Q_EMIT run_finished(std::nullopt);
}

void Workbench::read_profiles() {
    if (std::exchange(profiles_read_, true)) return;
    for (std::size_t i = steps_.size(), read = 0; i-- > 0 && read < kMostProfiles; ++read)
        if (!profiles_.contains(steps_[i].id)) store_.load(steps_[i].id);
}

std::optional<trajectory::StepId> Workbench::best() const { return agent::trend_of(steps_).best; }

void Workbench::select(trajectory::StepId id) {
    if (selected_ && selected_->step.summary.id == id && !wanted_) return;
    wanted_ = id;
    store_.load(id);
}

void Workbench::select_neighbour(int offset) {
    const auto current = wanted_ ? *wanted_ : selected_ ? selected_->step.summary.id : 0;
    const auto at = std::ranges::find(steps_, current, &trajectory::StepSummary::id);
    const auto to = (at - steps_.begin()) + offset;
    if (at != steps_.end() && to >= 0 && to < std::ssize(steps_)) select(steps_[static_cast<std::size_t>(to)].id);
}

} // namespace kw::desktop
