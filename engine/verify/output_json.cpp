#include "engine/verify/output_json.h"

#include "engine/base/base64.h"
#include "engine/base/json_integer.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>
#include <string_view>

namespace kw::verify {
namespace {

template<class T> std::string packed(const std::vector<Cell>& cells, T Cell::* member) {
    std::string bytes(cells.size() * sizeof(T), '\0');
    for (std::size_t i = 0; i < cells.size(); ++i)
        std::memcpy(bytes.data() + i * sizeof(T), &(cells[i].*member), sizeof(T));
    return base64_encode(bytes);
}

template<class T> void pack(const std::vector<Cell>& cells, T Cell::* member, const char* name, Json& json) {
    if (std::ranges::any_of(cells, [member](const Cell& cell) { return cell.*member != T{}; }))
        json[name] = packed(cells, member);
}

std::string decoded(const Json& json) {
    auto bytes = base64_decode(json.get_ref<const std::string&>());
    if (!bytes) throw std::invalid_argument("a blob is not base64");
    return std::move(*bytes);
}

template<class T> void unpack(const Json& json, const char* name, T Cell::* member, std::vector<Cell>& cells) {
    const auto plane = json.find(name);
    if (plane == json.end()) return;
    const auto bytes = decoded(*plane);
    if (bytes.size() != cells.size() * sizeof(T)) throw std::invalid_argument("a plane is not as large as its cells");
    for (std::size_t i = 0; i < cells.size(); ++i)
        std::memcpy(&(cells[i].*member), bytes.data() + i * sizeof(T), sizeof(T));
}

using Pair = std::array<std::uint64_t, 2>;

Pair pair_from(const Json& json) {
    if (!json.is_array() || json.size() != 2) throw std::invalid_argument("a pair of numbers is expected");
    return {integer_from_json<std::uint64_t>(json[0]), integer_from_json<std::uint64_t>(json[1])};
}

Json where_to_json(const Where& where) {
    return {{"file", where.file}, {"line", where.line}, {"column", where.column}};
}

Where where_from_json(const Json& json) {
    return {json.at("file").get<std::string>(), json.at("line").get<int>(), json.at("column").get<int>()};
}

Json dim_to_json(const device::Dim3& dim) { return Json::array({dim.x, dim.y, dim.z}); }

device::Dim3 dim_from_json(const Json& json) {
    const auto numbers = json.get<std::array<std::uint32_t, 3>>();
    return {numbers[0], numbers[1], numbers[2]};
}

task::ScalarType type_from_json(const Json& json) {
    const auto type = task::scalar_type_from(json.get<std::string>());
    if (!type) throw std::invalid_argument("a type is none of task.toml's");
    return *type;
}

template<std::size_t N> void counts_from(const Json& json, std::array<std::uint64_t, N>& to) {
    const auto counts = json.get<std::vector<std::uint64_t>>();
    if (counts.size() != N) throw std::invalid_argument("a histogram has another number of bins");
    std::ranges::copy(counts, to.begin());
}

} // namespace

Json to_json(const task::Tolerance& tolerance) { return {{"atol", tolerance.atol}, {"rtol", tolerance.rtol}}; }

task::Tolerance tolerance_from_json(const Json& json) {
    return {json.at("atol").get<double>(), json.at("rtol").get<double>()};
}

Json to_json(const TensorOutput& tensor) {
    return {{"name", tensor.name},           {"type", task::to_string(tensor.type)},
            {"shape", tensor.shape},         {"rows", tensor.map.rows},
            {"columns", tensor.map.columns}, {"tolerance", to_json(tensor.tolerance)},
            {"ok", tensor.comparison.ok()},  {"comparison", to_json(tensor.comparison)}};
}

TensorOutput tensor_output_from_json(const Json& json) {
    TensorOutput tensor;
    tensor.name = json.at("name").get<std::string>();
    tensor.type = type_from_json(json.at("type"));
    tensor.shape = json.at("shape").get<std::vector<std::int64_t>>();
    tensor.map = map_shape(tensor.shape);
    tensor.tolerance = tolerance_from_json(json.at("tolerance"));
    tensor.comparison = comparison_from_json(json.at("comparison"));
    return tensor;
}

Json to_json(const Region& region) {
    return {{"rows", {region.row, region.row_end}}, {"columns", {region.column, region.column_end}}};
}

Region region_from_json(const Json& json) {
    const auto rows = pair_from(json.at("rows")), columns = pair_from(json.at("columns"));
    return {rows[0], rows[1], columns[0], columns[1]};
}

Json to_json(const Cells& cells) {
    Json json = to_json(cells.region);
    json["step"] = {cells.row_step, cells.column_step};
    json["cells"] = {cells.rows, cells.columns};
    pack(cells.cells, &Cell::worst, "worst", json);
    pack(cells.cells, &Cell::pivot, "pivot", json);
    pack(cells.cells, &Cell::max_abs, "max_abs", json);
    pack(cells.cells, &Cell::mismatches, "mismatches", json);
    pack(cells.cells, &Cell::nan, "nan", json);
    pack(cells.cells, &Cell::inf, "inf", json);
    return json;
}

Cells cells_from_json(const Json& json) {
    Cells cells;
    cells.region = region_from_json(json);
    const auto step = pair_from(json.at("step")), count = pair_from(json.at("cells"));
    cells.row_step = step[0];
    cells.column_step = step[1];
    cells.rows = count[0];
    cells.columns = count[1];
    if (cells.rows > kMostCells || cells.columns > kMostCells || cells.rows * cells.columns > kMostCells)
        throw std::invalid_argument("an answer has more cells than are allowed");
    cells.cells.resize(cells.rows * cells.columns);
    unpack(json, "worst", &Cell::worst, cells.cells);
    unpack(json, "pivot", &Cell::pivot, cells.cells);
    unpack(json, "max_abs", &Cell::max_abs, cells.cells);
    unpack(json, "mismatches", &Cell::mismatches, cells.cells);
    unpack(json, "nan", &Cell::nan, cells.cells);
    unpack(json, "inf", &Cell::inf, cells.cells);
    return cells;
}

Json to_json(const Values& values) {
    Json json = to_json(values.region);
    json["type"] = task::to_string(values.type);
    json["expected"] = base64_encode(values.expected);
    json["actual"] = base64_encode(values.actual);
    return json;
}

Values values_from_json(const Json& json) {
    Values values{.region = region_from_json(json),
                  .type = type_from_json(json.at("type")),
                  .expected = decoded(json.at("expected")),
                  .actual = decoded(json.at("actual"))};
    if (values.expected.size() != values.actual.size())
        throw std::invalid_argument("there are not as many expected as actual values");
    return values;
}

Json to_json(const ErrorHistogram& histogram) {
    Json json{{"elements", histogram.elements},
              {"exact", histogram.exact},
              {"never", histogram.never},
              {"ulp", histogram.ulp},
              {"relative", {{"first_octave", ErrorHistogram::kFirstOctave}, {"counts", histogram.relative}}}};
    auto& joint = json["joint"] = Json::array();
    for (const auto& bin : histogram.joint.bins) joint.push_back({bin.error, bin.size, bin.count});
    return json;
}

ErrorHistogram error_histogram_from_json(const Json& json) {
    ErrorHistogram histogram;
    histogram.elements = json.at("elements").get<std::uint64_t>();
    histogram.exact = json.at("exact").get<std::uint64_t>();
    histogram.never = json.at("never").get<std::uint64_t>();
    counts_from(json.at("ulp"), histogram.ulp);
    counts_from(json.at("relative").at("counts"), histogram.relative);
    histogram.joint.exact = histogram.exact;
    histogram.joint.never = histogram.never;
    for (const auto& bin : json.at("joint"))
        histogram.joint.bins.push_back(
            {bin.at(0).get<std::uint32_t>(), bin.at(1).get<std::uint32_t>(), bin.at(2).get<std::uint64_t>()});
    return histogram;
}

Json to_json(const WriterReport& report) {
    Json json{{"more", report.more}, {"note", report.note}};
    auto& writes = json["writes"] = Json::array();
    for (const auto& write : report.writes)
        writes.push_back({{"kernel", write.kernel},
                          {"launch", write.launch},
                          {"block", dim_to_json(write.block)},
                          {"thread", dim_to_json(write.thread)},
                          {"where", where_to_json(write.where)},
                          {"atomic", write.atomic},
                          {"whole_warp", write.whole_warp}});
    if (report.origin) json["origin"] = {{"where", where_to_json(report.origin->where)}, {"what", report.origin->what}};
    return json;
}

WriterReport writer_report_from_json(const Json& json) {
    WriterReport report;
    report.more = json.at("more").get<std::uint64_t>();
    report.note = json.at("note").get<std::string>();
    for (const auto& write : json.at("writes"))
        report.writes.push_back({.kernel = write.at("kernel").get<std::string>(),
                                 .launch = write.at("launch").get<std::size_t>(),
                                 .block = dim_from_json(write.at("block")),
                                 .thread = dim_from_json(write.at("thread")),
                                 .where = where_from_json(write.at("where")),
                                 .atomic = write.at("atomic").get<bool>(),
                                 .whole_warp = write.at("whole_warp").get<bool>()});
    if (const auto origin = json.find("origin"); origin != json.end())
        report.origin = Origin{where_from_json(origin->at("where")), origin->at("what").get<std::string>()};
    return report;
}

} // namespace kw::verify
