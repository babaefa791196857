// Every family of operations against a plain computation, on edge values and random ones, with each instruction set.
#include "tests/sim/harness.h"

#include <fmt/format.h>

#include <bit>
#include <cfenv>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

using namespace kw;
using namespace kw::sim;
using namespace kw::sim::test;

namespace {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using s8 = std::int8_t;
using s16 = std::int16_t;
using s32 = std::int32_t;
using s64 = std::int64_t;
__extension__ typedef __int128 s128;
__extension__ typedef unsigned __int128 u128;

float f32(u64 raw) { return std::bit_cast<float>(static_cast<u32>(raw)); }
double f64(u64 raw) { return std::bit_cast<double>(raw); }
u64 raw(float value) { return std::isnan(value) ? 0x7fffffffu : std::bit_cast<u32>(value); }
u64 raw(double value) { return std::bit_cast<u64>(value); }
double half(u64 value) { return static_cast<double>(std::bit_cast<_Float16>(static_cast<u16>(value))); }
u64 to_half(double value) { return std::isnan(value) ? 0x7fff : std::bit_cast<u16>(static_cast<_Float16>(value)); }
double bfloat(u64 value) { return f32(value << 16); }
/// Exact values only: one rounding from a wider type.
u64 to_bfloat(long double value) {
    if (std::isnan(value)) return 0x7fff;
    float nearest = static_cast<float>(value);
    // rounding to odd makes the second rounding harmless
    if (static_cast<long double>(nearest) != value && !(std::bit_cast<u32>(nearest) & 1) && std::isfinite(nearest))
        nearest = std::bit_cast<float>(std::bit_cast<u32>(nearest)
                                       + ((std::fabs(value) > std::fabs(static_cast<long double>(nearest))) ? 1 : -1));
    const u32 bits = std::bit_cast<u32>(nearest);
    return (bits + 0x7fff + (bits >> 16 & 1)) >> 16;
}
float flushed(float value) { return std::fpclassify(value) == FP_SUBNORMAL ? std::copysign(0.0f, value) : value; }

using Reference = std::function<u64(u64, u64, u64)>;

/// `code` computes %d from %a, %b, %c; %p, %q, %t (b32) and %w (b64) are free.
struct Case {
    std::string code;
    std::string to;
    std::vector<std::string> from;
    Reference reference;
};

int bits_of(const std::string& type) {
    return type == "f16x2" || type == "bf16x2" ? 32 : type.starts_with("bf") ? 16 : std::stoi(type.substr(1));
}

std::string kernel(const Case& test) {
    std::string text =
        header()
        + ".visible .entry k(.param .u64 pd, .param .u64 p0, .param .u64 p1, .param .u64 p2, .param .u32 n) {\n";
    text += ".reg .pred %p, %q, %out; .reg .b32 %t, %i, %n, %x<4>; .reg .b64 %w, %g, %o;\n";
    const auto reg = [](const std::string& type) { return ".b" + std::to_string(std::max(bits_of(type), 16)); };
    const char* names[] = {"%a", "%b", "%c"};
    text += ".reg " + reg(test.to) + " %d;\n";
    for (std::size_t index = 0; index < test.from.size(); ++index)
        text += ".reg " + reg(test.from[index]) + " " + names[index] + ";\n";
    text += "mov.u32 %x0, %ctaid.x; mov.u32 %x1, %ntid.x; mov.u32 %x2, %tid.x; mad.lo.s32 %i, %x0, %x1, %x2; "
            "ld.param.u32 %n, [n];\n";
    text += "setp.ge.u32 %out, %i, %n; @%out bra END;\n";
    for (std::size_t index = 0; index < test.from.size(); ++index) {
        const int bytes = bits_of(test.from[index]) / 8;
        text += "ld.param.u64 %g, [p" + std::to_string(index) + "]; mul.wide.u32 %o, %i, " + std::to_string(bytes)
                + "; add.u64 %g, %g, %o; ld.global.b" + std::to_string(bytes * 8) + " " + names[index] + ", [%g];\n";
    }
    const int bytes = bits_of(test.to) / 8;
    text += test.code + "\n";
    text += "ld.param.u64 %g, [pd]; mul.wide.u32 %o, %i, " + std::to_string(bytes) + "; add.u64 %g, %g, %o; st.global.b"
            + std::to_string(bytes * 8) + " [%g], %d;\nEND: ret;\n}\n";
    return text;
}

std::vector<u64> edges(const std::string& type) {
    const int bits = bits_of(type);
    if (type == "f32")
        return {0,          0x80000000, 0x3f800000, 0xbf800000, 0x7f800000, 0xff800000, 0x7fc00000,
                0xffc12345, 0x7f800001, 1,          0x80000001, 0x007fffff, 0x00800000, 0x7f7fffff,
                0xff7fffff, 0x3f000000, 0x40490fdb, 0x4b000001, 0x4f000000, 0xcf000000, 0x5f000000,
                0x33800000, 0x477fe000, 0x477ff000, 0x387fc000};
    if (type == "f64")
        return {0,
                u64{1} << 63,
                raw(1.0),
                raw(-1.0),
                raw(0.5),
                0x7ff0000000000000,
                0xfff0000000000000,
                0x7ff8000000000000,
                0xfff8000000001234,
                1,
                0x000fffffffffffff,
                0x0010000000000000,
                0x7fefffffffffffff,
                raw(2147483647.5),
                raw(-2147483648.5),
                raw(9.3e18),
                raw(1e-40),
                raw(65519.0),
                raw(65520.0),
                raw(2.98e-8)};
    if (type == "f16" || type == "f16x2") {
        std::vector<u64> out{0,      0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e00, 1,
                             0x8001, 0x3ff,  0x400,  0x7bff, 0xfbff, 0x3800, 0x3555, 0x6400};
        if (type == "f16x2") {
            for (u64& value : out) value |= 0x3c010000;
        }
        return out;
    }
    if (type == "bf16")
        return {0,      0x8000, 0x3f80, 0xbf80, 0x7f80, 0xff80, 0x7fc0, 1,
                0x8001, 0x7f,   0x80,   0x7f7f, 0xff7f, 0x3f00, 0x3eab, 0x4b00};
    std::vector<u64> out{0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256};
    const u64 mask = bits == 64 ? ~u64{0} : (u64{1} << bits) - 1;
    for (u64 value : {~u64{0}, ~u64{1}, u64{1} << (bits - 1), (u64{1} << (bits - 1)) - 1, u64{0x5555555555555555},
                      u64{0x12345678deadbeef}})
        out.push_back(value & mask);
    for (u64& value : out) value &= mask;
    return out;
}

class OpsTest : public QObject {
    Q_OBJECT

