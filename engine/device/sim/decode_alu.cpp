// Rules for arithmetic, logic, comparison, selection and conversion.
#include "engine/device/sim/decoder_impl.h"

#include <fmt/format.h>

#include <algorithm>

namespace kw::sim {
namespace {

/// Types of exactly the same bits as far as registers are concerned.
Type as_bits(Type type) {
    switch (size_of(type)) {
    case 1: return Type::b8;
    case 2: return Type::b16;
    case 4: return Type::b32;
    case 8: return Type::b64;
    case 16: return Type::b128;
    default: return Type::pred;
    }
}

} // namespace

Result<void> FunctionDecoder::simple(Op op, Type type, std::size_t sources, Modifiers& modifiers, std::uint16_t flags,
                                     Rounding rounding) {
    if (auto checked = finish(modifiers); !checked) return checked;
    if (auto counted = need(sources + 1, sources + 1); !counted) return counted;
    Instr instr = make(op, type);
    instr.flags = flags;
    instr.rounding = rounding;
    if (auto written = destination(instr, 0, type); !written) return written;
    for (std::size_t index = 1; index <= sources; ++index) {
        if (auto taken = source(instr, index, type); !taken) return taken;
    }
    push(std::move(instr));
    return {};
}

Result<void> FunctionDecoder::rule_add_sub() {
    Modifiers modifiers(*source_);
    const bool add = source_->opcode == "add";
    const bool carry = modifiers.take("cc");
    const auto rounding = modifiers.take_rounding();
    std::uint16_t flags = modifiers.take("ftz") ? kFtz : 0;
    if (modifiers.take("sat")) flags |= kSat;
    const auto type = modifiers.take_last_type();
    if (!type) return unsupported("its type is not known");
    if (carry) {
        if (auto checked = finish(modifiers); !checked) return checked;
        if (auto counted = need(3, 3); !counted) return counted;
        if (carry_ == kNoValue) carry_ = temporary(RowClass::pred);
        Instr instr = make(add ? Op::add_cc : Op::sub_cc, *type);
        if (auto written = destination(instr, 0, *type); !written) return written;
        instr.dst.push_back(carry_);
        for (std::size_t index = 1; index <= 2; ++index) {
            if (auto taken = source(instr, index, *type); !taken) return taken;
        }
        push(std::move(instr));
        return {};
    }
    return simple(add ? Op::add : Op::sub, *type, 2, modifiers, flags, rounding.value_or(Rounding::rn));
}

Result<void> FunctionDecoder::rule_mul_mad() {
    Modifiers modifiers(*source_);
    const bool mad = source_->opcode == "mad";
    const auto rounding = modifiers.take_rounding();
    std::uint16_t flags = modifiers.take("ftz") ? kFtz : 0;
    if (modifiers.take("sat")) flags |= kSat;
    const bool lo = modifiers.take("lo");
    const bool hi = modifiers.take("hi");
    const bool wide = modifiers.take("wide");
    const bool carry = modifiers.take("cc");
    const auto type = modifiers.take_last_type();
    if (!type) return unsupported("its type is not known");
    if (is_float(*type)) {
        if (lo || hi || wide) return unsupported("floats have no low or high half");
        return mad ? simple(Op::fma, *type, 3, modifiers, flags, rounding.value_or(Rounding::rn))
                   : simple(Op::mul, *type, 2, modifiers, flags, rounding.value_or(Rounding::rn));
    }
    if (carry) {
        if (auto checked = finish(modifiers); !checked) return checked;
        if (auto counted = need(4, 4); !counted) return counted;
        if (carry_ == kNoValue) carry_ = temporary(RowClass::pred);
        Instr instr = make(hi ? Op::mad_hi_cc : Op::mad_lo_cc, *type);
        if (auto written = destination(instr, 0, *type); !written) return written;
        instr.dst.push_back(carry_);
        for (std::size_t index = 1; index <= 3; ++index) {
            if (auto taken = source(instr, index, *type); !taken) return taken;
        }
        push(std::move(instr));
        return {};
    }
    if (wide) {
        const Type twice = *type == Type::s32   ? Type::s64
                           : *type == Type::u32 ? Type::u64
                           : *type == Type::s16 ? Type::s32
                           : *type == Type::u16 ? Type::u32
                                                : Type::none;
        if (twice == Type::none) return unsupported("its type has no wide product");
        if (auto checked = finish(modifiers); !checked) return checked;
        if (auto counted = need(mad ? 4 : 3, mad ? 4 : 3); !counted) return counted;
        Instr instr = make(mad ? Op::mad_wide : Op::mul_wide, *type);
        if (auto written = destination(instr, 0, twice); !written) return written;
        for (std::size_t index = 1; index <= 2; ++index) {
            if (auto taken = source(instr, index, *type); !taken) return taken;
        }
        if (mad) {
            if (auto taken = source(instr, 3, twice); !taken) return taken;
        }
        push(std::move(instr));
        return {};
    }
    if (hi) return simple(mad ? Op::mad_hi : Op::mul_hi, *type, mad ? 3 : 2, modifiers, flags);
    return simple(mad ? Op::mad : Op::mul, *type, mad ? 3 : 2, modifiers, flags);
}

Result<void> FunctionDecoder::rule_mul24() {
    Modifiers modifiers(*source_);
    const bool mad = source_->opcode == "mad24";
    const bool hi = modifiers.take("hi");
    modifiers.take("lo");
    const std::uint16_t flags = modifiers.take("sat") ? kSat : 0;
    const auto type = modifiers.take_last_type();
    if (type != Type::u32 && type != Type::s32) return unsupported("its type must be u32 or s32");
    const Op op = mad ? (hi ? Op::mad24_hi : Op::mad24_lo) : (hi ? Op::mul24_hi : Op::mul24_lo);
    return simple(op, *type, mad ? 3 : 2, modifiers, flags);
}

Result<void> FunctionDecoder::rule_carry() {
    Modifiers modifiers(*source_);
    const bool out = modifiers.take("cc");
    const bool mad = source_->opcode == "madc";
    const bool hi = modifiers.take("hi");
    modifiers.take("lo");
    const auto type = modifiers.take_last_type();
    if (!type || !is_integer(*type) || size_of(*type) < 4)
        return unsupported("its type must be a 32- or 64-bit integer");
    if (auto checked = finish(modifiers); !checked) return checked;
    const std::size_t sources = mad ? 3 : 2;
    if (auto counted = need(sources + 1, sources + 1); !counted) return counted;
    if (carry_ == kNoValue) carry_ = temporary(RowClass::pred);
    Instr instr = make(mad ? (hi ? Op::madc_hi : Op::madc_lo) : source_->opcode == "addc" ? Op::addc : Op::subc, *type);
    if (auto written = destination(instr, 0, *type); !written) return written;
    instr.dst.push_back(out ? carry_ : kNoValue);
    for (std::size_t index = 1; index <= sources; ++index) {
        if (auto taken = source(instr, index, *type); !taken) return taken;
    }
    instr.src.push_back(carry_);
    push(std::move(instr));
    return {};
}

Result<void> FunctionDecoder::rule_div() {
    Modifiers modifiers(*source_);
    std::uint16_t flags = modifiers.take("ftz") ? kFtz : 0;
    if (modifiers.take("approx")) flags |= kApprox;
    modifiers.take("full"); // divides as IEEE 754 does, which is more than it promises
    const auto rounding = modifiers.take_rounding();
    const auto type = modifiers.take_last_type();
    if (!type) return unsupported("its type is not known");
    return simple(source_->opcode == "div" ? Op::div : Op::rem, *type, 2, modifiers, flags,
                  rounding.value_or(Rounding::rn));
}

Result<void> FunctionDecoder::rule_unary() {
    Modifiers modifiers(*source_);
    const std::uint16_t flags = modifiers.take("ftz") ? kFtz : 0;
    const auto type = modifiers.take_last_type();
    if (!type) return unsupported("its type is not known");
    if (source_->opcode == "copysign") return simple(Op::copysign, *type, 2, modifiers, flags);
    return simple(source_->opcode == "abs" ? Op::abs : Op::neg, *type, 1, modifiers, flags);
}

Result<void> FunctionDecoder::rule_min_max() {
    Modifiers modifiers(*source_);
    std::uint16_t flags = modifiers.take("ftz") ? kFtz : 0;
    if (modifiers.take("NaN")) flags |= kNan;
    const bool xorsign = modifiers.take("xorsign");
    if (xorsign && modifiers.take("abs")) flags |= kXorsignAbs;
    if (modifiers.take("relu")) flags |= kRelu;
    const auto type = modifiers.take_last_type();
    if (!type) return unsupported("its type is not known");
    const bool min = source_->opcode == "min";
    if (source_->operands.size() == 4 && *type == Type::f32)
        return simple(min ? Op::min3 : Op::max3, *type, 3, modifiers, flags);
    return simple(min ? Op::min : Op::max, *type, 2, modifiers, flags);
}

Result<void> FunctionDecoder::rule_fma() {
    Modifiers modifiers(*source_);
    std::uint16_t flags = modifiers.take("ftz") ? kFtz : 0;
    if (modifiers.take("sat")) flags |= kSat;
    if (modifiers.take("relu")) flags |= kRelu;
    const auto rounding = modifiers.take_rounding();
    const auto type = modifiers.take_last_type();
    if (!type || !is_float(*type)) return unsupported("its type is not known");
    return simple(Op::fma, *type, 3, modifiers, flags, rounding.value_or(Rounding::rn));
}

Result<void> FunctionDecoder::rule_special_function() {
    Modifiers modifiers(*source_);
    std::uint16_t flags = modifiers.take("ftz") ? kFtz : 0;
    if (modifiers.take("approx")) flags |= kApprox;
    const auto rounding = modifiers.take_rounding();
    const auto type = modifiers.take_last_type();
    if (!type) return unsupported("its type is not known");
    constexpr std::pair<std::string_view, Op> known[] = {{"rcp", Op::rcp}, {"sqrt", Op::sqrt}, {"rsqrt", Op::rsqrt},
                                                         {"ex2", Op::ex2}, {"lg2", Op::lg2},   {"sin", Op::sin},
                                                         {"cos", Op::cos}, {"tanh", Op::tanh}};
    for (const auto& [name, op] : known) {
        if (source_->opcode == name) return simple(op, *type, 1, modifiers, flags, rounding.value_or(Rounding::rn));
    }
    return unsupported("the operation is not implemented");
}

Result<void> FunctionDecoder::rule_bits() {
    Modifiers modifiers(*source_);
    const std::string_view name = source_->opcode;
    const bool shift = modifiers.take("shiftamt");
    const bool wrap = modifiers.take("wrap");
    modifiers.take("clamp");
    const auto type = modifiers.take_last_type();
    if (!type || !is_integer(*type)) return unsupported("its type must be an integer");
    if (name == "sad") return simple(Op::sad, *type, 3, modifiers);
    if (name == "brev") return simple(Op::brev, *type, 1, modifiers);
    if (name == "fns") return simple(Op::fns, Type::b32, 3, modifiers);
    if (name == "bmsk") return simple(Op::bmsk, Type::b32, 2, modifiers, wrap ? kWrap : 0);
    if (name == "szext") return simple(Op::szext, *type, 2, modifiers, wrap ? kWrap : 0);
    // the result is 32 bits wide whatever the operand is
    if (auto checked = finish(modifiers); !checked) return checked;
    if (auto counted = need(2, 2); !counted) return counted;
    Instr instr = make(name == "popc"  ? Op::popc
                       : name == "clz" ? Op::clz
                       : shift         ? Op::bfind_shift
                                       : Op::bfind,
                       *type);
    if (auto written = destination(instr, 0, Type::u32); !written) return written;
    if (auto taken = source(instr, 1, *type); !taken) return taken;
    push(std::move(instr));
    return {};
}

Result<void> FunctionDecoder::rule_bfe_bfi() {
    Modifiers modifiers(*source_);
    const bool insert = source_->opcode == "bfi";
    const auto type = modifiers.take_last_type();
    if (!type || !is_integer(*type) || size_of(*type) < 4)
        return unsupported("its type must be a 32- or 64-bit integer");
    if (auto checked = finish(modifiers); !checked) return checked;
    if (auto counted = need(insert ? 5 : 4, insert ? 5 : 4); !counted) return counted;
    Instr instr = make(insert ? Op::bfi : Op::bfe, *type);
    if (auto written = destination(instr, 0, *type); !written) return written;
    std::size_t at = 1;
    for (; at <= (insert ? 2u : 1u); ++at) {
        if (auto taken = source(instr, at, *type); !taken) return taken;
    }
    for (const std::size_t end = at + 2; at < end; ++at) {
        if (auto taken = source(instr, at, Type::u32); !taken) return taken;
    }
    push(std::move(instr));
    return {};
}

Result<void> FunctionDecoder::rule_dot() {
    Modifiers modifiers(*source_);
    const bool four = source_->opcode == "dp4a";
    const bool hi = modifiers.take("hi");
    modifiers.take("lo");
    const auto first = modifiers.take_first_type();
    const auto second = modifiers.take_first_type();
    if (!first || !second || size_of(*first) != 4 || size_of(*second) != 4)
        return unsupported("its types are not known");
    const bool any = is_signed(*first) || is_signed(*second);
    const auto flags =
        static_cast<std::uint16_t>((is_signed(*first) ? kSigned1 : 0) | (is_signed(*second) ? kSigned2 : 0));
    return simple(four ? Op::dp4a : hi ? Op::dp2a_hi : Op::dp2a_lo, any ? Type::s32 : Type::u32, 3, modifiers, flags);
}

Result<void> FunctionDecoder::rule_logic() {
    Modifiers modifiers(*source_);
    const auto type = modifiers.take_last_type();
    if (!type || is_float(*type)) return unsupported("its type is not known");
    const std::string_view name = source_->opcode;
    if (name == "not") return simple(Op::bit_not, *type, 1, modifiers);
    if (name == "cnot") return simple(Op::cnot, *type, 1, modifiers);
    return simple(name == "and" ? Op::bit_and : name == "or" ? Op::bit_or : Op::bit_xor, *type, 2, modifiers);
}

Result<void> FunctionDecoder::rule_shift() {
    Modifiers modifiers(*source_);
    const auto type = modifiers.take_last_type();
    if (!type || !is_integer(*type) || size_of(*type) < 2) return unsupported("its type is not known");
    if (auto checked = finish(modifiers); !checked) return checked;
    if (auto counted = need(3, 3); !counted) return counted;
    Instr instr = make(source_->opcode == "shl" ? Op::shl : Op::shr, *type);
    if (auto written = destination(instr, 0, *type); !written) return written;
    if (auto taken = source(instr, 1, *type); !taken) return taken;
    if (auto taken = source(instr, 2, Type::u32); !taken) return taken;
    push(std::move(instr));
    return {};
}

Result<void> FunctionDecoder::rule_funnel() {
    Modifiers modifiers(*source_);
    const bool left = modifiers.take("l");
    modifiers.take("r");
    const bool wrap = modifiers.take("wrap");
    modifiers.take("clamp");
    if (modifiers.take_last_type() != Type::b32) return unsupported("its type must be b32");
    return simple(left ? Op::shf_l : Op::shf_r, Type::b32, 3, modifiers, wrap ? kWrap : 0);
}

Result<void> FunctionDecoder::rule_lop3() {
    Modifiers modifiers(*source_);
    if (modifiers.take_last_type() != Type::b32) return unsupported("its type must be b32");
    if (auto checked = finish(modifiers); !checked) return checked;
    if (auto counted = need(5, 5); !counted) return counted;
    if (operand(4).kind != ptx::OperandKind::integer || operand(4).bits > 255)
        return unsupported("its table must be an integer up to 255");
    Instr instr = make(Op::lop3, Type::b32);
    instr.imm = static_cast<std::int64_t>(operand(4).bits);
    if (auto written = destination(instr, 0, Type::b32); !written) return written;
    for (std::size_t index = 1; index <= 3; ++index) {
        if (auto taken = source(instr, index, Type::b32); !taken) return taken;
    }
    push(std::move(instr));
    return {};
}

Result<void> FunctionDecoder::rule_prmt() {
    Modifiers modifiers(*source_);
    if (modifiers.take_first_type() != Type::b32) return unsupported("its type must be b32");
    constexpr std::string_view modes[] = {"", "f4e", "b4e", "rc8", "ecl", "ecr", "rc16"};
    std::uint8_t mode = 0;
    for (std::uint8_t index = 1; index < 7; ++index) {
        if (modifiers.take(modes[index])) mode = index;
    }
    const std::size_t before = code.size();
    if (auto decoded = simple(Op::prmt, Type::b32, 3, modifiers); !decoded) return decoded;
    if (code.size() > before) code.back().mode = mode;
    return {};
}

Result<void> FunctionDecoder::rule_compare() {
    Modifiers modifiers(*source_);
    const bool to_predicate = source_->opcode == "setp";
    const auto compare = modifiers.take_compare();
    if (!compare) return unsupported("its comparison is not known");
    Combine combine = Combine::none;
    if (modifiers.take("and"))
        combine = Combine::conj;
    else if (modifiers.take("or"))
        combine = Combine::disj;
    else if (modifiers.take("xor"))
        combine = Combine::excl;
    const std::uint16_t flags = modifiers.take("ftz") ? kFtz : 0;
    const auto result = to_predicate ? std::optional(Type::pred) : modifiers.take_first_type();
    const auto type = modifiers.take_first_type();
    if (!type || !result) return unsupported("its type is not known");
    if (auto checked = finish(modifiers); !checked) return checked;
    const std::size_t count = combine == Combine::none ? 3 : 4;
    if (auto counted = need(count, count); !counted) return counted;
    Instr instr = make(to_predicate ? Op::setp : Op::set, to_predicate ? *type : *result);
    instr.type2 = *type;
    instr.compare = *compare;
    instr.combine = combine;
    instr.flags = flags;
    if (auto written = destination(instr, 0, to_predicate ? Type::pred : *result); !written) return written;
    if (operand(0).pair) {
        auto second = write(*operand(0).pair, Type::pred);
        if (!second) return std::unexpected(second.error());
        instr.dst.push_back(*second);
    } else {
        instr.dst.push_back(kNoValue);
    }
    for (std::size_t index = 1; index <= 2; ++index) {
        if (auto taken = source(instr, index, *type); !taken) return taken;
    }
    if (combine != Combine::none) {
        if (operand(3).negated) instr.flags |= kNegateCombine;
        if (auto taken = source(instr, 3, Type::pred); !taken) return taken;
    }
    push(std::move(instr));
    return {};
}

Result<void> FunctionDecoder::rule_select() {
    Modifiers modifiers(*source_);
    const std::uint16_t flags = modifiers.take("ftz") ? kFtz : 0;
    const auto type = modifiers.take_first_type();
    if (!type) return unsupported("its type is not known");
    const bool by_sign = source_->opcode == "slct";
    const auto selector = by_sign ? modifiers.take_first_type() : std::optional(Type::pred);
    if (!selector) return unsupported("its selector's type is not known");
    if (auto checked = finish(modifiers); !checked) return checked;
    if (auto counted = need(4, 4); !counted) return counted;
    Instr instr = make(by_sign ? Op::slct : Op::selp, *type);
    instr.type2 = *selector;
    instr.flags = flags;
    if (auto written = destination(instr, 0, *type); !written) return written;
    for (std::size_t index = 1; index <= 2; ++index) {
        if (auto taken = source(instr, index, *type); !taken) return taken;
    }
    if (auto taken = source(instr, 3, *selector); !taken) return taken;
    push(std::move(instr));
    return {};
}

Result<void> FunctionDecoder::rule_testp() {
    Modifiers modifiers(*source_);
    constexpr std::string_view kinds[] = {"finite", "infinite", "number", "notanumber", "normal", "subnormal"};
    std::uint8_t mode = 255;
    for (std::uint8_t index = 0; index < 6; ++index) {
        if (modifiers.take(kinds[index])) mode = index;
    }
    const auto type = modifiers.take_last_type();
    if (mode == 255 || (type != Type::f32 && type != Type::f64)) return unsupported("its test is not known");
    if (auto checked = finish(modifiers); !checked) return checked;
    if (auto counted = need(2, 2); !counted) return counted;
    Instr instr = make(Op::testp, *type);
    instr.mode = mode;
    if (auto written = destination(instr, 0, Type::pred); !written) return written;
    if (auto taken = source(instr, 1, *type); !taken) return taken;
    push(std::move(instr));
    return {};
}

Result<void> FunctionDecoder::rule_cvt() {
    Modifiers modifiers(*source_);
    const auto rounding = modifiers.take_rounding();
    std::uint16_t flags = modifiers.take("ftz") ? kFtz : 0;
    if (modifiers.take("sat")) flags |= kSat;
    if (modifiers.take("relu")) flags |= kRelu;
    if (modifiers.take("satfinite")) return unsupported("saturation to finite values is not implemented");
    const auto to = modifiers.take_first_type();
    const auto from = modifiers.take_first_type();
    if (!to || !from) return unsupported("its types are not known");
    if (auto checked = finish(modifiers); !checked) return checked;
    const bool packs = (*to == Type::f16x2 || *to == Type::bf16x2) && *from == Type::f32;
    if (auto counted = need(packs ? 3 : 2, packs ? 3 : 2); !counted) return counted;
    Instr instr = make(packs ? Op::cvt_pack : Op::cvt, *to);
    instr.type2 = *from;
    instr.flags = flags;
    instr.rounding = rounding.value_or(Rounding::none);
    if (packs) {
        if (auto written = destination(instr, 0, *to); !written) return written;
        for (std::size_t index = 1; index <= 2; ++index) {
            if (auto taken = source(instr, index, Type::f32); !taken) return taken;
        }
        push(std::move(instr));
        return {};
    }
    // A source register may be wider than its type: its low part counts.
    const ptx::Operand& input = operand(1);
    if (input.kind == ptx::OperandKind::reg) {
        std::uint32_t value = register_values_[input.index];
        const RowClass have = values[value].row;
        const RowClass want = row_class(*from);
        if (have != want) {
            if (have == RowClass::pred || have < want || have == RowClass::w128)
                return unsupported("its source is narrower than its type");
            const std::uint32_t low = temporary(want);
            Instr narrow = make(Op::cvt, want == RowClass::w16 ? Type::u16 : Type::u32);
            narrow.type2 = have == RowClass::w64 ? Type::u64 : Type::u32;
            narrow.dst.push_back(low);
            narrow.src.push_back(value);
            push(std::move(narrow));
            value = low;
        }
        instr.src.push_back(value);
    } else if (auto taken = source(instr, 1, *from); !taken) {
        return taken;
    }
    // A destination may be wider than its type: it is extended, by sign for signed types.
    if (operand(0).kind != ptx::OperandKind::reg) return unsupported("its destination is not a register");
    const std::uint32_t result = register_values_[operand(0).index];
    const RowClass have = values[result].row;
    const RowClass want = row_class(*to);
    if (have == want) {
        instr.dst.push_back(result);
        push(std::move(instr));
        return {};
    }
    if (have == RowClass::pred || have < want || have == RowClass::w128 || is_float(*to))
        return unsupported("its destination is narrower than its type");
    const std::uint32_t narrow = temporary(want);
    instr.dst.push_back(narrow);
    push(std::move(instr));
    const bool extend_sign = is_signed(*to);
    Instr widen = make(Op::cvt, have == RowClass::w64 ? (extend_sign ? Type::s64 : Type::u64)
                                                      : (extend_sign ? Type::s32 : Type::u32));
    widen.type2 = *to;
    widen.dst.push_back(result);
    widen.src.push_back(narrow);
    push(std::move(widen));
    return {};
}

Result<void> FunctionDecoder::rule_mov() {
    Modifiers modifiers(*source_);
    const auto type = modifiers.take_last_type();
    if (!type) return unsupported("its type is not known");
    if (auto checked = finish(modifiers); !checked) return checked;
    if (auto counted = need(2, 2); !counted) return counted;
    const bool packs = operand(1).kind == ptx::OperandKind::vector;
    const bool unpacks = operand(0).kind == ptx::OperandKind::vector;
    if (!packs && !unpacks) {
        Instr instr = make(Op::mov, as_bits(*type));
        if (auto written = destination(instr, 0, *type); !written) return written;
        // an address of a function or variable, or any value of that width
        if (auto taken = source(instr, 1, *type); !taken) return taken;
        push(std::move(instr));
        return {};
    }
    if (packs && unpacks) return unsupported("it both packs and unpacks");
    const std::vector<ptx::Operand>& parts = operand(packs ? 1 : 0).items;
    const std::uint32_t bytes = size_of(*type);
    if (parts.empty() || bytes % parts.size() != 0) return unsupported("its vector does not fit its type");
    const auto part_bytes = static_cast<std::uint32_t>(bytes / parts.size());
    const Type part = part_bytes == 1   ? Type::b8
                      : part_bytes == 2 ? Type::b16
                      : part_bytes == 4 ? Type::b32
                      : part_bytes == 8 ? Type::b64
                                        : Type::none;
    if (part == Type::none || parts.size() < 2) return unsupported("its vector does not fit its type");
    Instr instr = make(packs ? Op::pack : Op::unpack, *type);
    instr.type2 = part;
    instr.vector = static_cast<std::uint8_t>(parts.size());
    if (packs) {
        if (auto written = destination(instr, 0, *type); !written) return written;
        for (const ptx::Operand& item : parts) {
            auto value = read(item, part);
            if (!value) return std::unexpected(value.error());
            instr.src.push_back(*value);
        }
    } else {
        for (const ptx::Operand& item : parts) {
            auto value = write(item, part);
            if (!value) return std::unexpected(value.error());
            instr.dst.push_back(*value);
        }
        if (auto taken = source(instr, 1, *type); !taken) return taken;
    }
    push(std::move(instr));
    return {};
}

} // namespace kw::sim
