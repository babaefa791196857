#include "engine/base/json_integer.h"
#include "engine/verify/compare.h"
#include "engine/verify/error_map.h"

#include <limits>

namespace kw::verify {
namespace {

/// JSON has neither NaN nor infinity; null is read back as `missing`.
double number_from(const Json& json, double missing) { return json.is_null() ? missing : json.get<double>(); }

Json to_json(const Mismatch& mismatch) {
    return Json{
        {"index", mismatch.index},   {"coordinates", mismatch.coordinates},     {"expected", mismatch.expected},
        {"actual", mismatch.actual}, {"expected_text", mismatch.expected_text}, {"actual_text", mismatch.actual_text}};
}

Mismatch mismatch_from_json(const Json& json) {
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    Mismatch mismatch;
    mismatch.index = json.at("index").get<std::uint64_t>();
    mismatch.coordinates = json.at("coordinates").get<std::vector<std::uint64_t>>();
    mismatch.expected = number_from(json.at("expected"), kNaN);
    mismatch.actual = number_from(json.at("actual"), kNaN);
    mismatch.expected_text = json.at("expected_text").get<std::string>();
    mismatch.actual_text = json.at("actual_text").get<std::string>();
    return mismatch;
}

Json to_json(const ErrorMap& map) {
    return Json{{"rows", map.rows},           {"columns", map.columns},
                {"tile_rows", map.tile_rows}, {"tile_columns", map.tile_columns},
                {"grid_rows", map.grid_rows}, {"grid_columns", map.grid_columns},
                {"worst", map.worst},         {"mismatches", map.mismatches}};
}

/// Whoever draws a map divides by its tiles and indexes by its grid.
void check_map(const ErrorMap& map, const Json& json) {
    constexpr std::uint64_t kMostElements = std::uint64_t{1} << 53; // that doubles tell apart
    const auto fits = [](std::uint64_t elements, std::uint64_t tile, std::uint64_t grid) {
        return elements <= kMostElements && tile >= 1 && grid <= kMostMapTiles
               && grid == elements / tile + (elements % tile != 0 ? 1 : 0);
    };
    if (fits(map.rows, map.tile_rows, map.grid_rows) && fits(map.columns, map.tile_columns, map.grid_columns)
        && map.worst.size() == map.grid_rows * map.grid_columns && map.mismatches.size() == map.worst.size())
        return;
    throw Json::other_error::create(501, "the error map's tiles do not cover its elements exactly", &json);
}

ErrorMap map_from_json(const Json& json) {
    ErrorMap map;
    map.rows = integer_from_json<std::uint64_t>(json.at("rows"));
    map.columns = integer_from_json<std::uint64_t>(json.at("columns"));
    map.tile_rows = integer_from_json<std::uint64_t>(json.at("tile_rows"));
    map.tile_columns = integer_from_json<std::uint64_t>(json.at("tile_columns"));
    map.grid_rows = integer_from_json<std::uint64_t>(json.at("grid_rows"));
    map.grid_columns = integer_from_json<std::uint64_t>(json.at("grid_columns"));
    for (const auto& value : json.at("worst"))
        map.worst.push_back(static_cast<float>(number_from(value, std::numeric_limits<double>::infinity())));
    map.mismatches = json.at("mismatches").get<std::vector<std::uint32_t>>();
    check_map(map, json);
    return map;
}

} // namespace

Json to_json(const Comparison& comparison) {
    Json json{{"elements", comparison.elements},
              {"mismatches", comparison.mismatches},
              {"nan", comparison.nan},
              {"max_abs", comparison.max_abs},
              {"max_rel", comparison.max_rel},
              {"max_ulp", comparison.max_ulp},
              {"ulp_histogram", comparison.ulp_histogram}};
    if (comparison.first_mismatch) json["first_mismatch"] = to_json(*comparison.first_mismatch);
    if (comparison.map) json["map"] = to_json(*comparison.map);
    return json;
}

Comparison comparison_from_json(const Json& json) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    Comparison comparison;
    comparison.elements = json.at("elements").get<std::uint64_t>();
    comparison.mismatches = json.at("mismatches").get<std::uint64_t>();
    comparison.nan = json.at("nan").get<std::uint64_t>();
    comparison.max_abs = number_from(json.at("max_abs"), kInfinity);
    comparison.max_rel = number_from(json.at("max_rel"), kInfinity);
    comparison.max_ulp = json.at("max_ulp").get<std::uint64_t>();
    comparison.ulp_histogram = json.at("ulp_histogram").get<std::vector<std::uint64_t>>();
    if (json.contains("first_mismatch")) comparison.first_mismatch = mismatch_from_json(json.at("first_mismatch"));
    if (json.contains("map")) comparison.map = map_from_json(json.at("map"));
    return comparison;
}

} // namespace kw::verify
