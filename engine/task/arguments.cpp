#include "engine/task/arguments.h"

#include "engine/task/half.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <utility>

namespace kw::task {
namespace {

/// What a C++ parameter type, or where there is none a PTX type, takes.
struct Wanted {
    enum class Kind { pointer, integer, floating, other } kind = Kind::other;
    std::optional<ScalarType> type{}; ///< of the value or of what the pointer points to; nothing when any will do
    bool bytes_only = false;          ///< a pointer to a type unknown here takes a u8 buffer
};

struct Spelling {
    std::string_view text;
    ScalarType type;
};

/// As demanglers print them, and as sources spell them.
constexpr Spelling kSpellings[] = {{"float", ScalarType::f32},
                                   {"double", ScalarType::f64},
                                   {"__half", ScalarType::f16},
                                   {"half", ScalarType::f16},
                                   {"__nv_bfloat16", ScalarType::bf16},
                                   {"nv_bfloat16", ScalarType::bf16},
                                   {"bool", ScalarType::boolean},
                                   {"char", ScalarType::i8},
                                   {"signed char", ScalarType::i8},
                                   {"unsigned char", ScalarType::u8},
                                   {"short", ScalarType::i16},
                                   {"unsigned short", ScalarType::u16},
                                   {"int", ScalarType::i32},
                                   {"unsigned int", ScalarType::u32},
                                   {"unsigned", ScalarType::u32},
                                   {"long", ScalarType::i64},
                                   {"unsigned long", ScalarType::u64},
                                   {"long long", ScalarType::i64},
                                   {"unsigned long long", ScalarType::u64}};

/// The built-in vector types, by their element's name; a number from 1 to 4 follows. half2 and bfloat162 stand for
/// themselves.
constexpr Spelling kVectors[] = {
    {"float", ScalarType::f32},       {"double", ScalarType::f64},   {"char", ScalarType::i8},
    {"uchar", ScalarType::u8},        {"short", ScalarType::i16},    {"ushort", ScalarType::u16},
    {"int", ScalarType::i32},         {"uint", ScalarType::u32},     {"long", ScalarType::i64},
    {"ulong", ScalarType::u64},       {"longlong", ScalarType::i64}, {"ulonglong", ScalarType::u64},
    {"__half", ScalarType::f16},      {"half", ScalarType::f16},     {"__nv_bfloat16", ScalarType::bf16},
    {"nv_bfloat16", ScalarType::bf16}};

/// Without const, volatile, __restrict__ and doubled or outer blanks.
std::string normalized(std::string_view type) {
    std::string result;
    for (std::size_t i = 0; i < type.size();) {
        std::size_t end = i;
        while (end < type.size() && type[end] != ' ' && type[end] != '*' && type[end] != '&') ++end;
        if (end == i) {
            if (type[i] != ' ') result += type[i];
            ++i;
            continue;
        }
        const std::string_view word = type.substr(i, end - i);
        i = end;
        if (word == "const" || word == "volatile" || word == "__restrict__" || word == "__restrict"
            || word == "restrict")
            continue;
        if (!result.empty() && result.back() != '*') result += ' ';
        result += word;
    }
    return result;
}

std::optional<ScalarType> scalar_spelled(std::string_view type) {
    const auto* found = std::ranges::find(kSpellings, type, &Spelling::text);
    if (found == std::end(kSpellings)) return std::nullopt;
    return found->type;
}

std::optional<ScalarType> vector_spelled(std::string_view type) {
    if (type.empty() || type.back() < '1' || type.back() > '4') return std::nullopt;
    type.remove_suffix(1);
    const auto* found = std::ranges::find(kVectors, type, &Spelling::text);
    if (found == std::end(kVectors)) return std::nullopt;
    return found->type;
}

Wanted wanted_by_name(const compile::Parameter& parameter) {
    const std::string type = normalized(parameter.type);
    if (type.ends_with('*')) {
        const std::string_view target = std::string_view(type).substr(0, type.size() - 1);
        if (target == "void") return {Wanted::Kind::pointer, std::nullopt, false};
        if (target.ends_with('*')) return {Wanted::Kind::other, std::nullopt, false};
        if (const auto scalar = scalar_spelled(target)) return {Wanted::Kind::pointer, scalar, false};
        if (const auto vector = vector_spelled(target)) return {Wanted::Kind::pointer, vector, false};
        return {Wanted::Kind::pointer, std::nullopt, true};
    }
    if (const auto scalar = scalar_spelled(type))
        return {is_floating(*scalar) ? Wanted::Kind::floating : Wanted::Kind::integer, scalar, false};
    // An enumeration has a name unknown here and an integer's register type.
    if (!type.ends_with('&') && parameter.ptx_type.size() > 1 && parameter.bytes <= 8
        && (parameter.ptx_type[0] == 'u' || parameter.ptx_type[0] == 's'))
        return {Wanted::Kind::integer, std::nullopt, false};
    return {};
}

Wanted wanted_by_ptx(const compile::Parameter& parameter) {
    if (parameter.pointer) return {Wanted::Kind::pointer, std::nullopt, false};
    if (parameter.ptx_type == "f32") return {Wanted::Kind::floating, ScalarType::f32, false};
    if (parameter.ptx_type == "f64") return {Wanted::Kind::floating, ScalarType::f64, false};
    const bool integer = !parameter.ptx_type.empty() && (parameter.ptx_type[0] == 'u' || parameter.ptx_type[0] == 's');
    if (integer && parameter.bytes <= 8) return {Wanted::Kind::integer, std::nullopt, false};
    return {};
}

std::string described(const compile::Parameter& parameter) {
    if (!parameter.type.empty()) return parameter.type;
    if (parameter.pointer) return "a pointer";
    return fmt::format(".{} of {} bytes", parameter.ptx_type, parameter.bytes);
}

void put(std::vector<std::byte>& block, const compile::Parameter& parameter, const void* value, std::size_t bytes) {
    std::memcpy(block.data() + parameter.offset, value, std::min<std::size_t>(bytes, parameter.bytes));
}

void put_floating(std::vector<std::byte>& block, const compile::Parameter& parameter, ScalarType type, double value) {
    if (type == ScalarType::f64) return put(block, parameter, &value, sizeof value);
    if (type == ScalarType::f32) {
        const float narrow = static_cast<float>(value);
        return put(block, parameter, &narrow, sizeof narrow);
    }
    const std::uint16_t half = type == ScalarType::f16 ? to_f16(value) : to_bf16(value);
    put(block, parameter, &half, sizeof half);
}

class Packer {
public:
    Packer(const BoundLaunch& launch, const compile::Kernel& kernel, std::span<const Buffer> buffers,
           std::span<const device::Pointer> pointers)
        : launch_(launch), kernel_(kernel), buffers_(buffers), pointers_(pointers) {}

