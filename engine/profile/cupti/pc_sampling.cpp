#include "engine/profile/cupti/pc_sampling.h"

#include "engine/compile/names.h"
#include "engine/profile/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <memory>
#include <utility>

namespace kw::cupti {
namespace {

struct Free {
    void operator()(char* text) const { std::free(text); }
};
using Text = std::unique_ptr<char, Free>;

/// PCs that one call may return; a kernel has a few thousand instructions.
constexpr std::size_t kRoom = 4096;
/// Every 2^10 cycles of each SM sub-partition: 2.3 million samples in 9 ms of an H200.
constexpr std::uint32_t kPeriod = 10;
constexpr std::size_t kHardwareBytes = std::size_t{64} << 20;

/// PC sampling is enabled on a context for this object's lifetime.
class Session {
public:
    Session(const CuptiApi& api, CUcontext context) : api_(&api), context_(context) {}
    ~Session() {
        if (enabled_) call(api_->cuptiPCSamplingDisable);
    }
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    Climbed<void> open() {
        if (const auto result = call(api_->cuptiPCSamplingEnable); result != kSuccess)
            return refused(*api_, result, "enabling PC sampling");
        enabled_ = true;
        if (auto named = read_reasons(); !named) return named;
        lay_out();
        PcAttribute attributes[4];
        attributes[0].type = PcAttribute::kPeriod;
        attributes[0].value.number = kPeriod;
        attributes[1].type = PcAttribute::kStartStop;
        attributes[1].value.number = 1;
        attributes[2].type = PcAttribute::kDataBuffer;
        attributes[2].value.pointer = &flushed_;
        attributes[3].type = PcAttribute::kHardwareBytes;
        attributes[3].value.bytes = kHardwareBytes;
        PcConfigureParams params;
        params.context = context_;
        params.count = std::size(attributes);
        params.attributes = attributes;
        if (const auto result = api_->cuptiPCSamplingSetConfigurationAttribute(&params); result != kSuccess)
            return refused(*api_, result, "configuring PC sampling");
        return {};
    }

    Climbed<void> start() {
        if (const auto result = call(api_->cuptiPCSamplingStart); result != kSuccess)
            return refused(*api_, result, "starting PC sampling");
        return {};
    }
    Climbed<void> stop() {
        if (const auto result = call(api_->cuptiPCSamplingStop); result != kSuccess)
            return refused(*api_, result, "stopping PC sampling");
        return {};
    }

    /// Adds what has been sampled since the last call.
    Climbed<void> collect(PcSampled& into) {
        do {
            PcGetDataParams params;
            params.context = context_;
            params.samples = &samples_;
            if (const auto result = api_->cuptiPCSamplingGetData(&params); result != kSuccess) {
                if (result == kOutOfMemory)
                    return std::unexpected(
                        Failure{.refusal = {"the hardware's buffer for PC samples was too small", {}}});
                return refused(*api_, result, "reading PC samples");
            }
            add(into);
        } while (samples_.remaining > 0);
        return {};
    }

private:
    CUptiResult call(CUptiResult (*function)(PcParams*)) const {
        PcParams params;
        params.context = context_;
        return function(&params);
    }

    Climbed<void> read_reasons() {
        std::size_t count = 0;
        PcReasonCountParams counting;
        counting.context = context_;
        counting.count = &count;
        if (const auto result = api_->cuptiPCSamplingGetNumStallReasons(&counting); result != kSuccess)
            return refused(*api_, result, "reading the stall reasons");
        std::vector<std::uint32_t> indices(count);
        std::vector<char> text(count * kStallNameBytes);
        std::vector<char*> names(count);
        for (std::size_t i = 0; i < count; ++i) names[i] = text.data() + i * kStallNameBytes;
        PcReasonsParams params;
        params.context = context_;
        params.count = count;
        params.indices = indices.data();
        params.names = names.data();
        if (const auto result = api_->cuptiPCSamplingGetStallReasons(&params); result != kSuccess)
            return refused(*api_, result, "reading the stall reasons");
        for (std::size_t i = 0; i < count; ++i) reasons_[indices[i]] = stall_metric(names[i]);
        return {};
    }

    void lay_out() {
        const auto count = reasons_.size();
        const auto fill = [&](PcSamples& samples, std::vector<PcData>& data, std::vector<PcStallReason>& reasons) {
            reasons.resize(kRoom * count);
            data.resize(kRoom);
            for (std::size_t i = 0; i < kRoom; ++i) data[i].reasons = reasons.data() + i * count;
            samples.room = kRoom;
            samples.data = data.data();
        };
        fill(samples_, data_, data_reasons_);
        fill(flushed_, flushed_data_, flushed_reasons_);
    }

