#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

/// Counter-based random numbers: value i of a stream depends on the key and i alone, so that threads can fill any part,
/// and only on integer and basic IEEE operations, so that every machine makes the same bits.
namespace kw::task {

struct StreamKey {
    std::uint32_t a = 0;
    std::uint32_t b = 0;
};

/// A stream for one tensor under one seed: tensors of one evaluation must not repeat each other.
[[nodiscard]] StreamKey stream_key(std::uint64_t seed, std::string_view name);

/// Words first … first + out.size() of the stream: Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as
/// 1, 2, 3", 2011). `first` and the size are multiples of 4.
void random_words(StreamKey key, std::uint64_t first, std::span<std::uint32_t> out);

/// Standard normals from as many words (an even number), by Box and Muller; |z| < 6.7.
void normals_from(std::span<const std::uint32_t> words, std::span<double> out);

/// Uniform in (0, 1).
void uniforms_from(std::span<const std::uint32_t> words, std::span<double> out);

/// A pseudo-random permutation of [0, n): the image of `index`. A Feistel network over the next power of four, walked
/// until inside.
class Permutation {
public:
    Permutation(StreamKey key, std::uint64_t block, std::uint64_t n);
    [[nodiscard]] std::uint64_t operator()(std::uint64_t index) const;

private:
    static constexpr int kRounds = 6;
    std::uint64_t n_;
    int half_bits_;
    std::uint32_t keys_[8] = {};
};

} // namespace kw::task
