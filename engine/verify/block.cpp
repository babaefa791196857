#include "engine/verify/block.h"

#include "engine/task/half.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#define KW_INLINE inline __attribute__((always_inline))

namespace kw::verify {
namespace {

using task::ScalarType;
using task::Tolerance;

/// A type as it lies in memory (`Bits`), and the type that its arithmetic is done in (`Real`).
struct F16 {
    using Bits = std::uint16_t;
    using Real = float;
    static constexpr Bits kInfinity = 0x7C00;
    static Real real(Bits bits) { return task::from_f16(bits); }
};
struct BF16 {
    using Bits = std::uint16_t;
    using Real = float;
    static constexpr Bits kInfinity = 0x7F80;
    static Real real(Bits bits) { return task::from_bf16(bits); }
};
struct F32 {
    using Bits = std::uint32_t;
    using Real = float;
    static constexpr Bits kInfinity = 0x7F800000;
    static Real real(Bits bits) { return std::bit_cast<float>(bits); }
};
struct F64 {
    using Bits = std::uint64_t;
    using Real = double;
    static constexpr Bits kInfinity = 0x7FF0000000000000;
    static Real real(Bits bits) { return std::bit_cast<double>(bits); }
};

template<class T> KW_INLINE T load(const std::byte* from, std::size_t index) {
    T value;
    std::memcpy(&value, from + index * sizeof(T), sizeof(T));
    return value;
}

#define KW_VECTOR 16
#define KW_TARGET
namespace plain {
#include "engine/verify/block_kernels.inc"
}
#undef KW_VECTOR
#undef KW_TARGET

#if defined(__x86_64__)
#define KW_VECTOR 32
#define KW_TARGET __attribute__((target("avx2")))
namespace avx2 {
#include "engine/verify/block_kernels.inc"
}
#undef KW_VECTOR
#undef KW_TARGET

#define KW_VECTOR 64
#define KW_TARGET __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
namespace avx512 {
#include "engine/verify/block_kernels.inc"
}
#undef KW_VECTOR
#undef KW_TARGET

template<ScalarType kType> CompareBlock choose() {
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq")
        && __builtin_cpu_supports("avx512vl"))
        return avx512::compare_block<kType>;
    return __builtin_cpu_supports("avx2") ? avx2::compare_block<kType> : plain::compare_block<kType>;
}
#else
template<ScalarType kType> CompareBlock choose() { return plain::compare_block<kType>; }
#endif

/// One pair of values that differ, with the same arithmetic as in compare_floating, so that both agree on which
/// elements fail.
template<class Real> struct Rating {
    Real ratio = 0; ///< above 1 exactly where it fails
    bool fails = false;
};
template<class Real> KW_INLINE Rating<Real> rate(Real e, Real a, Real atol, Real rtol) {
    const Real just_above = std::nextafter(Real{1}, Real{2});
    const Real off = std::abs(a - e), allowed = atol + rtol * std::abs(e);
    const Real ratio = off / allowed;
    if (off <= allowed && allowed < std::numeric_limits<Real>::infinity()) return {std::min(ratio, Real{1}), false};
    return {std::isfinite(ratio) && std::isfinite(e) ? std::max(ratio, just_above)
                                                     : std::numeric_limits<Real>::infinity(),
            true};
}

/// A double just above 1 must not become the float 1.
template<class Real> KW_INLINE float narrowed(Real worst, bool fails) {
    const float narrow = static_cast<float>(worst);
    return fails ? std::max(narrow, std::nextafter(1.0f, 2.0f)) : std::min(narrow, 1.0f);
}

template<class Format>
Misfit misfit_floating(const std::byte* expected, const std::byte* actual, std::size_t n, const Tolerance& tolerance) {
    using Real = typename Format::Real;
    using Bits = typename Format::Bits;
    const Real atol = static_cast<Real>(tolerance.atol), rtol = static_cast<Real>(tolerance.rtol);
    Real worst = 0;
    std::uint32_t mismatches = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const Real e = Format::real(load<Bits>(expected, i)), a = Format::real(load<Bits>(actual, i));
        if (a == e) continue;
        const auto rating = rate(e, a, atol, rtol);
        mismatches += rating.fails ? 1 : 0;
        worst = std::max(worst, rating.ratio);
    }
    return {narrowed(worst, mismatches > 0), mismatches};
}

template<class Format>
void summarize_floating(const std::byte* expected, const std::byte* actual, std::size_t n, const Tolerance& tolerance,
                        Cell& cell) {
    using Real = typename Format::Real;
    using Bits = typename Format::Bits;
    const Real atol = static_cast<Real>(tolerance.atol), rtol = static_cast<Real>(tolerance.rtol);
    constexpr Bits kMagnitude = static_cast<Bits>(std::numeric_limits<Bits>::max() >> 1);
    Cell found;
    Real worst = -1, pivot = 0, max_abs = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const Bits a_bits = load<Bits>(actual, i);
        const Bits size = a_bits & kMagnitude;
        const Real e = Format::real(load<Bits>(expected, i)), a = Format::real(a_bits);
        found.nan += size > Format::kInfinity ? 1 : 0;
        found.inf += size == Format::kInfinity ? 1 : 0;
        if (a == e) continue;
        const Real off = std::abs(a - e);
        if (std::isfinite(off) && off > max_abs) max_abs = off;
        const auto rating = rate(e, a, atol, rtol);
        found.mismatches += rating.fails ? 1 : 0;
        if (rating.ratio > worst) {
            worst = rating.ratio;
            pivot = std::abs(e);
        }
    }
    if (worst >= 0) {
        found.worst = narrowed(worst, found.mismatches > 0);
        found.pivot = static_cast<float>(pivot);
    }
    found.max_abs = static_cast<float>(max_abs);
    cell.merge(found);
}

