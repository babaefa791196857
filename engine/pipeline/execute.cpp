#include "engine/pipeline/execute.h"

#include "engine/pipeline/job.h"

#include <map>
#include <utility>

namespace kw::pipeline {

/// Devices stay open between jobs: on a GPU a context costs a third of a second.
struct JobRunner::State {
    std::map<std::string, std::unique_ptr<device::Device>> devices;
    bool lost = false;
};

namespace {

Result<Json> answer(const Job& job, device::Device& device, std::stop_token stop, const device::Progress& progress) {
    if (job.kind == Job::Kind::verify) {
        auto report = run_verify(job, device, stop, progress);
        if (!report) return std::unexpected(report.error());
        return to_json(*report);
    }
    auto result = run_bench(job, device, stop, progress);
    if (!result) return std::unexpected(result.error());
    Json json{{"bench", to_json(result->report)}};
    if (result->profile) json["profile"] = std::move(*result->profile);
    return json;
}

} // namespace

JobRunner::JobRunner() : state_(std::make_unique<State>()) {}
JobRunner::~JobRunner() = default;

bool JobRunner::lost() const { return state_->lost; }

Result<Json> JobRunner::run(const Json& json, std::stop_token stop, const device::Progress& progress) {
    auto job = job_from_json(json);
    if (!job) return std::unexpected(job.error());
    auto& device = state_->devices[job->options.device];
    if (!device) {
        auto opened = open_device(job->options.device);
        if (!opened) return std::unexpected(opened.error());
        device = std::move(*opened);
    }
    auto result = answer(*job, *device, stop, progress);
    if (!device->lost()) return result;
    state_->lost = true;
    // A job that ended in an error may have left a kernel running, and closing the device would wait for it.
    if (!result) static_cast<void>(device.release());
    state_->devices.erase(job->options.device);
    if (result) (*result)["device_lost"] = true;
    return result;
}

} // namespace kw::pipeline