    /// Three columns of operands: all pairs of edges, then random bits.
    static std::vector<std::vector<u64>> operands(const Case& test) {
        std::vector<std::vector<u64>> columns(3);
        const std::vector<u64> a = edges(test.from[0]);
        const std::vector<u64> b = test.from.size() > 1 ? edges(test.from[1]) : std::vector<u64>{0};
        const std::vector<u64> c = test.from.size() > 2 ? edges(test.from[2]) : std::vector<u64>{0};
        std::size_t third = 0;
        for (u64 x : a) {
            for (u64 y : b) {
                columns[0].push_back(x);
                columns[1].push_back(y);
                columns[2].push_back(c[third++ % c.size()]);
            }
        }
        std::mt19937_64 random(7);
        for (int index = 0; index < 500; ++index) {
            for (std::size_t column = 0; column < test.from.size(); ++column) {
                const int bits = bits_of(test.from[column]);
                u64 value = random();
                // floats of like size meet more often in a sum than random exponents would
                if (test.from[column] == "f32" && index % 2)
                    value = raw(static_cast<float>(static_cast<double>(static_cast<s64>(value)) * 0x1p-60));
                if (test.from[column] == "f64" && index % 2)
                    value = raw(static_cast<double>(static_cast<s64>(value)) * 0x1p-50);
                columns[column].push_back(bits == 64 ? value : value & ((u64{1} << bits) - 1));
            }
        }
        return columns;
    }

