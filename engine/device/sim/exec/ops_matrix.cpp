// Matrix operations: ldmatrix, mma and wmma. Products are exact, sums are taken in double (integers in 64 bits) in
// order of k and rounded once to the accumulator's type; hardware keeps fewer bits, so results agree to its error, not
// bit by bit.
#include "engine/device/sim/exec/access.h"
#include "engine/device/sim/exec/half.h"

namespace kw::sim::KW_ISA {
namespace {

enum class Element : u8 { f16, bf16, tf32, f32, f64, s8, u8_, s32 };

struct Format {
    Element element = Element::f16;
    u32 bytes = 2;        ///< in memory
    u32 per_register = 2; ///< elements in a register
};

bool format_of(Type type, Format& out) {
    switch (type) {
    case Type::f16: out = {Element::f16, 2, 2}; return true;
    case Type::bf16: out = {Element::bf16, 2, 2}; return true;
    case Type::tf32: out = {Element::tf32, 4, 1}; return true;
    case Type::f32: out = {Element::f32, 4, 1}; return true;
    case Type::f64: out = {Element::f64, 8, 1}; return true;
    case Type::s8: out = {Element::s8, 1, 4}; return true;
    case Type::u8: out = {Element::u8_, 1, 4}; return true;
    case Type::s32: out = {Element::s32, 4, 1}; return true;
    default: return false;
    }
}

double decode(Element element, u64 raw) {
    switch (element) {
    case Element::f16: return widen(Half{}, static_cast<u16>(raw));
    case Element::bf16: return widen(Bfloat{}, static_cast<u16>(raw));
    case Element::tf32: return bits<float>(static_cast<u32>(raw) & 0xffffe000u);
    case Element::f32: return bits<float>(static_cast<u32>(raw));
    case Element::f64: return bits<double>(raw);
    case Element::s8: return static_cast<s8>(raw);
    case Element::u8_: return static_cast<u8>(raw);
    case Element::s32: return static_cast<s32>(raw);
    }
    return 0;
}
u64 encode(Element element, double value, bool saturate_integer) {
    switch (element) {
    case Element::f16: return narrow_double(Half{}, value);
    case Element::bf16: return narrow_double(Bfloat{}, value);
    case Element::f32: return bits<u32>(canonical(static_cast<float>(value)));
    case Element::f64: return bits<u64>(value);
    case Element::s32: {
        const s64 whole = static_cast<s64>(value);
        if (saturate_integer)
            return static_cast<u32>(whole > 0x7fffffff      ? 0x7fffffff
                                    : whole < -0x80000000ll ? static_cast<s32>(0x80000000u)
                                                            : static_cast<s32>(whole));
        return static_cast<u32>(whole);
    }
    default: return 0;
    }
}

/// Element `index` of a lane's fragment that lies in the registers at `offsets`.
u64 fragment_get(const Warp& warp, const u32* offsets, const Format& format, u32 index, u32 lane) {
    if (format.bytes == 8) return row<const u64>(warp, offsets[index])[lane];
    const u32 word = row<const u32>(warp, offsets[index / format.per_register])[lane];
    if (format.per_register == 1) return word;
    const u32 width = 32 / format.per_register;
    return word >> (width * (index % format.per_register)) & ((1u << width) - 1);
}
void fragment_set(const Warp& warp, const u32* offsets, const Format& format, u32 index, u32 lane, u64 value) {
    if (format.bytes == 8) {
        row<u64>(warp, offsets[index])[lane] = value;
        return;
    }
    u32& word = row<u32>(warp, offsets[index / format.per_register])[lane];
    if (format.per_register == 1) {
        word = static_cast<u32>(value);
        return;
    }
    const u32 width = 32 / format.per_register;
    const u32 shift = width * (index % format.per_register);
    const u32 mask = ((1u << width) - 1) << shift;
    word = (word & ~mask) | (static_cast<u32>(value) << shift & mask);
}

constexpr u32 kMostRows = 32, kMostColumns = 32, kMostDepth = 32;

struct Product {
    double a[kMostRows][kMostDepth];
    double b[kMostDepth][kMostColumns];
    double c[kMostRows][kMostColumns];

