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

/// A type as it lies in memory (`Bits`), the type that its arithmetic is done in (`Real`), and that one's bits.
struct F16 {
    using Bits = std::uint16_t;
    using Real = float;
    static constexpr Bits kInfinity = 0x7C00;
    static KW_INLINE Real real(Bits bits) { return task::from_f16(bits); }
};
struct BF16 {
    using Bits = std::uint16_t;
    using Real = float;
    static constexpr Bits kInfinity = 0x7F80;
    static KW_INLINE Real real(Bits bits) { return task::from_bf16(bits); }
};
struct F32 {
    using Bits = std::uint32_t;
    using Real = float;
    static constexpr Bits kInfinity = 0x7F800000;
    static KW_INLINE Real real(Bits bits) { return std::bit_cast<float>(bits); }
};
struct F64 {
    using Bits = std::uint64_t;
    using Real = double;
    static constexpr Bits kInfinity = 0x7FF0000000000000;
    static KW_INLINE Real real(Bits bits) { return std::bit_cast<double>(bits); }
};

template<class T> KW_INLINE T load(const std::byte* from, std::size_t index) {
    T value;
    std::memcpy(&value, from + index * sizeof(T), sizeof(T));
    return value;
}

/// Adds distances to the histogram. With `kMarked`, the largest number of the type stands for "more" and is no
/// distance.
template<bool kMarked, class U>
KW_INLINE void count(const U* distances, std::size_t n, std::array<std::uint64_t, kBuckets>& histogram) {
    using Counter = std::conditional_t<sizeof(U) == 1, std::uint16_t, U>;
    constexpr U kMost = std::numeric_limits<U>::max();
    // One sweep over the cache a bucket, counting what lies beyond it; the first that counts nothing ends it.
    std::uint64_t left = n;
    std::uint64_t limit = 0;
    for (std::size_t bucket = 0; bucket + 1 < kBuckets && left > 0; ++bucket) {
        const U bound = limit < kMost ? static_cast<U>(limit) : kMarked ? static_cast<U>(kMost - 1) : kMost;
        Counter beyond = 0;
        for (std::size_t i = 0; i < n; ++i) beyond = static_cast<Counter>(beyond + (distances[i] > bound ? 1 : 0));
        histogram[bucket] += left - beyond;
        left = beyond;
        limit = limit == 0 ? 1 : limit * 10;
    }
    histogram[kBuckets - 1] += left;
}

template<class Format>
KW_INLINE void compare_floating(const std::byte* expected, const std::byte* actual, std::size_t n,
                                const Tolerance& tolerance, BlockResult& result) {
    using Bits = typename Format::Bits;
    using Real = typename Format::Real;
    using RealBits = std::conditional_t<sizeof(Real) == 4, std::uint32_t, std::uint64_t>;
    constexpr Bits kSign = static_cast<Bits>(Bits{1} << (8 * sizeof(Bits) - 1));
    constexpr Bits kMore = std::numeric_limits<Bits>::max();
    const Real atol = static_cast<Real>(tolerance.atol), rtol = static_cast<Real>(tolerance.rtol);

    // Non-negative IEEE numbers order as their bits do, and integer maxima are what vector units reduce without special
    // cases.
    RealBits max_abs = 0, max_rel = 0;
    Bits max_ulp = 0;
    RealBits mismatches = 0, nan = 0;
    Bits distances[kBlock];
    for (std::size_t i = 0; i < n; ++i) {
        const Bits eb = load<Bits>(expected, i), ab = load<Bits>(actual, i);
        const Bits em = static_cast<Bits>(eb & ~kSign), am = static_cast<Bits>(ab & ~kSign);
        const Real e = Format::real(eb), a = Format::real(ab);
        const Real off = std::abs(a - e), size = std::abs(e);
        const bool finite = (em < Format::kInfinity) & (am < Format::kInfinity);
        const bool pass = (a == e) | ((off <= atol + rtol * size) & (em < Format::kInfinity));
        mismatches += pass ? 0 : 1;
        nan += am > Format::kInfinity ? 1 : 0;
        const RealBits off_bits = finite ? std::bit_cast<RealBits>(off) : 0;
        max_abs = off_bits > max_abs ? off_bits : max_abs;
        const RealBits rel_bits = (finite & (em != 0)) ? std::bit_cast<RealBits>(off / size) : 0;
        max_rel = rel_bits > max_rel ? rel_bits : max_rel;
        // Keys in the numbers' own order: the sign bit set for positive numbers, negative ones mirrored; both zeros
        // share one.
        const Bits ek = static_cast<Bits>(eb & kSign ? kSign - em : kSign + em);
        const Bits ak = static_cast<Bits>(ab & kSign ? kSign - am : kSign + am);
        const Bits ulp = static_cast<Bits>(ak > ek ? ak - ek : ek - ak);
        const Bits finite_ulp = finite ? ulp : Bits{0};
        max_ulp = finite_ulp > max_ulp ? finite_ulp : max_ulp;
        distances[i] = finite | (a == e) ? ulp : kMore;
    }
    result.mismatches += mismatches;
    result.nan += nan;
    result.max_abs = std::max(result.max_abs, static_cast<double>(std::bit_cast<Real>(max_abs)));
    result.max_rel = std::max(result.max_rel, static_cast<double>(std::bit_cast<Real>(max_rel)));
    result.max_ulp = std::max<std::uint64_t>(result.max_ulp, max_ulp);
    count<true>(distances, n, result.histogram);
}

