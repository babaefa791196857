#include "engine/report/arguments.h"

#include "engine/base/suggest.h"
#include "engine/report/text.h"

#include <fmt/format.h>

#include <iostream>
#include <vector>

namespace kw::report {

void add_evaluation_options(CLI::App& command, EvalArguments& arguments) {
    command
        .add_option("--candidate", arguments.candidate,
                    "File to evaluate instead of the task's kernel; in the task or anywhere")
        ->type_name("FILE");
    command
        .add_option("--device", arguments.device,
                    "auto, sim, sim:GPU, cuda or cuda:N (default: auto); 'kw devices' lists them")
        ->type_name("DEVICE");
    command.add_option("--set", arguments.set, "Value of a tunable instead of its default; may be repeated")
        ->type_name("NAME=VALUE");
    command
        .add_option("--seed", arguments.seed, "Fixed seed for the inputs, to repeat a check; drawn afresh otherwise")
        ->type_name("N");
    command
        .add_option("--timeout", arguments.timeout_s, "Seconds that verification, timing and profiling may each take")
        ->type_name("S");
    command
        .add_option("--sanitize", arguments.sanitize,
                    "What the simulator looks for in every check: none, all, or a list of memory, init, race, sync and "
                    "shuffle (default: all in the first check)")
        ->type_name("LIST");
    command
        .add_option("--shuffle-schedule", arguments.shuffle_schedule,
                    "Seed of another order in which the simulator's warps take turns, to show code that relies on one")
        ->type_name("SEED");
    command.add_flag("--warm", arguments.warm, "Leave the L2 cache as it is between samples instead of flushing it");
}

CLI::App* add_eval(CLI::App& app, EvalArguments& arguments) {
    auto* command = app.add_subcommand("eval", "Compile, verify and time a candidate, and say what it is worth");
    command->add_option("TASK", arguments.task, "Task folder")->required();
    add_evaluation_options(*command, arguments);
    command
        ->add_option("--stages", arguments.stages, "What to do, as a list of compile, verify, bench, profile, reward")
        ->type_name("LIST");
    command->add_flag("--json", arguments.json, "Print the evaluation as JSON");
    command->add_option("-o,--output", arguments.output, "Also write the evaluation's JSON to this file")
        ->type_name("FILE");
    return command;
}

void add_log(CLI::App& app, std::string& level) {
    app.add_option("--log", level,
                   "How much the worker says on standard error: trace, debug, info, warn, err or off (default: warn)")
        ->type_name("LEVEL")
        ->check(CLI::IsMember({"trace", "debug", "info", "warn", "err", "off"}));
}

CLI::App* add_devices(CLI::App& app, bool& json) {
    auto* command = app.add_subcommand("devices", "List what kernels can run on");
    command->add_flag("--json", json, "Print JSON");
    return command;
}

CLI::App* add_doctor(CLI::App& app, bool& json) {
    auto* command = app.add_subcommand("doctor", "Say what was found where, what is missing and what to do about it");
    command->add_flag("--json", json, "Print JSON");
    return command;
}

std::optional<int> parse(CLI::App& app, int argc, char** argv) {
    try {
        app.parse(argc, argv);
        return std::nullopt;
    } catch (const CLI::ParseError& error) {
        // --help and --version arrive here too, as errors of status 0.
        if (error.get_exit_code() == 0) {
            const int status = app.exit(error);
            return std::cout.flush() ? status : 3;
        }
        if (const auto unknown = app.remaining(); app.get_subcommands().empty() && !unknown.empty()) {
            std::vector<std::string> known;
            for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; }))
                known.push_back(command->get_name());
            say(fmt::format("{}: unknown command or option '{}'{}; '{} --help' lists what there is\n", app.get_name(),
                            printable(unknown.front()), did_you_mean(unknown.front(), known), app.get_name()));
            return 2;
        }
        std::string command = app.get_name();
        for (const auto* chosen : app.get_subcommands()) command += " " + chosen->get_name();
        say(fmt::format("{}: {}; '{} --help' lists what there is\n", app.get_name(), printable(error.what()), command));
        return 2;
    }
}

} // namespace kw::report
