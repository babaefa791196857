#include "engine/device/checks.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace kw::device {
namespace {

constexpr std::array<std::pair<std::string_view, bool Checks::*>, 4> kNames{
    {{"init", &Checks::init}, {"race", &Checks::race}, {"sync", &Checks::sync}, {"shuffle", &Checks::shuffle}}};

constexpr Checks kNone{.init = false, .race = false, .sync = false, .shuffle = false};

} // namespace

Result<Checks> checks_from(std::string_view list) {
    if (list == "none") return kNone;
    if (list == "all") return all_checks();
    Checks checks = kNone;
    for (std::size_t begin = 0; begin <= list.size();) {
        const std::size_t comma = std::min(list.find(',', begin), list.size());
        const std::string_view word = list.substr(begin, comma - begin);
        begin = comma + 1;
        bool known = word == "memory";
        for (const auto& [name, member] : kNames) {
            if (name != word) continue;
            checks.*member = true;
            known = true;
        }
        if (!known)
            return fail(Stage::device, ErrorCode::invalid_input,
                        fmt::format("\"{}\" is no check; there are none, all, and any of memory, init, race, sync and "
                                    "shuffle with commas between them",
                                    word));
    }
    return checks;
}

std::string to_string(const Checks& checks) {
    std::string text = "memory";
    for (const auto& [name, member] : kNames)
        if (checks.*member) text.append(",").append(name);
    return text;
}

} // namespace kw::device
