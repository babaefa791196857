#include "app/cli/agent.h"
#include "app/cli/audit.h"
#include "app/cli/disasm.h"
#include "app/cli/occupancy.h"
#include "app/cli/outputs.h"
#include "app/cli/profile.h"
#include "app/cli/run.h"
#include "app/cli/session.h"
#include "app/cli/task_new.h"
#include "app/cli/timeline.h"
#include "app/cli/trace.h"
#include "app/cli/tune.h"
#include "app/cli/worker_backend.h"
#include "engine/base/version.h"
#include "engine/report/arguments.h"
#include "engine/report/interrupt.h"
#include "engine/report/text.h"
#include "engine/rpc/worker_client.h"

#include <fmt/format.h>

#include <csignal>
#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace {

namespace report = kw::report;

constexpr const char* kStatuses =
    "Exit status: 0 done and correct; 1 done, but the candidate is wrong or does not compile;\n"
    "2 usage or task error; 3 device or environment error; 130 interrupted.";

CLI::App* add_tune(CLI::App& app, kw::cli::TuneArguments& arguments) {
    auto* command =
        app.add_subcommand("tune", "Try the values of a candidate's '//@ tune' directives, and list them best first");
    command->add_option("TASK", arguments.evaluation.task, "Task folder")->required();
    report::add_evaluation_options(*command, arguments.evaluation);
    command
        ->add_option("--budget", arguments.budget,
                     "How many configurations to try at most (default: 64); more than that are sampled")
        ->type_name("N")
        ->check(CLI::Range(std::size_t{1}, std::size_t{1'000'000}));
    command->add_flag("--random", arguments.random, "Sample even where all would fit the budget");
    command->add_flag("--json", arguments.evaluation.json, "Print every trial with its evaluation as JSON");
    command->add_option("-o,--output", arguments.evaluation.output, "Also write the JSON to this file")
        ->type_name("FILE");
    return command;
}

CLI::App* add_disasm(CLI::App& app, kw::cli::DisasmArguments& arguments) {
    auto* command = app.add_subcommand("disasm", "Print the PTX that a candidate compiles to, or its SASS");
    command->add_option("TASK", arguments.evaluation.task, "Task folder")->required();
    command->add_option("--candidate", arguments.evaluation.candidate, "File to look at instead of the task's kernel")
        ->type_name("FILE");
    command->add_option("--device", arguments.evaluation.device, "Device to compile for (default: auto)")
        ->type_name("DEVICE");
    command->add_option("--set", arguments.evaluation.set, "Value of a tunable instead of its default")
        ->type_name("NAME=VALUE");
    command->add_option("--kernel", arguments.kernel, "Only this kernel")->type_name("NAME");
    command->add_flag("--sass", arguments.sass, "Machine code instead of PTX; needs the toolkit's nvdisasm");
    command->add_flag("--json", arguments.evaluation.json, "Print JSON");
    return command;
}

CLI::App* add_trace(CLI::App& app, kw::cli::TraceArguments& arguments) {
    auto* command = app.add_subcommand(
        "trace", "Run a program that uses CUDA, python included, and write when its GPU work and its CUDA calls ran");
    command
        ->add_option("-o,--output", arguments.output,
                     "Chrome trace to write, compressed when the name ends in .gz (default: COMMAND.trace.json.gz)")
        ->type_name("FILE");
    command->add_option("--report", arguments.report, "Also write a profile report, as kw profile --json does")
        ->type_name("FILE");
    command
        ->add_option("--kinds", arguments.kinds,
                     "What to collect, with commas: kernel, copy, memset, synchronization, call (default: all)")
        ->type_name("LIST");
    command->add_option("--max-events", arguments.max_events, "Keep so many at most (default: 10 000 000)")
        ->type_name("N")
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{100'000'000}));
    command->add_flag("--json", arguments.json, "Say the summary as JSON; on standard error, as all that is said");
    command->add_flag("--live", arguments.live, "Say once a second what has been seen");
    command->footer(
        "The program follows: kw trace [OPTIONS] -- COMMAND [ARGUMENTS...]. It runs as it would without; its exit\n"
        "status is passed through: 128 + n when signal n ended it, 127 or 126 when it could not be started.");
    return command;
}

CLI::App* add_profile(CLI::App& app, kw::cli::ProfileArguments& arguments) {
    auto* command = report::add_profile(app, arguments.profile);
    command
        ->add_option("--chrome", arguments.chrome,
                     "Also write what ran when as a Chrome trace, compressed when the name ends in .gz")
        ->type_name("FILE");
    return command;
}

