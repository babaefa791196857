#pragma once

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/rpc/framing.h"

#include <functional>
#include <string>
#include <string_view>

/// The messages of JSON-RPC 2.0 and how errors travel in them.
namespace kw::rpc {

/// Raised when a method changes so that an older peer would misunderstand it.
constexpr int kProtocolVersion = 1;

/// Told what is going on: a short phrase and a fraction done in [0, 1], negative when unknown.
using Progress = std::function<void(std::string_view what, double fraction)>;

/// error.code of a response. The first five are JSON-RPC's own (its specification, §5.1).
enum class Fault : int {
    parse_error = -32700,
    invalid_request = -32600,
    method_not_found = -32601,
    invalid_params = -32602,
    internal_error = -32603,
    cancelled = -32800,   ///< as the Language Server Protocol numbers it
    application = -32000, ///< everything else; error.data has the particulars
};

/// The `error` member of a response: code, message and data {stage, code, detail, where}.
[[nodiscard]] Json to_json(const Error& error);
/// Reads what another implementation may have sent; what is missing keeps its default.
[[nodiscard]] Error error_from_json(const Json& json);

/// Parses one body. Fails on text that is not UTF-8, not JSON or nested deeper than the limit.
[[nodiscard]] Result<Json> parse_body(std::string_view body, const Limits& limits = {});

/// Whole frames. Strings that are not UTF-8 are sent with U+FFFD in place of each bad byte.
[[nodiscard]] std::string request_frame(const Json& id, std::string_view method, Json params);
[[nodiscard]] std::string notification_frame(std::string_view method, Json params);
[[nodiscard]] std::string response_frame(const Json& id, const Result<Json>& result);

} // namespace kw::rpc
