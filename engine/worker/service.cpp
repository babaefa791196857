#include "engine/worker/service.h"

#include "engine/base/file.h"
#include "engine/base/json_error.h"
#include "engine/base/suggest.h"
#include "engine/base/version.h"
#include "engine/compile/disasm.h"
#include "engine/compile/toolkit.h"
#include "engine/pipeline/caching_compiler.h"
#include "engine/pipeline/sources.h"
#include "engine/rpc/wire.h"
#include "engine/task/parse.h"
#include "engine/task/plan.h"
#include "engine/worker/child_compiler.h"
#include "engine/worker/host.h"

#include <fmt/format.h>

#include <chrono>
#include <exception>
#include <utility>

namespace kw::worker {
namespace {

constexpr const char* kProbe = "extern \"C\" __global__ void probe(float* x) { x[threadIdx.x] += 1.0f; }\n";

std::unexpected<Error> malformed(std::string_view method, const std::exception& error) {
    return fail(Stage::rpc, ErrorCode::invalid_input,
                fmt::format("malformed parameters of '{}': {}", method, what_is_wrong(error)));
}

/// What compile and disassemble are asked about.
struct Query {
    task::Files files;
    std::string main;
    task::Sizes configuration;
    std::string device;
};

Result<Query> query_from(const Json& params) {
    auto files = rpc::files_from_json(params.at("files"));
    if (!files) return std::unexpected(std::move(files.error()));
    Query query{std::move(*files), params.value("main", ""), {}, params.value("device", "auto")};
    if (params.contains("configuration")) query.configuration = pipeline::sizes_from_json(params.at("configuration"));
    return query;
}

/// Diagnostics only, as fast as they can be had: directives that do not parse are diagnostics beside the compiler's.
Result<Json> check_syntax(const Query& query, const task::Task& task, const std::string& arch,
                          compile::Compiler& compiler, std::stop_token stop) {
    const auto source = query.files.find(query.main);
    if (source == query.files.end())
        return fail(Stage::task, ErrorCode::not_found, fmt::format("the task has no file '{}'", query.main),
                    {query.main});
    compile::Request request{.files = query.files, .main = query.main, .defines = {}, .kernels = {}};
    request.cubin = false;
    request.syntax_only = true;
    if (!arch.empty()) request.arch = arch;
    const auto plan = task::parse_plan(source->second, query.main, task);
    if (plan) {
        auto values = plan->defaults();
        for (const auto& [name, value] : query.configuration) values[name] = value;
        for (const auto& [name, value] : values) request.defines.emplace_back(name, std::to_string(value));
        // A template's body is only looked at in full where it is instantiated.
        request.kernels = task::kernel_names(*plan, values);
    }
    auto output = compiler.compile(request, stop);
    if (!output) return std::unexpected(std::move(output.error()));
    if (!plan) {
        output->ok = false;
        output->diagnostics.insert(output->diagnostics.begin(), pipeline::as_diagnostic(plan.error()));
    }
    auto json = compile::to_json(*output);
    json["arch"] = request.arch;
    return json;
}

Result<Json> compile_alone(const Query& query, const Json& params, compile::Compiler& compiler, std::stop_token stop) {
    compile::Request request{.files = query.files, .main = query.main, .defines = {}, .kernels = {}};
    request.arch = params.value("arch", request.arch);
    request.syntax_only = params.value("syntax_only", false);
    for (const auto& [name, value] : query.configuration) request.defines.emplace_back(name, std::to_string(value));
    auto output = compiler.compile(request, stop);
    if (!output) return std::unexpected(std::move(output.error()));
    auto json = compile::to_json(*output);
    json["arch"] = request.arch;
    if (params.value("ptx", false)) json["ptx"] = output->ptx;
    if (params.value("log", false)) json["log"] = output->log;
    return json;
}

/// Profile jobs go to a process of their own.
class Executors final : public pipeline::Executor {
public:
    Executors(ChildExecutor& timing, ChildExecutor& profiling) : timing_(timing), profiling_(profiling) {}

