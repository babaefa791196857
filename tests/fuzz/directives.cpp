#include "engine/task/plan.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

namespace {

kw::task::Task make_task() {
    const kw::task::Files files{{"task.toml", R"(
name = "t"
kernel = "k.cu"
reference = "k.cu"
[sizes]
rows = 64
cols = 100
[scalars]
eps = { type = "f32", value = 0.5 }
[[tensor]]
name = "x"
type = "f32"
shape = ["rows", "cols"]
role = "input"
fill = "normal"
[[tensor]]
name = "y"
type = "f32"
shape = ["rows", "cols"]
role = "output"
)"},
                                {"k.cu", ""}};
    auto task = kw::task::parse_task(files);
    if (!task) std::abort();
    return *task;
}

} // namespace

/// The input is a CUDA source. Whatever parses can be bound or refused, and what is bound lies within the limits.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const kw::task::Task kTask = make_task();
    const std::string_view source(reinterpret_cast<const char*>(data), size);
    const auto plan = kw::task::parse_plan(source, "k.cu", kTask);
    if (!plan) {
        if (plan.error().message.empty() || plan.error().where.line < 1 || plan.error().where.column < 1) std::abort();
        return 0;
    }
    if (plan->launches.empty() || kw::task::kernel_names(*plan, {}).empty()) std::abort();
    const kw::device::Limits limits;
    const auto bound = kw::task::bind(*plan, kTask, kTask.cases.front().sizes, {}, limits);
    if (!bound) return 0;
    for (const auto& launch : bound->launches)
        if (launch.config.block.count() == 0 || launch.config.block.count() > limits.max_threads_per_block
            || launch.config.grid.count() == 0)
            std::abort();
    return 0;
}
