#include "engine/profile/findings.h"

#include "engine/device/occupancy.h"
#include "engine/device/sim/occupancy.h"
#include "engine/profile/metrics.h"
#include "engine/profile/roofline.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace kw::profile {
namespace {

std::string percent(double value) { return fmt::format("{:.3g} %", value); }

class Finder {
public:
    Finder(const Report& report, const LaunchProfile& launch) : report_(report), launch_(launch) {}

    std::vector<Finding> all() {
        bound();
        stalls();
        occupancy();
        grid();
        sectors("sectors_per_load", "bytes_per_load_sector", "loads");
        sectors("sectors_per_store", "bytes_per_store_sector", "stores");
        conflicts();
        local_memory();
        divergence();
        return std::move(found_);
    }

private:
    std::optional<double> value(const char* id) const {
        const auto at = launch_.metrics.find(id);
        return at == launch_.metrics.end() || !std::isfinite(at->second) ? std::nullopt : std::optional{at->second};
    }
    static std::string label(std::string_view id) {
        const auto* metric = find_metric(id);
        return metric ? metric->label : std::string{id};
    }
    void add(Finding::Kind kind, std::vector<std::string> metrics, std::string text) {
        found_.push_back({kind, std::move(text), std::move(metrics)});
    }

    void bound() {
        if (report_.estimated) {
            if (!launch_.limited_by.empty())
                add(Finding::Kind::bound, {"duration_us"},
                    fmt::format("The model's estimate is bound by {}.", launch_.limited_by));
            return;
        }
        const auto sm = value("sm_throughput"), memory = value("memory_throughput");
        if (!sm || !memory) return;
        // Of the memory's levels, the busiest.
        std::string level = "memory_throughput";
        double most = *memory;
        for (const char* id : {"dram_throughput", "l2_throughput", "l1_throughput"})
            if (const auto at = value(id); at && *at >= most) {
                most = *at;
                level = id;
            }
        if (most >= kNearPeak && most >= *sm)
            add(Finding::Kind::bound, {level, "sm_throughput"},
                fmt::format("{} is at {} of its peak, so the kernel is bound by it: it gets faster by moving fewer "
                            "bytes there, not by computing less.",
                            label(level), percent(most)));
        else if (*sm >= kNearPeak)
            add(Finding::Kind::bound, {"sm_throughput", level},
                fmt::format("{} is at {} of its peak, so the kernel is bound by what the SMs execute: it gets faster "
                            "by fewer or cheaper instructions.",
                            label("sm_throughput"), percent(*sm)));
        else if (std::max(*sm, most) < kFarFromPeak)
            add(Finding::Kind::waiting, {"sm_throughput", level},
                fmt::format("{} is at {} and {} at {} of their peaks, so neither bounds the kernel: its warps wait "
                            "more than they work.",
                            label("sm_throughput"), percent(*sm), label(level), percent(most)));
        else
            add(Finding::Kind::bound, {*sm > most ? "sm_throughput" : level},
                fmt::format("{} is the busiest unit at {} of its peak; there is room, though not much.",
                            *sm > most ? label("sm_throughput") : label(level), percent(std::max(*sm, most))));
    }

    /// Where an SM issues in nearly every cycle, what warps wait for costs nothing.
    void stalls() {
        const auto issue = value("issue_active");
        double all = 0, most = 0;
        const Metric* reason = nullptr;
        for (const auto& metric : metrics()) {
            if (metric.stall.empty()) continue;
            const auto at = value(metric.id.c_str());
            if (!at) continue;
            all += *at;
            if (metric.stall == "selected" || metric.stall == "not_selected" || *at <= most) continue;
            most = *at;
            reason = &metric;
        }
        if (!reason || !issue || *issue >= kNearPeak || 100 * most / all < kStallShare) return;
        std::string text = fmt::format("{} takes {} of the time between two instructions of a warp: {}", reason->label,
                                       percent(100 * most / all), reason->about);
        text += fmt::format(" Issue slots are busy for {}.", percent(*issue));
        add(Finding::Kind::stall, {reason->id, "issue_active"}, std::move(text));
    }

    void occupancy() {
        const auto theoretical = value("theoretical_occupancy");
        const auto achieved = value("achieved_occupancy");
        const auto eligible = value("eligible_warps");
        // Few warps are enough where one of them can issue in every cycle.
        const bool hidden = eligible && *eligible >= 1;
        if (theoretical && *theoretical < kFewWarps && !hidden
            && (!report_.estimated || *theoretical < kFewWarps / 2)) {
            const auto limiter = limiter_text();
            add(Finding::Kind::occupancy, {"theoretical_occupancy", "eligible_warps"},
                fmt::format("{} is {}{}{}", label("theoretical_occupancy"), percent(*theoretical),
                            limiter.empty() ? std::string{} : ", limited by " + limiter,
                            eligible ? fmt::format(", and {:.3g} warps per scheduler are ready in a cycle: more warps "
                                                   "would hide more waiting.",
                                                   *eligible)
                                     : std::string{"."}));
        }
        if (theoretical && achieved && *theoretical - *achieved >= kUnevenWarps)
            add(Finding::Kind::occupancy, {"achieved_occupancy", "theoretical_occupancy"},
                fmt::format("{} is {} where {} would fit: blocks are too few, of uneven length or too short to "
                            "keep the SMs filled.",
                            label("achieved_occupancy"), percent(*achieved), percent(*theoretical)));
    }

