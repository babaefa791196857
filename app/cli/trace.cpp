#include "app/cli/trace.h"

#include "app/cli/trace_summary.h"
#include "engine/base/file.h"
#include "engine/base/suggest.h"
#include "engine/base/version.h"
#include "engine/compile/toolkit.h"
#include "engine/profile/trace/collection.h"
#include "engine/profile/trace/foreground.h"
#include "engine/report/commands.h"
#include "engine/report/interrupt.h"
#include "engine/report/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <utility>

namespace fs = std::filesystem;

namespace kw::cli {
namespace {

constexpr std::string_view kKinds[] = {"kernel", "copy", "memset", "synchronization", "call"};
constexpr int kNotFoundStatus = 127;
constexpr int kNotStartedStatus = 126;
constexpr int kSignalStatus = 128;
constexpr const char* kInjectionVariable = "CUDA_INJECTION64_PATH"; ///< of CUDA: what cuInit loads
/// cuptiGetVersion of CUDA 12.0.
constexpr std::uint32_t kOldestCupti = 18;
/// A report is one JSON value, which larger programs would not like to read.
constexpr std::size_t kReportActivities = 100'000;

std::unexpected<Error> usage(std::string message) {
    return fail(Stage::usage, ErrorCode::invalid_input, std::move(message));
}

Result<void> check_kinds(std::string_view list) {
    while (!list.empty()) {
        const auto end = std::min(list.find(','), list.size());
        const auto kind = list.substr(0, end);
        if (std::ranges::find(kKinds, kind) == std::end(kKinds))
            return usage(fmt::format("--kinds does not know '{}'; it takes some of {}, with commas in between",
                                     report::printable(kind), fmt::join(kKinds, ", ")));
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    return {};
}

/// The library that CUDA is to load, beside this program or where packages put it.
Result<fs::path> injection_library() {
    const auto folder = executable_folder();
    const fs::path places[] = {folder / "libkw_trace.so", folder / "../lib/kernelwright/libkw_trace.so"};
    std::error_code error;
    for (const auto& place : places)
        if (fs::exists(place, error)) return fs::canonical(place, error);
    return fail(Stage::environment, ErrorCode::not_found,
                fmt::format("libkw_trace.so is not beside {}; install Kernelwright again", (folder / "kw").string()));
}

Result<fs::path> find_cupti(const std::string& toolkit) {
    auto found = compile::find_library(compile::cupti_query(), toolkit);
    if (!found) {
        found.error().message =
            "tracing needs NVIDIA's CUPTI, and no libcupti was found; install the CUDA Toolkit 12 or "
            "newer (or `pip install nvidia-cuda-cupti`) and set CUDA_HOME to its folder";
        return std::unexpected(std::move(found.error()));
    }
    std::uint32_t version = 0;
    const auto ask = found->library.symbol<int (*)(std::uint32_t*)>("cuptiGetVersion");
    if (ask(&version) != 0 || version < kOldestCupti)
        return fail(
            Stage::environment, ErrorCode::unsupported,
            fmt::format("{} is of a CUDA Toolkit older than 12.0, which cannot trace today's programs; install a "
                        "newer one and set CUDA_HOME to its folder",
                        found->path.string()));
    return found->path;
}

std::uint64_t system_now() {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

/// What tracing needs, found before the program is started.
struct Prepared {
    fs::path library;
    fs::path cupti;
    fs::path output;
};

Result<Prepared> prepare(const TraceArguments& arguments) {
    if (arguments.command.empty())
        return usage("trace needs a program to run: kw trace [OPTIONS] -- COMMAND [ARGUMENTS…]");
    if (auto known = check_kinds(arguments.kinds); !known) return std::unexpected(std::move(known.error()));
    Prepared prepared;
    prepared.output = arguments.output.empty()
                          ? fs::path{fs::path{arguments.command.front()}.filename().string() + ".trace.json.gz"}
                          : fs::path{arguments.output};
    for (const auto& file : {prepared.output.string(), arguments.report}) {
        report::EvalArguments written;
        written.output = file;
        if (auto checked = report::check_output(written); !checked) return std::unexpected(std::move(checked.error()));
    }
    if (auto differ = report::check_different(prepared.output, arguments.report); !differ)
        return std::unexpected(std::move(differ.error()));
    auto library = injection_library();
    if (!library) return std::unexpected(std::move(library.error()));
    prepared.library = std::move(*library);
    auto cupti = find_cupti(arguments.toolkit);
    if (!cupti) return std::unexpected(std::move(cupti.error()));
    prepared.cupti = std::move(*cupti);
    return prepared;
}

/// A line now and then while the program runs.
class LiveLine {
public:
    LiveLine(trace::Collection& collection, std::uint64_t start_ns) : collection_(collection), start_ns_(start_ns) {}

    void operator()() {
        // A stream that cannot be read now is read, or told of, at the end.
        if (!collection_.refresh()) return;
        const auto now = system_now();
        const auto kernels = collection_.summarizer().kernels();
        const auto busy = collection_.summarizer().kernel_ns();
        const auto seconds = static_cast<double>(now - last_ns_) / 1e9;
        report::say(fmt::format("kw trace: {:.0f} s: {} kernels, {:.0f}/s, {:.0f} % of the time\n",
                                static_cast<double>(now - start_ns_) / 1e9, report::count(kernels),
                                static_cast<double>(kernels - kernels_) / seconds,
                                static_cast<double>(busy - busy_ns_) / 1e7 / seconds));
        last_ns_ = now;
        kernels_ = kernels;
        busy_ns_ = busy;
    }

private:
    trace::Collection& collection_;
    std::uint64_t start_ns_;
    std::uint64_t last_ns_ = start_ns_;
    std::uint64_t kernels_ = 0;
    std::uint64_t busy_ns_ = 0;
};

Result<void> write_report(const fs::path& path, const trace::Collection& collection, std::uint64_t run_ns) {
    profile::Report result;
    result.profiler = "CUPTI " + collection.cupti();
    result.milliseconds = static_cast<double>(run_ns) / 1e6;
    result.device.kind = device::Kind::cuda;
    for (const auto& process : collection.processes())
        for (const auto& [id, traced] : process.devices) {
            if (!result.device.name.empty()) continue;
            result.device.id = fmt::format("cuda:{}", id);
            result.device.name = traced.name;
            result.device.arch = fmt::format("sm_{}", traced.capability);
            result.device.limits.memory_bytes = traced.memory_bytes;
        }
    profile::RungState rung;
    rung.state = profile::RungState::State::done;
    rung.milliseconds = result.milliseconds;
    result.rungs.push_back(std::move(rung));
    result.activities_dropped = collection.lost();
    auto read = collection.source()([&](const profile::Activity& activity) {
        if (result.activities.size() < kReportActivities)
            result.activities.push_back(activity);
        else
            ++result.activities_dropped;
    });
    if (!read) return read;
    return write_file(path, profile::to_json(result).dump(-1, ' ', false, Json::error_handler_t::replace) + '\n');
}

int status_of(const ExitStatus& ended) { return ended.signal != 0 ? kSignalStatus + ended.signal : ended.code; }

} // namespace

std::vector<std::string> take_traced_command(int& argc, char** argv) {
    const std::span words{argv, static_cast<std::size_t>(argc)};
    const auto dashes = std::ranges::find(words, std::string_view{"--"});
    const bool traces = std::ranges::find(words.begin(), dashes, std::string_view{"trace"}) != dashes;
    if (dashes == words.end() || !traces) return {};
    argc = static_cast<int>(dashes - words.begin());
    return {std::next(dashes), words.end()};
}

int trace_command(const TraceArguments& arguments) {
    const auto prepared = prepare(arguments);
    if (!prepared) return report::report_error(prepared.error());
    auto spool = trace::Spool::create();
    if (!spool) return report::report_error(spool.error());
    if (const char* other = std::getenv(kInjectionVariable)) // NOLINT(concurrency-mt-unsafe): no other thread yet
        report::say(fmt::format("kw trace: takes the place of {}, which {} names\n", other, kInjectionVariable));

    const auto start_ns = system_now();
    trace::Collection collection{*spool, start_ns, arguments.max_events};
    trace::ForegroundOptions options{.arguments = arguments.command,
                                     .environment = {{kInjectionVariable, prepared->library.string()},
                                                     {trace::kFolderVariable, spool->folder().string()},
                                                     {trace::kCuptiVariable, prepared->cupti.string()},
                                                     {trace::kKindsVariable, arguments.kinds},
                                                     {trace::kLimitVariable, std::to_string(arguments.max_events)}}};
    if (arguments.live) {
        options.tick = std::chrono::seconds{1};
        options.on_tick = LiveLine{collection, start_ns};
    }
    const auto ended = trace::run_in_foreground(options);
    const auto run_ns = system_now() - start_ns;
    if (!ended) {
        const auto status = report::report_error(ended.error());
        if (ended.error().code == ErrorCode::not_found) return kNotFoundStatus;
        return ended.error().code == ErrorCode::unsupported ? kNotStartedStatus : status;
    }
    const int status = status_of(*ended);
    const auto failed = [&](const Error& error) {
        const int own = report::report_error(error);
        return status != 0 ? status : own;
    };
    // From here on what is interrupted is this program, which leaves nothing half done.
    const report::Interrupt interrupt;
    if (const auto read = collection.refresh(); !read) return failed(read.error());

    if (ended->signal != 0) report::say(fmt::format("kw trace: the program was ended by {}\n", to_string(*ended)));
    for (const auto& problem : collection.problems())
        report::say(fmt::format("kw trace: {}\n", report::printable(problem)));
    if (collection.summarizer().activities() == 0) {
        if (collection.processes().empty())
            report::say("kw trace: the program did not start CUDA, so there is no trace\n");
        else if (collection.problems().empty())
            report::say("kw trace: the program started CUDA but did nothing on a GPU, so there is no trace\n");
        return status;
    }
    const trace::TraceInfo info{.producer = fmt::format("kw {}, CUPTI {}", kw::version(), collection.cupti()),
                                .base_time_ns = start_ns,
                                .processes = collection.processes(),
                                .lost = collection.lost()};
    const auto written = trace::write_chrome_trace(prepared->output, info, collection.source(), {}, interrupt.token());
    if (!written) return failed(written.error());
    if (!arguments.report.empty())
        if (const auto reported = write_report(arguments.report, collection, run_ns); !reported)
            return failed(reported.error());

    const TraceOutcome outcome{
        .output = prepared->output.string(), .written = *written, .run_ns = run_ns, .status = status};
    report::say(arguments.json
                    ? summary_json(collection, outcome).dump(-1, ' ', false, Json::error_handler_t::replace) + '\n'
                    : summary_text(collection, outcome));
    return status;
}

} // namespace kw::cli
