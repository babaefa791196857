#pragma once

#include "engine/base/json.h"
#include "engine/report/text.h"

#include <string>

namespace kw::report {

/// `{devices: [device::Info…]}` as a table.
[[nodiscard]] std::string render_devices(const Json& devices, const Style& style);

/// What doctor found: `{worker, host, components, checks, ladders}`; missing things with what to do about them.
[[nodiscard]] std::string render_doctor(const Json& report, const Style& style);

/// True when every check that an evaluation needs passed.
[[nodiscard]] bool healthy(const Json& report);

} // namespace kw::report
