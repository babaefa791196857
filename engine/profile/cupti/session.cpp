#include "engine/profile/cupti/session.h"

#include <utility>

namespace kw::cupti {
namespace {

std::unexpected<Failure> fatal(Error error) { return std::unexpected(Failure{.error = std::move(error)}); }

/// A launch's outcome as a rung sees it.
Climbed<void> settle(Result<device::LaunchOutcome> outcome) {
    if (!outcome) return fatal(std::move(outcome.error()));
    if (outcome->fault) return std::unexpected(Failure{.fault = std::move(outcome->fault)});
    return {};
}

} // namespace

std::unexpected<Failure> refused(const CuptiApi& api, CUptiResult result, std::string_view doing) {
    return std::unexpected(Failure{.refusal = explain(api, result, doing)});
}

std::unexpected<Failure> refused(const Error& error) {
    return std::unexpected(Failure{.refusal = {error.message, {}}});
}

Climbed<void> make_ready(const profile::Workload& work, bool flush, std::stop_token stop) {
    if (stop.stop_requested()) return fatal(Error{Stage::profile, ErrorCode::cancelled, "stopped", {}, {}});
    if (auto done = work.prepare(); !done) return fatal(std::move(done.error()));
    if (flush)
        if (auto done = work.flush(); !done) return fatal(std::move(done.error()));
    return settle(work.finish(std::move(stop)));
}

Climbed<void> run_once(const profile::Workload& work, std::stop_token stop) {
    if (auto started = settle(work.run(stop)); !started) return started;
    return settle(work.finish(std::move(stop)));
}

} // namespace kw::cupti
