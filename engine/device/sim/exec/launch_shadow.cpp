#include "engine/device/sim/exec/launch_shadow.h"

#include "engine/device/sim/exec/launch.h"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <stdexcept>

namespace kw::sim {
namespace {

constexpr std::uint64_t kStampBytes = (std::uint64_t{1} << 32) * sizeof(std::uint32_t);
/// Where stamps start over between launches: none takes the 2³¹ that are left after it.
constexpr std::uint32_t kLateStamp = 0x80000000u;
/// Memory is made accessible in steps of so many bytes and stamps.
constexpr std::uint64_t kStep = std::uint64_t{1} << 21, kStampStep = std::uint64_t{1} << 18;

void* map(std::uint64_t bytes) {
    void* at = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) return nullptr;
    madvise(at, bytes, MADV_HUGEPAGE);
    return at;
}

} // namespace

Result<std::unique_ptr<DeviceShadow>> DeviceShadow::reserve(std::uint64_t bytes) {
    std::unique_ptr<DeviceShadow> out(new DeviceShadow);
    out->cell_bytes_ = bytes * sizeof(Cell);
    out->written_ = static_cast<Cell*>(map(out->cell_bytes_));
    out->read_ = static_cast<Cell*>(map(out->cell_bytes_));
    out->owners_ = static_cast<std::uint32_t*>(map(kStampBytes));
    if (!out->written_ || !out->read_ || !out->owners_)
        return fail(Stage::device, ErrorCode::device,
                    fmt::format("the system has not the {} GiB of address space that looking for races takes; leave "
                                "race out of --sanitize",
                                (2 * out->cell_bytes_ + kStampBytes) >> 30));
    return out;
}

DeviceShadow::~DeviceShadow() {
    if (written_) munmap(written_, cell_bytes_);
    if (read_) munmap(read_, cell_bytes_);
    if (owners_) munmap(owners_, kStampBytes);
}

bool DeviceShadow::begin_launch(std::uint64_t cells) {
    const std::uint64_t wanted = std::min((cells * sizeof(Cell) + kStep - 1) / kStep * kStep, cell_bytes_);
    if (wanted > covered_) {
        const auto open = [&](Cell* at) {
            return mprotect(reinterpret_cast<std::byte*>(at) + covered_, wanted - covered_, PROT_READ | PROT_WRITE)
                   == 0;
        };
        if (!open(written_) || !open(read_)) return false;
        covered_ = wanted;
    }
    if (next_ < kLateStamp) return true;
    madvise(written_, cell_bytes_, MADV_DONTNEED);
    madvise(read_, cell_bytes_, MADV_DONTNEED);
    madvise(owners_, kStampBytes, MADV_DONTNEED);
    next_ = 1;
    return true;
}

void DeviceShadow::own(std::uint32_t stamp, std::uint64_t block) {
    if (stamp >= covered_stamps_.load(std::memory_order_acquire)) {
        const std::lock_guard lock(mutex_);
        const std::uint64_t have = covered_stamps_.load(std::memory_order_relaxed);
        if (stamp >= have) {
            const std::uint64_t wanted = (std::uint64_t{stamp} + kStampStep) / kStampStep * kStampStep;
            if (mprotect(owners_ + have, (wanted - have) * sizeof *owners_, PROT_READ | PROT_WRITE) != 0)
                throw std::runtime_error("the system has no memory to look for races; leave race out of --sanitize");
            covered_stamps_.store(wanted, std::memory_order_release);
        }
    }
    owners_[stamp] = static_cast<std::uint32_t>(block);
}

LaunchShadow::LaunchShadow(const BoundProgram& bound, const DeviceMemory& memory, DeviceShadow& device,
                           const device::Checks& checks)
    : memory_(memory), device_(device) {
    view_.init = checks.init;
    view_.shuffle = checks.shuffle;
    view_.gather = checks.schedule.has_value();
    view_.base = kGlobalBase;
    view_.bytes = memory.high_water() - kGlobalBase;
    if (checks.init) view_.bits = memory.written_bits();
    std::uint32_t global = 16, shared = 16;
    for (const CheckedOp& op : bound.checked) {
        if (op.element == 0) continue;
        const bool copies = op.kind == CheckedOp::Kind::copy || op.kind == CheckedOp::Kind::bulk;
        const std::uint32_t unit = op.lines != 0 ? op.element : op.size;
        if (op.space == Space::global || op.space == Space::generic || copies) global = std::min(global, unit);
        if (op.space == Space::shared || op.space == Space::generic || copies) shared = std::min(shared, unit);
    }
    view_.global_shift = static_cast<std::uint32_t>(std::countr_zero(global));
    view_.shared_shift = static_cast<std::uint32_t>(std::countr_zero(shared));
    lacks_memory_ = !device_.begin_launch(checks.race ? (view_.bytes >> view_.global_shift) + 1 : 0);
    view_.race = checks.race && !lacks_memory_;
    view_.before = device_.next_ - 1;
    if (view_.race) {
        view_.written = device.written_;
        view_.read = device.read_;
    }
}

