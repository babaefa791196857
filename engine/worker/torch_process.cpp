#include "engine/worker/torch_process.h"

#include "engine/base/json_error.h"
#include "torch_oracle_text.h"

#include <fmt/format.h>

#include <cstdlib>
#include <utility>

namespace kw::worker {
namespace {

constexpr std::chrono::seconds kStart{60}; ///< importing torch from a cold disk takes most of a minute on some clusters
constexpr std::chrono::seconds kRun{60};
constexpr std::chrono::seconds kTime{300}; ///< torch.compile of a large module takes minutes

std::string python() {
    const char* chosen = std::getenv("KERNELWRIGHT_PYTHON");
    return chosen && *chosen ? chosen : "python3";
}

std::unexpected<Error> unreadable(const std::exception& error) {
    return fail(Stage::task, ErrorCode::internal,
                fmt::format("the answer of the process that runs PyTorch cannot be read: {}", what_is_wrong(error)));
}

} // namespace

Result<Json> TorchProcess::call(std::string_view method, Json params, const std::string& file,
                                std::chrono::seconds limit, std::stop_token stop) {
    if (!client_ || !client_->alive()) {
        client_.reset();
        auto started = rpc::Client::start({.arguments = {python(), "-I", "-c", std::string(kTorchOracle)}},
                                          "the process that runs PyTorch");
        if (!started) {
            auto error = std::move(started.error());
            error.message += "; $KERNELWRIGHT_PYTHON names a Python that has PyTorch";
            return std::unexpected(std::move(error));
        }
        client_ = std::move(*started);
        auto hello = client_->call("hello", Json::object(), stop, {}, kStart);
        if (!hello) {
            client_.reset();
            hello.error().stage = Stage::environment;
            hello.error().message += "; $KERNELWRIGHT_PYTHON names a Python that has PyTorch";
            return hello;
        }
    }
    auto answer = client_->call(method, std::move(params), std::move(stop), {}, limit);
    if (answer) return answer;
    auto& error = answer.error();
    if (error.code == ErrorCode::timeout || error.code == ErrorCode::cancelled) client_.reset(); // it is not done yet
    if (error.code == ErrorCode::timeout)
        error.message = fmt::format("{} did not finish within {} s in PyTorch", file, limit.count());
    if (error.code == ErrorCode::crashed)
        error.message = fmt::format("PyTorch ended while it ran {}: {}", file, error.message);
    if (error.code == ErrorCode::timeout || error.code == ErrorCode::crashed) error.stage = Stage::task;
    return answer;
}

Result<pipeline::TorchRunner::Host> TorchProcess::host(std::stop_token stop) {
    const auto answer = call("hello", Json::object(), {}, kStart, std::move(stop));
    if (!answer) return std::unexpected(answer.error());
    try {
        return Host{answer->at("torch").get<std::string>(), answer->at("cuda").get<std::string>()};
    } catch (const Json::exception& error) {
        return unreadable(error);
    }
}

Result<void> TorchProcess::compute(const std::string& file, const std::string& source, const task::Sizes& sizes,
                                   std::uint64_t seed, const std::filesystem::path& folder, std::stop_token stop) {
    const auto answer = call("compute",
                             Json{{"file", file},
                                  {"source", source},
                                  {"sizes", pipeline::sizes_to_json(sizes)},
                                  {"seed", seed},
                                  {"folder", folder.string()}},
                             file, kRun, std::move(stop));
    if (!answer) return std::unexpected(answer.error());
    return {};
}

Result<std::map<std::string, pipeline::TorchTime>>
TorchProcess::time(const std::string& file, const std::string& source, const task::Sizes& sizes, std::uint64_t seed,
                   std::span<const std::string> baselines, double seconds, std::stop_token stop) {
    const auto answer = call("time",
                             Json{{"file", file},
                                  {"source", source},
                                  {"sizes", pipeline::sizes_to_json(sizes)},
                                  {"seed", seed},
                                  {"baselines", baselines},
                                  {"seconds", seconds}},
                             file, kTime, std::move(stop));
    if (!answer) return std::unexpected(answer.error());
    try {
        std::map<std::string, pipeline::TorchTime> times;
        for (const auto& [name, time] : answer->items())
            times[name] = {time.at("samples_us").get<std::vector<double>>(), time.value("problem", "")};
        return times;
    } catch (const Json::exception& error) {
        return unreadable(error);
    }
}

Result<Json> TorchProcess::describe(const std::string& file, const std::string& source, std::stop_token stop) {
    return call("describe", Json{{"file", file}, {"source", source}}, file, kRun, std::move(stop));
}

} // namespace kw::worker
