#pragma once

#include "engine/device/sim/ptx_module.h"

#include <cstddef>
#include <optional>
#include <string_view>

/// What the audit needs to know of single PTX instructions (PTX ISA 9.0).
namespace kw::audit {

/// How an instruction touches memory. Positions count operands.
struct Access {
    enum class Kind { none, load, store, atomic, copy };
    Kind kind = Kind::none;
    sim::Space space = sim::Space::generic; ///< of the address; of a copy, that of the source
    sim::Space to_space = sim::Space::generic;
    std::size_t source = 0;  ///< the address that is read
    std::size_t address = 0; ///< the address that is written
    bool has_result = false; ///< operand 0 is set

    [[nodiscard]] bool loads() const { return kind == Kind::load || kind == Kind::atomic || kind == Kind::copy; }
    [[nodiscard]] Access from() const { return *this; }
    [[nodiscard]] Access to() const {
        Access other = *this;
        if (kind == Kind::copy) other.space = to_space;
        return other;
    }
};
[[nodiscard]] Access access_of(const sim::ptx::Instruction& instruction);

/// Operand 0 is set, for those that touch no memory.
[[nodiscard]] bool has_result(const sim::ptx::Instruction& instruction);
/// The result is one of the operands as it is.
[[nodiscard]] bool copies(const sim::ptx::Instruction& instruction);
/// The result only tells how operands compare.
[[nodiscard]] bool compares(const sim::ptx::Instruction& instruction);
[[nodiscard]] bool tests_equality(const sim::ptx::Instruction& instruction);
/// Reads shared memory by a descriptor.
[[nodiscard]] bool reads_shared(const sim::ptx::Instruction& instruction);
/// kNarrow or kNarrowDouble where the result has fewer bits than its operands had.
[[nodiscard]] std::optional<std::size_t> narrowing(const sim::ptx::Instruction& instruction);
/// kTime, kLaunch, kPlace or, of memory that the driver gives, kHeapAddress.
[[nodiscard]] std::optional<std::size_t> special_label(std::string_view name);
/// A number that a program may well compare with: zero, infinities, NaN, small integers, powers of two.
[[nodiscard]] bool is_ordinary(double number);
[[nodiscard]] bool reads_clock(const sim::ptx::Instruction& instruction);
[[nodiscard]] bool has_modifier(const sim::ptx::Instruction& instruction, std::string_view modifier);

} // namespace kw::audit
