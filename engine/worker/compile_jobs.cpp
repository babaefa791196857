#include "engine/compile/compiler.h"
#include "engine/rpc/server.h"
#include "engine/worker/compile_wire.h"
#include "engine/worker/memory_bound.h"
#include "engine/worker/serve.h"
#include "engine/worker/stdio_guard.h"

#include <unistd.h>

#include <utility>

namespace kw::worker {
namespace {

/// Ordinary sources take some hundred megabytes. The stack of the thread that NVRTC runs on counts with its whole
/// gigabyte.
constexpr std::uint64_t kCompilerMemory = std::uint64_t{6} << 30;
/// Whoever asked keeps the time and ends this process.
constexpr double kNoTimeout = 1e6;

} // namespace

Result<void> compile_jobs(const std::string& toolkit) {
    auto channel = take_stdio();
    if (!channel) return std::unexpected(std::move(channel.error()));
    bound_memory(kCompilerMemory);

    const auto compiler = compile::open_compiler(toolkit);
    rpc::Server server{std::move(channel->input), std::move(channel->output)};
    server.add("describe", {.handler = [&](const Json&, std::stop_token, const rpc::Progress&) -> Result<Json> {
                                if (!compiler) return std::unexpected(compiler.error());
                                return Json{{"version", (*compiler)->version()},
                                            {"architectures", (*compiler)->architectures()}};
                            },
                            .lane = "compile"});
    server.add("compile",
               {.handler = [&](const Json& params, std::stop_token stop, const rpc::Progress&) -> Result<Json> {
                    if (!compiler) return std::unexpected(compiler.error());
                    auto request = request_from_json(params);
                    if (!request) return std::unexpected(std::move(request.error()));
                    request->timeout_s = kNoTimeout;
                    const auto output = (*compiler)->compile(*request, std::move(stop));
                    if (!output) return std::unexpected(output.error());
                    return whole_output_to_json(*output);
                },
                .lane = "compile"});
    const auto served = server.serve();
    // A compilation may still run, and nobody waits for it.
    ::_exit(served ? 0 : 3);
}

} // namespace kw::worker
