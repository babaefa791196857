#pragma once

#include "engine/base/json.h"
#include "engine/base/result.h"
#include "engine/device/occupancy.h"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace kw::cli {

struct OccupancyArguments {
    std::string device = "sim:h200";
    std::uint32_t block = 256;
    std::uint32_t registers = 32;
    std::uint32_t shared = 0;
    bool json = false;
};
[[nodiscard]] CLI::App* add_occupancy(CLI::App& app, OccupancyArguments& arguments);

/// A GPU by what it holds.
struct SmOf {
    std::string name;
    device::SmLimits limits;
};
/// An architecture ("sm_90") or a data sheet ("h200", "sim:h200"); nothing when it is neither, and a worker has to be
/// asked.
[[nodiscard]] std::optional<SmOf> sm_of(std::string_view device);

/// `devices` gives the value of Backend::devices, for devices that sm_of does not know.
[[nodiscard]] int occupancy_command(const OccupancyArguments& arguments, const std::function<Result<Json>()>& devices);

} // namespace kw::cli
