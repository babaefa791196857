// The methods of Service that run a check again and keep what it left.
#include "engine/pipeline/outputs.h"

#include "engine/base/json_error.h"
#include "engine/base/json_integer.h"
#include "engine/rpc/wire.h"
#include "engine/verify/output_json.h"
#include "engine/worker/service.h"

#include <fmt/format.h>

#include <exception>
#include <utility>

namespace kw::worker {
namespace {

pipeline::OutputsQuery query_from(const Json& params) {
    pipeline::OutputsQuery query;
    if (const auto member = params.find("case"); member != params.end())
        query.case_index = integer_from_json<std::size_t>(*member);
    if (const auto member = params.find("sizes"); member != params.end() && !member->is_null())
        query.sizes = pipeline::sizes_from_json(*member);
    if (const auto member = params.find("seed"); member != params.end() && !member->is_null())
        query.seed = integer_from_json<std::uint64_t>(*member);
    return query;
}

Json describe(const pipeline::OutputsPlan& plan, const KeptOutputs* kept, const pipeline::StoredOutputs& stored) {
    Json json{{"candidate", plan.job.candidate.file},
              {"device", device::to_json(plan.device)},
              {"configuration", pipeline::sizes_to_json(plan.job.candidate.configuration)},
              {"case", plan.job.inspect.case_index},
              {"sizes", pipeline::sizes_to_json(plan.sizes)},
              {"seed", plan.job.seed},
              {"compile", pipeline::to_json(plan.compile)},
              {"output", stored.output},
              {"problem", stored.problem},
              {"ms", stored.milliseconds}};
    if (stored.fault) json["fault"] = device::to_json(*stored.fault);
    auto& tensors = json["tensors"] = Json::array();
    bool ok = plan.compile.ok && !stored.fault && kept;
    if (kept) {
        json["handle"] = kept->handle;
        for (const auto& tensor : kept->tensors) {
            tensors.push_back(verify::to_json(tensor->tensor()));
            ok = ok && tensor->tensor().comparison.ok();
        }
    }
    json["ok"] = ok;
    return json;
}

} // namespace

Result<Json> Service::outputs(const Json& params, std::stop_token stop, const pipeline::Progress& progress) try {
    const auto files = rpc::files_from_json(params.at("files"));
    if (!files) return std::unexpected(files.error());
    const auto options = pipeline::options_from_json(params.value("options", Json::object()));
    if (!options) return std::unexpected(options.error());
    const auto query = query_from(params);

    const std::scoped_lock lock{evaluating_.mutex};
    const auto compiler = open(evaluating_);
    if (!compiler) return std::unexpected(compiler.error());
    auto plan = pipeline::plan_outputs(*files, *options, query, **compiler, executor_, stop, progress, &torch_);
    if (!plan) return std::unexpected(std::move(plan.error()));
    if (!plan->compile.ok) return describe(*plan, nullptr, {});
    auto file = SharedFile::create();
    if (!file) return std::unexpected(std::move(file.error()));
    plan->job.inspect.store = (*file)->path();
    const auto answer = executor_.execute(pipeline::to_json(plan->job), options->verify_timeout_s, stop, progress);
    if (!answer) return std::unexpected(answer.error());
    pipeline::StoredOutputs stored;
    try {
        stored = pipeline::stored_outputs_from_json(*answer);
    } catch (const std::exception& error) {
        return fail(
            Stage::rpc, ErrorCode::internal,
            fmt::format("the process that runs kernels gave an answer that cannot be read: {}", what_is_wrong(error)));
    }
    if (answer->value("device_lost", false)) {
        // The next one is made ready; whether it is, the next job tells.
        static_cast<void>(executor_.recover(plan->device.id, stop));
        return describe(*plan, nullptr, stored);
    }
    if (progress) progress("compare", -1);
    const auto kept = outputs_.keep(plan->job, stored, std::move(*file));
    if (!kept) return std::unexpected(kept.error());
    return describe(*plan, kept->get(), stored);
} catch (const Json::exception& error) {
    return fail(Stage::rpc, ErrorCode::invalid_input,
                fmt::format("malformed parameters of 'outputs': {}", what_is_wrong(error)));
}

Result<Json> Service::writers(const Json& params, std::stop_token stop, const pipeline::Progress& progress) {
    const auto element = outputs_.element(params);
    if (!element) return std::unexpected(element.error());
    // The job ends by itself; one that does not has lost its way.
    return executor_.execute(pipeline::to_json(element->job), 2 * pipeline::kWriterSeconds, std::move(stop), progress);
}

} // namespace kw::worker
