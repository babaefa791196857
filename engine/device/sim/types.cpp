#include "engine/device/sim/types.h"

#include <array>
#include <utility>

namespace kw::sim {
namespace {

constexpr std::array<std::pair<std::string_view, Type>, 22> kTypes{{
    {"none", Type::none},     {"pred", Type::pred}, {"b8", Type::b8},   {"u8", Type::u8},   {"s8", Type::s8},
    {"b16", Type::b16},       {"u16", Type::u16},   {"s16", Type::s16}, {"f16", Type::f16}, {"bf16", Type::bf16},
    {"b32", Type::b32},       {"u32", Type::u32},   {"s32", Type::s32}, {"f32", Type::f32}, {"f16x2", Type::f16x2},
    {"bf16x2", Type::bf16x2}, {"tf32", Type::tf32}, {"b64", Type::b64}, {"u64", Type::u64}, {"s64", Type::s64},
    {"f64", Type::f64},       {"b128", Type::b128},
}};

} // namespace

std::optional<Type> type_from(std::string_view name) {
    for (std::size_t index = 1; index < kTypes.size(); ++index) {
        if (kTypes[index].first == name) return kTypes[index].second;
    }
    return std::nullopt;
}

std::string_view to_string(Type type) {
    for (const auto& [name, value] : kTypes) {
        if (value == type) return name;
    }
    return "none";
}

std::string_view to_string(Space space) {
    switch (space) {
    case Space::generic: return "generic";
    case Space::reg: return "register";
    case Space::global: return "global";
    case Space::shared: return "shared";
    case Space::local: return "local";
    case Space::constant: return "const";
    case Space::param: return "param";
    }
    return "generic";
}

} // namespace kw::sim
