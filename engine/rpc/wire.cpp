#include "engine/rpc/wire.h"

#include "engine/base/base64.h"
#include "engine/base/file.h"

#include <fmt/format.h>

#include <filesystem>
#include <utility>

namespace kw::rpc {
namespace {

bool stays_inside(const std::string& name) {
    const std::filesystem::path path{name};
    if (name.empty() || path.is_absolute()) return false;
    const auto normal = path.lexically_normal();
    return *normal.begin() != ".." && normal == path;
}

} // namespace

Json files_to_json(const task::Files& files) {
    Json json = Json::object();
    for (const auto& [name, content] : files) {
        if (first_invalid_utf8(content) == std::string_view::npos)
            json[name] = content;
        else
            json[name] = Json{{"base64", base64_encode(content)}};
    }
    return json;
}

Result<task::Files> files_from_json(const Json& json) {
    if (!json.is_object())
        return fail(Stage::rpc, ErrorCode::invalid_input, "'files' is not an object of names and texts");
    task::Files files;
    for (const auto& [name, value] : json.items()) {
        if (!stays_inside(name))
            return fail(Stage::rpc, ErrorCode::invalid_input,
                        fmt::format("the file name '{}' does not stay inside the task", name));
        if (value.is_string()) {
            files.emplace(name, value.get<std::string>());
            continue;
        }
        const auto encoded = value.is_object() ? value.find("base64") : value.end();
        auto content = value.is_object() && encoded != value.end() && encoded->is_string()
                           ? base64_decode(encoded->get_ref<const std::string&>())
                           : std::nullopt;
        if (!content)
            return fail(Stage::rpc, ErrorCode::invalid_input,
                        fmt::format("the file '{}' is neither text nor base64", name));
        files.emplace(name, std::move(*content));
    }
    return files;
}

} // namespace kw::rpc
