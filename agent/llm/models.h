#pragma once

#include "agent/llm/conversation.h"
#include "engine/base/result.h"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What is known of servers and models: resources/agent/models.toml, and the user's file of the same form before it.
namespace kw::llm {

struct ServerFacts {
    std::string host;
    std::string key; ///< environment variable
    bool reports_cost = false;
};

/// US dollars per million tokens.
struct ModelFacts {
    std::string host;
    std::string name; ///< may end in '*'
    double input = 0;
    double cached = 0;
    double cache_write = 0;
    double output = 0;
    std::int64_t context = 0; ///< tokens; 0: unknown
    bool adaptive = false;    ///< Settings::adaptive
};

class Catalog {
public:
    /// The bundled list, with the user's `file` before it where that exists. Errors name the file and the line.
    [[nodiscard]] static Result<Catalog> load(const std::filesystem::path& file = user_file());
    [[nodiscard]] static Result<Catalog> parse(std::string_view toml, const std::string& name);
    /// models.toml in $XDG_CONFIG_HOME/kernelwright, else in ~/.config/kernelwright.
    [[nodiscard]] static std::filesystem::path user_file();

    [[nodiscard]] const ServerFacts* server(std::string_view host) const;
    [[nodiscard]] const ModelFacts* model(std::string_view host, std::string_view name) const;

private:
    std::vector<ServerFacts> servers_;
    std::vector<ModelFacts> models_;
};

/// What the server told, else by the model's prices; none when neither is known.
[[nodiscard]] std::optional<double> cost_of(const TokenCounts& tokens, const ModelFacts* prices);

} // namespace kw::llm
