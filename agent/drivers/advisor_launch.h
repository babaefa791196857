#pragma once

#include "agent/drivers/advisor_rules.h"

#include <optional>
#include <string>
#include <vector>

/// What rules ask about a plan's launches.
namespace kw::agent {

/// "softmax" of "softmax<BLOCK>".
[[nodiscard]] std::string_view kernel_of(const task::Launch& launch);
[[nodiscard]] std::vector<const task::Launch*> launches_of(const task::Plan& plan, std::string_view kernel);

/// Whether every launch of `kernel` gives each of its pointers a buffer of its own. False where it is not launched.
[[nodiscard]] bool has_own_buffers(const task::Plan& plan, const CudaSource::Kernel& kernel);

/// An expression of a directive as the source spells it; none where it does not stand there in one piece.
struct Span {
    std::size_t begin = 0;
    std::size_t end = 0;
};
[[nodiscard]] std::optional<Span> span_of(const CudaSource& source, const task::Expression& expression);

/// Threads of a block in C++: "32 * ROWS"; none where it is more than tunables, integers, + and * between them.
[[nodiscard]] std::optional<std::string> threads_text(const task::Launch& launch, const task::Plan& plan);

/// A kernel that does the same for every index below a bound, one index a thread:
///
///     const int i = blockIdx.x * BLOCK + threadIdx.x;
///     if (i < n) STATEMENT                        or: if (i >= n) return; STATEMENTS
///
/// launched with ceil_div(n, BLOCK) blocks of BLOCK threads, once in the plan.
struct Elementwise {
    const CudaSource::Kernel* kernel = nullptr;
    const task::Launch* launch = nullptr;
    std::string index{};       ///< "i"
    std::string block{};       ///< as the kernel spells it: "BLOCK", "blockDim.x"
    std::string bound{};       ///< as the kernel spells it: "n", "nx * ny"
    std::string count{};       ///< as the launch spells it
    std::size_t head = 0;      ///< first token of the declaration
    std::size_t first = 0;     ///< first token of what is done
    std::size_t last = 0;      ///< its last token
    bool returns = false;      ///< the second form
    std::int64_t elements = 0; ///< the largest count of all sizes
    std::int64_t timed = 0;    ///< the count at the first sizes
    std::int64_t threads = 0;  ///< of a block, in the present configuration
};
/// Only where `candidate` is known to allow that one thread does the work of several: nothing exchanges data between
/// threads or asks for the position in the grid, nothing jumps, no buffer goes in by two names, 2³⁰ holds every index.
[[nodiscard]] std::optional<Elementwise> elementwise(const Candidate& candidate, const CudaSource::Kernel& kernel);

} // namespace kw::agent
