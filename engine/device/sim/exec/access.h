// From a row of addresses to host memory, with every check. Compiled once per instruction set, in a namespace of its
// own.
#pragma once

#include "engine/device/sim/exec/lanes.h"

namespace kw::sim::KW_ISA {

constexpr u64 kSharedWindowBase = 0x6f00'0000'0000;
constexpr u64 kLocalWindowBase = 0x6e00'0000'0000;
constexpr u64 kWindowSize = u64{1} << 24;
/// The block's own window, then one for each block of a cluster, by rank.
constexpr u64 kClusterWindowSize = 17 * kWindowSize;

enum class Shape : u8 {
    contiguous, ///< lane l at base + l · size; only active lanes are known to lie within the allocation
    broadcast,  ///< all active lanes at base
    scattered,  ///< lane l at lane[l]
};

struct Access {
    Shape shape = Shape::scattered;
    std::byte* base = nullptr;
    std::byte* lane[32];
};

/// The addresses of one instruction: a row, 32 or 64 bits wide, plus an offset.
template<class A> struct Addresses {
    const A* row;
    A offset;
    [[nodiscard]] KW_INLINE u64 at(int lane) const { return static_cast<A>(row[lane] + offset); }
};

/// How the addresses of a full warp lie to each other, at best.
template<u32 Size> KW_INLINE Shape shape_of(const u32* row) {
#if defined(__AVX512F__)
    const __m512i low = _mm512_load_si512(row), high = _mm512_load_si512(row + 16);
    const __m512i first = _mm512_set1_epi32(static_cast<int>(row[0]));
    const __m512i ramp = _mm512_mullo_epi32(_mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15),
                                            _mm512_set1_epi32(static_cast<int>(Size)));
    const __m512i expected = _mm512_add_epi32(first, ramp);
    const __m512i later = _mm512_add_epi32(expected, _mm512_set1_epi32(static_cast<int>(16 * Size)));
    if ((_mm512_cmpneq_epi32_mask(low, expected) | _mm512_cmpneq_epi32_mask(high, later)) == 0)
        return Shape::contiguous;
    if ((_mm512_cmpneq_epi32_mask(low, first) | _mm512_cmpneq_epi32_mask(high, first)) == 0) return Shape::broadcast;
    return Shape::scattered;
#else
    u32 step = 0, same = 0;
#pragma GCC ivdep
    for (u32 lane = 0; lane < 32; ++lane) {
        step |= row[lane] ^ (row[0] + lane * Size);
        same |= row[lane] ^ row[0];
    }
    return step == 0 ? Shape::contiguous : same == 0 ? Shape::broadcast : Shape::scattered;
#endif
}
template<u32 Size> KW_INLINE Shape shape_of(const u64* row) {
#if defined(__AVX512F__)
    const __m512i first = _mm512_set1_epi64(static_cast<s64>(row[0]));
    const __m512i step = _mm512_set1_epi64(8 * Size);
    __m512i expected =
        _mm512_add_epi64(first, _mm512_setr_epi64(0, Size, 2 * Size, 3 * Size, 4 * Size, 5 * Size, 6 * Size, 7 * Size));
    u32 uneven = 0, different = 0;
    for (int part = 0; part < 4; ++part) {
        const __m512i values = _mm512_load_si512(row + 8 * part);
        uneven |= _mm512_cmpneq_epi64_mask(values, expected);
        different |= _mm512_cmpneq_epi64_mask(values, first);
        expected = _mm512_add_epi64(expected, step);
    }
    return uneven == 0 ? Shape::contiguous : different == 0 ? Shape::broadcast : Shape::scattered;
#else
    u64 step = 0, same = 0;
#pragma GCC ivdep
    for (u32 lane = 0; lane < 32; ++lane) {
        step |= row[lane] ^ (row[0] + u64{lane} * Size);
        same |= row[lane] ^ row[0];
    }
    return step == 0 ? Shape::contiguous : same == 0 ? Shape::broadcast : Shape::scattered;
#endif
}

