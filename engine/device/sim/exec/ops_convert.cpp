// cvt: between all integer and float types. Integers saturate where PTX says so: float to integer always.
#include "engine/device/sim/exec/half.h"

namespace kw::sim::KW_ISA {
namespace {

/// Bytes live in rows of 16 bits.
template<class T>
using Storage = std::conditional_t<sizeof(T) == 1, std::conditional_t<std::is_signed_v<T>, s16, u16>, T>;

template<class T> constexpr bool kSigned = std::is_signed_v<T>;
template<class T>
constexpr T kMost = kSigned<T> ? static_cast<T>((u64{1} << (sizeof(T) * 8 - 1)) - 1) : static_cast<T>(~T{0});
template<class T> constexpr T kLeast = kSigned<T> ? static_cast<T>(u64{1} << (sizeof(T) * 8 - 1)) : T{0};

template<class D, class S, bool Sat> struct IntToInt {
    using A = Storage<S>;
    using R = Storage<D>;
    KW_INLINE static R apply(A a) {
        const S value = static_cast<S>(a);
        if constexpr (Sat) {
            if constexpr (kSigned<S>) {
                const s64 wide = value;
                if constexpr (kSigned<D>) {
                    if (wide < static_cast<s64>(kLeast<D>)) return static_cast<R>(kLeast<D>);
                    if (wide > static_cast<s64>(kMost<D>)) return static_cast<R>(kMost<D>);
                } else {
                    if (wide < 0) return R{0};
                    if (static_cast<u64>(wide) > static_cast<u64>(kMost<D>)) return static_cast<R>(kMost<D>);
                }
            } else if (static_cast<u64>(value) > static_cast<u64>(kMost<D>)) {
                return static_cast<R>(kMost<D>);
            }
        }
        return static_cast<R>(static_cast<D>(value));
    }
};
template<class F> const Step* convert(Warp& warp, const Step* step) {
    const auto* a = row<const typename F::A>(warp, step->a);
    each(warp, row<typename F::R>(warp, step->d), [=](int lane) { return F::apply(a[lane]); });
    return step + 1;
}

template<class D, bool Sat> Handler from_int(Type source) {
    switch (source) {
    case Type::u8:
    case Type::b8: return convert<IntToInt<D, u8, Sat>>;
    case Type::s8: return convert<IntToInt<D, s8, Sat>>;
    case Type::u16:
    case Type::b16: return convert<IntToInt<D, u16, Sat>>;
    case Type::s16: return convert<IntToInt<D, s16, Sat>>;
    case Type::u32:
    case Type::b32: return convert<IntToInt<D, u32, Sat>>;
    case Type::s32: return convert<IntToInt<D, s32, Sat>>;
    case Type::u64:
    case Type::b64: return convert<IntToInt<D, u64, Sat>>;
    case Type::s64: return convert<IntToInt<D, s64, Sat>>;
    default: return nullptr;
    }
}
template<bool Sat> Handler int_to_int(const Instr& instr) {
    switch (instr.type) {
    case Type::u8:
    case Type::b8: return from_int<u8, Sat>(instr.type2);
    case Type::s8: return from_int<s8, Sat>(instr.type2);
    case Type::u16:
    case Type::b16: return from_int<u16, Sat>(instr.type2);
    case Type::s16: return from_int<s16, Sat>(instr.type2);
    case Type::u32:
    case Type::b32: return from_int<u32, Sat>(instr.type2);
    case Type::s32: return from_int<s32, Sat>(instr.type2);
    case Type::u64:
    case Type::b64: return from_int<u64, Sat>(instr.type2);
    case Type::s64: return from_int<s64, Sat>(instr.type2);
    default: return nullptr;
    }
}

template<class D, class S> struct IntToFloat {
    using A = Storage<S>;
    using R = D;
    KW_INLINE static R apply(A a) { return static_cast<D>(static_cast<S>(a)); }
};
template<class D, class S> const Step* int_to_float_scalar(Warp& warp, const Step* step) {
    const auto* a = row<const Storage<S>>(warp, step->a);
    // One conversion instruction per lane, which obeys the rounding mode; vectorised emulations would not.
    each_active(warp, row<D>(warp, step->d), [=](int lane) {
        if constexpr (sizeof(S) == 8 && !kSigned<S>) {
            // halves with a sticky bit, as the value may not fit a signed register
            const u64 value = a[lane];
            if (value >> 63) {
                volatile D half = static_cast<D>(static_cast<s64>(value >> 1 | (value & 1)));
                return static_cast<D>(half + half);
            }
            return static_cast<D>(static_cast<s64>(value));
        } else {
            return static_cast<D>(static_cast<S>(a[lane]));
        }
    });
    return step + 1;
}
template<class D> Handler int_to_float(const Instr& instr) {
    const bool nearest = instr.rounding == Rounding::rn || instr.rounding == Rounding::none;
    switch (instr.type2) {
    case Type::u8: return convert<IntToFloat<D, u8>>;
    case Type::s8: return convert<IntToFloat<D, s8>>;
    case Type::u16: return convert<IntToFloat<D, u16>>;
    case Type::s16: return convert<IntToFloat<D, s16>>;
    case Type::u32: return nearest ? convert<IntToFloat<D, u32>> : rounded<int_to_float_scalar<D, u32>>(instr.rounding);
    case Type::s32: return nearest ? convert<IntToFloat<D, s32>> : rounded<int_to_float_scalar<D, s32>>(instr.rounding);
    case Type::u64: return rounded<int_to_float_scalar<D, u64>>(instr.rounding);
    case Type::s64: return rounded<int_to_float_scalar<D, s64>>(instr.rounding);
    default: return nullptr;
    }
}

// Values on their way into f16 or bf16, as a double that rounds to the same result.
template<class S> KW_INLINE double exact(S value) {
    if constexpr (sizeof(S) == 8 && std::is_integral_v<S>) {
        const bool large = kSigned<S> ? (value > (s64{1} << 52) || value < static_cast<S>(-(s64{1} << 52)))
                                      : static_cast<u64>(value) > u64{1} << 52;
        if (large) return static_cast<double>(static_cast<S>(((value >> 12) | ((value & 0xfff) != 0)))) * 4096.0;
        return static_cast<double>(static_cast<s64>(value));
    } else {
        return static_cast<double>(value);
    }
}
/// The neighbour of the nearest value on the side that the mode asks for.
template<class F> KW_INLINE u16 narrow_directed(F format, double value, Rounding mode) {
    const u16 nearest = narrow_double(format, value);
    const double back = widen(format, nearest);
    if (value != value || back == value || mode == Rounding::rn) return nearest;
    const bool negative = nearest >> 15;
    bool towards_zero = false, away = false;
    if (mode == Rounding::rz) towards_zero = negative ? back < value : back > value;
    if (mode == Rounding::rm) (negative ? away : towards_zero) = back > value;
    if (mode == Rounding::rp) (negative ? towards_zero : away) = back < value;
    return static_cast<u16>(towards_zero ? nearest - 1 : away ? nearest + 1 : nearest);
}
template<class F, class S, Rounding Mode> const Step* to_half(Warp& warp, const Step* step) {
    const auto* a = row<const Storage<S>>(warp, step->a);
    const bool ftz = step->flags & kFtz, sat = step->flags & kSat, relu = step->flags & kRelu;
    constexpr u16 one = static_cast<u16>(F::kBias << F::kFraction);
    constexpr u16 infinity = static_cast<u16>((2 * F::kBias + 1) << F::kFraction);
    const auto finish = [=](u16 value) {
        const bool nan = (value & 0x7fff) > infinity;
        if (sat) value = nan || value >> 15 ? u16{0} : value > one ? one : value;
        if (relu && !nan && value >> 15) value = 0;
        return value;
    };
    if constexpr (std::is_same_v<S, float> && Mode == Rounding::rn) {
        each(warp, row<u16>(warp, step->d),
             [=](int lane) { return finish(narrow(F{}, ftz ? flush(a[lane]) : a[lane])); });
    } else {
        each_active(warp, row<u16>(warp, step->d), [=](int lane) {
            S value = static_cast<S>(a[lane]);
            if constexpr (std::is_same_v<S, float>) value = ftz ? flush(value) : value;
            if constexpr (std::is_same_v<S, double> && std::is_same_v<F, Half>) {
                if (value != value) { // keeps its sign and upper bits, as on an H200
                    const u64 raw = bits<u64>(value);
                    return finish(static_cast<u16>((raw >> 48 & 0x8000u) | 0x7e00u | (raw >> 42 & 0x3ffu)));
                }
            }
            return finish(narrow_directed(F{}, exact(value), Mode));
        });
    }
    return step + 1;
}
template<class F, class S> Handler to_half_rounded(Rounding rounding) {
    switch (rounding) {
    case Rounding::none:
    case Rounding::rn: return to_half<F, S, Rounding::rn>;
    case Rounding::rz: return to_half<F, S, Rounding::rz>;
    case Rounding::rm: return to_half<F, S, Rounding::rm>;
    case Rounding::rp: return to_half<F, S, Rounding::rp>;
    default: return nullptr;
    }
}
template<class F, class G> const Step* half_to_half(Warp& warp, const Step* step) {
    const u16* a = row<const u16>(warp, step->a);
    each(warp, row<u16>(warp, step->d), [=](int lane) { return narrow(F{}, widen(G{}, a[lane])); });
    return step + 1;
}
template<class T> KW_INLINE T round_integral(T value, Rounding mode) {
    T result = value;
    if constexpr (sizeof(T) == 4) {
        result = mode == Rounding::rni   ? __builtin_rintf(value)
                 : mode == Rounding::rzi ? __builtin_truncf(value)
                 : mode == Rounding::rmi ? __builtin_floorf(value)
                 : mode == Rounding::rpi ? __builtin_ceilf(value)
                                         : value;
    } else {
        result = mode == Rounding::rni   ? __builtin_rint(value)
                 : mode == Rounding::rzi ? __builtin_trunc(value)
                 : mode == Rounding::rmi ? __builtin_floor(value)
                 : mode == Rounding::rpi ? __builtin_ceil(value)
                                         : value;
    }
    return result;
}
template<class F, Rounding Mode> const Step* half_integral(Warp& warp, const Step* step) {
    const u16* a = row<const u16>(warp, step->a);
    const bool sat = step->flags & kSat;
    each(warp, row<u16>(warp, step->d), [=](int lane) {
        const float value = round_integral(widen(F{}, a[lane]), Mode);
        const u16 result = narrow(F{}, sat ? saturate(value) : value);
        return result;
    });
    return step + 1;
}
template<class F> Handler to_half_any(const Instr& instr) {
    switch (instr.type2) {
    case Type::f32: return to_half_rounded<F, float>(instr.rounding);
    case Type::f64: return to_half_rounded<F, double>(instr.rounding);
    case Type::u8: return to_half_rounded<F, u8>(instr.rounding);
    case Type::s8: return to_half_rounded<F, s8>(instr.rounding);
    case Type::u16: return to_half_rounded<F, u16>(instr.rounding);
    case Type::s16: return to_half_rounded<F, s16>(instr.rounding);
    case Type::u32: return to_half_rounded<F, u32>(instr.rounding);
    case Type::s32: return to_half_rounded<F, s32>(instr.rounding);
    case Type::u64: return to_half_rounded<F, u64>(instr.rounding);
    case Type::s64: return to_half_rounded<F, s64>(instr.rounding);
    case Type::f16:
    case Type::bf16: {
        if (instr.has(kRelu)) return nullptr;
        const bool same = instr.type == instr.type2;
        if (same) {
            switch (instr.rounding) {
            case Rounding::none:
            case Rounding::rn: return half_integral<F, Rounding::none>;
            case Rounding::rni: return half_integral<F, Rounding::rni>;
            case Rounding::rzi: return half_integral<F, Rounding::rzi>;
            case Rounding::rmi: return half_integral<F, Rounding::rmi>;
            case Rounding::rpi: return half_integral<F, Rounding::rpi>;
            default: return nullptr;
            }
        }
        if (instr.has(kSat) || (instr.rounding != Rounding::rn && instr.rounding != Rounding::none)) return nullptr;
        return instr.type2 == Type::f16 ? half_to_half<F, Half> : half_to_half<F, Bfloat>;
    }
    default: return nullptr;
    }
}

struct FromFloat {
    using A = float;
    KW_INLINE static float load(float a) { return a; }
};
struct FromDouble {
    using A = double;
    KW_INLINE static double load(double a) { return a; }
};
template<class F> struct FromHalf {
    using A = u16;
    KW_INLINE static float load(u16 a) { return widen(F{}, a); }
};

/// PTX ISA, "cvt": out of range clamps; a NaN becomes 0, or the top bit alone when f64 or 64-bit integers are involved.
template<class D, class From, Rounding Mode> const Step* float_to_int(Warp& warp, const Step* step) {
    const auto* a = row<const typename From::A>(warp, step->a);
    const bool ftz = step->flags & kFtz;
    constexpr bool top_bit = std::is_same_v<From, FromDouble> || sizeof(D) == 8;
    constexpr D nan = top_bit ? static_cast<D>(u64{1} << (sizeof(D) * 8 - 1)) : D{0};
    each(warp, row<Storage<D>>(warp, step->d), [=](int lane) {
        const auto raw = From::load(a[lane]);
        double value = raw;
        if constexpr (std::is_same_v<From, FromFloat>) value = ftz ? flush(raw) : raw;
        const double whole = round_integral(value, Mode);
        // 2^n is exact in double where the largest integer is not.
        constexpr double most = kSigned<D> ? static_cast<double>(u64{1} << (sizeof(D) * 8 - 1))
                                           : static_cast<double>(u64{1} << (sizeof(D) * 8 - 1)) * 2.0;
        constexpr double least = kSigned<D> ? -most : 0.0;
        const bool high = whole >= most, low = whole < least;
        const double inside = high || low || whole != whole ? 0.0 : whole;
        D result;
        if constexpr (sizeof(D) == 8 && !kSigned<D>) {
            result = inside >= 9223372036854775808.0
                         ? static_cast<D>(static_cast<s64>(inside - 9223372036854775808.0)) + (D{1} << 63)
                         : static_cast<D>(static_cast<s64>(inside));
        } else if constexpr (sizeof(D) == 4 && !kSigned<D>) {
            result = static_cast<D>(static_cast<s64>(inside));
        } else if constexpr (sizeof(D) == 8) {
            result = static_cast<D>(inside);
        } else {
            result = static_cast<D>(static_cast<s32>(inside));
        }
        result = high ? kMost<D> : low ? kLeast<D> : result;
        return static_cast<Storage<D>>(whole != whole ? nan : result);
    });
    return step + 1;
}
template<class D, class From> Handler float_to_int_rounded(Rounding rounding) {
    switch (rounding) {
    case Rounding::rni: return float_to_int<D, From, Rounding::rni>;
    case Rounding::rzi: return float_to_int<D, From, Rounding::rzi>;
    case Rounding::rmi: return float_to_int<D, From, Rounding::rmi>;
    case Rounding::rpi: return float_to_int<D, From, Rounding::rpi>;
    default: return nullptr;
    }
}
template<class From> Handler float_to_int_any(const Instr& instr) {
    switch (instr.type) {
    case Type::u8: return float_to_int_rounded<u8, From>(instr.rounding);
    case Type::s8: return float_to_int_rounded<s8, From>(instr.rounding);
    case Type::u16: return float_to_int_rounded<u16, From>(instr.rounding);
    case Type::s16: return float_to_int_rounded<s16, From>(instr.rounding);
    case Type::u32: return float_to_int_rounded<u32, From>(instr.rounding);
    case Type::s32: return float_to_int_rounded<s32, From>(instr.rounding);
    case Type::u64: return float_to_int_rounded<u64, From>(instr.rounding);
    case Type::s64: return float_to_int_rounded<s64, From>(instr.rounding);
    default: return nullptr;
    }
}

template<class D, class From, Rounding Mode> const Step* float_to_float(Warp& warp, const Step* step) {
    const auto* a = row<const typename From::A>(warp, step->a);
    const bool ftz = step->flags & kFtz, sat = step->flags & kSat;
    each(warp, row<D>(warp, step->d), [=](int lane) {
        auto value = From::load(a[lane]);
        if constexpr (std::is_same_v<From, FromFloat>) value = ftz ? canonical(flush(value)) : value;
        D result = static_cast<D>(round_integral(value, Mode));
        if constexpr (sizeof(D) == 4) {
            result = ftz ? flush(result) : result;
            // What comes from these keeps the bits of a NaN that fit.
            constexpr bool keeps = std::is_same_v<From, FromHalf<Bfloat>> || std::is_same_v<From, FromDouble>;
            return sat ? saturate(result) : keeps ? result : canonical(result);
        } else {
            return sat ? saturate(result) : result;
        }
    });
    return step + 1;
}
template<class D, class From> Handler float_to_float_rounded(Rounding rounding) {
    switch (rounding) {
    case Rounding::rni: return float_to_float<D, From, Rounding::rni>;
    case Rounding::rzi: return float_to_float<D, From, Rounding::rzi>;
    case Rounding::rmi: return float_to_float<D, From, Rounding::rmi>;
    case Rounding::rpi: return float_to_float<D, From, Rounding::rpi>;
    case Rounding::rna: return nullptr;
    default: return rounded<float_to_float<D, From, Rounding::none>>(rounding);
    }
}
template<class D> Handler float_to_float_any(const Instr& instr) {
    switch (instr.type2) {
    case Type::f16: return float_to_float_rounded<D, FromHalf<Half>>(instr.rounding);
    case Type::bf16: return float_to_float_rounded<D, FromHalf<Bfloat>>(instr.rounding);
    case Type::f32: return float_to_float_rounded<D, FromFloat>(instr.rounding);
    case Type::f64: return float_to_float_rounded<D, FromDouble>(instr.rounding);
    default: return nullptr;
    }
}

/// Ten fraction bits are kept; ties away from zero (rna) or to even (rn), or the rest cut off (rz).
template<Rounding Mode> const Step* to_tf32(Warp& warp, const Step* step) {
    const u32* a = row<const u32>(warp, step->a);
    each(warp, row<u32>(warp, step->d), [=](int lane) {
        const u32 raw = a[lane];
        const u32 half = Mode == Rounding::rn ? 0xfffu + (raw >> 13 & 1u) : Mode == Rounding::rna ? 0x1000u : 0u;
        const u32 kept = (raw + half) & 0xffffe000u;
        // GPUs round a NaN as if it were a number (rna), or cut their own off.
        const bool nan = (raw & 0x7fffffffu) > 0x7f800000u;
        if constexpr (Mode == Rounding::rna)
            return (raw & 0x7fffffffu) == 0x7f800000u ? raw : kept;
        else
            return nan ? kCanonicalNan & 0xffffe000u : (raw & 0x7f800000u) == 0x7f800000u ? raw : kept;
    });
    return step + 1;
}

template<class F, bool Nearest> const Step* pack_halves(Warp& warp, const Step* step) {
    const float* a = row<const float>(warp, step->a);
    const float* b = row<const float>(warp, step->b);
    const bool relu = step->flags & kRelu, ftz = step->flags & kFtz;
    constexpr u16 infinity = static_cast<u16>((2 * F::kBias + 1) << F::kFraction);
    each(warp, row<u32>(warp, step->d), [=](int lane) {
        const float x = ftz ? flush(a[lane]) : a[lane], y = ftz ? flush(b[lane]) : b[lane];
        u32 high = Nearest ? narrow(F{}, x) : truncate(F{}, x);
        u32 low = Nearest ? narrow(F{}, y) : truncate(F{}, y);
        high = relu && (high & 0x8000) && (high & 0x7fff) <= infinity ? 0 : high;
        low = relu && (low & 0x8000) && (low & 0x7fff) <= infinity ? 0 : low;
        return high << 16 | low;
    });
    return step + 1;
}

} // namespace

Handler bind_convert(const Instr& instr, Step& step) {
    step.flags = instr.flags;
    if (instr.op == Op::cvt_pack) {
        if (instr.flags & kSat) return nullptr;
        const bool nearest = instr.rounding == Rounding::rn;
        if (!nearest && instr.rounding != Rounding::rz) return nullptr;
        if (instr.type == Type::f16x2) return nearest ? pack_halves<Half, true> : pack_halves<Half, false>;
        return nearest ? pack_halves<Bfloat, true> : pack_halves<Bfloat, false>;
    }
    if (instr.op != Op::cvt) return nullptr;
    const bool from_float = is_float(instr.type2), to_float = is_float(instr.type);
    if (!from_float && !to_float) {
        if (instr.rounding != Rounding::none || (instr.flags & (kFtz | kRelu))) return nullptr;
        return instr.has(kSat) ? int_to_int<true>(instr) : int_to_int<false>(instr);
    }
    if (instr.type == Type::f16) return to_half_any<Half>(instr);
    if (instr.type == Type::bf16) return to_half_any<Bfloat>(instr);
    if (instr.type == Type::tf32 && instr.type2 == Type::f32 && !(instr.flags & (kSat | kRelu)))
        return instr.rounding == Rounding::rna  ? to_tf32<Rounding::rna>
               : instr.rounding == Rounding::rn ? to_tf32<Rounding::rn>
               : instr.rounding == Rounding::rz ? to_tf32<Rounding::rz>
                                                : nullptr;
    if (instr.has(kRelu)) return nullptr;
    if (from_float && !to_float) {
        switch (instr.type2) {
        case Type::f16: return float_to_int_any<FromHalf<Half>>(instr);
        case Type::bf16: return float_to_int_any<FromHalf<Bfloat>>(instr);
        case Type::f32: return float_to_int_any<FromFloat>(instr);
        case Type::f64: return float_to_int_any<FromDouble>(instr);
        default: return nullptr;
        }
    }
    if (!from_float) {
        if (instr.has(kSat)) return nullptr;
        return instr.type == Type::f32   ? int_to_float<float>(instr)
               : instr.type == Type::f64 ? int_to_float<double>(instr)
                                         : nullptr;
    }
    return instr.type == Type::f32   ? float_to_float_any<float>(instr)
           : instr.type == Type::f64 ? float_to_float_any<double>(instr)
                                     : nullptr;
}

} // namespace kw::sim::KW_ISA
