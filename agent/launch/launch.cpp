#include "agent/launch/launch.h"

#include "agent/drivers/advisor.h"
#include "agent/drivers/lesson.h"
#include "agent/drivers/llm.h"
#include "agent/drivers/replay.h"
#include "agent/drivers/tuner.h"
#include "agent/llm/json_text.h"
#include "engine/task/plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <utility>

namespace kw::agent {
namespace {

Tuner::Search search_of(const std::string& name) {
    if (name == "exhaustive") return Tuner::Search::exhaustive;
    return name == "random" ? Tuner::Search::random : Tuner::Search::guided;
}

std::unexpected<Error> refuse(std::string why, Where where = {}) {
    return fail(Stage::usage, ErrorCode::invalid_input, std::move(why), std::move(where));
}

Result<std::unique_ptr<Driver>> open_tuner(const LaunchOptions& options) {
    const auto plan = task::parse_plan(options.files.at(options.file), options.file, options.task);
    if (!plan) return std::unexpected(plan.error());
    auto space = SearchSpace::make(*plan, options.file, options.evaluation.configuration);
    if (!space) return std::unexpected(std::move(space.error()));
    return std::make_unique<Tuner>(std::move(*space), options.files.at(options.file), search_of(options.search),
                                   options.evaluation.seed.value_or(std::random_device{}()));
}

Result<std::unique_ptr<Driver>> open_lesson(const LaunchOptions& options) {
    auto lesson = read_lesson(options.lesson);
    if (!lesson) return std::unexpected(std::move(lesson.error()));
    if (lesson->task != options.task.name)
        return refuse(
            fmt::format("'{}' is a lesson of the task {}, not of {}", options.lesson, lesson->task, options.task.name));
    return std::make_unique<LessonDriver>(std::move(*lesson));
}

Result<std::unique_ptr<Driver>> open_replay(const LaunchOptions& options) {
    const auto& path = options.replayed;
    auto recorded = trajectory::SessionFile::open(path, trajectory::SessionFile::Access::read);
    if (!recorded) return std::unexpected(std::move(recorded.error()));
    const auto name = recorded->task_name();
    const auto imported = recorded->meta("imported");
    if (!name || !imported) return std::unexpected((name ? imported : name).error());
    // What another program recorded does not know this one's names of tasks.
    if (imported->empty() && *name != options.task.name)
        return refuse(fmt::format("'{}' is a session of the task {}, not of {}; its steps cannot be tried here", path,
                                  *name, options.task.name),
                      {path});
    auto driver = ReplayDriver::make(std::move(*recorded), options.file);
    if (!driver) return std::unexpected(std::move(driver.error()));
    return std::move(*driver);
}

/// The step to go on from; none in a new session.
Result<std::optional<trajectory::StepId>> parent_of(const trajectory::SessionFile& session,
                                                    std::optional<trajectory::StepId> from) {
    if (from) return from;
    const auto best = session.best();
    if (!best || *best) return best;
    const auto steps = session.steps();
    if (!steps) return std::unexpected(steps.error());
    return steps->empty() ? std::nullopt : std::optional{steps->back().id};
}

tools::Services services_of(const LaunchOptions& options, rpc::WorkerClient& worker) {
    tools::Services services;
    services.compile = [&](const task::Files& files, const std::string& main, std::stop_token stop) {
        return worker.compile({.files = files,
                               .main = main,
                               .configuration = options.evaluation.configuration,
                               .device = options.evaluation.device},
                              std::move(stop));
    };
    services.profile = [&](const task::Files& files, const std::vector<std::string>& metrics, std::stop_token stop) {
        auto how = options.evaluation;
        how.candidate = options.file;
        how.stages = {.verify = false, .bench = false, .profile = true};
        how.profiling.metrics = metrics;
        return worker.evaluate_json(files, how, std::move(stop), options.progress);
    };
    services.disassemble = [&](const task::Files& files, const std::string& kernel, bool sass, std::stop_token stop) {
        return worker.disassemble({.files = files,
                                   .main = options.file,
                                   .configuration = options.evaluation.configuration,
                                   .device = options.evaluation.device,
                                   .kernel = kernel,
                                   .sass = sass},
                                  std::move(stop));
    };
    return services;
}

/// "NVIDIA H200 (simulated)": what the chosen device comes down to, for the prompt.
std::string device_name(const std::string& wanted, rpc::WorkerClient& worker, std::stop_token stop) {
    const auto answer = worker.devices(std::move(stop));
    if (!answer) return {};
    for (const auto& device : llm::member(*answer, "devices")) {
        const auto id = llm::text_at(device, "id");
        if (wanted == "auto" || id == wanted || id.starts_with(wanted + ":")) return llm::text_at(device, "name");
    }
    return wanted;
}

} // namespace

/// A model and what is known of it.
struct Launch::Model {
    std::unique_ptr<llm::Provider> provider{};
    std::optional<llm::ModelFacts> facts{};

