#include "app/cli/agent.h"

#include "agent/drivers/advisor.h"
#include "agent/drivers/lesson.h"
#include "agent/drivers/llm.h"
#include "agent/drivers/replay.h"
#include "agent/drivers/tuner.h"
#include "agent/llm/json_text.h"
#include "app/cli/session.h"
#include "engine/report/arguments.h"
#include "engine/report/progress_bar.h"
#include "engine/report/text.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <memory>
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

std::string usage_text(const trajectory::Usage& usage) {
    if (usage.prompt_tokens + usage.completion_tokens == 0) return {};
    const auto count = [](std::int64_t tokens) { return report::count(static_cast<std::uint64_t>(tokens)); };
    auto text = fmt::format("{} tokens read", count(usage.prompt_tokens));
    if (usage.cached_tokens > 0) text += fmt::format(" ({} from the server's cache)", count(usage.cached_tokens));
    text += fmt::format(", {} written, ", count(usage.completion_tokens));
    text += usage.cost_usd ? fmt::format("{:.4f} USD", *usage.cost_usd) : "at a price that is not known";
    return text + "\n";
}

int finish(const trajectory::SessionFile& session, const agent::RunResult& result, const std::string& ending) {
    const auto steps = session.steps();
    if (!steps) return report::report_error(steps.error());
    const auto best = session.best();
    if (!best) return report::report_error(best.error());
    auto text = fmt::format("\n{} {} written to {}; {}\n", result.steps, result.steps == 1 ? "step" : "steps",
                            session.path().string(), ending.empty() ? agent::to_string(result.end) : ending);
    text += usage_text(result.usage);
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

/// What both drivers begin with.
struct Start {
    const AgentArguments& arguments;
    const pipeline::Options& options;
    const task::Files& files;
    const task::Task& task;
    const std::string& file;
    std::function<void(std::string_view, double)> show;
};

Result<void> check(const AgentArguments& arguments) {
    const auto refuse = [](std::string why) { return fail(Stage::usage, ErrorCode::invalid_input, std::move(why)); };
    if (const auto limit = arguments.seconds; limit && !(*limit > 0 && *limit <= pipeline::kLongestTimeoutSeconds))
        return refuse(fmt::format("--seconds takes a number above 0 and at most {:.0f}; {} is not one",
                                  pipeline::kLongestTimeoutSeconds, *limit));
    const auto& llm = arguments.llm;
    if (arguments.driver == "llm" && llm.model.empty())
        return refuse("--driver llm needs --model; 'kw agent models' lists what the server has");
    if (arguments.driver != "llm" && (!llm.model.empty() || llm.from || !llm.message.empty()))
        return refuse("--model, --from and --message are for --driver llm");
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

Result<std::unique_ptr<Tuner>> open_tuner(const Start& start) {
    const auto plan = task::parse_plan(start.files.at(start.file), start.file, start.task);
    if (!plan) return std::unexpected(plan.error());
    auto space = agent::SearchSpace::make(*plan, start.file, start.options.configuration);
    if (!space) return std::unexpected(std::move(space.error()));
    return std::make_unique<Tuner>(std::move(*space), start.files.at(start.file), search_of(start.arguments.search),
                                   start.options.seed.value_or(std::random_device{}()));
}

Result<std::unique_ptr<agent::LessonDriver>> open_lesson(const Start& start) {
    auto lesson = agent::read_lesson(start.arguments.lesson);
    if (!lesson) return std::unexpected(std::move(lesson.error()));
    if (lesson->task != start.task.name)
        return fail(Stage::usage, ErrorCode::invalid_input,
                    fmt::format("'{}' is a lesson of the task {}, not of {}", start.arguments.lesson, lesson->task,
                                start.task.name));
    return std::make_unique<agent::LessonDriver>(std::move(*lesson));
}

Result<std::unique_ptr<agent::ReplayDriver>> open_replay(const Start& start) {
    const auto& path = start.arguments.replayed;
    if (auto differ = report::check_different(path, start.arguments.evaluation.output); !differ)
        return std::unexpected(std::move(differ.error()));
    auto recorded = trajectory::SessionFile::open(path, trajectory::SessionFile::Access::read);
    if (!recorded) return std::unexpected(std::move(recorded.error()));
    return agent::ReplayDriver::make(std::move(*recorded), start.file);
}

std::unique_ptr<agent::Advisor> open_advisor(const Start& start) {
    return std::make_unique<agent::Advisor>(start.task, start.file, start.files.at(start.file),
                                            start.options.configuration);
}

/// A driver that asks nobody.
Result<std::unique_ptr<agent::Driver>> open_offline(const Start& start) {
    if (start.arguments.driver == "lesson") return open_lesson(start);
    if (start.arguments.driver == "replay") return open_replay(start);
    if (start.arguments.driver == "advisor") return open_advisor(start);
    return open_tuner(start);
}

/// A model and what is known of it.
struct Model {
    std::unique_ptr<llm::Provider> provider{};
    std::optional<llm::ModelFacts> facts{};
};

Result<Model> open_model(const Start& start, std::stop_token stop) {
    const auto& arguments = start.arguments.llm;
    const auto catalog = llm::Catalog::load();
    if (!catalog) return std::unexpected(catalog.error());
    auto provider = open_provider(arguments.server, *catalog, std::move(stop));
    if (!provider) return std::unexpected(std::move(provider.error()));
    Model model{.provider = std::move(*provider)};
    const auto& host = model.provider->url().host;
    if (const auto* facts = catalog->model(host, arguments.model)) model.facts = *facts;
    const auto* server = catalog->server(host);
    if (arguments.cost && !model.facts && !(server && server->reports_cost))
        return fail(Stage::usage, ErrorCode::not_found,
                    fmt::format("the price of {} at {} is not known, so --cost cannot be kept to; add it to {}",
                                arguments.model, host, llm::Catalog::user_file().string()));
    return model;
}

/// The step to go on from; none in a new session.
Result<std::optional<trajectory::StepId>> parent_of(const trajectory::SessionFile& session,
                                                    const LlmArguments& arguments) {
    if (arguments.from) return arguments.from;
    const auto best = session.best();
    if (!best || *best) return best;
    const auto steps = session.steps();
    if (!steps) return std::unexpected(steps.error());
    return steps->empty() ? std::nullopt : std::optional{steps->back().id};
}

tools::Services services_of(const Start& start, rpc::WorkerClient& worker) {
    tools::Services services;
    services.compile = [&](const task::Files& files, const std::string& main, std::stop_token stop) {
        return worker.compile({.files = files,
                               .main = main,
                               .configuration = start.options.configuration,
                               .device = start.options.device},
                              std::move(stop));
    };
    services.profile = [&](const task::Files& files, const std::vector<std::string>& metrics, std::stop_token stop) {
        auto options = start.options;
        options.candidate = start.file;
        options.stages = {.verify = false, .bench = false, .profile = true};
        options.profiling.metrics = metrics;
        return worker.evaluate_json(files, options, std::move(stop), start.show);
    };
    services.disassemble = [&](const task::Files& files, const std::string& kernel, bool sass, std::stop_token stop) {
        return worker.disassemble({.files = files,
                                   .main = start.file,
                                   .configuration = start.options.configuration,
                                   .device = start.options.device,
                                   .kernel = kernel,
                                   .sass = sass},
                                  std::move(stop));
    };
    return services;
}

/// "NVIDIA H200 (simulated)": what `--device` comes down to, for the prompt.
std::string device_name(const Start& start, rpc::WorkerClient& worker, std::stop_token stop) {
    const auto answer = worker.devices(std::move(stop));
    if (!answer) return {};
    const auto wanted = start.options.device;
    for (const auto& device : llm::member(*answer, "devices")) {
        const auto id = llm::text_at(device, "id");
        if (wanted == "auto" || id == wanted || id.starts_with(wanted + ":")) return llm::text_at(device, "name");
    }
    return wanted;
}

Result<std::unique_ptr<agent::LlmDriver>> open_driver(const Start& start, const Model& model,
                                                      const trajectory::SessionFile& session, rpc::WorkerClient& worker,
                                                      agent::Control& control, std::stop_token stop) {
    const auto& arguments = start.arguments.llm;
    agent::LlmOptions options{.files = start.files, .file = start.file};
    options.configuration = start.options.configuration;
    options.source = start.files.at(start.file);
    const auto parent = parent_of(session, arguments);
    if (!parent) return std::unexpected(parent.error());
    if (*parent) {
        auto step = session.step(**parent);
        if (!step) return std::unexpected(std::move(step.error()));
        options.source = std::move(step->source);
        options.parent = *parent;
    }
    options.message = arguments.message;
    options.device = device_name(start, worker, std::move(stop));
    options.settings = {.model = arguments.model,
                        .max_tokens = arguments.max_tokens,
                        .temperature = arguments.temperature,
                        .effort = arguments.effort,
                        .seed = start.options.seed};
    if (arguments.context)
        options.context = *arguments.context;
    else if (model.facts && model.facts->context > 0)
        options.context = std::min(options.context, model.facts->context);
    options.budget = budget_of(start.arguments);
    options.prices = model.facts;
    options.control = &control;
    options.on_activity = [show = start.show](std::string_view what) { show(what, -1); };
    return agent::LlmDriver::make(*model.provider, session, services_of(start, worker), std::move(options));
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

int agent_command(const AgentArguments& arguments, report::Backend& backend, rpc::WorkerClient& worker,
                  std::stop_token stop) {
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
    const auto file = options->candidate.empty() ? task->kernel : options->candidate;
    report::ProgressBar bar;
    const auto show = [&bar](std::string_view what, double fraction) { bar.show(what, fraction); };
    const Start start{arguments, *options, *files, *task, file, show};

    // Whatever can be refused is refused before there is a file.
    const bool llm = arguments.driver == "llm";
    auto model = llm ? open_model(start, stop) : Result<Model>{};
    if (!model) return report::report_error(model.error());
    auto offline = llm ? Result<std::unique_ptr<agent::Driver>>{} : open_offline(start);
    if (!offline) return report::report_error(offline.error());
    auto session = open_session(arguments.evaluation.output, *files, task->name);
    if (!session) return report::report_error(session.error());
    agent::Control control;
    Result<std::unique_ptr<agent::LlmDriver>> driver;
    if (llm) {
        driver = open_driver(start, *model, *session, worker, control, stop);
        if (!driver) return report::report_error(driver.error());
    }

    const auto style = report::Style::for_descriptor(STDOUT_FILENO);
    std::optional<Error> unwritable;
    std::stop_source unseen;
    const std::stop_callback interrupted{std::move(stop), [&unseen] { unseen.request_stop(); }};
    agent::RunOptions run{.files = *files, .file = file, .evaluation = *options};
    run.budget = budget_of(arguments);
    run.progress = show;
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
    agent::Driver& chosen = llm ? static_cast<agent::Driver&>(**driver) : **offline;
    const auto result = agent::run(*session, chosen, evaluate, run, control, unseen.get_token());
    bar.clear();
    if (!result) return report::report_error(result.error());
    if (unwritable) return report::report_error(*unwritable);
    std::string ending = llm ? (*driver)->ending() : std::string{};
    if (const auto* replay = llm ? nullptr : dynamic_cast<const agent::ReplayDriver*>(offline->get()))
        if (const auto missing = replay->passed_over(); !missing.empty())
            ending = fmt::format("{}; {}", agent::to_string(result->end), missing);
    return finish(*session, *result, ending);
}

} // namespace kw::cli
