#include "agent/trajectory/rescore.h"
#include "app/cli/session.h"
#include "engine/base/file.h"
#include "engine/report/commands.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>

namespace kw::cli {
namespace {

constexpr std::size_t kLargestRule = std::size_t{1} << 20;

Result<trajectory::RescoreOptions> options_of(const SessionArguments::Rescore& arguments) {
    trajectory::RescoreOptions options{.rule = {}, .baseline = arguments.baseline};
    if (arguments.atol || arguments.rtol) {
        options.tolerance = task::Tolerance{.atol = arguments.atol.value_or(0), .rtol = arguments.rtol.value_or(0)};
        for (const double value : {options.tolerance->atol, options.tolerance->rtol})
            if (!(value >= 0 && std::isfinite(value)))
                return fail(Stage::usage, ErrorCode::invalid_input,
                            fmt::format("--atol and --rtol take a number from 0 on; {} is none", value));
    }
    if (!arguments.rule.empty()) {
        const auto text = read_file(arguments.rule, kLargestRule, Stage::usage);
        if (!text) return std::unexpected(text.error());
        // A rule is flat; anything deeper is none.
        bool deep = false;
        const auto json = Json::parse(
            *text,
            [&deep](int depth, Json::parse_event_t, Json&) {
                deep = deep || depth > 4;
                return !deep;
            },
            false);
        if (deep || json.is_discarded())
            return fail(Stage::usage, ErrorCode::invalid_input,
                        fmt::format("'{}' is not a reward rule, which is JSON such as {}", arguments.rule,
                                    reward::to_json(reward::Rule{}).dump()),
                        {arguments.rule});
        auto rule = reward::rule_from_json(json);
        if (!rule) return std::unexpected(std::move(rule.error()));
        options.rule = std::move(*rule);
    }
    if (arguments.margin) {
        if (!(*arguments.margin >= 0 && *arguments.margin <= 100))
            return fail(
                Stage::usage, ErrorCode::invalid_input,
                fmt::format("--margin takes a fraction from 0 to 100, 0.05 for 5 %; {} is none", *arguments.margin));
        options.rule.margin = *arguments.margin;
    }
    return options;
}

Json json_of(const std::vector<trajectory::Rescored>& list, std::size_t unknown, const reward::Rule& rule) {
    Json steps = Json::array();
    for (const auto& each : list)
        steps.push_back({{"step", each.step},
                         {"before", each.before},
                         {"after", each.after.value},
                         {"flips", each.flips()},
                         {"because", each.after.because}});
    return {{"rule", reward::to_json(rule)},
            {"flips", std::ranges::count_if(list, &trajectory::Rescored::flips)},
            {"unknown", unknown},
            {"steps", std::move(steps)}};
}

std::string text_of(const std::vector<trajectory::Rescored>& list, std::size_t unknown) {
    const auto style = report::Style::for_descriptor(STDOUT_FILENO);
    report::Table table{{0, 1, 2}};
    const auto head = [&](const char* text) { return style.paint(report::Color::bold, text); };
    table.add({head("step"), head("was"), head("is"), head("because")});
    std::size_t flips = 0;
    for (const auto& each : list) {
        if (!each.flips()) continue;
        ++flips;
        table.add({fmt::format("{}", each.step), fmt::format("{:g}", each.before),
                   style.paint(each.after.value > each.before ? report::Color::green : report::Color::red,
                               fmt::format("{:g}", each.after.value)),
                   report::printable(each.after.because)});
    }
    auto text = fmt::format("{} of {} rewards change", flips, list.size());
    if (unknown > 0) text += fmt::format("; of {} more the session does not tell", unknown);
    text += '\n';
    return flips > 0 ? text + table.render() : text;
}

} // namespace

CLI::App* add_session_rescore(CLI::App& session, SessionArguments& arguments) {
    auto* command = session.add_subcommand(
        "rescore", "Show what a session's rewards would be under another rule, and which change");
    command->add_option("SESSION", arguments.session, "Session file")->required()->type_name("FILE");
    command->add_option("--rule", arguments.rescoring.rule, "Reward rule as JSON (default: the built-in one)")
        ->type_name("FILE");
    command->add_option("--margin", arguments.rescoring.margin, "How much faster counts, 0.05 for 5 %")->type_name("P");
    command->add_option("--baseline", arguments.rescoring.baseline, "The only baseline that counts")->type_name("NAME");
    command
        ->add_option("--atol", arguments.rescoring.atol,
                     "Another absolute tolerance of every output; where the stored errors do not tell what would pass, "
                     "the step is left out")
        ->type_name("X");
    command->add_option("--rtol", arguments.rescoring.rtol, "Another relative tolerance")->type_name("X");
    command->add_flag("--json", arguments.json, "Print JSON");
    command->add_option("-o,--output", arguments.output, "Write a copy of the session with these rewards")
        ->type_name("FILE.kwsession");
    return command;
}

int session_rescore_command(const SessionArguments& arguments) {
    const auto options = options_of(arguments.rescoring);
    if (!options) return report::report_error(options.error());
    report::EvalArguments checked;
    checked.output = arguments.output;
    if (const auto writable = report::check_output(checked); !writable) return report::report_error(writable.error());
    const auto session = trajectory::SessionFile::open(arguments.session, trajectory::SessionFile::Access::read);
    if (!session) return report::report_error(session.error());
    const auto list = trajectory::rescore(*session, *options);
    if (!list) return report::report_error(list.error());
    const auto steps = session->steps();
    if (!steps) return report::report_error(steps.error());
    const auto rewarded = std::ranges::count_if(*steps, [](const auto& step) { return step.reward.has_value(); });
    const auto unknown = static_cast<std::size_t>(rewarded) - list->size();
    if (!arguments.output.empty()) {
        auto copy = session->copy_to(arguments.output);
        if (!copy) return report::report_error(copy.error());
        if (const auto written = write_rewards(*copy, *list); !written) return report::report_error(written.error());
    }
    const auto shown =
        report::print(arguments.json ? json_of(*list, unknown, options->rule).dump(2) + '\n' : text_of(*list, unknown));
    return shown ? 0 : report::report_error(shown.error());
}

} // namespace kw::cli
