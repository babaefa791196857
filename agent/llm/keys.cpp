#include "agent/llm/keys.h"

#include "engine/base/process.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>

namespace kw::llm {
namespace {

constexpr const char* kOwnVariable = "KW_API_KEY";
/// A keyring that has to be unlocked asks its user.
constexpr auto kKeyringTime = std::chrono::seconds{60};

std::string environment(const std::string& name) {
    const char* value = name.empty() ? nullptr : std::getenv(name.c_str());
    return value ? value : "";
}

Result<FoundKey> made(std::string value, std::string source) {
    while (!value.empty() && (value.back() == '\n' || value.back() == '\r')) value.pop_back();
    if (std::ranges::any_of(value, [](unsigned char c) { return c <= ' ' || c == 127; }))
        return fail(Stage::usage, ErrorCode::invalid_input,
                    fmt::format("the key in {} holds blanks or control characters; set it anew", source));
    if (value.empty()) source.clear();
    if (!value.empty() && value.size() < Redactor::kShortest)
        return fail(
            Stage::usage, ErrorCode::invalid_input,
            fmt::format("the key in {} has fewer than {} characters, too few to be told from words and kept out "
                        "of what is written; leave it out where the server needs none, or give it a longer one",
                        source, Redactor::kShortest));
    return FoundKey{Secret{std::move(value)}, std::move(source)};
}

} // namespace

Result<FoundKey> find_key(const Catalog& catalog, const Url& url, const std::string& variable, std::stop_token stop) {
    if (!variable.empty()) {
        auto value = environment(variable);
        if (value.empty())
            return fail(Stage::usage, ErrorCode::not_found,
                        fmt::format("{} is not set; put the server's key into it", shell_word(variable)));
        return made(std::move(value), variable);
    }
    if (auto value = environment(kOwnVariable); !value.empty()) return made(std::move(value), kOwnVariable);
    const auto* server = catalog.server(url.host);
    if (server)
        if (auto value = environment(server->key); !value.empty()) return made(std::move(value), server->key);
    const auto tool = find_program("secret-tool");
    if (tool.empty()) return FoundKey{};
    auto asked = run({tool.string(), "lookup", "service", "kernelwright", "host", url.host},
                     {.timeout = kKeyringTime, .output_limit = 65536}, std::move(stop));
    if (!asked && asked.error().code == ErrorCode::cancelled) return std::unexpected(std::move(asked.error()));
    // No keyring, no session bus, no entry: there is no key.
    if (!asked || !asked->status.success()) return FoundKey{};
    return made(std::move(asked->output), "the keyring");
}

} // namespace kw::llm
