#pragma once

#include "engine/report/profile_command.h"

#include <stop_token>
#include <string>

namespace kw::cli {

struct ProfileArguments {
    report::ProfileArguments profile;
    std::string chrome; ///< write the activities to this file as a Chrome trace
};

/// `kw profile`; the exit status.
[[nodiscard]] int profile_command(const ProfileArguments& arguments, report::Backend& backend, std::stop_token stop);

} // namespace kw::cli
