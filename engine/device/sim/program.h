#pragma once

#include "engine/base/result.h"
#include "engine/device/sim/types.h"

#include <cstdint>
#include <string>
#include <vector>

/// A kernel decoded for execution: what the decoder makes of a module's syntax tree and the executor runs.
namespace kw::sim {

/// Operations; together with Instr::type and the modifiers they say what an instruction does.
enum class Op : std::uint16_t {
    nop,
    // arithmetic, integer and float by type
    add,
    sub,
    mul,
    mul_hi,
    mul_wide,
    mad,
    mad_hi,
    mad_wide,
    mul24_lo,
    mul24_hi,
    mad24_lo,
    mad24_hi,
    sad,
    div,
    rem,
    abs,
    neg,
    min,
    max,
    min3,
    max3,
    fma,
    rcp,
    sqrt,
    rsqrt,
    ex2,
    lg2,
    sin,
    cos,
    tanh,
    copysign,
    testp,
    popc,
    clz,
    bfind,
    bfind_shift,
    fns,
    brev,
    bfe,
    bfi,
    bmsk,
    szext,
    dp4a,
    dp2a_lo,
    dp2a_hi,
    add_cc,
    addc,
    sub_cc,
    subc,
    mad_lo_cc,
    madc_lo,
    mad_hi_cc,
    madc_hi,
    // logic and selection
    bit_and,
    bit_or,
    bit_xor,
    bit_not,
    cnot,
    lop3,
    shl,
    shr,
    shf_l,
    shf_r,
    prmt,
    set,
    setp,
    selp,
    slct,
    // moves and conversions
    mov,
    cvt,
    cvt_pack,
    pack,
    unpack,
    frame_address,
    clock,
    clock64,
    globaltimer,
    smid,
    cvta_to_shared,
    cvta_from_shared,
    cvta_to_local,
    cvta_from_local,
    isspacep,
    mapa,
    cluster_rank_of,
    // memory
    ld,
    st,
    atom,
    red,
    prefetch,
    fence,
    cp_async,
    cp_async_wait,
    bulk_copy,
    mbarrier,
    ldmatrix,
    stmatrix,
    // control
    bra,
    brx,
    call,
    call_indirect,
    builtin,
    ret,
    exit,
    trap,
    brkpt,
    nanosleep,
    bar_sync,
    bar_arrive,
    bar_red_popc,
    bar_red_and,
    bar_red_or,
    warp_sync,
    cluster_arrive,
    cluster_wait,
    shfl,
    vote,
    match_any,
    match_all,
    redux,
    activemask,
    elect,
    mma,
    wmma_load,
    wmma_store,
    wmma_mma,
};

enum class Rounding : std::uint8_t { none, rn, rz, rm, rp, rni, rzi, rmi, rpi, rna };
enum class Compare : std::uint8_t { eq, ne, lt, le, gt, ge, lo, ls, hi, hs, equ, neu, ltu, leu, gtu, geu, num, nan };
enum class Combine : std::uint8_t { none, conj, disj, excl };
enum class AtomOp : std::uint8_t { add, exch, cas, bit_and, bit_or, bit_xor, inc, dec, min, max };
enum class ShuffleMode : std::uint8_t { up, down, bfly, idx };
enum class VoteMode : std::uint8_t { all, any, uni, ballot };
enum class Builtin : std::uint8_t { vprintf, assertfail, allocate, release };
/// What an mbarrier instruction does; by its state token or by parity for the tests.
enum class MbarrierOp : std::uint8_t {
    init,
    inval,
    expect_tx,
    complete_tx,
    arrive,
    arrive_expect_tx,
    arrive_drop,
    arrive_drop_expect_tx,
    arrive_no_complete,
    test_token,
    test_parity,
    pending_count,
};
/// Between which memories a bulk copy goes.
enum class BulkCopy : std::uint8_t { global_to_shared, shared_to_cluster, shared_to_global };

enum Flag : std::uint16_t {
    kFtz = 1,
    kSat = 2,
    kApprox = 4,
    kNan = 8, ///< min/max: a NaN operand gives NaN
    kXorsignAbs = 16,
    kSigned1 = 32, ///< dp4a/dp2a: first operand signed
    kSigned2 = 64,
    kVolatile = 128,      ///< memory: ordered access, never torn; a poll that may have to yield
    kNegateCombine = 256, ///< setp/set: the combined predicate is "!c"
    kWrap = 512,          ///< shf: shift amount modulo 32 instead of clamped
    kAligned = 1024,      ///< barrier: all threads of the warp must arrive together
    kRelu = 2048,
    kReleases = 4096, ///< memory: publishes what the thread did before
};

constexpr std::uint32_t kNoValue = 0xffffffffu;

/// One operation. `dst` and `src` hold value numbers of the function while it is decoded, and byte offsets of
/// rows relative to the frame once registers are allocated; kNoValue for an operand that is left out.
struct Instr {
    Op op = Op::nop;
    Type type = Type::none;
    Type type2 = Type::none; ///< source type of cvt/set/dp4a/mma a
    Type type3 = Type::none; ///< further operand types of mma
    Rounding rounding = Rounding::none;
    Compare compare = Compare::eq;
    Combine combine = Combine::none;
    Space space = Space::generic;
    std::uint8_t mode =
        0; ///< AtomOp, ShuffleMode, VoteMode, Builtin, MbarrierOp, BulkCopy or layout bits, by operation
    std::uint8_t vector = 1;
    bool guard_negated = false;
    std::uint16_t flags = 0;
    std::uint32_t guard = kNoValue;
    std::vector<std::uint32_t> dst{};
    std::vector<std::uint32_t> src{};
    std::vector<RowClass> dst_rows{};
    std::vector<RowClass> src_rows{};
    std::int64_t imm = 0;                 ///< address offset, lookup table, mode word
    std::uint32_t target = 0;             ///< branch target, or callee of a call; an index into Program::functions
    std::vector<std::uint32_t> targets{}; ///< of brx
    std::uint32_t call = 0;               ///< index into Function::calls
    std::uint32_t unread = 0;             ///< ld: a bit per element that nothing but a store reads, as padding is not
    std::uint32_t function = 0;
    std::int32_t line = 0;      ///< PTX line
    std::int32_t location = -1; ///< index into Program::locations

