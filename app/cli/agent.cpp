#include "app/cli/agent.h"

#include "agent/launch/launch.h"
#include "app/cli/session.h"
#include "engine/report/arguments.h"
#include "engine/report/progress_bar.h"
#include "engine/report/text.h"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

namespace kw::cli {
namespace {

std::string usage_text(const trajectory::Usage& usage) {
    if (usage.prompt_tokens + usage.completion_tokens == 0) return {};
    const auto count = [](std::int64_t tokens) { return report::count(static_cast<std::uint64_t>(tokens)); };
    auto text = fmt::format("{} tokens read", count(usage.prompt_tokens));
    if (usage.cached_tokens > 0) text += fmt::format(" ({} from the server's cache)", count(usage.cached_tokens));
    text += fmt::format(", {} written, ", count(usage.completion_tokens));
    text += usage.cost_usd ? fmt::format("{:.4f} USD", *usage.cost_usd) : "at a price that is not known";
    return text + "\n";
}

/// What a run has brought, however it ended; the best step. `ending`: why it ended.
Result<std::optional<trajectory::StepId>> sum_up(const trajectory::SessionFile& session, const agent::RunResult& result,
                                                 std::string_view ending) {
    const auto steps = session.steps();
    if (!steps) return std::unexpected(steps.error());
    const auto best = session.best();
    if (!best) return best;
    auto text = fmt::format("\n{} {} written to {}; {}\n", result.steps, result.steps == 1 ? "step" : "steps",
                            session.path().string(), ending);
    text += usage_text(result.usage);
    if (*best) {
        const auto step = session.step(**best);
        if (!step) return std::unexpected(step.error());
        text += fmt::format("best: step {}  {}  {}\n", **best, step->summary.title, verdict_text(step->summary));
    }
    if (agent::trend_of(*steps).plateau && result.end != agent::End::no_more)
        text += "the last steps brought nothing better; another start or a larger change may\n";
    if (auto shown = report::print(text); !shown) return std::unexpected(std::move(shown.error()));
    return best;
}

int finish(const trajectory::SessionFile& session, const agent::RunResult& result, const std::string& ending) {
    const auto best = sum_up(session, result, ending);
    if (!best) return report::report_error(best.error());
    if (result.end == agent::End::stopped)
        return report::report_error({Stage::environment, ErrorCode::cancelled, "stopped; the steps so far are kept"});
    if (*best) return 0;
    return report::report_error({Stage::verify, ErrorCode::wrong, "no step is correct"});
}

Result<void> check(const AgentArguments& arguments) {
    const auto refuse = [](std::string why) { return fail(Stage::usage, ErrorCode::invalid_input, std::move(why)); };
    if (const auto limit = arguments.seconds; limit && !(*limit > 0 && *limit <= pipeline::kLongestTimeoutSeconds))
        return refuse(fmt::format("--seconds takes a number above 0 and at most {:.0f}; {} is not one",
                                  pipeline::kLongestTimeoutSeconds, *limit));
    const auto& llm = arguments.llm;
    if (arguments.driver == "llm" && llm.model.empty())
        return refuse("--driver llm needs --model; 'kw agent models' lists what the server has");
    if (arguments.driver != "llm" && (!llm.model.empty() || !llm.message.empty()))
        return refuse("--model and --message are for --driver llm");
    if (llm.from && (arguments.driver == "lesson" || arguments.driver == "replay"))
        return refuse("--from is for --driver tuner, advisor and llm");
    if (arguments.driver == "lesson" && arguments.lesson.empty())
        return refuse("--driver lesson needs --lesson FOLDER, with a lesson.toml");
    if (arguments.driver != "lesson" && !arguments.lesson.empty()) return refuse("--lesson is for --driver lesson");
    if (arguments.driver == "replay" && arguments.replayed.empty())
        return refuse("--driver replay needs --session FILE, the session whose steps are tried again");
    if (arguments.driver != "replay" && !arguments.replayed.empty()) return refuse("--session is for --driver replay");
    return {};
}

agent::Budget budget_of(const AgentArguments& arguments) {
    return {.steps = arguments.steps,
            .seconds = arguments.seconds,
            .tokens = arguments.llm.tokens,
            .cost_usd = arguments.llm.cost};
}

agent::LaunchOptions launch_options(const AgentArguments& arguments, const pipeline::Options& options,
                                    const task::Files& files, const task::Task& task) {
    const auto& llm = arguments.llm;
    return {.driver = arguments.driver,
            .search = arguments.search,
            .lesson = arguments.lesson,
            .replayed = arguments.replayed,
            .model = {.server = llm.server,
                      .name = llm.model,
                      .temperature = llm.temperature,
                      .max_tokens = llm.max_tokens,
                      .effort = llm.effort,
                      .context = llm.context},
            .message = llm.message,
            .from = llm.from,
            .files = files,
            .task = task,
            .file = options.candidate.empty() ? task.kernel : options.candidate,
            .evaluation = options,
            .budget = budget_of(arguments)};
}

} // namespace

CLI::App* add_agent_run(CLI::App& agent, AgentArguments& arguments) {
    auto* command = agent.add_subcommand("run", "Let a driver change a kernel and evaluate every change, as a session");
    command->add_option("TASK", arguments.evaluation.task, "Task folder")->required();
    report::add_evaluation_options(*command, arguments.evaluation);
    command
        ->add_option(
            "--driver", arguments.driver,
            "Who proposes the changes: tuner (sweeps '//@ tune' directives; default), advisor (edits that a "
            "profile suggests), lesson (a written course of candidates), replay (a recorded session) or llm (a model)")
        ->check(CLI::IsMember({"tuner", "advisor", "lesson", "replay", "llm"}))
        ->type_name("DRIVER");
    command->add_option("--search", arguments.search, "How the tuner chooses: exhaustive, random or guided (default)")
        ->check(CLI::IsMember({"exhaustive", "random", "guided"}))
        ->type_name("HOW");
    command->add_option("--lesson", arguments.lesson, "Folder of the lesson.toml whose steps are tried")
        ->type_name("FOLDER");
    command->add_option("--session", arguments.replayed, "Session whose steps are tried again, as --driver replay")
        ->type_name("FILE.kwsession");
    command
        ->add_option("--stages", arguments.evaluation.stages,
                     "What is done with every step, as a list of compile, verify, bench, profile, reward")
        ->type_name("LIST");
    command->add_option("--metrics", arguments.metrics, "What a profile counts: basic (default) or full")
        ->check(CLI::IsMember({"basic", "full"}))
        ->type_name("SET");
    command->add_option("--steps", arguments.steps, "How many steps at most (default: 64)")
        ->check(CLI::Range(std::size_t{1}, std::size_t{1'000'000}))
        ->type_name("N");
    command->add_option("--seconds", arguments.seconds, "How long at most")->type_name("S");
    add_llm_options(*command, arguments.llm);
    command->add_option("-o,--output", arguments.evaluation.output, "Session to write, or to go on with")
        ->type_name("FILE.kwsession")
        ->required();
    return command;
}

int agent_command(const AgentArguments& arguments, rpc::WorkerClient& worker, std::stop_token stop) {
    auto options = report::to_options(arguments.evaluation);
    if (!options) return report::report_error(options.error());
    if (auto fits = check(arguments); !fits) return report::report_error(fits.error());
    options->profiling.set = arguments.metrics;
    if (arguments.driver == "advisor") {
        if (arguments.evaluation.stages.empty()) options->stages.profile = true;
        if (!options->stages.verify || !options->stages.bench)
            return report::report_error({Stage::usage, ErrorCode::invalid_input,
                                         "--driver advisor keeps what is right and faster; add verify and bench to "
                                         "--stages"});
    }
    if (const auto writable = report::check_output(arguments.evaluation); !writable)
        return report::report_error(writable.error());
    const auto files = report::read_task(arguments.evaluation, *options);
    if (!files) return report::report_error(files.error());
    const auto task = task::parse_task(*files);
    if (!task) return report::report_error(task.error());
    if (arguments.driver == "replay")
        if (auto differ = report::check_different(arguments.replayed, arguments.evaluation.output); !differ)
            return report::report_error(differ.error());
    report::ProgressBar bar;
    auto wanted = launch_options(arguments, *options, *files, *task);
    wanted.progress = [&bar](std::string_view what, double fraction) { bar.show(what, fraction); };
    wanted.on_activity = [&bar](std::string_view what) { bar.show(what, -1); };

    // Whatever can be refused is refused before there is a file.
    auto launch = agent::Launch::prepare(std::move(wanted), worker, stop);
    if (!launch) return report::report_error(launch.error());
    auto session = agent::open_session(arguments.evaluation.output, *files, task->name);
    if (!session) return report::report_error(session.error());

    const auto style = report::Style::for_descriptor(STDOUT_FILENO);
    std::optional<Error> unwritable;
    std::stop_source unseen;
    const std::stop_callback interrupted{std::move(stop), [&unseen] { unseen.request_stop(); }};
    agent::RunResult so_far;
    const auto on_step = [&](const trajectory::Step& step) {
        ++so_far.steps;
        so_far.usage += step.summary.usage;
        bar.clear();
        auto shown = report::print(step_line(step.summary, style));
        if (shown) return;
        // Nobody looks any more: what has been tried is kept, and nothing more is tried.
        unwritable = std::move(shown.error());
        unseen.request_stop();
    };
    agent::Control control;
    const auto result = launch->run(*session, control, on_step, unseen.get_token());
    bar.clear();
    if (!result) {
        // What broke a run off does not undo its steps.
        if (so_far.steps > 0) static_cast<void>(sum_up(*session, so_far, "it broke off"));
        return report::report_error(result.error());
    }
    if (unwritable) return report::report_error(*unwritable);
    return finish(*session, *result, launch->ending());
}

} // namespace kw::cli
