#include "engine/profile/cupti/ladder.h"

#include <fmt/format.h>

#include <charconv>
#include <fstream>
#include <iterator>
#include <optional>
#include <utility>

namespace kw::cupti {
namespace {

using profile::Rung;
using profile::RungState;

/// Files of /proc have no size to go by. Empty when it cannot be read.
std::string read_proc(const std::filesystem::path& path) {
    std::ifstream file{path, std::ios::binary};
    return {std::istreambuf_iterator<char>{file}, {}};
}

/// The text after `key` on its line, or empty.
std::string_view value_of(std::string_view text, std::string_view key) {
    const auto at = text.find(key);
    if (at == std::string_view::npos) return {};
    text.remove_prefix(at + key.size());
    text = text.substr(0, text.find('\n'));
    const auto first = text.find_first_not_of(" \t");
    return first == std::string_view::npos ? std::string_view{} : text.substr(first);
}

RungState skipped(Rung rung, Refusal refusal) {
    return {.rung = rung,
            .state = RungState::State::skipped,
            .reason = std::move(refusal.reason),
            .remedy = std::move(refusal.remedy)};
}

/// What about the device is why one of the profiling interfaces is refused; nothing where it is not the device.
std::optional<Refusal> unsupported(const CuptiApi& api, const Target& target, ProfilerApi which) {
    if (!api.cuptiProfilerDeviceSupported) return std::nullopt;
    DeviceSupportedParams params;
    params.device = target.device;
    params.api = which;
    if (api.cuptiProfilerDeviceSupported(&params) != kSuccess) return std::nullopt;
    if (params.supported == kSupported) return std::nullopt;
    if (params.architecture != kSupported) return Refusal{"GPUs of this architecture have no such counters", ""};
    if (params.vgpu == kDisabled) return explain(api, kVirtualizedDevicePrivileges, "");
    if (params.vgpu == kUnsupported) return Refusal{"virtual GPUs of this kind cannot be profiled", ""};
    if (params.confidential_compute == kUnsupported) return explain(api, kConfidentialComputing, "");
    if (params.sli == kUnsupported) return Refusal{"the GPU is part of an SLI group", "disable SLI"};
    if (params.cmp == kUnsupported) return Refusal{"mining processors cannot be profiled", ""};
    if (params.wsl == kUnsupported)
        return Refusal{"this version of WSL does not support it", "update WSL and the driver"};
    return Refusal{"the driver says that this GPU cannot be profiled", ""};
}

std::optional<Refusal> not_allowed(const CuptiApi& api, const Privilege& privilege) {
    if (privilege.admin_only && !privilege.admin) return explain(api, kInsufficientPrivileges, "");
    return std::nullopt;
}

std::optional<Refusal> not_initialized(const CuptiApi& api) {
    InitializeParams params;
    if (const auto result = api.cuptiProfilerInitialize(&params); result != kSuccess)
        return explain(api, result, "starting the profiler");
    return std::nullopt;
}

/// Asking which counters are free is refused by whatever would refuse to count.
std::optional<Refusal> counters_taken(const CuptiApi& api, const Target& target) {
    CounterAvailabilityParams params;
    params.context = target.context;
    if (const auto result = api.cuptiProfilerGetCounterAvailability(&params); result != kSuccess)
        return explain(api, result, "asking which counters are available");
    return std::nullopt;
}

std::optional<Refusal> too_old(const CuptiApi& api, bool has, std::string_view what, std::string_view since) {
    if (has) return std::nullopt;
    return Refusal{fmt::format("this CUPTI (of CUDA {}, {}) has no {}", api.toolkit, api.path.string(), what),
                   fmt::format("install the CUDA Toolkit {} or newer", since)};
}

} // namespace

Privilege read_privilege(const std::filesystem::path& proc) {
    constexpr int kCapSysAdmin = 21; // linux/capability.h
    const auto params = read_proc(proc / "driver/nvidia/params");
    const auto status = read_proc(proc / "self/status");
    const auto mask = value_of(status, "CapEff:");
    std::uint64_t capabilities = 0;
    std::from_chars(mask.data(), mask.data() + mask.size(), capabilities, 16);
    return {.admin_only = value_of(params, "RmProfilingAdminOnly:") == "1",
            .admin = (capabilities >> kCapSysAdmin & 1) != 0};
}

std::vector<RungState> no_ladder(const Error& error) {
    const auto split = error.message.find("; ");
    const Refusal refusal{error.message.substr(0, split),
                          split == std::string::npos ? std::string{} : error.message.substr(split + 2)};
    std::vector<RungState> ladder;
    for (const auto rung : profile::kRungs) ladder.push_back(skipped(rung, refusal));
    return ladder;
}

std::vector<RungState> probe_ladder(const CuptiApi& api, const Target& target, const Privilege& privilege) {
    // The counters are the same for all; asking takes 10 ms, asking what is supported ten times that.
    std::optional<std::optional<Refusal>> counters;
    const auto taken = [&](ProfilerApi which) {
        if (!counters) {
            counters = not_allowed(api, privilege);
            if (!*counters) counters = not_initialized(api);
            if (!*counters) counters = counters_taken(api, target);
        }
        if (*counters)
            if (auto why = unsupported(api, target, which)) return why;
        return *counters;
    };
    const auto refusal_of = [&](Rung rung) -> std::optional<Refusal> {
        switch (rung) {
        case Rung::activity: break;
        case Rung::counters:
            if (auto why = too_old(api, api.has_counters(), "Range Profiler", "12.6")) return why;
            return taken(kRangeProfiling);
        case Rung::pc_sampling:
            if (auto why = too_old(api, api.has_pc_sampling(), "PC sampling", "12.0")) return why;
            return taken(kPcSampling);
        case Rung::pm_sampling:
            if (auto why = too_old(api, api.has_pm_sampling(), "PM sampling", "12.6")) return why;
            return taken(kPmSampling);
        }
        return std::nullopt;
    };
    std::vector<RungState> ladder;
    for (const auto rung : profile::kRungs) {
        auto refusal = refusal_of(rung);
        ladder.push_back(refusal ? skipped(rung, std::move(*refusal)) : RungState{.rung = rung});
    }
    return ladder;
}

Result<std::string> chip_name(const CuptiApi& api, int device) {
    ChipNameParams params;
    params.device = static_cast<std::size_t>(device);
    const auto result = api.cuptiDeviceGetChipName ? api.cuptiDeviceGetChipName(&params) : CUptiResult{kNotSupported};
    if (result != kSuccess || !params.chip)
        return fail(Stage::profile, ErrorCode::unsupported,
                    fmt::format("CUPTI does not tell the chip's name: {}", error_name(api, result)));
    return std::string{params.chip};
}

} // namespace kw::cupti