    Result<Json> execute(const Json& job, double timeout_s, std::stop_token stop,
                         const pipeline::Progress& progress) override {
        return timing_.execute(job, timeout_s, std::move(stop), progress);
    }
    Result<Json> execute_profile(const Json& job, double timeout_s, std::stop_token stop,
                                 const pipeline::Progress& progress, const profile::Live& live) override {
        return profiling_.execute_profile(job, timeout_s, std::move(stop), progress, live);
    }
    std::optional<pipeline::Recovery> recover(const std::string& device, std::stop_token stop) override {
        return timing_.recover(device, std::move(stop));
    }
    std::optional<device::Fault> locate(const Json& job, device::FaultKind told, std::stop_token stop,
                                        const pipeline::Progress& progress) override {
        return timing_.locate(job, told, std::move(stop), progress);
    }
    Result<device::Info> describe(const std::string& device) override { return timing_.describe(device); }

private:
    ChildExecutor& timing_;
    ChildExecutor& profiling_;
};

/// Leaves only the kernel of that name: "softmax<256>", "softmax" for all its instances, or as the code calls it.
Result<void> keep_kernel(compile::Listing& listing, const std::string& kernel) {
    if (kernel.empty()) return {};
    const auto matches = [&](const compile::ListingFunction& function) {
        return function.name == kernel || function.lowered == kernel || function.name.starts_with(kernel + "<");
    };
    std::vector<std::string> known;
    for (const auto& function : listing.functions) known.push_back(function.name);
    std::erase_if(listing.functions, [&](const auto& function) { return !matches(function); });
    if (!listing.functions.empty()) return {};
    return fail(Stage::usage, ErrorCode::not_found,
                fmt::format("there is no kernel '{}' in the code, which has {}{}", kernel, list_of(known),
                            did_you_mean(kernel, known)));
}

} // namespace

Service::Service(Settings settings)
    : settings_(std::move(settings)),
      executor_(settings_.executor, settings_.toolkit),
      profiling_(settings_.executor) {}
Service::~Service() = default;

void Service::warm_up() {
    executor_.warm_up();
    warming_ = std::jthread{[this] {
        const std::scoped_lock lock{evaluating_.mutex};
        // What is wrong will be wrong again, and said, when it is needed.
        static_cast<void>(open(evaluating_));
    }};
}

Result<compile::Compiler*> Service::open(Slot& slot) {
    if (!slot.compiler) {
        auto opened = ChildCompiler::open(settings_.compiler);
        if (!opened) return std::unexpected(std::move(opened.error()));
        slot.compiler = std::make_unique<pipeline::CachingCompiler>(std::move(*opened));
    }
    return slot.compiler.get();
}

Result<pipeline::Built> Service::build(const std::string& main, const task::Sizes& configuration,
                                       const task::Task& task, const task::Files& files, const device::Info& info,
                                       std::stop_token stop) {
    const std::scoped_lock lock{live_.mutex};
    const auto compiler = open(live_);
    if (!compiler) return std::unexpected(compiler.error());
    return pipeline::build_source(main, configuration, task, files, info, **compiler, std::move(stop));
}

Result<Json> Service::compile(const Json& params, std::stop_token stop) try {
    auto query = query_from(params);
    if (!query) return std::unexpected(std::move(query.error()));
    if (!query->files.contains("task.toml")) {
        const std::scoped_lock lock{live_.mutex};
        const auto compiler = open(live_);
        if (!compiler) return std::unexpected(compiler.error());
        return compile_alone(*query, params, **compiler, stop);
    }
    const auto task = task::parse_task_without_arrays(query->files);
    if (!task) return std::unexpected(task.error());
    if (query->main.empty()) query->main = task->kernel;
    if (params.value("syntax_only", false)) {
        const std::scoped_lock lock{live_.mutex};
        const auto compiler = open(live_);
        if (!compiler) return std::unexpected(compiler.error());
        return check_syntax(*query, *task, params.value("arch", ""), **compiler, stop);
    }
    // Before the compiler is taken: the first answer about a GPU takes seconds, in which typing must not wait.
    const auto info = executor_.describe(query->device);
    if (!info) return std::unexpected(info.error());
    auto built = build(query->main, query->configuration, *task, query->files, *info, stop);
    if (!built) return std::unexpected(std::move(built.error()));
    auto json = pipeline::to_json(built->report);
    json["file"] = query->main;
    json["arch"] = info->arch;
    if (params.value("ptx", false)) json["ptx"] = built->source.ptx;
    return json;
} catch (const Json::exception& error) {
    return malformed("compile", error);
}

Result<Json> Service::evaluate(const Json& params, std::stop_token stop, const pipeline::Progress& progress,
                               const profile::Live& live) try {
    const auto files = rpc::files_from_json(params.at("files"));
    if (!files) return std::unexpected(files.error());
    const auto options = pipeline::options_from_json(params.value("options", Json::object()));
    if (!options) return std::unexpected(options.error());
    return evaluate(*files, *options, stop, progress, live);
} catch (const Json::exception& error) {
    return malformed("evaluate", error);
}

Result<Json> Service::evaluate(const task::Files& files, const pipeline::Options& options, std::stop_token stop,
                               const pipeline::Progress& progress, const profile::Live& live) {
    const std::scoped_lock lock{evaluating_.mutex};
    const auto compiler = open(evaluating_);
    if (!compiler) return std::unexpected(compiler.error());
    Executors executors{executor_, profiling_};
    auto evaluation = pipeline::evaluate(files, options, **compiler, executors, stop, progress, live, &torch_);
    if (!evaluation) return std::unexpected(std::move(evaluation.error()));
    return pipeline::to_json(*evaluation);
}

Result<Json> Service::devices(std::stop_token stop) { return executor_.devices(stop); }

Json Service::check_compiler(std::stop_token stop) {
    Json check{{"name", "compile"}, {"ok", false}};
    const std::scoped_lock lock{live_.mutex};
    const auto compiler = open(live_);
    if (!compiler) {
        check["detail"] = compiler.error().message;
        return check;
    }
    const auto output =
        (*compiler)->compile({.files = {{"probe.cu", kProbe}}, .main = "probe.cu", .defines = {}, .kernels = {}}, stop);
    if (!output) {
        check["detail"] = describe(output.error());
    } else {
        check["ok"] = output->ok;
        check["detail"] =
            output->ok
                ? fmt::format("NVRTC {}, a small kernel in {:.0f} ms", (*compiler)->version(), output->milliseconds)
                : pipeline::first_error({.ok = false, .diagnostics = output->diagnostics, .kernels = {}});
    }
    if (!check["ok"])
        check["remedy"] = "install the CUDA Toolkit 12 or 13, or name its folder with --toolkit or $CUDA_HOME";
    return check;
}

Json Service::check_executor(const Result<Json>& found) {
    Json check{{"name", "run"}};
    check["ok"] = found && !found->at("devices").empty();
    if (!found)
        check["detail"] = describe(found.error());
    else
        check["detail"] = fmt::format("{} device{} to run on", found->at("devices").size(),
                                      found->at("devices").size() == 1 ? "" : "s");
    if (!check["ok"]) check["remedy"] = "run 'kw-worker exec --log debug' by hand and see what it prints";
    return check;
}

Json Service::ladders(const Json& devices, std::stop_token stop) {
    Json ladders = Json::array();
    for (const auto& each : devices) {
        const auto device = device::info_from_json(each);
        if (device.kind == device::Kind::sim) continue;
        auto& ladder = ladders.emplace_back(Json{{"device", device.id}, {"name", device.name}});
        const auto rungs = profiling_.ladder(device.id, stop);
        if (rungs)
            ladder.update(*rungs);
        else
            ladder["problem"] = rungs.error().message;
    }
    return ladders;
}

Result<Json> Service::doctor(std::stop_token stop) {
    Json report;
    report["worker"] = Json{{"version", version()},
                            {"path", (executable_folder() / "kw-worker").string()},
                            {"protocol", rpc::kProtocolVersion}};
    report["host"] = describe_host();
    auto& components = report["components"] = Json::array();
    for (const auto& component : compile::toolkit_inventory(settings_.toolkit))
        components.push_back(compile::to_json(component));
    const auto found = devices(stop);
    report["checks"] = Json::array({check_compiler(stop), check_executor(found)});
    report["ladders"] = found ? ladders(found->at("devices"), stop) : Json::array();
    return report;
}

Result<Json> Service::describe_torch(const Json& params, std::stop_token stop) try {
    const std::scoped_lock lock{evaluating_.mutex};
    return torch_.describe(params.at("file").get<std::string>(), params.at("source").get<std::string>(),
                           std::move(stop));
} catch (const Json::exception& error) {
    return malformed("torch/describe", error);
}

Result<Json> Service::disassemble(const Json& params, std::stop_token stop) try {
    auto query = query_from(params);
    if (!query) return std::unexpected(std::move(query.error()));
    const auto task = task::parse_task_without_arrays(query->files);
    if (!task) return std::unexpected(task.error());
    if (query->main.empty()) query->main = task->kernel;
    const auto info = executor_.describe(query->device);
    if (!info) return std::unexpected(info.error());
    auto built = build(query->main, query->configuration, *task, query->files, *info, stop);
    if (!built) return std::unexpected(std::move(built.error()));
    auto json = pipeline::to_json(built->report);
    json["file"] = query->main;
    json["arch"] = info->arch;
    if (!built->report.ok) return json;
    auto listing = params.value("sass", false) ? compile::sass_listing(built->source.cubin, settings_.toolkit, stop)
                                               : Result<compile::Listing>{compile::ptx_listing(built->source.ptx)};
    if (!listing) return std::unexpected(std::move(listing.error()));
    if (auto kept = keep_kernel(*listing, params.value("kernel", "")); !kept)
        return std::unexpected(std::move(kept.error()));
    json["listing"] = compile::to_json(*listing);
    json["text"] = compile::render(*listing, query->files);
    return json;
} catch (const Json::exception& error) {
    return malformed("disassemble", error);
}

} // namespace kw::worker
