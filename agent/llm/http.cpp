#include "agent/llm/http.h"

#include "engine/base/version.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <memory>
#include <mutex>

namespace kw::llm {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t kMostOfAFailure = std::size_t{64} << 10;
constexpr std::size_t kMostHeaders = 256;

struct Free {
    void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
    void operator()(curl_slist* list) const {
        // The key is in one of them.
        for (auto* item = list; item; item = item->next)
            std::fill_n(item->data, std::char_traits<char>::length(item->data), '\0');
        curl_slist_free_all(list);
    }
    void operator()(CURLU* url) const { curl_url_cleanup(url); }
    void operator()(char* text) const { curl_free(text); }
};
struct FreeMulti { // CURL and CURLM are one type
    void operator()(CURLM* handle) const { curl_multi_cleanup(handle); }
};

std::string lower(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return text;
}

/// What one transfer's callbacks need.
struct Transfer {
    const BodySink& sink;
    std::size_t largest;
    HttpHead head{};
    std::string failure_body{};
    std::size_t received = 0;
    Clock::time_point last_byte = Clock::now();
    std::optional<Error> refused{};
    bool enough = false;

    bool good() const { return head.status >= 200 && head.status < 300; }

    void header(std::string_view line) {
        last_byte = Clock::now();
        if (line.starts_with("HTTP/")) {
            head.headers.clear(); // of a proxy, or an interim answer
            const auto space = line.find(' ');
            head.status = space == line.npos ? 0 : std::atoi(std::string{line.substr(space + 1)}.c_str());
            return;
        }
        const auto colon = line.find(':');
        if (colon == line.npos || head.headers.size() >= kMostHeaders) return;
        auto value = line.substr(colon + 1);
        while (!value.empty() && std::isspace(static_cast<unsigned char>(value.front()))) value.remove_prefix(1);
        while (!value.empty() && std::isspace(static_cast<unsigned char>(value.back()))) value.remove_suffix(1);
        head.headers[lower(std::string{line.substr(0, colon)})] = value;
    }

    bool body(std::string_view bytes) {
        last_byte = Clock::now();
        received += bytes.size();
        if (!good()) {
            failure_body += bytes.substr(0, kMostOfAFailure - std::min(kMostOfAFailure, failure_body.size()));
            return failure_body.size() < kMostOfAFailure;
        }
        if (received > largest) {
            refused = Error{Stage::environment, ErrorCode::unsupported,
                            fmt::format("the server's answer is larger than {} MiB and was cut off", largest >> 20)};
            return false;
        }
        auto more = sink(head, bytes);
        if (!more)
            refused = std::move(more.error());
        else
            enough = !*more;
        return more && *more;
    }
};

std::size_t on_header(char* data, std::size_t size, std::size_t count, void* to) {
    static_cast<Transfer*>(to)->header({data, size * count});
    return size * count;
}

std::size_t on_body(char* data, std::size_t size, std::size_t count, void* to) {
    return static_cast<Transfer*>(to)->body({data, size * count}) ? size * count : CURL_WRITEFUNC_ERROR;
}

std::string ca_file(const HttpOptions& options) {
    if (!options.ca_file.empty()) return options.ca_file;
    for (const char* name : {"SSL_CERT_FILE", "CURL_CA_BUNDLE"})
        if (const char* value = std::getenv(name); value && *value) return value;
    return {};
}

std::string place(const std::string& url) {
    const auto parsed = parse_url(url);
    return parsed ? parsed->host + (parsed->port.empty() ? "" : ":" + parsed->port) : "the server";
}

HttpFailure without_answer(ErrorCode code, std::string message, bool transient = false) {
    HttpFailure failure;
    failure.transient = transient;
    failure.error = {Stage::environment, code, std::move(message)};
    return failure;
}

HttpFailure transport_failure(CURLcode code, const HttpRequest& request, const HttpOptions& options,
                              const char* detail) {
    const auto at = place(request.url);
    const auto make = [&](ErrorCode kind, bool transient, std::string message) {
        auto failure = without_answer(kind, std::move(message), transient);
        if (*detail) failure.error.detail = detail;
        return failure;
    };
    switch (code) {
    case CURLE_PEER_FAILED_VERIFICATION:
        return make(ErrorCode::invalid_input, false,
                    fmt::format("the certificate of {} is not to be trusted ({}); for a server of your own name its "
                                "authority's file with --ca-file or SSL_CERT_FILE",
                                at, *detail ? detail : curl_easy_strerror(code)));
    case CURLE_SSL_CACERT_BADFILE:
        return make(ErrorCode::invalid_input, false,
                    fmt::format("'{}' cannot be read as a file of certificates; check --ca-file and SSL_CERT_FILE",
                                ca_file(options)));
    case CURLE_SSL_CONNECT_ERROR:
        return make(ErrorCode::invalid_input, false,
                    fmt::format("{} does not answer with TLS ({}); check whether its address begins with http:// "
                                "instead of https://",
                                at, *detail ? detail : curl_easy_strerror(code)));
    case CURLE_COULDNT_RESOLVE_HOST:
        return make(ErrorCode::not_found, false,
                    fmt::format("there is no host '{}'; check the base URL and the network", at));
    case CURLE_COULDNT_RESOLVE_PROXY:
        return make(ErrorCode::not_found, false, "there is no such proxy; check --proxy and https_proxy");
    case CURLE_COULDNT_CONNECT:
        return make(ErrorCode::not_found, true,
                    fmt::format("nothing answers at {}; check that the server runs and the base URL is its own", at));
    case CURLE_OPERATION_TIMEDOUT: return make(ErrorCode::timeout, true, fmt::format("{} did not answer in time", at));
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
        return make(ErrorCode::invalid_input, false, fmt::format("'{}' is not an http or https URL", request.url));
    default:
        return make(ErrorCode::unsupported, true,
                    fmt::format("the connection to {} broke ({})", at, *detail ? detail : curl_easy_strerror(code)));
    }
}

} // namespace

