#pragma once

#include "app/desktop/session_store.h"
#include "app/desktop/worker_session.h"
#include "engine/task/task.h"

#include <QObject>
#include <QTimer>

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <vector>

namespace kw::desktop {

/// A task's folder, read and found to be one.
struct TaskFolder {
    std::filesystem::path folder;
    task::Files files;
    task::Task task;
};
[[nodiscard]] Result<TaskFolder> read_task(const std::filesystem::path& folder);

/// What is open and what is known of it: a task, its session, the step that is looked at, the run under way. Views are
/// told by signals and hold no state of their own about any of these.
class Workbench : public QObject {
    Q_OBJECT
public:
    explicit Workbench(WorkerSession& worker, QObject* parent = nullptr);

    /// The session that goes with the folder is opened or begun.
    void open_task(TaskFolder opened);
    /// A session's file, which holds its task. What is open stays so until session_opened(); where that fails,
    /// session_failed() says why.
    void open_session(const std::filesystem::path& path);

    [[nodiscard]] const std::optional<task::Task>& task() const { return task_; }
    /// False for what others recorded without a task: it can be looked at, and a task made of it.
    [[nodiscard]] bool can_evaluate() const { return task_.has_value() && !trace_; }
    /// Empty while a session is open without the folder of its task.
    [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
    /// As they were when last read or written here.
    [[nodiscard]] const task::Files& files() const { return files_; }
    /// The session's file; empty until session_opened().
    [[nodiscard]] const std::filesystem::path& session() const { return session_; }

    /// Reads the folder again, as other programs may have changed it. Whether the task is another one now: what steps
    /// are measured against has changed, so that it is to be opened anew.
    [[nodiscard]] bool refresh();
    /// Whether steps cannot be compared across a change of this file.
    [[nodiscard]] bool is_yardstick(const std::string& file) const;
    /// A file of the task was written, or read again after another program has changed it.
    void saved(const std::string& file, const std::string& text);
    /// Keeps what was typed and not saved, see kDraftMs.
    void keep_draft(const std::string& file, const std::string& text);
    void forget_draft(const std::string& file);
    /// A draft that session_opened() told of was taken (then it counts as typed now) or refused.
    void answer_offer(const std::string& file, const std::optional<std::string>& taken);

    /// Evaluates `files`, of which options.candidate is what was changed. The result becomes a step of the session,
    /// which is then selected.
    void run(const task::Files& files, const pipeline::Options& options);
    void stop();
    [[nodiscard]] bool running() const { return running_; }

    [[nodiscard]] const std::vector<trajectory::StepSummary>& steps() const { return steps_; }
    /// The step that is looked at; nothing before the first.
    [[nodiscard]] const std::shared_ptr<const StepRecord>& selected() const { return selected_; }
    /// Profiles of steps, as far as they have been read: the latest kMostProfiles.
    [[nodiscard]] const std::map<trajectory::StepId, std::shared_ptr<const profile::Report>>& profiles() const {
        return profiles_;
    }
    static constexpr std::size_t kMostProfiles = 64;
    /// Reads those of the steps that the session had when it was opened; profiles_changed() tells of each.
    void read_profiles();
    [[nodiscard]] std::optional<trajectory::StepId> best() const;
    [[nodiscard]] std::optional<trajectory::StepId> first_wrong() const;
    void select(trajectory::StepId id);
    /// A step that somebody else has written into the session, an agent, is read and joins the others. It is shown
    /// where the newest step was until then.
    void take_in(qlonglong id);
    /// What others have written into the session is looked for now, rather than soon.
    void look() { store_.look(); }
    /// By position in the order of steps: -1 the one before, 1 the one after.
    void select_neighbour(int offset);
    /// Reads a step without looking at it; step_read() tells.
    void read(trajectory::StepId id);
    /// For a lesson: steps after this one are not there, for nobody, until they are shown one by one or all.
    void hide_after(trajectory::StepId id);
    void show_next();
    void show_all();
    [[nodiscard]] const std::vector<trajectory::StepSummary>& hidden() const { return hidden_; }
    void keep_lesson(const std::string& text) { store_.keep_lesson(text); }
    /// The text is that of a step now: what is made of it comes from there.
    void go_on_from(trajectory::StepId id) { origin_ = id; }

    /// Text is kept this long after a key at the latest.
    static constexpr int kDraftMs = 1000;

Q_SIGNALS:
    void task_opened();
    /// The session of the task that is open now, with the texts that were typed and never saved.
    void session_opened(const std::shared_ptr<const kw::desktop::OpenedSession>& session);
    void steps_changed();
    /// A step is asked for, and being read.
    void step_wanted(qlonglong id);
    void step_selected();
    void step_read(const std::shared_ptr<const kw::desktop::StepRecord>& record);
    void step_unreadable(qlonglong id);
    void profiles_changed();
    void run_started();
    void progressed(const QString& what, double fraction);
    void live(const kw::profile::LiveUpdate& update);
    /// A step is there, unless the run was stopped or could not be done: then `error` says why.
    void run_finished(const std::optional<kw::Error>& error);
    /// The session cannot be read or written; editing and running go on without.
    void session_failed(const kw::Error& error);
    /// Others have written into the session; steps of theirs are among steps() or on their way there.
    void session_changed();
    /// A step waits for another program to have written the session; the run goes on until it has.
    void step_waits(const kw::Error& error);

private:
    void connect_store();
    void connect_worker();
    void adopt(task::Files files, task::Task task, std::filesystem::path folder, bool trace = false);
    void end_run(const Error& error);
    void add_step(const pipeline::Evaluation& evaluation);
    /// Where no session keeps a step, it is kept as long as the window is open.
    void keep_here(trajectory::Step step);
    void keep_profile(const std::shared_ptr<const StepRecord>& record);
    /// The last run's step is there, in the session or, where that cannot be written, only here.
    void finish_run(std::shared_ptr<const StepRecord> record);
    void merge(const std::vector<trajectory::StepSummary>& stored);
    [[nodiscard]] bool looks_at_newest() const;
    /// Among those that are shown or hidden.
    [[nodiscard]] trajectory::StepSummary* find(trajectory::StepId id);
    void join(const std::shared_ptr<const StepRecord>& record);
    void show(std::shared_ptr<const StepRecord> record);

    WorkerSession& worker_;
    SessionStore store_;
    std::filesystem::path folder_, session_;
    task::Files files_;
    std::optional<task::Task> task_;
    bool trace_ = false; ///< the task is only a name
    std::vector<trajectory::StepSummary> steps_;
    std::vector<trajectory::StepSummary> hidden_; ///< behind steps_, in their order
    std::map<trajectory::StepId, std::shared_ptr<const profile::Report>> profiles_;
    bool profiles_read_ = false;
    std::shared_ptr<const StepRecord> selected_;
    std::optional<trajectory::StepId> wanted_; ///< being read
    std::optional<trajectory::StepId> newest_; ///< of others, to be followed once it has been read
    std::optional<trajectory::StepId> origin_; ///< of the text that is being edited
    std::set<trajectory::StepId> arriving_;    ///< written by somebody else, being read
    /// Steps that no session keeps.
    std::map<trajectory::StepId, std::shared_ptr<const StepRecord>> unkept_;

    bool running_ = false;
    std::optional<trajectory::Step> run_;    ///< as it was when the run began
    std::optional<trajectory::Step> adding_; ///< on its way into the session

    std::map<std::string, Draft, std::less<>> drafts_;       ///< not handed on yet
    std::map<std::string, std::string, std::less<>> offers_; ///< by file, where the session keeps what is offered
    QTimer draft_timer_;
};

} // namespace kw::desktop
