#include "engine/task/task.h"

#include <algorithm>
#include <array>
#include <utility>

namespace kw::task {
namespace {

struct TypeInfo {
    ScalarType type;
    std::string_view name;
    std::size_t bytes;
};

constexpr std::array<TypeInfo, 13> kTypes{{
    {ScalarType::f16, "f16", 2},
    {ScalarType::bf16, "bf16", 2},
    {ScalarType::f32, "f32", 4},
    {ScalarType::f64, "f64", 8},
    {ScalarType::i8, "i8", 1},
    {ScalarType::u8, "u8", 1},
    {ScalarType::i16, "i16", 2},
    {ScalarType::u16, "u16", 2},
    {ScalarType::i32, "i32", 4},
    {ScalarType::u32, "u32", 4},
    {ScalarType::i64, "i64", 8},
    {ScalarType::u64, "u64", 8},
    {ScalarType::boolean, "bool", 1},
}};

const TypeInfo& info_of(ScalarType type) {
    for (const auto& info : kTypes)
        if (info.type == type) return info;
    std::unreachable();
}

} // namespace

std::string_view to_string(ScalarType type) { return info_of(type).name; }
std::size_t size_of(ScalarType type) { return info_of(type).bytes; }

std::optional<ScalarType> scalar_type_from(std::string_view name) {
    for (const auto& info : kTypes)
        if (info.name == name) return info.type;
    return std::nullopt;
}

std::vector<std::string> scalar_type_names() {
    std::vector<std::string> names;
    for (const auto& info : kTypes) names.emplace_back(info.name);
    return names;
}

bool is_floating(ScalarType type) {
    return type == ScalarType::f16 || type == ScalarType::bf16 || type == ScalarType::f32 || type == ScalarType::f64;
}

std::optional<IntegerRange> integer_range(ScalarType type) {
    switch (type) {
    case ScalarType::i8: return IntegerRange{INT8_MIN, INT8_MAX};
    case ScalarType::u8: return IntegerRange{0, UINT8_MAX};
    case ScalarType::i16: return IntegerRange{INT16_MIN, INT16_MAX};
    case ScalarType::u16: return IntegerRange{0, UINT16_MAX};
    case ScalarType::i32: return IntegerRange{INT32_MIN, INT32_MAX};
    case ScalarType::u32: return IntegerRange{0, UINT32_MAX};
    case ScalarType::i64: return IntegerRange{INT64_MIN, INT64_MAX};
    case ScalarType::u64: return IntegerRange{0, INT64_MAX};
    case ScalarType::boolean: return IntegerRange{0, 1};
    default: return std::nullopt;
    }
}

Result<Extent> extent_of(std::span<const Expression> shape, ScalarType type, const std::string& name,
                         const Sizes& names) {
    Extent extent;
    extent.elements = 1;
    for (const auto& dimension : shape) {
        auto value = dimension.evaluate(names);
        if (!value) return std::unexpected(value.error());
        if (*value < 1)
            return fail(Stage::task, ErrorCode::invalid_input,
                        "a dimension of '" + name + "' is " + std::to_string(*value) + " ('" + dimension.text()
                            + "'); it must be at least 1",
                        dimension.where());
        extent.shape.push_back(*value);
        if (__builtin_mul_overflow(extent.elements, static_cast<std::uint64_t>(*value), &extent.elements)
            || extent.elements > static_cast<std::uint64_t>(INT64_MAX) / size_of(type))
            return fail(Stage::task, ErrorCode::invalid_input, "the size of '" + name + "' overflows 2^63 bytes",
                        dimension.where());
    }
    extent.bytes = extent.elements * size_of(type);
    return extent;
}

std::string sizes_text(const Sizes& sizes) {
    std::string text;
    for (const auto& [name, value] : sizes) {
        if (!text.empty()) text += ' ';
        text += name + "=" + std::to_string(value);
    }
    return text.empty() ? "no sizes" : text;
}

const Tensor* Task::find_tensor(std::string_view wanted) const {
    const auto found = std::ranges::find(tensors, wanted, &Tensor::name);
    return found == tensors.end() ? nullptr : &*found;
}

bool Task::is_torch() const { return reference.ends_with(".py"); }

} // namespace kw::task