template<class T>
KW_INLINE void compare_integers(const std::byte* expected, const std::byte* actual, std::size_t n,
                                BlockResult& result) {
    using U = std::make_unsigned_t<T>;
    U max_abs = 0;
    std::uint64_t mismatches = 0;
    double max_rel = 0;
    U distances[kBlock];
    for (std::size_t i = 0; i < n; ++i) {
        const T e = load<T>(expected, i), a = load<T>(actual, i);
        const U off = static_cast<U>(a > e ? U(a) - U(e) : U(e) - U(a));
        max_abs = off > max_abs ? off : max_abs;
        distances[i] = off;
    }
    if (max_abs != 0) {
        // Wrong integers end a verification; there is no hurry here.
        for (std::size_t i = 0; i < n; ++i) {
            if (distances[i] == 0) continue;
            ++mismatches;
            const T e = load<T>(expected, i);
            if (e != 0)
                max_rel = std::max(max_rel, static_cast<double>(distances[i]) / std::abs(static_cast<double>(e)));
        }
    }
    result.mismatches += mismatches;
    result.max_abs = std::max(result.max_abs, static_cast<double>(max_abs));
    result.max_rel = std::max(result.max_rel, max_rel);
    count<false>(distances, n, result.histogram);
}

template<ScalarType kType>
KW_INLINE void compare_any(const std::byte* e, const std::byte* a, std::size_t n, const Tolerance& tolerance,
                           BlockResult& result) {
    if constexpr (kType == ScalarType::f16) compare_floating<F16>(e, a, n, tolerance, result);
    if constexpr (kType == ScalarType::bf16) compare_floating<BF16>(e, a, n, tolerance, result);
    if constexpr (kType == ScalarType::f32) compare_floating<F32>(e, a, n, tolerance, result);
    if constexpr (kType == ScalarType::f64) compare_floating<F64>(e, a, n, tolerance, result);
    if constexpr (kType == ScalarType::i8) compare_integers<std::int8_t>(e, a, n, result);
    if constexpr (kType == ScalarType::i16) compare_integers<std::int16_t>(e, a, n, result);
    if constexpr (kType == ScalarType::i32) compare_integers<std::int32_t>(e, a, n, result);
    if constexpr (kType == ScalarType::i64) compare_integers<std::int64_t>(e, a, n, result);
    if constexpr (kType == ScalarType::u8 || kType == ScalarType::boolean)
        compare_integers<std::uint8_t>(e, a, n, result);
    if constexpr (kType == ScalarType::u16) compare_integers<std::uint16_t>(e, a, n, result);
    if constexpr (kType == ScalarType::u32) compare_integers<std::uint32_t>(e, a, n, result);
    if constexpr (kType == ScalarType::u64) compare_integers<std::uint64_t>(e, a, n, result);
}

