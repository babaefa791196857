#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

/// What a device looks for while kernels run, beyond what it cannot help finding. Accesses outside all allocations,
/// misaligned ones, deadlocks, endless loops and traps are always found.
namespace kw::device {

struct Checks {
    bool init = false;   ///< reads of memory that nothing has written
    bool race = false;   ///< two accesses of two threads, one of them a write, that nothing orders
    bool sync = true;    ///< aligned barriers that threads of a warp reach apart
    bool shuffle = true; ///< warp-wide operations whose mask lacks the caller, shuffles from lanes that take no part
    /// Warps, and the parted lanes of a warp, take turns in an order that follows from this number. The same number
    /// gives the same order.
    std::optional<std::uint64_t> schedule{};

    bool operator==(const Checks&) const = default;
};

/// Everything that is looked for, in the usual order.
[[nodiscard]] inline Checks all_checks() { return {.init = true, .race = true, .sync = true, .shuffle = true}; }

/// "none", "all", or names of init, race, sync, shuffle and memory with commas between them; memory is what is always
/// looked for. `schedule` stays empty.
[[nodiscard]] Result<Checks> checks_from(std::string_view list);
/// As checks_from reads it.
[[nodiscard]] std::string to_string(const Checks& checks);

} // namespace kw::device
