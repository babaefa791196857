#pragma once

#include "agent/llm/http.h"
#include "agent/llm/models.h"
#include "agent/llm/secret.h"
#include "engine/base/result.h"

#include <stop_token>
#include <string>

namespace kw::llm {

/// Where a key was found, for `kw agent models` and messages: "OPENAI_API_KEY", "the keyring"; empty: there is none.
struct FoundKey {
    Secret key;
    std::string source;
};

/// The key for a server: the variable named by `variable` where that is not empty (it must be set), else KW_API_KEY,
/// else the variable that the catalog names for this host, else the desktop keyring's entry "service kernelwright, host
/// HOST" by way of secret-tool, where that is installed. None is no error: local servers need none. Line breaks and
/// other control characters in a key are an error.
[[nodiscard]] Result<FoundKey> find_key(const Catalog& catalog, const Url& url, const std::string& variable,
                                        std::stop_token stop);

} // namespace kw::llm
