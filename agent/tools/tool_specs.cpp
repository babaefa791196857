#include "agent/tools/tool_specs.h"

#include "engine/base/suggest.h"
#include "tools_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace kw::tools {
namespace {

std::vector<llm::ToolSpec> load() {
    std::vector<llm::ToolSpec> tools;
    for (const auto& tool : Json::parse(kToolsText))
        tools.push_back(
            {tool.at("name").get<std::string>(), tool.at("description").get<std::string>(), tool.at("parameters")});
    return tools;
}

bool has_type(const Json& value, const std::string& type) {
    if (type == "string") return value.is_string();
    if (type == "integer") return value.is_number_integer();
    if (type == "number") return value.is_number();
    if (type == "boolean") return value.is_boolean();
    if (type == "array") return value.is_array();
    return type == "object" && value.is_object();
}

std::string misfit_of(const Json& schema, const Json& value, const std::string& name) {
    const auto type = schema.at("type").get<std::string>();
    if (!has_type(value, type)) return fmt::format("'{}' has to be of type {}, not {}", name, type, value.type_name());
    if (const auto choices = schema.find("enum");
        choices != schema.end() && std::ranges::find(*choices, value) == choices->end())
        return fmt::format("'{}' has to be one of {}", name, choices->dump());
    if (const auto least = schema.find("minimum"); least != schema.end() && value < *least)
        return fmt::format("'{}' has to be at least {}", name, least->dump());
    if (const auto most = schema.find("maximum"); most != schema.end() && value > *most)
        return fmt::format("'{}' may be at most {}", name, most->dump());
    if (const auto items = schema.find("items"); items != schema.end())
        for (const auto& item : value)
            if (auto problem = misfit_of(*items, item, name + "[]"); !problem.empty()) return problem;
    return {};
}

} // namespace

std::span<const llm::ToolSpec> tool_specs() {
    static const auto tools = load();
    return tools;
}

std::map<std::string, Json, std::less<>> tool_functions() {
    std::map<std::string, Json, std::less<>> functions;
    for (const auto& tool : tool_specs())
        functions[tool.name] = {
            {"type", "function"},
            {"function", {{"name", tool.name}, {"description", tool.description}, {"parameters", tool.parameters}}}};
    return functions;
}

const llm::ToolSpec* find_tool(std::string_view name) {
    const auto tools = tool_specs();
    const auto found = std::ranges::find(tools, name, &llm::ToolSpec::name);
    return found == tools.end() ? nullptr : &*found;
}

std::string misfit(const llm::ToolSpec& tool, const Json& arguments) {
    const auto& properties = tool.parameters.at("properties");
    for (const auto& [name, value] : arguments.items()) {
        const auto schema = properties.find(name);
        if (schema == properties.end()) {
            std::vector<std::string> known;
            for (const auto& [each, ignored] : properties.items()) known.push_back(each);
            return fmt::format("{} takes no '{}'{}; it takes {}", tool.name, name, did_you_mean(name, known),
                               known.empty() ? "nothing" : list_of(known));
        }
        // Some models write null where they mean to leave something out.
        if (value.is_null()) continue;
        if (auto problem = misfit_of(*schema, value, name); !problem.empty()) return problem;
    }
    if (const auto required = tool.parameters.find("required"); required != tool.parameters.end())
        for (const auto& name : *required)
            if (const auto given = arguments.find(name.get<std::string>());
                given == arguments.end() || given->is_null())
                return fmt::format("{} needs '{}'", tool.name, name.get<std::string>());
    return {};
}

} // namespace kw::tools
