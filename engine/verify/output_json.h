#pragma once

#include "engine/base/json.h"
#include "engine/verify/output_source.h"

/// How questions about outputs and their answers travel. What reads them throws nlohmann::json::exception or
/// std::invalid_argument on a malformed value.
namespace kw::verify {

[[nodiscard]] Json to_json(const task::Tolerance& tolerance);
[[nodiscard]] task::Tolerance tolerance_from_json(const Json& json);

[[nodiscard]] Json to_json(const TensorOutput& tensor);
[[nodiscard]] TensorOutput tensor_output_from_json(const Json& json);

/// {rows: [begin, end], columns: [begin, end]}, beside other members.
[[nodiscard]] Json to_json(const Region& region);
[[nodiscard]] Region region_from_json(const Json& json);

/// Region, step: [rows, columns], cells: [rows, columns], and a plane for each member of Cell that is not 0 throughout:
/// base64 of 32-bit numbers, little-endian, row-major.
[[nodiscard]] Json to_json(const Cells& cells);
[[nodiscard]] Cells cells_from_json(const Json& json);

/// Region, type, expected and actual: base64 of the elements as they lie in memory.
[[nodiscard]] Json to_json(const Values& values);
[[nodiscard]] Values values_from_json(const Json& json);

/// The joint histogram's bins are [error, size, count].
[[nodiscard]] Json to_json(const ErrorHistogram& histogram);
[[nodiscard]] ErrorHistogram error_histogram_from_json(const Json& json);

[[nodiscard]] Json to_json(const WriterReport& report);
[[nodiscard]] WriterReport writer_report_from_json(const Json& json);

} // namespace kw::verify
