#include "engine/pipeline/outputs.h"

#include "engine/base/json_integer.h"
#include "engine/pipeline/memory.h"
#include "engine/pipeline/plan_runner.h"
#include "engine/pipeline/torch.h"
#include "engine/verify/output_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace kw::pipeline {
namespace {

Result<std::size_t> find_case(const task::Task& task, const OutputsQuery& query, device::Kind kind) {
    if (!query.sizes) {
        if (query.case_index < task.cases.size()) return query.case_index;
        return fail(
            Stage::usage, ErrorCode::invalid_input,
            fmt::format("there is no case {}; the task has {}, counted from 0", query.case_index, task.cases.size()));
    }
    for (std::size_t i = 0; i < task.cases.size(); ++i)
        if (verify_sizes(task, i, kind) == *query.sizes) return i;
    return fail(Stage::usage, ErrorCode::not_found,
                fmt::format("no case of the task is verified at {} on this device; run the checks again",
                            task::sizes_text(*query.sizes)));
}

} // namespace

Result<OutputsPlan> plan_outputs(const task::Files& files, const Options& options, const OutputsQuery& query,
                                 compile::Compiler& untimed, Executor& executor, std::stop_token stop,
                                 const Progress& progress, TorchRunner* torch) {
    TimedCompiler compiler(untimed, options.compile_timeout_s);
    auto task = task::parse_task(files);
    if (!task) return std::unexpected(task.error());
    const auto info = executor.describe(options.device);
    if (!info) return std::unexpected(info.error());
    const auto which = find_case(*task, query, info->kind);
    if (!which) return std::unexpected(which.error());

    OutputsPlan plan;
    plan.device = *info;
    plan.sizes = verify_sizes(*task, *which, info->kind);
    if (progress) progress("compile", -1);
    const auto& file = options.candidate.empty() ? task->kernel : options.candidate;
    auto candidate = build_source(file, options.configuration, *task, files, *info, compiler, stop);
    if (!candidate) return std::unexpected(candidate.error());
    plan.compile = std::move(candidate->report);
    if (!plan.compile.ok) return plan;

    Job& job = plan.job;
    job.kind = Job::Kind::outputs;
    job.files = files_of_job(files);
    job.options = options;
    job.options.stages = {.verify = true, .bench = false, .profile = false};
    job.seed = query.seed ? *query.seed : draw_seed();
    job.candidate = std::move(candidate->source);
    job.inspect.case_index = *which;
    job.inspect.sizes_of = info->kind;
    if (task->is_torch()) {
        if (!torch) return fail(Stage::task, ErrorCode::unsupported, "PyTorch tasks cannot be run here");
        if (auto given = give_torch_values(job, *task, files, *info, *torch, stop, progress); !given)
            return std::unexpected(given.error());
    } else if (!task->reference.empty()) {
        auto reference = build_trusted("reference", task->reference, *task, files, *info, compiler, stop);
        if (!reference) return std::unexpected(reference.error());
        job.reference = std::move(*reference);
    }
    if (auto fits = check_memory(*task, job, *info); !fits) return std::unexpected(fits.error());
    return plan;
}

Json to_json(const StoredOutputs& outputs) {
    Json json{{"output", outputs.output}, {"problem", outputs.problem}, {"ms", outputs.milliseconds}};
    if (outputs.fault) json["fault"] = device::to_json(*outputs.fault);
    auto& tensors = json["tensors"] = Json::array();
    for (const auto& tensor : outputs.tensors)
        tensors.push_back({{"name", tensor.name},
                           {"index", tensor.index},
                           {"type", task::to_string(tensor.type)},
                           {"shape", tensor.shape},
                           {"tolerance", verify::to_json(tensor.tolerance)},
                           {"bytes", tensor.bytes},
                           {"expected_at", tensor.expected_at},
                           {"actual_at", tensor.actual_at}});
    return json;
}

StoredOutputs stored_outputs_from_json(const Json& json) {
    StoredOutputs outputs;
    outputs.output = json.at("output").get<std::string>();
    outputs.problem = json.at("problem").get<std::string>();
    outputs.milliseconds = json.at("ms").get<double>();
    if (json.contains("fault")) outputs.fault = device::fault_from_json(json.at("fault"));
    for (const auto& item : json.at("tensors")) {
        const auto type = task::scalar_type_from(item.at("type").get<std::string>());
        if (!type) throw std::invalid_argument("a tensor has no known type");
        outputs.tensors.push_back({.name = item.at("name").get<std::string>(),
                                   .index = item.at("index").get<std::size_t>(),
                                   .type = *type,
                                   .shape = item.at("shape").get<std::vector<std::int64_t>>(),
                                   .tolerance = verify::tolerance_from_json(item.at("tolerance")),
                                   .bytes = integer_from_json<std::uint64_t>(item.at("bytes")),
                                   .expected_at = integer_from_json<std::uint64_t>(item.at("expected_at")),
                                   .actual_at = integer_from_json<std::uint64_t>(item.at("actual_at"))});
    }
    return outputs;
}

} // namespace kw::pipeline
