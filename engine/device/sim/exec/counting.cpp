#include "engine/device/sim/exec/counting.h"

#include "engine/device/sim/exec/store_watch.h"
#include "engine/device/sim/exec/touch_watch.h"
#include "engine/device/sim/memory.h"

#include <algorithm>
#include <array>
#include <bit>
#include <map>
#include <tuple>

namespace kw::sim {
namespace {

using device::Events;

constexpr std::uint32_t kSector = 32;
constexpr std::uint32_t kBanks = 32;

std::uint32_t lanes_of(std::uint32_t mask) { return static_cast<std::uint32_t>(std::popcount(mask)); }

std::uint64_t Events::* float_pipe(Type type) {
    switch (type) {
    case Type::f64: return &Events::fp64;
    case Type::f16:
    case Type::bf16:
    case Type::f16x2:
    case Type::bf16x2: return &Events::fp16;
    default: return &Events::fp32;
    }
}

std::uint64_t Events::* pipe_of(const Instr& instr) {
    switch (instr.op) {
    case Op::nop: return nullptr;
    case Op::ld:
    case Op::st:
    case Op::atom:
    case Op::red:
    case Op::prefetch:
    case Op::cp_async:
    case Op::cp_async_wait:
    case Op::ldmatrix:
    case Op::stmatrix:
    case Op::mbarrier:
    case Op::bulk_copy:
    case Op::wmma_load:
    case Op::wmma_store: return &Events::load_store;
    case Op::mma:
    case Op::wmma_mma: return &Events::tensor;
    case Op::rcp:
    case Op::sqrt:
    case Op::rsqrt:
    case Op::ex2:
    case Op::lg2:
    case Op::sin:
    case Op::cos:
    case Op::tanh: return &Events::special;
    case Op::div: return is_float(instr.type) ? &Events::special : &Events::integer;
    case Op::cvt:
    case Op::cvt_pack: return is_float(instr.type) || is_float(instr.type2) ? &Events::special : &Events::integer;
    case Op::set:
    case Op::setp: return is_float(instr.type2) ? float_pipe(instr.type2) : &Events::integer;
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::fma:
    case Op::min:
    case Op::max:
    case Op::min3:
    case Op::max3:
    case Op::abs:
    case Op::neg: return is_float(instr.type) ? float_pipe(instr.type) : &Events::integer;
    default:
        if (instr.op >= Op::bra && instr.op <= Op::elect) return &Events::control;
        if (instr.op == Op::fence) return &Events::control;
        return &Events::integer;
    }
}

/// Distinct values of a short list, which is mostly in order already.
std::uint32_t distinct(std::uint64_t* first, std::uint32_t count) {
    if (!std::is_sorted(first, first + count)) std::sort(first, first + count);
    return static_cast<std::uint32_t>(std::unique(first, first + count) - first);
}

} // namespace

LaunchCounter::LaunchCounter(const Program& program, std::uint32_t workers, std::uint64_t sectors)
    : program_(program),
      events_(workers, std::vector<Events>(program.instrs.size())),
      read_((sectors + 63) / 64),
      written_((sectors + 63) / 64) {
    kinds_.reserve(program.instrs.size());
    for (const Instr& instr : program.instrs) kinds_.push_back(classify(instr));
}

LaunchCounter::Kind LaunchCounter::classify(const Instr& instr) {
    Kind kind;
    kind.pipe = pipe_of(instr);
    kind.guard = instr.guard;
    kind.guard_negated = instr.guard_negated;
    kind.elided = instr.op == Op::nop && instr.mode == 1;
    const bool arithmetic = instr.op == Op::add || instr.op == Op::sub || instr.op == Op::mul || instr.op == Op::div;
    if (is_float(instr.type) && (arithmetic || instr.op == Op::fma)) {
        const bool packed = instr.type == Type::f16x2 || instr.type == Type::bf16x2;
        kind.flops_per_thread = (instr.op == Op::fma ? 2u : 1u) * (packed ? 2u : 1u);
        kind.flops = instr.type == Type::f64   ? &Events::flops_fp64
                     : instr.type == Type::f32 ? &Events::flops_fp32
                                               : &Events::flops_fp16;
    }
    if (instr.op == Op::mma || instr.op == Op::wmma_mma) {
        const auto m = static_cast<std::uint32_t>(instr.imm >> 32 & 0xffff),
                   n = static_cast<std::uint32_t>(instr.imm >> 16 & 0xffff),
                   k = static_cast<std::uint32_t>(instr.imm & 0xffff);
        kind.flops = &Events::flops_tensor;
        kind.flops_per_thread = 2 * m * n * k / 32;
        if (instr.type2 == Type::bf16) kind.tensor_flops = &Events::flops_tensor_bf16;
        if (instr.type2 == Type::tf32) kind.tensor_flops = &Events::flops_tensor_tf32;
    }
    kind.branch = instr.op == Op::bra && instr.guard != kNoValue;
    kind.barrier = instr.op == Op::bar_sync || (instr.op >= Op::bar_red_popc && instr.op <= Op::bar_red_or);
    switch (instr.op) {
    case Op::ld:
    case Op::st:
    case Op::atom:
    case Op::red:
        kind.memory = true;
        kind.store = instr.op == Op::st;
        kind.atomic = instr.op == Op::atom || instr.op == Op::red;
        kind.space = instr.space;
        kind.address = instr.src[0];
        kind.wide_address = instr.src_rows[0] == RowClass::w64;
        kind.bytes = size_of(instr.type) * instr.vector;
        kind.offset = instr.imm;
        break;
    case Op::cp_async:
        kind.memory = true;
        kind.space = Space::global;
        kind.address = instr.src[1];
        kind.bytes = size_of(instr.type);
        kind.offset = instr.imm;
        break;
    case Op::ldmatrix:
    case Op::stmatrix:
        kind.memory = true;
        kind.store = instr.op == Op::stmatrix;
        kind.space = Space::shared;
        kind.address = instr.src[0];
        kind.wide_address = instr.src_rows[0] == RowClass::w64;
        kind.bytes = 16;
        kind.offset = instr.imm;
        if (instr.vector < 4) kind.address_lanes = (1u << 8 * instr.vector) - 1;
        break;
    case Op::wmma_load:
    case Op::wmma_store: {
        const auto m = static_cast<std::uint32_t>(instr.imm >> 32 & 0xffff),
                   n = static_cast<std::uint32_t>(instr.imm >> 16 & 0xffff),
                   k = static_cast<std::uint32_t>(instr.imm & 0xffff);
        const std::uint32_t fragment = instr.mode >> 1;
        const std::uint32_t rows = fragment == 1 ? k : m, columns = fragment == 0 ? k : n;
        const bool column_major = instr.mode & 1;
        kind.memory = true;
        kind.store = instr.op == Op::wmma_store;
        kind.space = instr.space;
        kind.address = instr.src[0];
        kind.wide_address = instr.src_rows[0] == RowClass::w64;
        kind.element_bytes = size_of(instr.type);
        kind.lines = column_major ? columns : rows;
        kind.line_bytes = (column_major ? rows : columns) * kind.element_bytes;
        kind.stride = instr.src.size() > 1 ? instr.src[1] : kNoValue;
        break;
    }
    default: break;
    }
    return kind;
}

void LaunchCounter::note(const Warp& warp, const Step* step, std::uint32_t worker) {
    if (watch_) [[unlikely]]
        return watch_->note(warp, step);
    if (touches_) [[unlikely]]
        return touches_->note(warp, step);
    const auto index = static_cast<std::size_t>(step - warp.steps);
    const Kind& kind = kinds_[index];
    if (kind.elided) return;
    Events& events = events_[worker][index];
    std::uint32_t mask = warp.mask;
    if (kind.guard != kNoValue && !kind.branch) {
        const std::uint32_t value = *reinterpret_cast<const std::uint32_t*>(warp.regs + kind.guard);
        mask &= kind.guard_negated ? ~value : value;
    }
    ++events.warp_instructions;
    events.thread_instructions += lanes_of(mask);
    if (kind.pipe) ++(events.*kind.pipe);
    const std::uint64_t flops = std::uint64_t{kind.flops_per_thread} * lanes_of(mask);
    if (kind.flops) events.*kind.flops += flops;
    if (kind.tensor_flops) events.*kind.tensor_flops += flops;
    if (kind.barrier) ++events.barriers;
    if (kind.branch) note_branch(warp, kind, events);
    if (kind.lines != 0 && mask != 0)
        note_fragment(warp, kind, events);
    else if (kind.memory && mask != 0)
        note_memory(warp, kind, mask, events);
}

void LaunchCounter::note_branch(const Warp& warp, const Kind& kind, Events& events) {
    const std::uint32_t value = *reinterpret_cast<const std::uint32_t*>(warp.regs + kind.guard);
    const std::uint32_t taken = (kind.guard_negated ? ~value : value) & warp.mask;
    ++events.branches;
    if (taken != 0 && taken != warp.mask) ++events.divergent_branches;
}

bool LaunchCounter::touch(std::uint64_t sector, std::vector<std::atomic<std::uint64_t>>& map) {
    const std::uint64_t word = sector / 64;
    if (word >= map.size()) return false;
    const std::uint64_t bit = std::uint64_t{1} << (sector % 64);
    if (map[word].load(std::memory_order_relaxed) & bit) return false;
    return !(map[word].fetch_or(bit, std::memory_order_relaxed) & bit);
}

void LaunchCounter::note_memory(const Warp& warp, const Kind& kind, std::uint32_t mask, Events& events) {
    std::array<std::uint64_t, 32> address;
    std::uint32_t count = 0;
    const std::byte* row = warp.regs + kind.address;
    for (std::uint32_t left = mask & kind.address_lanes; left != 0; left &= left - 1) {
        const auto lane = static_cast<std::size_t>(std::countr_zero(left));
        address[count++] =
            kind.wide_address
                ? reinterpret_cast<const std::uint64_t*>(row)[lane] + static_cast<std::uint64_t>(kind.offset)
                : reinterpret_cast<const std::uint32_t*>(row)[lane] + static_cast<std::uint32_t>(kind.offset);
    }
    if (count != 0) note_request(kind, kind.bytes, std::span(address).first(count), events);
}

/// As if lanes took 16 bytes each along the matrix's lines, 32 of them at a time.
void LaunchCounter::note_fragment(const Warp& warp, const Kind& kind, Events& events) {
    const std::byte* row = warp.regs + kind.address;
    const std::uint64_t base =
        kind.wide_address ? *reinterpret_cast<const std::uint64_t*>(row) : *reinterpret_cast<const std::uint32_t*>(row);
    const std::uint64_t stride =
        kind.stride == kNoValue
            ? kind.line_bytes
            : std::uint64_t{*reinterpret_cast<const std::uint32_t*>(warp.regs + kind.stride)} * kind.element_bytes;
    const std::uint32_t part = std::min(kind.line_bytes, 16u);
    std::array<std::uint64_t, 32> address;
    std::uint32_t count = 0;
    for (std::uint32_t line = 0; line < kind.lines; ++line) {
        for (std::uint32_t at = 0; at + part <= kind.line_bytes; at += part) {
            address[count++] = base + line * stride + at;
            if (count < address.size()) continue;
            note_request(kind, part, address, events);
            count = 0;
        }
    }
    if (count != 0) note_request(kind, part, std::span(address).first(count), events);
}

void LaunchCounter::note_shared(const Kind& kind, std::uint32_t bytes, std::span<const std::uint64_t> address,
                                Events& events) {
    // Wide accesses go in groups of lanes that together take 128 bytes.
    const std::uint32_t words = std::max(bytes / 4, 1u);
    const std::size_t group = std::max(32 / words, 1u);
    std::uint32_t wavefronts = 0, ideal = 0;
    for (std::size_t begin = 0; begin < address.size(); begin += group) {
        const std::size_t end = std::min(begin + group, address.size());
        std::array<std::uint64_t, 64> touched;
        std::uint32_t used = 0;
        for (std::size_t index = begin; index < end; ++index) {
            for (std::uint32_t word = 0; word < words && used < touched.size(); ++word)
                touched[used++] = address[index] / 4 + word;
        }
        if (!kind.atomic) used = distinct(touched.data(), used);
        std::array<std::uint8_t, kBanks> depth{};
        std::uint32_t deepest = 0;
        for (std::uint32_t index = 0; index < used; ++index)
            deepest = std::max<std::uint32_t>(deepest, ++depth[touched[index] % kBanks]);
        wavefronts += deepest;
        ideal += 1;
    }
    if (kind.store || kind.atomic) {
        ++events.shared_store_requests;
        events.shared_store_wavefronts += wavefronts;
    } else {
        ++events.shared_load_requests;
        events.shared_load_wavefronts += wavefronts;
    }
    events.shared_bank_conflicts += wavefronts - ideal;
}

void LaunchCounter::note_request(const Kind& kind, std::uint32_t bytes, std::span<std::uint64_t> address,
                                 Events& events) {
    Space space = kind.space;
    if (space == Space::generic)
        space = address[0] - kSharedWindow < kClusterWindowBytes ? Space::shared
                : address[0] - kLocalWindow < kWindowBytes       ? Space::local
                                                                 : Space::global;
    if (space == Space::shared) return note_shared(kind, bytes, address, events);
    const auto count = static_cast<std::uint32_t>(address.size());
    if (space == Space::local) {
        // Hardware interleaves local memory by word, so lanes at one offset share sectors.
        ++events.local_requests;
        const std::uint32_t rows = distinct(address.data(), count);
        events.local_sectors += std::uint64_t{rows} * std::max(bytes / 4, 1u) * 4;
        return;
    }
    std::array<std::uint64_t, 96> sector;
    std::uint32_t used = 0;
    for (const std::uint64_t from : address) {
        const std::uint64_t last = (from + bytes - 1) / kSector;
        for (std::uint64_t at = from / kSector; at <= last && used < sector.size(); ++at) {
            if (used == 0 || sector[used - 1] != at) sector[used++] = at;
        }
    }
    used = distinct(sector.data(), used);
    if (kind.atomic) {
        // Each sector is one operation of L2; lanes on the same address take one each.
        ++events.atomic_requests;
        std::sort(address.begin(), address.end());
        std::uint32_t most = 0, run = 0;
        for (std::size_t index = 0; index < address.size(); ++index) {
            run = index > 0 && address[index] == address[index - 1] ? run + 1 : 1;
            most = std::max(most, run);
            if (index + 1 == address.size() || address[index + 1] / kSector != address[index] / kSector) {
                events.atomic_serialized += most;
                most = 0;
            }
        }
    }
    const std::uint64_t base = kGlobalBase / kSector;
    const bool writes = kind.store || kind.atomic;
    auto& requests = writes ? events.global_store_requests : events.global_load_requests;
    auto& sectors = writes ? events.global_store_sectors : events.global_load_sectors;
    auto& asked = writes ? events.global_store_bytes : events.global_load_bytes;
    auto& unique = writes ? events.unique_store_sectors : events.unique_load_sectors;
    ++requests;
    sectors += used;
    asked += std::uint64_t{bytes} * count;
    for (std::uint32_t index = 0; index < used; ++index)
        unique += touch(sector[index] - base, writes ? written_ : read_) ? 1 : 0;
}

Events LaunchCounter::total() const {
    Events sum;
    for (const auto& worker : events_) {
        for (const Events& events : worker) sum += events;
    }
    return sum;
}

std::vector<device::LineEvents> LaunchCounter::by_line() const {
    std::map<std::pair<std::uint32_t, int>, Events> lines;
    for (std::size_t index = 0; index < program_.instrs.size(); ++index) {
        Events sum;
        for (const auto& worker : events_) sum += worker[index];
        if (sum.warp_instructions == 0) continue;
        const std::int32_t location = program_.instrs[index].location;
        const auto key = location < 0 ? std::pair{0xffffffffu, 0}
                                      : std::pair{program_.locations[static_cast<std::size_t>(location)].file,
                                                  program_.locations[static_cast<std::size_t>(location)].line};
        lines[key] += sum;
    }
    std::vector<device::LineEvents> out;
    for (const auto& [key, events] : lines) {
        const bool known = key.first < program_.files.size();
        out.push_back({known ? program_.files[key.first] : std::string{}, known ? key.second : 0, events});
    }
    return out;
}

} // namespace kw::sim
