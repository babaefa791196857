#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kw::sim {

/// The data sheet of a GPU, as far as limits and estimates need it. Sources of the figures are in resources/gpus.
struct GpuModel {
    std::string id;   ///< "h200"
    std::string name; ///< "NVIDIA H200"
    std::string arch; ///< "sm_90"
    std::uint32_t sm_count = 1;
    double clock_mhz = 1000;
    std::uint32_t schedulers_per_sm = 4;

    // Results per clock and SM.
    double fp32_lanes = 128, fp64_lanes = 64, fp16_lanes = 256, int_lanes = 64, special_lanes = 16;
    // Dense, TFLOPS.
    double tensor_fp16 = 0, tensor_bf16 = 0, tensor_tf32 = 0;

    std::uint32_t warps_per_sm = 64, threads_per_sm = 2048, blocks_per_sm = 32;
    std::uint32_t registers_per_sm = 65536, registers_per_thread = 255;
    std::uint32_t shared_per_sm = 0, shared_per_block = 49152, shared_per_block_optin = 49152; ///< bytes
    std::uint32_t shared_reserved = 1024; ///< bytes per block that the system takes

    double l2_mb = 0, l2_gbps = 0, dram_gb = 0, dram_gbps = 0;
    double alu_latency = 4, shared_latency = 30, l2_latency = 260, dram_latency = 560; ///< cycles
    double launch_overhead_us = 2;
};

/// Reads a data sheet as resources/gpus writes it; every figure must be there and positive.
[[nodiscard]] Result<GpuModel> parse_gpu_model(std::string_view toml, std::string_view file = {});

/// The GPUs that come with the program; the first is the default.
[[nodiscard]] const std::vector<GpuModel>& gpu_models();
/// One of them by id.
[[nodiscard]] Result<GpuModel> find_gpu_model(std::string_view id);

} // namespace kw::sim
