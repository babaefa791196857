#include "engine/device/sim/exec/store_watch.h"

#include "engine/device/sim/demangle.h"
#include "engine/device/sim/exec/launch.h"

#include <fmt/format.h>

#include <bit>
#include <cstring>

namespace kw::sim {
namespace {

/// Threads whose stores are remembered apart; those beyond are counted.
constexpr std::size_t kMostRemembered = 4096;

template<class T> T lane_of(const std::byte* row, std::uint32_t lane) {
    T value;
    std::memcpy(&value, row + std::size_t{lane} * sizeof(T), sizeof(T));
    return value;
}

/// The exponent and mantissa of a format whose infinity is `infinity`.
template<class Bits> bool matches(Bits bits, Bits infinity, NonFinite wanted) {
    const Bits size = bits & static_cast<Bits>(std::numeric_limits<Bits>::max() >> 1);
    return wanted == NonFinite::nan ? size > infinity : size == infinity;
}

/// Arithmetic whose result is of `instr.type`. Moves and selections make nothing new.
bool makes_a_number(const Instr& instr) {
    switch (instr.op) {
    case Op::add:
    case Op::sub:
    case Op::mul:
    case Op::div:
    case Op::fma:
    case Op::rcp:
    case Op::sqrt:
    case Op::rsqrt:
    case Op::ex2:
    case Op::lg2:
    case Op::sin:
    case Op::cos:
    case Op::tanh:
    case Op::cvt: return is_float(instr.type) && instr.type != Type::tf32;
    default: return false;
    }
}

std::string_view in_words(Op op) {
    switch (op) {
    case Op::add: return "an addition";
    case Op::sub: return "a subtraction";
    case Op::mul: return "a multiplication";
    case Op::div: return "a division";
    case Op::fma: return "a multiplication with addition";
    case Op::rcp: return "a reciprocal";
    case Op::sqrt: return "a square root";
    case Op::rsqrt: return "a reciprocal square root";
    case Op::ex2: return "a power of 2";
    case Op::lg2: return "a logarithm";
    case Op::cvt: return "a conversion";
    default: return "an instruction";
    }
}

} // namespace

StoreWatch::Kind StoreWatch::classify(const Instr& instr) {
    Kind kind;
    kind.guard = instr.guard;
    kind.guard_negated = instr.guard_negated;
    kind.made = makes_a_number(instr);
    const bool anywhere = instr.space == Space::global || instr.space == Space::generic;
    switch (instr.op) {
    case Op::ld: kind.read = is_float(instr.type) && instr.vector >= 1; break;
    case Op::st:
    case Op::atom:
    case Op::red:
        kind.store = anywhere;
        kind.atomic = instr.op != Op::st;
        kind.address = instr.src[0];
        kind.wide_address = instr.src_rows[0] == RowClass::w64;
        kind.bytes = size_of(instr.type) * instr.vector;
        kind.offset = instr.imm;
        break;
    case Op::wmma_store: {
        const auto m = static_cast<std::uint32_t>(instr.imm >> 32 & 0xffff),
                   n = static_cast<std::uint32_t>(instr.imm >> 16 & 0xffff);
        const bool column_major = instr.mode & 1;
        kind.store = anywhere;
        kind.address = instr.src[0];
        kind.wide_address = instr.src_rows[0] == RowClass::w64;
        kind.element_bytes = size_of(instr.type);
        kind.lines = column_major ? n : m;
        kind.line_bytes = (column_major ? m : n) * kind.element_bytes;
        kind.stride = instr.src.size() > 1 ? instr.src[1] : kNoValue;
        break;
    }
    default: break;
    }
    return kind;
}

void StoreWatch::begin_launch(const Program& program, const device::Dim3& grid, const device::Dim3& block) {
    if (begun_) ++launch_;
    begun_ = true;
    program_ = &program;
    grid_ = grid;
    block_ = block;
    kinds_.clear();
    for (const Instr& instr : program.instrs) kinds_.push_back(classify(instr));
    pending_ = {};
    tracing_ = options_.trace && options_.trace->launch == launch_ && !origin_;
    if (!tracing_) return;
    const auto& traced = *options_.trace;
    traced_block_ = traced.block.x + std::uint64_t{grid.x} * (traced.block.y + std::uint64_t{grid.y} * traced.block.z);
    const std::uint32_t linear = traced.thread.x + block.x * (traced.thread.y + block.y * traced.thread.z);
    traced_warp_ = linear / 32;
    traced_lane_ = linear % 32;
}

device::Dim3 StoreWatch::thread_at(std::uint32_t linear) const {
    return {linear % block_.x, linear / block_.x % block_.y, linear / (block_.x * block_.y)};
}

std::uint32_t StoreWatch::active_lanes(const Warp& warp, const Kind& kind) const {
    if (kind.guard == kNoValue) return warp.mask;
    const auto value = lane_of<std::uint32_t>(warp.regs + kind.guard, 0);
    return warp.mask & (kind.guard_negated ? ~value : value);
}

void StoreWatch::note(const Warp& warp, const Step* step) {
    const auto index = static_cast<std::size_t>(step - warp.steps);
    const Kind& kind = kinds_[index];
    const bool traced = tracing_ && warp.block->index == traced_block_ && warp.index == traced_warp_;
    if (!kind.store && !traced) return;
    const std::uint32_t mask = active_lanes(warp, kind);
    if (traced) follow(warp, step, kind, mask);
    if (!kind.store || mask == 0) return;
    if (kind.lines != 0)
        note_matrix(warp, step, kind);
    else
        note_store(warp, step, kind, mask);
}

void StoreWatch::note_store(const Warp& warp, const Step* step, const Kind& kind, std::uint32_t mask) {
    const std::byte* row = warp.regs + kind.address;
    for (std::uint32_t left = mask; left != 0; left &= left - 1) {
        const auto lane = static_cast<std::uint32_t>(std::countr_zero(left));
        const std::uint64_t base =
            kind.wide_address ? lane_of<std::uint64_t>(row, lane) : lane_of<std::uint32_t>(row, lane);
        if (touches(base + static_cast<std::uint64_t>(kind.offset), kind.bytes))
            remember(warp, step, lane, kind, false);
    }
}

void StoreWatch::note_matrix(const Warp& warp, const Step* step, const Kind& kind) {
    const std::byte* row = warp.regs + kind.address;
    const std::uint64_t base = kind.wide_address ? lane_of<std::uint64_t>(row, 0) : lane_of<std::uint32_t>(row, 0);
    const std::uint64_t stride =
        kind.stride == kNoValue
            ? kind.line_bytes
            : std::uint64_t{lane_of<std::uint32_t>(warp.regs + kind.stride, 0)} * kind.element_bytes;
    for (std::uint32_t line = 0; line < kind.lines; ++line)
        if (touches(base + line * stride, kind.line_bytes)) return remember(warp, step, 0, kind, true);
}

void StoreWatch::remember(const Warp& warp, const Step* step, std::uint32_t lane, const Kind& kind, bool whole_warp) {
    const std::uint32_t thread = warp.index * 32 + lane;
    const std::scoped_lock lock{mutex_};
    const std::tuple key{launch_, warp.block->index, thread};
    if (stores_.size() >= kMostRemembered && !stores_.contains(key)) {
        ++more_;
        return;
    }
    const auto& at = warp.block->position;
    stores_[key] = {.launch = launch_,
                    .kernel = demangled(program_->kernel),
                    .block = at,
                    .thread = thread_at(thread),
                    .where = program_->in_user_code(static_cast<std::uint32_t>(step - warp.steps)),
                    .atomic = kind.atomic,
                    .whole_warp = whole_warp};
}

bool StoreWatch::is_wanted(const std::byte* row, Type type) const {
    const auto wanted = options_.looked_for;
    const auto half = [&](std::uint16_t infinity) {
        return matches<std::uint16_t>(lane_of<std::uint16_t>(row, traced_lane_), infinity, wanted);
    };
    const auto halves = [&](std::uint16_t infinity) {
        const auto both = lane_of<std::uint32_t>(row, traced_lane_);
        return matches<std::uint16_t>(static_cast<std::uint16_t>(both), infinity, wanted)
               || matches<std::uint16_t>(static_cast<std::uint16_t>(both >> 16), infinity, wanted);
    };
    switch (type) {
    case Type::f32: return matches<std::uint32_t>(lane_of<std::uint32_t>(row, traced_lane_), 0x7F800000u, wanted);
    case Type::f64:
        return matches<std::uint64_t>(lane_of<std::uint64_t>(row, traced_lane_), 0x7FF0000000000000ull, wanted);
    case Type::f16: return half(0x7C00);
    case Type::bf16: return half(0x7F80);
    case Type::f16x2: return halves(0x7C00);
    case Type::bf16x2: return halves(0x7F80);
    default: return false;
    }
}

void StoreWatch::follow(const Warp& warp, const Step* step, const Kind& kind, std::uint32_t mask) {
    if (pending_.instr && pending_.clean) {
        const Instr& instr = *pending_.instr;
        for (const std::uint32_t dst : instr.dst) {
            if (!is_wanted(pending_.regs + dst, instr.type)) continue;
            origin_ = program_->in_user_code(pending_.index);
            const std::string_view name = options_.looked_for == NonFinite::nan ? "NaN" : "an infinity";
            if (instr.op == Op::ld)
                what_ = fmt::format("{} was read from {} memory", name,
                                    instr.space == Space::generic ? "some" : to_string(instr.space));
            else if (options_.looked_for == NonFinite::nan)
                what_ = fmt::format("{} of values that were not NaN gave {}", in_words(instr.op), name);
            else
                what_ = fmt::format("{} of finite values gave {}", in_words(instr.op), name);
            tracing_ = false;
            break;
        }
    }
    pending_ = {};
    const auto index = static_cast<std::uint32_t>(step - warp.steps);
    if (!tracing_ || (!kind.made && !kind.read) || !(mask >> traced_lane_ & 1)) return;
    const Instr& instr = program_->instrs[index];
    bool clean = true;
    if (kind.made) {
        const Type from = instr.op == Op::cvt ? instr.type2 : instr.type;
        for (const std::uint32_t src : instr.src) clean = clean && !is_wanted(warp.regs + src, from);
    }
    pending_ = {.instr = &instr, .index = index, .regs = warp.regs, .clean = clean};
}

Watched StoreWatch::result() const {
    const std::scoped_lock lock{mutex_};
    Watched watched;
    watched.more = more_;
    for (const auto& [key, store] : stores_) {
        if (watched.stores.size() < kMostStores)
            watched.stores.push_back(store);
        else
            ++watched.more;
    }
    watched.origin = origin_;
    watched.what = what_;
    return watched;
}

} // namespace kw::sim
