#pragma once

#include "engine/base/bytes.h"
#include "engine/base/result.h"
#include "engine/task/task.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kw::task {

/// Values for an input or inout tensor at `sizes`, by its fill; the same on every machine for the same seed. Fill::file
/// reads from `files` and requires the tensor's type and shape. The memory of `reuse` is used again where it is large
/// enough.
[[nodiscard]] Result<Bytes> generate(const Tensor& tensor, const Files& files, const Sizes& sizes, std::uint64_t seed,
                                     Bytes reuse = {});

/// An array in numpy's .npy format, versions 1 to 3, little-endian, C order.
struct Array {
    ScalarType type = ScalarType::f32;
    std::vector<std::int64_t> shape;
    Bytes bytes;
};
[[nodiscard]] Result<Array> parse_npy(std::string_view bytes, const std::string& file, Bytes reuse = {});
[[nodiscard]] std::string format_npy(ScalarType type, std::span<const std::int64_t> shape,
                                     std::span<const std::byte> bytes);

} // namespace kw::task
