#include "agent/drivers/advisor_evidence.h"

#include "engine/device/sim/gpu_model.h"
#include "engine/profile/roofline.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace kw::agent {
namespace {

std::string_view base_name(std::string_view kernel) { return kernel.substr(0, kernel.find_first_of("<(")); }

} // namespace

Evidence::Evidence(const Json& evaluation) {
    if (const auto at = evaluation.find("profile"); at != evaluation.end())
        if (auto report = profile::report_from_json(*at)) report_ = std::move(*report);
    const auto kernels = Json::json_pointer{"/compile/kernels"};
    if (!evaluation.contains(kernels) || !evaluation.at(kernels).is_array()) return;
    for (const auto& kernel : evaluation.at(kernels)) {
        const auto name = kernel.find("name"), registers = kernel.find("registers"),
                   spilled = kernel.find("spill_bytes");
        if (name == kernel.end() || !name->is_string()) continue;
        auto& compiled = compiled_[std::string{base_name(name->get_ref<const std::string&>())}];
        if (registers != kernel.end() && registers->is_number_integer())
            compiled.registers = static_cast<std::uint32_t>(std::max<std::int64_t>(0, registers->get<std::int64_t>()));
        if (spilled != kernel.end() && spilled->is_number_integer())
            compiled.spill_bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(0, spilled->get<std::int64_t>()));
    }
}

Evidence::Launch Evidence::launch(std::string_view kernel) const {
    Launch longest;
    double most = -1;
    for (std::size_t i = 0; report_ && i < report_->launches.size(); ++i) {
        const auto& candidate = report_->launches[i];
        if (base_name(candidate.kernel) != kernel) continue;
        const auto at = candidate.metrics.find("duration_us");
        const double duration = at == candidate.metrics.end() ? 0 : at->second;
        if (duration <= most) continue;
        most = duration;
        longest = {&candidate, i};
    }
    return longest;
}

std::optional<double> Evidence::metric(std::string_view kernel, const std::string& id) const {
    const auto found = launch(kernel);
    if (!found.profile) return std::nullopt;
    const auto at = found.profile->metrics.find(id);
    return at == found.profile->metrics.end() ? std::nullopt : std::optional{at->second};
}

std::optional<std::string> Evidence::finding(std::string_view kernel, std::string_view id) const {
    const auto found = launch(kernel);
    if (!found.profile) return std::nullopt;
    for (const auto& finding : profile::findings(*report_, found.number))
        if (std::ranges::find(finding.metrics, id) != finding.metrics.end()) return finding.text;
    return std::nullopt;
}

bool Evidence::memory_bound(std::string_view kernel) const {
    double busiest = 0;
    for (const char* id : {"dram_throughput", "l2_throughput", "memory_throughput"})
        busiest = std::max(busiest, metric(kernel, id).value_or(0));
    return busiest >= profile::kNearPeak && busiest > metric(kernel, "sm_throughput").value_or(0);
}

std::optional<double> Evidence::in_lines(std::string_view kernel, const std::string& id, int first, int last) const {
    const auto found = launch(kernel);
    std::optional<double> sum;
    if (!found.profile) return sum;
    for (const auto& line : found.profile->lines) {
        const auto at = line.values.find(id);
        if (at == line.values.end()) continue;
        sum = sum.value_or(0) + (line.line >= first && line.line <= last ? at->second : 0);
    }
    return sum;
}

std::optional<double> Evidence::share_of_lines(std::string_view kernel, int first, int last) const {
    for (const char* id : {"samples", "warp_instructions"}) {
        const auto all = in_lines(kernel, id, 0, std::numeric_limits<int>::max());
        if (all && *all > 0) return in_lines(kernel, id, first, last).value_or(0) / *all;
    }
    return std::nullopt;
}

std::optional<Evidence::Compiled> Evidence::compiled(std::string_view kernel) const {
    const auto at = compiled_.find(kernel);
    return at == compiled_.end() ? std::nullopt : std::optional{at->second};
}

std::optional<Evidence::Machine> Evidence::machine() const {
    const auto* sheet = report_ ? profile::data_sheet_of(report_->device) : nullptr;
    if (!sheet) return std::nullopt;
    return Machine{report_->device.name, sheet->sm_count, sheet->threads_per_sm};
}

} // namespace kw::agent
