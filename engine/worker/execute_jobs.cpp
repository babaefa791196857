#include "engine/pipeline/execute.h"
#include "engine/rpc/server.h"
#include "engine/worker/serve.h"
#include "engine/worker/stdio_guard.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <utility>

namespace kw::worker {
namespace {

using rpc::Progress;

/// A kernel that asks for too much memory must cost this process, not the machine or its neighbours.
void bound_memory(std::uint64_t bytes) {
    if (bytes == 0) {
        struct sysinfo memory{};
        ::sysinfo(&memory);
        bytes = std::uint64_t{memory.totalram} * memory.mem_unit / 10 * 9;
    }
    const rlimit limit{bytes, bytes};
    ::setrlimit(RLIMIT_DATA, &limit);
    const rlimit no_core{0, 0};
    ::setrlimit(RLIMIT_CORE, &no_core);
    // The first to go when the machine runs out all the same. Raising one's own score needs no privilege.
    const Descriptor score{::open("/proc/self/oom_score_adj", O_WRONLY | O_CLOEXEC)};
    if (score) static_cast<void>(write_all(score.get(), "1000"));
}

Result<Json> describe_device(const Json& params) {
    const auto member = params.is_object() ? params.find("device") : params.end();
    if (!params.is_object() || member == params.end() || !member->is_string())
        return fail(Stage::rpc, ErrorCode::invalid_input, "'describe' takes the name of a device");
    auto device = pipeline::open_device(member->get<std::string>());
    if (!device) return std::unexpected(std::move(device.error()));
    return device::to_json((*device)->info());
}

/// An error is told in the answer too, so that the device's loss is.
Json with_lost_device(Result<Json> answer) {
    Json json = answer ? std::move(*answer) : Json{{"error", rpc::to_json(answer.error())}};
    json["device_lost"] = true;
    return json;
}

Result<Json> list_devices() {
    Json devices = Json::array();
    for (const auto& info : pipeline::list_devices()) devices.push_back(device::to_json(info));
    return Json{{"devices", std::move(devices)}};
}

} // namespace

Result<void> execute_jobs(std::uint64_t memory_bytes) {
    auto channel = take_stdio();
    if (!channel) return std::unexpected(std::move(channel.error()));
    bound_memory(memory_bytes);

    pipeline::JobRunner runner;
    rpc::Server server{std::move(channel->input), std::move(channel->output)};
    bool lost = false; // used by the lane "jobs" alone
    // One lane: a device is used by one job at a time.
    server.add("execute",
               {.handler = [&](const Json& params, std::stop_token stop, const Progress& progress) -> Result<Json> {
                    auto answer = runner.run(params, std::move(stop), progress);
                    lost = runner.lost();
                    return lost ? with_lost_device(std::move(answer)) : std::move(answer);
                },
                .lane = "jobs",
                // What the driver has left in this process cannot be trusted after a fault.
                .answered =
                    [&] {
                        if (lost) ::_exit(0);
                    }});
    // Another, so that the devices can be asked for while a kernel runs. These open devices of their own.
    server.add("describe",
               {.handler = [](const Json& params, std::stop_token, const Progress&) { return describe_device(params); },
                .lane = "inspect"});
    server.add("devices", {.handler = [](const Json&, std::stop_token, const Progress&) { return list_devices(); },
                           .lane = "inspect"});
    const auto served = server.serve();
    // A kernel may be running that hears no stop; whoever wanted its result is gone.
    ::_exit(served ? 0 : 3);
}

} // namespace kw::worker