    static void check(const Case& test, const std::function<bool(u64 got, u64 want)>& same = {}) {
        const std::string text = kernel(test);
        const auto columns = operands(test);
        const std::size_t count = columns[0].size();
        for (const std::string& isa : instruction_sets()) {
            Bench bench(text, isa.c_str());
            QVERIFY2(bench.module, (test.code + ": " + bench.error).c_str());
            const auto pack = [&](const std::vector<u64>& values, const std::string& type) {
                const std::size_t bytes = static_cast<std::size_t>(bits_of(type)) / 8;
                std::vector<std::byte> out(std::max<std::size_t>(values.size() * bytes, 1));
                for (std::size_t index = 0; index < values.size(); ++index)
                    std::memcpy(out.data() + index * bytes, &values[index], bytes);
                return out;
            };
            Parameters parameters;
            const std::size_t bytes = static_cast<std::size_t>(bits_of(test.to)) / 8;
            const auto result = bench.upload(std::vector<std::byte>(count * bytes));
            parameters.add(result);
            for (std::size_t index = 0; index < 3; ++index)
                parameters.add(index < test.from.size() ? bench.upload(pack(columns[index], test.from[index]))
                                                        : result);
            parameters.add(static_cast<u32>(count));
            const auto outcome = bench.launch("k", {static_cast<u32>((count + 127) / 128)}, {128}, parameters);
            QVERIFY2(outcome, (test.code + ": " + (outcome ? "" : outcome.error().message)).c_str());
            QVERIFY2(!outcome->fault, (test.code + ": " + (outcome->fault ? outcome->fault->message : "")).c_str());
            const auto got = bench.download<std::byte>(result, count * bytes);
            for (std::size_t index = 0; index < count; ++index) {
                u64 value = 0;
                std::memcpy(&value, got.data() + index * bytes, bytes);
                const u64 a = columns[0][index], b = columns[1].size() > index ? columns[1][index] : 0,
                          c = columns[2].size() > index ? columns[2][index] : 0;
                u64 want = test.reference(a, b, c);
                if (bytes < 8) want &= (u64{1} << (bytes * 8)) - 1;
                const bool equal = same ? same(value, want) : value == want;
                QVERIFY2(equal, fmt::format("{} ({}): a={:#x} b={:#x} c={:#x} gives {:#x}, not {:#x}", test.code, isa,
                                            a, b, c, value, want)
                                    .c_str());
            }
        }
    }

    template<class T> static void integers(const std::string& t) {
        using U = std::make_unsigned_t<T>;
        using W = std::conditional_t<sizeof(T) == 8, s128, s64>;
        const auto two = [&](const std::string& op, std::function<T(T, T)> f) {
            check({op + "." + t + " %d, %a, %b;", t, {t, t}, [f](u64 a, u64 b, u64) {
                       return static_cast<u64>(f(static_cast<T>(a), static_cast<T>(b)));
                   }});
        };
        two("add", [](T a, T b) { return static_cast<T>(static_cast<U>(static_cast<u64>(a) + static_cast<u64>(b))); });
        two("sub", [](T a, T b) { return static_cast<T>(static_cast<U>(static_cast<u64>(a) - static_cast<u64>(b))); });
        two("mul.lo",
            [](T a, T b) { return static_cast<T>(static_cast<U>(static_cast<u64>(a) * static_cast<u64>(b))); });
        two("mul.hi", [](T a, T b) {
            if constexpr (sizeof(T) == 8 && std::is_unsigned_v<T>)
                return static_cast<T>(static_cast<u128>(a) * b >> 64);
            else
                return static_cast<T>(static_cast<W>(a) * b >> (sizeof(T) * 8));
        });
        two("min", [](T a, T b) { return std::min(a, b); });
        two("max", [](T a, T b) { return std::max(a, b); });
        two("div", [](T a, T b) {
            return b == 0                                           ? static_cast<T>(-1)
                   : std::is_signed_v<T> && b == static_cast<T>(-1) ? static_cast<T>(0 - static_cast<U>(a))
                                                                    : static_cast<T>(a / b);
        });
        two("rem", [](T a, T b) {
            return b == 0                                           ? static_cast<T>(-1)
                   : std::is_signed_v<T> && b == static_cast<T>(-1) ? T{0}
                                                                    : static_cast<T>(a % b);
        });
        check({"mad.lo." + t + " %d, %a, %b, %c;", t, {t, t, t}, [](u64 a, u64 b, u64 c) { return a * b + c; }});
        check({"sad." + t + " %d, %a, %b, %c;", t, {t, t, t}, [](u64 a, u64 b, u64 c) {
                   const T x = static_cast<T>(a), y = static_cast<T>(b);
                   return x < y ? c + (b - a) : c + (a - b);
               }});
        const std::pair<const char*, std::function<bool(T, T)>> compares[] = {
            {"eq", [](T a, T b) { return a == b; }}, {"ne", [](T a, T b) { return a != b; }},
            {"lt", [](T a, T b) { return a < b; }},  {"le", [](T a, T b) { return a <= b; }},
            {"gt", [](T a, T b) { return a > b; }},  {"ge", [](T a, T b) { return a >= b; }}};
        for (const auto& [name, f] : compares) {
            const auto g = f;
            check(
                {std::string("setp.") + name + "." + t + " %p|%q, %a, %b; selp.u32 %d, 1, 0, %p; @%q or.b32 %d, %d, 2;",
                 "u32",
                 {t, t},
                 [g](u64 a, u64 b, u64) { return u64{g(static_cast<T>(a), static_cast<T>(b)) ? 1u : 2u}; }});
        }
        if constexpr (std::is_signed_v<T>) {
            check({"abs." + t + " %d, %a;", t, {t}, [](u64 a, u64, u64) { return static_cast<T>(a) < 0 ? 0 - a : a; }});
            check({"neg." + t + " %d, %a;", t, {t}, [](u64 a, u64, u64) { return 0 - a; }});
        }
        check({"shl.b" + t.substr(1) + " %d, %a, %b;", t, {t, "u32"}, [](u64 a, u64 b, u64) {
                   return b >= sizeof(T) * 8 ? 0 : a << b;
               }});
        check({"shr." + t + " %d, %a, %b;", t, {t, "u32"}, [](u64 a, u64 b, u64) {
                   const u64 n = std::min<u64>(b, sizeof(T) * 8 - (std::is_signed_v<T> ? 1 : 0));
                   return n >= 64 ? 0 : n >= sizeof(T) * 8 ? 0 : static_cast<u64>(static_cast<T>(a) >> n);
               }});
    }

