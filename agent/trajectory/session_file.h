#pragma once

#include "agent/trajectory/step.h"
#include "engine/base/result.h"
#include "engine/task/task.h"

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace SQLite {
class Database;
}

namespace kw::trajectory {

/// A session on disk: one SQLite file in WAL mode. A step is written by one transaction, so a crash loses it whole or
/// not at all. One thread at a time; other processes may read beside a writer. An error with ErrorCode::timeout says
/// that another program was writing for kBusyMs: the same may be tried again.
class SessionFile {
public:
    /// A new file for a task. One that exists already is an error.
    [[nodiscard]] static Result<SessionFile> create(const std::filesystem::path& path, const task::Files& task,
                                                    std::string_view task_name);
    /// A new file with all that `work` adds to it, or none: for many steps at once, at half of what writing and then
    /// keeping them costs.
    [[nodiscard]] static Result<void> create_whole(const std::filesystem::path& path, const task::Files& task,
                                                   std::string_view task_name,
                                                   const std::function<Result<void>(SessionFile&)>& work);
    /// A new file that holds all that this one does.
    [[nodiscard]] Result<SessionFile> copy_to(const std::filesystem::path& path) const;
    enum class Access { read, write };
    /// Errors name the file and what is wrong: missing, not a session, of a newer program, damaged, in use. One to
    /// write is brought up to date where an older program made it.
    [[nodiscard]] static Result<SessionFile> open(const std::filesystem::path& path, Access access);
    SessionFile(SessionFile&&) noexcept;
    SessionFile& operator=(SessionFile&&) noexcept;
    ~SessionFile();

    static constexpr int kBusyMs = 5000;
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

    /// Writes a step and gives it its id; `summary.id`, `source_sha256` and the line counts are computed, and the facts
    /// of an evaluation taken from it. The parent must exist.
    [[nodiscard]] Result<StepId> add(Step step);
    /// Replaces what is known of a step's evaluation.
    [[nodiscard]] Result<void> set_evaluation(StepId id, const Json& evaluation);
    [[nodiscard]] Result<void> decide(const Decision& decision);
    /// Everything that `work` adds and sets is written at once when it succeeds, and not at all when it fails: for many
    /// steps, which otherwise wait for the disk one by one.
    [[nodiscard]] Result<void> at_once(const std::function<Result<void>()>& work);

    /// In order of writing.
    [[nodiscard]] Result<std::vector<StepSummary>> steps() const;
    [[nodiscard]] Result<Step> step(StepId id) const;
    /// A step's messages and tool calls alone.
    struct Conversation {
        std::vector<Message> messages;
        std::vector<ToolCall> tool_calls;
    };
    [[nodiscard]] Result<Conversation> conversation(StepId id) const;
    [[nodiscard]] Result<std::vector<Decision>> decisions() const;
    /// Another number after others have written into the file; cheap to ask.
    [[nodiscard]] Result<std::int64_t> data_version() const;
    /// The step with the highest reward, then the highest speed-up, then the earliest; none when nothing is correct.
    [[nodiscard]] Result<std::optional<StepId>> best() const;

    /// The task as it was when the session began.
    [[nodiscard]] Result<task::Files> task_files() const;
    /// Of each file that steps hold, the text that it had first. What there is of a trace that came without a task.
    [[nodiscard]] Result<task::Files> first_sources() const;
    [[nodiscard]] Result<std::string> task_name() const;
    /// Settings that travel with the session, such as a driver's state; empty when never set, or set to nothing.
    [[nodiscard]] Result<std::string> meta(const std::string& key) const;
    /// All whose key begins with `prefix`, by what follows it.
    [[nodiscard]] Result<std::map<std::string, std::string>> metas(std::string_view prefix) const;
    [[nodiscard]] Result<void> set_meta(const std::string& key, std::string_view value);

private:
    explicit SessionFile(std::filesystem::path path);
    /// A whole file of no steps; throws what SQLite does.
    [[nodiscard]] static Result<void> write_new(const std::filesystem::path& path, const task::Files& task,
                                                std::string_view task_name);
    [[nodiscard]] Result<std::string> blob(const std::string& sha256) const;
    std::string put_blob(std::string_view text);

    std::filesystem::path path_;
    std::unique_ptr<SQLite::Database> database_;
    bool at_once_ = false; ///< a transaction is open already
    /// The step that was added last meanwhile and its source, from which the next one most often begins.
    std::optional<std::pair<StepId, std::string>> last_{};
};

} // namespace kw::trajectory
