#include "engine/base/process.h"
#include "engine/base/version.h"
#include "engine/report/arguments.h"
#include "engine/report/interrupt.h"
#include "engine/report/profile_command.h"
#include "engine/report/text.h"
#include "engine/worker/serve.h"

#include <fmt/format.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <exception>
#include <string>
#include <utility>
#include <vector>

namespace {

/// Evaluates in this process, its kernels in a child.
class LocalBackend final : public kw::report::Backend {
public:
    explicit LocalBackend(kw::worker::Service::Settings settings) : service_(std::move(settings)) {
        service_.warm_up();
    }

    kw::Result<kw::Json> evaluate(const kw::task::Files& files, const kw::pipeline::Options& options,
                                  std::stop_token stop, const kw::pipeline::Progress& progress) override {
        return service_.evaluate(files, options, std::move(stop), progress, {});
    }
    kw::Result<kw::Json> devices(std::stop_token stop) override { return service_.devices(std::move(stop)); }
    kw::Result<kw::Json> doctor(std::stop_token stop) override { return service_.doctor(std::move(stop)); }

private:
    kw::worker::Service service_;
};

/// This program, for starting it again; /proc may be missing where there is little but this file.
std::string own_path(const char* invoked_as) {
    constexpr const char* kLink = "/proc/self/exe";
    if (::access(kLink, X_OK) == 0) return kLink;
    return kw::find_program(invoked_as).string();
}

int finish(const kw::Result<void>& result) { return result ? 0 : kw::report::report_error(result.error()); }

int run(int argc, char** argv) {
    CLI::App app{"Compiles, runs, verifies and times CUDA kernels; the part of Kernelwright that a GPU server needs",
                 "kw-worker"};
    app.set_version_flag("--version", "kw-worker " + std::string{kw::version()});
    app.require_subcommand(1);

    std::string log = "warn";
    std::string toolkit;
    std::uint64_t memory = 0;
    kw::report::EvalArguments arguments;
    kw::report::ProfileArguments profile_arguments;
    bool devices_json = false;
    bool metrics_json = false;
    bool doctor_json = false;
    kw::report::add_log(app, log);
    app.add_option("--toolkit", toolkit, "Folder of the CUDA Toolkit, or its libnvrtc; searched for otherwise")
        ->type_name("PATH");
    app.fallthrough();
    auto* serve = app.add_subcommand("serve", "Answer JSON-RPC 2.0 on standard input and output");
    auto* exec = app.add_subcommand("exec", "Run kernels for another worker; started by it");
    exec->add_option("--memory", memory, "Bytes of data this process may hold")->type_name("BYTES");
    auto* compile = app.add_subcommand("compiler", "Compile for another worker; started by it");
    auto* eval = kw::report::add_eval(app, arguments);
    auto* profile = kw::report::add_profile(app, profile_arguments);
    auto* metrics = kw::report::add_metrics(app, metrics_json);
    auto* devices = kw::report::add_devices(app, devices_json);
    auto* doctor = kw::report::add_doctor(app, doctor_json);
    if (const auto status = kw::report::parse(app, argc, argv)) return *status;

    spdlog::set_default_logger(
        std::make_shared<spdlog::logger>("kw-worker", std::make_shared<spdlog::sinks::stderr_sink_mt>()));
    spdlog::set_level(spdlog::level::from_str(log));
    spdlog::set_pattern("%H:%M:%S.%e %n %P %l: %v");

    std::vector<std::string> executor{own_path(argv[0]), "--log", log, "exec"};
    if (!toolkit.empty()) executor.insert(executor.begin() + 1, {"--toolkit", toolkit});
    auto compiler = executor;
    compiler.back() = "compiler";
    kw::worker::Service::Settings settings{
        .toolkit = toolkit, .executor = std::move(executor), .compiler = std::move(compiler)};
    if (*serve) return finish(kw::worker::serve(std::move(settings)));
    if (*compile) return finish(kw::worker::compile_jobs(toolkit));
    if (*exec) return finish(kw::worker::execute_jobs(memory, toolkit));

    if (*metrics) return kw::report::metrics_command(metrics_json);

    kw::report::Interrupt interrupt;
    LocalBackend backend{std::move(settings)};
    int status = 2;
    if (*eval) status = kw::report::eval_command(arguments, backend, interrupt.token());
    if (*profile) status = kw::report::profile_command(profile_arguments, backend, interrupt.token());
    if (*devices) status = kw::report::devices_command(devices_json, backend, interrupt.token());
    if (*doctor) status = kw::report::doctor_command(doctor_json, backend, interrupt.token());
    // A compilation that was given up may still run, and nobody waits for it.
    std::fflush(nullptr);
    ::_exit(status);
}

} // namespace

int main(int argc, char** argv) {
    // Writing past a limit is then an error of the write, which is told.
    std::signal(SIGXFSZ, SIG_IGN);
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {
        kw::report::say(fmt::format("kw-worker: {}\n", error.what()));
        return 3;
    }
}
