#include "app/cli/audit.h"

namespace kw::cli {

CLI::App* add_audit(CLI::App& app, AuditArguments& arguments) {
    auto* command = app.add_subcommand("audit", "Look for what earns a reward without the work: docs/audit.md");
    auto& evaluation = arguments.evaluation;
    command->add_option("TASK", evaluation.task, "Task folder")->required();
    command->add_option("FILE", evaluation.candidate, "File to look at instead of the task's kernel");
    command->add_option("--device", evaluation.device, "Device to compile for (default: auto)")->type_name("DEVICE");
    command->add_option("--set", evaluation.set, "Value of a tunable instead of its default")->type_name("NAME=VALUE");
    command->add_option("--seed", evaluation.seed, "Inputs of the runs, to have the same again")->type_name("N");
    command->add_flag("--dynamic", arguments.dynamic, "Also check the candidate, and run it several times");
    command->add_flag("--json", evaluation.json, "Print the evaluation as JSON; its audit has the findings");
    command->add_option("-o,--output", evaluation.output, "Also write the JSON to this file")->type_name("FILE");
    return command;
}

int audit_command(AuditArguments arguments, report::Backend& backend, std::stop_token stop) {
    arguments.evaluation.stages = arguments.dynamic ? "compile,audit,verify" : "compile,audit";
    return report::eval_command(arguments.evaluation, backend, stop);
}

} // namespace kw::cli
