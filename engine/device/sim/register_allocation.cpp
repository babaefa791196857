// Liveness on the control-flow graph, copy elision and linear-scan assignment of register rows.
#include "engine/device/sim/decoder_impl.h"

#include <algorithm>
#include <array>
#include <bit>

namespace kw::sim {
namespace {

constexpr std::size_t kMostLivenessWords = std::size_t{1} << 24; ///< bounds memory, and time, on hostile text
constexpr std::uint32_t kUnit = 64;                              ///< bytes; every row but a predicate's is a multiple

bool ends_block(const Instr& instr) {
    return instr.op == Op::bra || instr.op == Op::brx || instr.op == Op::ret || instr.op == Op::exit
           || instr.op == Op::trap;
}

/// Rows that hold the same value in every lane's whole life: constants, parameters, special registers.
bool is_fixed(const Value& value) { return value.kind != Value::Kind::reg; }

/// Replaces a register that is written once, by an unguarded copy of something that never changes after, by its source.
void elide_copies(std::vector<Instr>& code, const std::vector<Value>& values) {
    std::vector<std::uint32_t> definitions(values.size(), 0);
    for (const Instr& instr : code) {
        for (std::uint32_t value : instr.dst) {
            if (value != kNoValue) ++definitions[value];
        }
    }
    std::vector<std::uint32_t> alias(values.size(), kNoValue);
    const auto resolve = [&](std::uint32_t value) {
        while (value != kNoValue && alias[value] != kNoValue) value = alias[value];
        return value;
    };
    for (Instr& instr : code) {
        for (std::uint32_t& value : instr.src) value = resolve(value);
        if (instr.op != Op::mov || instr.guard != kNoValue || instr.dst.front() == kNoValue) continue;
        const std::uint32_t to = instr.dst.front();
        const std::uint32_t from = instr.src.front();
        if (to == from || definitions[to] != 1 || values[to].row != values[from].row || is_fixed(values[to])) continue;
        if (!is_fixed(values[from]) && definitions[from] != 1) continue;
        alias[to] = from;
        instr.op = Op::nop;
        instr.dst.clear();
        instr.src.clear();
        instr.mode = 1; // elided: no machine instruction stands for it
    }
    // A use may come before the definition in the text (a loop's back edge).
    for (Instr& instr : code) {
        for (std::uint32_t& value : instr.src) value = resolve(value);
        if (instr.guard != kNoValue) instr.guard = resolve(instr.guard);
    }
}

class BitRows {
public:
    BitRows(std::size_t rows, std::size_t bits) : words_((bits + 63) / 64), data_(rows * words_, 0) {}
    std::uint64_t* row(std::size_t index) { return data_.data() + index * words_; }
    [[nodiscard]] std::size_t words() const { return words_; }

private:
    std::size_t words_;
    std::vector<std::uint64_t> data_;
};

struct Block {
    std::uint32_t begin = 0, end = 0;
    std::vector<std::uint32_t> next;
};

std::vector<Block> find_blocks(const std::vector<Instr>& code) {
    std::vector<bool> starts(code.size() + 1, false);
    starts[0] = true;
    for (std::size_t index = 0; index < code.size(); ++index) {
        if (!ends_block(code[index])) continue;
        starts[index + 1] = true;
        if (code[index].op == Op::bra) starts[code[index].target] = true;
        for (std::uint32_t target : code[index].targets) starts[target] = true;
    }
    std::vector<Block> blocks;
    std::vector<std::uint32_t> number(code.size() + 1, 0);
    for (std::size_t index = 0; index < code.size(); ++index) {
        if (starts[index]) {
            if (!blocks.empty()) blocks.back().end = static_cast<std::uint32_t>(index);
            blocks.push_back({static_cast<std::uint32_t>(index), 0, {}});
        }
        number[index] = static_cast<std::uint32_t>(blocks.size() - 1);
    }
    if (!blocks.empty()) blocks.back().end = static_cast<std::uint32_t>(code.size());
    for (Block& block : blocks) {
        const Instr& last = code[block.end - 1];
        if (last.op == Op::bra && last.target < code.size()) block.next.push_back(number[last.target]);
        for (std::uint32_t target : last.targets) {
            if (target < code.size()) block.next.push_back(number[target]);
        }
        const bool leaves = (last.op == Op::bra || last.op == Op::brx || last.op == Op::ret || last.op == Op::exit
                             || last.op == Op::trap)
                            && last.guard == kNoValue;
        if (!leaves && block.end < code.size()) block.next.push_back(number[block.end]);
    }
    return blocks;
}

struct Interval {
    std::uint32_t value = 0;
    std::uint32_t begin = 0xffffffffu;
    std::uint32_t end = 0;
};

/// First free aligned run of units.
class UnitMap {
public:
    std::uint32_t take(std::uint32_t units) {
        for (std::uint32_t at = 0;; at += units) {
            if (at + units > used_.size()) used_.resize(at + units, false);
            bool free = true;
            for (std::uint32_t index = at; index < at + units; ++index) free &= !used_[index];
            if (!free) continue;
            for (std::uint32_t index = at; index < at + units; ++index) used_[index] = true;
            return at;
        }
    }
    void give(std::uint32_t at, std::uint32_t units) {
        for (std::uint32_t index = at; index < at + units; ++index) used_[index] = false;
    }
    [[nodiscard]] std::uint32_t size() const { return static_cast<std::uint32_t>(used_.size()); }

private:
    std::vector<bool> used_;
};

} // namespace

bool is_lane_wise(const Instr& instr) {
    switch (instr.op) {
    case Op::shfl:
    case Op::ld:
    case Op::atom:
    case Op::ldmatrix:
    case Op::mbarrier:
    case Op::mma:
    case Op::wmma_load:
    case Op::wmma_mma:
    case Op::pack:
    case Op::unpack:
    case Op::match_any:
    case Op::match_all:
    case Op::redux:
    case Op::vote:
    case Op::bar_red_popc:
    case Op::bar_red_and:
    case Op::bar_red_or:
    case Op::builtin: return false;
    default: return true;
    }
}

bool allocate_registers(std::vector<Instr>& code, const std::vector<Value>& values, Function& info) {
    elide_copies(code, values);
    const std::vector<Block> blocks = find_blocks(code);
    const std::size_t count = values.size();
    if (blocks.size() * (count / 64 + 1) > kMostLivenessWords) return false;
    BitRows live_in(blocks.size(), count), use(blocks.size(), count), define(blocks.size(), count);
    const std::size_t words = live_in.words();
    const auto test = [](const std::uint64_t* row, std::uint32_t bit) {
        return (row[bit / 64] >> (bit % 64) & 1) != 0;
    };
    const auto put = [](std::uint64_t* row, std::uint32_t bit) { row[bit / 64] |= std::uint64_t{1} << (bit % 64); };

    const auto each_use = [&](const Instr& instr, auto&& visit) {
        for (std::uint32_t value : instr.src) {
            if (value != kNoValue) visit(value);
        }
        if (instr.guard != kNoValue) {
            visit(instr.guard);
            // what a guarded instruction does not write stays alive
            for (std::uint32_t value : instr.dst) {
                if (value != kNoValue) visit(value);
            }
        }
    };
    for (std::size_t index = 0; index < blocks.size(); ++index) {
        for (std::uint32_t at = blocks[index].begin; at < blocks[index].end; ++at) {
            each_use(code[at], [&](std::uint32_t value) {
                if (!test(define.row(index), value)) put(use.row(index), value);
            });
            for (std::uint32_t value : code[at].dst) {
                if (value != kNoValue) put(define.row(index), value);
            }
        }
    }
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t index = blocks.size(); index-- > 0;) {
            std::uint64_t* in = live_in.row(index);
            for (std::size_t word = 0; word < words; ++word) {
                std::uint64_t out = 0;
                for (std::uint32_t next : blocks[index].next) out |= live_in.row(next)[word];
                const std::uint64_t fresh = use.row(index)[word] | (out & ~define.row(index)[word]);
                changed |= fresh != in[word];
                in[word] = fresh;
            }
        }
    }

    std::vector<Interval> intervals(count);
    const auto cover = [&](std::uint32_t value, std::uint32_t at) {
        intervals[value].begin = std::min(intervals[value].begin, at);
        intervals[value].end = std::max(intervals[value].end, at);
    };
    const auto cover_row = [&](const std::uint64_t* row, std::uint32_t at) {
        for (std::size_t word = 0; word < words; ++word) {
            for (std::uint64_t bits = row[word]; bits != 0; bits &= bits - 1)
                cover(static_cast<std::uint32_t>(word * 64 + static_cast<std::size_t>(std::countr_zero(bits))), at);
        }
    };
    // Positions: an instruction reads at 2i and writes at 2i+1, so that a dying source may give its row to the result.
    for (std::size_t index = 0; index < blocks.size(); ++index) {
        cover_row(live_in.row(index), blocks[index].begin * 2);
        for (std::uint32_t next : blocks[index].next) cover_row(live_in.row(next), blocks[index].end * 2 - 1);
        for (std::uint32_t at = blocks[index].begin; at < blocks[index].end; ++at) {
            const Instr& instr = code[at];
            bool same_rows = is_lane_wise(instr) && instr.dst.size() == 1;
            for (std::uint32_t value : instr.src)
                same_rows &= value == kNoValue || instr.dst.empty() || instr.dst[0] == kNoValue
                             || values[value].row == values[instr.dst[0]].row || values[value].row == RowClass::pred;
            each_use(instr, [&](std::uint32_t value) { cover(value, at * 2 + (same_rows ? 0 : 1)); });
            for (std::uint32_t value : instr.dst) {
                if (value != kNoValue) cover(value, at * 2 + 1);
            }
        }
    }

    std::vector<std::uint32_t> offset(count, kNoValue);
    std::vector<std::uint32_t> order;
    for (std::uint32_t value = 0; value < count; ++value) {
        intervals[value].value = value;
        if (values[value].kind == Value::Kind::reg && intervals[value].begin != 0xffffffffu) order.push_back(value);
    }
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        return intervals[a].begin != intervals[b].begin ? intervals[a].begin < intervals[b].begin : a < b;
    });
    // Lanes of a warp may be at different places, where different values are alive. So values share room only with
    // those of their width: then a lane's part of a row is the same lane's of another.
    std::array<UnitMap, 5> rooms;
    std::vector<std::uint32_t> active;
    const auto room_of = [&](std::uint32_t value) -> UnitMap& {
        return rooms[static_cast<std::size_t>(values[value].row)];
    };
    const auto units_of = [&](std::uint32_t value) {
        return values[value].row == RowClass::pred ? 1 : row_bytes(values[value].row) / kUnit;
    };
    for (std::uint32_t value : order) {
        std::erase_if(active, [&](std::uint32_t other) {
            if (intervals[other].end >= intervals[value].begin) return false;
            room_of(other).give(offset[other], units_of(other));
            return true;
        });
        offset[value] = room_of(value).take(units_of(value));
        active.push_back(value);
    }
    std::uint32_t next = 0;
    std::array<std::uint32_t, 5> bases{};
    for (const RowClass row : {RowClass::w128, RowClass::w64, RowClass::w32, RowClass::w16, RowClass::pred}) {
        const std::uint32_t bytes = rooms[static_cast<std::size_t>(row)].size() * (row == RowClass::pred ? 4 : kUnit);
        bases[static_cast<std::size_t>(row)] = next;
        next += (bytes + kUnit - 1) / kUnit * kUnit;
    }
    for (std::uint32_t value = 0; value < count; ++value) {
        if (values[value].kind != Value::Kind::reg || offset[value] == kNoValue) continue;
        const RowClass row = values[value].row;
        offset[value] = bases[static_cast<std::size_t>(row)] + offset[value] * (row == RowClass::pred ? 4 : kUnit);
    }

    // Rows for what is fixed, only where something reads it.
    std::vector<bool> read(count, false);
    for (const Instr& instr : code) each_use(instr, [&](std::uint32_t value) { read[value] = true; });
    for (std::uint32_t value = 0; value < count; ++value) {
        const Value& known = values[value];
        if (known.kind == Value::Kind::reg || !read[value]) continue;
        offset[value] = next;
        next += std::max(row_bytes(known.row), kUnit);
        switch (known.kind) {
        case Value::Kind::constant: info.constants.push_back({offset[value], known.row, known.bits, known.high}); break;
        case Value::Kind::special: info.specials.push_back({offset[value], known.row, known.special}); break;
        case Value::Kind::parameter:
            info.parameters.push_back({offset[value], known.row, known.parameter, known.bytes, known.sign_extend});
            break;
        case Value::Kind::reg: break;
        }
    }
    info.register_bytes = next;

    if (!blocks.empty()) {
        const std::uint64_t* entry = live_in.row(0);
        for (std::uint32_t value = 0; value < count; ++value) {
            if (values[value].kind != Value::Kind::reg || !test(entry, value) || offset[value] == kNoValue) continue;
            const std::uint32_t first = offset[value] / kUnit;
            const std::uint32_t last = (offset[value] + row_bytes(values[value].row) - 1) / kUnit;
            for (std::uint32_t unit = first; unit <= last; ++unit) info.zeroed.push_back(unit * kUnit);
        }
        std::sort(info.zeroed.begin(), info.zeroed.end());
        info.zeroed.erase(std::unique(info.zeroed.begin(), info.zeroed.end()), info.zeroed.end());
    }

    for (Instr& instr : code) {
        for (std::uint32_t& value : instr.dst) {
            instr.dst_rows.push_back(value == kNoValue ? RowClass::pred : values[value].row);
            if (value != kNoValue) value = offset[value];
        }
        for (std::uint32_t& value : instr.src) {
            instr.src_rows.push_back(value == kNoValue ? RowClass::pred : values[value].row);
            if (value != kNoValue) value = offset[value];
        }
        if (instr.guard != kNoValue) instr.guard = offset[instr.guard];
    }
    return true;
}

} // namespace kw::sim
