#pragma once

#include "engine/base/descriptor.h"

namespace kw::worker {

/// The two ends of the protocol, taken from standard input and output. What is left in their place is /dev/null and
/// standard error, so that nothing a library or a driver prints can get between messages.
struct Channel {
    Descriptor input;
    Descriptor output;
};
[[nodiscard]] Result<Channel> take_stdio();

} // namespace kw::worker
