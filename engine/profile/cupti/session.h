#pragma once

#include "engine/profile/cupti/cupti_api.h"
#include "engine/profile/profiler.h"

#include <optional>
#include <stop_token>

/// What the rungs have in common.
namespace kw::cupti {

/// Why a rung could not be climbed: either CUPTI refused or the kernel faulted, which ends all profiling.
struct Failure {
    Refusal refusal{};
    std::optional<device::Fault> fault{};
    std::optional<Error> error{}; ///< of the device or a cancellation, which ends the whole profile
};
template<class T> using Climbed = std::expected<T, Failure>;

[[nodiscard]] std::unexpected<Failure> refused(const CuptiApi& api, CUptiResult result, std::string_view doing);
[[nodiscard]] std::unexpected<Failure> refused(const Error& error);

/// Resets the work, empties L2 if asked to, and waits: what follows is the next run and nothing else.
[[nodiscard]] Climbed<void> make_ready(const profile::Workload& work, bool flush, std::stop_token stop);
/// Runs the work once and waits for its end.
[[nodiscard]] Climbed<void> run_once(const profile::Workload& work, std::stop_token stop);

} // namespace kw::cupti
