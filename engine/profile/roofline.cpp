#include "engine/profile/roofline.h"

#include "engine/device/sim/occupancy.h"

#include <algorithm>
#include <array>
#include <optional>
#include <set>
#include <string_view>

namespace kw::profile {
namespace {

/// Words of a GPU's name that matter: how it is mounted does not, unless another mounting is another data sheet.
std::set<std::string_view> words_of(std::string_view name) {
    std::set<std::string_view> words;
    while (!name.empty()) {
        const auto end = name.find_first_of(" -");
        const auto word = name.substr(0, end);
        if (!word.empty() && !word.starts_with("SXM")) words.insert(word);
        name.remove_prefix(end == std::string_view::npos ? name.size() : end + 1);
    }
    return words;
}

/// Which metric counts the operations under an arithmetic ceiling.
struct Kind {
    std::string_view ceiling;
    std::string_view label;
    std::string_view metric;
};
constexpr std::array<Kind, 6> kKinds{{{"fp32", "FP32", "flops_fp32"},
                                      {"fp16", "FP16", "flops_fp16"},
                                      {"fp64", "FP64", "flops_fp64"},
                                      {"tensor_fp16", "Tensor FP16", "flops_tensor_fp16"},
                                      {"tensor_bf16", "Tensor BF16", "flops_tensor_bf16"},
                                      {"tensor_tf32", "Tensor TF32", "flops_tensor_tf32"}}};

std::optional<double> value_of(const std::map<std::string, double>& metrics, std::string_view id) {
    const auto at = metrics.find(std::string{id});
    return at == metrics.end() ? std::nullopt : std::optional{at->second};
}

std::string_view main_kind(const std::map<std::string, double>& metrics) {
    const auto count = [&](const Kind& kind) { return value_of(metrics, kind.metric).value_or(0); };
    return std::ranges::max(kKinds, {}, count).ceiling;
}

double peak_of(const std::vector<Ceiling>& ceilings, std::string_view id) {
    const auto at = std::ranges::find(ceilings, id, &Ceiling::id);
    return at == ceilings.end() ? 0 : at->peak;
}

} // namespace

const sim::GpuModel* data_sheet_of(const device::Info& device) {
    for (const auto& model : sim::gpu_models()) {
        const bool is_it = device.kind == device::Kind::sim ? device.id == "sim:" + model.id
                                                            : words_of(device.name) == words_of(model.name);
        if (is_it) return &model;
    }
    return nullptr;
}

device::SmLimits sm_limits_of(const device::Info& device) {
    if (const auto* sheet = data_sheet_of(device)) return sim::sm_limits(*sheet);
    return device::sm_limits(device::capability_of(device.arch).value_or(0));
}

std::vector<Ceiling> ceilings_of(const device::Info& device) {
    const auto* model = data_sheet_of(device);
    if (!model) return {};
    // A fused multiply-add is two operations; fp16 lanes are counted in results already (GpuModel).
    const auto of_lanes = [&](double lanes) { return lanes * 2 * model->sm_count * model->clock_mhz * 1e6; };
    const std::array<double, kKinds.size()> peaks{of_lanes(model->fp32_lanes), of_lanes(model->fp16_lanes),
                                                  of_lanes(model->fp64_lanes), model->tensor_fp16 * 1e12,
                                                  model->tensor_bf16 * 1e12,   model->tensor_tf32 * 1e12};
    std::vector<Ceiling> ceilings;
    for (std::size_t i = 0; i < kKinds.size(); ++i)
        ceilings.push_back({std::string{kKinds[i].ceiling}, std::string{kKinds[i].label}, false, peaks[i]});
    ceilings.push_back({"dram", "DRAM", true, model->dram_gbps * 1e9});
    ceilings.push_back({"l2", "L2", true, model->l2_gbps * 1e9});
    return ceilings;
}

std::vector<RooflinePoint> roofline_points(const Report& report) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 2> kMemories{
        {{"dram", "intensity_dram"}, {"l2", "intensity_l2"}}};
    std::vector<RooflinePoint> points;
    for (std::size_t i = 0; i < report.launches.size(); ++i) {
        const auto& metrics = report.launches[i].metrics;
        const auto rate = value_of(metrics, "flop_rate");
        if (!rate || *rate <= 0) continue;
        for (const auto& [memory, metric] : kMemories) {
            const auto intensity = value_of(metrics, metric);
            if (!intensity || *intensity <= 0) continue;
            RooflinePoint point{.launch = i,
                                .memory = std::string{memory},
                                .compute = std::string{main_kind(metrics)},
                                .intensity = *intensity,
                                .rate = *rate};
            const double bandwidth = peak_of(report.ceilings, memory);
            const double arithmetic = peak_of(report.ceilings, point.compute);
            if (bandwidth > 0 && arithmetic > 0) {
                point.memory_bound = bandwidth * *intensity < arithmetic;
                point.reached = *rate / std::min(bandwidth * *intensity, arithmetic);
            }
            points.push_back(std::move(point));
        }
    }
    return points;
}

} // namespace kw::profile