template<class T>
Misfit misfit_integers(const std::byte* expected, const std::byte* actual, std::size_t n, const Tolerance&) {
    using U = std::make_unsigned_t<T>;
    U worst = 0;
    std::uint32_t mismatches = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const T e = load<T>(expected, i), a = load<T>(actual, i);
        const U off = static_cast<U>(a > e ? U(a) - U(e) : U(e) - U(a));
        mismatches += off != 0 ? 1 : 0;
        worst = std::max(worst, off);
    }
    return {mismatches > 0 ? 1.0f + static_cast<float>(worst) : 0.0f, mismatches};
}

template<class T>
void summarize_integers(const std::byte* expected, const std::byte* actual, std::size_t n, const Tolerance&,
                        Cell& cell) {
    using U = std::make_unsigned_t<T>;
    Cell found;
    U worst = 0;
    for (std::size_t i = 0; i < n; ++i) {
        const T e = load<T>(expected, i), a = load<T>(actual, i);
        const U off = static_cast<U>(a > e ? U(a) - U(e) : U(e) - U(a));
        found.mismatches += off != 0 ? 1 : 0;
        if (off > worst) {
            worst = off;
            found.pivot = std::abs(static_cast<float>(e));
        }
    }
    if (found.mismatches > 0) found.worst = 1.0f + static_cast<float>(worst);
    found.max_abs = static_cast<float>(worst);
    cell.merge(found);
}

std::uint32_t saturating_sum(std::uint32_t a, std::uint32_t b) {
    const std::uint32_t sum = a + b;
    return sum < a ? std::numeric_limits<std::uint32_t>::max() : sum;
}

} // namespace

void Cell::merge(const Cell& other) {
    if (other.worst > worst) {
        worst = other.worst;
        pivot = other.pivot;
    }
    max_abs = std::max(max_abs, other.max_abs);
    mismatches = saturating_sum(mismatches, other.mismatches);
    nan = saturating_sum(nan, other.nan);
    inf = saturating_sum(inf, other.inf);
}

void BlockResult::merge(const BlockResult& other) {
    mismatches += other.mismatches;
    nan += other.nan;
    max_abs = std::max(max_abs, other.max_abs);
    max_rel = std::max(max_rel, other.max_rel);
    max_ulp = std::max(max_ulp, other.max_ulp);
    for (std::size_t i = 0; i < kBuckets; ++i) histogram[i] += other.histogram[i];
}

CompareBlock compare_block_for(ScalarType type) {
    switch (type) {
    case ScalarType::f16: return choose<ScalarType::f16>();
    case ScalarType::bf16: return choose<ScalarType::bf16>();
    case ScalarType::f32: return choose<ScalarType::f32>();
    case ScalarType::f64: return choose<ScalarType::f64>();
    case ScalarType::i8: return choose<ScalarType::i8>();
    case ScalarType::u8: return choose<ScalarType::u8>();
    case ScalarType::i16: return choose<ScalarType::i16>();
    case ScalarType::u16: return choose<ScalarType::u16>();
    case ScalarType::i32: return choose<ScalarType::i32>();
    case ScalarType::u32: return choose<ScalarType::u32>();
    case ScalarType::i64: return choose<ScalarType::i64>();
    case ScalarType::u64: return choose<ScalarType::u64>();
    case ScalarType::boolean: return choose<ScalarType::boolean>();
    }
    std::unreachable();
}

MisfitOf misfit_for(ScalarType type) {
    switch (type) {
    case ScalarType::f16: return misfit_floating<F16>;
    case ScalarType::bf16: return misfit_floating<BF16>;
    case ScalarType::f32: return misfit_floating<F32>;
    case ScalarType::f64: return misfit_floating<F64>;
    case ScalarType::i8: return misfit_integers<std::int8_t>;
    case ScalarType::i16: return misfit_integers<std::int16_t>;
    case ScalarType::i32: return misfit_integers<std::int32_t>;
    case ScalarType::i64: return misfit_integers<std::int64_t>;
    case ScalarType::u8:
    case ScalarType::boolean: return misfit_integers<std::uint8_t>;
    case ScalarType::u16: return misfit_integers<std::uint16_t>;
    case ScalarType::u32: return misfit_integers<std::uint32_t>;
    case ScalarType::u64: return misfit_integers<std::uint64_t>;
    }
    std::unreachable();
}

Summarize summarize_for(ScalarType type) {
    switch (type) {
    case ScalarType::f16: return summarize_floating<F16>;
    case ScalarType::bf16: return summarize_floating<BF16>;
    case ScalarType::f32: return summarize_floating<F32>;
    case ScalarType::f64: return summarize_floating<F64>;
    case ScalarType::i8: return summarize_integers<std::int8_t>;
    case ScalarType::i16: return summarize_integers<std::int16_t>;
    case ScalarType::i32: return summarize_integers<std::int32_t>;
    case ScalarType::i64: return summarize_integers<std::int64_t>;
    case ScalarType::u8:
    case ScalarType::boolean: return summarize_integers<std::uint8_t>;
    case ScalarType::u16: return summarize_integers<std::uint16_t>;
    case ScalarType::u32: return summarize_integers<std::uint32_t>;
    case ScalarType::u64: return summarize_integers<std::uint64_t>;
    }
    std::unreachable();
}

} // namespace kw::verify
