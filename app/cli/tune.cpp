#include "app/cli/tune.h"

#include "agent/drivers/search_space.h"
#include "engine/base/file.h"
#include "engine/base/process.h"
#include "engine/report/evaluation_text.h"
#include "engine/report/interrupt.h"
#include "engine/report/progress_bar.h"
#include "engine/report/text.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <optional>
#include <random>
#include <utility>
#include <vector>

namespace kw::cli {
namespace {

using report::Color;
using report::Style;

struct Trial {
    task::Sizes configuration;
    std::optional<pipeline::Evaluation> evaluation;
    std::string failure; ///< one sentence; empty for a correct one

    [[nodiscard]] bool timed() const {
        return failure.empty() && evaluation->bench && evaluation->bench->time.samples > 0;
    }
    [[nodiscard]] double time() const { return evaluation->bench->time.median_us; }
};

/// Correct and timed first, by time; then correct without a time; then failed. Otherwise in the order they were tried.
void sort_best_first(std::vector<Trial>& trials) {
    std::ranges::stable_sort(trials, [](const Trial& a, const Trial& b) {
        if (a.timed() != b.timed()) return a.timed();
        if (a.timed()) return a.time() < b.time();
        return a.failure.empty() && !b.failure.empty();
    });
}

/// What no other configuration would get around.
bool is_hopeless(const Error& error) {
    return error.code == ErrorCode::cancelled || error.stage == Stage::usage
           || (error.stage == Stage::environment && error.code != ErrorCode::crashed)
           || error.code == ErrorCode::unsupported;
}

Json to_json(const Trial& trial) {
    Json json{{"configuration", Json::object()}, {"ok", trial.failure.empty()}};
    for (const auto& [name, value] : trial.configuration) json["configuration"][name] = value;
    if (!trial.failure.empty()) json["failure"] = trial.failure;
    if (trial.evaluation) json["evaluation"] = pipeline::to_json(*trial.evaluation);
    return json;
}

std::string row_note(const Trial& trial) {
    if (!trial.failure.empty()) return trial.failure;
    if (!trial.timed() && trial.evaluation->bench) return trial.evaluation->bench->problem;
    return {};
}

std::string render(const std::vector<Trial>& trials, const Style& style) {
    report::Table table{{1, 2, 3}};
    table.add({style.paint(Color::bold, "configuration"), style.paint(Color::bold, "time"),
               style.paint(Color::bold, "speed-up"), style.paint(Color::bold, "reward"), ""});
    for (const auto& trial : trials) {
        const bool timed = trial.timed();
        const auto* bench = timed ? &*trial.evaluation->bench : nullptr;
        table.add(
            {task::sizes_text(trial.configuration),
             timed ? report::duration(trial.time())
                   : style.paint(Color::red, trial.failure.empty() ? "no time" : "failed"),
             timed && !bench->baselines.empty() ? report::number(bench->baselines.front().ratio) + "×" : std::string{},
             trial.evaluation && trial.evaluation->reward ? fmt::format("{:g}", trial.evaluation->reward->value)
                                                          : std::string{},
             style.paint(Color::dim, row_note(trial))});
    }
    return table.render();
}

std::string conclusion(const Trial& best, const TuneArguments& arguments) {
    std::string settings;
    for (const auto& [name, value] : best.configuration) settings += fmt::format(" --set {}={}", name, value);
    const auto& device = best.evaluation->device.name;
    const auto command = fmt::format(
        "kw eval {}{}{}", shell_word(arguments.evaluation.task),
        arguments.evaluation.candidate.empty() ? "" : " --candidate " + shell_word(arguments.evaluation.candidate),
        settings);
    return fmt::format("best: {}  {}\n{}\n", task::sizes_text(best.configuration),
                       report::time_text(*best.evaluation->bench, device), command);
}

Trial run_one(const task::Sizes& configuration, const task::Files& files, pipeline::Options options,
              report::Backend& backend, std::stop_token stop, const pipeline::Progress& progress,
              std::optional<Error>& hopeless) {
    options.configuration = configuration;
    Trial trial{configuration, {}, {}};
    auto json = backend.evaluate(files, options, std::move(stop), progress);
    auto evaluation = json ? pipeline::evaluation_from_json(*json) : std::unexpected(std::move(json.error()));
    if (!evaluation) {
        if (is_hopeless(evaluation.error())) hopeless = evaluation.error();
        trial.failure = describe(evaluation.error());
    } else {
        trial.failure = report::reason(*evaluation);
        trial.evaluation = std::move(*evaluation);
    }
    std::ranges::replace(trial.failure, '\n', ' ');
    return trial;
}

} // namespace

int tune_command(const TuneArguments& arguments, report::Backend& backend, std::stop_token stop) {
    auto options = report::to_options(arguments.evaluation);
    if (!options) return report::report_error(options.error());
    if (const auto writable = report::check_output(arguments.evaluation); !writable)
        return report::report_error(writable.error());
    const auto files = report::read_task(arguments.evaluation, *options);
    if (!files) return report::report_error(files.error());
    const auto task = task::parse_task(*files);
    if (!task) return report::report_error(task.error());
    const auto& file = options->candidate.empty() ? task->kernel : options->candidate;
    const auto plan = task::parse_plan(files->at(file), file, *task);
    if (!plan) {
        // The candidate's fault, as in an evaluation.
        static_cast<void>(report::report_error(plan.error()));
        return 1;
    }
    const auto space = agent::SearchSpace::make(*plan, file, options->configuration);
    if (!space) return report::report_error(space.error());

    const auto chosen = space->pick(arguments.budget, arguments.random, options->seed.value_or(std::random_device{}()));
    std::vector<Trial> trials;
    std::optional<Error> hopeless;
    {
        report::ProgressBar bar;
        for (const auto& configuration : chosen) {
            bar.set_prefix(
                fmt::format("{}/{} {}  ", trials.size() + 1, chosen.size(), task::sizes_text(configuration)));
            trials.push_back(run_one(
                configuration, *files, *options, backend, stop,
                [&](std::string_view what, double fraction) { bar.show(what, fraction); }, hopeless));
            if (hopeless) break;
        }
    }
    if (hopeless) trials.pop_back();
    // A search that was stopped is still worth what it has found.
    if (hopeless && trials.empty()) return report::report_error(*hopeless);
    sort_best_first(trials);

    Json json{{"task", task->name},
              {"candidate", file},
              {"space", space->size()},
              {"tried", trials.size()},
              {"trials", Json::array()}};
    for (const auto& trial : trials) json["trials"].push_back(to_json(trial));
    const auto text = json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
    const auto written = arguments.evaluation.output.empty()
                             ? Result<void>{}
                             : write_file(arguments.evaluation.output, text, Stage::usage);
    auto shown = report::print(arguments.evaluation.json ? text : render(trials, Style::for_descriptor(STDOUT_FILENO)));
    if (shown && !arguments.evaluation.json && trials.front().timed())
        shown = report::print("\n" + conclusion(trials.front(), arguments));
    if (!written) return report::report_error(written.error());
    if (!shown) return report::report_error(shown.error());
    if (hopeless) return report::report_error(*hopeless);
    if (trials.front().failure.empty()) return 0;
    return report::report_error(
        {Stage::verify, ErrorCode::wrong,
         fmt::format("none of {} configurations is correct; the first: {}", trials.size(), trials.front().failure)});
}

} // namespace kw::cli
