#include "engine/base/bytes.h"
#include "engine/task/inputs.h"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

/// The input is an .npy file. What parses survives being written and read again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const auto array = kw::task::parse_npy({reinterpret_cast<const char*>(data), size}, "x.npy");
    if (!array) return 0;
    const auto again = kw::task::parse_npy(kw::task::format_npy(array->type, array->shape, array->bytes), "x.npy");
    if (!again || !kw::same_bytes(again->bytes, array->bytes) || again->shape != array->shape) std::abort();
    return 0;
}
