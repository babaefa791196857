// setp, set, selp, slct.
#include "engine/device/sim/exec/half.h"

namespace kw::sim::KW_ISA {
namespace {

template<Compare Kind, class T> KW_INLINE bool holds(T a, T b) {
    const bool unordered = a != a || b != b;
    switch (Kind) {
    case Compare::eq: return a == b;
    case Compare::ne: return a != b && !unordered;
    case Compare::lt:
    case Compare::lo: return a < b;
    case Compare::le:
    case Compare::ls: return a <= b;
    case Compare::gt:
    case Compare::hi: return a > b;
    case Compare::ge:
    case Compare::hs: return a >= b;
    case Compare::equ: return !(a < b || a > b);
    case Compare::neu: return !(a == b);
    case Compare::ltu: return !(a >= b);
    case Compare::leu: return !(a > b);
    case Compare::gtu: return !(a <= b);
    case Compare::geu: return !(a < b);
    case Compare::num: return !unordered;
    case Compare::nan: return unordered;
    }
    return false;
}

/// How a row of one type is read for comparison.
template<class T> struct Plain {
    using A = T;
    KW_INLINE static T load(T a, bool) { return a; }
};
struct PlainFloat {
    using A = float;
    KW_INLINE static float load(float a, bool ftz) { return ftz ? flush(a) : a; }
};
template<class F> struct FromHalf {
    using A = u16;
    KW_INLINE static float load(u16 a, bool) { return widen(F{}, a); }
};

#if defined(__AVX512F__)
template<Compare Kind>
constexpr int kIntegerPredicate = Kind == Compare::eq                          ? _MM_CMPINT_EQ
                                  : Kind == Compare::ne                        ? _MM_CMPINT_NE
                                  : Kind == Compare::lt || Kind == Compare::lo ? _MM_CMPINT_LT
                                  : Kind == Compare::le || Kind == Compare::ls ? _MM_CMPINT_LE
                                  : Kind == Compare::gt || Kind == Compare::hi ? _MM_CMPINT_NLE
                                                                               : _MM_CMPINT_NLT;
#endif

template<class L, Compare Kind> KW_INLINE u32 compare_rows(const Warp& warp, const Step* step) {
    const auto* a = row<const typename L::A>(warp, step->a);
    const auto* b = row<const typename L::A>(warp, step->b);
#if defined(__AVX512F__)
    if constexpr (std::is_same_v<L, Plain<s32>> || std::is_same_v<L, Plain<u32>>) {
        const __m512i a0 = _mm512_load_si512(a), a1 = _mm512_load_si512(a + 16);
        const __m512i b0 = _mm512_load_si512(b), b1 = _mm512_load_si512(b + 16);
        constexpr int op = kIntegerPredicate<Kind>;
        if constexpr (std::is_same_v<L, Plain<s32>>)
            return static_cast<u32>(_mm512_cmp_epi32_mask(a0, b0, op))
                   | static_cast<u32>(_mm512_cmp_epi32_mask(a1, b1, op)) << 16;
        else
            return static_cast<u32>(_mm512_cmp_epu32_mask(a0, b0, op))
                   | static_cast<u32>(_mm512_cmp_epu32_mask(a1, b1, op)) << 16;
    }
#endif
    const bool ftz = step->flags & kFtz;
    if constexpr (std::is_same_v<L, PlainFloat>) {
        if (!ftz) return each_bit([=](int lane) { return holds<Kind>(a[lane], b[lane]); });
    }
    return each_bit([=](int lane) { return holds<Kind>(L::load(a[lane], ftz), L::load(b[lane], ftz)); });
}

template<class L, Compare Kind> const Step* setp(Warp& warp, const Step* step) {
    set_predicate(warp, step->d, compare_rows<L, Kind>(warp, step));
    return step + 1;
}
/// operands: p, q, a, b, c; the second predicate gets the opposite comparison, combined likewise.
template<class L, Compare Kind> const Step* setp_combined(Warp& warp, const Step* step) {
    const u32* operand = warp.operands + step->extra;
    const u32 compared = compare_rows<L, Kind>(warp, step);
    u32 first = compared, second = ~compared;
    if (step->count != 0) {
        u32 c = predicate(warp, operand[4]);
        if (step->flags & kNegateCombine) c = ~c;
        const auto combine = static_cast<Combine>(step->count);
        first = combine == Combine::conj ? first & c : combine == Combine::disj ? first | c : first ^ c;
        second = combine == Combine::conj ? second & c : combine == Combine::disj ? second | c : second ^ c;
    }
    if (operand[0] != kNoValue) set_predicate(warp, operand[0], first);
    if (operand[1] != kNoValue) set_predicate(warp, operand[1], second);
    return step + 1;
}
/// The result as all ones or 1.0, or 0. operands as above.
template<class L, Compare Kind, class D> const Step* set(Warp& warp, const Step* step) {
    const u32* operand = warp.operands + step->extra;
    u32 result = compare_rows<L, Kind>(warp, step);
    const auto combine = static_cast<Combine>(step->count);
    if (combine != Combine::none) {
        u32 c = predicate(warp, operand[4]);
        if (step->flags & kNegateCombine) c = ~c;
        result = combine == Combine::conj ? result & c : combine == Combine::disj ? result | c : result ^ c;
    }
    const D yes = static_cast<D>(step->imm);
    each(warp, row<D>(warp, step->d), [=](int lane) { return result >> lane & 1 ? yes : D{0}; });
    return step + 1;
}

template<class L, Compare Kind> Handler pick(const Instr& instr, Step& step) {
    if (instr.op == Op::setp) {
        const bool plain = instr.combine == Combine::none && (instr.dst.size() < 2 || instr.dst[1] == kNoValue)
                           && instr.dst[0] != kNoValue;
        return plain ? setp<L, Kind> : setp_combined<L, Kind>;
    }
    switch (instr.type) {
    case Type::f32: step.imm = 0x3f800000; return set<L, Kind, u32>;
    case Type::u32:
    case Type::s32:
    case Type::b32: step.imm = -1; return set<L, Kind, u32>;
    case Type::u16:
    case Type::s16:
    case Type::b16: step.imm = -1; return set<L, Kind, u16>;
    case Type::f16: step.imm = 0x3c00; return set<L, Kind, u16>;
    case Type::bf16: step.imm = 0x3f80; return set<L, Kind, u16>;
    default: return nullptr;
    }
}

template<class L, bool Float, bool Unsigned> Handler by_compare(const Instr& instr, Step& step) {
    switch (instr.compare) {
    case Compare::eq: return pick<L, Compare::eq>(instr, step);
    case Compare::ne: return pick<L, Compare::ne>(instr, step);
    case Compare::lt: return pick<L, Compare::lt>(instr, step);
    case Compare::le: return pick<L, Compare::le>(instr, step);
    case Compare::gt: return pick<L, Compare::gt>(instr, step);
    case Compare::ge: return pick<L, Compare::ge>(instr, step);
    default: break;
    }
    if constexpr (Unsigned) {
        switch (instr.compare) {
        case Compare::lo: return pick<L, Compare::lt>(instr, step);
        case Compare::ls: return pick<L, Compare::le>(instr, step);
        case Compare::hi: return pick<L, Compare::gt>(instr, step);
        case Compare::hs: return pick<L, Compare::ge>(instr, step);
        default: return nullptr;
        }
    }
    if constexpr (Float) {
        switch (instr.compare) {
        case Compare::equ: return pick<L, Compare::equ>(instr, step);
        case Compare::neu: return pick<L, Compare::neu>(instr, step);
        case Compare::ltu: return pick<L, Compare::ltu>(instr, step);
        case Compare::leu: return pick<L, Compare::leu>(instr, step);
        case Compare::gtu: return pick<L, Compare::gtu>(instr, step);
        case Compare::geu: return pick<L, Compare::geu>(instr, step);
        case Compare::num: return pick<L, Compare::num>(instr, step);
        case Compare::nan: return pick<L, Compare::nan>(instr, step);
        default: return nullptr;
        }
    }
    return nullptr;
}

bool holds_at_run_time(Compare compare, float a, float b) {
    switch (compare) {
    case Compare::eq: return holds<Compare::eq>(a, b);
    case Compare::ne: return holds<Compare::ne>(a, b);
    case Compare::lt: return holds<Compare::lt>(a, b);
    case Compare::le: return holds<Compare::le>(a, b);
    case Compare::gt: return holds<Compare::gt>(a, b);
    case Compare::ge: return holds<Compare::ge>(a, b);
    case Compare::equ: return holds<Compare::equ>(a, b);
    case Compare::neu: return holds<Compare::neu>(a, b);
    case Compare::ltu: return holds<Compare::ltu>(a, b);
    case Compare::leu: return holds<Compare::leu>(a, b);
    case Compare::gtu: return holds<Compare::gtu>(a, b);
    case Compare::geu: return holds<Compare::geu>(a, b);
    case Compare::num: return holds<Compare::num>(a, b);
    case Compare::nan: return holds<Compare::nan>(a, b);
    default: return false;
    }
}

/// Packed halves: two results per lane. operands: p|d, q, a, b, c. imm: low 16 bits what "true" is in a half of d.
template<class F, bool ToPredicate> const Step* packed(Warp& warp, const Step* step) {
    const u32* operand = warp.operands + step->extra;
    const u32* a = row<const u32>(warp, operand[2]);
    const u32* b = row<const u32>(warp, operand[3]);
    const auto compare = static_cast<Compare>(step->imm >> 32 & 0xff);
    const auto combine = static_cast<Combine>(step->count);
    u32 bit[2] = {0, 0};
    for (int lane = 0; lane < 32; ++lane) {
        for (int half = 0; half < 2; ++half) {
            const float x = widen(F{}, static_cast<u16>(a[lane] >> (16 * half)));
            const float y = widen(F{}, static_cast<u16>(b[lane] >> (16 * half)));
            bit[half] |= static_cast<u32>(holds_at_run_time(compare, x, y)) << lane;
        }
    }
    if (combine != Combine::none) {
        u32 c = predicate(warp, operand[4]);
        if (step->flags & kNegateCombine) c = ~c;
        for (u32& value : bit)
            value = combine == Combine::conj ? value & c : combine == Combine::disj ? value | c : value ^ c;
    }
    if constexpr (ToPredicate) {
        if (operand[0] != kNoValue) set_predicate(warp, operand[0], bit[0]);
        if (operand[1] != kNoValue) set_predicate(warp, operand[1], bit[1]);
    } else {
        const u32 yes = static_cast<u32>(step->imm & 0xffff);
        each(warp, row<u32>(warp, operand[0]), [=](int lane) {
            const u32 low = bit[0] >> lane & 1 ? yes : 0, high = bit[1] >> lane & 1 ? yes : 0;
            return low | high << 16;
        });
    }
    return step + 1;
}

template<class T> const Step* selp(Warp& warp, const Step* step) {
    const T* a = row<const T>(warp, step->a);
    const T* b = row<const T>(warp, step->b);
    const u32 c = predicate(warp, step->c);
    T* d = row<T>(warp, step->d);
#if defined(__AVX512F__)
    if constexpr (sizeof(T) == 4) {
        for (int part = 0; part < 2; ++part) {
            const auto k = static_cast<__mmask16>(c >> (16 * part));
            const auto active = static_cast<__mmask16>(warp.mask >> (16 * part));
            const __m512i chosen =
                _mm512_mask_blend_epi32(k, _mm512_load_si512(b + 16 * part), _mm512_load_si512(a + 16 * part));
            _mm512_mask_store_epi32(d + 16 * part, active, chosen);
        }
        return step + 1;
    }
#endif
    each(warp, d, [=](int lane) { return c >> lane & 1 ? a[lane] : b[lane]; });
    return step + 1;
}
template<class T, class C> const Step* slct(Warp& warp, const Step* step) {
    const T* a = row<const T>(warp, step->a);
    const T* b = row<const T>(warp, step->b);
    const C* c = row<const C>(warp, step->c);
    const bool ftz = step->flags & kFtz;
    each(warp, row<T>(warp, step->d), [=](int lane) {
        if constexpr (std::is_same_v<C, float>)
            return (ftz ? flush(c[lane]) : c[lane]) >= 0.0f ? a[lane] : b[lane];
        else
            return c[lane] >= 0 ? a[lane] : b[lane];
    });
    return step + 1;
}

} // namespace

Handler bind_compare(const Instr& instr, Step& step) {
    step.flags = instr.flags;
    const u32 size = size_of(instr.type);
    if (instr.op == Op::selp) return size == 2 ? selp<u16> : size == 4 ? selp<u32> : size == 8 ? selp<u64> : nullptr;
    if (instr.op == Op::slct) {
        if (instr.type2 == Type::f32)
            return size == 2 ? slct<u16, float> : size == 4 ? slct<u32, float> : size == 8 ? slct<u64, float> : nullptr;
        if (instr.type2 == Type::s32)
            return size == 2 ? slct<u16, s32> : size == 4 ? slct<u32, s32> : size == 8 ? slct<u64, s32> : nullptr;
        return nullptr;
    }
    if (instr.op != Op::set && instr.op != Op::setp) return nullptr;
    step.count = static_cast<u16>(instr.combine);
    switch (instr.type2) {
    case Type::s16: return by_compare<Plain<s16>, false, false>(instr, step);
    case Type::u16:
    case Type::b16: return by_compare<Plain<u16>, false, true>(instr, step);
    case Type::s32: return by_compare<Plain<s32>, false, false>(instr, step);
    case Type::u32:
    case Type::b32: return by_compare<Plain<u32>, false, true>(instr, step);
    case Type::s64: return by_compare<Plain<s64>, false, false>(instr, step);
    case Type::u64:
    case Type::b64: return by_compare<Plain<u64>, false, true>(instr, step);
    case Type::f16: return by_compare<FromHalf<Half>, true, false>(instr, step);
    case Type::bf16: return by_compare<FromHalf<Bfloat>, true, false>(instr, step);
    case Type::f32: return by_compare<PlainFloat, true, false>(instr, step);
    case Type::f64: return by_compare<Plain<double>, true, false>(instr, step);
    case Type::f16x2:
    case Type::bf16x2: {
        const bool half = instr.type2 == Type::f16x2;
        if (instr.compare >= Compare::lo && instr.compare <= Compare::hs) return nullptr;
        s64 yes = 0xffff;
        if (instr.op == Op::set) {
            if (instr.type == Type::f16x2)
                yes = 0x3c00;
            else if (instr.type == Type::bf16x2)
                yes = 0x3f80;
            else if (size != 4)
                return nullptr;
        }
        step.imm = static_cast<s64>(instr.compare) << 32 | yes;
        if (instr.op == Op::setp) return half ? packed<Half, true> : packed<Bfloat, true>;
        return half ? packed<Half, false> : packed<Bfloat, false>;
    }
    default: return nullptr;
    }
}

} // namespace kw::sim::KW_ISA