/// Whether every active lane's `Size` bytes lie in [lo, hi) and are aligned; then says where, a host address being
/// `bias` plus the device address.
template<u32 Size, class A>
KW_INLINE bool within(const Warp& warp, Addresses<A> addresses, u32 align, u64 lo, u64 hi, u64 bias, Access& out) {
    const A* row = addresses.row;
    const A offset = addresses.offset;
    if (hi - lo < Size) return false;
    const u64 room = hi - lo - Size;
    if (warp.mask == kFullMask) [[likely]] {
        const Shape shape = shape_of<Size>(row);
        const u64 start = static_cast<A>(row[0] + offset);
        if (shape == Shape::contiguous) {
            if (start - lo > room || room - (start - lo) < 31 * Size || start & (align - 1)) return false;
            out.shape = Shape::contiguous;
            out.base = reinterpret_cast<std::byte*>(bias + start);
            return true;
        }
        if (shape == Shape::broadcast) {
            if (start - lo > room || start & (align - 1)) return false;
            out.shape = Shape::broadcast;
            out.base = reinterpret_cast<std::byte*>(bias + start);
            return true;
        }
        // two tests in one: too high wraps to a large difference, misaligned has low bits
        A bad = 0, low = 0;
        const A lowest = static_cast<A>(lo);
        const A most = static_cast<A>(room);
        if constexpr (sizeof(A) == 4) {
            if (lo > 0xffffffffull) return false;
        }
#pragma GCC ivdep
        for (int lane = 0; lane < 32; ++lane) {
            const A address = row[lane] + offset;
            bad |= static_cast<A>(address - lowest) > most ? A{1} : A{0};
            low |= address;
        }
        if (bad != 0 || low & (align - 1)) return false;
        out.shape = Shape::scattered;
#pragma GCC ivdep
        for (int lane = 0; lane < 32; ++lane)
            out.lane[lane] = reinterpret_cast<std::byte*>(bias + static_cast<A>(row[lane] + offset));
        return true;
    }
    const int leader = __builtin_ctz(warp.mask);
    const int last = 31 - __builtin_clz(warp.mask);
    const A first = row[leader];
    A step = 0, same = 0;
    const s32* active = warp.lanes;
#pragma GCC ivdep
    for (int lane = 0; lane < 32; ++lane) {
        const A mask = static_cast<A>(static_cast<std::make_signed_t<A>>(active[lane]));
        step |= (row[lane] ^ static_cast<A>(first + (static_cast<A>(lane) - static_cast<A>(leader)) * Size)) & mask;
        same |= (row[lane] ^ first) & mask;
    }
    const u64 start = static_cast<A>(first + offset);
    if (step == 0 || same == 0) {
        const u64 span = step == 0 ? static_cast<u64>(last - leader) * Size : 0;
        if (start - lo > room || room - (start - lo) < span || start & (align - 1)) return false;
        out.shape = step == 0 ? Shape::contiguous : Shape::broadcast;
        out.base = reinterpret_cast<std::byte*>(bias + start - (step == 0 ? static_cast<u64>(leader) * Size : 0));
        return true;
    }
    u64 bad = 0;
    for (u32 mask = warp.mask; mask != 0; mask &= mask - 1) {
        const int lane = __builtin_ctz(mask);
        const u64 address = addresses.at(lane);
        bad |= static_cast<u64>(address - lo > room) | (address & (align - 1));
        out.lane[lane] = reinterpret_cast<std::byte*>(bias + address);
    }
    out.shape = Shape::scattered;
    return bad == 0;
}

// The slow ways, lane by lane; they find the lane at fault. Each says whether the access may go ahead.
bool resolve_global_lanes(Warp& warp, const Step* step, const u64* address, u32 size, u32 align, bool write,
                          Space space, Access& out);
bool resolve_shared_lanes(Warp& warp, const Step* step, const u64* address, u32 size, u32 align, bool write,
                          Access& out);
bool resolve_local_lanes(Warp& warp, const Step* step, const u64* address, u32 size, u32 align, bool write,
                         Access& out);
bool resolve_generic_lanes(Warp& warp, const Step* step, const u64* address, u32 size, u32 align, bool write,
                           Access& out);

template<class A> KW_INLINE void spell_out(Addresses<A> addresses, u64* out) {
    for (int lane = 0; lane < 32; ++lane) out[lane] = addresses.at(lane);
}

