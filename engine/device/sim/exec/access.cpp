#include "engine/device/sim/exec/access.h"

namespace kw::sim::KW_ISA {
namespace {

bool fault(Warp& warp, const Step* step, RawFault::Kind kind, int lane, u64 address, u32 size, bool write,
           Space space) {
    (void)raise(warp, step, kind, static_cast<u32>(lane), address, size, write, space);
    return false;
}

} // namespace

bool resolve_global_lanes(Warp& warp, const Step* step, const u64* address, u32 size, u32 align, bool write,
                          Space space, Access& out) {
    Range range = range_of(warp, step);
    for (u32 mask = warp.mask; mask != 0; mask &= mask - 1) {
        const int lane = __builtin_ctz(mask);
        const u64 at = address[lane];
        const bool inside = at >= range.begin && at < range.end && range.end - at >= size;
        if (!inside && !find_range(warp, at, size, range))
            return fault(warp, step, RawFault::Kind::out_of_bounds, lane, at, size, write, space);
        if (write && !range.writable) return fault(warp, step, RawFault::Kind::read_only, lane, at, size, write, space);
        if (at & (align - 1)) return fault(warp, step, RawFault::Kind::misaligned, lane, at, size, write, space);
        out.lane[lane] = reinterpret_cast<std::byte*>(at + static_cast<u64>(warp.memory_delta));
    }
    range_of(warp, step) = range;
    out.shape = Shape::scattered;
    return true;
}

bool resolve_shared_lanes(Warp& warp, const Step* step, const u64* address, u32 size, u32 align, bool write,
                          Access& out) {
    for (u32 mask = warp.mask; mask != 0; mask &= mask - 1) {
        const int lane = __builtin_ctz(mask);
        // a generic address that an earlier conversion left in its window is as good as the offset
        const u64 given =
            address[lane] - kSharedWindowBase < kClusterWindowSize ? address[lane] - kSharedWindowBase : address[lane];
        const u64 part = given / kWindowSize, at = given % kWindowSize;
        if (part > warp.cluster_size)
            return fault(warp, step, RawFault::Kind::out_of_bounds, lane, given, size, write, Space::shared);
        if (at >= warp.shared_bytes || warp.shared_bytes - at < size)
            return fault(warp, step, RawFault::Kind::out_of_bounds, lane, at, size, write, Space::shared);
        if (at & (align - 1))
            return fault(warp, step, RawFault::Kind::misaligned, lane, at, size, write, Space::shared);
        out.lane[lane] = part == 0 ? warp.shared + at : warp.cluster_shared + (part - 1) * warp.cluster_stride + at;
    }
    out.shape = Shape::scattered;
    return true;
}

bool resolve_local_lanes(Warp& warp, const Step* step, const u64* address, u32 size, u32 align, bool write,
                         Access& out) {
    for (u32 mask = warp.mask; mask != 0; mask &= mask - 1) {
        const int lane = __builtin_ctz(mask);
        const u64 at = address[lane];
        if (at >= warp.local_top || warp.local_top - at < size)
            return fault(warp, step, RawFault::Kind::out_of_bounds, lane, at, size, write, Space::local);
        if (at & (align - 1)) return fault(warp, step, RawFault::Kind::misaligned, lane, at, size, write, Space::local);
        out.lane[lane] = warp.local + static_cast<std::size_t>(lane) * warp.local_stride + at;
    }
    out.shape = Shape::scattered;
    return true;
}

bool resolve_generic_lanes(Warp& warp, const Step* step, const u64* address, u32 size, u32 align, bool write,
                           Access& out) {
    const u32 all = warp.mask;
    u32 shared = 0, local = 0;
    u64 inner[32];
    for (u32 mask = all; mask != 0; mask &= mask - 1) {
        const int lane = __builtin_ctz(mask);
        const u64 at = address[lane];
        inner[lane] = at;
        if (at - kSharedWindowBase < kClusterWindowSize) {
            shared |= 1u << lane;
            inner[lane] = at - kSharedWindowBase;
        } else if (at - kLocalWindowBase < kWindowSize) {
            local |= 1u << lane;
            inner[lane] = at - kLocalWindowBase;
        }
    }
    bool ok = true;
    if (shared) {
        warp.mask = shared;
        ok = resolve_shared_lanes(warp, step, inner, size, align, write, out);
    }
    if (ok && local) {
        warp.mask = local;
        ok = resolve_local_lanes(warp, step, inner, size, align, write, out);
    }
    if (ok && (all & ~(shared | local))) {
        warp.mask = all & ~(shared | local);
        ok = resolve_global_lanes(warp, step, inner, size, align, write, Space::global, out);
    }
    warp.mask = all;
    out.shape = Shape::scattered;
    return ok;
}

namespace {

template<Space S, class A>
constexpr Resolver kBySize[7] = {resolve<1, S, A>,  resolve<2, S, A>,  resolve<4, S, A>, resolve<8, S, A>,
                                 resolve<16, S, A>, resolve<32, S, A>, resolve<64, S, A>};

const Resolver* group(int index) {
    switch (index) {
    case 0: return kBySize<Space::global, u64>;
    case 1: return kBySize<Space::constant, u64>;
    case 2: return kBySize<Space::shared, u64>;
    case 3: return kBySize<Space::shared, u32>;
    case 4: return kBySize<Space::local, u64>;
    case 5: return kBySize<Space::local, u32>;
    case 6: return kBySize<Space::generic, u64>;
    default: return nullptr;
    }
}

} // namespace

int resolver_index(Space space, RowClass address, u32 bytes) {
    int number = -1;
    if (address == RowClass::w64) {
        number = space == Space::global     ? 0
                 : space == Space::constant ? 1
                 : space == Space::shared   ? 2
                 : space == Space::local    ? 4
                 : space == Space::generic  ? 6
                                            : -1;
    } else if (address == RowClass::w32) {
        number = space == Space::shared ? 3 : space == Space::local ? 5 : -1;
    }
    if (number < 0 || bytes == 0 || bytes > 64 || (bytes & (bytes - 1))) return -1;
    return number * 7 + __builtin_ctz(bytes);
}
Resolver resolver_at(int index) {
    static const Resolver* const groups[7] = {group(0), group(1), group(2), group(3), group(4), group(5), group(6)};
    return index < 0 ? nullptr : groups[index / 7][index % 7];
}
Resolver find_resolver(Space space, RowClass address, u32 bytes) {
    return resolver_at(resolver_index(space, address, bytes));
}

} // namespace kw::sim::KW_ISA
