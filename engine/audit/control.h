#pragma once

#include "engine/device/sim/ptx_module.h"

#include <cstdint>
#include <vector>

/// Which branches decide whether an instruction runs: Ferrante, Ottenstein, Warren, "The Program Dependence Graph and
/// Its Use in Optimization" (1987).
namespace kw::audit {

struct ControlFlow {
    std::vector<std::uint32_t> block_of; ///< by instruction
    /// By block: the branches (instructions) on which it depends. Empty lists everywhere when `all_depends`.
    std::vector<std::vector<std::uint32_t>> deciders;
    bool all_depends = false; ///< the function is too large to tell: each block depends on each branch
    std::vector<std::uint32_t> branches;
};

[[nodiscard]] ControlFlow control_flow(const sim::ptx::Function& function);

/// Ends the thread, or the function.
[[nodiscard]] bool leaves(const sim::ptx::Instruction& instruction);

} // namespace kw::audit
