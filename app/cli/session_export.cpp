#include "agent/tools/tool_specs.h"
#include "agent/trajectory/exports.h"
#include "app/cli/session.h"
#include "engine/base/file_writer.h"
#include "engine/report/commands.h"
#include "engine/report/interrupt.h"

#include <optional>
#include <utility>

namespace kw::cli {
namespace {

trajectory::TrainingOptions training_options(const SessionArguments::Export& arguments) {
    trajectory::TrainingOptions options{.min_reward = arguments.min_reward, .tools = tools::tool_functions()};
    if (arguments.pairs == "task") options.pairs = trajectory::TrainingOptions::Pairs::task;
    return options;
}

Result<void> check(const SessionArguments::Export& arguments) {
    const auto refuse = [](const char* why) { return fail(Stage::usage, ErrorCode::invalid_input, why); };
    if (arguments.min_reward && arguments.format != "chat" && arguments.format != "kto")
        return refuse("--min-reward is for --format chat and kto");
    if (arguments.pairs != "parent" && arguments.format != "dpo") return refuse("--pairs is for --format dpo");
    return {};
}

} // namespace

CLI::App* add_session_export(CLI::App& session, SessionArguments& arguments) {
    auto* command = session.add_subcommand("export", "Write a session in a form that others read");
    command->add_option("SESSION", arguments.session, "Session file")->required()->type_name("FILE");
    command
        ->add_option("--format", arguments.exporting.format,
                     "csv (rewards), jsonl (steps with sources and evaluations), atif (Agent Trajectory Interchange "
                     "Format 1.7), chat (conversations for SFT and RFT), kto, dpo (rows for preference training), "
                     "chrome (timeline) or html (report); default: csv")
        ->check(CLI::IsMember({"csv", "jsonl", "atif", "chat", "kto", "dpo", "chrome", "html"}))
        ->type_name("FORM");
    command
        ->add_option("--min-reward", arguments.exporting.min_reward,
                     "chat: only conversations that reach this reward (default: all); kto: what is labelled good "
                     "(default: 2)")
        ->type_name("N");
    command
        ->add_option("--pairs", arguments.exporting.pairs,
                     "dpo: compare steps that began from the same parent (default), or all of the task")
        ->check(CLI::IsMember({"parent", "task"}))
        ->type_name("OF");
    command->add_option("-o,--output", arguments.output, "File to write (default, and '-': standard output)")
        ->type_name("FILE");
    return command;
}

int session_export_command(const SessionArguments& arguments) {
    if (const auto fits = check(arguments.exporting); !fits) return report::report_error(fits.error());
    report::EvalArguments checked;
    checked.output = arguments.output == "-" ? std::string{} : arguments.output;
    const auto& output = checked.output;
    if (const auto writable = report::check_output(checked); !writable) return report::report_error(writable.error());
    if (const auto differ = report::check_different(arguments.session, output); !differ)
        return report::report_error(differ.error());
    if (const auto free = trajectory::check_replaced(output); !free) return report::report_error(free.error());
    const auto session = trajectory::SessionFile::open(arguments.session, trajectory::SessionFile::Access::read);
    if (!session) return report::report_error(session.error());
    const report::Interrupt interrupt;
    // Long sessions are longer than memory, so a file is written as it comes.
    std::optional<FileWriter> file;
    if (!output.empty()) {
        auto created = FileWriter::create(output, Stage::usage);
        if (!created) return report::report_error(created.error());
        file = std::move(*created);
    }
    const trajectory::Sink sink = [&, stop = interrupt.token()](std::string_view piece) -> Result<void> {
        if (stop.stop_requested()) return fail(Stage::usage, ErrorCode::cancelled, "the export was stopped");
        return file ? file->write(piece) : report::print(piece);
    };
    auto done = export_as(arguments.exporting.format, *session, training_options(arguments.exporting), sink);
    if (done && file) done = file->finish();
    return done ? 0 : report::report_error(done.error());
}

} // namespace kw::cli
