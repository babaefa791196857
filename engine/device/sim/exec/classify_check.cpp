// Which instructions are looked at, and how.
#include "engine/device/sim/exec/launch_shadow.h"

namespace kw::sim {
namespace {

bool is_strong(const Instr& instr) { return instr.op == Op::atom || instr.op == Op::red || instr.has(kVolatile); }

} // namespace

CheckedOp classify_check(const Instr& instr, const device::Checks& checks) {
    using Kind = CheckedOp::Kind;
    CheckedOp op;
    op.guard = instr.guard;
    op.negated = instr.guard_negated;
    op.instr = &instr;
    op.space = instr.space;
    op.offset = instr.imm;
    op.strong = is_strong(instr);
    op.release = instr.has(kReleases);
    const auto address = [&](std::size_t index) {
        op.address = instr.src[index];
        op.wide_address = instr.src_rows[index] == RowClass::w64;
    };
    const bool memory = checks.init || checks.race;
    switch (instr.op) {
    case Op::ld:
    case Op::st:
    case Op::atom:
    case Op::red:
        if (!memory || instr.space == Space::constant || instr.space == Space::param) break;
        if (instr.space == Space::local && !checks.init) break;
        op.kind = instr.op == Op::ld ? Kind::load : instr.op == Op::st ? Kind::store : Kind::atomic;
        address(0);
        op.element = size_of(instr.type);
        op.size = op.element * instr.vector;
        op.read_elements = instr.unread == 0 ? op.read_elements : ~std::uint64_t{instr.unread};
        if (instr.op == Op::ld) {
            for (std::size_t index = 0; index < instr.dst.size(); ++index)
                if (instr.dst[index] == kNoValue) op.read_elements &= ~(std::uint64_t{1} << index);
        }
        break;
    case Op::cp_async:
        if (!memory) break;
        op.kind = Kind::copy;
        address(0);
        op.from = instr.src[1];
        op.members = instr.src[2];
        op.space = Space::shared;
        op.element = op.size = size_of(instr.type);
        op.offset = static_cast<std::int32_t>(instr.target);
        op.from_offset = instr.imm;
        break;
    case Op::ldmatrix:
    case Op::stmatrix:
        if (!memory) break;
        op.kind = Kind::matrix;
        op.write = instr.op == Op::stmatrix;
        address(0);
        op.space = Space::shared;
        op.size = op.element = 16;
        op.lines = 0;
        op.members = 8u * instr.vector; // lanes that give addresses
        break;
    case Op::wmma_load:
    case Op::wmma_store: {
        if (!memory) break;
        const auto m = static_cast<std::uint32_t>(instr.imm >> 32 & 0xffff),
                   n = static_cast<std::uint32_t>(instr.imm >> 16 & 0xffff),
                   k = static_cast<std::uint32_t>(instr.imm & 0xffff);
        const std::uint32_t fragment = instr.mode >> 1;
        const std::uint32_t rows = fragment == 1 ? k : m, columns = fragment == 0 ? k : n;
        const bool column_major = instr.mode & 1;
        op.kind = Kind::lines;
        op.write = instr.op == Op::wmma_store;
        address(0);
        op.element = size_of(instr.type);
        op.lines = column_major ? columns : rows;
        op.size = (column_major ? rows : columns) * op.element;
        op.stride = instr.src.size() > 1 ? instr.src[1] : kNoValue;
        op.offset = 0;
        break;
    }
    case Op::bulk_copy:
        if (!memory) break;
        op.kind = Kind::bulk;
        op.size = op.element = 16;
        break;
    case Op::mbarrier:
        if (!memory || static_cast<MbarrierOp>(instr.mode) == MbarrierOp::pending_count) break;
        op.kind = Kind::mbarrier;
        op.address = instr.src[0];
        break;
    case Op::cp_async_wait:
        if (checks.race && instr.mode != 0) op.kind = Kind::copies;
        break;
    case Op::fence:
        if (checks.race) op.kind = Kind::fence;
        break;
    case Op::warp_sync:
        if (checks.race || checks.shuffle) op.kind = Kind::warp_sync;
        op.members = instr.src[0];
        break;
    case Op::shfl:
    case Op::vote:
    case Op::match_any:
    case Op::match_all:
    case Op::redux:
    case Op::elect:
        if (!checks.shuffle || instr.src.empty() || instr.src.back() == kNoValue) break;
        op.kind = Kind::warp_op;
        op.members = instr.src.back();
        break;
    case Op::mma:
    case Op::wmma_mma:
        if (checks.schedule) op.kind = Kind::collective;
        break;
    default: break;
    }
    return op;
}

} // namespace kw::sim
