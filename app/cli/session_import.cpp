#include "agent/trajectory/imports.h"
#include "app/cli/session.h"
#include "engine/report/commands.h"
#include "engine/report/interrupt.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace kw::cli {

CLI::App* add_session_import(CLI::App& session, SessionArguments& arguments) {
    auto* command = session.add_subcommand("import", "Make a session of what another program recorded");
    command->add_option("FILE", arguments.session, "Trace, or folder of KernelBench results")
        ->required()
        ->type_name("FILE");
    std::vector<std::string> formats{"auto"};
    formats.insert(formats.end(), trajectory::kImportFormats.begin(), trajectory::kImportFormats.end());
    command
        ->add_option("--format", arguments.importing.format,
                     fmt::format("Form of the trace: {}; default: auto, by what is in it", fmt::join(formats, ", ")))
        ->check(CLI::IsMember(formats))
        ->type_name("FORM");
    command->add_option("--task", arguments.importing.task, "Name of the session's task (default: the trace's)")
        ->type_name("NAME");
    command->add_option("-o,--output", arguments.output, "Session to write")->type_name("FILE.kwsession")->required();
    command->add_flag("--json", arguments.json, "Print JSON");
    return command;
}

int session_import_command(const SessionArguments& arguments) {
    const auto control = [](unsigned char c) { return c < ' ' || c == 127; };
    if (const auto& task = arguments.importing.task; task && (task->empty() || std::ranges::any_of(*task, control)))
        return report::report_error(
            {Stage::usage, ErrorCode::invalid_input, "--task takes a name on one line, without control characters"});
    report::EvalArguments checked;
    checked.output = arguments.output;
    if (const auto writable = report::check_output(checked); !writable) return report::report_error(writable.error());
    const report::Interrupt interrupt;
    const auto done = trajectory::import_session(arguments.session, arguments.output,
                                                 {.format = arguments.importing.format,
                                                  .task = arguments.importing.task.value_or(""),
                                                  .stop = interrupt.token()});
    if (!done) return report::report_error(done.error());
    if (arguments.json) {
        const Json json{{"format", done->format},
                        {"turns", done->turns},
                        {"steps", done->steps},
                        {"sources", done->sources},
                        {"notes", done->notes}};
        const auto shown = report::print(json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n');
        return shown ? 0 : report::report_error(shown.error());
    }
    auto text = fmt::format("{} {} of the form {}, with the source of {}, written to {}\n", done->steps,
                            done->steps == 1 ? "step" : "steps", done->format, done->sources,
                            report::printable(arguments.output));
    for (const auto& note : done->notes) text += fmt::format("note: {}\n", report::printable(note));
    const auto shown = report::print(text);
    return shown ? 0 : report::report_error(shown.error());
}

} // namespace kw::cli