    static Result<std::unique_ptr<Model>> open(const LaunchOptions& options, std::stop_token stop);
};

Result<std::unique_ptr<Launch::Model>> Launch::Model::open(const LaunchOptions& options, std::stop_token stop) {
    const auto& choice = options.model;
    if (choice.name.empty()) return refuse("a model has to be named; 'kw agent models' lists what a server has");
    const auto catalog = llm::Catalog::load();
    if (!catalog) return std::unexpected(catalog.error());
    auto provider = open_provider(choice.server, *catalog, std::move(stop));
    if (!provider) return std::unexpected(std::move(provider.error()));
    auto model = std::make_unique<Model>();
    model->provider = std::move(*provider);
    const auto& host = model->provider->url().host;
    if (const auto* facts = catalog->model(host, choice.name)) model->facts = *facts;
    const auto* server = catalog->server(host);
    if (options.budget.cost_usd && !model->facts && !(server && server->reports_cost))
        return fail(
            Stage::usage, ErrorCode::not_found,
            fmt::format("the price of {} at {} is not known, so a limit of cost cannot be kept to; add it to {}",
                        choice.name, host, llm::Catalog::user_file().string()));
    if (choice.temperature && model->facts && model->facts->adaptive)
        return refuse(
            fmt::format("{} takes no temperature; leave it out, or say how much effort is wanted", choice.name));
    return model;
}

Launch::Launch(LaunchOptions options, rpc::WorkerClient& worker) : options_(std::move(options)), worker_(&worker) {}
Launch::Launch(Launch&&) noexcept = default;
Launch& Launch::operator=(Launch&&) noexcept = default;
Launch::~Launch() = default;

Result<Launch> Launch::prepare(LaunchOptions options, rpc::WorkerClient& worker, std::stop_token stop) {
    Launch launch{std::move(options), worker};
    const auto& given = launch.options_;
    if (!given.files.contains(given.file))
        return fail(Stage::usage, ErrorCode::not_found, fmt::format("the task has no file '{}'", given.file));
    // The tuner changes values, not the text.
    const auto& baselines = given.task.baselines;
    if (given.driver != "tuner"
        && (given.file == given.task.reference || std::ranges::find(baselines, given.file) != baselines.end()))
        return refuse(
            fmt::format("'{}' is what candidates are measured against, so that a changed one would be measured "
                        "against itself; copy it to a file of another name",
                        given.file));
    if (given.driver == "llm") {
        auto model = Model::open(given, std::move(stop));
        if (!model) return std::unexpected(std::move(model.error()));
        launch.model_ = std::move(*model);
        return launch;
    }
    // With the source of a step this happens once the session is there.
    if (given.from) {
        if (given.driver == "lesson" || given.driver == "replay")
            return refuse(fmt::format("a {} begins where it says itself, not from a step", given.driver));
        return launch;
    }
    auto driver = launch.open_offline();
    if (!driver) return std::unexpected(std::move(driver.error()));
    launch.driver_ = std::move(*driver);
    return launch;
}

Result<std::unique_ptr<Driver>> Launch::open_offline() const {
    if (options_.driver == "lesson") return open_lesson(options_);
    if (options_.driver == "replay") return open_replay(options_);
    if (options_.driver == "tuner") return open_tuner(options_);
    if (options_.driver == "advisor")
        return std::make_unique<Advisor>(options_.task, options_.file, options_.files.at(options_.file),
                                         options_.evaluation.configuration);
    return refuse(
        fmt::format("there is no driver '{}'; there are tuner, advisor, lesson, replay and llm", options_.driver));
}

Result<std::unique_ptr<Driver>> Launch::open_model_driver(const trajectory::SessionFile& session, Control& control,
                                                          std::stop_token stop) const {
    const auto& choice = options_.model;
    LlmOptions options{.files = options_.files, .file = options_.file};
    options.configuration = options_.evaluation.configuration;
    options.source = options_.files.at(options_.file);
    const auto parent =
        options_.own_text ? Result<std::optional<trajectory::StepId>>{} : parent_of(session, options_.from);
    if (!parent) return std::unexpected(parent.error());
    if (*parent) {
        auto step = session.step(**parent);
        if (!step) return std::unexpected(std::move(step.error()));
        options.source = std::move(step->source);
        options.parent = *parent;
    }
    options.message = options_.message;
    options.device = device_name(options_.evaluation.device, *worker_, std::move(stop));
    options.settings = {.model = choice.name,
                        .max_tokens = choice.max_tokens,
                        .temperature = choice.temperature,
                        .effort = choice.effort,
                        .seed = options_.evaluation.seed,
                        .adaptive = model_->facts && model_->facts->adaptive};
    if (choice.context)
        options.context = *choice.context;
    else if (model_->facts && model_->facts->context > 0)
        options.context = std::min(options.context, model_->facts->context);
    options.budget = options_.budget;
    options.prices = model_->facts;
    options.control = &control;
    options.on_delta = options_.on_delta;
    options.on_activity = options_.on_activity;
    auto driver = LlmDriver::make(*model_->provider, session, services_of(options_, *worker_), std::move(options));
    if (!driver) return std::unexpected(std::move(driver.error()));
    return std::move(*driver);
}

Result<RunResult> Launch::run(trajectory::SessionFile& session, Control& control,
                              std::function<void(const trajectory::Step&)> on_step, std::stop_token stop) {
    RunOptions how{.files = options_.files, .file = options_.file, .evaluation = options_.evaluation};
    how.budget = options_.budget;
    how.progress = options_.progress;
    how.on_step = std::move(on_step);
    if (model_) {
        auto driver = open_model_driver(session, control, stop);
        if (!driver) return std::unexpected(std::move(driver.error()));
        driver_ = std::move(*driver);
    } else if (options_.from) {
        auto step = session.step(*options_.from);
        if (!step) return std::unexpected(std::move(step.error()));
        if (!step->has_source())
            return refuse(
                fmt::format("the source of step {} is not known, so nothing can begin from it", *options_.from));
        options_.files[options_.file] = std::move(step->source);
        how.root = options_.from;
        auto driver = open_offline();
        if (!driver) return std::unexpected(std::move(driver.error()));
        driver_ = std::move(*driver);
    }
    const Evaluate evaluate = [this](const task::Files& files, const pipeline::Options& options, std::stop_token token,
                                     const pipeline::Progress& progress) {
        return worker_->evaluate_json(files, options, std::move(token), progress);
    };
    auto result = agent::run(session, *driver_, evaluate, how, control, std::move(stop));
    if (!result) return result;
    ending_ = to_string(result->end);
    if (const auto* model = dynamic_cast<const LlmDriver*>(driver_.get()); model && !model->ending().empty())
        ending_ = model->ending();
    if (const auto* replay = dynamic_cast<const ReplayDriver*>(driver_.get()))
        if (const auto missing = replay->passed_over(); !missing.empty()) ending_ += "; " + missing;
    return result;
}

Result<trajectory::SessionFile> open_session(const std::filesystem::path& path, const task::Files& files,
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
        return refuse(
            fmt::format("'{}' is a session of the task {}, not of {}; choose another name", path.string(), *name, task),
            {path.string()});
    return session;
}

} // namespace kw::agent
