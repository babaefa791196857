#include "engine/report/profile_command.h"

#include "engine/base/file.h"
#include "engine/profile/metrics.h"
#include "engine/profile/options.h"
#include "engine/report/evaluation_text.h"
#include "engine/report/profile_text.h"
#include "engine/report/progress_bar.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace kw::report {
namespace {

std::vector<std::string> split(std::string_view list) {
    std::vector<std::string> parts;
    for (bool more = true; more;) {
        const auto comma = list.find(',');
        parts.emplace_back(list.substr(0, comma));
        more = comma != std::string_view::npos;
        list.remove_prefix(more ? comma + 1 : list.size());
    }
    return parts;
}

Result<pipeline::Options> options_of(const ProfileArguments& arguments) {
    auto options = to_options(arguments.evaluation);
    if (!options) return options;
    options->stages = {.verify = false, .bench = false, .profile = true};
    auto& profiling = options->profiling;
    profiling.flush_l2 = options->flush_l2;
    if (arguments.metrics == "basic" || arguments.metrics == "full")
        profiling.set = arguments.metrics;
    else
        profiling.metrics = split(arguments.metrics);
    // Asked here, so that a slip costs no start of a worker.
    if (const auto known = profile::select_metrics(profiling.set, profiling.metrics); !known)
        return std::unexpected(known.error());
    if (!arguments.rungs.empty()) {
        auto rungs = profile::parse_rungs(arguments.rungs);
        if (!rungs) return std::unexpected(std::move(rungs.error()));
        profiling.rungs = std::move(*rungs);
    }
    if (const auto seconds = arguments.seconds) {
        if (!(*seconds >= 0 && *seconds < options->profile_timeout_s))
            return fail(
                Stage::usage, ErrorCode::invalid_input,
                fmt::format("--seconds takes a number from 0 to below the time limit of {:g} s; {:g} is not one; "
                            "--timeout raises the limit",
                            options->profile_timeout_s, *seconds));
        profiling.seconds = *seconds;
    }
    return options;
}

/// The sentence for standard error, and the status.
std::optional<Error> what_went_wrong(const pipeline::Evaluation& evaluation, const profile::Report& report) {
    if (report.fault)
        return Error{.stage = Stage::profile,
                     .code = ErrorCode::wrong,
                     .message = report.fault->message,
                     .where = report.fault->where.file.empty() ? Where{evaluation.candidate} : report.fault->where};
    using State = profile::RungState::State;
    if (report.rungs.empty()
        || std::ranges::any_of(report.rungs, [](const auto& rung) { return rung.state == State::done; }))
        return std::nullopt;
    const auto& first = report.rungs.front();
    return Error{.stage = Stage::profile,
                 .code = ErrorCode::unsupported,
                 .message = fmt::format("nothing could be profiled: {}{}{}", first.reason,
                                        first.remedy.empty() ? "" : "; ", first.remedy)};
}

} // namespace

CLI::App* add_profile(CLI::App& app, ProfileArguments& arguments) {
    auto* command =
        app.add_subcommand("profile", "Compile a candidate, profile it, and say what holds it up and where");
    command->add_option("TASK", arguments.evaluation.task, "Task folder")->required();
    add_evaluation_options(*command, arguments.evaluation);
    command
        ->add_option("--metrics", arguments.metrics,
                     "basic, full or a list of ids (default: full); 'metrics' lists what there is")
        ->type_name("LIST");
    command
        ->add_option("--rungs", arguments.rungs,
                     "What to use, of activity, counters, pc_sampling, pm_sampling (default: all that can be had)")
        ->type_name("LIST");
    command
        ->add_option("--seconds", arguments.seconds,
                     "How long activities and samples are collected; a few runs otherwise")
        ->type_name("S");
    command->add_flag("--json", arguments.evaluation.json, "Print the profile as JSON");
    command->add_option("-o,--output", arguments.evaluation.output, "Also write the profile's JSON to this file")
        ->type_name("FILE");
    return command;
}

CLI::App* add_metrics(CLI::App& app, bool& json) {
    auto* command = app.add_subcommand("metrics", "List what can be asked of 'profile' with --metrics");
    command->add_flag("--json", json, "Print JSON");
    return command;
}

int profile_command(const ProfileArguments& arguments, Backend& backend, std::stop_token stop,
                    const std::function<Result<void>(const profile::Report&)>& use) {
    auto options = options_of(arguments);
    if (!options) return report_error(options.error());
    if (const auto writable = check_output(arguments.evaluation); !writable) return report_error(writable.error());
    const auto files = read_task(arguments.evaluation, *options);
    if (!files) return report_error(files.error());
    Result<Json> json;
    {
        ProgressBar bar;
        json = backend.evaluate(*files, *options, stop,
                                [&](std::string_view what, double fraction) { bar.show(what, fraction); });
    }
    if (!json) return report_error(json.error());
    const auto evaluation = pipeline::evaluation_from_json(*json);
    if (!evaluation) return report_error(evaluation.error());
    const auto style = Style::for_descriptor(STDOUT_FILENO);
    if (!evaluation->profile) {
        // It does not compile.
        const auto text = arguments.evaluation.json ? json->dump(2, ' ', false, Json::error_handler_t::replace) + '\n'
                                                    : render(*evaluation, *files, style);
        if (const auto shown = print(text); !shown) return report_error(shown.error());
        return report_error({.stage = Stage::compile, .code = ErrorCode::wrong, .message = reason(*evaluation)});
    }
    const auto report = profile::report_from_json(*evaluation->profile);
    if (!report) return report_error(report.error());
    const auto text = evaluation->profile->dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
    const auto& output = arguments.evaluation.output;
    const auto written = output.empty() ? Result<void>{} : write_file(output, text, Stage::usage);
    const auto used = use ? use(*report) : Result<void>{};
    const auto shown = print(arguments.evaluation.json ? text : render(*report, *files, style));
    for (const auto* result : {&written, &used, &shown})
        if (!*result) return report_error(result->error());
    const auto wrong = what_went_wrong(*evaluation, *report);
    return wrong ? report_error(*wrong) : 0;
}

int metrics_command(bool json) {
    Json list = Json::array();
    for (const auto& metric : profile::metrics())
        list.push_back({{"id", metric.id},
                        {"label", metric.label},
                        {"unit", metric.unit},
                        {"group", metric.group},
                        {"sets", metric.sets},
                        {"about", metric.about},
                        {"per_line", metric.per_line},
                        {"over_time", metric.over_time}});
    const auto shown = print(json ? Json{{"metrics", std::move(list)}}.dump(2) + '\n'
                                  : render_metrics(Style::for_descriptor(STDOUT_FILENO)));
    return shown ? 0 : report_error(shown.error());
}

} // namespace kw::report
