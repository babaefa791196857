#pragma once

#include "engine/base/result.h"
#include "engine/compile/compiler.h"
#include "engine/device/device.h"
#include "engine/task/plan.h"

#include <cstddef>
#include <span>
#include <vector>

namespace kw::task {

/// The kernel's parameter block for one launch: every argument converted to the parameter's type. `pointers[i]` is the
/// address of `buffers[i]`. A wrong count, a mismatch or a value that does not fit is an error with the argument's
/// position and both types.
[[nodiscard]] Result<std::vector<std::byte>> pack(const BoundLaunch& launch, const compile::Kernel& kernel,
                                                  std::span<const Buffer> buffers,
                                                  std::span<const device::Pointer> pointers);

} // namespace kw::task
