#pragma once

#include "engine/base/result.h"
#include "engine/task/task.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kw::task {

/// What an .npy file says of itself. A zero-dimensional array has the shape {1}.
struct NpyHeader {
    ScalarType type = ScalarType::f32;
    std::vector<std::int64_t> shape;
    bool fortran_order = false;
    std::uint64_t elements = 0;
    std::size_t data = 0; ///< offset of the first element; the file holds all of them
};
[[nodiscard]] Result<NpyHeader> parse_npy_header(std::string_view bytes, const std::string& file);

} // namespace kw::task
