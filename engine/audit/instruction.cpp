#include "engine/audit/instruction.h"

#include "engine/audit/flow.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace kw::audit {
namespace {

using sim::Space;
using sim::ptx::Instruction;
using sim::ptx::OperandKind;

template<std::size_t Count> bool among(std::string_view word, const std::array<std::string_view, Count>& words) {
    return std::ranges::find(words, word) != words.end();
}

Space space_of(const Instruction& instruction) {
    for (const auto word : instruction.modifiers) {
        if (word.starts_with("shared")) return Space::shared;
        if (word == "global") return Space::global;
        if (word == "local") return Space::local;
        if (word.starts_with("param")) return Space::param;
        if (word == "const") return Space::constant;
    }
    return Space::generic;
}

/// Floats of less than 32 bits.
bool is_narrow_type(std::string_view word) {
    static constexpr std::array<std::string_view, 13> kTypes{"f16",     "bf16",   "f16x2",  "bf16x2", "tf32",
                                                             "e4m3x2",  "e5m2x2", "e2m1x2", "e2m3x2", "e3m2x2",
                                                             "ue8m0x2", "e4m3x4", "e5m2x4"};
    return among(word, kTypes);
}

bool is_type(std::string_view word) { return is_narrow_type(word) || sim::type_from(word).has_value(); }

/// An AND that keeps sign, exponent and the first bits of an f32's mantissa.
bool cuts_mantissa(const Instruction& instruction) {
    if (instruction.opcode != "and" || instruction.operands.size() != 3) return false;
    return std::ranges::any_of(instruction.operands, [](const auto& operand) {
        if (operand.kind != OperandKind::integer) return false;
        const auto mask = static_cast<std::uint32_t>(operand.bits);
        return (mask & 0xFF80'0000u) == 0xFF80'0000u && (mask & 0xFFu) == 0 && (mask & 0x7F'FFFFu) != 0;
    });
}

} // namespace

bool has_modifier(const Instruction& instruction, std::string_view modifier) {
    return std::ranges::find(instruction.modifiers, modifier) != instruction.modifiers.end();
}

Access access_of(const Instruction& instruction) {
    using Kind = Access::Kind;
    const auto op = instruction.opcode;
    Access access{.space = space_of(instruction)};
    if (op == "ld" || op == "ldu" || op == "ldmatrix") {
        access.kind = Kind::load;
        access.source = 1;
        access.has_result = true;
    } else if (op == "st" || op == "stmatrix") {
        access.kind = Kind::store;
    } else if (op == "atom") {
        access.kind = Kind::atomic;
        access.source = access.address = 1;
        access.has_result = true;
    } else if (op == "red") {
        access.kind = Kind::atomic;
    } else if (op == "wmma" && has_modifier(instruction, "load")) {
        access.kind = Kind::load;
        access.source = 1;
        access.has_result = true;
    } else if (op == "wmma" && has_modifier(instruction, "store")) {
        access.kind = Kind::store;
    } else if (op == "cp" && instruction.operands.size() >= 2 && instruction.operands[0].kind == OperandKind::address
               && instruction.operands[1].kind == OperandKind::address) {
        access.kind = Kind::copy;
        access.source = 1;
        // "cp.async.ca.shared.global": the first space is that of the target.
        const bool from_shared = has_modifier(instruction, "bulk") && !instruction.modifiers.empty()
                                 && std::ranges::find(instruction.modifiers, "global") < std::ranges::find_if(
                                        instruction.modifiers, [](auto word) { return word.starts_with("shared"); });
        access.space = from_shared ? Space::shared : Space::global;
        access.to_space = from_shared ? Space::global : Space::shared;
    }
    return access;
}

bool has_result(const Instruction& instruction) {
    static constexpr std::array<std::string_view, 22> kNone{
        "bra",       "brx",    "ret",      "exit",       "trap",           "brkpt",
        "fence",     "membar", "prefetch", "prefetchu",  "applypriority",  "discard",
        "nanosleep", "cp",     "mbarrier", "setmaxnreg", "griddepcontrol", "pmevent",
        "tensormap", "st",     "red",      "call"};
    if (among(instruction.opcode, kNone)) return false;
    if (instruction.opcode == "bar" || instruction.opcode == "barrier") return has_modifier(instruction, "red");
    return true;
}

bool copies(const Instruction& instruction) {
    static constexpr std::array<std::string_view, 6> kCopying{"mov", "selp", "shfl", "cvta", "cvt", "prmt"};
    return among(instruction.opcode, kCopying);
}

bool compares(const Instruction& instruction) {
    static constexpr std::array<std::string_view, 6> kComparing{"setp", "set", "testp", "vote", "match", "isspacep"};
    return among(instruction.opcode, kComparing);
}

bool tests_equality(const Instruction& instruction) {
    return instruction.opcode == "setp" && !instruction.modifiers.empty()
           && (instruction.modifiers[0] == "eq" || instruction.modifiers[0] == "ne" || instruction.modifiers[0] == "neu"
               || instruction.modifiers[0] == "equ");
}

bool reads_shared(const Instruction& instruction) {
    return instruction.opcode == "wgmma" || instruction.opcode == "tcgen05";
}

std::optional<std::size_t> narrowing(const Instruction& instruction) {
    if (cuts_mantissa(instruction)) return kNarrow;
    const bool multiplies =
        instruction.opcode == "mma" || instruction.opcode == "wmma" || instruction.opcode == "wgmma";
    if (multiplies && has_modifier(instruction, "tf32")) return kNarrow;
    if (instruction.opcode != "cvt") return std::nullopt;
    std::vector<std::string_view> types;
    std::ranges::copy_if(instruction.modifiers, std::back_inserter(types), is_type);
    if (types.size() < 2) return std::nullopt;
    const auto to = types[0], from = types[1];
    if (is_narrow_type(to) && (from == "f32" || from == "f64")) return kNarrow;
    if (to == "f32" && from == "f64") return kNarrowDouble;
    return std::nullopt;
}

std::optional<std::size_t> special_label(std::string_view name) {
    if (name.starts_with("%clock") || name.starts_with("%globaltimer") || name.starts_with("%pm")) return kTime;
    if (name == "%gridid") return kLaunch;
    // Where the driver says that a cooperative grid has its barrier.
    if (name.starts_with("%envreg")) return kHeapAddress;
    if (name == "%smid" || name == "%nsmid") return kPlace;
    return std::nullopt;
}

bool reads_clock(const Instruction& instruction) {
    return std::ranges::any_of(instruction.operands, [](const auto& operand) {
        return operand.kind == OperandKind::special && special_label(operand.text) == kTime;
    });
}

bool is_ordinary(double number) {
    if (!std::isfinite(number) || number == 0) return true;
    if (std::abs(number) <= 1024 && number == std::trunc(number)) return true;
    int exponent = 0;
    return std::abs(std::frexp(number, &exponent)) == 0.5 || std::abs(number) < 1e-30 || std::abs(number) > 1e30;
}

} // namespace kw::audit
