// The list of forms, by family, in the order of the PTX ISA's chapters.
#include "tests/gpu/corpus.h"

#include <fmt/format.h>

#include <initializer_list>

namespace kw::corpus {
namespace {

using List = std::initializer_list<const char*>;

class Builder {
public:
    std::vector<Form> forms;

    /// "NAME %d, %a[, %b[, %c]];" with all operands of one type.
    void same(std::string name, const std::string& type, std::size_t operands, Bound bound = {}) {
        mixed(std::move(name), type, std::vector<std::string>(operands, type), bound);
    }
    void mixed(std::string name, std::string to, std::vector<std::string> from, Bound bound = {}) {
        constexpr const char* names[] = {"%a", "%b", "%c"};
        std::string code = name + " %d";
        for (std::size_t index = 0; index < from.size(); ++index) code += std::string(", ") + names[index];
        coded(std::move(name), code + ";", std::move(to), std::move(from), bound);
    }
    void coded(std::string name, std::string code, std::string to, std::vector<std::string> from, Bound bound = {}) {
        forms.push_back({std::move(name), std::move(code), std::move(to), std::move(from), bound});
    }

    void integers();
    void floats();
    void halves();
    void approximations();
    void bits();
    void comparisons();
    void conversions();
    void atomics();
    void warps();
    void matrices();
};

constexpr List kIntegers = {"u16", "s16", "u32", "s32", "u64", "s64"};

void Builder::integers() {
    for (const std::string type : kIntegers) {
        for (const char* op : {"add", "sub", "mul.lo", "mul.hi", "div", "rem", "min", "max"})
            same(fmt::format("{}.{}", op, type), type, 2);
        for (const char* op : {"mad.lo", "mad.hi"}) same(fmt::format("{}.{}", op, type), type, 3);
        mixed("sad." + type, type, {type, type, type});
        if (type[0] == 's') {
            same("abs." + type, type, 1);
            same("neg." + type, type, 1);
        }
    }
    for (const char* op : {"add.sat.s32", "sub.sat.s32"}) same(op, "s32", 2);
    same("mad.hi.sat.s32", "s32", 3);
    for (const auto& [type, wide] : std::initializer_list<std::pair<const char*, const char*>>{
             {"u16", "u32"}, {"s16", "s32"}, {"u32", "u64"}, {"s32", "s64"}}) {
        mixed(fmt::format("mul.wide.{}", type), wide, {type, type});
        mixed(fmt::format("mad.wide.{}", type), wide, {type, type, wide});
    }
    for (const char* type : {"u32", "s32"}) {
        for (const char* half : {"lo", "hi"}) {
            same(fmt::format("mul24.{}.{}", half, type), type, 2);
            same(fmt::format("mad24.{}.{}", half, type), type, 3);
        }
    }
    same("mad24.hi.sat.s32", "s32", 3);
    for (const char* type : {"u32", "s32", "u64", "s64"}) {
        coded(fmt::format("add.cc.{0} addc.{0}", type),
              fmt::format("add.cc.{0} %d, %a, %b; addc.{0} %d, %c, %a;", type), type, {type, type, type});
        coded(fmt::format("add.cc.{0} addc.cc.{0} addc.{0}", type),
              fmt::format("add.cc.{0} %d, %a, %b; addc.cc.{0} %d, %c, %b; addc.{0} %d, %a, %c;", type), type,
              {type, type, type});
        coded(fmt::format("sub.cc.{0} subc.{0}", type),
              fmt::format("sub.cc.{0} %d, %a, %b; subc.{0} %d, %c, %a;", type), type, {type, type, type});
        coded(fmt::format("mad.lo.cc.{0} madc.hi.{0}", type),
              fmt::format("mad.lo.cc.{0} %d, %a, %b, %c; madc.hi.{0} %d, %a, %b, %c;", type), type, {type, type, type});
    }
    for (const char* a : {"u32", "s32"}) {
        for (const char* b : {"u32", "s32"}) {
            const std::string to = a[0] == 's' || b[0] == 's' ? "s32" : "u32";
            mixed(fmt::format("dp4a.{}.{}", a, b), to, {a, b, to});
            mixed(fmt::format("dp2a.lo.{}.{}", a, b), to, {a, b, to});
            mixed(fmt::format("dp2a.hi.{}.{}", a, b), to, {a, b, to});
        }
    }
}

void Builder::floats() {
    for (const char* rounding : {"rn", "rz", "rm", "rp"}) {
        for (const char* ftz : {"", ".ftz"}) {
            for (const char* sat : {"", ".sat"}) {
                for (const char* op : {"add", "sub", "mul"})
                    same(fmt::format("{}.{}{}{}.f32", op, rounding, ftz, sat), "f32", 2);
                same(fmt::format("fma.{}{}{}.f32", rounding, ftz, sat), "f32", 3);
            }
            same(fmt::format("div.{}{}.f32", rounding, ftz), "f32", 2);
            same(fmt::format("rcp.{}{}.f32", rounding, ftz), "f32", 1);
            same(fmt::format("sqrt.{}{}.f32", rounding, ftz), "f32", 1);
        }
        for (const char* op : {"add", "sub", "mul", "div"}) same(fmt::format("{}.{}.f64", op, rounding), "f64", 2);
        same(fmt::format("fma.{}.f64", rounding), "f64", 3);
        same(fmt::format("rcp.{}.f64", rounding), "f64", 1);
        same(fmt::format("sqrt.{}.f64", rounding), "f64", 1);
    }
    for (const char* op : {"min", "max"}) {
        for (const char* words : {"", ".ftz", ".NaN", ".ftz.NaN", ".xorsign.abs", ".NaN.xorsign.abs"})
            same(fmt::format("{}{}.f32", op, words), "f32", 2);
        same(fmt::format("{}.f64", op), "f64", 2);
    }
    for (const char* op : {"abs", "neg"}) {
        for (const char* type : {"f32", "ftz.f32", "f64"})
            same(fmt::format("{}.{}", op, type), type[1] == 't' ? "f32" : type, 1);
    }
    for (const char* type : {"f32", "f64"}) {
        same(fmt::format("copysign.{}", type), type, 2);
        for (const char* test : {"finite", "infinite", "number", "notanumber", "normal", "subnormal"})
            coded(fmt::format("testp.{}.{}", test, type),
                  fmt::format("testp.{}.{} %p, %a; selp.b32 %d, 1, 0, %p;", test, type), "b32", {type});
    }
}

void Builder::halves() {
    for (const std::string type : {"f16", "f16x2"}) {
        for (const char* words : {"", ".ftz", ".sat", ".ftz.sat"}) {
            for (const char* op : {"add.rn", "sub.rn", "mul.rn"})
                same(fmt::format("{}{}.{}", op, words, type), type, 2);
            same(fmt::format("fma.rn{}.{}", words, type), type, 3);
        }
        for (const char* words : {".relu", ".ftz.relu"}) same(fmt::format("fma.rn{}.{}", words, type), type, 3);
        for (const char* op : {"min", "max"}) {
            for (const char* words : {"", ".ftz", ".NaN", ".ftz.NaN", ".xorsign.abs"})
                same(fmt::format("{}{}.{}", op, words, type), type, 2);
        }
        for (const char* op : {"abs", "neg"}) {
            for (const char* words : {"", ".ftz"}) same(fmt::format("{}{}.{}", op, words, type), type, 1);
        }
    }
    for (const std::string type : {"bf16", "bf16x2"}) {
        for (const char* op : {"add.rn", "sub.rn", "mul.rn", "min", "max", "min.NaN", "max.NaN", "min.xorsign.abs"})
            same(fmt::format("{}.{}", op, type), type, 2);
        for (const char* op : {"fma.rn", "fma.rn.relu"}) same(fmt::format("{}.{}", op, type), type, 3);
        for (const char* op : {"abs", "neg"}) same(fmt::format("{}.{}", op, type), type, 1);
    }
}

void Builder::approximations() {
    // Bounds: PTX ISA, "Floating-point instructions", the maximum errors of each, plus the simulator's own of one step.
    for (const char* ftz : {"", ".ftz"}) {
        same(fmt::format("div.approx{}.f32", ftz), "f32", 2, {4});
        same(fmt::format("div.full{}.f32", ftz), "f32", 2, {4});
        same(fmt::format("rcp.approx{}.f32", ftz), "f32", 1, {2});
        same(fmt::format("sqrt.approx{}.f32", ftz), "f32", 1, {3});
        same(fmt::format("rsqrt.approx{}.f32", ftz), "f32", 1, {3});
        same(fmt::format("ex2.approx{}.f32", ftz), "f32", 1, {4});
        same(fmt::format("lg2.approx{}.f32", ftz), "f32", 1, {3, 1.6e-7});
    }
    for (const char* op : {"sin", "cos"}) {
        for (const char* ftz : {"", ".ftz"}) same(fmt::format("{}.approx{}.f32", op, ftz), "f32", 1, {3, 5.2e-7});
    }
    same("tanh.approx.f32", "f32", 1, {8192});
    same("rcp.approx.ftz.f64", "f64", 1, {0, 0, true});
    same("rsqrt.approx.ftz.f64", "f64", 1, {0, 0, true});
    same("rsqrt.approx.f64", "f64", 1, {4});
    for (const std::string type : {"f16", "f16x2"}) {
        same("ex2.approx." + type, type, 1, {3});
        same("tanh.approx." + type, type, 1, {3});
    }
    for (const std::string type : {"bf16", "bf16x2"}) {
        same("ex2.approx.ftz." + type, type, 1, {2});
        same("tanh.approx." + type, type, 1, {3});
    }
}

void Builder::bits() {
    for (const char* type : {"b32", "b64"}) {
        mixed(fmt::format("popc.{}", type), "u32", {type});
        mixed(fmt::format("clz.{}", type), "u32", {type});
        same(fmt::format("brev.{}", type), type, 1);
        coded(fmt::format("bfi.{}", type), fmt::format("bfi.{} %d, %a, %b, %c, 9;", type), type, {type, type, "u32"});
        coded(fmt::format("bfi.{} length", type), fmt::format("bfi.{} %d, %a, %b, 5, %c;", type), type,
              {type, type, "u32"});
    }
    for (const char* type : {"u32", "s32", "u64", "s64"}) {
        mixed(fmt::format("bfind.{}", type), "u32", {type});
        mixed(fmt::format("bfind.shiftamt.{}", type), "u32", {type});
        mixed(fmt::format("bfe.{}", type), type, {type, "u32", "u32"});
    }
    mixed("fns.b32", "b32", {"b32", "b32", "s32"});
    for (const char* mode : {"clamp", "wrap"}) {
        mixed(fmt::format("bmsk.{}.b32", mode), "b32", {"b32", "b32"});
        for (const char* type : {"u32", "s32"}) mixed(fmt::format("szext.{}.{}", mode, type), type, {type, "u32"});
        for (const char* way : {"l", "r"}) mixed(fmt::format("shf.{}.{}.b32", way, mode), "b32", {"b32", "b32", "u32"});
    }
    for (const char* type : {"b16", "b32", "b64"}) {
        for (const char* op : {"and", "or", "xor"}) same(fmt::format("{}.{}", op, type), type, 2);
        same(fmt::format("not.{}", type), type, 1);
        same(fmt::format("cnot.{}", type), type, 1);
        mixed(fmt::format("shl.{}", type), type, {type, "u32"});
    }
    for (const char* type : {"b16", "u16", "s16", "b32", "u32", "s32", "b64", "u64", "s64"})
        mixed(fmt::format("shr.{}", type), type, {type, "u32"});
    for (int table : {0x00, 0x1e, 0x3c, 0x80, 0x96, 0xca, 0xe8, 0xfe})
        coded(fmt::format("lop3.b32 {:#04x}", table), fmt::format("lop3.b32 %d, %a, %b, %c, {:#04x};", table), "b32",
              {"b32", "b32", "b32"});
    for (const char* mode : {"", ".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"})
        mixed(fmt::format("prmt.b32{}", mode), "b32", {"b32", "b32", "b32"});
}

void Builder::comparisons() {
    const auto compare = [&](const std::string& word, const std::string& type, const std::string& operand) {
        coded(
            fmt::format("setp.{}.{}", word, type),
            fmt::format("setp.{}.{} %p|%q, %a, %b; selp.b32 %d, 1, 0, %p; selp.b32 %t0, 2, 0, %q; or.b32 %d, %d, %t0;",
                        word, type),
            "b32", {operand, operand});
    };
    for (const char* type : {"u16", "s16", "u32", "s32", "u64", "s64"}) {
        for (const char* word : {"eq", "ne", "lt", "le", "gt", "ge"}) compare(word, type, type);
    }
    for (const char* type : {"u32", "u64"}) {
        for (const char* word : {"lo", "ls", "hi", "hs"}) compare(word, type, type);
    }
    for (const char* type : {"b16", "b32", "b64"}) {
        for (const char* word : {"eq", "ne"}) compare(word, type, type);
    }
    static constexpr const char* kFloat[] = {"eq",  "ne",  "lt",  "le",  "gt",  "ge",  "equ",
                                             "neu", "ltu", "leu", "gtu", "geu", "num", "nan"};
    for (const char* word : kFloat) {
        for (const char* type : {"f32", "f64"}) compare(word, type, type);
        compare(std::string(word) + ".ftz", "f32", "f32");
        // one predicate for scalars, two for pairs
        coded(fmt::format("setp.{}.f16", word), fmt::format("setp.{}.f16 %p, %a, %b; selp.b32 %d, 1, 0, %p;", word),
              "b32", {"f16", "f16"});
        compare(word, "f16x2", "f16x2");
        coded(fmt::format("setp.{}.bf16", word), fmt::format("setp.{}.bf16 %p, %a, %b; selp.b32 %d, 1, 0, %p;", word),
              "b32", {"bf16", "bf16"});
        compare(word, "bf16x2", "bf16x2");
    }
    for (const char* combine : {"and", "or", "xor"}) {
        for (const char* sense : {"", "!"})
            coded(fmt::format("setp.lt.{}.s32 {}c", combine, sense),
                  fmt::format("setp.ne.s32 %q, %c, 0; setp.lt.{}.s32 %p, %a, %b, {}%q; selp.b32 %d, 1, 0, %p;", combine,
                              sense),
                  "b32", {"s32", "s32", "s32"});
    }
    for (const char* to : {"u32", "s32", "f32"}) {
        for (const char* type : {"s32", "u64", "f32", "f64"}) {
            for (const char* word : {"lt", "ne"}) mixed(fmt::format("set.{}.{}.{}", word, to, type), to, {type, type});
        }
    }
    mixed("set.gt.f16.f16", "f16", {"f16", "f16"});
    mixed("set.gt.f16x2.f16x2", "f16x2", {"f16x2", "f16x2"});
    mixed("set.le.u32.f16x2", "u32", {"f16x2", "f16x2"});
    for (const char* type : {"b16", "b32", "b64", "f32", "f64", "s64"}) {
        coded(fmt::format("selp.{}", type), fmt::format("setp.lt.s32 %p, %c, 3; selp.{} %d, %a, %b, %p;", type), type,
              {type, type, "s32"});
        mixed(fmt::format("slct.{}.s32", type), type, {type, type, "s32"});
        mixed(fmt::format("slct.{}.f32", type), type, {type, type, "f32"});
        mixed(fmt::format("slct.ftz.{}.f32", type), type, {type, type, "f32"});
    }
}

void Builder::conversions() {
    for (const std::string to : {"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"}) {
        for (const std::string from : {"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"}) {
            mixed(fmt::format("cvt.{}.{}", to, from), to, {from});
            // only where there is something to saturate
            const std::uint32_t wide = bytes_of(to), narrow = bytes_of(from);
            const bool covers = to[0] == from[0] ? wide >= narrow : to[0] == 's' && wide > narrow;
            if (!covers) mixed(fmt::format("cvt.sat.{}.{}", to, from), to, {from});
        }
        for (const std::string from : {"f16", "bf16", "f32", "f64"}) {
            if (from == "bf16" && bytes_of(to) == 1) continue;
            for (const char* rounding : {"rni", "rzi", "rmi", "rpi"}) {
                mixed(fmt::format("cvt.{}.{}.{}", rounding, to, from), to, {from});
                if (from == "f32") mixed(fmt::format("cvt.{}.ftz.{}.{}", rounding, to, from), to, {from});
                if (from != "bf16") mixed(fmt::format("cvt.{}.sat.{}.{}", rounding, to, from), to, {from});
            }
        }
        for (const std::string type : {"f16", "bf16", "f32", "f64"}) {
            if (type == "bf16" && bytes_of(to) == 1) continue;
            for (const char* rounding : {"rn", "rz", "rm", "rp"})
                mixed(fmt::format("cvt.{}.{}.{}", rounding, type, to), type, {to});
        }
    }
    for (const char* type : {"f16", "f32", "f64"}) {
        for (const char* rounding : {"rni", "rzi", "rmi", "rpi"}) {
            mixed(fmt::format("cvt.{0}.{1}.{1}", rounding, type), type, {type});
            mixed(fmt::format("cvt.{0}.sat.{1}.{1}", rounding, type), type, {type});
        }
    }
    for (const char* ftz : {"", ".ftz"}) {
        mixed(fmt::format("cvt{}.f32.f16", ftz), "f32", {"f16"});
        for (const char* rounding : {"rn", "rz", "rm", "rp"})
            mixed(fmt::format("cvt.{}{}.f32.f64", rounding, ftz), "f32", {"f64"});
        for (const char* rounding : {"rn", "rz"}) mixed(fmt::format("cvt.{}{}.f16.f32", rounding, ftz), "f16", {"f32"});
        mixed(fmt::format("cvt{}.f64.f32", ftz), "f64", {"f32"});
    }
    mixed("cvt.f32.bf16", "f32", {"bf16"});
    mixed("cvt.f64.f16", "f64", {"f16"});
    mixed("cvt.f64.bf16", "f64", {"bf16"});
    for (const char* rounding : {"rn", "rz"}) {
        mixed(fmt::format("cvt.{}.sat.f32.f64", rounding), "f32", {"f64"});
        mixed(fmt::format("cvt.{}.f16.f64", rounding), "f16", {"f64"});
        for (const char* relu : {"", ".relu"}) {
            mixed(fmt::format("cvt.{}{}.bf16.f32", rounding, relu), "bf16", {"f32"});
            mixed(fmt::format("cvt.{}{}.f16x2.f32", rounding, relu), "f16x2", {"f32", "f32"});
            mixed(fmt::format("cvt.{}{}.bf16x2.f32", rounding, relu), "bf16x2", {"f32", "f32"});
        }
    }
    for (const char* rounding : {"rna", "rn", "rz"}) mixed(fmt::format("cvt.{}.tf32.f32", rounding), "b32", {"f32"});
    for (const char* format : {"e4m3x2", "e5m2x2"}) {
        for (const char* relu : {"", ".relu"}) {
            coded(fmt::format("cvt.rn.satfinite{}.{}.f32", relu, format),
                  fmt::format("cvt.rn.satfinite{}.{}.f32 %h, %a, %b; cvt.u32.u16 %d, %h;", relu, format), "b32",
                  {"f32", "f32"});
            coded(fmt::format("cvt.rn.satfinite{}.{}.f16x2", relu, format),
                  fmt::format("cvt.rn.satfinite{}.{}.f16x2 %h, %a; cvt.u32.u16 %d, %h;", relu, format), "b32",
                  {"f16x2"});
            mixed(fmt::format("cvt.rn{}.f16x2.{}", relu, format), "f16x2", {"u16"});
        }
    }
}

void Builder::atomics() {
    const auto atom = [&](const std::string& op, const std::string& type, bool global) {
        const std::string space = global ? "global" : "shared", at = global ? "%g" : "%s";
        const std::string bits = type == "f16x2" || type == "bf16x2" ? "b32" : "b" + std::to_string(bytes_of(type) * 8);
        const std::string noftz = type.find("16") != std::string::npos && op == "add" ? ".noftz" : "";
        const std::string third = op == "cas" ? ", %c" : "";
        const std::string name = fmt::format("atom.{}.{}{}.{}", space, op, noftz, type);
        const std::string prepare = fmt::format("st.{}.{} [{}], %a; ", space, bits, at);
        const std::string read = fmt::format(" ld.{}.{} %d, [{}];", space, bits, at);
        std::vector<std::string> from{type, type};
        if (!third.empty()) from.push_back(type);
        coded(name + " new", prepare + fmt::format("{} %d, [{}], %b{};", name, at, third) + read, type, from);
        coded(name + " old", prepare + fmt::format("{} %d, [{}], %b{};", name, at, third), type, from);
        if (op != "cas" && op != "exch")
            coded("red" + name.substr(4), prepare + fmt::format("red{} [{}], %b;", name.substr(4), at) + read, type,
                  from);
    };
    for (const bool global : {false, true}) {
        for (const char* type : {"u32", "s32", "u64"}) atom("add", type, global);
        for (const char* type : {"f32", "f64", "f16", "f16x2", "bf16", "bf16x2"}) atom("add", type, global);
        for (const char* type : {"u32", "s32", "u64", "s64"}) {
            atom("min", type, global);
            atom("max", type, global);
        }
        for (const char* type : {"b32", "b64"}) {
            for (const char* op : {"and", "or", "xor", "exch", "cas"}) atom(op, type, global);
        }
        atom("cas", "b16", global);
        for (const char* op : {"inc", "dec"}) atom(op, "u32", global);
    }
}

void Builder::warps() {
    for (const char* mode : {"up", "down", "bfly", "idx"}) {
        for (const char* c : {"0x1f", "0", "0x101f", "0x1807"})
            coded(
                fmt::format("shfl.sync.{}.b32 {}", mode, c),
                fmt::format("shfl.sync.{}.b32 %d|%p, %a, %b, {}, -1; selp.b32 %t0, 0x1000, 0, %p; xor.b32 %d, %d, %t0;",
                            mode, c),
                "b32", {"b32", "b32"});
    }
    for (const char* mode : {"all", "any", "uni"})
        coded(fmt::format("vote.sync.{}.pred", mode),
              fmt::format("setp.lt.u32 %q, %a, 200; vote.sync.{}.pred %p, %q, -1; selp.b32 %d, 1, 0, %p;", mode), "b32",
              {"b32"});
    coded("vote.sync.ballot.b32", "setp.lt.u32 %q, %a, 200; vote.sync.ballot.b32 %d, %q, -1;", "b32", {"b32"});
    for (const char* type : {"b32", "b64"}) {
        coded(fmt::format("match.any.sync.{}", type), fmt::format("match.any.sync.{} %d, %a, -1;", type), "b32",
              {type});
        coded(fmt::format("match.all.sync.{}", type),
              fmt::format("match.all.sync.{} %d|%p, %a, -1; selp.b32 %t0, 5, 0, %p; add.u32 %d, %d, %t0;", type), "b32",
              {type});
    }
    for (const char* type : {"u32", "s32"}) {
        for (const char* op : {"add", "min", "max"})
            coded(fmt::format("redux.sync.{}.{}", op, type), fmt::format("redux.sync.{}.{} %d, %a, -1;", op, type),
                  type, {type});
    }
    for (const char* op : {"and", "or", "xor"})
        coded(fmt::format("redux.sync.{}.b32", op), fmt::format("redux.sync.{}.b32 %d, %a, -1;", op), "b32", {"b32"});
    coded("activemask.b32",
          "mov.u32 %d, 0; setp.lt.u32 %p, %a, 200; @!%p bra SKIP; activemask.b32 %d; SKIP: bar.warp.sync -1;", "b32",
          {"b32"});
}

void Builder::matrices() {
    // Small integers in every format: products and sums are exact whatever the order, so that fragments must lie right.
    const auto small_halves = [](const char* to, const char* from, const char* type) {
        return fmt::format(
            "and.b32 %t7, {1}, 7; add.s32 %t7, %t7, -3; cvt.rn.f32.s32 %f0, %t7; shr.u32 %t7, {1}, 5; and.b32 "
            "%t7, %t7, 7; cvt.rn.f32.s32 %f1, %t7; cvt.rn.{2}x2.f32 {0}, %f1, %f0; ",
            to, from, type);
    };
    for (const char* type : {"f16", "bf16"}) {
        for (int output = 0; output < 4; ++output) {
            std::string prepare = small_halves("%t0", "%a", type) + small_halves("%t1", "%b", type);
            coded(fmt::format("mma.m16n8k16.f32.{}.{}.f32 d{}", type, type, output),
                  prepare
                      + fmt::format("xor.b32 %t2, %a, %b; {} mov.f32 %f0, 0f3F800000; mov.f32 %f1, 0f40000000; "
                                    "mma.sync.aligned.m16n8k16.row.col.f32.{}.{}.f32 {{%f2,%f3,%f4,%f5}}, "
                                    "{{%t0,%t1,%t2,%t0}}, {{%t1,%t2}}, {{%f0,%f1,%f0,%f1}}; mov.b32 %d, %f{};",
                                    small_halves("%t2", "%t2", type), type, type, output + 2),
                  "f32", {"b32", "b32"});
        }
        coded(
            fmt::format("mma.m16n8k8.f32.{}.{}.f32", type, type),
            small_halves("%t0", "%a", type) + small_halves("%t1", "%b", type)
                + fmt::format("mov.f32 %f0, 0f3F800000; mma.sync.aligned.m16n8k8.row.col.f32.{}.{}.f32 "
                              "{{%f2,%f3,%f4,%f5}}, {{%t0,%t1}}, {{%t1}}, {{%f0,%f0,%f0,%f0}}; add.f32 %f2, %f2, %f4; "
                              "mov.b32 %d, %f2;",
                              type, type),
            "f32", {"b32", "b32"});
    }
    for (const char* type : {"s8", "u8"}) {
        for (int output = 0; output < 4; ++output)
            coded(fmt::format("mma.m16n8k32.s32.{}.{}.s32 d{}", type, type, output),
                  fmt::format("mma.sync.aligned.m16n8k32.row.col.s32.{}.{}.s32 {{%t0,%t1,%t2,%t3}}, {{%a,%b,%a,%b}}, "
                              "{{%b,%a}}, {{%a,%b,%a,%b}}; mov.b32 %d, %t{};",
                              type, type, output),
                  "s32", {"b32", "b32"});
        coded(fmt::format("mma.m16n8k16.s32.{}.{}.s32", type, type),
              fmt::format(
                  "mma.sync.aligned.m16n8k16.row.col.satfinite.s32.{}.{}.s32 {{%t0,%t1,%t2,%t3}}, {{%a,%b}}, {{%b}}, "
                  "{{%a,%b,%a,%b}}; xor.b32 %d, %t0, %t3;",
                  type, type),
              "s32", {"b32", "b32"});
    }
    coded(
        "mma.m16n8k8.f32.tf32.tf32.f32",
        "and.b32 %t0, %a, 15; cvt.rn.f32.s32 %f0, %t0; mov.b32 %t0, %f0; and.b32 %t1, %b, 15; cvt.rn.f32.s32 %f1, %t1; "
        "mov.b32 %t1, %f1; mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%f2,%f3,%f4,%f5}, {%t0,%t1,%t1,%t0}, "
        "{%t1,%t0}, {%f0,%f1,%f0,%f1}; add.f32 %f2, %f2, %f5; mov.b32 %d, %f2;",
        "f32", {"b32", "b32"});
    for (int count : {1, 2, 4}) {
        for (const char* words : {"", ".trans"}) {
            const std::string outs = count == 1 ? "{%t0}" : count == 2 ? "{%t0,%t1}" : "{%t0,%t1,%t2,%t3}";
            const std::string prepare = "mov.u32 %t0, 0; mov.u32 %t1, 0; mov.u32 %t2, 0; mov.u32 %t3, 0; ";
            const std::string sum =
                " mad.lo.u32 %d, %t1, 3, %t0; mad.lo.u32 %d, %t2, 5, %d; mad.lo.u32 %d, %t3, 7, %d;";
            coded(fmt::format("ldmatrix.x{}{}", count, words),
                  "st.shared.v4.b32 [%s], {%a, %b, %a, %b}; bar.warp.sync -1; " + prepare
                      + fmt::format("ldmatrix.sync.aligned.m8n8.x{}{}.shared.b16 {}, [%s];", count, words, outs) + sum,
                  "b32", {"b32", "b32"});
            coded(fmt::format("stmatrix.x{}{}", count, words),
                  "xor.b32 %t0, %a, 1; xor.b32 %t1, %b, 2; mov.b32 %t2, %a; mov.b32 %t3, %b; st.shared.v4.b32 [%s], "
                  "{%b, %a, "
                  "%b, %a}; bar.warp.sync -1; "
                      + fmt::format("stmatrix.sync.aligned.m8n8.x{}{}.shared.b16 [%s], {}; bar.warp.sync -1; "
                                    "ld.shared.v4.b32 {{%t0,%t1,%t2,%t3}}, [%s];",
                                    count, words, outs)
                      + sum,
                  "b32", {"b32", "b32"});
        }
    }
}

std::vector<Form> build() {
    Builder builder;
    builder.integers();
    builder.floats();
    builder.halves();
    builder.approximations();
    builder.bits();
    builder.comparisons();
    builder.conversions();
    builder.atomics();
    builder.warps();
    builder.matrices();
    return std::move(builder.forms);
}

} // namespace

const std::vector<Form>& forms() {
    static const std::vector<Form> list = build();
    return list;
}

} // namespace kw::corpus
