// Rules for loads, stores, atomics, address conversion and fences.
#include "engine/device/sim/decoder_impl.h"

#include <fmt/format.h>

#include <algorithm>

namespace kw::sim {
namespace {

Space take_space(Modifiers& modifiers) {
    if (modifiers.take("global")) return Space::global;
    if (modifiers.take("shared") || modifiers.take("shared::cta") || modifiers.take("shared::cluster"))
        return Space::shared;
    if (modifiers.take("local")) return Space::local;
    if (modifiers.take("const")) return Space::constant;
    if (modifiers.take("param") || modifiers.take("param::entry") || modifiers.take("param::func")) return Space::param;
    return Space::generic;
}

std::uint8_t take_vector(Modifiers& modifiers) {
    for (std::uint8_t count : {2, 4, 8}) {
        if (modifiers.take(count == 2 ? "v2" : count == 4 ? "v4" : "v8")) return count;
    }
    return 1;
}

} // namespace

/// Cache hints and scopes change no value here; memory order is what x86 and the instruction's kind give.
void FunctionDecoder::memory_modifiers(Modifiers& modifiers, Instr& instr) const {
    if (modifiers.has("release") || modifiers.has("acq_rel")) instr.flags |= kReleases;
    if (modifiers.take("volatile") || modifiers.take("relaxed") || modifiers.take("acquire")
        || modifiers.take("release") || modifiers.take("acq_rel") || modifiers.take("mmio"))
        instr.flags |= kVolatile;
    modifiers.drop({"cta",
                    "cluster",
                    "gpu",
                    "sys",
                    "ca",
                    "cg",
                    "cs",
                    "lu",
                    "cv",
                    "wb",
                    "wt",
                    "nc",
                    "weak",
                    "L1::evict_normal",
                    "L1::evict_unchanged",
                    "L1::evict_first",
                    "L1::evict_last",
                    "L1::no_allocate",
                    "L2::cache_hint",
                    "L2::64B",
                    "L2::128B",
                    "L2::256B",
                    "L2::evict_last",
                    "L2::evict_first",
                    "L2::evict_normal",
                    "unified"});
}

Result<void> FunctionDecoder::rule_ld() {
    Modifiers modifiers(*source_);
    Instr instr = make(Op::ld, Type::none);
    const bool hinted = modifiers.has("L2::cache_hint");
    memory_modifiers(modifiers, instr);
    instr.space = take_space(modifiers);
    instr.vector = take_vector(modifiers);
    const auto type = modifiers.take_last_type();
    if (!type || *type == Type::pred) return unsupported("its type is not known");
    instr.type = *type;
    if (auto checked = finish(modifiers); !checked) return checked;
    if (auto counted = need(2, hinted ? 3 : 2); !counted) return counted;
    auto parts = elements(operand(0));
    if (!parts) return std::unexpected(parts.error());
    if (parts->size() != instr.vector) return unsupported("its vector has another length than it says");

    // A kernel parameter at a fixed place is a row that the launch fills.
    const ptx::Operand& from = operand(1);
    if (number_ == 0 && from.kind == ptx::OperandKind::address && from.items.size() == 1
        && from.items[0].kind == ptx::OperandKind::local && from.items[0].index < function_.params.size()
        && (instr.space == Space::param || instr.space == Space::generic)) {
        const ptx::Variable& parameter = function_.variables[from.items[0].index];
        const std::uint32_t unit = size_of(*type);
        for (std::size_t index = 0; index < parts->size(); ++index) {
            const std::int64_t offset = from.offset + from.items[0].offset + static_cast<std::int64_t>(index * unit);
            if (offset < 0 || static_cast<std::uint64_t>(offset) + unit > parameter.bytes)
                return unsupported(fmt::format("it reads past the end of parameter {}", parameter.name));
            const ptx::Operand& part = *(*parts)[index];
            if (part.kind != ptx::OperandKind::reg) return unsupported("its destination is not a register");
            const std::uint32_t result = register_values_[part.index];
            const auto place =
                static_cast<std::uint32_t>(variable_offsets_[from.items[0].index]) + static_cast<std::uint32_t>(offset);
            const auto [at, fresh] = parameters_.try_emplace(
                {(std::uint64_t{place} << 32) | (std::uint64_t{unit} << 1) | (is_signed(*type) ? 1u : 0u),
                 static_cast<std::uint32_t>(values[result].row)},
                static_cast<std::uint32_t>(values.size()));
            if (fresh) {
                Value value;
                value.kind = Value::Kind::parameter;
                value.row = values[result].row;
                value.parameter = place;
                value.bytes = unit;
                value.sign_extend = is_signed(*type);
                values.push_back(value);
            }
            const RowClass row = values[result].row;
            if (row == RowClass::pred || row_bytes(row) / 32 < unit)
                return unsupported("its destination is narrower than its type");
            Instr move = make(Op::mov, row == RowClass::w16   ? Type::b16
                                       : row == RowClass::w32 ? Type::b32
                                       : row == RowClass::w64 ? Type::b64
                                                              : Type::b128);
            move.dst.push_back(result);
            move.src.push_back(at->second);
            push(std::move(move));
        }
        return {};
    }

    if (auto taken = address_source(instr, from); !taken) return taken;
    if (instr.space == Space::param) {
        // Parameters of a .func and of calls live in the local frame, those of a kernel in constant memory.
        const bool kernel_parameter =
            number_ == 0
            && (from.items[0].kind == ptx::OperandKind::reg || from.items[0].index < function_.params.size());
        instr.space = kernel_parameter ? Space::constant : Space::local;
    }
    for (const ptx::Operand* part : *parts) {
        if (part->kind == ptx::OperandKind::sink) {
            instr.dst.push_back(kNoValue);
            continue;
        }
        if (part->kind != ptx::OperandKind::reg) return unsupported("its destination is not a register");
        const std::uint32_t value = register_values_[part->index];
        const RowClass row = values[value].row;
        if (row == RowClass::pred || row_bytes(row) / 32 < size_of(*type))
            return unsupported("its destination is narrower than its type");
        if (is_float(*type) && row != row_class(*type)) return unsupported("its destination is wider than its type");
        instr.dst.push_back(value);
    }
    push(std::move(instr));
    return {};
}

Result<void> FunctionDecoder::rule_st() {
    Modifiers modifiers(*source_);
    Instr instr = make(Op::st, Type::none);
    const bool hinted = modifiers.has("L2::cache_hint");
    memory_modifiers(modifiers, instr);
    instr.space = take_space(modifiers);
    instr.vector = take_vector(modifiers);
    const auto type = modifiers.take_last_type();
    if (!type || *type == Type::pred) return unsupported("its type is not known");
    instr.type = *type;
    if (auto checked = finish(modifiers); !checked) return checked;
    if (auto counted = need(2, hinted ? 3 : 2); !counted) return counted;
    auto parts = elements(operand(1));
    if (!parts) return std::unexpected(parts.error());
    if (parts->size() != instr.vector) return unsupported("its vector has another length than it says");
    if (auto taken = address_source(instr, operand(0)); !taken) return taken;
    if (instr.space == Space::param) instr.space = Space::local;
    for (const ptx::Operand* part : *parts) {
        if (part->kind == ptx::OperandKind::reg) {
            const std::uint32_t value = register_values_[part->index];
            const RowClass row = values[value].row;
            if (row == RowClass::pred || row_bytes(row) / 32 < size_of(*type))
                return unsupported("its source is narrower than its type");
            instr.src.push_back(value);
            continue;
        }
        auto value = read(*part, size_of(*type) == 1 ? Type::b16 : *type);
        if (!value) return std::unexpected(value.error());
        instr.src.push_back(*value);
    }
    push(std::move(instr));
    return {};
}

Result<void> FunctionDecoder::rule_atom() {
    Modifiers modifiers(*source_);
    const bool returns = source_->opcode == "atom";
    if (modifiers.has("async")) return unsupported("the operation is not implemented");
    Instr instr = make(returns ? Op::atom : Op::red, Type::none);
    const bool hinted = modifiers.has("L2::cache_hint");
    memory_modifiers(modifiers, instr);
    instr.flags &= static_cast<std::uint16_t>(~kVolatile);
    instr.space = take_space(modifiers);
    modifiers.take("noftz");
    instr.vector = take_vector(modifiers);
    constexpr std::pair<std::string_view, AtomOp> known[] = {
        {"add", AtomOp::add},   {"exch", AtomOp::exch},   {"cas", AtomOp::cas}, {"and", AtomOp::bit_and},
        {"or", AtomOp::bit_or}, {"xor", AtomOp::bit_xor}, {"inc", AtomOp::inc}, {"dec", AtomOp::dec},
        {"min", AtomOp::min},   {"max", AtomOp::max}};
    bool found = false;
    for (const auto& [word, op] : known) {
        if (!found && modifiers.take(word)) {
            instr.mode = static_cast<std::uint8_t>(op);
            found = true;
        }
    }
    const auto type = modifiers.take_last_type();
    if (!found || !type) return unsupported("its operation or type is not known");
    instr.type = *type;
    if (auto checked = finish(modifiers); !checked) return checked;
    const bool cas = instr.mode == static_cast<std::uint8_t>(AtomOp::cas);
    const std::size_t shift = returns ? 1 : 0;
    const std::size_t count = shift + (cas ? 3u : 2u);
    if (auto counted = need(count, count + (hinted ? 1 : 0)); !counted) return counted;
    if (returns) {
        auto parts = elements(operand(0));
        if (!parts) return std::unexpected(parts.error());
        if (parts->size() != instr.vector) return unsupported("its vector has another length than it says");
        for (const ptx::Operand* part : *parts) {
            auto value = write(*part, *type);
            if (!value) return std::unexpected(value.error());
            instr.dst.push_back(*value);
        }
    }
    if (auto taken = address_source(instr, operand(shift)); !taken) return taken;
    auto parts = elements(operand(shift + 1));
    if (!parts) return std::unexpected(parts.error());
    if (parts->size() != instr.vector) return unsupported("its vector has another length than it says");
    for (const ptx::Operand* part : *parts) {
        auto value = read(*part, *type);
        if (!value) return std::unexpected(value.error());
        instr.src.push_back(*value);
    }
    if (cas) {
        if (auto taken = source(instr, shift + 2, *type); !taken) return taken;
    }
    push(std::move(instr));
    return {};
}

Result<void> FunctionDecoder::rule_cvta() {
    Modifiers modifiers(*source_);
    const bool to = modifiers.take("to");
    const Space space = take_space(modifiers);
    const auto type = modifiers.take_last_type();
    if (type != Type::u64) return unsupported("its type must be u64");
    if (auto checked = finish(modifiers); !checked) return checked;
    if (auto counted = need(2, 2); !counted) return counted;
    Instr instr = make(Op::mov, Type::b64);
    if (space == Space::shared) instr = make(to ? Op::cvta_to_shared : Op::cvta_from_shared, Type::u64);
    if (space == Space::local) instr = make(to ? Op::cvta_to_local : Op::cvta_from_local, Type::u64);
    if (auto written = destination(instr, 0, Type::u64); !written) return written;
    if (auto taken = source(instr, 1, Type::u64); !taken) return taken;
    push(std::move(instr));
    return {};
}

Result<void> FunctionDecoder::rule_isspacep() {
    Modifiers modifiers(*source_);
    const Space space = take_space(modifiers);
    if (auto checked = finish(modifiers); !checked) return checked;
    if (auto counted = need(2, 2); !counted) return counted;
    Instr instr = make(Op::isspacep, Type::u64);
    instr.space = space;
    if (auto written = destination(instr, 0, Type::pred); !written) return written;
    if (auto taken = source(instr, 1, Type::u64); !taken) return taken;
    push(std::move(instr));
    return {};
}

Result<void> FunctionDecoder::rule_fence() {
    if (std::any_of(source_->modifiers.begin(), source_->modifiers.end(),
                    [](std::string_view word) { return word.starts_with("tensormap"); }))
        return unsupported("tensor maps are not implemented");
    push(make(Op::fence, Type::none));
    return {};
}

Result<void> FunctionDecoder::rule_prefetch() {
    if (source_->opcode == "discard") return unsupported("discarding memory is not implemented");
    push(make(Op::prefetch, Type::none));
    return {};
}

Result<void> FunctionDecoder::rule_cp() {
    Modifiers modifiers(*source_);
    if (!modifiers.take("async")) return unsupported("the operation is not implemented");
    if (modifiers.take("bulk")) return rule_bulk(std::move(modifiers));
    if (modifiers.take("mbarrier")) return rule_copies_arrive(std::move(modifiers));
    // mode 1: commits, 2: waits until imm groups are left, 3: waits for all
    Instr wait = make(Op::cp_async_wait, Type::none);
    wait.mode = modifiers.take("commit_group") ? 1
                : modifiers.take("wait_group") ? 2
                : modifiers.take("wait_all")   ? 3
                                               : 0;
    if (wait.mode != 0) {
        if (wait.mode == 2) {
            if (auto counted = need(1, 1); !counted) return counted;
            if (operand(0).kind != ptx::OperandKind::integer) return unsupported("its number must be a constant");
            wait.imm = static_cast<std::int64_t>(operand(0).bits);
        }
        push(std::move(wait));
        return {};
    }
    Instr instr = make(Op::cp_async, Type::none);
    modifiers.drop({"ca", "cg", "L2::64B", "L2::128B", "L2::256B"});
    const bool hinted = modifiers.take("L2::cache_hint");
    if (!(modifiers.take("shared") || modifiers.take("shared::cta")) || !modifiers.take("global"))
        return unsupported("its spaces are not known");
    if (auto checked = finish(modifiers); !checked) return checked;
    if (auto counted = need(3, hinted ? 5 : 4); !counted) return counted;
    if (operand(2).kind != ptx::OperandKind::integer) return unsupported("its size must be a constant");
    const std::uint64_t bytes = operand(2).bits;
    if (bytes != 4 && bytes != 8 && bytes != 16) return unsupported("its size must be 4, 8 or 16");
    instr.type = bytes == 4 ? Type::b32 : bytes == 8 ? Type::b64 : Type::b128;
    auto to = address(operand(0));
    if (!to) return std::unexpected(to.error());
    auto from = address(operand(1));
    if (!from) return std::unexpected(from.error());
    // The destination's offset goes into `target`, the source's into `imm`.
    if (to->offset < -0x40000000 || to->offset > 0x40000000) return unsupported("its destination is too far away");
    instr.src.push_back(to->value == kNoValue ? constant(RowClass::w64, static_cast<std::uint64_t>(to->offset))
                                              : to->value);
    instr.target = to->value == kNoValue ? 0 : static_cast<std::uint32_t>(static_cast<std::int32_t>(to->offset));
    instr.src.push_back(from->value == kNoValue ? constant(RowClass::w64, static_cast<std::uint64_t>(from->offset))
                                                : from->value);
    instr.imm = from->value == kNoValue ? 0 : from->offset;
    if (source_->operands.size() > 3 && !(hinted && source_->operands.size() == 4)) {
        // bytes taken from the source, the rest is zero; or a predicate that drops the source
        const ptx::Operand& size = operand(3);
        if (size.kind == ptx::OperandKind::reg && values[register_values_[size.index]].row == RowClass::pred)
            return unsupported("a predicate that ignores the source is not implemented");
        if (auto taken = source(instr, 3, Type::u32); !taken) return taken;
    } else {
        instr.src.push_back(constant(RowClass::w32, bytes));
    }
    push(std::move(instr));
    return {};
}

Result<void> FunctionDecoder::rule_ldmatrix() {
    Modifiers modifiers(*source_);
    modifiers.drop({"sync", "aligned", "shared", "shared::cta"});
    const bool transposed = modifiers.take("trans");
    if (!modifiers.take("m8n8")) return unsupported("its shape is not known");
    const int count = modifiers.take("x4") ? 4 : modifiers.take("x2") ? 2 : modifiers.take("x1") ? 1 : 0;
    if (count == 0 || modifiers.take_last_type() != Type::b16) return unsupported("its shape is not known");
    if (auto checked = finish(modifiers); !checked) return checked;
    if (auto counted = need(2, 2); !counted) return counted;
    Instr instr = make(Op::ldmatrix, Type::b16);
    instr.space = Space::shared;
    instr.vector = static_cast<std::uint8_t>(count);
    instr.mode = transposed ? 1 : 0;
    auto parts = elements(operand(0));
    if (!parts) return std::unexpected(parts.error());
    if (parts->size() != static_cast<std::size_t>(count))
        return unsupported("its vector has another length than it says");
    for (const ptx::Operand* part : *parts) {
        auto value = write(*part, Type::b32);
        if (!value) return std::unexpected(value.error());
        instr.dst.push_back(*value);
    }
    if (auto taken = address_source(instr, operand(1)); !taken) return taken;
    push(std::move(instr));
    return {};
}

Result<void> FunctionDecoder::rule_stmatrix() {
    Modifiers modifiers(*source_);
    modifiers.drop({"sync", "aligned", "shared", "shared::cta"});
    const bool transposed = modifiers.take("trans");
    if (!modifiers.take("m8n8")) return unsupported("its shape is not known");
    const int count = modifiers.take("x4") ? 4 : modifiers.take("x2") ? 2 : modifiers.take("x1") ? 1 : 0;
    if (count == 0 || modifiers.take_last_type() != Type::b16) return unsupported("its shape is not known");
    if (auto checked = finish(modifiers); !checked) return checked;
    if (auto counted = need(2, 2); !counted) return counted;
    Instr instr = make(Op::stmatrix, Type::b16);
    instr.space = Space::shared;
    instr.vector = static_cast<std::uint8_t>(count);
    instr.mode = transposed ? 1 : 0;
    if (auto taken = address_source(instr, operand(0)); !taken) return taken;
    auto parts = elements(operand(1));
    if (!parts) return std::unexpected(parts.error());
    if (parts->size() != static_cast<std::size_t>(count))
        return unsupported("its vector has another length than it says");
    for (const ptx::Operand* part : *parts) {
        auto value = read(*part, Type::b32);
        if (!value) return std::unexpected(value.error());
        instr.src.push_back(*value);
    }
    push(std::move(instr));
    return {};
}

} // namespace kw::sim
