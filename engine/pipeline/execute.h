#pragma once

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/device/device.h"

#include <stop_token>
#include <string>
#include <vector>

/// The half of an evaluation that runs kernels. Lives in the child process; holds the open device between jobs.
namespace kw::pipeline {

/// "auto", "sim", "sim:h200", "cuda", "cuda:1" to an open device. auto: the first usable GPU, else the simulator.
[[nodiscard]] Result<std::unique_ptr<device::Device>> open_device(const std::string& id);

/// Every device that can be opened here, simulated GPU models included, in the order auto would try them.
[[nodiscard]] std::vector<device::Info> list_devices();

class JobRunner {
public:
    JobRunner();
    ~JobRunner();
    /// Jobs are what evaluate() sends: verify or bench of already compiled code. The value is what evaluate() reads
    /// back; it has "device_lost": true when a kernel's fault has made the device unusable from this process. The
    /// device is closed then and a following job opens it again, which a driver may refuse: a new process is the sure
    /// remedy.
    [[nodiscard]] Result<Json> run(const Json& job, std::stop_token stop, const device::Progress& progress);

    /// A device was lost in some job: answer, then end this process.
    [[nodiscard]] bool lost() const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace kw::pipeline
