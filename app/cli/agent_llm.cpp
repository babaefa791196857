#include "app/cli/agent_llm.h"

#include "app/cli/validators.h"
#include "engine/report/commands.h"
#include "engine/report/text.h"

#include <fmt/format.h>

namespace kw::cli {
namespace {

Json to_json(const llm::ServedModel& model, const llm::ModelFacts* facts) {
    Json json{{"id", model.id}};
    const auto context = model.context > 0 ? model.context : facts ? facts->context : 0;
    json["context"] = context > 0 ? Json(context) : Json(nullptr);
    json["usd_per_million_tokens"] =
        facts ? Json{{"input", facts->input}, {"cached", facts->cached}, {"output", facts->output}} : Json(nullptr);
    return json;
}

} // namespace

void add_server_options(CLI::App& command, ServerArguments& arguments) {
    command
        .add_option("--provider", arguments.provider,
                    "Protocol of the server: chat (Chat Completions; default), responses or anthropic (Messages)")
        ->check(CLI::IsMember({"chat", "responses", "anthropic"}))
        ->type_name("PROTOCOL");
    command
        .add_option("--base-url", arguments.base_url,
                    "Server, such as http://localhost:8000/v1 (default: the protocol's vendor)")
        ->check(not_empty())
        ->type_name("URL");
    command
        .add_option("--key-env", arguments.key_env,
                    "Environment variable that holds the key (default: KW_API_KEY, else the server's own)")
        ->check(not_empty())
        ->type_name("NAME");
    command
        .add_option("--header", arguments.headers,
                    "Header to send along, such as 'X-Team: kernels'; may be given several times")
        ->type_name("'NAME: VALUE'");
    command.add_option("--proxy", arguments.proxy, "Proxy (default: https_proxy and its like)")->type_name("URL");
    command
        .add_option("--ca-file", arguments.ca_file, "Certificates to trust (default: SSL_CERT_FILE, else the system's)")
        ->type_name("FILE");
}

void add_llm_options(CLI::App& command, LlmArguments& arguments) {
    const auto whole = CLI::Range(std::int64_t{1}, std::int64_t{1'000'000'000});
    add_server_options(command, arguments.server);
    command.add_option("--model", arguments.model, "llm: the model; 'kw agent models' lists them")->type_name("NAME");
    command.add_option("--temperature", arguments.temperature, "llm: temperature (default: the server's)")
        ->check(number_from(0, 2))
        ->type_name("T");
    command.add_option("--max-tokens", arguments.max_tokens, "llm: tokens of one reply at most (default: 16384)")
        ->check(whole)
        ->type_name("N");
    command.add_option("--effort", arguments.effort, "llm: how much the model thinks (default: the server's)")
        ->check(CLI::IsMember({"minimal", "low", "medium", "high"}))
        ->type_name("LEVEL");
    command
        .add_option("--context", arguments.context,
                    "llm: tokens that the model takes in all (default: 131072, or less where the model is known)")
        ->check(whole)
        ->type_name("N");
    command.add_option("--tokens", arguments.tokens, "llm: how many tokens at most, in all")
        ->check(whole)
        ->type_name("N");
    command.add_option("--cost", arguments.cost, "llm: how many US dollars at most")
        ->check(number_from(0, 1e6))
        ->type_name("USD");
    command
        .add_option("--from", arguments.from,
                    "Go on from this step: a model (default: from the best, else the last), a tuner or an advisor")
        ->check(whole)
        ->type_name("STEP");
    command.add_option("--message", arguments.message, "llm: what the model is to know beside the task")
        ->type_name("TEXT");
}

int agent_models_command(const ServerArguments& arguments, bool json, std::stop_token stop) {
    const auto catalog = llm::Catalog::load();
    if (!catalog) return report::report_error(catalog.error());
    const auto provider = agent::open_provider(arguments, *catalog, stop);
    if (!provider) return report::report_error(provider.error());
    const auto models = (*provider)->models(stop);
    if (!models) return report::report_error(models.error());
    auto list = Json::array();
    report::Table table{{1, 2, 3, 4}};
    table.add({"model", "context", "$ in", "$ cached", "$ out"});
    for (const auto& model : *models) {
        const auto* facts = catalog->model((*provider)->url().host, model.id);
        list.push_back(to_json(model, facts));
        const auto context = model.context > 0 ? model.context : facts ? facts->context : 0;
        const auto price = [facts](double llm::ModelFacts::* which) {
            return facts ? fmt::format("{:g}", facts->*which) : std::string{};
        };
        table.add({report::printable(model.id), context > 0 ? report::count(static_cast<std::uint64_t>(context)) : "",
                   price(&llm::ModelFacts::input), price(&llm::ModelFacts::cached), price(&llm::ModelFacts::output)});
    }
    const auto shown = report::print(json ? list.dump(2, ' ', false, Json::error_handler_t::replace) + '\n'
                                          : table.render() + "Prices are US dollars per million tokens.\n");
    return shown ? 0 : report::report_error(shown.error());
}

} // namespace kw::cli
