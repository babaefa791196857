#pragma once

#include "agent/llm/secret.h"
#include "engine/base/result.h"

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kw::llm {

struct HttpOptions {
    std::chrono::milliseconds connect_timeout = std::chrono::seconds{20};
    /// Without a byte from the server; models that think may say nothing for minutes.
    std::chrono::milliseconds idle_timeout = std::chrono::minutes{5};
    std::chrono::milliseconds total_timeout = std::chrono::minutes{30};
    std::size_t largest = std::size_t{32} << 20; ///< bytes of an answer
    std::string proxy{};                         ///< empty: http_proxy, https_proxy, no_proxy
    std::string ca_file{};                       ///< empty: SSL_CERT_FILE, CURL_CA_BUNDLE, else the system's
};

struct HttpRequest {
    std::string url;
    std::vector<std::pair<std::string, std::string>> headers{};
    std::string key_header{}; ///< "x-api-key", "authorization"; the key follows `key_prefix`
    std::string key_prefix{};
    Secret key{};
    std::optional<std::string> body{}; ///< POSTed; none: GET
};

struct HttpHead {
    int status = 0;
    std::map<std::string, std::string> headers{}; ///< names in lower case

    [[nodiscard]] std::string header(const std::string& name) const;
};

/// Anything but an answer of status 2xx.
struct HttpFailure {
    HttpHead head{};        ///< status 0: there was no answer
    std::string body{};     ///< at most 64 KiB of it
    bool transient = false; ///< without an answer: whether trying again may help
    Error error{};          ///< without an answer, or when the sink refused it
};

/// Takes the next bytes of an answer of status 2xx; false: no more is wanted.
using BodySink = std::function<Result<bool>(const HttpHead&, std::string_view)>;

/// One request over libcurl. Redirects are not followed, since a key would go along. Stopped: ErrorCode::cancelled.
[[nodiscard]] std::expected<HttpHead, HttpFailure> http(const HttpRequest& request, const HttpOptions& options,
                                                        const BodySink& sink, std::stop_token stop);

struct Url {
    std::string scheme;
    std::string host; ///< in lower case, without brackets
    std::string port; ///< empty: the scheme's
    std::string path;
    /// Whether what is sent stays on this machine.
    [[nodiscard]] bool loopback() const;
    [[nodiscard]] std::string text() const;
};
/// A base URL. Refused: other schemes than http and https, user names and passwords, queries and fragments.
[[nodiscard]] Result<Url> parse_url(const std::string& text);

} // namespace kw::llm
