#pragma once

#include "engine/device/sim/exec/machine.h"

/// One set of handlers per instruction set; all give the same bits.
namespace kw::sim {

struct IsaTable {
    const char* name;
    /// The handler of an instruction, or null when it is not supported. Fills what the handler reads in `step`
    /// beyond the row offsets.
    Handler (*bind)(const Instr& instr, Step& step);
    Handler guard;                        ///< runs Step::inner for the lanes whose predicate holds
    Handler (*look)(const CheckedOp& op); ///< a handler that runs CheckedOp::run, having looked at what it does
    /// Clears the upper halves of vector registers, which handlers leave dirty; called once after many of them.
    void (*leave)();
};

extern const IsaTable kIsaV2;
extern const IsaTable kIsaV3;
extern const IsaTable kIsaV4;

/// The best table for this processor; the environment variable KW_SIM_ISA ("v2", "v3", "v4") chooses a lower one.
[[nodiscard]] const IsaTable& choose_isa();

} // namespace kw::sim