std::string HttpHead::header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string{} : found->second;
}

std::expected<HttpHead, HttpFailure> http(const HttpRequest& request, const HttpOptions& options, const BodySink& sink,
                                          std::stop_token stop) {
    static std::once_flag started;
    std::call_once(started, [] { curl_global_init(CURL_GLOBAL_DEFAULT); });
    const std::unique_ptr<CURLM, FreeMulti> multi{curl_multi_init()};
    const std::unique_ptr<CURL, Free> easy{curl_easy_init()};
    if (!multi || !easy) return std::unexpected(without_answer(ErrorCode::internal, "libcurl could not be started"));
    std::unique_ptr<curl_slist, Free> headers;
    const auto add_header = [&headers](const std::string& line) {
        auto* const before = headers.release();
        auto* const grown = curl_slist_append(before, line.c_str());
        headers.reset(grown ? grown : before);
    };
    for (const auto& [name, value] : request.headers) add_header(fmt::format("{}: {}", name, value));
    add_header("Expect:");
    if (!request.key.empty()) {
        const Secret line{request.key_header + ": " + request.key_prefix + std::string{request.key.reveal()}};
        add_header(std::string{line.reveal()});
    }

    Transfer transfer{.sink = sink, .largest = options.largest};
    char detail[CURL_ERROR_SIZE] = "";
    const auto agent = fmt::format("kernelwright/{}", version());
    auto* const handle = easy.get();
    const auto set = [handle](CURLoption option, auto value) { curl_easy_setopt(handle, option, value); };
    set(CURLOPT_URL, request.url.c_str());
    set(CURLOPT_PROTOCOLS_STR, "http,https");
    set(CURLOPT_FOLLOWLOCATION, 0L);
    set(CURLOPT_NOSIGNAL, 1L);
    set(CURLOPT_HTTPHEADER, headers.get());
    set(CURLOPT_USERAGENT, agent.c_str());
    set(CURLOPT_ERRORBUFFER, detail);
    set(CURLOPT_HEADERFUNCTION, on_header);
    set(CURLOPT_HEADERDATA, static_cast<void*>(&transfer));
    set(CURLOPT_WRITEFUNCTION, on_body);
    set(CURLOPT_WRITEDATA, static_cast<void*>(&transfer));
    set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>(options.connect_timeout.count()));
    set(CURLOPT_TIMEOUT_MS, static_cast<long>(options.total_timeout.count()));
    set(CURLOPT_TCP_KEEPALIVE, 1L);
    if (request.body) {
        set(CURLOPT_POST, 1L);
        set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request.body->size()));
        set(CURLOPT_POSTFIELDS, request.body->data());
    }
    const auto url = parse_url(request.url);
    if (!options.proxy.empty())
        set(CURLOPT_PROXY, options.proxy.c_str());
    else if (url && url->loopback())
        set(CURLOPT_PROXY, ""); // what is on this machine is never reached through another
    const auto authorities = ca_file(options);
    if (!authorities.empty()) set(CURLOPT_CAINFO, authorities.c_str());

    curl_multi_add_handle(multi.get(), handle);
    std::optional<CURLcode> outcome;
    bool idle = false;
    {
        const std::stop_callback wake{stop, [&multi] { curl_multi_wakeup(multi.get()); }};
        while (!outcome && !idle && !stop.stop_requested()) {
            int running = 0;
            if (curl_multi_perform(multi.get(), &running) != CURLM_OK) outcome = CURLE_RECV_ERROR;
            int left = 0;
            while (const auto* message = curl_multi_info_read(multi.get(), &left))
                if (message->msg == CURLMSG_DONE) outcome = message->data.result;
            if (outcome) break;
            idle = Clock::now() - transfer.last_byte > options.idle_timeout;
            if (!idle) curl_multi_poll(multi.get(), nullptr, 0, 200, nullptr);
        }
    }
    curl_multi_remove_handle(multi.get(), handle);
    if (stop.stop_requested() && !outcome)
        return std::unexpected(without_answer(ErrorCode::cancelled, "the request was stopped"));
    HttpFailure failure;
    if (transfer.refused) {
        failure.error = std::move(*transfer.refused);
        return std::unexpected(std::move(failure));
    }
    if (idle)
        return std::unexpected(without_answer(ErrorCode::timeout,
                                              fmt::format("{} has sent nothing for {:.3g} s", place(request.url),
                                                          std::chrono::duration<double>(options.idle_timeout).count()),
                                              true));
    if (transfer.head.status != 0 && !transfer.good()) {
        failure.head = std::move(transfer.head);
        failure.body = std::move(transfer.failure_body);
        return std::unexpected(std::move(failure));
    }
    if (*outcome != CURLE_OK && !transfer.enough)
        return std::unexpected(transport_failure(*outcome, request, options, detail));
    return transfer.head;
}

