#include "engine/task/inputs.h"

#include "engine/base/parallel.h"
#include "engine/task/half.h"
#include "engine/task/npy.h"
#include "engine/task/random.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

namespace kw::task {
namespace {

/// Elements made at a time: the scratch arrays of one piece stay in the first-level cache. A multiple of 4, as
/// random_words needs.
constexpr std::size_t kPiece = 2048;
constexpr std::uint64_t kGrain = 64 * kPiece; ///< elements of one thread's turn

std::unexpected<Error> bad(const Tensor& tensor, std::string message) {
    return fail(Stage::task, ErrorCode::invalid_input, fmt::format("tensor '{}' {}", tensor.name, message),
                tensor.where);
}

template<class To, class From> void store_as(std::span<const From> values, std::byte* out) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        const To value = static_cast<To>(values[i]);
        std::memcpy(out + i * sizeof(To), &value, sizeof(To));
    }
}

template<std::uint16_t (*Narrow)(double), class From> void store_narrow(std::span<const From> values, std::byte* out) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        const std::uint16_t value = Narrow(static_cast<double>(values[i]));
        std::memcpy(out + i * sizeof value, &value, sizeof value);
    }
}

/// Writes values, which are in range, as elements of `type`.
template<class From> void store(std::span<const From> values, ScalarType type, std::byte* out) {
    switch (type) {
    case ScalarType::f16: return store_narrow<to_f16>(values, out);
    case ScalarType::bf16: return store_narrow<to_bf16>(values, out);
    case ScalarType::f32: return store_as<float>(values, out);
    case ScalarType::f64: return store_as<double>(values, out);
    case ScalarType::i8: return store_as<std::int8_t>(values, out);
    case ScalarType::u8: return store_as<std::uint8_t>(values, out);
    case ScalarType::i16: return store_as<std::int16_t>(values, out);
    case ScalarType::u16: return store_as<std::uint16_t>(values, out);
    case ScalarType::i32: return store_as<std::int32_t>(values, out);
    case ScalarType::u32: return store_as<std::uint32_t>(values, out);
    case ScalarType::i64: return store_as<std::int64_t>(values, out);
    case ScalarType::u64: return store_as<std::uint64_t>(values, out);
    case ScalarType::boolean: return store_as<std::uint8_t>(values, out);
    }
}

/// A fill with its arguments evaluated for one size set.
struct Numbers {
    Fill::Kind kind = Fill::Kind::normal;
    double a = 0, b = 0;
    std::int64_t lo = 0, hi = 0; ///< a and b of integer fills
    std::uint64_t n = 1;         ///< permutation length
};

class Generator {
public:
    Generator(const Tensor& tensor, const Numbers& numbers, std::uint64_t elements, std::uint64_t seed, std::byte* out)
        : type_(tensor.type), numbers_(numbers), elements_(elements), key_(stream_key(seed, tensor.name)), out_(out) {}

    void run() const {
        parallel_for(elements_, kGrain, [this](std::uint64_t begin, std::uint64_t end) {
            for (std::uint64_t at = begin; at < end; at += kPiece)
                piece(at, static_cast<std::size_t>(std::min<std::uint64_t>(kPiece, end - at)));
        });
    }

private:
    void piece(std::uint64_t begin, std::size_t n) const {
        std::byte* out = out_ + begin * size_of(type_);
        // Not cleared: every fill writes one of them.
        std::array<double, kPiece> reals;
        std::array<std::int64_t, kPiece> integers;
        const auto put_reals = [&] { store(std::span<const double>(reals.data(), n), type_, out); };
        const auto put_integers = [&] { store(std::span<const std::int64_t>(integers.data(), n), type_, out); };
        const bool floating = is_floating(type_);
        switch (numbers_.kind) {
        case Fill::Kind::normal:
            normals_from(words(begin), reals);
            scale(reals, numbers_.b, numbers_.a);
            return put_reals();
        case Fill::Kind::uniform:
            uniforms_from(words(begin), reals);
            scale(reals, numbers_.b - numbers_.a, numbers_.a);
            return put_reals();
        case Fill::Kind::integers: draw_integers(begin, integers); return put_integers();
        case Fill::Kind::sorted:
            ascending(begin, n, reals);
            if (floating) return put_reals();
            for (std::size_t i = 0; i < n; ++i)
                integers[i] = std::min(numbers_.hi, static_cast<std::int64_t>(std::floor(reals[i])));
            return put_integers();
        case Fill::Kind::permutation: permute(begin, n, integers); return put_integers();
        case Fill::Kind::ones: integers.fill(1); return put_integers();
        case Fill::Kind::iota:
            for (std::size_t i = 0; i < n; ++i) integers[i] = static_cast<std::int64_t>(begin + i);
            return put_integers();
        case Fill::Kind::zeros:
        case Fill::Kind::torch:
        case Fill::Kind::file: integers.fill(0); return put_integers();
        }
    }

