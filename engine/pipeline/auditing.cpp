#include "engine/pipeline/auditing.h"

#include "engine/device/sim/gpu_model.h"
#include "engine/task/plan.h"

#include <fmt/format.h>

#include <algorithm>

namespace kw::pipeline {
namespace {

/// The data sheet of the GPU that was used, or of the one that was simulated.
const sim::GpuModel* sheet_of(const device::Info& info) {
    const auto& models = sim::gpu_models();
    const auto found =
        std::ranges::find_if(models, [&](const auto& model) { return info.name.starts_with(model.name); });
    return found == models.end() ? nullptr : &*found;
}

/// 10¹² operations a second of a pipe, a fused multiply-add being two; 0: not known.
double peak_of(const sim::GpuModel& sheet, std::string_view pipe) {
    const auto lanes = [&](double per_clock) { return per_clock * 2 * sheet.sm_count * sheet.clock_mhz * 1e-6; };
    if (pipe == "fp32") return lanes(sheet.fp32_lanes);
    if (pipe == "fp64") return lanes(sheet.fp64_lanes);
    if (pipe == "fp16") return lanes(sheet.fp16_lanes);
    if (pipe == "tensor") return sheet.tensor_fp16;
    if (pipe == "tensor_bf16") return sheet.tensor_bf16;
    if (pipe == "tensor_tf32") return sheet.tensor_tf32;
    return 0;
}

audit::Finding unaudited(const Error& error) {
    return {.rule = "not-probed",
            .severity = audit::Severity::note,
            .where = {},
            .evidence = error.message,
            .why = fmt::format("the code was not looked at: {}", error.message)};
}

} // namespace

Result<audit::Code> code_of(const Source& source, const task::Task& task, const device::Info& info) {
    const auto plan = task::parse_plan(source.text, source.file, task);
    if (!plan) return std::unexpected(plan.error());
    const auto timed = std::ranges::find_if(task.cases, &task::Case::timed);
    const auto& sizes = timed == task.cases.end() ? task.cases.front().sizes : timed->sizes;
    auto bound = task::bind(*plan, task, sizes, source.configuration, info.limits);
    if (!bound) return std::unexpected(bound.error());
    return audit::Code{.ptx = source.ptx, .kernels = source.kernels, .plan = std::move(*bound)};
}

std::vector<audit::Finding> audit_source(const Source& candidate, const Source* reference, const task::Task& task,
                                         const task::Files& files, const device::Info& info) {
    const auto texts = audit::texts_of(candidate.file, files);
    audit::Subject subject{.task = task, .texts = texts};
    const auto code = code_of(candidate, task, info);
    if (!code) return {unaudited(code.error())};
    subject.code = &*code;
    Result<audit::Code> other = std::unexpected(Error{});
    if (reference) other = code_of(*reference, task, info);
    if (other) subject.reference = &*other;
    auto findings = audit::audit_statically(subject);
    if (!findings) {
        auto rest = audit::audit_texts(subject);
        rest.push_back(unaudited(findings.error()));
        return rest;
    }
    return std::move(*findings);
}

std::vector<audit::Finding> audit_times(const BenchReport& bench, const audit::Probe& probe, const task::Task& task,
                                        const device::Info& info) {
    audit::Timing timing;
    timing.device = info.name;
    timing.median_us = bench.time.median_us;
    timing.estimated = bench.estimated;
    timing.cold = bench.cold;
    if (bench.estimated && bench.read_bytes >= 0) timing.counted_read = bench.read_bytes;
    if (bench.estimated && bench.written_bytes >= 0) timing.counted_written = bench.written_bytes;
    for (const auto& tensor : task.tensors) {
        const auto extent = task::extent_of(tensor.shape, tensor.type, tensor.name, bench.sizes);
        if (!extent) continue;
        const auto bytes = static_cast<double>(extent->bytes);
        if (tensor.role == task::Role::output) timing.write_bytes += bytes;
        const auto use = std::ranges::find(probe.inputs, tensor.name, &audit::InputUse::tensor);
        // Only what a run reads whole, whatever is in it, is read whole at every size.
        if (use != probe.inputs.end() && !use->chosen && use->fraction > 0.99) timing.read_bytes += bytes;
    }
    if (const auto* sheet = sheet_of(info)) {
        timing.dram_gbps = sheet->dram_gbps;
        timing.l2_bytes = sheet->l2_mb * 1e6;
        for (const auto& each : probe.operations) {
            const double peak = peak_of(*sheet, each.pipe);
            if (peak <= 0
                || each.count / peak <= (timing.operations > 0 ? timing.operations / timing.peak_tera_per_s : 0))
                continue;
            timing.operations = each.count;
            timing.peak_tera_per_s = peak;
        }
    }
    return audit::judge_timing(timing);
}

} // namespace kw::pipeline
