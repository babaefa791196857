#include "engine/task/random.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#define KW_INLINE inline __attribute__((always_inline))

namespace kw::task {
namespace {

constexpr std::uint32_t kMultiplierA = 0xD2511F53,
                        kMultiplierB = 0xCD9E8D57; ///< Philox's constants, as are the two Weyl steps
constexpr std::uint32_t kWeylA = 0x9E3779B9, kWeylB = 0xBB67AE85;
constexpr std::size_t kLanes = 16; ///< blocks worked on side by side, for vector units

/// Blocks first … first + kLanes of the stream, four words each.
KW_INLINE void philox(StreamKey key, std::uint64_t first, std::uint32_t* out) {
    std::uint32_t c0[kLanes], c1[kLanes], c2[kLanes], c3[kLanes];
    for (std::size_t i = 0; i < kLanes; ++i) {
        c0[i] = static_cast<std::uint32_t>(first + i);
        c1[i] = static_cast<std::uint32_t>((first + i) >> 32);
        c2[i] = c3[i] = 0;
    }
    for (int round = 0; round < 10; ++round) {
        for (std::size_t i = 0; i < kLanes; ++i) {
            const std::uint64_t a = std::uint64_t{c0[i]} * kMultiplierA, b = std::uint64_t{c2[i]} * kMultiplierB;
            c0[i] = static_cast<std::uint32_t>(b >> 32) ^ c1[i] ^ key.a;
            c1[i] = static_cast<std::uint32_t>(b);
            c2[i] = static_cast<std::uint32_t>(a >> 32) ^ c3[i] ^ key.b;
            c3[i] = static_cast<std::uint32_t>(a);
        }
        key.a += kWeylA;
        key.b += kWeylB;
    }
    for (std::size_t i = 0; i < kLanes; ++i) {
        out[4 * i] = c0[i];
        out[4 * i + 1] = c1[i];
        out[4 * i + 2] = c2[i];
        out[4 * i + 3] = c3[i];
    }
}

KW_INLINE void fill_words(StreamKey key, std::uint64_t first, std::span<std::uint32_t> out) {
    std::uint32_t block[4 * kLanes];
    std::size_t at = 0;
    for (; at + 4 * kLanes <= out.size(); at += 4 * kLanes) philox(key, (first + at) / 4, out.data() + at);
    if (at == out.size()) return;
    philox(key, (first + at) / 4, block);
    std::copy_n(block, out.size() - at, out.data() + at);
}

/// An unsigned integer below 2^52 as a double, by placing it in the significand of 2^52; vector units lack the
/// conversion.
KW_INLINE double to_double(std::uint64_t value) { return std::bit_cast<double>(value | 0x4330000000000000u) - 0x1p52; }

/// (0, 1): the middle of one of 2^32 equal cells.
KW_INLINE double to_unit(std::uint32_t word) { return (to_double(word) + 0.5) * 0x1p-32; }

/// ln x for normal x > 0: x = m·2^e with m in [√½, √2), ln m = 2·artanh((m − 1)/(m + 1)) as a series in the square of
/// that ratio.
KW_INLINE double natural_log(double x) {
    constexpr std::uint64_t kRootHalf = 0x3FE6A09E667F3BCDu;
    const auto bits = std::bit_cast<std::uint64_t>(x);
    const std::uint64_t raised = bits - kRootHalf + (std::uint64_t{1023} << 52);
    const double exponent = to_double(raised >> 52) - 1023.0;
    const double m = std::bit_cast<double>((raised & 0x000FFFFFFFFFFFFFu) + kRootHalf);
    const double s = (m - 1) / (m + 1), q = s * s;
    double series = 1.0 / 21;
    series = series * q + 1.0 / 19;
    series = series * q + 1.0 / 17;
    series = series * q + 1.0 / 15;
    series = series * q + 1.0 / 13;
    series = series * q + 1.0 / 11;
    series = series * q + 1.0 / 9;
    series = series * q + 1.0 / 7;
    series = series * q + 1.0 / 5;
    series = series * q + 1.0 / 3;
    series = series * q + 1.0;
    return exponent * std::numbers::ln2 + 2 * s * series;
}

KW_INLINE void box_muller(const std::uint32_t* words, double* out, std::size_t pairs) {
    for (std::size_t i = 0; i < pairs; ++i) {
        const double radius = std::sqrt(-2 * natural_log(to_unit(words[2 * i])));
        // The top two bits choose a quadrant, the others an angle within π/4 of its middle; Taylor series reach double
        // precision there.
        const std::uint32_t word = words[2 * i + 1], quadrant = word >> 30;
        const double angle = (to_unit(word << 2) - 0.5) * (std::numbers::pi / 2), q = angle * angle;
        double sine = 1.0 / 355687428096000;
        sine = sine * q - 1.0 / 1307674368000;
        sine = sine * q + 1.0 / 6227020800;
        sine = sine * q - 1.0 / 39916800;
        sine = sine * q + 1.0 / 362880;
        sine = sine * q - 1.0 / 5040;
        sine = sine * q + 1.0 / 120;
        sine = sine * q - 1.0 / 6;
        sine = (sine * q + 1.0) * angle;
        double cosine = 1.0 / 20922789888000;
        cosine = cosine * q - 1.0 / 87178291200;
        cosine = cosine * q + 1.0 / 479001600;
        cosine = cosine * q - 1.0 / 3628800;
        cosine = cosine * q + 1.0 / 40320;
        cosine = cosine * q - 1.0 / 720;
        cosine = cosine * q + 1.0 / 24;
        cosine = cosine * q - 1.0 / 2;
        cosine = cosine * q + 1.0;
        const bool swapped = (quadrant & 1) != 0;
        const double first = swapped ? sine : cosine, second = swapped ? cosine : sine;
        const double sign_first = quadrant == 1 || quadrant == 2 ? -radius : radius;
        const double sign_second = quadrant >= 2 ? -radius : radius;
        out[2 * i] = first * sign_first;
        out[2 * i + 1] = second * sign_second;
    }
}

KW_INLINE void units(const std::uint32_t* words, double* out, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) out[i] = to_unit(words[i]);
}

/// The same code for each width of vectors: no fused operations, hence the same bits.
struct Loops {
    void (*words)(StreamKey key, std::uint64_t first, std::span<std::uint32_t> out);
    void (*normals)(const std::uint32_t* words, double* out, std::size_t pairs);
};

void plain_words(StreamKey key, std::uint64_t first, std::span<std::uint32_t> out) { fill_words(key, first, out); }
void plain_normals(const std::uint32_t* words, double* out, std::size_t pairs) { box_muller(words, out, pairs); }

#if defined(__x86_64__)
#define KW_WIDE __attribute__((target("avx2")))
KW_WIDE void wide_words(StreamKey key, std::uint64_t first, std::span<std::uint32_t> out) {
    fill_words(key, first, out);
}
KW_WIDE void wide_normals(const std::uint32_t* words, double* out, std::size_t pairs) { box_muller(words, out, pairs); }

#if defined(__clang__)
#define KW_WIDEST __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))
#else
// Tuned for no processor in particular, GCC would stay with vectors half as wide.
#define KW_WIDEST __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,prefer-vector-width=512")))
#endif
KW_WIDEST void widest_words(StreamKey key, std::uint64_t first, std::span<std::uint32_t> out) {
    fill_words(key, first, out);
}
KW_WIDEST void widest_normals(const std::uint32_t* words, double* out, std::size_t pairs) {
    box_muller(words, out, pairs);
}

Loops choose() {
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq")
        && __builtin_cpu_supports("avx512vl"))
        return {widest_words, widest_normals};
    if (__builtin_cpu_supports("avx2")) return {wide_words, wide_normals};
    return {plain_words, plain_normals};
}
#else
Loops choose() { return {plain_words, plain_normals}; }
#endif

