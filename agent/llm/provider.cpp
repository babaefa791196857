#include "agent/llm/provider.h"

#include "agent/llm/json_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <condition_variable>
#include <cstring>
#include <ctime>
#include <mutex>
#include <optional>
#include <random>
#include <utility>

namespace kw::llm {
namespace {

using std::chrono::milliseconds;

constexpr std::string_view kTooLong = "the conversation is too long for the model";
/// Of what a server says about an error, so much is repeated.
constexpr std::size_t kMostOfAMessage = 400;

bool sleep_for(milliseconds time, std::stop_token stop) {
    std::mutex mutex;
    std::condition_variable_any never;
    std::unique_lock lock{mutex};
    never.wait_for(lock, stop, time, [] { return false; });
    return !stop.stop_requested();
}

std::string one_line(std::string text) {
    std::ranges::replace_if(text, [](unsigned char c) { return c < ' '; }, ' ');
    return std::string{utf8_prefix(text, kMostOfAMessage)};
}

/// "90 s", "5 min", "2 h"; a day stands for that or more.
std::string wait_text(milliseconds time) {
    const double seconds = std::chrono::duration<double>(time).count();
    if (seconds < 120) return fmt::format("{:.0f} s", seconds);
    if (seconds < 7200) return fmt::format("{:.0f} min", seconds / 60);
    return seconds < 86400 ? fmt::format("{:.0f} h", seconds / 3600) : "a day or more";
}

bool names_length(std::string_view text) {
    return text.contains("context_length_exceeded") || text.contains("maximum context length")
           || text.contains("context length") || text.contains("prompt is too long")
           || text.contains("exceeds the available context") || text.contains("context window");
}

/// What became of one try.
struct Attempt {
    std::optional<Reply> reply{};
    Error error{};
    bool transient = false;
    bool adapted = false; ///< the next request will be written differently
    std::optional<milliseconds> asked{};
};

class HttpProvider final : public Provider {
public:
    HttpProvider(Endpoint endpoint, Url url, std::unique_ptr<Dialect> dialect)
        : endpoint_(std::move(endpoint)), url_(std::move(url)), dialect_(std::move(dialect)), redactor_(endpoint_.key) {
        for (const auto& [name, value] : endpoint_.headers)
            if (looks_secret(name)) add_secret(value);
    }

    const Url& url() const override { return url_; }
    const Redactor& redactor() const override { return redactor_; }

    Result<Reply> complete(const Conversation& conversation, std::span<const ToolSpec> tools, const Settings& settings,
                           const OnDelta& on_delta, std::stop_token stop) override {
        milliseconds waited{0};
        for (int attempt = 1;;) {
            auto outcome = try_once(conversation, tools, settings, on_delta, stop);
            if (outcome.reply) return redacted(std::move(*outcome.reply));
            outcome.error.message = redactor_(std::move(outcome.error.message));
            outcome.error.detail = redactor_(std::move(outcome.error.detail));
            if (!outcome.adapted) {
                if (!outcome.transient) return std::unexpected(std::move(outcome.error));
                const auto wait =
                    wait_before_retry(endpoint_.retry, attempt, outcome.asked, waited, jitter_(generator_));
                if (!wait) return given_up(std::move(outcome), attempt);
                ++attempt;
                waited += *wait;
                if (!(endpoint_.wait ? endpoint_.wait(*wait, stop) : sleep_for(*wait, stop))) return stopped();
            }
            if (on_delta) on_delta({Delta::Kind::restart, {}});
        }
    }

