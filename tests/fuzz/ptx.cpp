#include "engine/device/sim/decoder.h"
#include "engine/device/sim/exec/launch.h"
#include "engine/device/sim/exec/thread_pool.h"
#include "engine/device/sim/ptx_parser.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

using namespace kw;
using namespace kw::sim;

/// The input is PTX. Whatever parses can be decoded or refused, and what decodes runs to an end or a fault, plainly and
/// looked at in another order.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static ThreadPool pool(1);
    auto module = ptx::parse(std::string(reinterpret_cast<const char*>(data), size));
    if (!module) return 0;
    auto memory = DeviceMemory::reserve(std::uint64_t{1} << 22);
    if (!memory) return 0;
    std::size_t kernels = 0;
    for (const ptx::Function& function : module->functions) {
        if (!function.is_entry || ++kernels > 4) continue;
        auto program = decode(*module, function.name, [&](std::string_view name) -> std::optional<std::uint64_t> {
            const ptx::Variable& variable = module->variables[module->variable_index.at(name)];
            auto address = memory->allocate(variable.bytes, name);
            return address ? std::optional(*address) : std::nullopt;
        });
        if (!program || program->parameter_bytes > 4096 || program->shared_bytes > 65536) continue;
        // Parameters that look like addresses let loads and stores go somewhere.
        std::vector<std::byte> parameters(program->parameter_bytes);
        const auto buffer = memory->allocate(4096, "buffer");
        for (std::size_t at = 0; buffer && at + 8 <= parameters.size(); at += 8)
            *reinterpret_cast<std::uint64_t*>(parameters.data() + at) = *buffer;
        if (buffer) memory->mark_written(*buffer, 2048);
        for (const bool looked_at : {false, true}) {
            LaunchRequest request;
            LaunchOptions options;
            if (looked_at) {
                static auto shadow = DeviceShadow::reserve(memory->reserved());
                if (!shadow) continue;
                request.shadow = shadow->get();
                options.checks = device::all_checks();
                options.checks.schedule = size;
            }
            auto bound = bind_program(*program, choose_isa(), *module->text, options.checks);
            if (!bound) break;
            request.grid = {2, 1, 1};
            request.block = {33, 1, 1};
            request.parameters = parameters;
            options.most_instructions = 200'000;
            options.most_warp_instructions = 20'000;
            options.stack_bytes = 4096;
            (void)run_launch(**bound, *memory, std::move(request), options, pool, nullptr, {});
        }
    }
    return 0;
}