int run(int argc, char** argv) {
    CLI::App app{"Kernelwright: compile, verify, time and tune CUDA kernels", "kw"};
    app.set_version_flag("--version", "kw " + std::string{kw::version()});
    app.footer(kStatuses);
    app.require_subcommand(1);
    app.fallthrough();

    std::string where = "local";
    std::string toolkit;
    std::string log;
    report::EvalArguments eval_arguments;
    kw::cli::TuneArguments tune_arguments;
    kw::cli::DisasmArguments disasm_arguments;
    kw::cli::ProfileArguments profile_arguments;
    bool devices_json = false;
    bool metrics_json = false;
    bool doctor_json = false;
    app.add_option("--worker", where,
                   "Where to work: local, ssh:HOST, srun, srun:ARGUMENTS or command:PROGRAM (default: local)")
        ->type_name("WHERE");
    app.add_option("--toolkit", toolkit, "Folder of the CUDA Toolkit, or its libnvrtc; searched for otherwise")
        ->type_name("PATH");
    report::add_log(app, log);
    auto* eval = report::add_eval(app, eval_arguments);
    kw::cli::AuditArguments audit_arguments;
    const auto* audit = add_audit(app, audit_arguments);
    auto* tune = add_tune(app, tune_arguments);
    auto* disasm = add_disasm(app, disasm_arguments);
    kw::cli::TraceArguments trace_arguments;
    trace_arguments.command = kw::cli::take_traced_command(argc, argv);
    auto* trace = add_trace(app, trace_arguments);
    kw::cli::RunArguments run_arguments;
    run_arguments.arguments = kw::cli::take_program_arguments(argc, argv);
    const auto* run_program = add_run(app, run_arguments);
    kw::cli::OutputsArguments outputs_arguments;
    const auto* outputs = kw::cli::add_outputs(app, outputs_arguments);
    auto* profile = add_profile(app, profile_arguments);
    auto* metrics = report::add_metrics(app, metrics_json);
    kw::cli::TimelineArguments timeline_arguments;
    const auto* timeline = add_timeline(app, timeline_arguments);
    kw::cli::OccupancyArguments occupancy_arguments;
    const auto* occupancy = add_occupancy(app, occupancy_arguments);
    kw::cli::AgentArguments agent_arguments;
    auto* agent = app.add_subcommand("agent", "Let a driver work on a kernel");
    agent->require_subcommand(1);
    const auto* agent_run = add_agent_run(*agent, agent_arguments);
    kw::cli::ServerArguments server_arguments;
    bool models_json = false;
    auto* agent_models = agent->add_subcommand("models", "List the models that a server has");
    kw::cli::add_server_options(*agent_models, server_arguments);
    agent_models->add_flag("--json", models_json, "Print JSON");
    kw::cli::SessionArguments session_arguments;
    auto* session = app.add_subcommand("session", "Look at what was tried, and hand it on");
    session->require_subcommand(1);
    const auto* session_show = add_session_show(*session, session_arguments);
    const auto* session_export = add_session_export(*session, session_arguments);
    const auto* session_import = add_session_import(*session, session_arguments);
    const auto* session_rescore = add_session_rescore(*session, session_arguments);
    kw::cli::TaskNewArguments task_new_arguments;
    auto* task = app.add_subcommand("task", "Make tasks");
    task->require_subcommand(1);
    const auto* task_new = add_task_new(*task, task_new_arguments);
    auto* devices = report::add_devices(app, devices_json);
    auto* doctor = report::add_doctor(app, doctor_json);
    if (const auto status = report::parse(app, argc, argv)) return *status;

    // Before anything that makes threads: the program is to get the signals as they are.
    if (*trace) {
        trace_arguments.toolkit = toolkit;
        return kw::cli::trace_command(trace_arguments);
    }

    if (*run_program) {
        run_arguments.toolkit = toolkit;
        run_arguments.worker = where;
        return kw::cli::run_command(run_arguments);
    }

    if (*metrics) return report::metrics_command(metrics_json);
    if (*timeline) {
        const report::Interrupt interrupt;
        return kw::cli::timeline_command(timeline_arguments, interrupt.token());
    }
    if (*session_show) return kw::cli::session_show_command(session_arguments);
    if (*session_export) return kw::cli::session_export_command(session_arguments);
    if (*session_import) return kw::cli::session_import_command(session_arguments);
    if (*session_rescore) return kw::cli::session_rescore_command(session_arguments);

    if (*agent_models) {
        const report::Interrupt interrupt;
        return kw::cli::agent_models_command(server_arguments, models_json, interrupt.token());
    }

    std::vector<std::string> options;
    if (!toolkit.empty()) options.insert(options.end(), {"--toolkit", toolkit});
    if (!log.empty()) options.insert(options.end(), {"--log", log});
    auto command = kw::rpc::worker_command(where, std::move(options));
    if (!command) return report::report_error(command.error());
    if (const auto& name = agent_arguments.llm.server.key_env; !name.empty()) command->withheld.push_back(name);

    const report::Interrupt interrupt;
    kw::rpc::WorkerClient worker{std::move(*command)};
    if (*occupancy)
        return kw::cli::occupancy_command(occupancy_arguments, [&]() -> kw::Result<kw::Json> {
            if (const auto started = worker.start(); !started) return std::unexpected(started.error());
            return kw::cli::WorkerBackend{worker}.devices(interrupt.token());
        });
    // The worker gets ready while the task is read here.
    if (const auto started = worker.start(); !started) return report::report_error(started.error());
    kw::cli::WorkerBackend backend{worker};
    const auto stop = interrupt.token();
    if (*eval) return report::eval_command(eval_arguments, backend, stop);
    if (*audit) return kw::cli::audit_command(audit_arguments, backend, stop);
    if (*tune) return kw::cli::tune_command(tune_arguments, backend, stop);
    if (*agent_run) return kw::cli::agent_command(agent_arguments, worker, stop);
    if (*task_new) return kw::cli::task_new_command(task_new_arguments, worker, stop);
    if (*disasm) return kw::cli::disasm_command(disasm_arguments, worker, stop);
    if (*outputs) return kw::cli::outputs_command(outputs_arguments, worker, stop);
    if (*profile) return kw::cli::profile_command(profile_arguments, backend, stop);
    if (*devices) return report::devices_command(devices_json, backend, stop);
    if (*doctor) return report::doctor_command(doctor_json, backend, stop);
    return 2;
}

} // namespace

int main(int argc, char** argv) {
    // Writing past a limit is then an error of the write, which is told.
    std::signal(SIGXFSZ, SIG_IGN);
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {
        report::say(fmt::format("kw: {}\n", error.what()));
        return 3;
    }
}
