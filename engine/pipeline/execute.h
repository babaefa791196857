#pragma once

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/device/device.h"
#include "engine/profile/profiler.h"

#include <stop_token>
#include <string>
#include <vector>

/// The half of an evaluation that runs kernels. Lives in the child process; holds the open device between jobs.
namespace kw::pipeline {

/// "auto", "sim", "sim:h200", "cuda", "cuda:1" to an open device. auto: the first usable GPU, else the simulator.
[[nodiscard]] Result<std::unique_ptr<device::Device>> open_device(const std::string& id);

/// The profiler of an open device, which must outlive it. `toolkit` is where its libraries are looked for first. A
/// process that has opened the one of a GPU must not time anything there any more.
[[nodiscard]] Result<std::unique_ptr<profile::Profiler>> open_profiler(device::Device& device,
                                                                       const std::string& toolkit);

/// Every device that can be opened here, simulated GPU models included, in the order auto would try them.
[[nodiscard]] std::vector<device::Info> list_devices();

class JobRunner {
public:
    /// `toolkit`: see open_profiler.
    explicit JobRunner(std::string toolkit = {});
    ~JobRunner();
    /// Jobs are what evaluate() sends: verify, bench or profile of already compiled code. The value is what evaluate()
    /// reads back; it has "device_lost": true when a kernel's fault has made the device unusable from this process. The
    /// device is closed then and a following job opens it again, which a driver may refuse: a new process is the sure
    /// remedy.
    [[nodiscard]] Result<Json> run(const Json& job, std::stop_token stop, const device::Progress& progress,
                                   const profile::Live& live = {});

    /// Opens a device for the jobs to come: device::to_json(Info). Not while run() runs.
    [[nodiscard]] Result<Json> open(const std::string& device);

    /// What could be profiled on a device: {rungs: [profile::RungState…]}. Not while run() runs.
    [[nodiscard]] Result<Json> ladder(const std::string& device);

    /// A device was lost in some job: answer, then end this process.
    [[nodiscard]] bool lost() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace kw::pipeline
