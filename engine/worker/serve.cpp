#include "engine/worker/serve.h"

#include "engine/base/version.h"
#include "engine/rpc/server.h"
#include "engine/worker/stdio_guard.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <utility>

namespace kw::worker {
namespace {

using rpc::Progress;
using rpc::Server;

/// Refuses to work for a client of another protocol version, whatever it asks, with the sentence that helps.
class Handshake {
public:
    Result<Json> initialize(const Json& params) {
        const auto member = params.is_object() ? params.find("protocol") : params.end();
        const std::int64_t theirs = params.is_object() && member != params.end() && member->is_number_integer()
                                        ? member->get<std::int64_t>()
                                        : 0;
        if (theirs != rpc::kProtocolVersion)
            return fail(Stage::rpc, ErrorCode::unsupported,
                        fmt::format("this worker speaks protocol {} (version {}), the client {}; install the same "
                                    "version on both sides",
                                    rpc::kProtocolVersion, version(), theirs));
        done_ = true;
        return Json{{"protocol", rpc::kProtocolVersion},
                    {"version", version()},
                    {"pid", ::getpid()},
                    {"methods",
                     {"compile", "evaluate", "devices", "doctor", "disassemble", "torch/describe", "outputs",
                      "outputs/region", "outputs/histogram", "outputs/tolerance", "outputs/next", "outputs/writers",
                      "outputs/release", "cancel", "shutdown"}}};
    }

    /// A handler, of either kind, that answers once the handshake is done.
    template<class Handle> [[nodiscard]] auto guard(Handle handler) const {
        return [this, handler = std::move(handler)](const Json& params, auto&&... rest) -> Result<Json> {
            if (!done_)
                return fail(Stage::rpc, ErrorCode::invalid_input,
                            "the first request must be 'initialize' with this worker's protocol version");
            return handler(params, std::forward<decltype(rest)>(rest)...);
        };
    }

private:
    std::atomic<bool> done_ = false;
};

std::string main_file(const Json& params) {
    if (!params.is_object()) return {};
    const auto member = params.find("main");
    return "compile:" + (member != params.end() && member->is_string() ? member->get<std::string>() : std::string{});
}

} // namespace

Result<void> serve(Service::Settings settings) {
    auto channel = take_stdio();
    if (!channel) return std::unexpected(std::move(channel.error()));
    Service service{std::move(settings)};
    service.warm_up();

    Handshake handshake;
    Server server{std::move(channel->input), std::move(channel->output)};
    const auto add = [&](std::string name, std::string lane, Server::Handler handler) {
        server.add(std::move(name), {.handler = handshake.guard(std::move(handler)), .lane = std::move(lane)});
    };
    server.add("initialize", {.handler = [&](const Json& params, std::stop_token, const Progress&) {
                   return handshake.initialize(params);
               }});
    // Only the newest text of a file is worth diagnosing.
    server.add("compile", {.handler = handshake.guard([&](const Json& params, std::stop_token stop, const Progress&) {
                               return service.compile(params, std::move(stop));
                           }),
                           .lane = "compile",
                           .newest_of = main_file});
    server.add("evaluate", {.lane = "evaluate",
                            .live_handler = handshake.guard([&](const Json& params, std::stop_token stop,
                                                                const Progress& progress, const profile::Live& live) {
                                return service.evaluate(params, std::move(stop), progress, live);
                            })});
    add("devices", "inspect",
        [&](const Json&, std::stop_token stop, const Progress&) { return service.devices(std::move(stop)); });
    add("doctor", "inspect",
        [&](const Json&, std::stop_token stop, const Progress&) { return service.doctor(std::move(stop)); });
    add("disassemble", "inspect", [&](const Json& params, std::stop_token stop, const Progress&) {
        return service.disassemble(params, std::move(stop));
    });
    add("torch/describe", "evaluate", [&](const Json& params, std::stop_token stop, const Progress&) {
        return service.describe_torch(params, std::move(stop));
    });
    add("outputs", "evaluate", [&](const Json& params, std::stop_token stop, const Progress& progress) {
        return service.outputs(params, std::move(stop), progress);
    });
    add("outputs/writers", "evaluate", [&](const Json& params, std::stop_token stop, const Progress& progress) {
        return service.writers(params, std::move(stop), progress);
    });
    // Beside a run: what is on the screen must not wait for it.
    const auto look = [&](std::string name, Result<Json> (OutputStore::*method)(const Json&)) {
        add(std::move(name), "outputs", [&service, method](const Json& params, std::stop_token, const Progress&) {
            return (service.kept_outputs().*method)(params);
        });
    };
    look("outputs/region", &OutputStore::region);
    look("outputs/histogram", &OutputStore::histogram);
    look("outputs/tolerance", &OutputStore::tolerance);
    look("outputs/next", &OutputStore::next);
    look("outputs/release", &OutputStore::release);
    spdlog::info("serving protocol {}, version {}", rpc::kProtocolVersion, version());
    const auto served = server.serve();
    if (!served) spdlog::error("{}", served.error().message);
    // Whoever asked is gone: a compilation or a kernel still running is nobody's any more, and waiting for it would
    // keep this process and its child alive. The child dies with this process.
    ::_exit(served ? 0 : 3);
}

} // namespace kw::worker
