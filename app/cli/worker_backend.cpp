#include "app/cli/worker_backend.h"

namespace kw::cli {

Result<Json> WorkerBackend::evaluate(const task::Files& files, const pipeline::Options& options, std::stop_token stop,
                                     const pipeline::Progress& progress) {
    return worker_.evaluate_json(files, options, std::move(stop), progress);
}

Result<Json> WorkerBackend::devices(std::stop_token stop) { return worker_.devices(std::move(stop)); }

Result<Json> WorkerBackend::doctor(std::stop_token stop) { return worker_.doctor(std::move(stop)); }

} // namespace kw::cli
