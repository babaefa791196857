#include "engine/worker/fault_locator.h"

#include "engine/base/file.h"
#include "engine/base/temporary_folder.h"
#include "engine/compile/toolkit.h"
#include "engine/device/cuda/fault_text.h"
#include "engine/rpc/client.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <chrono>
#include <exception>
#include <filesystem>
#include <utility>

namespace kw::worker {
namespace {

namespace fs = std::filesystem;

/// What is worth waiting for before compute-sanitizer is asked, which takes more than ten seconds with a large toolkit.
constexpr std::chrono::seconds kSimulatorTime{4};
/// It slows kernels down by factors of ten to a hundred.
constexpr std::chrono::seconds kSanitizerTime{20};
/// Until the tool has written its report, once the process it watches has answered.
constexpr std::chrono::seconds kReportTime{3};
constexpr std::size_t kReportBytes = std::size_t{4} << 20;

std::optional<device::Fault> find_with_simulator(const std::vector<std::string>& command, const Json& job,
                                                 device::FaultKind told, std::stop_token stop) {
    const auto child = rpc::Client::start({.arguments = command}, "the process that looks for a fault's place");
    if (!child) return std::nullopt;
    const auto answer = (*child)->call("locate", Json{{"job", job}, {"told", device::to_string(told)}}, std::move(stop),
                                       {}, kSimulatorTime);
    (*child)->kill();
    if (!answer || !answer->is_object()) return std::nullopt;
    const auto fault = answer->find("fault");
    if (fault == answer->end()) return std::nullopt;
    try {
        auto found = device::fault_from_json(*fault);
        if (!found.where.file.empty() || found.thread) return found;
        return std::nullopt;
    } catch (const std::exception&) {
        return std::nullopt; // as good as none
    }
}

/// What memcheck has words for.
bool known_to_sanitizer(device::FaultKind told) {
    using device::FaultKind;
    return told == FaultKind::out_of_bounds || told == FaultKind::misaligned || told == FaultKind::launch_failure
           || told == FaultKind::stack_overflow;
}

std::optional<device::Fault> find_with_sanitizer(std::vector<std::string> command, const std::string& tool,
                                                 const Json& job, std::stop_token stop) {
    const TemporaryFolder folder;
    if (folder.path().empty() || command.empty()) return std::nullopt;
    // A link to "this program" would be the tool's in there.
    std::error_code error;
    if (const auto program = fs::read_symlink(command.front(), error); !error) command.front() = program.string();
    const auto report = folder.path() / "report";
    // The report goes to a file: standard output belongs to the protocol.
    std::vector<std::string> arguments{tool, "--tool", "memcheck", "--log-file", report.string(), "--print-limit", "1"};
    arguments.insert(arguments.end(), command.begin(), command.end());
    const auto child = rpc::Client::start({.arguments = std::move(arguments)}, "compute-sanitizer");
    if (!child) return std::nullopt;
    (*child)->set_cancel_patience({}); // nobody waits for what it would tidy up
    static_cast<void>((*child)->call("execute", job, stop, {}, kSanitizerTime));
    if (stop.stop_requested()) return std::nullopt;
    (*child)->close(kReportTime);
    const auto text = read_file(report, kReportBytes, Stage::device);
    return text ? cuda::fault_from_memcheck(*text) : std::nullopt;
}

} // namespace

void add_printed_place(Json& answer, std::string_view printed) {
    const auto fault = answer.is_object() ? answer.find("fault") : answer.end();
    if (!answer.is_object() || fault == answer.end()) return;
    auto told = device::fault_from_json(*fault);
    if (told.kind != device::FaultKind::assertion || !told.where.file.empty()) return;
    auto found = cuda::fault_from_assertion(printed);
    if (!found) return;
    // A report repeats the fault's sentence as its own.
    for (const auto* member : {"because", "problem"}) {
        const auto text = answer.find(member);
        if (text == answer.end() || !text->is_string()) continue;
        auto& said = text->get_ref<std::string&>(); // perhaps with when it happened before it
        if (said.ends_with(told.message))
            said.replace(said.size() - told.message.size(), std::string::npos, found->message);
    }
    answer["fault"] = device::to_json(cuda::refined(std::move(told), std::move(*found)));
}

std::optional<device::Fault> locate_fault(const std::vector<std::string>& command, const std::string& toolkit,
                                          const Json& job, device::FaultKind told, std::stop_token stop,
                                          const pipeline::Progress& progress) {
    progress("looking for the place of the fault on the simulator", -1);
    if (auto found = find_with_simulator(command, job, told, stop)) return found;
    if (stop.stop_requested() || !known_to_sanitizer(told)) return std::nullopt;
    const auto tool = compile::find_tool("compute-sanitizer", toolkit).path;
    if (tool.empty()) return std::nullopt;
    progress("looking for the place of the fault with compute-sanitizer", -1);
    return find_with_sanitizer(command, tool.string(), job, std::move(stop));
}

} // namespace kw::worker
