#include "engine/base/json_error.h"

#include "engine/base/json.h"

#include <fmt/format.h>

#include <string_view>

namespace kw {
namespace {

// Numbers of the library's exceptions, from its documentation.
constexpr int kWrongType = 302;
constexpr int kNotAnObject = 304, kNoValues = 306;
constexpr int kKeyNotFound = 403;

std::string_view without_tag(std::string_view text) {
    const auto end = text.starts_with("[json.exception.") ? text.find("] ") : std::string_view::npos;
    return end == std::string_view::npos ? text : text.substr(end + 2);
}

} // namespace

std::string what_is_wrong(const std::exception& error) {
    const auto text = without_tag(error.what());
    const auto* json = dynamic_cast<const Json::exception*>(&error);
    if (json && json->id == kKeyNotFound)
        if (const auto quote = text.find('\''); quote != std::string_view::npos)
            return fmt::format("{} is missing", text.substr(quote, text.find('\'', quote + 1) - quote + 1));
    if (json && json->id == kWrongType) {
        constexpr std::string_view kMust = "must be ", kIs = ", but is ";
        const auto must = text.find(kMust), is = text.find(kIs);
        if (must != std::string_view::npos && is != std::string_view::npos && must < is)
            return fmt::format("there is {} where {} is expected", text.substr(is + kIs.size()),
                               text.substr(must + kMust.size(), is - must - kMust.size()));
    }
    if (json && (json->id == kNotAnObject || json->id == kNoValues))
        if (const auto with = text.rfind(" with "); with != std::string_view::npos)
            return fmt::format("there is {} where object is expected", text.substr(with + 6));
    return std::string{text};
}

} // namespace kw
