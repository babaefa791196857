#include "engine/device/sim/exec/touch_watch.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace kw::sim {
namespace {

template<class T> T lane_of(const std::byte* row, std::uint32_t lane) {
    T value;
    std::memcpy(&value, row + std::size_t{lane} * sizeof(T), sizeof(T));
    return value;
}

std::uint64_t address_in(const std::byte* row, std::uint32_t lane, bool wide) {
    return wide ? lane_of<std::uint64_t>(row, lane) : lane_of<std::uint32_t>(row, lane);
}

} // namespace

TouchWatch::TouchWatch(std::span<const MemoryRange> ranges) {
    touched_.ranges.resize(ranges.size());
    for (std::size_t index = 0; index < ranges.size(); ++index) {
        ranges_.push_back({ranges[index], index});
        touched_.ranges[index].bytes.resize(ranges[index].bytes);
    }
    std::ranges::sort(ranges_, {}, [](const Sorted& each) { return each.range.begin; });
}

TouchWatch::Kind TouchWatch::classify(const Instr& instr) {
    Kind kind{.guard = instr.guard, .guard_negated = instr.guard_negated, .part = {}};
    Part& part = kind.part;
    const bool anywhere = instr.space == Space::global || instr.space == Space::generic;
    switch (instr.op) {
    case Op::ld:
    case Op::st:
    case Op::atom:
    case Op::red:
        kind.touches = anywhere;
        part.reads = instr.op != Op::st;
        part.writes = instr.op != Op::ld;
        part.row = instr.src[0];
        part.wide = instr.src_rows[0] == RowClass::w64;
        part.bytes = size_of(instr.type) * instr.vector;
        part.offset = instr.imm;
        break;
    case Op::cp_async:
        kind.touches = part.reads = true;
        part.row = instr.src[1];
        part.bytes = size_of(instr.type);
        part.offset = instr.imm;
        break;
    case Op::bulk_copy: {
        const auto mode = static_cast<BulkCopy>(instr.mode);
        kind.touches = mode != BulkCopy::shared_to_cluster;
        part.reads = mode == BulkCopy::global_to_shared;
        part.writes = mode == BulkCopy::shared_to_global;
        part.row = instr.src[part.writes ? 0 : 1];
        part.length_row = instr.src[2];
        break;
    }
    case Op::wmma_load:
    case Op::wmma_store: {
        const auto m = static_cast<std::uint32_t>(instr.imm >> 32 & 0xffff),
                   n = static_cast<std::uint32_t>(instr.imm >> 16 & 0xffff),
                   k = static_cast<std::uint32_t>(instr.imm & 0xffff);
        const std::uint32_t fragment = instr.mode >> 1;
        const bool is_store = instr.op == Op::wmma_store;
        const std::uint32_t rows = !is_store && fragment == 1 ? k : m, columns = !is_store && fragment == 0 ? k : n;
        const bool column_major = instr.mode & 1;
        kind.touches = anywhere;
        part.reads = !is_store;
        part.writes = is_store;
        part.once = true;
        part.row = instr.src[0];
        part.wide = instr.src_rows[0] == RowClass::w64;
        part.element_bytes = size_of(instr.type);
        part.lines = column_major ? columns : rows;
        part.bytes = (column_major ? rows : columns) * part.element_bytes;
        part.stride = instr.src.size() > 1 ? instr.src[1] : kNoValue;
        break;
    }
    default: break;
    }
    return kind;
}

void TouchWatch::begin_launch(const Program& program) {
    program_ = &program;
    executed_ = &touched_.executed[program.kernel];
    executed_->resize(program.instrs.size());
    kinds_.clear();
    for (const Instr& instr : program.instrs) kinds_.push_back(classify(instr));
}

void TouchWatch::note(const Warp& warp, const Step* step) {
    const auto index = static_cast<std::size_t>(step - warp.steps);
    ++(*executed_)[index];
    const Kind& kind = kinds_[index];
    if (!kind.touches) return;
    std::uint32_t mask = warp.mask;
    if (kind.guard != kNoValue) {
        const auto value = lane_of<std::uint32_t>(warp.regs + kind.guard, 0);
        mask &= kind.guard_negated ? ~value : value;
    }
    if (mask == 0) return;
    const Part& part = kind.part;
    const std::byte* row = warp.regs + part.row;
    if (part.once) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
        const std::uint64_t stride =
            part.stride == kNoValue
                ? part.bytes
                : std::uint64_t{lane_of<std::uint32_t>(warp.regs + part.stride, lane)} * part.element_bytes;
        const std::uint64_t base = address_in(row, lane, part.wide);
        for (std::uint32_t line = 0; line < part.lines; ++line)
            note_access(part, base + line * stride, part.bytes, index);
        return;
    }
    for (std::uint32_t left = mask; left != 0; left &= left - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
        const std::uint64_t bytes =
            part.length_row == kNoValue ? part.bytes : lane_of<std::uint32_t>(warp.regs + part.length_row, lane);
        note_access(part, address_in(row, lane, part.wide) + static_cast<std::uint64_t>(part.offset), bytes, index);
    }
}

void TouchWatch::note_access(const Part& part, std::uint64_t address, std::uint64_t bytes, std::size_t index) {
    auto at = std::ranges::upper_bound(ranges_, address, {}, [](const Sorted& each) { return each.range.begin; });
    if (at == ranges_.begin()) return;
    const auto& [range, number] = *--at;
    const std::uint64_t begin = address - range.begin;
    if (begin >= range.bytes) return;
    auto& touched = touched_.ranges[number];
    const auto where = [&] { return program_->in_user_code(static_cast<std::uint32_t>(index)); };
    if (part.reads && !touched.first_read) touched.first_read = where();
    if (part.writes && !touched.first_write) touched.first_write = where();
    const std::uint64_t end = std::min(begin + bytes, range.bytes);
    for (std::uint64_t byte = begin; byte < end; ++byte) {
        auto& bits = touched.bytes[byte];
        if (part.reads) bits |= static_cast<std::uint8_t>(bits & kWritten ? kRead : kRead | kReadFirst);
        if (part.writes) bits |= kWritten;
    }
}

} // namespace kw::sim
