#include "engine/pipeline/execute.h"

#include "engine/pipeline/auditing.h"
#include "engine/pipeline/job.h"
#include "engine/pipeline/outputs.h"
#include "engine/profile/report.h"
#include "engine/verify/output_json.h"

#include <map>
#include <utility>

namespace kw::pipeline {

/// Devices stay open between jobs: on a GPU a context costs a third of a second.
struct JobRunner::State {
    struct Opened {
        std::unique_ptr<device::Device> device;
        std::unique_ptr<profile::Profiler> profiler; ///< made by the first profile; destroyed first
    };

    std::string toolkit;
    std::map<std::string, Opened> devices;
    bool lost = false;

    Result<Opened*> open(const std::string& id) {
        auto& opened = devices[id];
        if (!opened.device) {
            auto device = open_device(id);
            if (!device) return std::unexpected(std::move(device.error()));
            opened.device = std::move(*device);
        }
        return &opened;
    }

    Result<profile::Profiler*> open_profiler_of(Opened& opened) const {
        if (!opened.profiler) {
            auto profiler = open_profiler(*opened.device, toolkit);
            if (!profiler) return std::unexpected(std::move(profiler.error()));
            opened.profiler = std::move(*profiler);
        }
        return opened.profiler.get();
    }

    Result<Json> answer(const Job& job, Opened& opened, std::stop_token stop, const device::Progress& progress,
                        const profile::Live& live) const {
        auto& device = *opened.device;
        if (job.kind == Job::Kind::verify) {
            const auto report = run_verify(job, device, stop, progress);
            return report ? Result<Json>{to_json(*report)} : std::unexpected(report.error());
        }
        if (job.kind == Job::Kind::bench) {
            if (opened.profiler && device.info().kind == device::Kind::cuda)
                return fail(Stage::bench, ErrorCode::internal, "a process that has profiled a GPU was asked for times");
            const auto report = run_bench(job, device, stop, progress);
            return report ? Result<Json>{to_json(*report)} : std::unexpected(report.error());
        }
        if (job.kind == Job::Kind::outputs) {
            const auto outputs = run_outputs(job, device, stop, progress);
            return outputs ? Result<Json>{to_json(*outputs)} : std::unexpected(outputs.error());
        }
        const auto profiler = open_profiler_of(opened);
        if (!profiler) return std::unexpected(profiler.error());
        const auto report = run_profile(job, device, **profiler, stop, progress, live);
        return report ? Result<Json>{profile::to_json(*report)} : std::unexpected(report.error());
    }
};

JobRunner::JobRunner(std::string toolkit) : state_(std::make_unique<State>()) { state_->toolkit = std::move(toolkit); }
JobRunner::~JobRunner() = default;

bool JobRunner::lost() const { return state_->lost; }

Result<Json> JobRunner::run(const Json& json, std::stop_token stop, const device::Progress& progress,
                            const profile::Live& live) {
    auto job = job_from_json(json);
    if (!job) return std::unexpected(job.error());
    // On a simulator of its own, whatever the device is.
    if (job->kind == Job::Kind::writers) {
        const auto report = run_writers(*job, stop, progress);
        return report ? Result<Json>{verify::to_json(*report)} : std::unexpected(report.error());
    }
    if (job->kind == Job::Kind::audit) {
        const auto probe = run_audit(*job, stop, progress);
        return probe ? Result<Json>{audit::to_json(*probe)} : std::unexpected(probe.error());
    }
    const auto opened = state_->open(job->options.device);
    if (!opened) return std::unexpected(opened.error());
    auto& device = (*opened)->device;
    auto result = state_->answer(*job, **opened, stop, progress, live);
    if (!device->lost()) return result;
    state_->lost = true;
    // A job that ended in an error may have left a kernel running, and closing the device would wait for it.
    if (!result) {
        static_cast<void>((*opened)->profiler.release());
        static_cast<void>(device.release());
    }
    state_->devices.erase(job->options.device);
    if (result) (*result)["device_lost"] = true;
    return result;
}

Result<Json> JobRunner::open(const std::string& device) {
    const auto opened = state_->open(device);
    if (!opened) return std::unexpected(opened.error());
    return device::to_json((*opened)->device->info());
}

Result<Json> JobRunner::ladder(const std::string& device) {
    const auto opened = state_->open(device);
    if (!opened) return std::unexpected(opened.error());
    const auto profiler = state_->open_profiler_of(**opened);
    if (!profiler) return std::unexpected(profiler.error());
    Json json{{"rungs", Json::array()}};
    for (const auto& rung : (*profiler)->ladder()) json["rungs"].push_back(profile::to_json(rung));
    return json;
}

} // namespace kw::pipeline
