#include "engine/pipeline/execute.h"

#include "engine/pipeline/job.h"

#include <algorithm>
#include <map>
#include <utility>

namespace kw::pipeline {

/// Devices stay open between jobs: on a GPU a context costs a third of a second.
struct JobRunner::State {
    std::map<std::string, std::unique_ptr<device::Device>> devices;
};

JobRunner::JobRunner() : state_(std::make_unique<State>()) {}
JobRunner::~JobRunner() = default;

bool JobRunner::lost() const {
    return std::ranges::any_of(state_->devices, [](const auto& entry) { return entry.second && entry.second->lost(); });
}

Result<Json> JobRunner::run(const Json& json, std::stop_token stop, const device::Progress& progress) {
    auto job = job_from_json(json);
    if (!job) return std::unexpected(job.error());
    auto& device = state_->devices[job->options.device];
    if (!device) {
        auto opened = open_device(job->options.device);
        if (!opened) return std::unexpected(opened.error());
        device = std::move(*opened);
    }
    if (job->kind == Job::Kind::verify) {
        auto report = run_verify(*job, *device, stop, progress);
        if (!report) return std::unexpected(report.error());
        return to_json(*report);
    }
    auto result = run_bench(*job, *device, stop, progress);
    if (!result) return std::unexpected(result.error());
    Json answer{{"bench", to_json(result->report)}};
    if (result->profile) answer["profile"] = std::move(*result->profile);
    return answer;
}

} // namespace kw::pipeline
