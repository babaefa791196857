#include "agent/llm/models.h"

#include "engine/base/file.h"
#include "engine/base/toml.h"
#include "models_text.h"

#include <fmt/format.h>

#include <cstdlib>
#include <iterator>
#include <span>

namespace kw::llm {
namespace {

constexpr std::size_t kLargestFile = std::size_t{1} << 20;

/// Takes the members out of a table and remembers what is wrong with the first.
class Members {
public:
    explicit Members(const toml::table& table) : table_(table) {}

    void text(std::string_view key, std::string& to) {
        const auto* node = take(key);
        const auto value = node ? node->value_exact<std::string>() : std::nullopt;
        if (!value || value->empty()) return wrong(fmt::format("'{}' is not a text", key));
        to = *value;
    }
    /// Whether it is there.
    bool number(std::string_view key, double& to, bool needed) {
        const auto* node = take(key);
        if (!node && !needed) return false;
        const auto value = node && node->is_number() ? node->value<double>() : std::nullopt;
        if (value && *value >= 0 && *value < 1e12)
            to = *value;
        else
            wrong(fmt::format("'{}' is not a number from 0", key));
        return true;
    }
    void flag(std::string_view key, bool& to) {
        const auto* node = take(key);
        if (!node) return;
        if (const auto value = node->value_exact<bool>())
            to = *value;
        else
            wrong(fmt::format("'{}' is not true or false", key));
    }
    [[nodiscard]] std::string problem() {
        if (problem_.empty() && taken_ != table_.size()) return "it holds a member that is not known";
        return problem_;
    }

private:
    const toml::node* take(std::string_view key) {
        const auto* node = table_.get(key);
        if (node) ++taken_;
        return node;
    }
    void wrong(std::string problem) {
        if (problem_.empty()) problem_ = std::move(problem);
    }

    const toml::table& table_;
    std::size_t taken_ = 0;
    std::string problem_;
};

std::string take(const toml::table& table, ServerFacts& server) {
    Members members{table};
    members.text("host", server.host);
    members.text("key", server.key);
    members.flag("reports_cost", server.reports_cost);
    return members.problem();
}

std::string take(const toml::table& table, ModelFacts& model) {
    Members members{table};
    members.text("host", model.host);
    members.text("name", model.name);
    members.number("input", model.input, true);
    members.number("output", model.output, true);
    if (!members.number("cached", model.cached, false)) model.cached = model.input;
    if (!members.number("cache_write", model.cache_write, false)) model.cache_write = model.input;
    double context = 0;
    members.number("context", context, false);
    members.flag("adaptive", model.adaptive);
    model.context = static_cast<std::int64_t>(context);
    return members.problem();
}

template<class Facts>
Result<void> take_all(const toml::table& root, std::string_view key, const std::string& file,
                      std::vector<Facts>& into) {
    const auto* node = root.get(key);
    if (!node) return {};
    const auto wrong = [&](const toml::node& where, const std::string& why) {
        const auto line = static_cast<int>(where.source().begin.line);
        return fail(Stage::usage, ErrorCode::invalid_input, fmt::format("[[{}]]: {}", key, why), {file, line, 0});
    };
    const auto* list = node->as_array();
    if (!list) return wrong(*node, "it is not a list of tables");
    for (const auto& item : *list) {
        const auto* table = item.as_table();
        if (!table) return wrong(item, "it is not a table");
        Facts facts;
        if (const auto problem = take(*table, facts); !problem.empty()) return wrong(item, problem);
        into.push_back(std::move(facts));
    }
    return {};
}

} // namespace

Result<Catalog> Catalog::parse(std::string_view text, const std::string& name) {
    const auto parsed = toml::parse(text, name);
    if (!parsed)
        return fail(Stage::usage, ErrorCode::invalid_input, std::string{parsed.error().description()},
                    {name, static_cast<int>(parsed.error().source().begin.line),
                     static_cast<int>(parsed.error().source().begin.column)});
    Catalog catalog;
    for (const auto& [key, node] : parsed.table())
        if (key != "server" && key != "model")
            return fail(Stage::usage, ErrorCode::invalid_input,
                        fmt::format("'{}' is unknown; there are [[server]] and [[model]]", key.str()),
                        {name, static_cast<int>(node.source().begin.line), 0});
    if (auto done = take_all(parsed.table(), "server", name, catalog.servers_); !done)
        return std::unexpected(std::move(done.error()));
    if (auto done = take_all(parsed.table(), "model", name, catalog.models_); !done)
        return std::unexpected(std::move(done.error()));
    return catalog;
}

Result<Catalog> Catalog::load(const std::filesystem::path& file) {
    auto bundled = parse(kModelsText, "models.toml");
    std::error_code ignored;
    if (!bundled || file.empty() || !std::filesystem::exists(file, ignored)) return bundled;
    const auto text = read_file(file, kLargestFile, Stage::usage);
    if (!text) return std::unexpected(text.error());
    auto own = parse(*text, file.string());
    if (!own) return own;
    std::ranges::move(bundled->servers_, std::back_inserter(own->servers_));
    std::ranges::move(bundled->models_, std::back_inserter(own->models_));
    return own;
}

std::filesystem::path Catalog::user_file() {
    const auto below = [](const char* variable) -> std::filesystem::path {
        const char* value = std::getenv(variable);
        return value && *value == '/' ? value : "";
    };
    if (auto folder = below("XDG_CONFIG_HOME"); !folder.empty()) return folder / "kernelwright" / "models.toml";
    auto home = below("HOME");
    return home.empty() ? home : home / ".config" / "kernelwright" / "models.toml";
}

const ServerFacts* Catalog::server(std::string_view host) const {
    for (const auto& server : servers_)
        if (server.host == host) return &server;
    return nullptr;
}

const ModelFacts* Catalog::model(std::string_view host, std::string_view name) const {
    const auto fits = [name](std::string_view pattern) {
        if (!pattern.ends_with('*')) return name == pattern;
        return name.starts_with(pattern.substr(0, pattern.size() - 1));
    };
    for (const auto& model : models_)
        if (model.host == host && fits(model.name)) return &model;
    return nullptr;
}

std::optional<double> cost_of(const TokenCounts& tokens, const ModelFacts* prices) {
    if (tokens.cost_usd) return tokens.cost_usd;
    if (!prices || !tokens.known) return std::nullopt;
    const auto plain = std::max<std::int64_t>(tokens.prompt - tokens.cached - tokens.cache_written, 0);
    const auto price = [](std::int64_t count, double each) { return static_cast<double>(count) * each / 1e6; };
    return price(plain, prices->input) + price(tokens.cached, prices->cached)
           + price(tokens.cache_written, prices->cache_write) + price(tokens.completion, prices->output);
}

} // namespace kw::llm