std::uint32_t LaunchShadow::take_stamp(std::uint64_t block) {
    const std::uint32_t stamp = device_.next_.fetch_add(1, std::memory_order_relaxed);
    device_.own(stamp, block);
    return stamp;
}

void LaunchShadow::start_cluster(SharedCells& cells) const {
    cells.base = device_.next_.load(std::memory_order_relaxed) - 1;
    cells.start = cells.base + 1;
}

void LaunchShadow::start_block(BlockShadow& block, std::uint64_t index) {
    block.index = index;
    block.now = take_stamp(index);
    block.start = block.now;
    block.base = block.now - 1;
    std::memset(block.seen, 0, sizeof block.seen);
    for (WarpShadow& warp : block.warps) {
        for (const PendingCopy& copy : warp.copies)
            std::fill_n(block.shared->written.get() + copy.first, copy.count, Cell{0});
        warp.copies.clear();
        warp.groups = {};
        warp.full = 0;
        warp.own_fence = 0;
        warp.publishes = false;
        warp.fenced = {};
        warp.lanes.reset();
    }
    block.news_of_fences = false;
    block.objects.clear();
    block.barriers = {};
}

void LaunchShadow::forget(std::uint64_t address, std::uint64_t bytes) {
    if (view_.bits) memory_.forget_written(address, bytes);
    if (!view_.race) return;
    const std::uint64_t first = (address - view_.base) >> view_.global_shift;
    const std::uint64_t last = (address + bytes - view_.base) >> view_.global_shift;
    std::memset(view_.written + first, 0, (last - first) * sizeof(Cell));
    std::memset(view_.read + first, 0, (last - first) * sizeof(Cell));
}

void LaunchShadow::publish(std::uint64_t address, std::uint64_t block, const WarpStamps& fenced) {
    const std::lock_guard lock(mutex_);
    __atomic_store_n(&view_.published, true, __ATOMIC_RELAXED);
    auto& releases = logs_[address][static_cast<std::uint32_t>(block)];
    for (Release& known : releases) {
        if (known.fenced == fenced) return;
    }
    releases.push_back({fenced, ++order_});
}

void LaunchShadow::acquire(std::uint64_t address, std::uint64_t block) {
    if (!__atomic_load_n(&view_.published, __ATOMIC_RELAXED)) return;
    const std::lock_guard lock(mutex_);
    if (logs_.contains(address)) acquired_[static_cast<std::uint32_t>(block)][address] = order_;
}

bool LaunchShadow::is_known(Cell cell, std::uint64_t block) {
    const std::lock_guard lock(mutex_);
    const std::uint32_t owner = owner_of(stamp_of(cell));
    // From the places that the block has looked at to the blocks that had published there, and so on.
    std::map<std::uint64_t, std::uint64_t> reached; // place → the latest order up to which it counts
    std::vector<std::pair<std::uint64_t, std::uint64_t>> open;
    const auto reach = [&](std::uint32_t from, std::uint64_t until) {
        const auto places = acquired_.find(from);
        if (places == acquired_.end()) return;
        for (const auto& [address, order] : places->second) {
            const std::uint64_t counts = std::min(order, until);
            const auto [at, fresh] = reached.try_emplace(address, counts);
            if (!fresh && at->second >= counts) continue;
            at->second = counts;
            open.emplace_back(address, counts);
        }
    };
    reach(static_cast<std::uint32_t>(block), ~std::uint64_t{0});
    while (!open.empty()) {
        const auto [address, until] = open.back();
        open.pop_back();
        const Log& log = logs_.at(address);
        if (const auto mine = log.find(owner); mine != log.end()) {
            for (const Release& release : mine->second) {
                if (release.order <= until && stamp_of(cell) <= release.fenced[warp_of(cell)]) return true;
            }
        }
        for (const auto& [other, releases] : log) {
            std::uint64_t latest = 0;
            for (const Release& release : releases)
                if (release.order <= until) latest = std::max(latest, release.order);
            if (latest != 0) reach(other, latest);
        }
    }
    return false;
}

