#pragma once

#include "engine/base/result.h"
#include "engine/task/task.h"

#include <string>
#include <string_view>
#include <vector>

namespace kw::tools {

/// A model's copy of a task, in memory: it reads every text of it and writes the candidate only. No name leads out of
/// it, since nothing is looked up on a disk. Errors are sentences for the model.
class Scratch {
public:
    /// `candidate` is one of `files`.
    Scratch(task::Files files, std::string candidate) : files_(std::move(files)), candidate_(std::move(candidate)) {}

    [[nodiscard]] const std::string& candidate_name() const { return candidate_; }
    [[nodiscard]] const std::string& candidate() const { return files_.at(candidate_); }
    [[nodiscard]] const task::Files& files() const { return files_; }

    /// A text file of the task. Refused: absolute paths, "..", names that the task has not (with those it has), data.
    [[nodiscard]] Result<std::string> read(std::string_view path) const;
    /// Replaces the one occurrence of `old_text` in the candidate. Where there is none, the error quotes the nearest
    /// line; where there are several, it tells their lines.
    [[nodiscard]] Result<void> replace(std::string_view path, std::string_view old_text, std::string_view new_text);
    /// The whole candidate. Refused: more than 1 MiB, and what is not UTF-8.
    [[nodiscard]] Result<void> write(std::string_view path, std::string content);
    [[nodiscard]] std::vector<std::string> text_names() const;

private:
    /// The name as the task has it.
    [[nodiscard]] Result<std::string> name_of(std::string_view path) const;
    [[nodiscard]] Result<void> writable(std::string_view path) const;

    task::Files files_;
    std::string candidate_;
};

} // namespace kw::tools
