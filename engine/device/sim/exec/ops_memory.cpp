// Loads, stores and the copies that bypass registers.
#include "engine/device/sim/exec/access.h"

namespace kw::sim::KW_ISA {
namespace {

/// Reads `warp.mask`'s lanes of a contiguous run of 4-byte elements.
KW_INLINE void load_run32(const Warp& warp, u32* d, const std::byte* base) {
    if (warp.mask == kFullMask) {
        __builtin_memcpy(d, base, 128);
        return;
    }
#if defined(__AVX512F__)
    for (int part = 0; part < 2; ++part) {
        const auto active = static_cast<__mmask16>(warp.mask >> (16 * part));
        _mm512_mask_store_epi32(d + 16 * part, active, _mm512_maskz_loadu_epi32(active, base + 64 * part));
    }
#elif defined(__AVX2__)
    for (int part = 0; part < 4; ++part) {
        const __m256i active = _mm256_load_si256(reinterpret_cast<const __m256i*>(warp.lanes + 8 * part));
        const __m256i loaded = _mm256_maskload_epi32(reinterpret_cast<const int*>(base + 32 * part), active);
        const __m256i old = _mm256_load_si256(reinterpret_cast<const __m256i*>(d + 8 * part));
        _mm256_store_si256(reinterpret_cast<__m256i*>(d + 8 * part), _mm256_blendv_epi8(old, loaded, active));
    }
#else
    each_active(warp, d, [=](int lane) { return load_raw<u32>(base + 4 * lane); });
#endif
}
KW_INLINE void store_run32(const Warp& warp, const u32* a, std::byte* base) {
    if (warp.mask == kFullMask) {
        __builtin_memcpy(base, a, 128);
        return;
    }
#if defined(__AVX512F__)
    for (int part = 0; part < 2; ++part)
        _mm512_mask_storeu_epi32(base + 64 * part, static_cast<__mmask16>(warp.mask >> (16 * part)),
                                 _mm512_load_si512(a + 16 * part));
#elif defined(__AVX2__)
    for (int part = 0; part < 4; ++part)
        _mm256_maskstore_epi32(reinterpret_cast<int*>(base + 32 * part),
                               _mm256_load_si256(reinterpret_cast<const __m256i*>(warp.lanes + 8 * part)),
                               _mm256_load_si256(reinterpret_cast<const __m256i*>(a + 8 * part)));
#else
    for (u32 mask = warp.mask; mask != 0; mask &= mask - 1) {
        const int lane = __builtin_ctz(mask);
        store_raw(base + 4 * lane, a[lane]);
    }
#endif
}

/// d = the value of type M in memory, converted to the row's lane type D.
template<class M, class D> KW_INLINE void fill(const Warp& warp, D* d, const Access& access, u32 stride, u32 at) {
    switch (access.shape) {
    case Shape::contiguous: {
        const std::byte* base = access.base + at;
        if constexpr (sizeof(M) == 4 && sizeof(D) == 4) {
            if (stride == 4) return load_run32(warp, reinterpret_cast<u32*>(d), base);
        }
        if (warp.mask == kFullMask) {
            if (stride == sizeof(M)) {
#pragma GCC ivdep
                for (int lane = 0; lane < 32; ++lane)
                    d[lane] = static_cast<D>(load_raw<M>(base + static_cast<u32>(lane) * sizeof(M)));
            } else {
                for (int lane = 0; lane < 32; ++lane)
                    d[lane] = static_cast<D>(load_raw<M>(base + static_cast<u32>(lane) * stride));
            }
        } else {
            each_active(warp, d,
                        [=](int lane) { return static_cast<D>(load_raw<M>(base + static_cast<u32>(lane) * stride)); });
        }
        return;
    }
    case Shape::broadcast: {
        const D value = static_cast<D>(load_raw<M>(access.base + at));
        each(warp, d, [=](int) { return value; });
        return;
    }
    case Shape::scattered:
        if (warp.mask == kFullMask) {
            for (int lane = 0; lane < 32; ++lane) d[lane] = static_cast<D>(load_raw<M>(access.lane[lane] + at));
        } else {
            each_active(warp, d, [&](int lane) { return static_cast<D>(load_raw<M>(access.lane[lane] + at)); });
        }
        return;
    }
}
template<class M, class S>
KW_INLINE void drain(const Warp& warp, const S* a, const Access& access, u32 stride, u32 at) {
    if (access.shape == Shape::contiguous) {
        std::byte* base = access.base + at;
        if constexpr (sizeof(M) == 4 && sizeof(S) == 4) {
            if (stride == 4) return store_run32(warp, reinterpret_cast<const u32*>(a), base);
        }
        if (warp.mask == kFullMask && stride == sizeof(M)) {
#pragma GCC ivdep
            for (int lane = 0; lane < 32; ++lane)
                store_raw(base + static_cast<u32>(lane) * sizeof(M), static_cast<M>(a[lane]));
            return;
        }
        for (u32 mask = warp.mask; mask != 0; mask &= mask - 1) {
            const int lane = __builtin_ctz(mask);
            store_raw(base + static_cast<u32>(lane) * stride, static_cast<M>(a[lane]));
        }
        return;
    }
    if (access.shape == Shape::broadcast) {
        store_raw(access.base + at, static_cast<M>(a[31 - __builtin_clz(warp.mask)]));
        return;
    }
    for (u32 mask = warp.mask; mask != 0; mask &= mask - 1) {
        const int lane = __builtin_ctz(mask);
        store_raw(access.lane[lane] + at, static_cast<M>(a[lane]));
    }
}

// The most frequent accesses have a handler per space.
template<class M, class D, Space S, class A> [[gnu::noinline]] const Step* load_one_any(Warp& warp, const Step* step) {
    Access access;
    if (!resolve<sizeof(M), S, A>(warp, step, step->a, false, sizeof(M), access)) return nullptr;
    fill<M>(warp, row<D>(warp, step->d), access, sizeof(M), 0);
    return step + 1;
}
template<class M, class T, Space S, class A> [[gnu::noinline]] const Step* store_one_any(Warp& warp, const Step* step) {
    Access access;
    if (!resolve<sizeof(M), S, A>(warp, step, step->a, true, sizeof(M), access)) return nullptr;
    drain<M>(warp, row<const T>(warp, step->b), access, sizeof(M), 0);
    return step + 1;
}

/// Host memory of a full warp's access whose `span` bytes start at `start`, where this step may expect it; else null.
template<Space S>
KW_INLINE std::byte* expected_place(const Warp& warp, const Step* step, u64 start, u32 span, u32 align, bool write) {
    if (start & (align - 1)) return nullptr;
    if constexpr (S == Space::shared) {
        return start <= warp.shared_bytes && warp.shared_bytes - start >= span ? warp.shared + start : nullptr;
    } else {
        const Range& range = range_of(warp, step);
        if (start < range.begin || start > range.end || range.end - start < span || (write && !range.writable))
            return nullptr;
        return reinterpret_cast<std::byte*>(start + static_cast<u64>(warp.memory_delta));
    }
}

template<class M, class D, Space S, class A> const Step* load_one(Warp& warp, const Step* step) {
    if (warp.mask == kFullMask) [[likely]] {
        const A* address = row<const A>(warp, step->a);
        const Shape shape = shape_of<sizeof(M)>(address);
        const u64 start = static_cast<A>(address[0] + static_cast<A>(step->imm));
        D* d = row<D>(warp, step->d);
        if (shape == Shape::contiguous) {
            if (const std::byte* from = expected_place<S>(warp, step, start, 32 * sizeof(M), sizeof(M), false)) {
                if constexpr (sizeof(M) == sizeof(D)) {
                    __builtin_memcpy(d, from, 32 * sizeof(M));
                } else {
#pragma GCC ivdep
                    for (u32 lane = 0; lane < 32; ++lane)
                        d[lane] = static_cast<D>(load_raw<M>(from + lane * sizeof(M)));
                }
                return step + 1;
            }
        } else if (shape == Shape::broadcast) {
            if (const std::byte* from = expected_place<S>(warp, step, start, sizeof(M), sizeof(M), false)) {
                const D value = static_cast<D>(load_raw<M>(from));
#pragma GCC ivdep
                for (int lane = 0; lane < 32; ++lane) d[lane] = value;
                return step + 1;
            }
        }
    }
    return load_one_any<M, D, S, A>(warp, step);
}
template<class M, class T, Space S, class A> const Step* store_one(Warp& warp, const Step* step) {
    if (warp.mask == kFullMask) [[likely]] {
        const A* address = row<const A>(warp, step->a);
        const u64 start = static_cast<A>(address[0] + static_cast<A>(step->imm));
        if (shape_of<sizeof(M)>(address) == Shape::contiguous) {
            if (std::byte* to = expected_place<S>(warp, step, start, 32 * sizeof(M), sizeof(M), true)) {
                __builtin_memcpy(to, row<const T>(warp, step->b), 32 * sizeof(M));
                return step + 1;
            }
        }
    }
    return store_one_any<M, T, S, A>(warp, step);
}
template<class M, class D> Handler quick_load(const Instr& instr) {
    const bool wide = instr.src_rows[0] == RowClass::w64;
    if (instr.space == Space::global && wide) return load_one<M, D, Space::global, u64>;
    if (instr.space == Space::shared)
        return wide ? load_one<M, D, Space::shared, u64> : load_one<M, D, Space::shared, u32>;
    return nullptr;
}
template<class M, class T> Handler quick_store(const Instr& instr) {
    const bool wide = instr.src_rows[0] == RowClass::w64;
    if (instr.space == Space::global && wide) return store_one<M, T, Space::global, u64>;
    if (instr.space == Space::shared)
        return wide ? store_one<M, T, Space::shared, u64> : store_one<M, T, Space::shared, u32>;
    return nullptr;
}

/// operands: elements…, address. count: elements; flags: resolver.
template<class M, class D> const Step* load_any(Warp& warp, const Step* step) {
    const u32* operand = warp.operands + step->extra;
    const u32 count = step->count;
    Access access;
    const u32 stride = static_cast<u32>(sizeof(M)) * count;
    if (!resolver_at(step->flags)(warp, step, operand[count], false, stride, access)) return nullptr;
    for (u32 index = 0; index < count; ++index) {
        if (operand[index] == kNoValue) continue;
        fill<M>(warp, row<D>(warp, operand[index]), access, stride, index * static_cast<u32>(sizeof(M)));
    }
    return step + 1;
}
/// operands: address, elements…
template<class M, class T> const Step* store_any(Warp& warp, const Step* step) {
    const u32* operand = warp.operands + step->extra;
    const u32 count = step->count;
    Access access;
    const u32 stride = static_cast<u32>(sizeof(M)) * count;
    if (!resolver_at(step->flags)(warp, step, operand[0], true, stride, access)) return nullptr;
    for (u32 index = 0; index < count; ++index)
        drain<M>(warp, row<const T>(warp, operand[1 + index]), access, stride, index * static_cast<u32>(sizeof(M)));
    return step + 1;
}

/// Ordered accesses are what programs poll with: after a few the warp lets others run.
KW_INLINE const Step* after_poll(Warp& warp, const Step* step) {
    if ((++warp.polls & 15) != 0) return step + 1;
    warp.yielded = true;
    warp.splits[warp.current].ip = step + 1;
    return nullptr;
}
template<class M, class D> const Step* load_ordered(Warp& warp, const Step* step) {
    const u32* operand = warp.operands + step->extra;
    const u32 count = step->count;
    Access access;
    const u32 stride = static_cast<u32>(sizeof(M)) * count;
    if (!resolver_at(step->flags)(warp, step, operand[count], false, stride, access)) return nullptr;
    to_pointers(warp, access, stride);
    for (u32 index = 0; index < count; ++index) {
        if (operand[index] == kNoValue) continue;
        each_active(warp, row<D>(warp, operand[index]), [&](int lane) {
            return static_cast<D>(
                __atomic_load_n(reinterpret_cast<const M*>(access.lane[lane] + index * sizeof(M)), __ATOMIC_ACQUIRE));
        });
    }
    return after_poll(warp, step);
}
template<class M, class T> const Step* store_ordered(Warp& warp, const Step* step) {
    const u32* operand = warp.operands + step->extra;
    const u32 count = step->count;
    Access access;
    const u32 stride = static_cast<u32>(sizeof(M)) * count;
    if (!resolver_at(step->flags)(warp, step, operand[0], true, stride, access)) return nullptr;
    to_pointers(warp, access, stride);
    for (u32 index = 0; index < count; ++index) {
        const T* a = row<const T>(warp, operand[1 + index]);
        for (u32 mask = warp.mask; mask != 0; mask &= mask - 1) {
            const int lane = __builtin_ctz(mask);
            __atomic_store_n(reinterpret_cast<M*>(access.lane[lane] + index * sizeof(M)), static_cast<M>(a[lane]),
                             __ATOMIC_RELEASE);
        }
    }
    return step + 1;
}

template<class M, class D> Handler pick_load(const Instr& instr) {
    if constexpr (sizeof(M) <= 8) {
        if (instr.has(kVolatile)) return load_ordered<M, D>;
    }
    return load_any<M, D>;
}
template<class M, class T> Handler pick_store(const Instr& instr) {
    if constexpr (sizeof(M) <= 8) {
        if (instr.has(kVolatile)) return store_ordered<M, T>;
    }
    return store_any<M, T>;
}

template<class M, class D16, class D32, class D64> Handler load_narrow(const Instr& instr, RowClass to) {
    switch (to) {
    case RowClass::w16: return pick_load<M, D16>(instr);
    case RowClass::w32: return pick_load<M, D32>(instr);
    case RowClass::w64: return pick_load<M, D64>(instr);
    default: return nullptr;
    }
}

Handler bind_load(const Instr& instr, Step& step) {
    RowClass to = RowClass::pred;
    for (std::size_t index = 0; index < instr.dst.size(); ++index) {
        if (instr.dst[index] == kNoValue) continue;
        if (to != RowClass::pred && instr.dst_rows[index] != to) return nullptr;
        to = instr.dst_rows[index];
    }
    if (to == RowClass::pred) to = row_class(instr.type);
    const u32 size = size_of(instr.type);
    const int resolver = resolver_index(instr.space, instr.src_rows[0], size * instr.vector);
    if (resolver < 0) return nullptr;
    step.flags = static_cast<u16>(resolver);
    step.count = instr.vector;
    const bool plain = !instr.has(kVolatile) && instr.vector == 1 && instr.dst[0] != kNoValue;
    if (plain) {
        Handler quick = nullptr;
        if (size == 4 && to == RowClass::w32) quick = quick_load<u32, u32>(instr);
        if (size == 8 && to == RowClass::w64) quick = quick_load<u64, u64>(instr);
        if (size == 2 && to == RowClass::w16) quick = quick_load<u16, u16>(instr);
        if (size == 1 && to == RowClass::w16 && !is_signed(instr.type)) quick = quick_load<u8, u16>(instr);
        if (quick) return quick;
    }
    switch (instr.type) {
    case Type::u8:
    case Type::b8: return load_narrow<u8, u16, u32, u64>(instr, to);
    case Type::s8: return load_narrow<s8, s16, s32, s64>(instr, to);
    case Type::s16: return load_narrow<s16, s16, s32, s64>(instr, to);
    case Type::u16:
    case Type::b16:
    case Type::f16:
    case Type::bf16: return load_narrow<u16, u16, u32, u64>(instr, to);
    case Type::s32:
        return to == RowClass::w32   ? pick_load<s32, s32>(instr)
               : to == RowClass::w64 ? pick_load<s32, s64>(instr)
                                     : nullptr;
    case Type::u32:
    case Type::b32:
    case Type::f32:
    case Type::f16x2:
    case Type::bf16x2:
        return to == RowClass::w32   ? pick_load<u32, u32>(instr)
               : to == RowClass::w64 ? pick_load<u32, u64>(instr)
                                     : nullptr;
    case Type::u64:
    case Type::s64:
    case Type::b64:
    case Type::f64: return to == RowClass::w64 ? pick_load<u64, u64>(instr) : nullptr;
    case Type::b128: return to == RowClass::w128 ? load_any<u128, u128> : nullptr;
    default: return nullptr;
    }
}

Handler bind_store(const Instr& instr, Step& step) {
    const RowClass from = instr.src_rows[1];
    for (std::size_t index = 2; index < instr.src_rows.size(); ++index) {
        if (instr.src_rows[index] != from) return nullptr;
    }
    const u32 size = size_of(instr.type);
    const int resolver = resolver_index(instr.space, instr.src_rows[0], size * instr.vector);
    if (resolver < 0) return nullptr;
    step.flags = static_cast<u16>(resolver);
    step.count = instr.vector;
    if (!instr.has(kVolatile) && instr.vector == 1) {
        Handler quick = nullptr;
        if (size == 4 && from == RowClass::w32) quick = quick_store<u32, u32>(instr);
        if (size == 8 && from == RowClass::w64) quick = quick_store<u64, u64>(instr);
        if (size == 2 && from == RowClass::w16) quick = quick_store<u16, u16>(instr);
        if (quick) return quick;
    }
    switch (size) {
    case 1:
        return from == RowClass::w16   ? pick_store<u8, u16>(instr)
               : from == RowClass::w32 ? pick_store<u8, u32>(instr)
                                       : pick_store<u8, u64>(instr);
    case 2:
        return from == RowClass::w16   ? pick_store<u16, u16>(instr)
               : from == RowClass::w32 ? pick_store<u16, u32>(instr)
                                       : pick_store<u16, u64>(instr);
    case 4:
        return from == RowClass::w32   ? pick_store<u32, u32>(instr)
               : from == RowClass::w64 ? pick_store<u32, u64>(instr)
                                       : nullptr;
    case 8: return from == RowClass::w64 ? pick_store<u64, u64>(instr) : nullptr;
    case 16: return from == RowClass::w128 ? store_any<u128, u128> : nullptr;
    default: return nullptr;
    }
}

/// Copies `Size` bytes per lane from global to shared memory at once; a source size below `Size` is filled up with
/// zeros. a: destination row, b: source row, c: source bytes; d: destination offset; flags: resolver of the
/// destination.
template<u32 Size> const Step* copy_async(Warp& warp, const Step* step) {
    Access to, from;
    Step shifted = *step;
    shifted.imm = static_cast<s32>(step->d);
    const u32 all = warp.mask;
    // The copy has no place among the steps, which resolvers of shared memory do not ask for; a fault names the
    // original.
    if (!resolver_at(step->flags)(warp, &shifted, step->a, true, Size, to)) {
        warp.fault.step = step;
        return nullptr;
    }
    to_pointers(warp, to, Size);
    const u32* bytes = row<const u32>(warp, step->c);
    u32 some = 0;
    for (u32 mask = all; mask != 0; mask &= mask - 1) {
        const int lane = __builtin_ctz(mask);
        if (bytes[lane] != 0) some |= 1u << lane;
    }
    if (some) {
        warp.mask = some;
        const Addresses<u64> addresses{row<const u64>(warp, step->b), static_cast<u64>(step->imm)};
        u64 address[32];
        spell_out(addresses, address);
        const bool ok = resolve_global_lanes(warp, step, address, Size, Size, false, Space::global, from);
        warp.mask = all;
        if (!ok) return nullptr;
    }
    for (u32 mask = all; mask != 0; mask &= mask - 1) {
        const int lane = __builtin_ctz(mask);
        std::byte buffer[Size] = {};
        const u32 count = bytes[lane] < Size ? bytes[lane] : Size;
        if (some >> lane & 1) {
            for (u32 index = 0; index < count; ++index) buffer[index] = from.lane[lane][index];
        }
        __builtin_memcpy(to.lane[lane], buffer, Size);
    }
    return step + 1;
}

} // namespace

Handler bind_memory(const Instr& instr, Step& step) {
    step.imm = instr.imm;
    switch (instr.op) {
    case Op::ld: return bind_load(instr, step);
    case Op::st: return bind_store(instr, step);
    case Op::cp_async: {
        const u32 size = size_of(instr.type);
        const int resolver = resolver_index(Space::shared, instr.src_rows[0], size);
        if (resolver < 0 || instr.src_rows[1] != RowClass::w64) return nullptr;
        step.flags = static_cast<u16>(resolver);
        step.d = instr.target;
        return size == 4 ? copy_async<4> : size == 8 ? copy_async<8> : copy_async<16>;
    }
    default: return nullptr;
    }
}

} // namespace kw::sim::KW_ISA
