#include "engine/device/sim/exec/isa.h"

#include <cstdlib>
#include <string_view>

namespace kw::sim {
namespace {

bool has_v3() {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2")
           && __builtin_cpu_supports("bmi");
}
bool has_v4() {
    return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq")
           && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl")
           && __builtin_cpu_supports("avx512cd");
}

} // namespace

const IsaTable& choose_isa() {
    const char* wish = std::getenv("KW_SIM_ISA");
    const std::string_view name = wish ? wish : "";
    if (name == "v2") return kIsaV2;
    if (has_v4() && name != "v3") return kIsaV4;
    return has_v3() ? kIsaV3 : kIsaV2;
}

} // namespace kw::sim