template<u32 Size>
KW_INLINE bool resolve_global(Warp& warp, const Step* step, Addresses<u64> addresses, u32 align, bool write,
                              Space space, Access& out) {
    const Range& range = range_of(warp, step);
    if (within<Size>(warp, addresses, align, range.begin, range.end, static_cast<u64>(warp.memory_delta), out)
        && (!write || range.writable)) [[likely]]
        return true;
    // Not where this instruction went last time: try the allocation of its first lane.
    Range fresh;
    if (find_range(warp, addresses.at(__builtin_ctz(warp.mask)), Size, fresh) && (!write || fresh.writable)
        && within<Size>(warp, addresses, align, fresh.begin, fresh.end, static_cast<u64>(warp.memory_delta), out)) {
        range_of(warp, step) = fresh;
        return true;
    }
    u64 spelled[32];
    spell_out(addresses, spelled);
    return resolve_global_lanes(warp, step, spelled, Size, align, write, space, out);
}

template<u32 Size, class A>
KW_INLINE bool resolve_shared(Warp& warp, const Step* step, Addresses<A> addresses, u32 align, bool write,
                              Access& out) {
    if (within<Size>(warp, addresses, align, 0, warp.shared_bytes, reinterpret_cast<u64>(warp.shared), out)) [[likely]]
        return true;
    u64 spelled[32];
    spell_out(addresses, spelled);
    return resolve_shared_lanes(warp, step, spelled, Size, align, write, out);
}

template<u32 Size>
KW_INLINE bool resolve_generic(Warp& warp, const Step* step, Addresses<u64> addresses, u32 align, bool write,
                               Access& out) {
    const u64 first = addresses.at(__builtin_ctz(warp.mask));
    if (first - kSharedWindowBase < kWindowSize) {
        if (within<Size>(warp, addresses, align, kSharedWindowBase, kSharedWindowBase + warp.shared_bytes,
                         reinterpret_cast<u64>(warp.shared) - kSharedWindowBase, out))
            return true;
    } else if (first - kLocalWindowBase >= kWindowSize) {
        const Range& range = range_of(warp, step);
        if (within<Size>(warp, addresses, align, range.begin, range.end, static_cast<u64>(warp.memory_delta), out)
            && (!write || range.writable))
            return true;
    }
    u64 spelled[32];
    spell_out(addresses, spelled);
    return resolve_generic_lanes(warp, step, spelled, Size, align, write, out);
}

template<u32 Size, Space S, class A>
KW_INLINE bool resolve(Warp& warp, const Step* step, u32 address_row, bool write, u32 align, Access& out) {
    const Addresses<A> addresses{row<const A>(warp, address_row), static_cast<A>(step->imm)};
    if constexpr (S == Space::shared) {
        return resolve_shared<Size>(warp, step, addresses, align, write, out);
    } else if constexpr (S == Space::global) {
        return resolve_global<Size>(warp, step, addresses, align, write, Space::global, out);
    } else if constexpr (S == Space::constant) {
        return resolve_global<Size>(warp, step, addresses, align, write, Space::constant, out);
    } else if constexpr (S == Space::local) {
        u64 spelled[32];
        spell_out(addresses, spelled);
        return resolve_local_lanes(warp, step, spelled, Size, align, write, out);
    } else {
        return resolve_generic<Size>(warp, step, addresses, align, write, out);
    }
}

/// Resolvers by size, space and address width, for handlers that are not worth an instance per space.
using Resolver = bool (*)(Warp& warp, const Step* step, u32 address_row, bool write, u32 align, Access& out);
/// `bytes` 1 … 64, a power of two; null for an unknown combination.
Resolver find_resolver(Space space, RowClass address, u32 bytes);
/// The index that find_resolver's table gives to a combination, to be kept in a Step.
int resolver_index(Space space, RowClass address, u32 bytes);
Resolver resolver_at(int index);

/// Every active lane's own pointer.
KW_INLINE void to_pointers(const Warp& warp, Access& access, u32 size) {
    if (access.shape == Shape::scattered) return;
    const u32 stride = access.shape == Shape::contiguous ? size : 0;
    for (u32 mask = warp.mask; mask != 0; mask &= mask - 1) {
        const int lane = __builtin_ctz(mask);
        access.lane[lane] = access.base + static_cast<u32>(lane) * stride;
    }
}

template<class T> KW_INLINE T load_raw(const std::byte* from) {
    T value;
    __builtin_memcpy(&value, from, sizeof(T));
    return value;
}
template<class T> KW_INLINE void store_raw(std::byte* to, T value) { __builtin_memcpy(to, &value, sizeof(T)); }

} // namespace kw::sim::KW_ISA