    Result<std::vector<ServedModel>> models(std::stop_token stop) override {
        std::string text;
        const auto answer = http(
            request("/models"), endpoint_.http,
            [&text](const HttpHead&, std::string_view bytes) -> Result<bool> {
                text += bytes;
                return true;
            },
            std::move(stop));
        if (!answer) return std::unexpected(failed(answer.error()).error);
        const auto body = parse_json(text);
        const auto& list = body ? member(*body, "data") : member(Json{}, "data");
        if (!list.is_array())
            return fail(Stage::environment, ErrorCode::unsupported,
                        fmt::format("{} does not list its models in a form that is known", url_.host));
        std::vector<ServedModel> models;
        for (const auto& item : list) {
            ServedModel model{.id = redactor_(text_at(item, "id"))};
            for (const char* key : {"context_length", "max_model_len", "context_window"})
                if (model.context == 0) model.context = count_at(item, key);
            if (!model.id.empty()) models.push_back(std::move(model));
        }
        return models;
    }

private:
    /// Whole, and what follows "Bearer " or the like.
    void add_secret(const std::string& value) {
        redactor_.add(Secret{value});
        if (const auto blank = value.rfind(' '); blank != std::string::npos)
            redactor_.add(Secret{value.substr(blank + 1)});
    }

    static std::unexpected<Error> stopped() {
        return fail(Stage::environment, ErrorCode::cancelled, "the request was stopped");
    }

    HttpRequest request(std::string_view path) const {
        HttpRequest made{.url = url_.text() + std::string{path}, .headers = dialect_->headers()};
        made.headers.insert(made.headers.end(), endpoint_.headers.begin(), endpoint_.headers.end());
        std::tie(made.key_header, made.key_prefix) = dialect_->key_header();
        made.key = endpoint_.key;
        return made;
    }

    Attempt try_once(const Conversation& conversation, std::span<const ToolSpec> tools, const Settings& settings,
                     const OnDelta& on_delta, const std::stop_token& stop) {
        const auto body = dialect_->request(conversation, tools, settings, refused_);
        auto post = request(dialect_->path());
        post.headers.emplace_back("Content-Type", "application/json");
        post.headers.emplace_back("Accept", "text/event-stream, application/json");
        post.body = dump(body);

        auto reader = dialect_->reader();
        SseParser events{endpoint_.http.largest};
        std::string whole;
        bool streams = true;
        StreamRedactor text{redactor_}, reasoning{redactor_}, arguments{redactor_};
        const auto pass_on = [&](Delta delta) {
            if (!on_delta) return;
            auto& guard = delta.kind == Delta::Kind::text        ? text
                          : delta.kind == Delta::Kind::reasoning ? reasoning
                                                                 : arguments;
            delta.text = guard.feed(delta.text);
            if (!delta.text.empty()) on_delta(std::move(delta));
        };
        const SseParser::Sink take = [&](const SseEvent& event) -> Result<bool> {
            return reader->event(event, pass_on);
        };
        const auto answer = http(
            post, endpoint_.http,
            [&](const HttpHead& head, std::string_view bytes) -> Result<bool> {
                streams = !head.header("content-type").contains("application/json");
                if (streams) return events.feed(bytes, take);
                whole += bytes;
                return true;
            },
            stop);
        if (!answer && (answer.error().head.status != 0 || answer.error().error.code == ErrorCode::cancelled))
            return refused(answer.error(), body);
        if (streams) {
            if (auto ended = events.finish(take); !ended && answer) return {.error = std::move(ended.error())};
        } else if (const auto json = parse_json(whole)) {
            reader->whole(*json, pass_on);
        }
        auto reply = reader->finish();
        if (reply) {
            if (on_delta)
                for (auto& [kind, guard] :
                     {std::pair{Delta::Kind::reasoning, &reasoning}, std::pair{Delta::Kind::text, &text}})
                    if (auto rest = guard->finish(); !rest.empty()) on_delta({kind, std::move(rest)});
            return {.reply = std::move(*reply)};
        }
        // What broke the connection says more than that the reply is not whole.
        if (!answer) return failed(answer.error());
        return broken(reply.error());
    }

    Attempt broken(const StreamFailure& failure) const {
        Attempt attempt{.transient = failure.transient};
        attempt.error = {Stage::environment, ErrorCode::unsupported,
                         fmt::format("{} ended its reply with an error: {}", url_.host, one_line(failure.message))};
        if (names_length(failure.type) || names_length(failure.message)) {
            attempt.error.message = fmt::format("{} ({})", kTooLong, one_line(failure.message));
            attempt.transient = false;
        }
        return attempt;
    }