    [[nodiscard]] std::span<const std::uint32_t> words(std::uint64_t begin) const {
        static thread_local std::array<std::uint32_t, kPiece> buffer;
        random_words(key_, begin, buffer);
        return buffer;
    }

    static void scale(std::span<double> values, double factor, double offset) {
        for (double& value : values) value = value * factor + offset;
    }

    void draw_integers(std::uint64_t begin, std::span<std::int64_t> out) const {
        const std::uint64_t range =
            static_cast<std::uint64_t>(numbers_.hi) - static_cast<std::uint64_t>(numbers_.lo) + 1;
        const auto lo = static_cast<std::uint64_t>(numbers_.lo);
        if (range != 0 && range <= std::uint64_t{1} << 32) {
            const auto random = words(begin);
            for (std::size_t i = 0; i < out.size(); ++i)
                out[i] = static_cast<std::int64_t>(lo + (random[i] * range >> 32));
            return;
        }
        std::array<std::uint32_t, 2 * kPiece> random;
        random_words(key_, 2 * begin, random);
        for (std::size_t i = 0; i < out.size(); ++i) {
            const std::uint64_t word = std::uint64_t{random[2 * i]} << 32 | random[2 * i + 1];
            // A range of 2^64 wraps to 0: every word is a value.
            const std::uint64_t drawn =
                range == 0 ? word : static_cast<std::uint64_t>(static_cast<Wide>(word) * range >> 64);
            out[i] = static_cast<std::int64_t>(lo + drawn);
        }
    }

    /// Element i lies in the i-th of equal cells of [lo, hi), so that the whole ascends without being sorted.
    void ascending(std::uint64_t begin, std::size_t n, std::span<double> out) const {
        const double lo = numbers_.a, width = numbers_.b - numbers_.a + (is_floating(type_) ? 0 : 1);
        const double cells = static_cast<double>(elements_);
        uniforms_from(words(begin), out);
        for (std::size_t i = 0; i < n; ++i) out[i] = lo + width * ((static_cast<double>(begin + i) + out[i]) / cells);
    }

    void permute(std::uint64_t begin, std::size_t n, std::span<std::int64_t> out) const {
        std::uint64_t block = begin / numbers_.n, index = begin % numbers_.n;
        Permutation permutation(key_, block, numbers_.n);
        for (std::size_t i = 0; i < n; ++i) {
            out[i] = static_cast<std::int64_t>(permutation(index));
            if (++index < numbers_.n) continue;
            index = 0;
            permutation = Permutation(key_, ++block, numbers_.n);
        }
    }

    __extension__ using Wide = unsigned __int128;

    ScalarType type_;
    const Numbers& numbers_;
    std::uint64_t elements_;
    StreamKey key_;
    std::byte* out_;
};

/// The largest n such that every integer below it is exact in a type.
std::uint64_t exact_below(ScalarType type) {
    switch (type) {
    case ScalarType::f16: return 2049;
    case ScalarType::bf16: return 257;
    case ScalarType::f32: return (std::uint64_t{1} << 24) + 1;
    case ScalarType::f64: return (std::uint64_t{1} << 53) + 1;
    default: return static_cast<std::uint64_t>(integer_range(type)->hi) + 1;
    }
}