bool Url::loopback() const {
    const bool address = host.find_first_not_of("0123456789.") == std::string::npos; // 127.example.com is none
    return host == "localhost" || host == "::1" || (address && host.starts_with("127."));
}

std::string Url::text() const {
    const auto name = host.contains(':') ? "[" + host + "]" : host;
    return scheme + "://" + name + (port.empty() ? "" : ":" + port) + path;
}

Result<Url> parse_url(const std::string& text) {
    // The text is not repeated where it may hold a password.
    const auto refuse = [](std::string why) {
        return fail(Stage::usage, ErrorCode::invalid_input, fmt::format("the base URL {}", why));
    };
    const std::unique_ptr<CURLU, Free> url{curl_url()};
    if (!url || curl_url_set(url.get(), CURLUPART_URL, text.c_str(), CURLU_NON_SUPPORT_SCHEME) != CURLUE_OK)
        return refuse("is none; it is like https://api.example.com/v1 or http://localhost:8000/v1");
    const auto part = [&](CURLUPart which) {
        char* value = nullptr;
        if (curl_url_get(url.get(), which, &value, 0) != CURLUE_OK) return std::string{};
        return std::string{std::unique_ptr<char, Free>{value}.get()};
    };
    if (!part(CURLUPART_USER).empty() || !part(CURLUPART_PASSWORD).empty())
        return refuse("holds a user name or password; put the key into KW_API_KEY instead");
    if (!part(CURLUPART_QUERY).empty() || !part(CURLUPART_FRAGMENT).empty())
        return refuse("holds a '?' or '#'; give the part before it");
    Url parsed{lower(part(CURLUPART_SCHEME)), lower(part(CURLUPART_HOST)), part(CURLUPART_PORT), part(CURLUPART_PATH)};
    if (parsed.scheme != "http" && parsed.scheme != "https") return refuse("begins with neither http:// nor https://");
    if (parsed.host.starts_with('[')) parsed.host = parsed.host.substr(1, parsed.host.size() - 2);
    while (parsed.path.ends_with('/')) parsed.path.pop_back();
    return parsed;
}

} // namespace kw::llm
