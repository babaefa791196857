#include "engine/rpc/outputs_client.h"

#include "engine/base/json_error.h"
#include "engine/rpc/wire.h"
#include "engine/verify/output_json.h"

#include <fmt/format.h>

#include <exception>
#include <mutex>
#include <utility>

namespace kw::rpc {
namespace {

std::unexpected<Error> unreadable(const std::exception& error) {
    return fail(Stage::rpc, ErrorCode::internal,
                fmt::format("the worker's answer about outputs is malformed: {}", what_is_wrong(error)));
}

class RemoteSource final : public verify::OutputSource {
public:
    RemoteSource(std::weak_ptr<WorkerClient> worker, std::uint64_t handle)
        : worker_(std::move(worker)), handle_(handle) {}
    ~RemoteSource() override {
        {
            const std::scoped_lock lock{gate_->mutex};
            gate_->open = false;
        }
        writing_.cancel();
        const auto worker = worker_.lock();
        if (worker && worker->alive())
            worker->call_async("outputs/release", Json{{"handle", handle_}}, [](const Result<Json>&) {});
    }

    void cells(const verify::CellQuery& query, Answer<verify::Cells> answer) override {
        auto params = about(query.tensor);
        params.update(verify::to_json(query.region));
        params["what"] = "cells";
        params["step"] = {query.row_step, query.column_step};
        if (query.tolerance) params["tolerance"] = verify::to_json(*query.tolerance);
        ask<verify::Cells>("outputs/region", std::move(params), std::move(answer), verify::cells_from_json);
    }
    void values(std::size_t tensor, const verify::Region& region, Answer<verify::Values> answer) override {
        auto params = about(tensor);
        params.update(verify::to_json(region));
        params["what"] = "values";
        ask<verify::Values>("outputs/region", std::move(params), std::move(answer), verify::values_from_json);
    }
    void histogram(std::size_t tensor, Answer<verify::ErrorHistogram> answer) override {
        ask<verify::ErrorHistogram>("outputs/histogram", about(tensor), std::move(answer),
                                    verify::error_histogram_from_json);
    }
    void mismatches(std::size_t tensor, const task::Tolerance& tolerance, Answer<std::uint64_t> answer) override {
        auto params = about(tensor);
        params.update(verify::to_json(tolerance));
        ask<std::uint64_t>("outputs/tolerance", std::move(params), std::move(answer),
                           [](const Json& json) { return json.at("mismatches").get<std::uint64_t>(); });
    }
    void next_mismatch(std::size_t tensor, std::uint64_t index, bool forward,
                       const std::optional<task::Tolerance>& tolerance,
                       Answer<std::optional<std::uint64_t>> answer) override {
        auto params = about(tensor);
        params["index"] = index;
        params["forward"] = forward;
        if (tolerance) params["tolerance"] = verify::to_json(*tolerance);
        using Found = std::optional<std::uint64_t>;
        ask<Found>("outputs/next", std::move(params), std::move(answer), [](const Json& json) {
            const auto& found = json.at("index");
            return found.is_null() ? Found{} : Found{found.get<std::uint64_t>()};
        });
    }
    void writers(std::size_t tensor, std::uint64_t index, Answer<verify::WriterReport> answer) override {
        auto params = about(tensor);
        params["index"] = index;
        writing_.cancel();
        writing_ = ask<verify::WriterReport>("outputs/writers", std::move(params), std::move(answer),
                                             verify::writer_report_from_json);
    }
    void cancel_writers() override { writing_.cancel(); }

private:
    /// Closed when the source goes: what comes later is dropped.
    struct Gate {
        std::mutex mutex;
        bool open = true;
    };

    [[nodiscard]] Json about(std::size_t tensor) const { return {{"handle", handle_}, {"tensor", tensor}}; }

    template<class T, class Read>
    WorkerClient::Ticket ask(std::string_view method, Json params, Answer<T> answer, Read read) {
        const auto worker = worker_.lock();
        if (!worker) {
            answer(fail(Stage::rpc, ErrorCode::not_found,
                        "the worker that kept these outputs is gone; run the check again"));
            return {};
        }
        return worker->call_async(method, std::move(params),
                                  [gate = gate_, answer = std::move(answer), read](const Result<Json>& json) {
                                      auto result = [&]() -> Result<T> {
                                          if (!json) return std::unexpected(json.error());
                                          try {
                                              return read(*json);
                                          } catch (const std::exception& error) {
                                              return unreadable(error);
                                          }
                                      }();
                                      const std::scoped_lock lock{gate->mutex};
                                      if (gate->open) answer(std::move(result));
                                  });
    }

    const std::weak_ptr<WorkerClient> worker_;
    const std::uint64_t handle_;
    WorkerClient::Ticket writing_{}; ///< the only question that takes long
    std::shared_ptr<Gate> gate_ = std::make_shared<Gate>();
};

} // namespace

Json outputs_params(const task::Files& files, const pipeline::Options& options, const pipeline::OutputsQuery& query) {
    Json params{{"files", files_to_json(files)}, {"options", pipeline::to_json(options)}, {"case", query.case_index}};
    if (query.sizes) params["sizes"] = pipeline::sizes_to_json(*query.sizes);
    if (query.seed) params["seed"] = *query.seed;
    return params;
}

Result<OutputsRun> outputs_run_from_json(const Json& json, std::weak_ptr<WorkerClient> worker) try {
    OutputsRun run;
    run.ok = json.at("ok").get<bool>();
    run.candidate = json.at("candidate").get<std::string>();
    run.device = device::info_from_json(json.at("device"));
    run.configuration = pipeline::sizes_from_json(json.at("configuration"));
    run.case_index = json.at("case").get<std::size_t>();
    run.sizes = pipeline::sizes_from_json(json.at("sizes"));
    run.seed = json.at("seed").get<std::uint64_t>();
    run.compile = pipeline::compile_report_from_json(json.at("compile"));
    for (const auto& tensor : json.at("tensors")) run.tensors.push_back(verify::tensor_output_from_json(tensor));
    if (json.contains("fault")) run.fault = device::fault_from_json(json.at("fault"));
    run.output = json.at("output").get<std::string>();
    run.problem = json.at("problem").get<std::string>();
    run.milliseconds = json.at("ms").get<double>();
    if (json.contains("handle"))
        run.source = std::make_shared<RemoteSource>(std::move(worker), json.at("handle").get<std::uint64_t>());
    return run;
} catch (const std::exception& error) {
    return unreadable(error);
}

WorkerClient::Ticket outputs_async(const std::shared_ptr<WorkerClient>& worker, const task::Files& files,
                                   const pipeline::Options& options, const pipeline::OutputsQuery& query,
                                   std::function<void(Result<OutputsRun>)> done, Progress progress) {
    return worker->call_async(
        "outputs", outputs_params(files, options, query),
        [worker = std::weak_ptr(worker), done = std::move(done)](const Result<Json>& json) {
            done(json ? outputs_run_from_json(*json, worker) : std::unexpected(json.error()));
        },
        std::move(progress));
}

} // namespace kw::rpc