Result<Numbers> evaluate(const Tensor& tensor, const Sizes& sizes, std::uint64_t elements) {
    const Fill& fill = tensor.fill;
    Numbers numbers{fill.kind, fill.a, fill.b, 0, 0, elements};
    for (const auto& [expression, value] :
         {std::pair{&fill.a_expression, &numbers.a}, std::pair{&fill.b_expression, &numbers.b}}) {
        if (!*expression) continue;
        auto result = (*expression)->evaluate(sizes);
        if (!result) return std::unexpected(result.error());
        *value = static_cast<double>(*result);
    }
    if (fill.kind == Fill::Kind::permutation && numbers.a > 0) numbers.n = static_cast<std::uint64_t>(numbers.a);
    if (fill.kind == Fill::Kind::permutation && numbers.a < 0) return bad(tensor, "permutes fewer than one value");
    if ((fill.kind == Fill::Kind::permutation && numbers.n > exact_below(tensor.type))
        || (fill.kind == Fill::Kind::iota && !is_floating(tensor.type) && elements > exact_below(tensor.type)))
        return bad(tensor,
                   fmt::format("would count to {}, which {} does not hold", numbers.n - 1, to_string(tensor.type)));
    const bool whole =
        fill.kind == Fill::Kind::integers || (fill.kind == Fill::Kind::sorted && !is_floating(tensor.type));
    const bool ranged = whole || fill.kind == Fill::Kind::uniform || fill.kind == Fill::Kind::sorted;
    if (ranged && numbers.a > numbers.b)
        return bad(tensor, fmt::format("has a {} fill whose low end {} is above its high end {}", to_string(fill.kind),
                                       numbers.a, numbers.b));
    if (!whole) return numbers;
    const auto range = integer_range(is_floating(tensor.type) ? ScalarType::i64 : tensor.type);
    // The largest 64-bit integer rounds up to 2^63 as a double; the comparison keeps the conversion below within
    // bounds.
    for (const double end : {numbers.a, numbers.b})
        if (end < static_cast<double>(range->lo) || end > static_cast<double>(range->hi) || end >= 0x1p63
            || end != std::floor(end))
            return bad(tensor, fmt::format("has a fill up to {}, which {} does not hold", end, to_string(tensor.type)));
    numbers.lo = static_cast<std::int64_t>(numbers.a);
    numbers.hi = static_cast<std::int64_t>(numbers.b);
    return numbers;
}

Result<Bytes> from_file(const Tensor& tensor, const Files& files, const Extent& extent, Bytes reuse) {
    const auto found = files.find(tensor.fill.file);
    if (found == files.end())
        return fail(Stage::task, ErrorCode::not_found,
                    fmt::format("the data file '{}' is not in the task folder", tensor.fill.file), tensor.where);
    auto array = parse_npy(found->second, tensor.fill.file, std::move(reuse));
    if (!array) return std::unexpected(array.error());
    if (array->type != tensor.type || array->shape != extent.shape)
        return bad(tensor, fmt::format("is {} of {}, but {} holds {} of {}", to_string(tensor.type),
                                       fmt::join(extent.shape, "x"), tensor.fill.file, to_string(array->type),
                                       fmt::join(array->shape, "x")));
    return std::move(array->bytes);
}

} // namespace

Result<Bytes> generate(const Tensor& tensor, const Files& files, const Sizes& sizes, std::uint64_t seed, Bytes reuse) {
    auto extent = extent_of(tensor.shape, tensor.type, tensor.name, sizes);
    if (!extent) return std::unexpected(extent.error());
    if (tensor.fill.kind == Fill::Kind::torch) return bad(tensor, "has its values from PyTorch alone");
    if (tensor.fill.kind == Fill::Kind::file) return from_file(tensor, files, *extent, std::move(reuse));
    auto numbers = evaluate(tensor, sizes, extent->elements);
    if (!numbers) return std::unexpected(numbers.error());
    try {
        reuse.resize(extent->bytes);
    } catch (const std::exception&) {
        return bad(tensor, fmt::format("needs {} bytes, more than there are", extent->bytes));
    }
    Generator(tensor, *numbers, extent->elements, seed, reuse.data()).run();
    return reuse;
}

} // namespace kw::task
