#include "app/cli/profile.h"

#include "engine/base/version.h"
#include "engine/profile/trace/chrome_trace.h"

#include <fmt/format.h>

#include <utility>

namespace kw::cli {

int profile_command(const ProfileArguments& arguments, report::Backend& backend, std::stop_token stop) {
    auto output = arguments.profile.evaluation;
    output.output = arguments.chrome;
    if (const auto writable = report::check_output(output); !writable) return report::report_error(writable.error());
    if (const auto differ = report::check_different(arguments.chrome, arguments.profile.evaluation.output); !differ)
        return report::report_error(differ.error());
    return report::profile_command(
        arguments.profile, backend, stop, [&](const profile::Report& profiled) -> Result<void> {
            if (arguments.chrome.empty()) return {};
            trace::TraceInfo info;
            info.producer = fmt::format("kw {}, {}", version(), profiled.profiler);
            info.lost = profiled.activities_dropped;
            const auto written = trace::write_chrome_trace(
                arguments.chrome, info, trace::source_of(profiled.activities), profiled.sampling, stop);
            if (!written) return std::unexpected(written.error());
            return {};
        });
}

} // namespace kw::cli