    /// An answer that is none, or a connection that broke. Without the key, which a server may repeat.
    Attempt failed(const HttpFailure& failure) const {
        auto attempt = explained(failure);
        attempt.error.message = redactor_(std::move(attempt.error.message));
        attempt.error.detail = redactor_(std::move(attempt.error.detail));
        return attempt;
    }

    Attempt explained(const HttpFailure& failure) const {
        if (failure.head.status == 0) return {.error = failure.error, .transient = failure.transient};
        const int status = failure.head.status;
        Attempt attempt{.transient = is_transient(failure.head)};
        if (attempt.transient) attempt.asked = asked_wait(failure.head, std::time(nullptr));
        const auto json = parse_json(failure.body);
        const auto told = json ? failure_of(*json) : StreamFailure{false, {}, failure.body};
        const auto said = one_line(told.message);
        const auto error = [&](Stage stage, ErrorCode code, std::string message) {
            attempt.error = {stage, code, std::move(message)};
        };
        if (names_length(told.type) || (status < 500 && names_length(told.message)))
            error(Stage::environment, ErrorCode::unsupported, fmt::format("{} ({})", kTooLong, said));
        else if (status == 401 || status == 403)
            error(Stage::usage, ErrorCode::invalid_input,
                  endpoint_.key.empty()
                      ? fmt::format("{} wants a key and none was found; set KW_API_KEY or the server's own variable",
                                    url_.host)
                      : fmt::format("{} does not accept the key (status {}: {})", url_.host, status, said));
        else if (status >= 300 && status < 400)
            error(Stage::usage, ErrorCode::invalid_input,
                  fmt::format("{} redirects to '{}', which is not followed as a key would go along; give that address "
                              "with --base-url if it is right",
                              url_.host, one_line(failure.head.header("location"))));
        else if (status == 404)
            error(Stage::usage, ErrorCode::not_found,
                  fmt::format("{} has no such model or no {}{} (status 404: {}); 'kw agent models' lists the models",
                              url_.host, url_.path, dialect_->path(), said));
        else
            error(Stage::environment, ErrorCode::unsupported,
                  fmt::format("{} refused the request (status {}: {})", url_.host, status, said));
        attempt.error.detail = failure.body;
        return attempt;
    }

    /// A refusal that names a member of the request which it can do without leads to one without it.
    Attempt refused(const HttpFailure& failure, const Json& body) {
        auto attempt = failed(failure);
        if (failure.head.status != 400 && failure.head.status != 422) return attempt;
        if (context_exceeded(attempt.error)) return attempt;
        for (const auto& member : dialect_->optional_members()) {
            const auto name = member.substr(0, member.find('.'));
            if (!body.contains(name) || !failure.body.contains(name)) continue;
            if (!refused_.insert(member).second) continue;
            attempt.adapted = true;
            break;
        }
        return attempt;
    }

    Result<Reply> given_up(Attempt outcome, int attempts) const {
        auto& error = outcome.error;
        if (attempts > 1) error.message += fmt::format("; gave up after {} tries", attempts);
        if (outcome.asked && *outcome.asked > endpoint_.retry.longest_wait)
            error.message += fmt::format("; it asks to wait {}, longer than is waited here: try again then",
                                         wait_text(*outcome.asked));
        return std::unexpected(std::move(error));
    }

    Reply redacted(Reply reply) const {
        const auto clean = [this](Json json) {
            auto text = dump(json);
            auto cleaned = redactor_(text);
            if (cleaned == text) return json;
            return parse_json(cleaned).value_or(Json());
        };
        reply.text = redactor_(std::move(reply.text));
        reply.reasoning = redactor_(std::move(reply.reasoning));
        reply.model = redactor_(std::move(reply.model));
        reply.state = clean(std::move(reply.state));
        for (auto& use : reply.tool_uses) {
            use.id = redactor_(std::move(use.id));
            use.name = redactor_(std::move(use.name));
            use.arguments = clean(std::move(use.arguments));
            use.unparsable = redactor_(std::move(use.unparsable));
        }
        return reply;
    }

