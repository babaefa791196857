#include "engine/worker/compile_wire.h"

#include "engine/base/base64.h"
#include "engine/base/json_error.h"
#include "engine/rpc/wire.h"

#include <fmt/format.h>

#include <exception>
#include <stdexcept>
#include <utility>

namespace kw::worker {
namespace {

std::unexpected<Error> malformed(const char* what, const std::exception& error) {
    return fail(Stage::rpc, ErrorCode::internal, fmt::format("a malformed {}: {}", what, what_is_wrong(error)));
}

} // namespace

Json to_json(const compile::Request& request) {
    Json json{{"files", rpc::files_to_json(request.files)},
              {"main", request.main},
              {"defines", Json::array()},
              {"kernels", request.kernels},
              {"arch", request.arch},
              {"cubin", request.cubin},
              {"syntax_only", request.syntax_only},
              {"line_info", request.line_info},
              {"timeout_s", request.timeout_s}};
    for (const auto& [name, value] : request.defines) json["defines"].push_back(Json::array({name, value}));
    return json;
}

Result<compile::Request> request_from_json(const Json& json) try {
    compile::Request request;
    auto files = rpc::files_from_json(json.at("files"));
    if (!files) return std::unexpected(std::move(files.error()));
    request.files = std::move(*files);
    request.main = json.at("main").get<std::string>();
    for (const auto& item : json.at("defines"))
        request.defines.emplace_back(item.at(0).get<std::string>(), item.at(1).get<std::string>());
    request.kernels = json.at("kernels").get<std::vector<std::string>>();
    request.arch = json.at("arch").get<std::string>();
    request.cubin = json.at("cubin").get<bool>();
    request.syntax_only = json.at("syntax_only").get<bool>();
    request.line_info = json.at("line_info").get<bool>();
    request.timeout_s = json.at("timeout_s").get<double>();
    return request;
} catch (const std::exception& error) {
    return malformed("compilation request", error);
}

Json whole_output_to_json(const compile::Output& output) {
    auto json = compile::to_json(output);
    json["ptx"] = output.ptx;
    json["cubin"] = base64_encode(output.cubin);
    json["log"] = output.log;
    return json;
}

Result<compile::Output> whole_output_from_json(const Json& json) try {
    compile::Output output;
    output.ok = json.at("ok").get<bool>();
    output.milliseconds = json.at("ms").get<double>();
    for (const auto& item : json.at("diagnostics")) output.diagnostics.push_back(compile::diagnostic_from_json(item));
    for (const auto& item : json.at("kernels")) output.kernels.push_back(compile::kernel_from_json(item));
    output.ptx = json.at("ptx").get<std::string>();
    output.log = json.at("log").get<std::string>();
    auto cubin = base64_decode(json.at("cubin").get<std::string>());
    if (!cubin) throw std::invalid_argument("the code is not base64");
    output.cubin = std::move(*cubin);
    return output;
} catch (const std::exception& error) {
    return malformed("compilation result", error);
}

} // namespace kw::worker
