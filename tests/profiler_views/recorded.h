#pragma once

#include "engine/profile/report.h"
#include "engine/timeline/byte_source.h"

#include <filesystem>
#include <string>
#include <string_view>

/// The profiles of tests/data/h200, for tests and pictures.
namespace kw::test {

inline Json recorded_json(std::string_view name) {
    const auto source = timeline::open_source(std::filesystem::path{KW_SOURCE_FOLDER} / "tests/data/h200"
                                              / (std::string{name} + ".json.gz"));
    std::string text;
    char piece[65536];
    while (source) {
        const auto got = (*source)->read(piece, sizeof piece);
        if (!got || *got == 0) break;
        text.append(piece, *got);
    }
    return Json::parse(text, nullptr, false);
}

inline profile::Report recorded(std::string_view name) {
    return profile::report_from_json(recorded_json(name).at("evaluation").at("profile")).value();
}

} // namespace kw::test