const Loops& loops() {
    static const Loops chosen = choose();
    return chosen;
}

/// The finaliser of MurmurHash3, a bijection whose every input bit moves about half of the output bits.
std::uint32_t mix(std::uint32_t x) {
    x = (x ^ x >> 16) * 0x85EBCA6Bu;
    x = (x ^ x >> 13) * 0xC2B2AE35u;
    return x ^ x >> 16;
}

} // namespace

StreamKey stream_key(std::uint64_t seed, std::string_view name) {
    // FNV-1a of the name, started from the seed.
    std::uint64_t hash = 0xCBF29CE484222325u ^ seed;
    for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001B3u;
    hash ^= seed << 1;
    return {mix(static_cast<std::uint32_t>(hash)),
            mix(static_cast<std::uint32_t>(hash >> 32) ^ static_cast<std::uint32_t>(seed))};
}

void random_words(StreamKey key, std::uint64_t first, std::span<std::uint32_t> out) { loops().words(key, first, out); }

void normals_from(std::span<const std::uint32_t> words, std::span<double> out) {
    loops().normals(words.data(), out.data(), std::min(words.size(), out.size()) / 2);
}

void uniforms_from(std::span<const std::uint32_t> words, std::span<double> out) {
    units(words.data(), out.data(), std::min(words.size(), out.size()));
}

Permutation::Permutation(StreamKey key, std::uint64_t block, std::uint64_t n)
    : n_(n), half_bits_(std::max(1, (static_cast<int>(std::bit_width(n - 1)) + 1) / 2)) {
    // Away from the counters that random_words uses, which begin at 0.
    random_words(key, (std::uint64_t{1} << 62) + 8 * block, keys_);
}

std::uint64_t Permutation::operator()(std::uint64_t index) const {
    const std::uint64_t mask = (std::uint64_t{1} << half_bits_) - 1;
    do {
        std::uint64_t left = index >> half_bits_, right = index & mask;
        for (int round = 0; round < kRounds; ++round) {
            const std::uint64_t mixed = left ^ (mix(static_cast<std::uint32_t>(right) ^ keys_[round]) & mask);
            left = right;
            right = mixed;
        }
        index = left << half_bits_ | right;
    } while (index >= n_);
    return index;
}

} // namespace kw::task
