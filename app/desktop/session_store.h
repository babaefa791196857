#pragma once

#include "agent/trajectory/session_file.h"
#include "engine/pipeline/evaluation.h"
#include "engine/profile/report.h"

#include <QObject>
#include <QThread>

#include <atomic>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kw::desktop {

/// A step and what is known of it, read.
struct StepRecord {
    trajectory::Step step;
    std::optional<pipeline::Evaluation> evaluation{};
    std::optional<profile::Report> report{};
    /// Why there is no more than the step's summary: the session lacks a text of it, or is damaged.
    std::optional<Error> unreadable{};
};

/// Text that was typed and never saved.
struct Draft {
    std::string text;
    std::int64_t time_ms = 0; ///< Unix time of the last key
    std::string kept_as{};    ///< where a session keeps it, which forget_offer() takes
};

/// What a session held when it was opened.
struct OpenedSession {
    std::filesystem::path path;
    task::Files files; ///< the task as the session began
    task::Task task;   ///< of these files
    std::vector<trajectory::StepSummary> steps;
    /// By file of the task: the latest text of each that was typed in a window which is no longer there.
    std::map<std::string, Draft, std::less<>> drafts;
    bool of_folder = false; ///< `files` are a folder's, not the session's own
    bool read_only = false; ///< nothing more is kept in it
    bool trace = false;     ///< no task came with it: `files` are what steps had first, `task` is only a name
    std::string lesson{};   ///< as trajectory::questions_from() reads it
};

/// A session file on a thread of its own: the window never waits for a disk. Calls return at once and are carried out
/// in order; answers are signals in this object's thread, those about a session that is no longer open left out.
/// Destroying it finishes what was asked.
class SessionStore : public QObject {
    Q_OBJECT
public:
    explicit SessionStore(QObject* parent = nullptr);
    ~SessionStore() override;

    /// Opens `path`, or creates it for a task. What was open before is closed at once.
    void open(const std::filesystem::path& path, task::Files files, task::Task task);
    /// Opens a session that has to be there. What was open before stays so until it is.
    void open_existing(const std::filesystem::path& path);

    void add(trajectory::Step step);
    void load(trajectory::StepId id);
    /// As load(), for a step that is wanted in place of the one wanted before: that one is left out where it has not
    /// been read yet.
    void load_latest(trajectory::StepId id);
    /// Keeps the questions of a lesson.
    void keep_lesson(const std::string& text);
    /// Keeps unsaved text of a file, beside what other windows keep of it; an absent one forgets it.
    void keep_draft(const std::string& file, std::optional<Draft> draft);
    /// A draft that was told by opened() stays until this, whatever is typed meanwhile.
    void forget_offer(const std::string& kept_as);
    /// Looks now whether others have written into the session; it looks every kLookMs by itself.
    void look();
    static constexpr int kLookMs = 1000;

Q_SIGNALS:
    void opened(const std::shared_ptr<const kw::desktop::OpenedSession>& session);
    void open_failed(const kw::Error& error);
    void added(const std::shared_ptr<const kw::desktop::StepRecord>& step);
    void add_failed(const kw::Error& error);
    void loaded(const std::shared_ptr<const kw::desktop::StepRecord>& step);
    void load_failed(kw::trajectory::StepId id, const kw::Error& error);
    void draft_failed(const kw::Error& error);
    /// Another program, or an agent of this one, has written into the session. Its steps are these now.
    void written_by_others(const std::vector<kw::trajectory::StepSummary>& steps);
    /// A step waits until another program has written the session.
    void add_waits(const kw::Error& error);

private:
    class Disk;

    QThread thread_;
    std::atomic<trajectory::StepId> latest_{0};
    Disk* disk_; ///< lives in thread_
    quint64 asked_ = 0;
    quint64 epoch_ = 0; ///< of the session whose answers count
};

/// No other window of this user has a session open.
[[nodiscard]] bool only_window();

/// What a session stores of a step's evaluation, parsed. What cannot be read is left out.
[[nodiscard]] StepRecord read_step(trajectory::Step step);

} // namespace kw::desktop