    void add(PcSampled& into) {
        into.samples += samples_.total_samples;
        into.dropped += samples_.dropped_samples;
        for (std::size_t i = 0; i < samples_.count; ++i) {
            auto& record = data_[i];
            // One string serves many records and other parts of CUPTI, so nobody knows when it can be freed.
            auto& instruction = instruction_of(into, record.function ? record.function : "", record.offset);
            for (std::size_t k = 0; k < record.reason_count; ++k) {
                const auto& reason = reasons_[record.reasons[k].reason];
                if (reason.empty()) continue;
                instruction.values["samples"] += record.reasons[k].samples;
                instruction.values[reason] += record.reasons[k].samples;
            }
            record.reason_count = reasons_.size();
        }
    }

    static profile::InstructionProfile& instruction_of(PcSampled& into, std::string_view kernel, std::uint64_t offset) {
        auto found = std::ranges::find(into.kernels, kernel, &SampledKernel::lowered);
        if (found == into.kernels.end()) {
            into.kernels.push_back({.lowered = std::string{kernel}, .instructions = {}});
            found = into.kernels.end() - 1;
        }
        auto& list = found->instructions;
        const auto at = std::ranges::lower_bound(list, offset, {}, &profile::InstructionProfile::offset);
        if (at != list.end() && at->offset == offset) return *at;
        return *list.insert(at, profile::InstructionProfile{.offset = offset, .file = {}, .line = 0, .values = {}});
    }

    const CuptiApi* api_;
    CUcontext context_;
    bool enabled_ = false;
    std::map<std::uint32_t, std::string> reasons_; ///< metric ids by CUPTI's index; empty: not counted
    PcSamples samples_, flushed_;                  ///< read by collect(); what disabling flushes, which is nothing then
    std::vector<PcData> data_, flushed_data_;
    std::vector<PcStallReason> data_reasons_, flushed_reasons_;
};

void find_sources(const CuptiApi& api, const std::string& cubin, SampledKernel& kernel) {
    if (!api.cuptiGetSassToSourceCorrelation || cubin.empty()) return;
    for (auto& instruction : kernel.instructions) {
        SourceOfPcParams params;
        params.cubin = cubin.data();
        params.cubin_size = cubin.size();
        params.function = kernel.lowered.c_str();
        params.offset = instruction.offset;
        const auto result = api.cuptiGetSassToSourceCorrelation(&params);
        const Text file{params.file};
        const Text folder{params.folder};
        if (result != kSuccess || !file) continue;
        const auto path =
            folder && *folder ? std::filesystem::path{folder.get()} / file.get() : std::filesystem::path{file.get()};
        instruction.file = compile::task_relative(path.string());
        instruction.line = static_cast<int>(params.line);
    }
}

} // namespace

std::string stall_metric(std::string_view name) {
    constexpr std::string_view kBefore = "issue_stalled_";
    constexpr std::string_view kTwin = "_not_issued";
    if (name.ends_with(kTwin)) return {};
    if (const auto at = name.find(kBefore); at != std::string_view::npos) name.remove_prefix(at + kBefore.size());
    const auto known = std::ranges::find(profile::metrics(), name, &profile::Metric::stall);
    return known != profile::metrics().end() ? known->id : fmt::format("stall_{}", name);
}

Climbed<PcSampled> sample_pcs(const CuptiApi& api, const Target& target, const profile::Workload& work, double seconds,
                              bool flush_l2, std::stop_token stop) {
    Session session{api, target.context};
    if (auto opened = session.open(); !opened) return std::unexpected(opened.error());
    // CUPTI tells apart only instructions of code that it saw being loaded.
    if (work.reload)
        if (auto loaded = work.reload(); !loaded) return std::unexpected(Failure{.error = std::move(loaded.error())});
    PcSampled sampled;
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    do {
        if (auto ready = make_ready(work, flush_l2, stop); !ready) return std::unexpected(ready.error());
        if (auto started = session.start(); !started) return std::unexpected(started.error());
        const auto ran = run_once(work, stop);
        const auto stopped = session.stop();
        if (!ran) return std::unexpected(ran.error());
        if (!stopped) return std::unexpected(stopped.error());
        if (auto collected = session.collect(sampled); !collected) return std::unexpected(collected.error());
    } while (std::chrono::steady_clock::now() < end);
    for (auto& kernel : sampled.kernels) find_sources(api, work.cubin, kernel);
    return sampled;
}

std::vector<profile::LineProfile> by_line(const std::vector<profile::InstructionProfile>& instructions) {
    std::map<std::pair<std::string, int>, profile::LineProfile> lines;
    for (const auto& instruction : instructions) {
        auto& line = lines[{instruction.file, instruction.line}];
        line.file = instruction.file;
        line.line = instruction.line;
        for (const auto& [id, value] : instruction.values) line.values[id] += value;
    }
    std::vector<profile::LineProfile> result;
    result.reserve(lines.size());
    for (auto& [key, line] : lines) result.push_back(std::move(line));
    return result;
}

} // namespace kw::cupti
