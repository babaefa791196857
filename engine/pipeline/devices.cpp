#include "engine/device/sim/gpu_model.h"
#include "engine/device/sim/sim_device.h"
#include "engine/pipeline/execute.h"

#include <fmt/format.h>

namespace kw::pipeline {
namespace {

Result<std::unique_ptr<device::Device>> open_sim(std::string_view model) {
    std::string known;
    for (const auto& gpu : sim::gpu_models()) {
        if (model.empty() || model == gpu.id) return sim::open_simulator(gpu);
        known += fmt::format("{}sim:{}", known.empty() ? "" : ", ", gpu.id);
    }
    return fail(Stage::device, ErrorCode::invalid_input,
                fmt::format("no simulated GPU '{}'; there are {}", model, known));
}

} // namespace

Result<std::unique_ptr<device::Device>> open_device(const std::string& id) {
    if (id == "auto" || id == "sim") return open_sim({});
    if (id.starts_with("sim:")) return open_sim(std::string_view(id).substr(4));
    if (id == "cuda" || id.starts_with("cuda:"))
        return fail(
            Stage::device, ErrorCode::unsupported,
            fmt::format("device '{}' cannot be used: this version runs kernels on the simulator only; use --device sim",
                        id));
    return fail(Stage::device, ErrorCode::invalid_input,
                fmt::format("unknown device '{}'; use auto, sim or sim:<gpu>", id));
}

std::vector<device::Info> list_devices() {
    std::vector<device::Info> devices;
    for (const auto& gpu : sim::gpu_models())
        if (auto device = sim::open_simulator(gpu)) devices.push_back((*device)->info());
    return devices;
}

} // namespace kw::pipeline