    Result<std::vector<std::byte>> run() {
        const auto& parameters = kernel_.parameters;
        if (parameters.size() != launch_.arguments.size())
            return fail(Stage::task, ErrorCode::invalid_input,
                        fmt::format("{} takes {} parameters ({}), but the launch passes {}", kernel_.name,
                                    parameters.size(), signature(), launch_.arguments.size()),
                        launch_.where);
        std::size_t bytes = 0;
        for (const auto& parameter : parameters)
            bytes = std::max<std::size_t>(bytes, parameter.offset + parameter.bytes);
        block_.assign(bytes, std::byte{0});
        for (index_ = 0; index_ < parameters.size(); ++index_)
            if (auto done = argument(launch_.arguments[index_], parameters[index_]); !done)
                return std::unexpected(done.error());
        return std::move(block_);
    }

private:
    [[nodiscard]] std::string signature() const {
        std::string text;
        for (const auto& parameter : kernel_.parameters) text += (text.empty() ? "" : ", ") + described(parameter);
        return text.empty() ? "none" : text;
    }

    [[nodiscard]] std::unexpected<Error> mismatch(const BoundArgument& argument, const compile::Parameter& parameter,
                                                  std::string_view what) const {
        return fail(Stage::task, ErrorCode::invalid_input,
                    fmt::format("argument {} '{}' is {}, but parameter {} of {} is {}", index_ + 1, argument.text, what,
                                index_ + 1, kernel_.name, described(parameter)),
                    argument.where);
    }

