#include "app/cli/session.h"

#include "agent/trajectory/exports.h"
#include "engine/report/commands.h"

#include <fmt/format.h>
#include <unistd.h>

#include <utility>

namespace kw::cli {
namespace {

using report::Color;
using trajectory::SessionFile;
using trajectory::StepSummary;

Result<SessionFile> open(const SessionArguments& arguments) {
    return SessionFile::open(arguments.session, SessionFile::Access::read);
}

Result<void> print_json(const Json& json) {
    return report::print(json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n');
}

/// "✓", "✗" or "·" where there is no verdict.
std::string mark(const StepSummary& step, const report::Style& style) {
    if (!step.correct) return style.paint(Color::dim, "·");
    return *step.correct ? style.paint(Color::green, "✓") : style.paint(Color::red, "✗");
}

Result<void> show_list(const SessionFile& session, bool json) {
    const auto steps = session.steps();
    if (!steps) return std::unexpected(steps.error());
    const auto best = session.best();
    if (!best) return std::unexpected(best.error());
    const auto name = session.task_name();
    if (!name) return std::unexpected(name.error());
    if (json) {
        Json list = Json::array();
        for (const auto& step : *steps) list.push_back(to_json(step));
        return print_json(
            {{"task", *name}, {"best", *best ? Json(**best) : Json(nullptr)}, {"steps", std::move(list)}});
    }
    const auto style = report::Style::for_descriptor(STDOUT_FILENO);
    report::Table table{{0, 1, 4, 5, 6}};
    const auto head = [&](const char* text) { return style.paint(Color::bold, text); };
    table.add({head("step"), head("from"), "", head("change"), head("time"), head("speed-up"), head("reward"), ""});
    for (const auto& step : *steps)
        table.add({fmt::format("{}", step.id), step.parent ? fmt::format("{}", *step.parent) : "", mark(step, style),
                   report::printable(step.title),
                   step.median_us ? report::duration(*step.median_us) + (step.estimated ? " est." : "") : "",
                   step.speedup ? report::number(*step.speedup) + "×" : "",
                   step.reward ? fmt::format("{:g}", *step.reward) : "",
                   *best == step.id
                       ? style.paint(Color::bold, "best")
                       : style.paint(Color::dim, step.correct == true ? "" : report::printable(step.because))});
    return report::print(fmt::format("{}, {} steps\n{}", report::printable(*name), steps->size(), table.render()));
}

Result<void> show_step(const SessionFile& session, const SessionArguments& arguments) {
    const auto step = session.step(*arguments.step);
    if (!step) return std::unexpected(step.error());
    if (arguments.source) return report::print(step->source);
    if (arguments.json) return print_json(to_json(*step));
    const auto& facts = step->summary;
    const auto style = report::Style::for_descriptor(STDOUT_FILENO);
    std::string text = step_line(facts, style);
    text += fmt::format("driver    {}\n", report::printable(facts.driver));
    if (facts.parent)
        text +=
            fmt::format("from      step {}  +{} −{} lines\n", *facts.parent, facts.lines_added, facts.lines_removed);
    if (!step->configuration.empty()) text += fmt::format("tunables  {}\n", step->configuration.dump());
    if (!step->thought.empty()) text += fmt::format("thought   {}\n", report::printable(step->thought));
    if (!facts.because.empty()) text += fmt::format("because   {}\n", report::printable(facts.because));
    text +=
        fmt::format("source    {}, {} bytes; --source prints it\n", report::printable(step->file), step->source.size());
    return report::print(text);
}

} // namespace

std::string verdict_text(const StepSummary& step) {
    if (!step.correct.value_or(false)) return report::printable(step.because);
    std::string text;
    if (step.median_us) text += report::duration(*step.median_us) + (step.estimated ? " (estimate)" : "");
    if (step.speedup) text += fmt::format("  {}×", report::number(*step.speedup));
    if (step.reward) text += fmt::format("  reward {:g}", *step.reward);
    return text;
}

std::string step_line(const StepSummary& step, const report::Style& style) {
    return fmt::format("{:>4} {} {}  {}\n", step.id, mark(step, style), report::printable(step.title),
                       verdict_text(step));
}

CLI::App* add_session_show(CLI::App& session, SessionArguments& arguments) {
    auto* command = session.add_subcommand("show", "List a session's steps, or show one of them");
    command->add_option("SESSION", arguments.session, "Session file")->required()->type_name("FILE");
    auto* step = command->add_option("--step", arguments.step, "Show this step")->type_name("N");
    command->add_flag("--source", arguments.source, "Print the step's source and nothing else")->needs(step);
    command->add_flag("--json", arguments.json, "Print JSON");
    return command;
}

int session_show_command(const SessionArguments& arguments) {
    const auto session = open(arguments);
    if (!session) return report::report_error(session.error());
    const auto shown = arguments.step ? show_step(*session, arguments) : show_list(*session, arguments.json);
    return shown ? 0 : report::report_error(shown.error());
}

} // namespace kw::cli
