// Looks at accesses before or after they happen: who wrote and read the cells that they touch last, and whether what
// they read was written. The frequent shapes are decided in vectors here, what is left one lane at a time by settle().
#include "engine/device/sim/exec/access.h"
#include "engine/device/sim/exec/shadow.h"

namespace kw::sim::KW_ISA {
namespace {

/// What an access is and of whom; the same for all of its lanes.
struct Look {
    Warp& warp;
    const Step* step;
    const CheckedOp& op;
    const ShadowView& view;
    BlockShadow& shadow;
    Cell mine; ///< lane 0's
    bool reads, writes;
};

KW_INLINE Cell cell_for(const Look& look, u32 lane) { return look.mine + (Cell{lane} << kCellLane); }
/// Of the same thread, since the same event.
KW_INLINE bool is_own(Cell old, Cell mine) { return old >> kCellLane == mine >> kCellLane; }

/// Bytes [at, at + size) of global memory that were written, a bit each; size ≤ 64 and a divisor of at.
KW_INLINE u64 written_bits(const ShadowView& view, u64 at, u32 size) {
    const u64 offset = at - view.base;
    const u64 word = __atomic_load_n(view.bits + offset / 64, __ATOMIC_RELAXED);
    const u64 whole = size == 64 ? ~u64{0} : (u64{1} << size) - 1;
    return word >> (offset % 64) & whole;
}
KW_INLINE void write_bits(const ShadowView& view, u64 at, u32 size) {
    const u64 offset = at - view.base;
    const u64 whole = (size == 64 ? ~u64{0} : (u64{1} << size) - 1) << (offset % 64);
    u64* word = view.bits + offset / 64;
    if ((__atomic_load_n(word, __ATOMIC_RELAXED) & whole) != whole) __atomic_fetch_or(word, whole, __ATOMIC_RELAXED);
}
/// Whether all bytes of [at, at + bytes) were written.
bool all_written(const ShadowView& view, u64 at, u64 bytes) {
    u64 first = at - view.base;
    const u64 end = first + bytes;
    while (first < end) {
        const u64 low = first % 64, count = end - first < 64 - low ? end - first : 64 - low;
        const u64 whole = count == 64 ? ~u64{0} : ((u64{1} << count) - 1) << low;
        if ((view.bits[first / 64] & whole) != whole) return false;
        first += count;
    }
    return true;
}
void write_all(const ShadowView& view, u64 at, u64 bytes) {
    u64 first = at - view.base;
    const u64 end = first + bytes;
    while (first < end) {
        const u64 low = first % 64, count = end - first < 64 - low ? end - first : 64 - low;
        const u64 whole = count == 64 ? ~u64{0} : ((u64{1} << count) - 1) << low;
        u64* word = view.bits + first / 64;
        if ((__atomic_load_n(word, __ATOMIC_RELAXED) & whole) != whole)
            __atomic_fetch_or(word, whole, __ATOMIC_RELAXED);
        first += count;
    }
}

/// The cells of one space.
struct Cells {
    Cell* written;
    Cell* read;
    Cell* read_too; ///< a second reader, of shared memory
    u32 limit;      ///< stamps up to here are known to all
    u32 least = 0;  ///< what was not written since this stamp was never written
};

/// Cells [first, first + count), 2^shift for each lane from 0 on; true where none needs settle() and all that is read
/// was written.
template<bool Writes> KW_INLINE bool pass_cells(const Look& look, const Cells& cells, u64 first, u32 count, u32 shift) {
    Cell* written = cells.written + first;
    Cell* read = cells.read + first;
    const u64 most = Cell{cells.limit} << kCellStamp | 0xffffffffu;
    const u64 least = Cell{cells.least} << kCellStamp;
    const u64 mine = look.mine;
    u64 bad = 0;
    if constexpr (Writes) {
        for (u32 at = 0; at < count; ++at) {
            const u64 own = (mine >> kCellLane) + (at >> shift);
            const u64 w = written[at], r = read[at];
            bad |= static_cast<u64>((w > most) & (w >> kCellLane != own))
                   | static_cast<u64>((r > most) & (r >> kCellLane != own));
        }
        if (bad != 0) return false;
        if (cells.read_too) {
            const Cell* too = cells.read_too + first;
            for (u32 at = 0; at < count; ++at) bad |= static_cast<u64>(too[at] > most);
            if (bad != 0) return false;
        }
        for (u32 at = 0; at < count; ++at) written[at] = mine + (Cell{at >> shift} << kCellLane);
        return true;
    }
    for (u32 at = 0; at < count; ++at) {
        const u64 own = (mine >> kCellLane) + (at >> shift);
        const u64 w = written[at];
        bad |= static_cast<u64>((w > most) & (w >> kCellLane != own)) | static_cast<u64>(w < least);
    }
    if (bad != 0) return false;
    if (!cells.read_too) {
        for (u32 at = 0; at < count; ++at) read[at] = mine + (Cell{at >> shift} << kCellLane);
        return true;
    }
    Cell* too = cells.read_too + first;
    u64 missing = 0;
    for (u32 at = 0; at < count; ++at) missing |= static_cast<u64>(too[at] <= most);
    if (missing == 0) return true; // two readers are known already: whoever writes is not both
    for (u32 at = 0; at < count; ++at) {
        const u64 cell = mine + (Cell{at >> shift} << kCellLane);
        const u64 r = read[at];
        const bool fresh = r <= most, same = r >> kCellLane == cell >> kCellLane;
        read[at] = fresh ? cell : r;
        too[at] = fresh || same ? too[at] : cell;
    }
    return true;
}

/// The same; one cell a lane is what is met most, and has a loop of known length.
template<bool Writes> KW_INLINE bool pass_run(const Look& look, const Cells& cells, u64 first, u32 count, u32 shift) {
    return shift == 0 ? pass_cells<Writes>(look, cells, first, 32, 0)
                      : pass_cells<Writes>(look, cells, first, count, shift);
}

/// One lane's cells.
KW_INLINE bool pass_lane(const Look& look, const Cells& cells, Space space, u32 lane, u64 address, u64 first,
                         u32 count) {
    const Cell mine = cell_for(look, lane);
    const auto fine = [&](Cell old, bool old_writes) {
        return stamp_of(old) <= cells.limit || is_own(old, mine) || (look.op.strong && (old & kCellStrong) != 0)
               || settle(look.warp, look.step, look.op, lane, address, space, old, old_writes, look.writes);
    };
    for (u64 at = first; at < first + count; ++at) {
        if (!fine(cells.written[at], true)) return false;
        if (look.writes) {
            if (!fine(cells.read[at], false)) return false;
            if (cells.read_too && !fine(cells.read_too[at], false)) return false;
            // An atomic must not hide a plain write that others may still race with.
            const Cell old = cells.written[at];
            if (look.op.strong && (old & kCellStrong) == 0 && stamp_of(old) > cells.limit)
                cells.read[at] = mine;
            else
                cells.written[at] = mine;
        }
        if (look.reads && !look.writes) {
            if (cells.read_too && stamp_of(cells.read[at]) > cells.limit) {
                if (!is_own(cells.read[at], mine)) cells.read_too[at] = mine;
            } else {
                cells.read[at] = mine;
            }
        }
    }
    return true;
}

Cells shared_cells(const Look& look) {
    SharedCells& own = *look.shadow.shared;
    return {own.written.get(), own.read.get(), own.read_too.get(),
            look.warp.cluster_size > 1 ? own.base : look.shadow.base, look.view.init ? own.start : 0};
}

/// An offset in the shared memory of the cluster, or all ones where the handler will find it wrong.
KW_INLINE u64 shared_offset(const Warp& warp, u64 address, u32 size) {
    const u64 given = address - kSharedWindowBase < kClusterWindowSize ? address - kSharedWindowBase : address;
    const u64 part = given / kWindowSize, at = given % kWindowSize;
    if (part > warp.cluster_size || at >= warp.shared_bytes || warp.shared_bytes - at < size || at & (size - 1))
        return ~u64{0};
    return (part == 0 ? static_cast<u64>(warp.shared - warp.cluster_shared) : (part - 1) * warp.cluster_stride) + at;
}

bool look_shared(const Look& look, u32 mask, const u64* address, u32 size) {
    const Cells cells = shared_cells(look);
    const u32 shift = look.view.shared_shift;
    const u32 count = size >> shift;
    const bool settles_init = look.view.init && look.reads;
    const u32 start = look.shadow.shared->start;
    Warp& warp = look.warp;
    for (u32 left = mask; left != 0; left &= left - 1) {
        const u32 lane = static_cast<u32>(__builtin_ctz(left));
        const u64 offset = shared_offset(warp, address[lane], size);
        if (offset == ~u64{0}) continue;
        const u64 first = offset >> shift;
        if (settles_init) {
            u64 written = 0;
            for (u32 at = 0; at < count; ++at)
                if (stamp_of(cells.written[first + at]) >= start)
                    written |= ((u64{1} << (1u << shift)) - 1) << (at << shift);
            const u64 whole = (u64{1} << size) - 1;
            if (written != whole && !settle_unwritten(warp, look.step, look.op, lane, offset, Space::shared, written))
                return false;
        }
        if (look.view.race) {
            if (!pass_lane(look, cells, Space::shared, lane, offset, first, count)) return false;
        } else if (look.writes) {
            for (u64 at = first; at < first + count; ++at) cells.written[at] = cell_for(look, lane);
        }
    }
    return true;
}

bool look_global(const Look& look, u32 mask, const u64* address, u32 size) {
    const ShadowView& view = look.view;
    Warp& warp = look.warp;
    const Cells cells{view.written, view.read, nullptr, view.before, 0};
    const u32 shift = view.global_shift;
    const u32 count = size >> shift;
    const auto inside = [&](u64 at, u64 bytes) {
        return at - view.base < view.bytes && view.bytes - (at - view.base) >= bytes && (at & (size - 1)) == 0;
    };
    const bool race = view.race, init = view.init;
    for (u32 left = mask; left != 0; left &= left - 1) {
        const u32 lane = static_cast<u32>(__builtin_ctz(left));
        const u64 at = address[lane];
        if (!inside(at, size)) continue;
        if (init) {
            if (look.reads) {
                const u64 whole = size == 64 ? ~u64{0} : (u64{1} << size) - 1;
                const u64 written = written_bits(view, at, size);
                if (written != whole && !settle_unwritten(warp, look.step, look.op, lane, at, Space::global, written))
                    return false;
            }
            if (look.writes) write_bits(view, at, size);
        }
        if (race) {
            if (!pass_lane(look, cells, Space::global, lane, at, (at - view.base) >> shift, count)) return false;
        }
    }
    return true;
}

bool look_local(const Look& look, u32 mask, const u64* address, u32 size) {
    Warp& warp = look.warp;
    if (!warp.local_written) return true;
    for (u32 left = mask; left != 0; left &= left - 1) {
        const u32 lane = static_cast<u32>(__builtin_ctz(left));
        const u64 at = address[lane];
        if (at >= warp.local_top || warp.local_top - at < size) continue;
        u8* bytes = warp.local_written + static_cast<std::size_t>(lane) * warp.local_stride + at;
        if (look.reads) {
            u64 written = 0;
            for (u32 byte = 0; byte < size; ++byte) written |= u64{bytes[byte]} << byte;
            const u64 whole = (u64{1} << size) - 1;
            if (written != whole && !settle_unwritten(warp, look.step, look.op, lane, at, Space::local, written))
                return false;
        }
        if (look.writes)
            for (u32 byte = 0; byte < size; ++byte) bytes[byte] = 1;
    }
    return true;
}

bool look_at(const Look& look, Space space, u32 mask, const u64* address, u32 size) {
    switch (space) {
    case Space::shared: return look_shared(look, mask, address, size);
    case Space::global: return look_global(look, mask, address, size);
    case Space::local: return look_local(look, mask, address, size);
    default: break;
    }
    u32 shared = 0, local = 0;
    u64 inner[32];
    for (u32 lane = 0; lane < 32; ++lane) inner[lane] = address[lane];
    for (u32 left = mask; left != 0; left &= left - 1) {
        const u32 lane = static_cast<u32>(__builtin_ctz(left));
        if (address[lane] - kSharedWindowBase < kClusterWindowSize) {
            shared |= 1u << lane;
            inner[lane] -= kSharedWindowBase;
        } else if (address[lane] - kLocalWindowBase < kWindowSize) {
            local |= 1u << lane;
            inner[lane] -= kLocalWindowBase;
        }
    }
    const u32 global = mask & ~(shared | local);
    return (shared == 0 || look_shared(look, shared, inner, size))
           && (local == 0 || look_local(look, local, inner, size))
           && (global == 0 || look_global(look, global, inner, size));
}

KW_INLINE void spell(const Warp& warp, u32 offset, bool wide, s64 more, u64* out) {
    if (wide) {
        const u64* from = row<const u64>(warp, offset);
        for (u32 lane = 0; lane < 32; ++lane) out[lane] = from[lane] + static_cast<u64>(more);
    } else {
        const u32* from = row<const u32>(warp, offset);
        for (u32 lane = 0; lane < 32; ++lane) out[lane] = from[lane] + static_cast<u32>(more);
    }
}

KW_INLINE Look look_for(Warp& warp, const Step* step, const CheckedOp& op, bool reads, bool writes) {
    BlockShadow& shadow = *warp.shadow;
    const auto index = static_cast<u32>(step - warp.steps) & (kMostCellSteps - 1);
    return {warp, step, op, *warp.view, shadow, cell_of(shadow.now, warp.index, op.strong, index), reads, writes};
}

bool look_matrix(Warp& warp, const Step* step, const CheckedOp& op) {
    u64 address[32];
    spell(warp, op.address, op.wide_address, op.offset, address);
    const u32 mask = op.members >= 32 ? kFullMask : (1u << op.members) - 1;
    return look_shared(look_for(warp, step, op, !op.write, op.write), mask, address, 16);
}

/// Line l of the matrix counts as lane l's, modulo 32.
bool look_lines(Warp& warp, const Step* step, const CheckedOp& op, u32 mask) {
    u64 given[32], address[32] = {};
    const u32 leader = static_cast<u32>(__builtin_ctz(mask));
    spell(warp, op.address, op.wide_address, 0, given);
    const u64 stride = op.stride == kNoValue ? op.size : u64{row<const u32>(warp, op.stride)[leader]} * op.element;
    const Look look = look_for(warp, step, op, !op.write, op.write);
    for (u32 line = 0; line < op.lines; ++line) {
        for (u32 at = 0; at < op.size; at += op.element) {
            address[line % 32] = given[leader] + line * stride + at;
            if (!look_at(look, op.space, 1u << line % 32, address, op.element)) return false;
        }
    }
    return true;
}

bool look_copy(Warp& warp, const Step* step, const CheckedOp& op, u32 mask, const u64* to, const u64* from,
               const u32* bytes) {
    u32 some = 0;
    for (u32 left = mask; left != 0; left &= left - 1)
        if (const u32 lane = static_cast<u32>(__builtin_ctz(left)); bytes[lane] >= op.size) some |= 1u << lane;
    if (some && !look_global(look_for(warp, step, op, true, false), some, from, op.size)) return false;
    const Look look = look_for(warp, step, op, false, true);
    if (!look_shared(look, mask, to, op.size)) return false;
    if (!look.view.race) return true;
    const u32 shift = look.view.shared_shift;
    for (u32 left = mask; left != 0; left &= left - 1) {
        const u32 lane = static_cast<u32>(__builtin_ctz(left));
        note_copy(warp, step, lane, shared_offset(warp, to[lane], op.size) >> shift, op.size >> shift);
    }
    return true;
}

bool look_bulk(Warp& warp, const Step* step, const CheckedOp& op, u32 mask) {
    const auto kind = static_cast<BulkCopy>(op.instr->mode);
    const auto& src = op.instr->src;
    const Space from = kind == BulkCopy::global_to_shared ? Space::global : Space::shared;
    const Space to = kind == BulkCopy::shared_to_global ? Space::global : Space::shared;
    u64 address[32];
    for (u32 left = mask; left != 0; left &= left - 1) {
        const u32 lane = static_cast<u32>(__builtin_ctz(left));
        const u32 bytes = row<const u32>(warp, src[2])[lane];
        const u64 target = row<const u64>(warp, src[0])[lane], source = row<const u64>(warp, src[1])[lane];
        for (u32 at = 0; at + 16 <= bytes; at += 16) {
            address[lane] = source + at;
            if (!look_at(look_for(warp, step, op, true, false), from, 1u << lane, address, 16)) return false;
            address[lane] = target + at;
            if (src[4] == kNoValue && !look_at(look_for(warp, step, op, false, true), to, 1u << lane, address, 16))
                return false;
        }
        if (src[3] != kNoValue) note_mbarrier(warp, op, row<const u64>(warp, src[3])[lane]);
    }
    return true;
}

KW_INLINE void publish(Warp& warp, const CheckedOp& op, u32 mask, const u64* address) {
    if (op.release) note_fence(warp);
    if (warp.shadow->warps[warp.index].publishes) publish_at(warp, op, mask, address);
}

/// A whole warp that names itself has no lane to ask about.
KW_INLINE bool all_take_part(const Warp& warp, const CheckedOp& op, u32 mask) {
    if (mask != kFullMask) return false;
    const u32* named = row<const u32>(warp, op.members);
    u32 every = kFullMask;
    for (u32 lane = 0; lane < 32; ++lane) every &= named[lane];
    return every == kFullMask;
}

/// Waits for the lanes that went another way, where the schedule may let them come later than the program's layout.
KW_INLINE bool collected(Warp& warp, const Step* step) {
    return !warp.view->gather || (warp.live & ~warp.mask) == 0
           || gather_lanes(warp, step, warp.live, SplitState::warp_op);
}

} // namespace

namespace {

/// Any instruction, whatever its lanes do.
const Step* checked(Warp& warp, const Step* step) {
    const CheckedOp& op = warp.checked[step - warp.steps];
    using Kind = CheckedOp::Kind;
    u32 mask = warp.mask;
    if (op.guard != kNoValue) mask &= predicate(warp, op.guard) ^ (op.negated ? kFullMask : 0);
    if (mask == 0) return op.run(warp, step);
    switch (op.kind) {
    case Kind::store: {
        alignas(64) u64 address[32];
        spell(warp, op.address, op.wide_address, op.offset, address);
        if (op.strong && warp.view->race) publish(warp, op, mask, address);
        if (!look_at(look_for(warp, step, op, false, true), op.space, mask, address, op.size)) return nullptr;
        return op.run(warp, step);
    }
    case Kind::load:
    case Kind::atomic: {
        // The registers of the address may be where the result goes.
        alignas(64) u64 address[32];
        spell(warp, op.address, op.wide_address, op.offset, address);
        if (op.kind == Kind::atomic && warp.view->race) publish(warp, op, mask, address);
        const Step* next = op.run(warp, step);
        if (warp.fault.kind != RawFault::Kind::none) return nullptr;
        if (op.strong && warp.view->race
            && (!warp.shadow->objects.empty() || __atomic_load_n(&warp.view->published, __ATOMIC_RELAXED)))
            acquire_at(warp, op, mask, address);
        return look_at(look_for(warp, step, op, true, op.kind == Kind::atomic), op.space, mask, address, op.size)
                   ? next
                   : nullptr;
    }
    case Kind::copy: {
        alignas(64) u64 to[32], from[32];
        alignas(64) u32 bytes[32];
        spell(warp, op.address, op.wide_address, op.offset, to);
        spell(warp, op.from, true, op.from_offset, from);
        __builtin_memcpy(bytes, row<const u32>(warp, op.members), sizeof bytes);
        const Step* next = op.run(warp, step);
        return next && look_copy(warp, step, op, mask, to, from, bytes) ? next : nullptr;
    }
    case Kind::matrix:
        if (!collected(warp, step) || !look_matrix(warp, step, op)) return nullptr;
        return op.run(warp, step);
    case Kind::lines:
        if (!collected(warp, step) || !look_lines(warp, step, op, mask)) return nullptr;
        return op.run(warp, step);
    case Kind::bulk: {
        const Step* next = op.run(warp, step);
        return next && look_bulk(warp, step, op, mask) ? next : nullptr;
    }
    case Kind::mbarrier: {
        const u64* address = row<const u64>(warp, op.address);
        if (warp.view->race && op.instr->target == 1) note_copies(warp, mask, 3, 0);
        for (u32 left = mask; left != 0; left &= left - 1) {
            note_mbarrier(warp, op, address[__builtin_ctz(left)]);
        }
        return op.run(warp, step);
    }
    case Kind::copies:
        note_copies(warp, mask, op.instr->mode, static_cast<u32>(op.instr->imm));
        return op.run(warp, step);
    case Kind::fence: note_fence(warp); return op.run(warp, step);
    case Kind::warp_sync: {
        if (warp.view->shuffle && !check_members(warp, step, op, mask)) return nullptr;
        alignas(64) u32 named[32];
        __builtin_memcpy(named, row<const u32>(warp, op.members), sizeof named);
        const Step* next = op.run(warp, step);
        if (!next || !warp.view->race) return next;
        for (u32 left = mask; left != 0;) { // parts of the warp may come here together, each with its own mask
            const u32 group = left & named[__builtin_ctz(left)];
            if (group == 0) break;
            note_lanes_met(warp, group);
            left &= ~group;
        }
        return next;
    }
    case Kind::warp_op:
        if (!all_take_part(warp, op, mask) && !check_members(warp, step, op, mask)) return nullptr;
        return op.run(warp, step);
    case Kind::collective: return collected(warp, step) ? op.run(warp, step) : nullptr;
    case Kind::none: break;
    }
    return op.run(warp, step);
}

/// Whether cells [first, first + count) were written since `start`.
KW_INLINE bool known_since(const Cell* written, u32 count, u32 start) {
    const Cell least = Cell{start} << kCellStamp;
    u64 never = 0;
    if (count == 32) {
        for (u32 at = 0; at < 32; ++at) never |= static_cast<u64>(written[at] < least);
    } else {
        for (u32 at = 0; at < count; ++at) never |= static_cast<u64>(written[at] < least);
    }
    return never == 0;
}

// The most frequent forms, of full warps that go along memory or read one place: decided in few vectors, or else left
// to checked(), having changed nothing.

template<u32 Size, class A, bool Write> const Step* checked_shared(Warp& warp, const Step* step) {
    const CheckedOp& op = warp.checked[step - warp.steps];
    if (warp.mask != kFullMask) return checked(warp, step);
    const A* address = row<const A>(warp, op.address);
    const Shape shape = shape_of<Size>(address);
    const u64 start = static_cast<A>(address[0] + static_cast<A>(op.offset));
    const u32 span = shape == Shape::contiguous ? 32 * Size : Size;
    if (shape == Shape::scattered || (Write && shape == Shape::broadcast) || start >= warp.shared_bytes
        || warp.shared_bytes - start < span || start & (Size - 1))
        return checked(warp, step);
    const Look look = look_for(warp, step, op, !Write, Write);
    const Cells cells = shared_cells(look);
    const u32 shift = look.view.shared_shift;
    const u64 first = (static_cast<u64>(warp.shared - warp.cluster_shared) + start) >> shift;
    const u32 count = span >> shift;
    if (!look.view.race) {
        if (!Write && !known_since(cells.written + first, count, cells.least)) return checked(warp, step);
        if (Write)
            for (u32 at = 0; at < count; ++at) cells.written[first + at] = look.mine;
        return op.run(warp, step);
    }
    if (shape == Shape::contiguous) {
        const u32 per_lane = static_cast<u32>(__builtin_ctz(Size)) - shift;
        if (!pass_run<Write>(look, cells, first, count, per_lane)) return checked(warp, step);
        return op.run(warp, step);
    }
    u32 missing = 0;
    for (u64 at = first; at < first + count; ++at) {
        const u32 stamp = stamp_of(cells.written[at]);
        if (stamp > cells.limit || stamp < cells.least) return checked(warp, step);
        missing |= stamp_of(cells.read_too[at]) <= cells.limit;
    }
    if (!missing) return op.run(warp, step);
    // All lanes read the same: two of them are remembered.
    for (u64 at = first; at < first + count; ++at) {
        if (stamp_of(cells.read[at]) <= cells.limit) cells.read[at] = look.mine;
        cells.read_too[at] = cell_for(look, 31);
    }
    return op.run(warp, step);
}

template<u32 Size, bool Write> const Step* checked_global(Warp& warp, const Step* step) {
    const CheckedOp& op = warp.checked[step - warp.steps];
    if (warp.mask != kFullMask) return checked(warp, step);
    const u64* address = row<const u64>(warp, op.address);
    const Shape shape = shape_of<Size>(address);
    const u64 start = address[0] + static_cast<u64>(op.offset);
    const u32 span = shape == Shape::contiguous ? 32 * Size : Size;
    const ShadowView& view = *warp.view;
    if (shape == Shape::scattered || (Write && shape == Shape::broadcast) || start - view.base >= view.bytes
        || view.bytes - (start - view.base) < span || start & (Size - 1))
        return checked(warp, step);
    if (!Write && view.init && !all_written(view, start, span)) return checked(warp, step);
    if (view.race) {
        const Look look = look_for(warp, step, op, !Write, Write);
        const Cells cells{view.written, view.read, nullptr, view.before, 0};
        const u32 shift = view.global_shift;
        const u64 first = (start - view.base) >> shift;
        if (shape == Shape::contiguous) {
            const u32 per_lane = static_cast<u32>(__builtin_ctz(Size)) - shift;
            if (!pass_run<Write>(look, cells, first, span >> shift, per_lane)) return checked(warp, step);
        } else {
            for (u64 at = first; at < first + (span >> shift); ++at)
                if (stamp_of(cells.written[at]) > cells.limit) return checked(warp, step);
            for (u64 at = first; at < first + (span >> shift); ++at) cells.read[at] = look.mine;
        }
    }
    if (Write && view.init) write_all(view, start, span);
    return op.run(warp, step);
}

/// Atomics on words of shared memory, which meet each other more than anything else.
template<class A> const Step* checked_shared_atomic(Warp& warp, const Step* step) {
    const CheckedOp& op = warp.checked[step - warp.steps];
    const Look look = look_for(warp, step, op, true, true);
    if (!look.view.race || look.view.shared_shift != 2 || op.release || look.shadow.warps[warp.index].publishes
        || !look.shadow.objects.empty())
        return checked(warp, step);
    const A* address = row<const A>(warp, op.address);
    const Cells cells = shared_cells(look);
    const u64 most = Cell{cells.limit} << kCellStamp | 0xffffffffu;
    const u64 least = look.view.init ? Cell{look.shadow.shared->start} << kCellStamp : 0;
    const u64 own = static_cast<u64>(warp.shared - warp.cluster_shared);
    for (u32 left = warp.mask; left != 0; left &= left - 1) {
        const u32 lane = static_cast<u32>(__builtin_ctz(left));
        const u64 at = static_cast<A>(address[lane] + static_cast<A>(op.offset));
        if (at >= warp.shared_bytes || at & 3) [[unlikely]]
            return checked(warp, step);
        const u64 cell = (own + at) >> 2;
        const u64 w = cells.written[cell];
        const bool fine = w >= least && (w <= most || (w & kCellStrong) != 0) && cells.read[cell] <= most
                          && cells.read_too[cell] <= most;
        if (!fine) [[unlikely]]
            return checked(warp, step);
        cells.written[cell] = cell_for(look, lane);
    }
    return op.run(warp, step);
}

template<u32 Size> Handler checked_plainly(const CheckedOp& op) {
    const bool write = op.kind == CheckedOp::Kind::store;
    if (op.space == Space::shared) {
        if (op.wide_address) return write ? checked_shared<Size, u64, true> : checked_shared<Size, u64, false>;
        return write ? checked_shared<Size, u32, true> : checked_shared<Size, u32, false>;
    }
    if (op.space == Space::global && op.wide_address)
        return write ? checked_global<Size, true> : checked_global<Size, false>;
    return checked;
}

} // namespace

Handler look_handler(const CheckedOp& op) {
    using Kind = CheckedOp::Kind;
    if (op.guard != kNoValue) return checked;
    if (op.kind == Kind::atomic && op.space == Space::shared && op.size == 4)
        return op.wide_address ? checked_shared_atomic<u64> : checked_shared_atomic<u32>;
    if ((op.kind != Kind::load && op.kind != Kind::store) || op.strong) return checked;
    switch (op.size) {
    case 1: return checked_plainly<1>(op);
    case 2: return checked_plainly<2>(op);
    case 4: return checked_plainly<4>(op);
    case 8: return checked_plainly<8>(op);
    case 16: return checked_plainly<16>(op);
    default: return checked;
    }
}

} // namespace kw::sim::KW_ISA
