#pragma once

#include "agent/trajectory/session_file.h"
#include "engine/pipeline/evaluation.h"
#include "engine/profile/report.h"

#include <QObject>
#include <QThread>

#include <filesystem>
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
};

/// Text that was typed and never saved.
struct Draft {
    std::string text;
    std::int64_t time_ms = 0; ///< Unix time of the last key
};

/// What a session held when it was opened.
struct OpenedSession {
    std::filesystem::path path;
    std::string task_name;
    task::Files files; ///< the task as the session began
    std::vector<trajectory::StepSummary> steps;
    std::map<std::string, Draft, std::less<>> drafts; ///< by file of the task
};

/// A session file on a thread of its own: the window never waits for a disk. Calls return at once and are carried out
/// in order; answers are signals in this object's thread. Destroying it finishes what was asked.
class SessionStore : public QObject {
    Q_OBJECT
public:
    explicit SessionStore(QObject* parent = nullptr);
    ~SessionStore() override;

    /// Opens `path`, or creates it for a task. What was open before is closed.
    void open(const std::filesystem::path& path, task::Files task, std::string task_name);
    /// Opens a session that has to be there.
    void open_existing(const std::filesystem::path& path);
    void close();

    void add(trajectory::Step step);
    void load(trajectory::StepId id);
    /// Keeps unsaved text of a file; an absent one forgets it.
    void keep_draft(const std::string& file, std::optional<Draft> draft);

Q_SIGNALS:
    void opened(const std::shared_ptr<const kw::desktop::OpenedSession>& session);
    void added(const std::shared_ptr<const kw::desktop::StepRecord>& step);
    void loaded(const std::shared_ptr<const kw::desktop::StepRecord>& step);
    void failed(const kw::Error& error);

private:
    class Disk;
    void open_with(std::function<Result<trajectory::SessionFile>()> how);

    QThread thread_;
    Disk* disk_; ///< lives in thread_
};

/// What a session stores of a step's evaluation, parsed. What cannot be read is left out.
[[nodiscard]] StepRecord read_step(trajectory::Step step);

} // namespace kw::desktop
