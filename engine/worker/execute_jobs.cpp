#include "engine/base/captured_output.h"
#include "engine/base/json_error.h"
#include "engine/pipeline/execute.h"
#include "engine/pipeline/locate.h"
#include "engine/rpc/server.h"
#include "engine/worker/memory_bound.h"
#include "engine/worker/serve.h"
#include "engine/worker/stdio_guard.h"

#include <fmt/format.h>
#include <unistd.h>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace kw::worker {
namespace {

using rpc::Progress;

Result<Json> ask_about(const Json& params, std::string_view method,
                       const std::function<Result<Json>(const std::string& device)>& answer) {
    const auto member = params.is_object() ? params.find("device") : params.end();
    if (!params.is_object() || member == params.end() || !member->is_string())
        return fail(Stage::rpc, ErrorCode::invalid_input, fmt::format("'{}' takes the name of a device", method));
    return answer(member->get<std::string>());
}

/// What was described stays open: a GPU's context is its process's, and the job that follows finds it made.
class Descriptions {
public:
    Result<Json> describe(const std::string& id) {
        auto& device = devices_[id];
        if (!device) {
            auto opened = pipeline::open_device(id);
            if (!opened) return std::unexpected(std::move(opened.error()));
            device = std::move(*opened);
        }
        return device::to_json(device->info());
    }

private:
    std::map<std::string, std::unique_ptr<device::Device>> devices_;
};

/// An error is told in the answer too, so that the device's loss is.
Json with_lost_device(Result<Json> answer) {
    Json json = answer ? std::move(*answer) : Json{{"error", rpc::to_json(answer.error())}};
    json["device_lost"] = true;
    return json;
}

/// {job, told} → {fault?}
Result<Json> locate(const Json& params, std::stop_token stop) try {
    const auto job = pipeline::job_from_json(params.at("job"));
    if (!job) return std::unexpected(job.error());
    const auto told = device::fault_kind_from(params.at("told").get<std::string>());
    const auto fault = pipeline::find_on_simulator(*job, told, std::move(stop));
    if (!fault) return std::unexpected(fault.error());
    return *fault ? Json{{"fault", device::to_json(**fault)}} : Json::object();
} catch (const Json::exception& error) {
    return fail(Stage::rpc, ErrorCode::invalid_input,
                fmt::format("malformed parameters of 'locate': {}", what_is_wrong(error)));
}

Result<Json> list_devices() {
    Json devices = Json::array();
    for (const auto& info : pipeline::list_devices()) devices.push_back(device::to_json(info));
    return Json{{"devices", std::move(devices)}};
}

} // namespace

Result<void> execute_jobs(std::uint64_t memory_bytes, std::string toolkit) {
    auto channel = take_stdio();
    if (!channel) return std::unexpected(std::move(channel.error()));
    // Nothing of this program prints there, so it can only be a kernel.
    if (auto captured = capture_standard_output(); !captured) return captured;
    bound_memory(memory_bytes);

    Descriptions descriptions; // used by the lane "inspect" alone
    pipeline::JobRunner runner{std::move(toolkit)};
    rpc::Server server{std::move(channel->input), std::move(channel->output)};
    bool lost = false; // used by the lane "jobs" alone
    // One lane: a device is used by one job at a time.
    server.add("execute", {.lane = "jobs",
                           // What the driver has left in this process cannot be trusted after a fault.
                           .answered =
                               [&] {
                                   if (lost) ::_exit(0);
                               },
                           .live_handler = [&](const Json& params, std::stop_token stop, const Progress& progress,
                                               const profile::Live& live) -> Result<Json> {
                               auto answer = runner.run(params, std::move(stop), progress, live);
                               lost = runner.lost();
                               return lost ? with_lost_device(std::move(answer)) : std::move(answer);
                           }});
    server.add("locate", {.handler = [](const Json& params, std::stop_token stop,
                                        const Progress&) { return locate(params, std::move(stop)); },
                          .lane = "jobs"});
    server.add("open", {.handler =
                            [&](const Json& params, std::stop_token, const Progress&) {
                                return ask_about(params, "open",
                                                 [&](const auto& device) { return runner.open(device); });
                            },
                        .lane = "jobs"});
    server.add("ladder", {.handler =
                              [&](const Json& params, std::stop_token, const Progress&) {
                                  return ask_about(params, "ladder",
                                                   [&](const auto& device) { return runner.ladder(device); });
                              },
                          .lane = "jobs"});
    // Another, so that the devices can be asked for while a kernel runs. These open devices of their own.
    server.add("describe", {.handler =
                                [&](const Json& params, std::stop_token, const Progress&) {
                                    return ask_about(params, "describe",
                                                     [&](const auto& device) { return descriptions.describe(device); });
                                },
                            .lane = "inspect"});
    server.add("devices", {.handler = [](const Json&, std::stop_token, const Progress&) { return list_devices(); },
                           .lane = "inspect"});
    const auto served = server.serve();
    // A kernel may be running that hears no stop; whoever wanted its result is gone.
    ::_exit(served ? 0 : 3);
}

} // namespace kw::worker
