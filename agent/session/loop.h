#pragma once

#include "agent/trajectory/session_file.h"
#include "engine/pipeline/evaluate.h"

#include <condition_variable>
#include <functional>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>

/// A driver proposes, the pipeline evaluates, the session keeps.
namespace kw::agent {

/// What a driver wants tried.
struct Proposal {
    std::optional<trajectory::StepId> parent{};
    std::string title;
    std::string thought{};
    std::string source;
    task::Sizes configuration{};
    std::vector<trajectory::Message> messages{};
    std::vector<trajectory::ToolCall> tool_calls{};
    trajectory::Usage usage{};
};

enum class End { no_more, steps, seconds, tokens, cost, stopped, stalled };
[[nodiscard]] std::string_view to_string(End end);

/// What a driver did after its last proposal.
struct Leftover {
    std::vector<trajectory::Message> messages{};
    std::vector<trajectory::ToolCall> tool_calls{};
    trajectory::Usage usage{};
};

/// Where proposals come from. Used by one thread.
class Driver {
public:
    virtual ~Driver() = default;
    /// As a session names it: "tuner", "llm:<model>", …
    [[nodiscard]] virtual std::string name() const = 0;
    /// The next proposal; none when it has no more. May take long.
    [[nodiscard]] virtual Result<std::optional<Proposal>> propose(std::stop_token stop) = 0;
    /// Its last proposal has been evaluated and is about to be written: a driver adds what it recorded of that.
    virtual void complete(trajectory::Step& /*step*/) {}
    /// What became of its last proposal.
    virtual void learn(const trajectory::Step& step) = 0;
    /// Why it has no more proposals.
    [[nodiscard]] virtual End end() const { return End::no_more; }
    /// Work that led to no proposal; asked once, when a run ends. It is kept in the session's meta "unfinished".
    [[nodiscard]] virtual std::optional<Leftover> leftover() { return std::nullopt; }
};

/// What a run may use up; what is absent is not limited.
struct Budget {
    std::optional<std::size_t> steps{};
    std::optional<double> seconds{};
    std::optional<std::int64_t> tokens{}; ///< prompt and completion together
    std::optional<double> cost_usd{};
};

/// Steers a run from another thread.
class Control {
public:
    void pause();
    void resume();
    [[nodiscard]] bool paused() const;
    /// Returns when it is not paused, or `stop` is requested.
    void wait(std::stop_token stop);
    /// Whether somebody is in wait() because it is paused: what was under way is done.
    [[nodiscard]] bool waiting() const;

private:
    mutable std::mutex mutex_;
    std::condition_variable_any changed_;
    bool paused_ = false;
    int waiting_ = 0;
};

struct RunOptions {
    task::Files files; ///< the task's; the proposal takes the place of `file`
    std::string file;  ///< what is being changed: the task's kernel
    /// The step that a proposal without a parent begins from; none: it begins a tree of its own.
    std::optional<trajectory::StepId> root{};
    pipeline::Options evaluation{};
    Budget budget{};
    /// After each step has been written.
    std::function<void(const trajectory::Step&)> on_step{};
    pipeline::Progress progress{};
};

struct RunResult {
    End end = End::no_more;
    std::size_t steps = 0; ///< written by this run
    trajectory::Usage usage{};
};

using Evaluate = std::function<Result<Json>(const task::Files&, const pipeline::Options&, std::stop_token,
                                            const pipeline::Progress&)>;

/// Runs until the driver has no more, a budget is used up or `stop` is requested; what was written until then stays. An
/// error of an evaluation that another proposal would meet too (no device, no compiler) ends the run with it; any other
/// is the step's. While another program writes the session a step waits, which `progress` tells; it is given up only
/// where `stop` is requested and the session is still not free.
[[nodiscard]] Result<RunResult> run(trajectory::SessionFile& session, Driver& driver, const Evaluate& evaluate,
                                    const RunOptions& options, Control& control, std::stop_token stop);

/// An error that another proposal would meet too: no device, no compiler, a task that is wrong, being stopped.
[[nodiscard]] bool ends_run(const Error& error);

/// Whether trying on promises anything, from the steps so far.
struct Trend {
    std::optional<trajectory::StepId> best{};
    std::size_t since_best = 0; ///< steps after the best one
    bool plateau = false;       ///< `window` steps without a better one
    bool regression = false;    ///< the last step is wrong, or more than 5 % slower than the best
};
[[nodiscard]] Trend trend_of(const std::vector<trajectory::StepSummary>& steps, std::size_t window = 8);

} // namespace kw::agent