    void run(u32 m, u32 n, u32 k) {
        for (u32 i = 0; i < m; ++i) {
            double sum[kMostColumns] = {};
            for (u32 p = 0; p < k; ++p) {
                const double factor = a[i][p];
                for (u32 j = 0; j < n; ++j) sum[j] += factor * b[p][j];
            }
            for (u32 j = 0; j < n; ++j) c[i][j] += sum[j];
        }
    }
};

// What the steps of this file keep in the fields that other steps use for rows: a, b, c, d: types; count: registers of
// the first factor; flags: bit 0 saturation, bit 1 column-major, bits 2–3 fragment, bits 4…: registers of the second
// factor.

/// PTX ISA, "Matrix fragments for mma": lane = 4 · group + t. In register r of A lies row group + 8 · (r & 1), of B
/// column group; k runs over t · E + 4E · (r >> 1), of B over t · E + 4E · r; C has rows group and group + 8, columns
/// 2t and 2t + 1.
const Step* mma(Warp& warp, const Step* step) {
    const u32* operand = warp.operands + step->extra;
    const auto m = static_cast<u32>(step->imm >> 32 & 0xffff), n = static_cast<u32>(step->imm >> 16 & 0xffff),
               k = static_cast<u32>(step->imm & 0xffff);
    Format fa, fb, fc;
    (void)format_of(static_cast<Type>(step->a), fa);
    (void)format_of(static_cast<Type>(step->b), fb);
    (void)format_of(static_cast<Type>(step->d), fc);
    const u32 registers_a = step->count, registers_b = step->flags >> 4, registers_c = step->c;
    const u32* a = operand + registers_c;
    const u32* b = a + registers_a;
    const u32* c = b + registers_b;
    Product product;
    for (u32 lane = 0; lane < 32; ++lane) {
        const u32 group = lane >> 2, t = lane & 3;
        for (u32 r = 0; r < registers_a; ++r) {
            for (u32 e = 0; e < fa.per_register; ++e)
                product.a[group + 8 * (r & 1)][t * fa.per_register + 4 * fa.per_register * (r >> 1) + e] =
                    decode(fa.element, fragment_get(warp, a, fa, r * fa.per_register + e, lane));
        }
        for (u32 r = 0; r < registers_b; ++r) {
            for (u32 e = 0; e < fb.per_register; ++e)
                product.b[t * fb.per_register + 4 * fb.per_register * r + e][group] =
                    decode(fb.element, fragment_get(warp, b, fb, r * fb.per_register + e, lane));
        }
        for (u32 index = 0; index < registers_c * fc.per_register; ++index)
            product.c[group + 8 * (index >> 1)][2 * t + (index & 1)] =
                decode(fc.element, fragment_get(warp, c, fc, index, lane));
    }
    product.run(m, n, k);
    for (u32 lane = 0; lane < 32; ++lane) {
        const u32 group = lane >> 2, t = lane & 3;
        for (u32 index = 0; index < registers_c * fc.per_register; ++index)
            fragment_set(warp, operand, fc, index, lane,
                         encode(fc.element, product.c[group + 8 * (index >> 1)][2 * t + (index & 1)], step->flags & 1));
    }
    return step + 1;
}

Handler bind_mma(const Instr& instr, Step& step) {
    Format fa, fb, fc;
    if (!format_of(instr.type2, fa) || !format_of(instr.type3, fb) || !format_of(instr.type, fc)
        || fa.per_register != fb.per_register)
        return nullptr;
    const auto m = static_cast<u32>(instr.imm >> 32 & 0xffff), n = static_cast<u32>(instr.imm >> 16 & 0xffff),
               k = static_cast<u32>(instr.imm & 0xffff);
    const u32 registers_a = instr.vector, registers_b = instr.mode, registers_c = static_cast<u32>(instr.dst.size());
    const bool shape = (m == 16 || (m == 8 && fa.element == Element::f64)) && n == 8 && k <= kMostDepth
                       && registers_a * fa.per_register * 32 == m * k && registers_b * fb.per_register * 32 == n * k
                       && registers_c * fc.per_register * 32 == m * n;
    const bool integers = fa.element == Element::s8 || fa.element == Element::u8_;
    const bool types = integers ? fc.element == Element::s32
                       : fa.element == Element::f64
                           ? fc.element == Element::f64
                           : fc.element == Element::f32 || (fc.element == Element::f16 && fa.element == Element::f16);
    if (!shape || !types || (!integers && fa.element != fb.element)) return nullptr;
    for (u32 offset : instr.dst) {
        if (offset == kNoValue) return nullptr;
    }
    step.a = static_cast<u32>(instr.type2);
    step.b = static_cast<u32>(instr.type3);
    step.c = registers_c;
    step.d = static_cast<u32>(instr.type);
    step.count = static_cast<u16>(registers_a);
    step.flags = static_cast<u16>((instr.has(kSat) ? 1u : 0u) | registers_b << 4);
    step.imm = instr.imm;
    return mma;
}

/// PTX ISA, "ldmatrix": lanes 8i … 8i+7 give the addresses of the rows of matrix i; lane l gets two elements of row l
/// / 4.
const Step* ldmatrix(Warp& warp, const Step* step) {
    const u32* operand = warp.operands + step->extra;
    const u32 count = step->count;
    u64 address[32] = {};
    for (u32 lane = 0; lane < 8 * count; ++lane) {
        address[lane] =
            step->flags & 2
                ? row<const u64>(warp, operand[count])[lane] + static_cast<u64>(step->imm)
                : static_cast<u32>(row<const u32>(warp, operand[count])[lane] + static_cast<u32>(step->imm));
    }
    Access access;
    const u32 all = warp.mask;
    warp.mask = count == 4 ? kFullMask : (1u << 8 * count) - 1;
    const bool ok = resolve_shared_lanes(warp, step, address, 16, 16, false, access);
    warp.mask = all;
    if (!ok) return nullptr;
    for (u32 matrix = 0; matrix < count; ++matrix) {
        if (operand[matrix] == kNoValue) continue;
        const auto element = [&](u32 line, u32 column) {
            return static_cast<u32>(load_raw<u16>(access.lane[8 * matrix + line] + 2 * column));
        };
        each_active(warp, row<u32>(warp, operand[matrix]), [&](int at) {
            const u32 lane = static_cast<u32>(at);
            const u32 line = lane / 4, column = 2 * (lane % 4);
            return step->flags & 1 ? element(column, line) | element(column + 1, line) << 16
                                   : element(line, column) | element(line, column + 1) << 16;
        });
    }
    return step + 1;
}

/// The reverse of ldmatrix. operands: address, registers.
const Step* stmatrix(Warp& warp, const Step* step) {
    const u32* operand = warp.operands + step->extra;
    const u32 count = step->count;
    u64 address[32] = {};
    for (u32 lane = 0; lane < 8 * count; ++lane) {
        address[lane] = step->flags & 2
                            ? row<const u64>(warp, operand[0])[lane] + static_cast<u64>(step->imm)
                            : static_cast<u32>(row<const u32>(warp, operand[0])[lane] + static_cast<u32>(step->imm));
    }
    Access access;
    const u32 all = warp.mask;
    warp.mask = count == 4 ? kFullMask : (1u << 8 * count) - 1;
    const bool ok = resolve_shared_lanes(warp, step, address, 16, 16, true, access);
    warp.mask = all;
    if (!ok) return nullptr;
    for (u32 matrix = 0; matrix < count; ++matrix) {
        const u32* values = row<const u32>(warp, operand[1 + matrix]);
        for (u32 lane = 0; lane < 32; ++lane) {
            for (u32 half = 0; half < 2; ++half) {
                const u32 line = lane / 4, column = 2 * (lane % 4) + half;
                std::byte* to = step->flags & 1 ? access.lane[8 * matrix + column] + 2 * line
                                                : access.lane[8 * matrix + line] + 2 * column;
                store_raw(to, static_cast<u16>(values[lane] >> (16 * half)));
            }
        }
    }
    return step + 1;
}

/// Fragments of wmma have no layout that programs may rely on. Here element i of the matrix, counted along rows, is
/// element i / 32 of lane i mod 32; where a fragment has room for more, the rest repeats.
struct Extent {
    u32 rows, columns;
};
Extent extent_of(s64 shape, u32 fragment) {
    const auto m = static_cast<u32>(shape >> 32 & 0xffff), n = static_cast<u32>(shape >> 16 & 0xffff),
               k = static_cast<u32>(shape & 0xffff);
    return fragment == 0 ? Extent{m, k} : fragment == 1 ? Extent{k, n} : Extent{m, n};
}

bool reach(Warp& warp, const Step* step, const u64* address, u32 bytes, bool write, Access& access) {
    switch (static_cast<Space>(step->b)) {
    case Space::global: return resolve_global_lanes(warp, step, address, bytes, bytes, write, Space::global, access);
    case Space::shared: return resolve_shared_lanes(warp, step, address, bytes, bytes, write, access);
    default: return resolve_generic_lanes(warp, step, address, bytes, bytes, write, access);
    }
}

template<bool Store> const Step* wmma_transfer(Warp& warp, const Step* step) {
    const u32* operand = warp.operands + step->extra;
    const u32 registers = step->count;
    const u32* fragment = Store ? operand + 2 : operand;
    const u32 address_row = Store ? operand[0] : operand[registers];
    const u32 stride_row = Store ? operand[1] : operand[registers + 1];
    Format format;
    (void)format_of(static_cast<Type>(step->a), format);
    const Extent extent = extent_of(static_cast<s64>(static_cast<u64>(step->c) << 32 | step->d), step->flags >> 2 & 3);
    const bool column_major = step->flags & 2;
    // All lanes name the same matrix. In a warp that is not whole those that are there move it all.
    const u32 all = warp.mask;
    const u32 leader = static_cast<u32>(__builtin_ctz(all));
    const u64 base =
        step->flags & 0x10 ? row<const u64>(warp, address_row)[leader] : row<const u32>(warp, address_row)[leader];
    const u64 stride = stride_row != kNoValue ? row<const u32>(warp, stride_row)[leader]
                       : column_major         ? extent.rows
                                              : extent.columns;
    const u32 slots = registers * format.per_register;
    const u32 distinct = extent.rows * extent.columns / 32;
    for (u32 slot = 0; slot < (Store ? distinct : slots); ++slot) {
        u64 address[32];
        for (u32 lane = 0; lane < 32; ++lane) {
            const u32 index = slot % distinct * 32 + lane;
            const u64 line = index / extent.columns, column = index % extent.columns;
            address[lane] = base + static_cast<u64>(step->imm)
                            + (column_major ? column * stride + line : line * stride + column) * format.bytes;
        }
        Access access;
        warp.mask = kFullMask;
        const bool reached = reach(warp, step, address, format.bytes, Store, access);
        warp.mask = all;
        if (!reached) return nullptr;
        for (u32 lane = 0; lane < 32; ++lane) {
            u64 value = 0;
            if constexpr (Store) {
                value = fragment_get(warp, fragment, format, slot, lane);
                __builtin_memcpy(access.lane[lane], &value, format.bytes);
            } else {
                __builtin_memcpy(&value, access.lane[lane], format.bytes);
                fragment_set(warp, fragment, format, slot, lane, value);
            }
        }
    }
    return step + 1;
}

Handler bind_wmma_transfer(const Instr& instr, Step& step) {
    const bool store = instr.op == Op::wmma_store;
    const u32 kind = instr.mode >> 1;
    Format format;
    if (!format_of(instr.type, format) || instr.src_rows[0] == RowClass::pred) return nullptr;
    const Extent extent = extent_of(instr.imm, kind);
    const u32 elements = extent.rows * extent.columns;
    if (elements == 0 || elements % 32 != 0 || extent.rows > kMostRows || extent.columns > kMostColumns
        || instr.vector * format.per_register < elements / 32)
        return nullptr;
    step.count = instr.vector;
    step.flags =
        static_cast<u16>((instr.mode & 1 ? 2u : 0u) | kind << 2 | (instr.src_rows[0] == RowClass::w64 ? 0x10u : 0u));
    step.a = static_cast<u32>(instr.type);
    step.b = static_cast<u32>(instr.space);
    step.c = static_cast<u32>(static_cast<u64>(instr.imm) >> 32);
    step.d = static_cast<u32>(instr.imm);
    // The offset of the address was given up for the shape; wmma addresses have none.
    step.imm = 0;
    return store ? wmma_transfer<true> : wmma_transfer<false>;
}

const Step* wmma_multiply(Warp& warp, const Step* step) {
    const u32* operand = warp.operands + step->extra;
    const auto m = static_cast<u32>(step->imm >> 32 & 0xffff), n = static_cast<u32>(step->imm >> 16 & 0xffff),
               k = static_cast<u32>(step->imm & 0xffff);
    Format fab, fc, fd;
    (void)format_of(static_cast<Type>(step->a), fab);
    (void)format_of(static_cast<Type>(step->c), fc);
    (void)format_of(static_cast<Type>(step->d), fd);
    const u32 registers_d = step->b;
    const u32* a = operand + registers_d;
    const u32* b = a + step->count;
    const u32* c = b + (step->flags >> 4);
    Product product;
    for (u32 index = 0; index < m * k; ++index)
        product.a[index / k][index % k] = decode(fab.element, fragment_get(warp, a, fab, index / 32, index % 32));
    for (u32 index = 0; index < k * n; ++index)
        product.b[index / n][index % n] = decode(fab.element, fragment_get(warp, b, fab, index / 32, index % 32));
    for (u32 index = 0; index < m * n; ++index)
        product.c[index / n][index % n] = decode(fc.element, fragment_get(warp, c, fc, index / 32, index % 32));
    product.run(m, n, k);
    for (u32 index = 0; index < m * n; ++index)
        fragment_set(warp, operand, fd, index / 32, index % 32,
                     encode(fd.element, product.c[index / n][index % n], step->flags & 1));
    return step + 1;
}

Handler bind_wmma_multiply(const Instr& instr, Step& step) {
    Format fab, fc, fd;
    if (!format_of(instr.type2, fab) || !format_of(instr.type3, fc) || !format_of(instr.type, fd)) return nullptr;
    const auto m = static_cast<u32>(instr.imm >> 32 & 0xffff), n = static_cast<u32>(instr.imm >> 16 & 0xffff),
               k = static_cast<u32>(instr.imm & 0xffff);
    if (m > kMostRows || n > kMostColumns || k > kMostDepth || m * n * k == 0) return nullptr;
    const u32 registers_d = static_cast<u32>(instr.dst.size());
    const u32 registers_c = static_cast<u32>(instr.src.size()) - instr.vector - instr.target;
    if (instr.vector * fab.per_register * 32 < m * k || instr.target * fab.per_register * 32 < k * n
        || registers_d * fd.per_register * 32 < m * n || registers_c * fc.per_register * 32 < m * n)
        return nullptr;
    if (fd.element == Element::s8 || fd.element == Element::u8_ || fd.element == Element::tf32) return nullptr;
    step.a = static_cast<u32>(instr.type2);
    step.b = registers_d;
    step.c = static_cast<u32>(instr.type3);
    step.d = static_cast<u32>(instr.type);
    step.count = instr.vector;
    step.flags = static_cast<u16>((instr.has(kSat) ? 1u : 0u) | instr.target << 4);
    step.imm = instr.imm;
    return wmma_multiply;
}

} // namespace

Handler bind_matrix(const Instr& instr, Step& step) {
    switch (instr.op) {
    case Op::mma: return bind_mma(instr, step);
    case Op::ldmatrix:
        step.count = instr.vector;
        step.imm = instr.imm;
        step.flags = static_cast<u16>((instr.mode & 1) | (instr.src_rows[0] == RowClass::w64 ? 2 : 0));
        return ldmatrix;
    case Op::stmatrix:
        step.count = instr.vector;
        step.imm = instr.imm;
        step.flags = static_cast<u16>((instr.mode & 1) | (instr.src_rows[0] == RowClass::w64 ? 2 : 0));
        return stmatrix;
    case Op::wmma_load:
    case Op::wmma_store: return bind_wmma_transfer(instr, step);
    case Op::wmma_mma: return bind_wmma_multiply(instr, step);
    default: return nullptr;
    }
}

} // namespace kw::sim::KW_ISA