    std::optional<device::Occupancy> fit() const {
        const auto shared = launch_.static_shared_bytes + launch_.dynamic_shared_bytes;
        const auto threads = static_cast<std::uint32_t>(std::min<std::uint64_t>(launch_.block.count(), UINT32_MAX));
        const auto limits = sm_limits_of(report_.device);
        if (limits.warps == 0) return {};
        return device::occupancy(limits, threads, launch_.registers, shared);
    }

    std::string limiter_text() const {
        const auto found = fit();
        if (!found) return {};
        switch (found->limiter) {
        case device::Limiter::registers: return fmt::format("{} registers per thread", launch_.registers);
        case device::Limiter::shared_memory:
            return fmt::format("{} bytes of shared memory per block",
                               launch_.static_shared_bytes + launch_.dynamic_shared_bytes);
        case device::Limiter::blocks: return fmt::format("the number of blocks that an SM holds");
        case device::Limiter::warps: return fmt::format("the block of {} threads", launch_.block.count());
        }
        return {};
    }

    void grid() {
        const auto* sheet = data_sheet_of(report_.device);
        const auto found = fit();
        if (!sheet || !found || found->blocks_per_sm == 0) return;
        const auto blocks = static_cast<double>(launch_.grid.count());
        if (blocks < sheet->sm_count) {
            add(Finding::Kind::grid, {"warps_active"},
                fmt::format("The grid has {} blocks and the GPU {} SMs, so {} of them have nothing to do.",
                            launch_.grid.count(), sheet->sm_count, sheet->sm_count - launch_.grid.count()));
            return;
        }
        const double waves = blocks / (static_cast<double>(sheet->sm_count) * found->blocks_per_sm);
        const double idle = 100 * (std::ceil(waves) - waves) / std::ceil(waves);
        if (waves > 1 && idle >= kUnusedTail)
            add(Finding::Kind::grid, {"warps_active"},
                fmt::format("The grid fills the GPU {:.3g} times; in the last of {} waves most SMs run out of "
                            "blocks, which leaves {} of the room idle.",
                            waves, static_cast<int>(std::ceil(waves)), percent(idle)));
    }

    void sectors(const char* per_request, const char* used, const char* what) {
        const auto count = value(per_request), bytes = value(used);
        const bool are_loads = std::string_view{what} == "loads";
        const auto requests = value(are_loads ? "global_load_requests" : "global_store_requests");
        if (!requests || *requests <= 0) return;
        if (bytes && *bytes > 0 && *bytes < kUsedOfSector)
            add(Finding::Kind::memory, {used, per_request},
                fmt::format("Global {} use {:.3g} of the 32 bytes of a sector: neighbouring lanes should access "
                            "neighbouring addresses.",
                            what, *bytes));
        else if (!bytes && count && *count >= kSectorsPerRequest)
            add(Finding::Kind::memory, {per_request},
                fmt::format("A global {} request touches {:.3g} sectors, more than its lanes can use: neighbouring "
                            "lanes should access neighbouring addresses.",
                            are_loads ? "load" : "store", *count));
    }

    void conflicts() {
        const auto conflicts = value("shared_bank_conflicts");
        const double wavefronts =
            value("shared_load_wavefronts").value_or(0) + value("shared_store_wavefronts").value_or(0);
        if (!conflicts || wavefronts <= 0) return;
        const double share = 100 * std::min(1.0, *conflicts / wavefronts);
        if (share < kConflictShare) return;
        add(Finding::Kind::memory, {"shared_bank_conflicts", "shared_load_wavefronts", "shared_store_wavefronts"},
            fmt::format("{} of the wavefronts of shared memory are bank conflicts: lanes of a warp want different "
                        "addresses of one bank.",
                        percent(share)));
    }

    void local_memory() {
        const auto bytes = value("local_bytes");
        if (!bytes || *bytes <= 0) return;
        add(Finding::Kind::memory, {"local_bytes"},
            fmt::format("{:.3g} MB move through local memory: registers spill, or an array is indexed by a value "
                        "that the compiler does not know.",
                        *bytes / 1e6));
    }

    void divergence() {
        const auto lanes = value("threads_per_instruction");
        if (!lanes || *lanes >= kActiveLanes) return;
        std::vector<std::string> rests_on{"threads_per_instruction"};
        std::string text = fmt::format("An instruction works for {:.3g} of 32 lanes on average", *lanes);
        if (const auto uniform = value("branch_uniformity"); uniform && *uniform < 99) {
            text += fmt::format(", and {} of the branches go one way", percent(*uniform));
            rests_on.emplace_back("branch_uniformity");
        }
        add(Finding::Kind::divergence, std::move(rests_on), text + ": the others are masked off.");
    }

    const Report& report_;
    const LaunchProfile& launch_;
    std::vector<Finding> found_;
};

} // namespace

std::string_view to_string(Finding::Kind kind) {
    switch (kind) {
    case Finding::Kind::bound: return "bound";
    case Finding::Kind::waiting: return "waiting";
    case Finding::Kind::stall: return "stall";
    case Finding::Kind::occupancy: return "occupancy";
    case Finding::Kind::grid: return "grid";
    case Finding::Kind::memory: return "memory";
    case Finding::Kind::divergence: return "divergence";
    }
    return "";
}

Json to_json(const Finding& finding) {
    return {{"kind", to_string(finding.kind)}, {"text", finding.text}, {"metrics", finding.metrics}};
}

std::vector<Finding> findings(const Report& report, std::size_t launch) {
    if (launch >= report.launches.size()) return {};
    return Finder(report, report.launches[launch]).all();
}

} // namespace kw::profile
