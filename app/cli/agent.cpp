#include "app/cli/agent.h"

#include "agent/drivers/tuner.h"
#include "app/cli/session.h"
#include "engine/report/arguments.h"
#include "engine/report/progress_bar.h"
#include "engine/report/text.h"

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <random>
#include <utility>

namespace kw::cli {
namespace {

using agent::Tuner;

Result<trajectory::SessionFile> open_session(const std::string& path, const task::Files& files,
                                             const std::string& task) {
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) {
        auto created = trajectory::SessionFile::create(path, files, task);
        // It may have been somebody else's meanwhile; then it is gone on with.
        if (created || !std::filesystem::exists(path, ignored)) return created;
    }
    auto session = trajectory::SessionFile::open(path, trajectory::SessionFile::Access::write);
    if (!session) return session;
    const auto name = session->task_name();
    if (!name) return std::unexpected(name.error());
    if (*name != task)
        return fail(Stage::usage, ErrorCode::invalid_input,
                    fmt::format("'{}' is a session of the task {}, not of {}; choose another name", path, *name, task),
                    {path});
    return session;
}

Tuner::Search search_of(const std::string& name) {
    if (name == "exhaustive") return Tuner::Search::exhaustive;
    return name == "random" ? Tuner::Search::random : Tuner::Search::guided;
}

int finish(const trajectory::SessionFile& session, const agent::RunResult& result) {
    const auto steps = session.steps();
    if (!steps) return report::report_error(steps.error());
    const auto best = session.best();
    if (!best) return report::report_error(best.error());
    auto text = fmt::format("\n{} {} written to {}; {}\n", result.steps, result.steps == 1 ? "step" : "steps",
                            session.path().string(), agent::to_string(result.end));
    if (*best) {
        const auto step = session.step(**best);
        if (!step) return report::report_error(step.error());
        text += fmt::format("best: step {}  {}  {}\n", **best, step->summary.title, verdict_text(step->summary));
    }
    if (agent::trend_of(*steps).plateau && result.end != agent::End::no_more)
        text += "the last steps brought nothing better; another start or a larger change may\n";
    if (const auto shown = report::print(text); !shown) return report::report_error(shown.error());
    if (result.end == agent::End::stopped)
        return report::report_error({Stage::usage, ErrorCode::cancelled, "stopped; the steps so far are kept"});
    if (*best) return 0;
    return report::report_error({Stage::verify, ErrorCode::wrong, "no step is correct"});
}

} // namespace

CLI::App* add_agent_run(CLI::App& agent, AgentArguments& arguments) {
    auto* command = agent.add_subcommand("run", "Let a driver change a kernel and evaluate every change, as a session");
    command->add_option("TASK", arguments.evaluation.task, "Task folder")->required();
    report::add_evaluation_options(*command, arguments.evaluation);
    command->add_option("--driver", arguments.driver, "Who proposes the changes: tuner (sweeps '//@ tune' directives)")
        ->check(CLI::IsMember({"tuner"}))
        ->type_name("DRIVER");
    command->add_option("--search", arguments.search, "How the tuner chooses: exhaustive, random or guided (default)")
        ->check(CLI::IsMember({"exhaustive", "random", "guided"}))
        ->type_name("HOW");
    command->add_option("--steps", arguments.steps, "How many steps at most (default: 64)")
        ->check(CLI::Range(std::size_t{1}, std::size_t{1'000'000}))
        ->type_name("N");
    command->add_option("--seconds", arguments.seconds, "How long at most")->type_name("S");
    command->add_option("-o,--output", arguments.evaluation.output, "Session to write, or to go on with")
        ->type_name("FILE.kwsession")
        ->required();
    return command;
}

int agent_command(const AgentArguments& arguments, report::Backend& backend, std::stop_token stop) {
    auto options = report::to_options(arguments.evaluation);
    if (!options) return report::report_error(options.error());
    if (const auto limit = arguments.seconds; limit && !(*limit > 0 && *limit <= pipeline::kLongestTimeoutSeconds))
        return report::report_error({Stage::usage, ErrorCode::invalid_input,
                                     fmt::format("--seconds takes a number above 0 and at most {:.0f}; {} is not one",
                                                 pipeline::kLongestTimeoutSeconds, *limit)});
    if (const auto writable = report::check_output(arguments.evaluation); !writable)
        return report::report_error(writable.error());
    const auto files = report::read_task(arguments.evaluation, *options);
    if (!files) return report::report_error(files.error());
    const auto task = task::parse_task(*files);
    if (!task) return report::report_error(task.error());
    const auto file = options->candidate.empty() ? task->kernel : options->candidate;
    const auto plan = task::parse_plan(files->at(file), file, *task);
    if (!plan) return report::report_error(plan.error());
    auto space = agent::SearchSpace::make(*plan, file, options->configuration);
    if (!space) return report::report_error(space.error());
    auto session = open_session(arguments.evaluation.output, *files, task->name);
    if (!session) return report::report_error(session.error());

    Tuner tuner{std::move(*space), files->at(file), search_of(arguments.search),
                options->seed.value_or(std::random_device{}())};
    report::ProgressBar bar;
    const auto style = report::Style::for_descriptor(STDOUT_FILENO);
    std::optional<Error> unwritable;
    std::stop_source unseen;
    const std::stop_callback interrupted{std::move(stop), [&unseen] { unseen.request_stop(); }};
    agent::RunOptions run{.files = *files, .file = file, .evaluation = *options};
    run.budget.steps = arguments.steps;
    run.budget.seconds = arguments.seconds;
    run.progress = [&](std::string_view what, double fraction) { bar.show(what, fraction); };
    run.on_step = [&](const trajectory::Step& step) {
        bar.clear();
        auto shown = report::print(step_line(step.summary, style));
        if (shown) return;
        // Nobody looks any more: what has been tried is kept, and nothing more is tried.
        unwritable = std::move(shown.error());
        unseen.request_stop();
    };
    const auto evaluate = [&](const task::Files& all, const pipeline::Options& how, std::stop_token token,
                              const pipeline::Progress& progress) {
        return backend.evaluate(all, how, std::move(token), progress);
    };
    agent::Control control;
    const auto result = agent::run(*session, tuner, evaluate, run, control, unseen.get_token());
    bar.clear();
    if (!result) return report::report_error(result.error());
    if (unwritable) return report::report_error(*unwritable);
    return finish(*session, *result);
}

} // namespace kw::cli
