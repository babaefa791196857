#include "engine/worker/child_compiler.h"

#include "engine/base/json_error.h"
#include "engine/worker/compile_wire.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <exception>
#include <utility>

namespace kw::worker {
namespace {

/// Opening NVRTC takes tens of milliseconds, from a slow disk some seconds.
constexpr std::chrono::seconds kOpenTime{60};

compile::Output crashed_output(const compile::Request& request, const Error& error) {
    compile::Diagnostic diagnostic;
    diagnostic.file = request.main;
    diagnostic.message = fmt::format("the compiler broke down on this source: {}", error.message);
    compile::Output output;
    output.diagnostics.push_back(std::move(diagnostic));
    return output;
}

} // namespace

Result<void> ChildCompiler::start() {
    if (child_ && child_->alive()) return {};
    child_.reset();
    auto started = rpc::Client::start({.arguments = command_}, "the process that compiles");
    if (!started) return std::unexpected(std::move(started.error()));
    // It would be killed all the same: NVRTC rarely heeds a cancel.
    (*started)->set_cancel_patience(std::chrono::milliseconds{0});
    child_ = std::move(*started);
    return {};
}

Result<std::unique_ptr<compile::Compiler>> ChildCompiler::open(std::vector<std::string> command) try {
    std::unique_ptr<ChildCompiler> compiler{new ChildCompiler{std::move(command)}};
    if (auto started = compiler->start(); !started) return std::unexpected(std::move(started.error()));
    const auto json = compiler->child_->call("describe", Json::object(), {}, {}, kOpenTime);
    if (!json) return std::unexpected(json.error());
    compiler->version_ = json->at("version").get<std::string>();
    compiler->architectures_ = json->at("architectures").get<std::vector<std::string>>();
    return compiler;
} catch (const std::exception& error) {
    return fail(Stage::compile, ErrorCode::internal,
                fmt::format("the process that compiles describes itself wrongly: {}", what_is_wrong(error)));
}

Result<compile::Output> ChildCompiler::compile(const compile::Request& request, std::stop_token stop) {
    using Milliseconds = std::chrono::duration<double, std::milli>;
    const auto begin = std::chrono::steady_clock::now();
    constexpr double kLongest = 1e6;
    const auto limit = std::chrono::ceil<std::chrono::milliseconds>(
        std::chrono::duration<double>{std::min(request.timeout_s, kLongest)});
    Result<Json> json;
    for (int attempt = 1;; ++attempt) {
        if (auto started = start(); !started) return std::unexpected(std::move(started.error()));
        bool answered = false;
        json = child_->call("compile", to_json(request), stop, {}, limit, &answered);
        if (answered) {
            if (!json) return std::unexpected(json.error());
            return whole_output_from_json(*json);
        }
        child_.reset();
        // Somebody else may have ended it. A source that does so will do it again.
        if (json.error().code != ErrorCode::crashed || attempt == 2) break;
    }
    auto error = json.error();
    error.stage = Stage::compile;
    if (error.code == ErrorCode::cancelled) {
        error.message = "the compilation was cancelled";
        return std::unexpected(std::move(error));
    }
    if (error.code != ErrorCode::timeout && error.code != ErrorCode::crashed) return std::unexpected(std::move(error));
    auto output = error.code == ErrorCode::timeout ? compile::stopped_output(request) : crashed_output(request, error);
    output.milliseconds = Milliseconds(std::chrono::steady_clock::now() - begin).count();
    return output;
}

} // namespace kw::worker
