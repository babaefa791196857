#include "agent/session/loop.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <functional>
#include <thread>
#include <utility>

namespace kw::agent {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kUnfinished = "unfinished";

std::int64_t unix_ms() {
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

std::optional<End> used_up(const Budget& budget, const RunResult& result, Clock::time_point start) {
    if (budget.steps && result.steps >= *budget.steps) return End::steps;
    if (budget.seconds && std::chrono::duration<double>(Clock::now() - start).count() >= *budget.seconds)
        return End::seconds;
    if (budget.tokens && result.usage.prompt_tokens + result.usage.completion_tokens >= *budget.tokens)
        return End::tokens;
    if (budget.cost_usd && result.usage.cost_usd.value_or(0) >= *budget.cost_usd) return End::cost;
    return std::nullopt;
}

/// Kept where exports and people find it: a list, as a session may see several runs.
Result<void> keep(trajectory::SessionFile& session, const Leftover& left) {
    const auto before = session.meta(kUnfinished);
    if (!before) return std::unexpected(before.error());
    auto list = Json::parse(*before, nullptr, false);
    if (!list.is_array()) list = Json::array();
    const auto steps = session.steps();
    if (!steps) return std::unexpected(steps.error());
    Json messages = Json::array(), calls = Json::array();
    for (const auto& message : left.messages)
        messages.push_back({{"role", message.role}, {"content", message.content}, {"reasoning", message.reasoning}});
    for (const auto& call : left.tool_calls)
        calls.push_back({{"id", call.id},
                         {"name", call.name},
                         {"arguments", call.arguments},
                         {"result", call.result},
                         {"ok", call.ok}});
    const auto& usage = left.usage;
    list.push_back({{"after", steps->empty() ? Json(nullptr) : Json(steps->back().id)},
                    {"time_ms", unix_ms()},
                    {"messages", std::move(messages)},
                    {"tool_calls", std::move(calls)},
                    {"prompt_tokens", usage.prompt_tokens},
                    {"cached_tokens", usage.cached_tokens},
                    {"completion_tokens", usage.completion_tokens},
                    {"reasoning_tokens", usage.reasoning_tokens},
                    {"cost_usd", usage.cost_usd ? Json(*usage.cost_usd) : Json(nullptr)}});
    return session.set_meta(kUnfinished, list.dump(-1, ' ', false, Json::error_handler_t::replace));
}

/// What is to be kept cost more than waiting does.
template<class Write>
auto once_free(const Write& write, const pipeline::Progress& progress, const std::stop_token& stop)
    -> decltype(write()) {
    for (;;) {
        auto done = write();
        if (done || done.error().code != ErrorCode::timeout || stop.stop_requested()) return done;
        if (progress) progress("another program is writing the session; what was done is kept until it has ended", -1);
    }
}

bool better(const trajectory::StepSummary& a, const trajectory::StepSummary& b) {
    if (a.reward != b.reward) return a.reward > b.reward;
    return a.median_us && b.median_us && *a.median_us < *b.median_us;
}

} // namespace

void Control::pause() {
    const std::scoped_lock lock{mutex_};
    paused_ = true;
}

void Control::resume() {
    {
        const std::scoped_lock lock{mutex_};
        paused_ = false;
    }
    changed_.notify_all();
}

bool Control::paused() const {
    const std::scoped_lock lock{mutex_};
    return paused_;
}

void Control::wait(std::stop_token stop) {
    std::unique_lock lock{mutex_};
    ++waiting_;
    changed_.wait(lock, std::move(stop), [this] { return !paused_; });
    --waiting_;
}

bool Control::waiting() const {
    const std::scoped_lock lock{mutex_};
    return paused_ && waiting_ > 0;
}

std::string_view to_string(End end) {
    switch (end) {
    case End::no_more: return "the driver has nothing more to try";
    case End::steps: return "the budget of steps is used up";
    case End::seconds: return "the budget of time is used up";
    case End::tokens: return "the budget of tokens is used up";
    case End::cost: return "the budget of money is used up";
    case End::stopped: return "it was stopped";
    case End::stalled: return "the driver went on without proposing anything";
    }
    return {};
}

namespace {

/// Asks a driver to stop when the time of a budget is over: it may wait for a server for much longer.
class Deadline {
public:
    Deadline(const Budget& budget, const std::stop_token& stop) : passed_on_{stop, [this] { source_.request_stop(); }} {
        if (!budget.seconds) return;
        timer_ = std::jthread{[this, seconds = *budget.seconds](const std::stop_token& ended) {
            std::unique_lock lock{mutex_};
            never_.wait_for(lock, ended, std::chrono::duration<double>(seconds), [] { return false; });
            if (ended.stop_requested()) return;
            over_ = true;
            source_.request_stop();
        }};
    }
    [[nodiscard]] std::stop_token token() const { return source_.get_token(); }
    [[nodiscard]] bool over() const { return over_; }

private:
    std::stop_source source_;
    std::stop_callback<std::function<void()>> passed_on_;
    std::atomic<bool> over_ = false;
    std::mutex mutex_;
    std::condition_variable_any never_;
    std::jthread timer_;
};

Result<RunResult> run_steps(trajectory::SessionFile& session, Driver& driver, const Evaluate& evaluate,
                            const RunOptions& options, Control& control, std::stop_token stop) {
    const auto start = Clock::now();
    const Deadline deadline{options.budget, stop};
    RunResult result;
    for (;;) {
        control.wait(stop);
        if (stop.stop_requested()) {
            result.end = End::stopped;
            return result;
        }
        if (const auto end = used_up(options.budget, result, start)) {
            result.end = *end;
            return result;
        }
        trajectory::Step step;
        step.summary.started_ms = unix_ms();
        auto proposal = driver.propose(deadline.token());
        if (!proposal) {
            if (proposal.error().code != ErrorCode::cancelled) return std::unexpected(std::move(proposal.error()));
            result.end = deadline.over() && !stop.stop_requested() ? End::seconds : End::stopped;
            return result;
        }
        if (!*proposal) {
            result.end = driver.end();
            return result;
        }

        step.summary.parent = (*proposal)->parent ? (*proposal)->parent : options.root;
        step.summary.driver = driver.name();
        step.summary.title = std::move((*proposal)->title);
        step.summary.usage = (*proposal)->usage;
        step.thought = std::move((*proposal)->thought);
        step.file = options.file;
        step.source = std::move((*proposal)->source);
        for (const auto& [name, value] : (*proposal)->configuration) step.configuration[name] = value;
        step.messages = std::move((*proposal)->messages);
        step.tool_calls = std::move((*proposal)->tool_calls);

        auto files = options.files;
        files[options.file] = step.source;
        auto evaluation = options.evaluation;
        evaluation.candidate = options.file;
        evaluation.configuration = (*proposal)->configuration;
        auto answer = evaluate(files, evaluation, stop, options.progress ? options.progress : [](auto, auto) {});
        if (answer) {
            step.evaluation = std::move(*answer);
        } else if (answer.error().code == ErrorCode::cancelled) {
            result.end = End::stopped;
            return result;
        } else if (ends_run(answer.error())) {
            return std::unexpected(std::move(answer.error()));
        } else {
            step.summary.because = answer.error().message;
        }
        step.summary.ended_ms = unix_ms();
        driver.complete(step);
        result.usage += step.summary.usage;
        const auto id = once_free([&] { return session.add(step); }, options.progress, stop);
        if (!id) return std::unexpected(id.error());
        ++result.steps;
        // As it was written, with what writing computes.
        auto written = session.step(*id);
        if (!written) return std::unexpected(written.error());
        driver.learn(*written);
        if (options.on_step) options.on_step(*written);
    }
}

} // namespace

bool ends_run(const Error& error) {
    return error.code == ErrorCode::cancelled || error.stage == Stage::usage || error.stage == Stage::task
           || error.code == ErrorCode::unsupported
           || (error.stage == Stage::environment && error.code != ErrorCode::crashed);
}

Result<RunResult> run(trajectory::SessionFile& session, Driver& driver, const Evaluate& evaluate,
                      const RunOptions& options, Control& control, std::stop_token stop) {
    auto result = run_steps(session, driver, evaluate, options, control, stop);
    if (const auto left = driver.leftover()) {
        const auto kept = once_free([&] { return keep(session, *left); }, options.progress, stop);
        // The first error is the one that matters.
        if (result && !kept) return std::unexpected(kept.error());
        if (result) result->usage += left->usage;
    }
    return result;
}

Trend trend_of(const std::vector<trajectory::StepSummary>& steps, std::size_t window) {
    Trend trend;
    const trajectory::StepSummary* best = nullptr;
    for (const auto& step : steps) {
        ++trend.since_best;
        if (!step.correct.value_or(false) || (best && !better(step, *best))) continue;
        best = &step;
        trend.since_best = 0;
    }
    if (!best)
        trend.since_best = steps.size();
    else
        trend.best = best->id;
    trend.plateau = trend.since_best >= window;
    if (!steps.empty() && best && steps.back().id != best->id) {
        const auto& last = steps.back();
        trend.regression = !last.correct.value_or(false)
                           || (last.median_us && best->median_us && *last.median_us > 1.05 * *best->median_us);
    }
    return trend;
}

} // namespace kw::agent
