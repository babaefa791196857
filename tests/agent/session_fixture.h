#pragma once

#include "agent/trajectory/session_file.h"

#include <QTemporaryDir>

#include <filesystem>
#include <string>

namespace kw::test {

/// A folder with a session of a small task.
class SessionFolder {
public:
    [[nodiscard]] std::filesystem::path path(const std::string& name = "s.kwsession") const {
        return std::filesystem::path{folder_.path().toStdString()} / name;
    }
    [[nodiscard]] Result<trajectory::SessionFile> create() const {
        return trajectory::SessionFile::create(path(), {{"task.toml", "name = \"t\""}, {"k.cu", "text"}}, "t");
    }

private:
    QTemporaryDir folder_;
};

/// A step whose evaluation says this.
inline trajectory::Step step(std::string source, double reward, double speedup, double median_us,
                             std::optional<trajectory::StepId> parent = {}) {
    trajectory::Step made;
    made.summary.driver = "human";
    made.summary.title = "a change";
    made.summary.parent = parent;
    made.file = "k.cu";
    made.source = std::move(source);
    made.evaluation = Json{{"bench", {{"median_us", median_us}, {"estimated", true}}},
                           {"reward",
                            {{"value", reward},
                             {"because", "so it is"},
                             {"speedups", Json::array({{{"baseline", "a"}, {"speedup", speedup + 1}},
                                                       {{"baseline", "b"}, {"speedup", speedup}}})}}}};
    return made;
}

inline std::vector<trajectory::StepSummary> steps_of(const trajectory::SessionFile& session) {
    return session.steps().value();
}

} // namespace kw::test