template<ScalarType kType>
void compare_plain(const std::byte* e, const std::byte* a, std::size_t n, const Tolerance& tolerance,
                   BlockResult& result) {
    compare_any<kType>(e, a, n, tolerance, result);
}

#if defined(__x86_64__)
template<ScalarType kType>
__attribute__((target("avx2"))) void compare_avx2(const std::byte* e, const std::byte* a, std::size_t n,
                                                  const Tolerance& tolerance, BlockResult& result) {
    compare_any<kType>(e, a, n, tolerance, result);
}

template<ScalarType kType>
__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512"))) void
compare_avx512(const std::byte* e, const std::byte* a, std::size_t n, const Tolerance& tolerance, BlockResult& result) {
    compare_any<kType>(e, a, n, tolerance, result);
}

template<ScalarType kType> CompareBlock choose() {
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq")
        && __builtin_cpu_supports("avx512vl"))
        return compare_avx512<kType>;
    return __builtin_cpu_supports("avx2") ? compare_avx2<kType> : compare_plain<kType>;
}
#else
template<ScalarType kType> CompareBlock choose() { return compare_plain<kType>; }
#endif

/// The same arithmetic as in compare_floating, so that both agree on which elements fail.
template<class Format>
float misfit_floating(const std::byte* expected, const std::byte* actual, const Tolerance& tolerance) {
    using Real = typename Format::Real;
    const Real e = Format::real(load<typename Format::Bits>(expected, 0));
    const Real a = Format::real(load<typename Format::Bits>(actual, 0));
    if (a == e) return 0;
    const Real off = std::abs(a - e),
               allowed = static_cast<Real>(tolerance.atol) + static_cast<Real>(tolerance.rtol) * std::abs(e);
    if (!std::isfinite(off) || !std::isfinite(e) || !(allowed > 0)) return std::numeric_limits<float>::infinity();
    const float ratio = static_cast<float>(off / allowed);
    return off <= allowed ? std::min(ratio, 1.0f) : std::max(ratio, std::nextafter(1.0f, 2.0f));
}

template<class T> float misfit_integer(const std::byte* expected, const std::byte* actual) {
    const T e = load<T>(expected, 0), a = load<T>(actual, 0);
    using U = std::make_unsigned_t<T>;
    const U off = static_cast<U>(a > e ? U(a) - U(e) : U(e) - U(a));
    return off == 0 ? 0.0f : 1.0f + static_cast<float>(off);
}

} // namespace

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

float misfit(const std::byte* expected, const std::byte* actual, ScalarType type, const Tolerance& tolerance) {
    switch (type) {
    case ScalarType::f16: return misfit_floating<F16>(expected, actual, tolerance);
    case ScalarType::bf16: return misfit_floating<BF16>(expected, actual, tolerance);
    case ScalarType::f32: return misfit_floating<F32>(expected, actual, tolerance);
    case ScalarType::f64: return misfit_floating<F64>(expected, actual, tolerance);
    case ScalarType::i8: return misfit_integer<std::int8_t>(expected, actual);
    case ScalarType::i16: return misfit_integer<std::int16_t>(expected, actual);
    case ScalarType::i32: return misfit_integer<std::int32_t>(expected, actual);
    case ScalarType::i64: return misfit_integer<std::int64_t>(expected, actual);
    case ScalarType::u8:
    case ScalarType::boolean: return misfit_integer<std::uint8_t>(expected, actual);
    case ScalarType::u16: return misfit_integer<std::uint16_t>(expected, actual);
    case ScalarType::u32: return misfit_integer<std::uint32_t>(expected, actual);
    case ScalarType::u64: return misfit_integer<std::uint64_t>(expected, actual);
    }
    std::unreachable();
}

} // namespace kw::verify
