// Rules for control flow, barriers, warp-wide operations and matrix operations.
#include "engine/device/sim/decoder_impl.h"

#include <fmt/format.h>

#include <algorithm>

namespace kw::sim {
namespace {

/// A function that the driver provides.
struct KnownFunction {
    std::string_view name;
    Builtin what;
    std::size_t arguments;
    bool returns;
};
const KnownFunction* builtin_from(std::string_view name) {
    static constexpr KnownFunction known[] = {{"vprintf", Builtin::vprintf, 2, false},
                                              {"__assertfail", Builtin::assertfail, 5, false},
                                              {"malloc", Builtin::allocate, 1, true},
                                              {"free", Builtin::release, 1, false}};
    for (const KnownFunction& function : known) {
        if (function.name == name) return &function;
    }
    return nullptr;
}

} // namespace

Result<void> FunctionDecoder::rule_bra() {
    Modifiers modifiers(*source_);
    modifiers.take("uni");
    if (auto checked = finish(modifiers); !checked) return checked;
    if (auto counted = need(1, 1); !counted) return counted;
    if (operand(0).kind != ptx::OperandKind::label) return unsupported("its target is not a label of the function");
    Instr instr = make(Op::bra, Type::none);
    instr.target = operand(0).index;
    push(std::move(instr));
    return {};
}

Result<void> FunctionDecoder::rule_brx() {
    Modifiers modifiers(*source_);
    modifiers.drop({"idx", "uni"});
    if (auto checked = finish(modifiers); !checked) return checked;
    if (auto counted = need(2, 2); !counted) return counted;
    if (operand(1).kind != ptx::OperandKind::table) return unsupported("its table is not declared");
    Instr instr = make(Op::brx, Type::u32);
    if (auto taken = source(instr, 0, Type::u32); !taken) return taken;
    instr.targets = function_.tables[operand(1).index].targets;
    push(std::move(instr));
    return {};
}

Result<void> FunctionDecoder::rule_call() {
    Modifiers modifiers(*source_);
    modifiers.take("uni");
    if (auto checked = finish(modifiers); !checked) return checked;
    std::size_t at = 0;
    const std::size_t count = source_->operands.size();
    CallSite site;
    const auto slots = [&](const ptx::Operand& list, std::vector<CallSite::Slot>& out) -> Result<void> {
        for (const ptx::Operand& item : list.items) {
            if (item.kind != ptx::OperandKind::local) return unsupported("an argument is not a .param variable");
            const ptx::Variable& variable = function_.variables[item.index];
            if (variable.space != Space::param || (number_ == 0 && item.index < function_.params.size()))
                return unsupported("an argument is not a .param variable");
            out.push_back({static_cast<std::uint32_t>(variable_offsets_[item.index]),
                           static_cast<std::uint32_t>(variable.bytes)});
        }
        return {};
    };
    if (at < count && operand(at).kind == ptx::OperandKind::list) {
        if (auto read = slots(operand(at), site.results); !read) return read;
        ++at;
    }
    if (at >= count) return unsupported("it names no function");
    const ptx::Operand& callee = operand(at++);
    if (at < count && operand(at).kind == ptx::OperandKind::list) {
        if (auto read = slots(operand(at), site.arguments); !read) return read;
    }
    Instr instr = make(Op::call, Type::none);
    if (callee.kind == ptx::OperandKind::reg) {
        instr.op = Op::call_indirect;
        auto value = read(callee, Type::u64);
        if (!value) return std::unexpected(value.error());
        instr.src.push_back(*value);
    } else if (callee.kind == ptx::OperandKind::symbol) {
        const auto index = context_.module.function_index.find(callee.text);
        if (index == context_.module.function_index.end())
            return unsupported(fmt::format("function {} is not defined", callee.text.substr(0, 200)));
        const auto number = context_.function_numbers.find(index->second);
        if (number != context_.function_numbers.end()) {
            instr.target = number->second;
        } else if (const auto known = builtin_from(callee.text)) {
            instr.op = Op::builtin;
            instr.mode = static_cast<std::uint8_t>(known->what);
            if (site.arguments.size() != known->arguments || (known->returns && site.results.size() != 1))
                return unsupported("its arguments are not what the function takes");
            // the builtin reads its arguments from the caller's frame
            instr.src.push_back(frame_base());
        } else {
            return unsupported(fmt::format("function {} is only declared; it must be part of the same file",
                                           callee.text.substr(0, 200)));
        }
    } else {
        return unsupported("its callee is not known");
    }
    instr.call = static_cast<std::uint32_t>(info.calls.size());
    info.calls.push_back(std::move(site));
    push(std::move(instr));
    return {};
}

Result<void> FunctionDecoder::rule_ret() {
    Modifiers modifiers(*source_);
    modifiers.take("uni");
    if (auto checked = finish(modifiers); !checked) return checked;
    const std::string_view name = source_->opcode;
    push(make(name == "ret" ? Op::ret : name == "exit" ? Op::exit : name == "trap" ? Op::trap : Op::brkpt, Type::none));
    return {};
}

Result<void> FunctionDecoder::rule_barrier() {
    Modifiers modifiers(*source_);
    const bool aligned = source_->opcode == "bar" || modifiers.has("aligned");
    modifiers.drop({"aligned", "cta"});
    if (modifiers.take("warp")) {
        modifiers.take("sync");
        if (auto checked = finish(modifiers); !checked) return checked;
        if (auto counted = need(1, 1); !counted) return counted;
        Instr instr = make(Op::warp_sync, Type::none);
        if (auto taken = source(instr, 0, Type::b32); !taken) return taken;
        push(std::move(instr));
        return {};
    }
    if (modifiers.take("cluster")) {
        const bool waits = modifiers.take("wait");
        if (!waits && !modifiers.take("arrive")) return unsupported("its kind is not known");
        modifiers.drop({"acquire", "release", "relaxed"});
        if (auto checked = finish(modifiers); !checked) return checked;
        if (auto counted = need(0, 0); !counted) return counted;
        push(make(waits ? Op::cluster_wait : Op::cluster_arrive, Type::none));
        return {};
    }
    Op op = Op::nop;
    if (modifiers.take("sync"))
        op = Op::bar_sync;
    else if (modifiers.take("arrive"))
        op = Op::bar_arrive;
    else if (modifiers.take("red")) {
        op = modifiers.take("popc")  ? Op::bar_red_popc
             : modifiers.take("and") ? Op::bar_red_and
             : modifiers.take("or")  ? Op::bar_red_or
                                     : Op::nop;
        modifiers.drop({"u32", "pred"});
    }
    if (op == Op::nop) return unsupported("its kind is not known");
    if (auto checked = finish(modifiers); !checked) return checked;
    const bool reduces = op != Op::bar_sync && op != Op::bar_arrive;
    const std::size_t first = reduces ? 1 : 0;
    const std::size_t count = source_->operands.size();
    if (auto counted = need(first + 1, first + (reduces ? 3 : 2)); !counted) return counted;
    const bool has_count = count == first + (reduces ? 3u : 2u);
    Instr instr = make(op, op == Op::bar_red_popc ? Type::u32 : Type::pred);
    if (aligned) instr.flags |= kAligned;
    if (reduces) {
        if (auto written = destination(instr, 0, instr.type); !written) return written;
    }
    if (auto taken = source(instr, first, Type::u32); !taken) return taken;
    if (has_count) {
        if (auto taken = source(instr, first + 1, Type::u32); !taken) return taken;
    } else {
        instr.src.push_back(kNoValue);
    }
    if (reduces) {
        if (operand(count - 1).negated) instr.flags |= kNegateCombine;
        if (auto taken = source(instr, count - 1, Type::pred); !taken) return taken;
    }
    push(std::move(instr));
    return {};
}

Result<void> FunctionDecoder::rule_shfl() {
    Modifiers modifiers(*source_);
    const bool sync = modifiers.take("sync");
    constexpr std::pair<std::string_view, ShuffleMode> known[] = {
        {"up", ShuffleMode::up}, {"down", ShuffleMode::down}, {"bfly", ShuffleMode::bfly}, {"idx", ShuffleMode::idx}};
    bool found = false;
    Instr instr = make(Op::shfl, Type::b32);
    for (const auto& [word, mode] : known) {
        if (!found && modifiers.take(word)) {
            instr.mode = static_cast<std::uint8_t>(mode);
            found = true;
        }
    }
    if (!found || modifiers.take_last_type() != Type::b32) return unsupported("its mode or type is not known");
    if (auto checked = finish(modifiers); !checked) return checked;
    if (auto counted = need(sync ? 5 : 4, sync ? 5 : 4); !counted) return counted;
    if (auto written = destination(instr, 0, Type::b32); !written) return written;
    if (operand(0).pair) {
        auto second = write(*operand(0).pair, Type::pred);
        if (!second) return std::unexpected(second.error());
        instr.dst.push_back(*second);
    } else {
        instr.dst.push_back(kNoValue);
    }
    for (std::size_t index = 1; index < source_->operands.size(); ++index) {
        if (auto taken = source(instr, index, Type::b32); !taken) return taken;
    }
    if (!sync) instr.src.push_back(kNoValue);
    push(std::move(instr));
    return {};
}

Result<void> FunctionDecoder::rule_vote() {
    Modifiers modifiers(*source_);
    const bool sync = modifiers.take("sync");
    constexpr std::pair<std::string_view, VoteMode> known[] = {
        {"all", VoteMode::all}, {"any", VoteMode::any}, {"uni", VoteMode::uni}, {"ballot", VoteMode::ballot}};
    bool found = false;
    Instr instr = make(Op::vote, Type::pred);
    for (const auto& [word, mode] : known) {
        if (!found && modifiers.take(word)) {
            instr.mode = static_cast<std::uint8_t>(mode);
            found = true;
        }
    }
    const auto type = modifiers.take_last_type();
    const bool ballot = instr.mode == static_cast<std::uint8_t>(VoteMode::ballot);
    if (!found || type != (ballot ? Type::b32 : Type::pred)) return unsupported("its mode or type is not known");
    if (auto checked = finish(modifiers); !checked) return checked;
    if (auto counted = need(sync ? 3 : 2, sync ? 3 : 2); !counted) return counted;
    instr.type = *type;
    if (auto written = destination(instr, 0, *type); !written) return written;
    if (operand(1).negated) instr.flags |= kNegateCombine;
    if (auto taken = source(instr, 1, Type::pred); !taken) return taken;
    if (sync) {
        if (auto taken = source(instr, 2, Type::b32); !taken) return taken;
    } else {
        instr.src.push_back(kNoValue);
    }
    push(std::move(instr));
    return {};
}

Result<void> FunctionDecoder::rule_match() {
    Modifiers modifiers(*source_);
    const bool any = modifiers.take("any");
    modifiers.drop({"all", "sync"});
    const auto type = modifiers.take_last_type();
    if (type != Type::b32 && type != Type::b64) return unsupported("its type must be b32 or b64");
    if (auto checked = finish(modifiers); !checked) return checked;
    if (auto counted = need(3, 3); !counted) return counted;
    Instr instr = make(any ? Op::match_any : Op::match_all, *type);
    if (auto written = destination(instr, 0, Type::b32); !written) return written;
    if (operand(0).pair) {
        auto second = write(*operand(0).pair, Type::pred);
        if (!second) return std::unexpected(second.error());
        instr.dst.push_back(*second);
    } else {
        instr.dst.push_back(kNoValue);
    }
    if (auto taken = source(instr, 1, *type); !taken) return taken;
    if (auto taken = source(instr, 2, Type::b32); !taken) return taken;
    push(std::move(instr));
    return {};
}

Result<void> FunctionDecoder::rule_redux() {
    Modifiers modifiers(*source_);
    modifiers.take("sync");
    constexpr std::pair<std::string_view, AtomOp> known[] = {{"add", AtomOp::add},   {"min", AtomOp::min},
                                                             {"max", AtomOp::max},   {"and", AtomOp::bit_and},
                                                             {"or", AtomOp::bit_or}, {"xor", AtomOp::bit_xor}};
    bool found = false;
    Instr instr = make(Op::redux, Type::b32);
    for (const auto& [word, op] : known) {
        if (!found && modifiers.take(word)) {
            instr.mode = static_cast<std::uint8_t>(op);
            found = true;
        }
    }
    const auto type = modifiers.take_last_type();
    if (!found || !type || !is_integer(*type) || size_of(*type) != 4)
        return unsupported("its operation or type is not known");
    instr.type = *type;
    if (auto checked = finish(modifiers); !checked) return checked;
    if (auto counted = need(3, 3); !counted) return counted;
    if (auto written = destination(instr, 0, *type); !written) return written;
    if (auto taken = source(instr, 1, *type); !taken) return taken;
    if (auto taken = source(instr, 2, Type::b32); !taken) return taken;
    push(std::move(instr));
    return {};
}

Result<void> FunctionDecoder::rule_warp_misc() {
    const std::string_view name = source_->opcode;
    if (name == "griddepcontrol" || name == "setmaxnreg" || name == "pmevent") {
        push(make(Op::nop, Type::none)); // dependent launch, register hints and events change no result here
        return {};
    }
    if (name == "activemask") {
        if (auto counted = need(1, 1); !counted) return counted;
        Instr instr = make(Op::activemask, Type::b32);
        if (auto written = destination(instr, 0, Type::b32); !written) return written;
        push(std::move(instr));
        return {};
    }
    if (name == "elect") {
        if (auto counted = need(2, 2); !counted) return counted;
        Instr instr = make(Op::elect, Type::b32);
        if (auto written = destination(instr, 0, Type::b32); !written) return written;
        if (!operand(0).pair) return unsupported("its predicate is missing");
        auto second = write(*operand(0).pair, Type::pred);
        if (!second) return std::unexpected(second.error());
        instr.dst.push_back(*second);
        if (auto taken = source(instr, 1, Type::b32); !taken) return taken;
        push(std::move(instr));
        return {};
    }
    push(make(Op::nanosleep, Type::none));
    return {};
}

namespace {

/// "m16n8k16" as three numbers in one: m << 32 | n << 16 | k; 0 when the word is no shape.
std::int64_t shape_from(std::string_view word) {
    std::int64_t part[3] = {0, 0, 0};
    int at = -1;
    for (char c : word) {
        if (c == 'm' || c == 'n' || c == 'k') {
            if (c != "mnk"[at + 1]) return 0;
            ++at;
        } else if (c >= '0' && c <= '9' && at >= 0) {
            part[at] = part[at] * 10 + (c - '0');
            if (part[at] > 1024) return 0;
        } else {
            return 0;
        }
    }
    return at == 2 ? part[0] << 32 | part[1] << 16 | part[2] : 0;
}

std::int64_t take_shape(Modifiers& modifiers) {
    for (std::string_view word : modifiers.left()) {
        if (const std::int64_t shape = shape_from(word)) {
            modifiers.take(word);
            return shape;
        }
    }
    return 0;
}

} // namespace

Result<void> FunctionDecoder::rule_mma() {
    Modifiers modifiers(*source_);
    modifiers.drop({"sync", "aligned"});
    Instr instr = make(Op::mma, Type::none);
    instr.imm = take_shape(modifiers);
    const bool row = modifiers.take("row");
    const bool col = modifiers.take("col");
    if (modifiers.take("satfinite")) instr.flags |= kSat;
    const auto d = modifiers.take_first_type();
    const auto a = modifiers.take_first_type();
    const auto b = modifiers.take_first_type();
    const auto c = modifiers.take_first_type();
    if (instr.imm == 0 || !row || !col || !d || !a || !b || !c || *d != *c)
        return unsupported("its shape, layout or types are not known");
    if (auto checked = finish(modifiers); !checked) return checked;
    if (auto counted = need(4, 4); !counted) return counted;
    instr.type = *d;
    instr.type2 = *a;
    instr.type3 = *b;
    const Type accumulator = *d == Type::f16 ? Type::b32 : *d;
    const Type factor = size_of(*a) == 8 ? *a : Type::b32;
    auto results = elements(operand(0));
    if (!results) return std::unexpected(results.error());
    for (const ptx::Operand* part : *results) {
        auto value = write(*part, accumulator);
        if (!value) return std::unexpected(value.error());
        instr.dst.push_back(*value);
    }
    for (std::size_t index = 1; index <= 3; ++index) {
        auto parts = elements(operand(index));
        if (!parts) return std::unexpected(parts.error());
        if (index == 1) instr.vector = static_cast<std::uint8_t>(parts->size());
        if (index == 2) instr.mode = static_cast<std::uint8_t>(parts->size());
        if (index == 3 && parts->size() != instr.dst.size()) return unsupported("its accumulators do not match");
        for (const ptx::Operand* part : *parts) {
            auto value = read(*part, index == 3 ? accumulator : factor);
            if (!value) return std::unexpected(value.error());
            instr.src.push_back(*value);
        }
    }
    push(std::move(instr));
    return {};
}

/// Fragments of wmma are opaque to programs; mode bit 0: column-major, bits 1–2: a, b or accumulator,
/// for the product bit 0: a column-major, bit 1: b column-major.
Result<void> FunctionDecoder::rule_wmma() {
    Modifiers modifiers(*source_);
    const bool load = modifiers.take("load");
    const bool store = modifiers.take("store");
    const bool multiply = modifiers.take("mma");
    modifiers.drop({"sync", "aligned"});
    Instr instr = make(load ? Op::wmma_load : store ? Op::wmma_store : Op::wmma_mma, Type::none);
    instr.imm = take_shape(modifiers);
    if (instr.imm == 0 || load + store + multiply != 1) return unsupported("its shape is not known");
    const auto fragment_row = [](Type type) {
        return type == Type::f32 || type == Type::s32 || type == Type::f64 ? type : Type::b32;
    };
    if (multiply) {
        const std::vector<std::string_view> layouts = modifiers.left();
        if (layouts.size() < 2) return unsupported("its layout is not known");
        for (int index = 0; index < 2; ++index) {
            if (layouts[static_cast<std::size_t>(index)] == "col") instr.mode |= static_cast<std::uint8_t>(1 << index);
        }
        modifiers.drop({"row", "col", "rn"});
        if (modifiers.take("satfinite")) instr.flags |= kSat;
        const auto first = modifiers.take_first_type();
        const auto second = modifiers.take_first_type();
        const auto third = modifiers.take_first_type();
        const auto fourth = modifiers.take_first_type();
        if (!first || !second || (third && !fourth)) return unsupported("its types are not known");
        instr.type = *first;
        instr.type2 = third ? *second : Type::f16;
        instr.type3 = third ? *fourth : *second; // of c
        if (auto checked = finish(modifiers); !checked) return checked;
        if (auto counted = need(4, 4); !counted) return counted;
        auto results = elements(operand(0));
        if (!results) return std::unexpected(results.error());
        for (const ptx::Operand* part : *results) {
            auto value = write(*part, fragment_row(*first));
            if (!value) return std::unexpected(value.error());
            instr.dst.push_back(*value);
        }
        for (std::size_t index = 1; index <= 3; ++index) {
            auto parts = elements(operand(index));
            if (!parts) return std::unexpected(parts.error());
            if (index == 1) instr.vector = static_cast<std::uint8_t>(parts->size());
            if (index == 2 && parts->size() != instr.vector && instr.type2 != Type::s8 && instr.type2 != Type::u8)
                return unsupported("its fragments do not match");
            for (const ptx::Operand* part : *parts) {
                auto value = read(*part, index == 3 ? fragment_row(instr.type3)
                                                    : fragment_row(instr.type2 == Type::f64 ? Type::f64 : Type::b32));
                if (!value) return std::unexpected(value.error());
                instr.src.push_back(*value);
            }
            if (index == 2) instr.target = static_cast<std::uint32_t>(parts->size());
        }
        push(std::move(instr));
        return {};
    }
    std::uint8_t kind = 0;
    if (modifiers.take("b"))
        kind = 1;
    else if (modifiers.take("c") || modifiers.take("d"))
        kind = 2;
    else if (!modifiers.take("a"))
        return unsupported("its fragment is not known");
    const bool column = modifiers.take("col");
    modifiers.take("row");
    instr.mode = static_cast<std::uint8_t>((column ? 1 : 0) | kind << 1);
    instr.space = modifiers.take("global")                                    ? Space::global
                  : modifiers.take("shared") || modifiers.take("shared::cta") ? Space::shared
                                                                              : Space::generic;
    const auto type = modifiers.take_first_type();
    if (!type) return unsupported("its type is not known");
    instr.type = *type;
    if (auto checked = finish(modifiers); !checked) return checked;
    if (auto counted = need(2, 3); !counted) return counted;
    const Type row = kind == 2 ? fragment_row(*type) : fragment_row(*type == Type::f64 ? Type::f64 : Type::b32);
    const std::int64_t shape = instr.imm;
    if (auto taken = address_source(instr, operand(load ? 1 : 0)); !taken) return taken;
    if (instr.imm != 0) {
        if (values[instr.src[0]].row != RowClass::w64) return unsupported("its address has an offset");
        Instr sum = make(Op::add, Type::u64);
        sum.dst = {temporary(RowClass::w64)};
        sum.src = {instr.src[0], constant(RowClass::w64, static_cast<std::uint64_t>(instr.imm))};
        instr.src[0] = sum.dst[0];
        push(std::move(sum));
    }
    instr.imm = shape;
    if (source_->operands.size() == 3) {
        if (auto taken = source(instr, 2, Type::u32); !taken) return taken;
    } else {
        instr.src.push_back(kNoValue);
    }
    auto parts = elements(operand(load ? 0 : 1));
    if (!parts) return std::unexpected(parts.error());
    for (const ptx::Operand* part : *parts) {
        auto value = load ? write(*part, row) : read(*part, row);
        if (!value) return std::unexpected(value.error());
        (load ? instr.dst : instr.src).push_back(*value);
    }
    instr.vector = static_cast<std::uint8_t>(parts->size());
    push(std::move(instr));
    return {};
}

} // namespace kw::sim