namespace {

void raise_to(WarpStamps& stamps, const WarpStamps& other) {
    for (std::size_t warp = 0; warp < stamps.size(); ++warp) stamps[warp] = std::max(stamps[warp], other[warp]);
}

/// `warp` gets to know of these fences.
void hear_of(BlockShadow& shadow, std::uint32_t warp, const WarpStamps& fenced) {
    WarpShadow& own = shadow.warps[warp];
    const WarpStamps before = own.fenced;
    raise_to(own.fenced, fenced);
    if (own.fenced == before) return;
    own.publishes = true;
    shadow.news_of_fences = true;
}

/// Every warp gets to know of the fences of all: what these have fenced, the atomic of one of them publishes.
void share_fences(BlockShadow& shadow) {
    if (!shadow.news_of_fences) return;
    shadow.news_of_fences = false;
    WarpStamps all{};
    for (const WarpShadow& warp : shadow.warps) raise_to(all, warp.fenced);
    for (WarpShadow& warp : shadow.warps) {
        warp.fenced = all;
        warp.publishes = true;
    }
}

} // namespace

void note_barrier_arrival(Warp& warp, std::uint32_t id, bool waits) {
    BlockShadow* shadow = warp.shadow;
    if (!shadow) return;
    SyncObject& object = shadow->barriers[id];
    for (std::uint32_t other = 0; other < 32; ++other)
        object.seen[other] = std::max(object.seen[other], shadow->seen[warp.index][other]);
    object.seen[warp.index] = shadow->now;
    raise_to(object.fenced, shadow->warps[warp.index].fenced);
    if (!waits) shadow->now = shadow->launch->take_stamp(shadow->index);
}

void note_barrier_completion(BlockShadow& shadow, std::uint32_t id, std::uint32_t waiting, bool all) {
    if (all) {
        shadow.base = shadow.now;
        share_fences(shadow);
    } else {
        const SyncObject& object = shadow.barriers[id];
        for (std::uint32_t left = waiting; left != 0; left &= left - 1) {
            const auto warp = static_cast<std::uint32_t>(std::countr_zero(left));
            for (std::uint32_t other = 0; other < 32; ++other)
                shadow.seen[warp][other] = std::max(shadow.seen[warp][other], object.seen[other]);
            shadow.warps[warp].full = std::max(shadow.warps[warp].full, object.seen[warp]);
            hear_of(shadow, warp, object.fenced);
        }
    }
    shadow.barriers[id] = {};
    shadow.now = shadow.launch->take_stamp(shadow.index);
}

void note_cluster_completion(Cluster& cluster) {
    BlockShadow* first = cluster.blocks[0].shadow;
    if (!first) return;
    std::uint32_t latest = 0;
    for (std::uint32_t rank = 0; rank < cluster.size; ++rank)
        latest = std::max(latest, cluster.blocks[rank].shadow->now);
    first->shared->base = latest;
    for (std::uint32_t rank = 0; rank < cluster.size; ++rank) {
        BlockShadow& shadow = *cluster.blocks[rank].shadow;
        shadow.base = shadow.now;
        share_fences(shadow);
        shadow.now = first->launch->take_stamp(shadow.index);
    }
}

void note_frame(Warp& warp, std::uint32_t begin, std::uint32_t bytes, std::uint32_t mask) {
    if (!warp.local_written) return;
    for (; mask != 0; mask &= mask - 1)
        std::memset(warp.local_written + static_cast<std::size_t>(std::countr_zero(mask)) * warp.local_stride + begin,
                    0, bytes);
}

void note_local_write(Warp& warp, std::uint32_t begin, std::uint32_t bytes, std::uint32_t mask) {
    if (!warp.local_written) return;
    for (; mask != 0; mask &= mask - 1)
        std::memset(warp.local_written + static_cast<std::size_t>(std::countr_zero(mask)) * warp.local_stride + begin,
                    1, bytes);
}

void note_copy(Warp& warp, const Step* step, std::uint32_t lane, std::uint64_t first, std::uint32_t count) {
    WarpShadow& own = warp.shadow->warps[warp.index];
    const auto index = static_cast<std::uint32_t>(step - warp.steps) & (kMostCellSteps - 1);
    const Cell cell = cell_of(kPendingStamp, warp.index, false, index) | Cell{lane} << kCellLane;
    std::fill_n(warp.shadow->shared->written.get() + first, count, cell);
    own.copies.push_back({first, count, lane, own.groups[lane] + 1});
}