    template<class T> static void floats(const std::string& t, T (*from)(u64)) {
        using Two = std::function<T(T, T)>;
        const auto two = [&](const std::string& op, const Two& f, int mode = FE_TONEAREST) {
            check({op + "." + t + " %d, %a, %b;",
                   t,
                   {t, t},
                   [=](u64 a, u64 b, u64) {
                       volatile T x = from(a), y = from(b);
                       std::fesetround(mode);
                       const T result = f(x, y);
                       std::fesetround(FE_TONEAREST);
                       return raw(result);
                   }},
                  [=](u64 got, u64 want) {
                      return got == want || (sizeof(T) == 8 && std::isnan(from(got)) && std::isnan(from(want)));
                  });
        };
        // volatile keeps the compiler from moving the operation out of its rounding mode
        const auto sum = [](T a, T b) {
            volatile T r = a + b;
            return r;
        };
        const auto product = [](T a, T b) {
            volatile T r = a * b;
            return r;
        };
        const auto quotient = [](T a, T b) {
            volatile T r = a / b;
            return r;
        };
        const std::pair<const char*, int> modes[] = {
            {"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}};
        for (const auto& [name, mode] : modes) {
            const std::string suffix = std::string(".") + name;
            two("add" + suffix, [=](T a, T b) { return T(sum(a, b)); }, mode);
            two("mul" + suffix, [=](T a, T b) { return T(product(a, b)); }, mode);
            two("div" + suffix, [=](T a, T b) { return T(quotient(a, b)); }, mode);
            const int round = mode;
            check({"fma" + suffix + "." + t + " %d, %a, %b, %c;",
                   t,
                   {t, t, t},
                   [=](u64 a, u64 b, u64 c) {
                       volatile T x = from(a), y = from(b), z = from(c);
                       std::fesetround(round);
                       volatile T result = std::fma(T(x), T(y), T(z));
                       std::fesetround(FE_TONEAREST);
                       return raw(T(result));
                   }},
                  [=](u64 got, u64 want) {
                      return got == want || (sizeof(T) == 8 && std::isnan(from(got)) && std::isnan(from(want)));
                  });
            check({"sqrt" + suffix + "." + t + " %d, %a;",
                   t,
                   {t},
                   [=](u64 a, u64, u64) {
                       volatile T x = from(a);
                       std::fesetround(round);
                       volatile T result = std::sqrt(T(x));
                       std::fesetround(FE_TONEAREST);
                       return raw(T(result));
                   }},
                  [=](u64 got, u64 want) {
                      return got == want || (sizeof(T) == 8 && std::isnan(from(got)) && std::isnan(from(want)));
                  });
        }
        const auto extreme = [](T a, T b, bool max) {
            if (std::isnan(a)) return b;
            if (std::isnan(b)) return a;
            if (a == b) return std::signbit(a) == max ? b : a;
            return (a < b) == max ? b : a;
        };
        two("min", [=](T a, T b) { return extreme(a, b, false); });
        two("max", [=](T a, T b) { return extreme(a, b, true); });
        const std::pair<const char*, std::function<bool(T, T)>> compares[] = {
            {"eq", [](T a, T b) { return a == b; }},
            {"ne", [](T a, T b) { return a < b || a > b; }},
            {"lt", [](T a, T b) { return a < b; }},
            {"ge", [](T a, T b) { return a >= b; }},
            {"equ", [](T a, T b) { return !(a < b || a > b); }},
            {"neu", [](T a, T b) { return !(a == b); }},
            {"ltu", [](T a, T b) { return !(a >= b); }},
            {"geu", [](T a, T b) { return !(a < b); }},
            {"num", [](T a, T b) { return !std::isnan(a) && !std::isnan(b); }},
            {"nan", [](T a, T b) { return std::isnan(a) || std::isnan(b); }}};
        for (const auto& [name, f] : compares) {
            const auto g = f;
            check({std::string("setp.") + name + "." + t + " %p, %a, %b; selp.u32 %d, 1, 0, %p;",
                   "u32",
                   {t, t},
                   [=](u64 a, u64 b, u64) { return u64{g(from(a), from(b))}; }});
        }
    }

private slots:
    void integer_s32() { integers<s32>("s32"); }
    void integer_u32() { integers<u32>("u32"); }
    void integer_s64() { integers<s64>("s64"); }
    void integer_u64() { integers<u64>("u64"); }
    void integer_s16() { integers<s16>("s16"); }
    void integer_u16() { integers<u16>("u16"); }

    void saturation() {
        check({"add.sat.s32 %d, %a, %b;", "s32", {"s32", "s32"}, [](u64 a, u64 b, u64) {
                   return static_cast<u64>(
                       std::clamp<s64>(s64{static_cast<s32>(a)} + static_cast<s32>(b), INT32_MIN, INT32_MAX));
               }});
        check({"sub.sat.s32 %d, %a, %b;", "s32", {"s32", "s32"}, [](u64 a, u64 b, u64) {
                   return static_cast<u64>(
                       std::clamp<s64>(s64{static_cast<s32>(a)} - static_cast<s32>(b), INT32_MIN, INT32_MAX));
               }});
        check({"fma.rn.sat.f32 %d, %a, %b, %c;", "f32", {"f32", "f32", "f32"}, [](u64 a, u64 b, u64 c) {
                   const float value = std::fma(f32(a), f32(b), f32(c));
                   return raw(value > 0 ? std::min(value, 1.0f) : 0.0f);
               }});
    }
    void wide() {
        check({"mul.wide.s32 %d, %a, %b;", "s64", {"s32", "s32"}, [](u64 a, u64 b, u64) {
                   return static_cast<u64>(s64{static_cast<s32>(a)} * static_cast<s32>(b));
               }});
        check({"mad.wide.u32 %d, %a, %b, %c;", "u64", {"u32", "u32", "u64"}, [](u64 a, u64 b, u64 c) {
                   return a * b + c;
               }});
        check({"mul24.lo.s32 %d, %a, %b;", "s32", {"s32", "s32"}, [](u64 a, u64 b, u64) {
                   return static_cast<u64>(s64{static_cast<s32>(a << 8) >> 8} * (static_cast<s32>(b << 8) >> 8));
               }});
        check({"mul24.hi.u32 %d, %a, %b;", "u32", {"u32", "u32"}, [](u64 a, u64 b, u64) {
                   return (a & 0xffffff) * (b & 0xffffff) >> 16;
               }});
    }
    void carry() {
        check({"mov.b64 {%t, %x0}, %a; mov.b64 {%x1, %x2}, %b; add.cc.u32 %t, %t, %x1; addc.u32 %x0, %x0, %x2; mov.b64 "
               "%d, {%t, %x0};",
               "u64",
               {"u64", "u64"},
               [](u64 a, u64 b, u64) { return a + b; }});
        check({"mov.b64 {%t, %x0}, %a; mov.b64 {%x1, %x2}, %b; sub.cc.u32 %t, %t, %x1; subc.u32 %x0, %x0, %x2; mov.b64 "
               "%d, {%t, %x0};",
               "u64",
               {"u64", "u64"},
               [](u64 a, u64 b, u64) { return a - b; }});
        check({"mad.lo.cc.u32 %t, %a, %b, %c; madc.hi.u32 %d, %a, %b, 5;",
               "u32",
               {"u32", "u32", "u32"},
               [](u64 a, u64 b, u64 c) { return ((a * b + c) >> 32) + 5; }});
    }
    void bits() {
        check({"popc.b32 %d, %a;", "u32", {"b32"}, [](u64 a, u64, u64) { return static_cast<u64>(std::popcount(a)); }});
        check({"popc.b64 %d, %a;", "u32", {"b64"}, [](u64 a, u64, u64) { return static_cast<u64>(std::popcount(a)); }});
        check({"clz.b32 %d, %a;", "u32", {"b32"}, [](u64 a, u64, u64) {
                   return static_cast<u64>(std::countl_zero(static_cast<u32>(a)));
               }});
        check(
            {"clz.b64 %d, %a;", "u32", {"b64"}, [](u64 a, u64, u64) { return static_cast<u64>(std::countl_zero(a)); }});
        check({"brev.b32 %d, %a;", "b32", {"b32"}, [](u64 a, u64, u64) {
                   u64 out = 0;
                   for (int bit = 0; bit < 32; ++bit) out |= (a >> bit & 1) << (31 - bit);
                   return out;
               }});
        check({"bfind.u32 %d, %a;", "u32", {"u32"}, [](u64 a, u64, u64) {
                   return a == 0 ? ~u64{0} : u64{63} - static_cast<u64>(std::countl_zero(a));
               }});
        check({"bfind.shiftamt.s32 %d, %a;", "u32", {"s32"}, [](u64 a, u64, u64) {
                   const u32 value = static_cast<s32>(a) < 0 ? ~static_cast<u32>(a) : static_cast<u32>(a);
                   return value == 0 ? ~u64{0} : static_cast<u64>(std::countl_zero(value));
               }});
        check({"bfe.u32 %d, %a, %b, %c;", "u32", {"u32", "u32", "u32"}, [](u64 a, u64 b, u64 c) {
                   const u64 at = b & 255, count = c & 255;
                   return at >= 32 ? 0 : count >= 32 ? a >> at : (a >> at) & ((u64{1} << count) - 1);
               }});
        check({"bfe.s64 %d, %a, %b, %c;", "s64", {"s64", "u32", "u32"}, [](u64 a, u64 b, u64 c) {
                   const u64 at = b, count = c; // all of it, as GPUs do for 64 bits
                   u64 out = 0;
                   for (u64 bit = 0; bit < 64 && count != 0; ++bit) {
                       const u64 from = bit < count ? at + bit : std::min<u64>(at + count - 1, 63);
                       out |= (a >> std::min<u64>(from, 63) & 1) << bit;
                   }
                   return out;
               }});
        check({"bfi.b32 %d, %a, %b, %c, 9;", "b32", {"b32", "b32", "u32"}, [](u64 a, u64 b, u64 c) {
                   const u64 at = c & 255;
                   if (at >= 32) return b;
                   const u64 mask = (u64{511} << at) & 0xffffffff;
                   return (b & ~mask) | (a << at & mask);
               }});
        check({"lop3.b32 %d, %a, %b, %c, 0xca;", "b32", {"b32", "b32", "b32"}, [](u64 a, u64 b, u64 c) {
                   return (a & b) | (~a & c);
               }});
        check({"prmt.b32 %d, %a, %b, %c;", "b32", {"b32", "b32", "b32"}, [](u64 a, u64 b, u64 c) {
                   u64 out = 0;
                   for (int index = 0; index < 4; ++index) {
                       const u64 selector = c >> (4 * index) & 15;
                       const u64 byte = (b << 32 | a) >> (8 * (selector & 7)) & 255;
                       out |= (selector & 8 ? (byte & 128 ? 255 : 0) : byte) << (8 * index);
                   }
                   return out;
               }});
        check({"shf.l.wrap.b32 %d, %a, %b, %c;", "b32", {"b32", "b32", "u32"}, [](u64 a, u64 b, u64 c) {
                   return ((b << 32 | a) << (c & 31)) >> 32;
               }});
        check({"shf.r.clamp.b32 %d, %a, %b, %c;", "b32", {"b32", "b32", "u32"}, [](u64 a, u64 b, u64 c) {
                   return (b << 32 | a) >> std::min<u64>(c, 32);
               }});
        check({"dp4a.s32.u32 %d, %a, %b, %c;", "s32", {"b32", "b32", "s32"}, [](u64 a, u64 b, u64 c) {
                   s64 sum = static_cast<s32>(c);
                   for (int index = 0; index < 4; ++index)
                       sum += s64{static_cast<s8>(a >> (8 * index))} * static_cast<u8>(b >> (8 * index));
                   return static_cast<u64>(sum);
               }});
        check({"dp2a.hi.u32.u32 %d, %a, %b, %c;", "u32", {"b32", "b32", "u32"}, [](u64 a, u64 b, u64 c) {
                   return c + (a & 0xffff) * (b >> 16 & 255) + (a >> 16 & 0xffff) * (b >> 24 & 255);
               }});
        check({"not.b64 %d, %a;", "b64", {"b64"}, [](u64 a, u64, u64) { return ~a; }});
        check({"cnot.b32 %d, %a;", "b32", {"b32"}, [](u64 a, u64, u64) { return u64{a == 0}; }});
        check({"slct.f32.s32 %d, %a, %b, %c;", "f32", {"f32", "f32", "s32"}, [](u64 a, u64 b, u64 c) {
                   return static_cast<s32>(c) >= 0 ? a : b;
               }});
    }
    void float32() { floats<float>("f32", f32); }
    void float64() { floats<double>("f64", f64); }
    void flush_to_zero() {
        check({"add.ftz.f32 %d, %a, %b;", "f32", {"f32", "f32"}, [](u64 a, u64 b, u64) {
                   return raw(flushed(flushed(f32(a)) + flushed(f32(b))));
               }});
        check({"mul.ftz.f32 %d, %a, %b;", "f32", {"f32", "f32"}, [](u64 a, u64 b, u64) {
                   return raw(flushed(flushed(f32(a)) * flushed(f32(b))));
               }});
    }
    void half_precision() {
        check({"add.f16 %d, %a, %b;", "f16", {"f16", "f16"}, [](u64 a, u64 b, u64) {
                   return to_half(half(a) + half(b));
               }});
        check({"mul.f16 %d, %a, %b;", "f16", {"f16", "f16"}, [](u64 a, u64 b, u64) {
                   return to_half(half(a) * half(b));
               }});
        check({"fma.rn.f16 %d, %a, %b, %c;", "f16", {"f16", "f16", "f16"}, [](u64 a, u64 b, u64 c) {
                   return to_half(half(a) * half(b) + half(c));
               }});
        check({"fma.rn.f16x2 %d, %a, %b, %c;", "f16x2", {"f16x2", "f16x2", "f16x2"}, [](u64 a, u64 b, u64 c) {
                   const u64 low = to_half(half(a & 0xffff) * half(b & 0xffff) + half(c & 0xffff));
                   return low | to_half(half(a >> 16) * half(b >> 16) + half(c >> 16)) << 16;
               }});
        check({"add.rn.bf16 %d, %a, %b;", "bf16", {"bf16", "bf16"}, [](u64 a, u64 b, u64) {
                   // a sum in f32 is wide enough that its own rounding does no harm
                   return to_bfloat(
                       static_cast<long double>(static_cast<float>(bfloat(a)) + static_cast<float>(bfloat(b))));
               }});
        // exact in the 64 bits of long double where exponents are near each other
        check({"and.b16 %a, %a, 0xc3ff; or.b16 %a, %a, 0x3c00; and.b16 %b, %b, 0xc3ff; or.b16 %b, %b, 0x3c00; and.b16 "
               "%c, %c, 0xc3ff; or.b16 %c, %c, 0x3c00; "
               "fma.rn.bf16 %d, %a, %b, %c;",
               "bf16",
               {"bf16", "bf16", "bf16"},
               [](u64 a, u64 b, u64 c) {
                   const auto near = [](u64 value) {
                       return static_cast<long double>(bfloat((value & 0xc3ff) | 0x3c00));
                   };
                   return to_bfloat(near(a) * near(b) + near(c));
               }});
    }
    void conversions() {
        check({"cvt.rzi.s32.f32 %d, %a;", "s32", {"f32"}, [](u64 a, u64, u64) {
                   const double x = f32(a);
                   return std::isnan(x) ? 0
                                        : static_cast<u64>(
                                              static_cast<s64>(std::clamp(std::trunc(x), -2147483648.0, 2147483647.0)));
               }});
        check({"cvt.rni.u32.f64 %d, %a;", "u32", {"f64"}, [](u64 a, u64, u64) {
                   const double x = f64(a);
                   return std::isnan(x) ? 0x80000000u
                                        : static_cast<u64>(std::clamp(std::nearbyint(x), 0.0, 4294967295.0));
               }});
        check({"cvt.rmi.s64.f64 %d, %a;", "s64", {"f64"}, [](u64 a, u64, u64) {
                   const double x = std::floor(f64(a));
                   if (std::isnan(x)) return u64{1} << 63;
                   return x >= 0x1p63   ? (u64{1} << 63) - 1
                          : x < -0x1p63 ? u64{1} << 63
                                        : static_cast<u64>(static_cast<s64>(x));
               }});
        check({"cvt.rpi.s8.f32 %t, %a; cvt.s32.s8 %d, %t;", "s32", {"f32"}, [](u64 a, u64, u64) {
                   const double x = f32(a);
                   return std::isnan(x) ? 0
                                        : static_cast<u64>(static_cast<s64>(std::clamp(std::ceil(x), -128.0, 127.0)));
               }});
        for (const auto& [name, mode] :
             {std::pair{"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rm", FE_DOWNWARD}, {"rp", FE_UPWARD}}) {
            const int round = mode;
            const std::string prefix = std::string("cvt.") + name;
            const auto rounded = [round](auto convert) {
                std::fesetround(round);
                const u64 result = convert();
                std::fesetround(FE_TONEAREST);
                return result;
            };
            check({prefix + ".f32.s32 %d, %a;", "f32", {"s32"}, [=](u64 a, u64, u64) {
                       return rounded([=] {
                           volatile s32 x = static_cast<s32>(a);
                           volatile float r = static_cast<float>(x);
                           return raw(float(r));
                       });
                   }});
            check({prefix + ".f32.u64 %d, %a;", "f32", {"u64"}, [=](u64 a, u64, u64) {
                       return rounded([=] {
                           volatile long double x = static_cast<long double>(a);
                           volatile float r = static_cast<float>(x);
                           return raw(float(r));
                       });
                   }});
            check({prefix + ".f64.s64 %d, %a;", "f64", {"s64"}, [=](u64 a, u64, u64) {
                       return rounded([=] {
                           volatile s64 x = static_cast<s64>(a);
                           volatile double r = static_cast<double>(x);
                           return raw(double(r));
                       });
                   }});
            check({prefix + ".f32.f64 %d, %a;", "f32", {"f64"}, [=](u64 a, u64, u64) {
                       return rounded([=] {
                           volatile double x = f64(a);
                           volatile float r = static_cast<float>(x);
                           return u64{std::bit_cast<u32>(float(r))}; // the bits of a NaN that fit are kept
                       });
                   }});
        }
        check(
            {"cvt.f32.f16 %d, %a;", "f32", {"f16"}, [](u64 a, u64, u64) { return raw(static_cast<float>(half(a))); }});
        check({"cvt.rn.f16.f32 %d, %a;", "f16", {"f32"}, [](u64 a, u64, u64) { return to_half(f32(a)); }});
        check({"cvt.rn.f16.f64 %d, %a;", "f16", {"f64"}, [](u64 a, u64, u64) {
                   // hardware keeps a NaN's sign and upper bits here
                   return std::isnan(f64(a)) ? (a >> 48 & 0x8000) | 0x7e00 | (a >> 42 & 0x3ff) : to_half(f64(a));
               }});
        check({"cvt.rn.f16x2.f32 %d, %a, %b;", "b32", {"f32", "f32"}, [](u64 a, u64 b, u64) {
                   return to_half(f32(a)) << 16 | to_half(f32(b));
               }});
        check({"cvt.rn.bf16.f32 %d, %a;", "bf16", {"f32"}, [](u64 a, u64, u64) { return to_bfloat(f32(a)); }});
        check({"cvt.f64.f32 %d, %a;", "f64", {"f32"}, [](u64 a, u64, u64) { return raw(static_cast<double>(f32(a))); }},
              [](u64 got, u64 want) { return got == want || (std::isnan(f64(got)) && std::isnan(f64(want))); });
        check({"cvt.rni.f32.f32 %d, %a;", "f32", {"f32"}, [](u64 a, u64, u64) { return raw(std::nearbyint(f32(a))); }});
        check({"cvt.sat.u8.s32 %t, %a; cvt.u32.u8 %d, %t;", "u32", {"s32"}, [](u64 a, u64, u64) {
                   return static_cast<u64>(std::clamp(static_cast<s32>(a), 0, 255));
               }});
        check({"cvt.s64.s32 %d, %a;", "s64", {"s32"}, [](u64 a, u64, u64) {
                   return static_cast<u64>(s64{static_cast<s32>(a)});
               }});
        check({"cvt.s32.s16 %d, %a;", "s32", {"s16"}, [](u64 a, u64, u64) {
                   return static_cast<u64>(s64{static_cast<s16>(a)});
               }});
        check({"cvt.u16.u64 %d, %a;", "u16", {"u64"}, [](u64 a, u64, u64) { return a; }});
    }
    /// The documented bound of approximate functions: 1 ULP of the correctly rounded result.
    void approximations() {
        const auto near = [](u64 got, u64 want) {
            const float x = f32(got), y = f32(want);
            if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y);
            if (x == y) return true;
            const s64 distance =
                std::abs(static_cast<s64>(static_cast<s32>(got)) - static_cast<s64>(static_cast<s32>(want)));
            return std::signbit(x) == std::signbit(y) && distance <= 1;
        };
        const auto one = [&](const std::string& op, double (*f)(double)) {
            check({op + ".approx.f32 %d, %a;",
                   "f32",
                   {"f32"},
                   [=](u64 a, u64, u64) { return raw(static_cast<float>(f(static_cast<double>(f32(a))))); }},
                  near);
        };
        one("ex2", [](double x) { return std::exp2(x); });
        one("lg2", [](double x) { return std::log2(x); });
        one("sin", [](double x) { return std::sin(x); });
        one("cos", [](double x) { return std::cos(x); });
        one("tanh", [](double x) { return std::tanh(x); });
        one("rsqrt", [](double x) { return 1 / std::sqrt(x); });
        one("rcp", [](double x) { return 1 / x; });
        one("sqrt", [](double x) { return std::sqrt(x); });
    }
};

} // namespace

QTEST_APPLESS_MAIN(OpsTest)
#include "test_ops.moc"
