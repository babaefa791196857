#pragma once

#include "agent/session/loop.h"

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kw::agent {

/// What a lesson says that becomes of a step: some are wrong on purpose.
enum class Expectation { correct, wrong, does_not_compile };
[[nodiscard]] std::string_view to_string(Expectation expectation);

/// A written course of candidates, from the naive one to the best: `lesson.toml` in a folder beside its sources.
struct Lesson {
    struct Step {
        std::string file; ///< in the lesson's folder
        std::string title;
        std::string thought;
        std::string source;
        task::Sizes configuration{};
        std::optional<std::size_t> parent{}; ///< an earlier step's index; none for the first only
        Expectation expectation = Expectation::correct;
    };
    std::string task; ///< name of the task that it is about
    std::vector<Step> steps;
};

/// Reads `folder`/lesson.toml (or that file itself) and its sources. A file that is missing or outside the folder, a
/// parent that is no earlier step and an unknown key are errors with their line.
[[nodiscard]] Result<Lesson> read_lesson(const std::filesystem::path& folder);

/// Proposes a lesson's steps in order, whatever becomes of each.
class LessonDriver final : public Driver {
public:
    explicit LessonDriver(Lesson lesson);

    [[nodiscard]] std::string name() const override { return "lesson"; }
    [[nodiscard]] Result<std::optional<Proposal>> propose(std::stop_token stop) override;
    void learn(const trajectory::Step& step) override;

private:
    Lesson lesson_;
    std::vector<trajectory::StepId> written_; ///< by the lesson's index
};

} // namespace kw::agent