void note_copies(Warp& warp, std::uint32_t mask, std::uint32_t mode, std::uint32_t left) {
    BlockShadow& shadow = *warp.shadow;
    WarpShadow& own = shadow.warps[warp.index];
    if (mode == 1) {
        for (std::uint32_t lane = 0; lane < 32; ++lane) own.groups[lane] += mask >> lane & 1;
        return;
    }
    std::erase_if(own.copies, [&](const PendingCopy& copy) {
        const bool waits = (mask >> copy.lane & 1) != 0;
        if (!waits || (mode == 2 && copy.group + left > own.groups[copy.lane])) return false;
        Cell* cells = shadow.shared->written.get() + copy.first;
        for (std::uint32_t at = 0; at < copy.count; ++at) {
            if (stamp_of(cells[at]) != kPendingStamp || warp_of(cells[at]) != warp.index
                || lane_of(cells[at]) != copy.lane)
                continue;
            cells[at] = (cells[at] & 0xffffffffu) | Cell{shadow.now} << kCellStamp;
        }
        return true;
    });
}

void note_fence(Warp& warp) {
    BlockShadow& shadow = *warp.shadow;
    WarpShadow& own = shadow.warps[warp.index];
    own.own_fence = shadow.now;
    for (std::uint32_t other = 0; other < 32; ++other)
        own.fenced[other] = std::max({own.fenced[other], shadow.base, shadow.seen[warp.index][other]});
    own.fenced[warp.index] = shadow.now;
    own.publishes = true;
    shadow.news_of_fences = true;
    shadow.now = shadow.launch->take_stamp(shadow.index);
}

void note_lanes_met(Warp& warp, std::uint32_t mask) {
    BlockShadow& shadow = *warp.shadow;
    WarpShadow& own = shadow.warps[warp.index];
    if ((warp.live & ~mask) == 0) {
        own.full = shadow.now;
    } else {
        if (!own.lanes) own.lanes = std::make_unique<std::array<std::array<std::uint32_t, 32>, 32>>();
        auto& lanes = *own.lanes;
        std::array<std::uint32_t, 32> known{};
        for (std::uint32_t left = mask; left != 0; left &= left - 1) {
            const auto& row = lanes[static_cast<std::size_t>(std::countr_zero(left))];
            for (std::size_t other = 0; other < 32; ++other) known[other] = std::max(known[other], row[other]);
        }
        for (std::uint32_t left = mask; left != 0; left &= left - 1)
            known[static_cast<std::size_t>(std::countr_zero(left))] = shadow.now;
        for (std::uint32_t left = mask; left != 0; left &= left - 1)
            lanes[static_cast<std::size_t>(std::countr_zero(left))] = known;
    }
    shadow.now = shadow.launch->take_stamp(shadow.index);
}

namespace {

void join(BlockShadow& shadow, std::uint32_t warp, const SyncObject& object) {
    for (std::uint32_t other = 0; other < 32; ++other)
        shadow.seen[warp][other] = std::max(shadow.seen[warp][other], object.seen[other]);
    shadow.warps[warp].full = std::max(shadow.warps[warp].full, object.seen[warp]);
    hear_of(shadow, warp, object.fenced);
}

void publish(const BlockShadow& shadow, std::uint32_t warp, std::uint32_t stamp, SyncObject& object) {
    for (std::uint32_t other = 0; other < 32; ++other)
        object.seen[other] = std::max(object.seen[other], shadow.seen[warp][other]);
    object.seen[warp] = std::max(object.seen[warp], stamp);
    raise_to(object.fenced, shadow.warps[warp].fenced);
}

} // namespace

namespace {

/// Shared memory by generic address, however the instruction names it.
std::uint64_t place_of(const CheckedOp& op, std::uint64_t address) {
    return op.space == Space::shared && address < kWindowBytes ? address + kSharedWindow : address;
}
bool is_global(std::uint64_t place) { return place >= kGlobalBase; }

} // namespace

void publish_at(Warp& warp, const CheckedOp& op, std::uint32_t mask, const std::uint64_t* address) {
    BlockShadow& shadow = *warp.shadow;
    const WarpShadow& own = shadow.warps[warp.index];
    if (!own.publishes) return;
    for (std::uint32_t left = mask; left != 0; left &= left - 1) {
        const std::uint64_t place = place_of(op, address[std::countr_zero(left)]);
        if (own.own_fence != 0) publish(shadow, warp.index, own.own_fence, shadow.objects[place]);
        if (is_global(place)) shadow.launch->publish(place, shadow.index, own.fenced);
    }
}