    Endpoint endpoint_;
    Url url_;
    std::unique_ptr<Dialect> dialect_;
    Redactor redactor_;
    Refused refused_;
    std::minstd_rand generator_{std::random_device{}()};
    std::uniform_real_distribution<double> jitter_{0, 1};
};

} // namespace

std::string default_base_url(Protocol protocol) {
    return protocol == Protocol::anthropic ? "https://api.anthropic.com/v1" : "https://api.openai.com/v1";
}

Result<std::unique_ptr<Provider>> make_provider(Endpoint endpoint) {
    if (endpoint.base_url.empty()) endpoint.base_url = default_base_url(endpoint.protocol);
    auto url = parse_url(endpoint.base_url);
    if (!url) return std::unexpected(std::move(url.error()));
    if (url->path.empty()) url->path = "/v1";
    const bool secret = !endpoint.key.empty() || std::ranges::any_of(endpoint.headers, [](const auto& header) {
        return looks_secret(header.first);
    });
    if (secret && url->scheme == "http" && !url->loopback())
        return fail(Stage::usage, ErrorCode::invalid_input,
                    fmt::format("the key would travel to {} unencrypted; use https, or reach the server through an SSH "
                                "tunnel to localhost",
                                url->host));
    std::unique_ptr<Dialect> dialect;
    switch (endpoint.protocol) {
    case Protocol::chat: dialect = make_chat_dialect(url->host == "api.openai.com"); break;
    case Protocol::responses: dialect = make_responses_dialect(); break;
    case Protocol::anthropic: dialect = make_anthropic_dialect(); break;
    }
    return std::make_unique<HttpProvider>(std::move(endpoint), std::move(*url), std::move(dialect));
}

bool looks_secret(std::string_view header) {
    std::string name{header};
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    for (const char* word : {"auth", "cookie", "key", "token", "secret", "pass", "credential", "signature"})
        if (name.contains(word)) return true;
    return false;
}

Result<std::pair<std::string, std::string>> parse_header(const std::string& line) {
    const auto refuse = [](std::string why) { return fail(Stage::usage, ErrorCode::invalid_input, std::move(why)); };
    const auto colon = line.find(':');
    const auto name = line.substr(0, colon);
    // RFC 9110, section 5.6.2: what a name is made of. The line itself may hold a secret and is not repeated.
    const auto odd = [](unsigned char c) { return !std::isalnum(c) && !std::strchr("!#$%&'*+-.^_`|~", c); };
    if (colon == std::string::npos || name.empty() || std::ranges::any_of(name, odd))
        return refuse("--header takes a name, a colon and a value, such as 'X-Team: kernels'");
    const auto start = std::min(line.find_first_not_of(" \t", colon + 1), line.size());
    auto value = line.substr(start);
    while (!value.empty() && (value.back() == ' ' || value.back() == '\t')) value.pop_back();
    if (value.empty() || std::ranges::any_of(value, [](unsigned char c) { return c < ' ' || c == 127; }))
        return refuse(fmt::format("the value of --header {} is empty or holds control characters", name));
    std::string small = name;
    std::ranges::transform(small, small.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    for (const char* own : {"host", "content-length", "content-type", "transfer-encoding", "connection", "accept"})
        if (small == own) return refuse(fmt::format("the header {} is set by the program itself", name));
    if (looks_secret(name) && value.size() < Redactor::kShortest)
        return refuse(
            fmt::format("the value of --header {} has fewer than {} characters, too few to be kept out of what "
                        "is written",
                        name, Redactor::kShortest));
    return std::pair{name, std::move(value)};
}

bool context_exceeded(const Error& error) { return error.message.starts_with(kTooLong); }

} // namespace kw::llm
