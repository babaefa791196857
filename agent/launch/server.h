#pragma once

#include "agent/llm/models.h"
#include "agent/llm/provider.h"

#include <memory>
#include <stop_token>
#include <string>
#include <vector>

namespace kw::agent {

/// Which server, and how it is reached.
struct ServerChoice {
    std::string provider = "chat"; ///< or responses, anthropic
    std::string base_url{};        ///< empty: the protocol's vendor
    std::string key_env{};         ///< empty: KW_API_KEY, the server's own variable, the keyring
    std::string proxy{};
    std::string ca_file{};
    std::vector<std::string> headers{}; ///< "Name: value"
};

/// The provider that is meant, with the key that was found for it.
[[nodiscard]] Result<std::unique_ptr<llm::Provider>> open_provider(const ServerChoice& server,
                                                                   const llm::Catalog& catalog, std::stop_token stop);

/// The host that would be asked, and where its key was found ("KW_API_KEY", "the keyring"; empty: there is none). A
/// keyring that is locked asks its user, which takes long.
struct KeyFacts {
    std::string host;
    std::string source;
    bool local = false; ///< a server on this machine, which most often needs none
};
[[nodiscard]] Result<KeyFacts> key_of(const ServerChoice& server, std::stop_token stop);

} // namespace kw::agent