void acquire_at(Warp& warp, const CheckedOp& op, std::uint32_t mask, const std::uint64_t* address) {
    BlockShadow& shadow = *warp.shadow;
    for (std::uint32_t left = mask; left != 0; left &= left - 1) {
        const std::uint64_t place = place_of(op, address[std::countr_zero(left)]);
        if (const auto object = shadow.objects.find(place); object != shadow.objects.end())
            join(shadow, warp.index, object->second);
        if (is_global(place)) shadow.launch->acquire(place, shadow.index);
    }
}

void note_mbarrier(Warp& warp, const CheckedOp& op, std::uint64_t address) {
    BlockShadow& shadow = *warp.shadow;
    if (warp.cluster_size > 1) {
        note_cluster_completion(*warp.block->cluster); // arrivals may come from other blocks
        return;
    }
    SyncObject& object = shadow.objects[address - kSharedWindow < kWindowBytes ? address : address + kSharedWindow];
    const auto kind = static_cast<MbarrierOp>(op.instr->mode);
    if (op.kind == CheckedOp::Kind::mbarrier && (kind == MbarrierOp::test_token || kind == MbarrierOp::test_parity))
        return join(shadow, warp.index, object);
    publish(shadow, warp.index, shadow.now, object);
    shadow.now = shadow.launch->take_stamp(shadow.index);
}

namespace {

/// Whether a store of `lane` writes what `bytes_of` an element's index gives.
template<class Bytes>
bool writes_same(const Warp& warp, const CheckedOp& op, std::uint32_t lane, const Bytes& bytes_of) {
    for (std::size_t index = 0; index + 1 < op.instr->src.size(); ++index) {
        const std::size_t width = row_bytes(op.instr->src_rows[index + 1]) / 32;
        const std::byte* value = warp.regs + op.instr->src[index + 1] + lane * width;
        if (std::memcmp(bytes_of(index, width), value, op.element) != 0) return false;
    }
    return true;
}

std::uint64_t address_of(const Warp& warp, const CheckedOp& op, std::uint32_t lane) {
    const std::byte* row = warp.regs + op.address;
    return op.wide_address ? reinterpret_cast<const std::uint64_t*>(row)[lane] + static_cast<std::uint64_t>(op.offset)
                           : reinterpret_cast<const std::uint32_t*>(row)[lane] + static_cast<std::uint32_t>(op.offset);
}

/// Whether a store of `lane` leaves what is there, or writes what the lane of `old` writes there by the same
/// instruction: no order of the two can be told from another.
bool changes_nothing(const Warp& warp, const Step* step, const CheckedOp& op, std::uint32_t lane, std::uint64_t address,
                     Space space, Cell old) {
    if (op.kind != CheckedOp::Kind::store) return false;
    const std::uint32_t other = lane_of(old);
    if (stamp_of(old) == warp.shadow->now && warp_of(old) == warp.index && (warp.mask >> other & 1) != 0
        && step_of(old) == (static_cast<std::uint32_t>(step - warp.steps) & (kMostCellSteps - 1))
        && address_of(warp, op, other) == address_of(warp, op, lane))
        return writes_same(warp, op, lane, [&](std::size_t index, std::size_t width) {
            return warp.regs + op.instr->src[index + 1] + other * width;
        });
    const std::byte* at =
        space == Space::shared
            ? warp.cluster_shared + address
            : reinterpret_cast<const std::byte*>(address + static_cast<std::uint64_t>(warp.memory_delta));
    return writes_same(warp, op, lane, [&](std::size_t index, std::size_t) { return at + index * op.element; });
}

} // namespace

