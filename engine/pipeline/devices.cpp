#include "engine/device/cuda/cuda_device.h"
#include "engine/device/sim/gpu_model.h"
#include "engine/device/sim/sim_device.h"
#include "engine/pipeline/execute.h"
#include "engine/profile/cupti/profiler.h"
#include "engine/profile/sim_profiler.h"

#include <fmt/format.h>

#include <charconv>

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
    if (id == "auto") {
        // A GPU where there is a usable one; where there is not, why not is what `kw doctor` says.
        if (auto gpu = cuda::CudaDevice::open(0)) return gpu;
        return open_sim({});
    }
    if (id == "sim") return open_sim({});
    if (id.starts_with("sim:")) return open_sim(std::string_view(id).substr(4));
    if (id == "cuda") return cuda::CudaDevice::open(0);
    if (id.starts_with("cuda:")) {
        const std::string_view digits = std::string_view(id).substr(5);
        int index = 0;
        const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), index);
        if (error == std::errc{} && end == digits.data() + digits.size() && index >= 0)
            return cuda::CudaDevice::open(index);
    }
    return fail(Stage::usage, ErrorCode::invalid_input,
                fmt::format("unknown device '{}'; use auto, sim, sim:<model>, cuda or cuda:<index>", id));
}

Result<std::unique_ptr<profile::Profiler>> open_profiler(device::Device& device, const std::string& toolkit) {
    if (device.info().kind == device::Kind::sim) return profile::open_sim_profiler(device);
    if (const auto* gpu = dynamic_cast<const cuda::CudaDevice*>(&device)) return cupti::open_profiler(*gpu, toolkit);
    return fail(Stage::profile, ErrorCode::unsupported,
                fmt::format("there is no profiler for device {}", device.info().id));
}

std::vector<device::Info> list_devices() {
    auto devices = cuda::list_gpus();
    for (const auto& gpu : sim::gpu_models())
        if (auto device = sim::open_simulator(gpu)) devices.push_back((*device)->info());
    return devices;
}

} // namespace kw::pipeline
