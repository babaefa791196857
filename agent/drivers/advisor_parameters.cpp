#include "agent/drivers/advisor_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

/// Rules for what the compiler is told, and for the size of blocks.
namespace kw::agent {
namespace {

class Restrict final : public AdviceRule {
public:
    std::vector<Advice> advise(const Candidate& candidate) const override {
        std::vector<Advice> list;
        for (const auto& kernel : candidate.source.kernels())
            if (has_own_buffers(candidate.plan, kernel))
                if (auto advice = qualified(candidate, kernel)) list.push_back(std::move(*advice));
        return list;
    }

private:
    static std::optional<Advice> qualified(const Candidate& candidate, const CudaSource::Kernel& kernel) {
        const auto& source = candidate.source;
        const auto pointers = std::ranges::count_if(kernel.parameters, &CudaSource::Parameter::pointer);
        Edits edits;
        std::string names;
        bool constants = false;
        for (const auto& parameter : kernel.parameters) {
            if (!parameter.pointer) continue;
            const bool alone = pointers < 2 || parameter.restricted;
            const bool read_only = !parameter.constant && only_read(source, kernel, parameter.name);
            constants = constants || read_only;
            if (read_only) edits.insert(source.at(parameter.first).offset, "const ");
            if (!alone) edits.insert(source.at(parameter.name_at).offset, "__restrict__ ");
            if (read_only || !alone) names += (names.empty() ? "" : ", ") + parameter.name;
        }
        if (edits.empty()) return std::nullopt;
        Advice advice{
            .title = fmt::format("__restrict__{} for the pointers of {}", constants ? " and const" : "", kernel.name),
            .reason = {},
            .source = edits.applied(source.text()),
            .configuration = candidate.configuration,
            .promise = 0.4};
        if (const auto stall = candidate.evidence.finding(kernel.name, "stall_long_scoreboard")) {
            advice.reason = *stall + " ";
            advice.promise = 0.7;
        }
        if (pointers > 1)
            advice.reason +=
                "For all that the compiler knows, a store through one pointer may change what the others lead "
                "to, so loads can neither move across stores nor take the read-only path. ";
        advice.reason += fmt::format("No launch gives two pointers of {} the same buffer{}; this is now said of {}.",
                                     kernel.name, constants ? ", and not all are written through" : "", names);
        return advice;
    }

    /// Whether every use is NAME[…] and none of them writes.
    static bool only_read(const CudaSource& source, const CudaSource::Kernel& kernel, const std::string& name) {
        bool used = false;
        for (auto i = kernel.body + 1; i < kernel.end; ++i) {
            if (!source.is(i, name)) continue;
            if (!source.is(i + 1, "[") || source.may_write(i) || source.are(i - 2, "> (")) return false;
            used = true;
        }
        return used;
    }
};

class LaunchBounds final : public AdviceRule {
public:
    std::vector<Advice> advise(const Candidate& candidate) const override {
        std::vector<Advice> list;
        for (const auto& kernel : candidate.source.kernels())
            if (auto advice = bound(candidate, kernel)) list.push_back(std::move(*advice));
        return list;
    }

private:
    /// A block may have 1024 threads, which leaves each 64 of an SM's 65536 registers.
    static constexpr std::uint32_t kUnboundedRegisters = 64;

    static std::optional<Advice> bound(const Candidate& candidate, const CudaSource::Kernel& kernel) {
        const auto& source = candidate.source;
        const auto compiled = candidate.evidence.compiled(kernel.name);
        // Where registers are not scarce there is nothing to gain.
        if (!compiled || (compiled->spill_bytes == 0 && compiled->registers + 8 < kUnboundedRegisters))
            return std::nullopt;
        if (kernel.bounded || kernel.templated || !source.is(kernel.name_at - 1, "void")) return std::nullopt;
        std::optional<std::string> threads;
        for (const auto* launch : launches_of(candidate.plan, kernel.name)) {
            const auto text = threads_text(*launch, candidate.plan);
            if (!text || (threads && *threads != *text)) return std::nullopt;
            threads = text;
        }
        if (!threads) return std::nullopt;
        Edits edits;
        edits.insert(source.at(kernel.name_at).offset, fmt::format("__launch_bounds__({}) ", *threads));
        return Advice{.title = fmt::format("__launch_bounds__({}) for {}", *threads, kernel.name),
                      .reason = fmt::format(
                          "{} takes {} registers a thread and spills {} bytes. The compiler does not know how large "
                          "blocks are; told that they have {} threads, it may use more registers for each, or "
                          "fewer to fit more blocks on an SM.",
                          kernel.name, compiled->registers, compiled->spill_bytes, *threads),
                      .source = edits.applied(source.text()),
                      .configuration = candidate.configuration,
                      .promise = compiled->spill_bytes > 0 ? 0.75 : 0.4};
    }
};

class BlockSize final : public AdviceRule {
public:
    std::vector<Advice> advise(const Candidate& candidate) const override {
        std::vector<Advice> list;
        for (const auto& tunable : candidate.plan.tunables) {
            if (candidate.fixed.contains(tunable.name)) continue;
            const auto* launch = first_launch(candidate, tunable.name);
            if (!launch) continue;
            auto values = tunable.values;
            std::ranges::sort(values);
            const auto present = std::ranges::find(values, candidate.configuration.at(tunable.name));
            if (present == values.end()) continue;
            if (std::next(present) != values.end())
                list.push_back(set(candidate, *launch, tunable.name, *std::next(present)));
            if (present != values.begin()) list.push_back(set(candidate, *launch, tunable.name, *std::prev(present)));
        }
        return list;
    }

private:
    static const task::Launch* first_launch(const Candidate& candidate, const std::string& tunable) {
        for (const auto& launch : candidate.plan.launches)
            for (const auto& dimension : launch.block)
                if (const auto names = dimension.names(); std::ranges::find(names, tunable) != names.end())
                    return &launch;
        return nullptr;
    }

    static Advice set(const Candidate& candidate, const task::Launch& launch, const std::string& name,
                      std::int64_t value) {
        const std::string kernel{kernel_of(launch)};
        Advice advice{.title = fmt::format("{} = {}", name, value),
                      .reason = {},
                      .source = candidate.source.text(),
                      .configuration = candidate.configuration,
                      .promise = 0.25};
        for (const char* id : {"theoretical_occupancy", "achieved_occupancy", "warps_active"})
            if (const auto finding = candidate.evidence.finding(kernel, id)) {
                advice.reason = *finding + " ";
                advice.promise = 0.65;
                break;
            }
        advice.reason +=
            fmt::format("The size of a block of {} follows {}; {} instead of {} changes how many blocks fit on "
                        "an SM, how many wait for each other at a barrier and how evenly the last wave is "
                        "filled, which only a measurement tells.",
                        kernel, name, value, candidate.configuration.at(name));
        advice.configuration[name] = value;
        return advice;
    }
};

} // namespace

std::unique_ptr<AdviceRule> restrict_rule() { return std::make_unique<Restrict>(); }
std::unique_ptr<AdviceRule> launch_bounds_rule() { return std::make_unique<LaunchBounds>(); }
std::unique_ptr<AdviceRule> block_size_rule() { return std::make_unique<BlockSize>(); }

} // namespace kw::agent
