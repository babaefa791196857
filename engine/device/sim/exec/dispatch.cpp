#include "engine/device/sim/exec/lanes.h"

namespace kw::sim {
namespace KW_ISA {

const Step* guarded(Warp& warp, const Step* step);
Handler look_handler(const CheckedOp& op);

namespace {

Handler bind(const Instr& instr, Step& step) {
    for (auto* part : {bind_control, bind_memory, bind_atomic, bind_compare, bind_warp, bind_matrix, bind_async}) {
        if (const Handler handler = part(instr, step)) return handler;
    }
    if (instr.op == Op::cvt || instr.op == Op::cvt_pack) return bind_convert(instr, step);
    if (is_float(instr.type) && instr.op != Op::mov && instr.op != Op::selp) {
        if (const Handler handler = bind_float(instr, step)) return handler;
        return bind_half(instr, step);
    }
    if (const Handler handler = bind_bits(instr, step)) return handler;
    return bind_integer(instr, step);
}

void leave() {
#if defined(__AVX__)
    _mm256_zeroupper();
#endif
}

} // namespace
} // namespace KW_ISA

const IsaTable KW_TABLE_NAME{KW_ISA_TEXT, KW_ISA::bind, KW_ISA::guarded, KW_ISA::look_handler, KW_ISA::leave};

} // namespace kw::sim
