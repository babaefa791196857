#include "engine/device/sim/gpu_model.h"

#include "engine/base/toml.h"
#include "gpu_sheets.h"

#include <fmt/format.h>

namespace kw::sim {
namespace {

/// Takes figures out of a table and remembers the first that is missing.
class Sheet {
public:
    explicit Sheet(const toml::table& table) : table_(table) {}

    void number(std::string_view path, double& out) {
        const auto value = table_.at_path(path).value<double>();
        if (value && *value > 0)
            out = *value;
        else if (missing_.empty())
            missing_ = path;
    }
    void number(std::string_view path, std::uint32_t& out) {
        double value = out;
        number(path, value);
        out = static_cast<std::uint32_t>(value);
    }
    void text(std::string_view path, std::string& out) {
        const auto value = table_.at_path(path).value<std::string>();
        if (value && !value->empty())
            out = *value;
        else if (missing_.empty())
            missing_ = path;
    }
    [[nodiscard]] const std::string& missing() const { return missing_; }

private:
    const toml::table& table_;
    std::string missing_;
};

} // namespace

Result<GpuModel> parse_gpu_model(std::string_view text, std::string_view file) {
    const toml::parse_result parsed = toml::parse(text);
    if (!parsed) {
        const auto& at = parsed.error().source().begin;
        return fail(Stage::device, ErrorCode::invalid_input,
                    fmt::format("the GPU data sheet is not TOML: {}", parsed.error().description()),
                    {std::string(file), static_cast<int>(at.line), static_cast<int>(at.column)});
    }
    const toml::table& table = parsed.table();
    GpuModel model;
    Sheet sheet(table);
    sheet.text("id", model.id);
    sheet.text("name", model.name);
    sheet.text("arch", model.arch);
    sheet.number("sm_count", model.sm_count);
    sheet.number("clock_mhz", model.clock_mhz);
    sheet.number("schedulers_per_sm", model.schedulers_per_sm);
    sheet.number("lanes.fp32", model.fp32_lanes);
    sheet.number("lanes.fp64", model.fp64_lanes);
    sheet.number("lanes.fp16", model.fp16_lanes);
    sheet.number("lanes.int", model.int_lanes);
    sheet.number("lanes.special", model.special_lanes);
    sheet.number("tensor.fp16", model.tensor_fp16);
    sheet.number("tensor.bf16", model.tensor_bf16);
    sheet.number("tensor.tf32", model.tensor_tf32);
    sheet.number("limits.warps_per_sm", model.warps_per_sm);
    sheet.number("limits.threads_per_sm", model.threads_per_sm);
    sheet.number("limits.blocks_per_sm", model.blocks_per_sm);
    sheet.number("limits.registers_per_sm", model.registers_per_sm);
    sheet.number("limits.registers_per_thread", model.registers_per_thread);
    sheet.number("limits.shared_per_sm", model.shared_per_sm);
    sheet.number("limits.shared_per_block", model.shared_per_block);
    sheet.number("limits.shared_per_block_optin", model.shared_per_block_optin);
    sheet.number("limits.shared_reserved", model.shared_reserved);
    sheet.number("memory.l2_mb", model.l2_mb);
    sheet.number("memory.l2_gbps", model.l2_gbps);
    sheet.number("memory.dram_gb", model.dram_gb);
    sheet.number("memory.dram_gbps", model.dram_gbps);
    sheet.number("latency.alu", model.alu_latency);
    sheet.number("latency.shared", model.shared_latency);
    sheet.number("latency.l2", model.l2_latency);
    sheet.number("latency.dram", model.dram_latency);
    sheet.number("launch.overhead_us", model.launch_overhead_us);
    if (!sheet.missing().empty())
        return fail(Stage::device, ErrorCode::invalid_input,
                    fmt::format("the GPU data sheet has no usable {}", sheet.missing()), {std::string(file), 0, 0});
    return model;
}

const std::vector<GpuModel>& gpu_models() {
    static const std::vector<GpuModel> models = [] {
        std::vector<GpuModel> out;
        for (std::string_view text : kGpuSheets) {
            if (auto model = parse_gpu_model(text)) out.push_back(std::move(*model));
        }
        return out;
    }();
    return models;
}

Result<GpuModel> find_gpu_model(std::string_view id) {
    std::string known;
    for (const GpuModel& model : gpu_models()) {
        if (model.id == id) return model;
        known += (known.empty() ? "" : ", ") + model.id;
    }
    return fail(Stage::device, ErrorCode::not_found,
                fmt::format("there is no GPU model named {}; known are {}", id, known));
}

} // namespace kw::sim
