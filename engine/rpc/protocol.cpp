#include "engine/rpc/protocol.h"

#include "engine/base/file.h"
#include "engine/base/json_error.h"

#include <fmt/format.h>

#include <utility>

namespace kw::rpc {
namespace {

Fault fault_of(const Error& error) {
    if (error.code == ErrorCode::cancelled) return Fault::cancelled;
    if (error.stage != Stage::rpc) return Fault::application;
    switch (error.code) {
    case ErrorCode::invalid_input: return Fault::invalid_params;
    case ErrorCode::not_found: return Fault::method_not_found;
    case ErrorCode::internal: return Fault::internal_error;
    default: return Fault::application;
    }
}

std::string text_of(const Json& object, const char* name, std::string fallback = {}) {
    const auto member = object.is_object() ? object.find(name) : object.end();
    return object.is_object() && member != object.end() && member->is_string() ? member->get<std::string>() : fallback;
}

int number_of(const Json& object, const char* name) {
    const auto member = object.find(name);
    return member != object.end() && member->is_number_integer() ? member->get<int>() : 0;
}

std::string frame_of(const Json& message) {
    return frame(message.dump(-1, ' ', false, Json::error_handler_t::replace));
}

} // namespace

Json to_json(const Error& error) {
    Json data{{"stage", to_string(error.stage)}, {"code", to_string(error.code)}};
    if (!error.detail.empty()) data["detail"] = error.detail;
    if (!error.where.file.empty() || error.where.line > 0)
        data["where"] = Json{{"file", error.where.file}, {"line", error.where.line}, {"column", error.where.column}};
    return Json{{"code", static_cast<int>(fault_of(error))}, {"message", error.message}, {"data", std::move(data)}};
}

Error error_from_json(const Json& json) {
    Error error{.stage = Stage::rpc,
                .code = ErrorCode::internal,
                .message = text_of(json, "message", "the other side sent an error without a message")};
    if (!json.is_object()) return error;
    const auto data = json.find("data");
    if (data == json.end() || !data->is_object()) return error;
    error.stage = stage_from(text_of(*data, "stage"));
    error.code = error_code_from(text_of(*data, "code"));
    error.detail = text_of(*data, "detail");
    if (const auto where = data->find("where"); where != data->end() && where->is_object())
        error.where = Where{text_of(*where, "file"), number_of(*where, "line"), number_of(*where, "column")};
    return error;
}

Result<Json> parse_body(std::string_view body, const Limits& limits) {
    if (nesting_depth(body) > limits.depth)
        return fail(Stage::rpc, ErrorCode::invalid_input,
                    fmt::format("a message is nested deeper than {} levels", limits.depth));
    if (const auto bad = first_invalid_utf8(body); bad != std::string_view::npos)
        return fail(Stage::rpc, ErrorCode::invalid_input, fmt::format("a message is not UTF-8 at byte {}", bad));
    try {
        return Json::parse(body);
    } catch (const Json::parse_error& error) {
        return fail(Stage::rpc, ErrorCode::invalid_input, fmt::format("a message is not JSON at byte {}", error.byte));
    } catch (const Json::exception& error) {
        return fail(Stage::rpc, ErrorCode::invalid_input,
                    fmt::format("a message is not usable JSON: {}", what_is_wrong(error)));
    }
}

std::string request_frame(const Json& id, std::string_view method, Json params) {
    return frame_of(Json{{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", std::move(params)}});
}

std::string notification_frame(std::string_view method, Json params) {
    return frame_of(Json{{"jsonrpc", "2.0"}, {"method", method}, {"params", std::move(params)}});
}

std::string response_frame(const Json& id, const Result<Json>& result) {
    if (result) return frame_of(Json{{"jsonrpc", "2.0"}, {"id", id}, {"result", *result}});
    return frame_of(Json{{"jsonrpc", "2.0"}, {"id", id}, {"error", to_json(result.error())}});
}

} // namespace kw::rpc