    [[nodiscard]] bool has(Flag flag) const { return (flags & flag) != 0; }
};

/// A special register that a row is filled with before the function runs.
enum class Special : std::uint8_t {
    tid_x,
    tid_y,
    tid_z,
    ntid_x,
    ntid_y,
    ntid_z,
    ctaid_x,
    ctaid_y,
    ctaid_z,
    nctaid_x,
    nctaid_y,
    nctaid_z,
    laneid,
    warpid,
    nwarpid,
    smid,
    nsmid,
    gridid,
    lanemask_eq,
    lanemask_le,
    lanemask_lt,
    lanemask_ge,
    lanemask_gt,
    dynamic_smem_size,
    total_smem_size,
    zero,
    one,
    frame_base,
    param_base,
    grid_barrier_lo,
    grid_barrier_hi,
    clusterid_x,
    clusterid_y,
    clusterid_z,
    nclusterid_x,
    nclusterid_y,
    nclusterid_z,
    cluster_ctaid_x,
    cluster_ctaid_y,
    cluster_ctaid_z,
    cluster_nctaid_x,
    cluster_nctaid_y,
    cluster_nctaid_z,
    cluster_ctarank,
    cluster_nctarank,
    explicit_cluster,
};

struct ConstantRow {
    std::uint32_t offset = 0;
    RowClass row = RowClass::w32;
    std::uint64_t bits = 0;
    std::uint64_t high = 0;
};
struct SpecialRow {
    std::uint32_t offset = 0;
    RowClass row = RowClass::w32;
    Special special = Special::zero;
};
/// A kernel parameter as a row: `bytes` bytes at `parameter` of the block, extended to the row's width.
struct ParameterRow {
    std::uint32_t offset = 0;
    RowClass row = RowClass::w32;
    std::uint32_t parameter = 0;
    std::uint32_t bytes = 0;
    bool sign_extend = false;
};

/// Where a call's arguments and results lie in the caller's local frame.
struct CallSite {
    struct Slot {
        std::uint32_t offset = 0;
        std::uint32_t bytes = 0;
    };
    std::vector<Slot> arguments;
    std::vector<Slot> results;
};

struct Function {
    std::string name;
    std::uint32_t entry = 0;            ///< index of its first instruction
    std::uint32_t register_bytes = 0;   ///< bytes of a register frame
    std::uint32_t local_bytes = 0;      ///< bytes of a thread's local frame: depot, parameters
    std::vector<CallSite::Slot> params; ///< in the local frame, for a .func
    std::vector<CallSite::Slot> results;
    std::vector<ConstantRow> constants;
    std::vector<SpecialRow> specials;
    std::vector<ParameterRow> parameters; ///< entry only
    std::vector<std::uint32_t> zeroed;    ///< offsets of 64-byte units that may be read before written
    std::vector<CallSite> calls;
};

struct SourceLocation {
    std::uint32_t file = 0; ///< index into Program::files
    int line = 0;
    int column = 0;
    std::int32_t inlined_at = -1;
};

/// What a kernel parameter block looks like.
struct Parameter {
    std::uint32_t offset = 0;
    std::uint32_t bytes = 0;
    std::uint32_t align = 1;
};

struct Program {
    std::string kernel;
    std::vector<Instr> instrs;
    std::vector<Function> functions; ///< [0] is the kernel
    std::vector<SourceLocation> locations;
    std::vector<std::string> files;
    std::vector<Parameter> parameters;
    std::uint32_t parameter_bytes = 0;
    std::uint32_t shared_bytes = 0; ///< static
    std::uint32_t max_threads = 1024;
    std::uint32_t required_threads[3] = {0, 0, 0};
    std::uint32_t required_cluster[3] = {0, 0, 0}; ///< 0: none
    bool has_calls = false;
    bool has_indirect_calls = false;
    bool uses_heap = false;                                                  ///< malloc or free
    std::vector<std::pair<std::uint64_t, std::uint32_t>> function_addresses; ///< of indirect callees

    /// Innermost position of an instruction.
    [[nodiscard]] Where innermost(std::uint32_t instruction) const;
    /// The position in the file that defines the kernel: a call inlined from a header is reported where it was written.
    [[nodiscard]] Where in_user_code(std::uint32_t instruction) const;
};

} // namespace kw::sim
