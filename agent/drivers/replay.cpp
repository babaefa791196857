#include "agent/drivers/replay.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

namespace kw::agent {
namespace {

std::string extension(const std::string& file) { return std::filesystem::path{file}.extension().string(); }

/// "step 4", "3 steps (2, 5, 9)"; of many the first.
std::string steps_text(const std::vector<trajectory::StepId>& steps) {
    if (steps.size() == 1) return fmt::format("step {}", steps.front());
    constexpr std::size_t kShown = 8;
    const auto shown = std::min(steps.size(), kShown);
    return fmt::format("{} steps ({}{})", steps.size(),
                       fmt::join(steps.begin(), steps.begin() + static_cast<std::ptrdiff_t>(shown), ", "),
                       steps.size() > kShown ? ", …" : "");
}

} // namespace

ReplayDriver::ReplayDriver(trajectory::SessionFile recorded, std::string file,
                           std::vector<trajectory::StepSummary> steps)
    : recorded_(std::move(recorded)), file_(std::move(file)), steps_(std::move(steps)) {}

Result<std::unique_ptr<ReplayDriver>> ReplayDriver::make(trajectory::SessionFile recorded, std::string file) {
    auto steps = recorded.steps();
    if (!steps) return std::unexpected(std::move(steps.error()));
    if (steps->empty())
        return fail(Stage::usage, ErrorCode::invalid_input,
                    fmt::format("the session '{}' has no step to replay", recorded.path().string()));
    return std::unique_ptr<ReplayDriver>{new ReplayDriver{std::move(recorded), std::move(file), std::move(*steps)}};
}

Result<std::optional<Proposal>> ReplayDriver::propose(std::stop_token stop) {
    for (; next_ < steps_.size(); ++next_) {
        if (stop.stop_requested()) return fail(Stage::usage, ErrorCode::cancelled, "stopped");
        const auto& summary = steps_[next_];
        const auto parent = summary.parent ? became_[*summary.parent] : std::nullopt;
        auto step = recorded_.step(summary.id);
        if (!step) return std::unexpected(std::move(step.error()));
        const bool fits = !step->has_source() || extension(step->file) == extension(file_);
        if (!step->has_source() || !fits) {
            (fits ? without_source_ : of_another_kind_).push_back(summary.id);
            became_[summary.id] = parent;
            continue;
        }
        Proposal proposal{.parent = parent,
                          .title = summary.title,
                          .thought = std::move(step->thought),
                          .source = std::move(step->source),
                          .messages = std::move(step->messages),
                          .tool_calls = std::move(step->tool_calls)};
        if (step->configuration.is_object())
            for (const auto& [name, value] : step->configuration.items())
                if (value.is_number_integer()) proposal.configuration[name] = value.get<std::int64_t>();
        proposed_ = summary.id;
        ++next_;
        return proposal;
    }
    return std::nullopt;
}

void ReplayDriver::learn(const trajectory::Step& step) {
    if (proposed_) became_[*std::exchange(proposed_, {})] = step.summary.id;
}

std::string ReplayDriver::passed_over() const {
    std::string text;
    if (!without_source_.empty())
        text = fmt::format("{} of the recording had no source and could not be tried", steps_text(without_source_));
    if (!of_another_kind_.empty())
        text += fmt::format("{}{} held a file that {} cannot be", text.empty() ? "" : "; ",
                            steps_text(of_another_kind_), file_);
    return text;
}

} // namespace kw::agent
