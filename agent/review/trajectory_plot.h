#pragma once

#include "agent/trajectory/rescore.h"
#include "agent/trajectory/step.h"
#include "widgets/plot_data.h"

#include <map>
#include <optional>
#include <vector>

/// A session's course as plain values, before it is a picture.
namespace kw::review {

enum class Course { speedup, reward, time, tokens, cost };

/// What a step's reward is and would be.
struct StepScore {
    reward::Reward now{};
    /// None where what is stored does not tell.
    std::optional<reward::Reward> what_if{};
};

struct CourseOptions {
    Course course = Course::speedup;
    /// Over which baseline speed-ups are; empty: over the strongest of each step.
    std::string baseline{};
    bool what_if = false; ///< scores are by `StepScore::what_if`
    std::optional<trajectory::StepId> selected{};
};

struct CoursePicture {
    widgets::PlotData plot;
    /// By series and point of the plot; 0 where a point is no step.
    std::vector<std::vector<trajectory::StepId>> steps;
};

/// The plot of a session. `scores` may lack steps, which then have what their summary says: no interval and no other
/// baseline.
[[nodiscard]] CoursePicture course_picture(const std::vector<trajectory::StepSummary>& steps,
                                           const std::map<trajectory::StepId, StepScore>& scores,
                                           const CourseOptions& options);

/// Baselines by name with how fast each is beside the compared one (the first one's median of steps' ratios), in the
/// order in which the steps name them.
struct BaselineLevel {
    std::string name;
    double speedup = 1; ///< of the baseline itself over the compared one
};
[[nodiscard]] std::vector<BaselineLevel> baseline_levels(const std::map<trajectory::StepId, StepScore>& scores,
                                                         const std::string& compared);

} // namespace kw::review
