#include "agent/launch/server.h"

#include "agent/llm/keys.h"

#include <utility>

namespace kw::agent {
namespace {

llm::Protocol protocol_of(const std::string& name) {
    if (name == "responses") return llm::Protocol::responses;
    return name == "anthropic" ? llm::Protocol::anthropic : llm::Protocol::chat;
}

llm::Endpoint endpoint_of(const ServerChoice& server) {
    llm::Endpoint endpoint{.protocol = protocol_of(server.provider), .base_url = server.base_url};
    if (endpoint.base_url.empty()) endpoint.base_url = llm::default_base_url(endpoint.protocol);
    endpoint.http.proxy = server.proxy;
    endpoint.http.ca_file = server.ca_file;
    return endpoint;
}

} // namespace

Result<std::unique_ptr<llm::Provider>> open_provider(const ServerChoice& server, const llm::Catalog& catalog,
                                                     std::stop_token stop) {
    auto endpoint = endpoint_of(server);
    const auto url = llm::parse_url(endpoint.base_url);
    if (!url) return std::unexpected(url.error());
    auto found = llm::find_key(catalog, *url, server.key_env, std::move(stop));
    if (!found) return std::unexpected(std::move(found.error()));
    endpoint.key = std::move(found->key);
    for (const auto& line : server.headers) {
        auto header = llm::parse_header(line);
        if (!header) return std::unexpected(std::move(header.error()));
        endpoint.headers.push_back(std::move(*header));
    }
    return llm::make_provider(std::move(endpoint));
}

Result<KeyFacts> key_of(const ServerChoice& server, std::stop_token stop) {
    const auto catalog = llm::Catalog::load();
    if (!catalog) return std::unexpected(catalog.error());
    const auto url = llm::parse_url(endpoint_of(server).base_url);
    if (!url) return std::unexpected(url.error());
    const auto found = llm::find_key(*catalog, *url, server.key_env, std::move(stop));
    if (!found) return std::unexpected(found.error());
    return KeyFacts{url->host, found->source, url->loopback()};
}

} // namespace kw::agent
