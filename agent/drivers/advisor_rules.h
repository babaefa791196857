#pragma once

#include "agent/drivers/advisor_evidence.h"
#include "agent/drivers/advisor_source.h"
#include "engine/task/plan.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

/// What the advisor knows to try. A rule changes only what it understands; whether that helps is for the evaluation.
namespace kw::agent {

struct Advice {
    std::string title;
    std::string reason; ///< what was seen, what is changed, what is expected
    std::string source;
    task::Sizes configuration;
    double promise = 0; ///< 0 to 1, a rough rank: what a profile bears out is above what only may be
};

/// A candidate and what is known of it. All members outlive the rules' use of it.
struct Candidate {
    const CudaSource& source;
    const task::Task& task;
    const task::Plan& plan;
    const Evidence& evidence;
    task::Sizes configuration; ///< every tunable's value
    task::Sizes fixed{};       ///< tunables that the user has set
};

class AdviceRule {
public:
    virtual ~AdviceRule() = default;
    [[nodiscard]] virtual std::vector<Advice> advise(const Candidate& candidate) const = 0;
};

/// Adds a column to two-dimensional shared arrays whose accesses conflict in banks.
[[nodiscard]] std::unique_ptr<AdviceRule> pad_shared_rule();
/// Removes barriers that follow another one at once, begin a kernel or end it.
[[nodiscard]] std::unique_ptr<AdviceRule> barrier_rule();
/// Adds __restrict__, and const where nothing is written, to pointers that no launch gives the same buffer.
[[nodiscard]] std::unique_ptr<AdviceRule> restrict_rule();
/// Tells the compiler the block's size where registers are scarce.
[[nodiscard]] std::unique_ptr<AdviceRule> launch_bounds_rule();
/// Tries neighbouring values of tunables that a block's size is made of.
[[nodiscard]] std::unique_ptr<AdviceRule> block_size_rule();
/// Four elements a thread by 16-byte accesses, for kernels that do one thing to every element.
[[nodiscard]] std::unique_ptr<AdviceRule> vectorize_rule();
/// No more blocks than the GPU holds, each with several elements a thread.
[[nodiscard]] std::unique_ptr<AdviceRule> grid_stride_rule();
/// Asks for the innermost loops with memory accesses to be unrolled.
[[nodiscard]] std::unique_ptr<AdviceRule> unroll_rule();
/// Hardware approximations instead of expf and its like, where the task's tolerance has room for their error.
[[nodiscard]] std::unique_ptr<AdviceRule> fast_math_rule();

/// All of them.
[[nodiscard]] std::vector<std::unique_ptr<AdviceRule>> advice_rules();

} // namespace kw::agent
