#include "agent/drivers/advisor_launch.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

/// Rules for the instructions that a thread executes.
namespace kw::agent {
namespace {

constexpr int kUnrolled = 4;
/// A loop that takes less of its kernel is not worth a trial.
constexpr double kWorthwhileShare = 0.1;

class Unroll final : public AdviceRule {
public:
    std::vector<Advice> advise(const Candidate& candidate) const override {
        std::vector<Advice> list;
        const auto& source = candidate.source;
        for (const auto& kernel : source.kernels()) {
            if (launches_of(candidate.plan, kernel.name).empty()) continue;
            for (auto i = kernel.body + 1; i < kernel.end; ++i)
                if (source.is(i, "for") && suits(source, kernel, i))
                    if (auto advice = unroll(candidate, kernel, i)) list.push_back(std::move(*advice));
        }
        return list;
    }

private:
    /// An innermost loop over a count that the compiler does not know, which reads memory and has no barrier. A `for`
    /// on a line of its own, so that a line can go before it.
    static bool suits(const CudaSource& source, const CudaSource::Kernel& kernel, std::size_t i) {
        if (!source.is(i + 1, "(") || !source.begins_statement(i) || !source.line_begin(i)
            || source.directive_before(i))
            return false;
        const auto end = source.statement_end(i, kernel.end);
        if (!end) return false;
        const auto close = source.match(i + 1);
        bool reads = false, counts = false;
        for (auto k = i + 2; k <= *end; ++k) {
            const auto& word = source.at(k).text;
            if (word == "for" || word == "while" || word == "do" || word == "goto" || word == "asm"
                || word.contains("sync"))
                return false;
            reads = reads || (k > close && word == "[");
            // `v < 8;` is left to the compiler, which unrolls it by itself.
            if (k < close && word == "<" && !source.is(k + 1, "<"))
                counts = source.at(k + 1).kind != compile::TokenKind::number;
        }
        return reads && counts;
    }

    static std::optional<Advice> unroll(const Candidate& candidate, const CudaSource::Kernel& kernel, std::size_t i) {
        const auto& source = candidate.source;
        const int first = source.line(i), last = source.line(*source.statement_end(i, kernel.end));
        const auto share = candidate.evidence.share_of_lines(kernel.name, first, last);
        if (share && *share < kWorthwhileShare) return std::nullopt;
        Edits edits;
        edits.insert(*source.line_begin(i), fmt::format("#pragma unroll {}\n", kUnrolled));
        Advice advice{.title = fmt::format("unroll the loop of line {} by {}", first, kUnrolled),
                      .reason = {},
                      .source = edits.applied(source.text()),
                      .configuration = candidate.configuration,
                      .promise = candidate.evidence.memory_bound(kernel.name) ? 0.2 : 0.35 + 0.2 * share.value_or(0)};
        if (share)
            advice.reason = fmt::format("The loop of line {} takes {:.0f} % of what {} executes. ", first, 100 * *share,
                                        kernel.name);
        advice.reason +=
            fmt::format("Unrolled {} times, it counts and branches once in {} turns, and loads of several turns "
                        "can be in flight together; it may cost registers.",
                        kUnrolled, kUnrolled);
        return advice;
    }
};

/// A function of the CUDA math library, its approximation and how far the task's tolerance must go for it.
struct Approximation {
    const char* exact;
    const char* fast;
    double rtol; ///< for the arguments that occur: some units in the last place (6e-8), more for large ones
    double atol; ///< where the error is bounded absolutely: 2^-21 and above, by the CUDA programming guide's tables
};
constexpr std::array kApproximations{
    Approximation{"expf", "__expf", 5e-6, 0},      Approximation{"logf", "__logf", 1e-6, 1e-6},
    Approximation{"log2f", "__log2f", 1e-6, 1e-6}, Approximation{"sinf", "__sinf", 0, 1e-5},
    Approximation{"cosf", "__cosf", 0, 1e-5},      Approximation{"powf", "__powf", 1e-4, 0},
};

class FastMath final : public AdviceRule {
public:
    std::vector<Advice> advise(const Candidate& candidate) const override {
        std::vector<Advice> list;
        const auto& source = candidate.source;
        Edits edits;
        std::vector<std::string> names, kernels;
        for (const auto& kernel : source.kernels()) {
            if (launches_of(candidate.plan, kernel.name).empty() || candidate.evidence.memory_bound(kernel.name))
                continue;
            for (auto i = kernel.body + 1; i < kernel.end; ++i)
                if (const auto* found = approximation_at(candidate, i)) {
                    edits.replace(source.at(i).offset, source.at(i).end, found->fast);
                    if (std::ranges::find(names, found->exact) == names.end()) names.emplace_back(found->exact);
                    if (std::ranges::find(kernels, kernel.name) == kernels.end()) kernels.push_back(kernel.name);
                }
        }
        if (edits.empty()) return list;
        const auto tolerance = strictest(candidate.task);
        list.push_back(
            {.title = fmt::format("hardware approximations of {}", fmt::join(names, ", ")),
             .reason = fmt::format("{} in {} compute{} to the last bits in software around the special function "
                                   "unit. The task allows errors of {:g} + {:g} times the value, which leaves room "
                                   "for the unit's own result; whether it is enough, all checks have to show.",
                                   fmt::join(names, ", "), fmt::join(kernels, ", "), names.size() == 1 ? "s" : "",
                                   tolerance.atol, tolerance.rtol),
             .source = edits.applied(source.text()),
             .configuration = candidate.configuration,
             .promise = 0.5});
        return list;
    }

private:
    /// Of the outputs.
    static task::Tolerance strictest(const task::Task& task) {
        task::Tolerance least{1, 1};
        for (const auto& tensor : task.tensors) {
            if (tensor.role == task::Role::input) continue;
            const auto own = tensor.tolerance.value_or(task.tolerance);
            least = {std::min(least.atol, own.atol), std::min(least.rtol, own.rtol)};
        }
        return least;
    }

    static const Approximation* approximation_at(const Candidate& candidate, std::size_t i) {
        const auto& source = candidate.source;
        const auto& word = source.at(i).text;
        const auto at = std::ranges::find_if(kApproximations, [&](const auto& known) { return word == known.exact; });
        if (at == kApproximations.end() || !source.is(i + 1, "(")) return nullptr;
        // Another's function of that name.
        if (source.is_macro(word) || source.is(i - 1, ".") || source.is(i - 1, ">") || source.is(i - 1, ":"))
            return nullptr;
        for (std::size_t k = 1; k < i; ++k)
            if (source.is(k, word) && source.at(k - 1).kind == compile::TokenKind::identifier
                && !source.is(k - 1, "return") && !source.is(k - 1, "else"))
                return nullptr;
        const auto tolerance = strictest(candidate.task);
        return tolerance.rtol >= at->rtol && tolerance.atol >= at->atol ? &*at : nullptr;
    }
};

} // namespace

std::unique_ptr<AdviceRule> unroll_rule() { return std::make_unique<Unroll>(); }
std::unique_ptr<AdviceRule> fast_math_rule() { return std::make_unique<FastMath>(); }

std::vector<std::unique_ptr<AdviceRule>> advice_rules() {
    std::vector<std::unique_ptr<AdviceRule>> rules;
    for (const auto make : {pad_shared_rule, vectorize_rule, launch_bounds_rule, restrict_rule, barrier_rule,
                            fast_math_rule, grid_stride_rule, unroll_rule, block_size_rule})
        rules.push_back(make());
    return rules;
}

} // namespace kw::agent