bool settle(Warp& warp, const Step* step, const CheckedOp& op, std::uint32_t lane, std::uint64_t address, Space space,
            Cell old, bool old_writes, bool writes) {
    BlockShadow& shadow = *warp.shadow;
    LaunchShadow& launch = *shadow.launch;
    if ((old & kCellStrong) != 0 && op.strong) return true;
    const std::uint32_t stamp = stamp_of(old);
    if (space == Space::shared && stamp == kPendingStamp) {
        (void)raise(warp, step, RawFault::Kind::race, lane, address, op.size, writes, space);
        warp.fault.other_step = warp.steps + step_of(old);
        warp.fault.other_thread = warp_of(old) * 32 + lane_of(old);
        warp.fault.other_block = shadow.index;
        warp.fault.other_writes = true;
        return false;
    }
    if (stamp <= launch.view().before || (space == Space::shared && stamp < shadow.shared->start)) return true;
    const std::uint32_t owner = launch.owner_of(stamp);
    const bool same_block = owner == static_cast<std::uint32_t>(shadow.index);
    if (same_block) {
        if (stamp <= shadow.base) return true;
        if (warp_of(old) != warp.index) {
            if (stamp <= shadow.seen[warp.index][warp_of(old)]) return true;
        } else {
            if (lane_of(old) == lane) return true;
            const WarpShadow& own = shadow.warps[warp.index];
            if (stamp <= own.full) return true;
            if (own.lanes && stamp <= (*own.lanes)[lane][lane_of(old)]) return true;
        }
    } else {
        for (std::uint32_t rank = 0; stamp <= shadow.shared->base && rank < warp.cluster_size; ++rank)
            if (static_cast<std::uint32_t>(warp.block->cluster->blocks[rank].index) == owner) return true;
        if (space != Space::shared && launch.is_known(old, shadow.index)) return true;
    }
    if (writes && changes_nothing(warp, step, op, lane, address, space, old)) return true;
    (void)raise(warp, step, RawFault::Kind::race, lane, address, op.size, writes, space);
    warp.fault.other_step = warp.steps + step_of(old);
    warp.fault.other_thread = warp_of(old) * 32 + lane_of(old);
    warp.fault.other_block = owner;
    warp.fault.other_writes = old_writes;
    return false;
}

bool settle_unwritten(Warp& warp, const Step* step, const CheckedOp& op, std::uint32_t lane, std::uint64_t address,
                      Space space, std::uint64_t written) {
    // An element of which some bytes were written may have padding, as structures have.
    const std::uint64_t whole = (std::uint64_t{1} << op.element) - 1;
    for (std::uint32_t index = 0; index * op.element < op.size; ++index) {
        if (!(op.read_elements >> index & 1)) continue;
        if ((written >> (index * op.element) & whole) != 0) continue;
        (void)raise(warp, step, RawFault::Kind::never_written, lane, address + std::uint64_t{index} * op.element,
                    op.element, false, space);
        return false;
    }
    return true;
}

bool check_members(Warp& warp, const Step* step, const CheckedOp& op, std::uint32_t mask) {
    const auto* named = reinterpret_cast<const std::uint32_t*>(warp.regs + op.members);
    std::uint32_t all = 0;
    for (std::uint32_t left = mask; left != 0; left &= left - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
        all |= named[lane];
        if (named[lane] >> lane & 1) continue;
        (void)raise(warp, step, RawFault::Kind::not_a_member, lane, named[lane]);
        return false;
    }
    // Others are still to come: looked at when they are here.
    if ((all & warp.live & ~warp.mask) != 0 || op.instr->op != Op::shfl) return true;
    const auto mode = static_cast<ShuffleMode>(op.instr->mode);
    const auto* b = reinterpret_cast<const std::uint32_t*>(warp.regs + op.instr->src[1]);
    const auto* c = reinterpret_cast<const std::uint32_t*>(warp.regs + op.instr->src[2]);
    for (std::uint32_t left = mask; left != 0; left &= left - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
        const std::uint32_t delta = b[lane] & 31, clamp = c[lane] & 31, segment = c[lane] >> 8 & 31;
        const std::uint32_t highest = (lane & segment) | (clamp & ~segment & 31);
        std::uint32_t from = lane;
        bool valid = true;
        switch (mode) {
        case ShuffleMode::up:
            valid = lane >= delta && lane - delta >= highest;
            from = lane - delta;
            break;
        case ShuffleMode::down:
            from = lane + delta;
            valid = from <= highest;
            break;
        case ShuffleMode::bfly:
            from = lane ^ delta;
            valid = from <= highest;
            break;
        case ShuffleMode::idx:
            from = (lane & segment) | (delta & ~segment & 31);
            valid = from <= highest;
            break;
        }
        if (!valid || from == lane) continue;
        if ((warp.mask & named[lane]) >> from & 1) continue;
        (void)raise(warp, step, RawFault::Kind::absent_source, lane, from);
        warp.fault.other_thread = warp.index * 32 + from;
        return false;
    }
    return true;
}

} // namespace kw::sim