    [[nodiscard]] std::string what(const BoundArgument& argument) const {
        switch (argument.kind) {
        case BoundArgument::Kind::buffer:
            return fmt::format("a buffer of {}", to_string(buffers_[argument.buffer].type));
        case BoundArgument::Kind::integer: return "an integer";
        case BoundArgument::Kind::floating: return "a floating-point number";
        }
        std::unreachable();
    }

    Result<void> argument(const BoundArgument& argument, const compile::Parameter& parameter) {
        const Wanted wanted = parameter.type.empty() ? wanted_by_ptx(parameter) : wanted_by_name(parameter);
        if (wanted.kind == Wanted::Kind::other)
            return fail(
                Stage::task, ErrorCode::invalid_input,
                fmt::format("parameter {} of {} is {}; a plan passes pointers to buffers and plain numbers{}",
                            index_ + 1, kernel_.name, described(parameter),
                            parameter.type.empty() ? ", and of an extern \"C\" kernel only types that PTX tells" : ""),
                argument.where);
        if (argument.kind == BoundArgument::Kind::buffer) return buffer(argument, parameter, wanted);
        if (wanted.kind == Wanted::Kind::pointer) return mismatch(argument, parameter, what(argument));
        if (wanted.kind == Wanted::Kind::integer) return integer(argument, parameter, wanted);
        const double value =
            argument.kind == BoundArgument::Kind::integer ? static_cast<double>(argument.integer) : argument.floating;
        put_floating(block_, parameter, *wanted.type, value);
        return {};
    }

    Result<void> buffer(const BoundArgument& argument, const compile::Parameter& parameter, const Wanted& wanted) {
        const ScalarType type = buffers_[argument.buffer].type;
        // PTX of an extern "C" kernel may give a pointer as a plain 64-bit integer.
        const bool untyped_pointer =
            parameter.type.empty() && parameter.bytes == 8 && wanted.kind == Wanted::Kind::integer;
        const bool fits = wanted.kind == Wanted::Kind::pointer && (!wanted.type || *wanted.type == type)
                          && (!wanted.bytes_only || type == ScalarType::u8);
        if (!fits && !untyped_pointer)
            return mismatch(argument, parameter,
                            wanted.bytes_only ? what(argument) + " (data of a type unknown here is declared u8)"
                                              : what(argument));
        put(block_, parameter, &pointers_[argument.buffer], sizeof(device::Pointer));
        return {};
    }

    Result<void> integer(const BoundArgument& argument, const compile::Parameter& parameter, const Wanted& wanted) {
        if (argument.kind == BoundArgument::Kind::floating) return mismatch(argument, parameter, what(argument));
        std::int64_t lo = std::numeric_limits<std::int64_t>::min(), hi = std::numeric_limits<std::int64_t>::max();
        if (wanted.type) {
            const auto range = integer_range(*wanted.type);
            lo = range->lo;
            hi = range->hi;
        } else if (parameter.bytes < 8) {
            // The sign is unknown, so either reading of the bits is accepted.
            lo = -(std::int64_t{1} << (8 * parameter.bytes - 1));
            hi = (std::int64_t{1} << (8 * parameter.bytes)) - 1;
        }
        if (argument.integer < lo || argument.integer > hi)
            return mismatch(argument, parameter, fmt::format("{}, which does not fit", argument.integer));
        // Little-endian: the low bytes come first whatever the width.
        put(block_, parameter, &argument.integer, sizeof argument.integer);
        return {};
    }

    const BoundLaunch& launch_;
    const compile::Kernel& kernel_;
    std::span<const Buffer> buffers_;
    std::span<const device::Pointer> pointers_;
    std::size_t index_ = 0;
    std::vector<std::byte> block_;
};

} // namespace

Result<std::vector<std::byte>> pack(const BoundLaunch& launch, const compile::Kernel& kernel,
                                    std::span<const Buffer> buffers, std::span<const device::Pointer> pointers) {
    return Packer(launch, kernel, buffers, pointers).run();
}

} // namespace kw::task
