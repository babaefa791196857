#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace kw::sim {

/// The fundamental types of the PTX ISA (section "Types") that registers and instructions name.
enum class Type : std::uint8_t {
    none,
    pred,
    b8,
    u8,
    s8,
    b16,
    u16,
    s16,
    f16,
    bf16,
    b32,
    u32,
    s32,
    f32,
    f16x2,
    bf16x2,
    tf32,
    b64,
    u64,
    s64,
    f64,
    b128,
};

/// State spaces. `generic` is an access without a space.
enum class Space : std::uint8_t { generic, reg, global, shared, local, constant, param };

/// How a register is kept: 32 lanes side by side, one row per register. Predicates are one bit per lane.
enum class RowClass : std::uint8_t { pred, w16, w32, w64, w128 };

/// Bytes of a value in memory; 0 for predicates and none.
[[nodiscard]] constexpr std::uint32_t size_of(Type type) {
    switch (type) {
    case Type::none:
    case Type::pred: return 0;
    case Type::b8:
    case Type::u8:
    case Type::s8: return 1;
    case Type::b16:
    case Type::u16:
    case Type::s16:
    case Type::f16:
    case Type::bf16: return 2;
    case Type::b32:
    case Type::u32:
    case Type::s32:
    case Type::f32:
    case Type::f16x2:
    case Type::bf16x2:
    case Type::tf32: return 4;
    case Type::b64:
    case Type::u64:
    case Type::s64:
    case Type::f64: return 8;
    case Type::b128: return 16;
    }
    return 0;
}

[[nodiscard]] constexpr RowClass row_class(Type type) {
    switch (size_of(type)) {
    case 0: return RowClass::pred;
    case 1:
    case 2: return RowClass::w16;
    case 4: return RowClass::w32;
    case 8: return RowClass::w64;
    default: return RowClass::w128;
    }
}

/// Bytes of one row of 32 lanes.
[[nodiscard]] constexpr std::uint32_t row_bytes(RowClass row) {
    switch (row) {
    case RowClass::pred: return 4;
    case RowClass::w16: return 64;
    case RowClass::w32: return 128;
    case RowClass::w64: return 256;
    case RowClass::w128: return 512;
    }
    return 0;
}

[[nodiscard]] constexpr bool is_signed(Type type) {
    return type == Type::s8 || type == Type::s16 || type == Type::s32 || type == Type::s64;
}
[[nodiscard]] constexpr bool is_float(Type type) {
    return type == Type::f16 || type == Type::bf16 || type == Type::f32 || type == Type::f16x2 || type == Type::bf16x2
           || type == Type::f64 || type == Type::tf32;
}
[[nodiscard]] constexpr bool is_integer(Type type) {
    return size_of(type) > 0 && size_of(type) <= 8 && !is_float(type);
}

/// "f32" → Type::f32, without the dot; nothing when it names no type.
[[nodiscard]] std::optional<Type> type_from(std::string_view name);
[[nodiscard]] std::string_view to_string(Type type);

/// The name that faults and PTX use: "global", "shared", …
[[nodiscard]] std::string_view to_string(Space space);

} // namespace kw::sim
