#include "engine/worker/fault_locator.h"

#include "engine/base/file.h"
#include "engine/compile/toolkit.h"
#include "engine/device/cuda/fault_text.h"
#include "engine/rpc/client.h"

#include <fmt/format.h>
#include <stdlib.h>

#include <chrono>
#include <filesystem>
#include <utility>

namespace kw::worker {
namespace {

namespace fs = std::filesystem;

/// A small kernel takes it under a second; it slows kernels down by factors of ten to a hundred.
constexpr std::chrono::seconds kSearchTime{30};
/// Until the tool has written its report, once the process it watches has answered.
constexpr std::chrono::seconds kReportTime{3};
constexpr std::size_t kReportBytes = std::size_t{4} << 20;

/// A folder that goes with the object.
class TemporaryFolder {
public:
    TemporaryFolder() {
        std::error_code error;
        auto pattern = (fs::temp_directory_path(error) / "kernelwright-XXXXXX").string();
        if (!error && ::mkdtemp(pattern.data())) path_ = pattern;
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        if (!path_.empty()) fs::remove_all(path_, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    [[nodiscard]] const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

} // namespace

void add_printed_place(Json& answer, std::string_view printed) {
    const auto fault = answer.is_object() ? answer.find("fault") : answer.end();
    if (!answer.is_object() || fault == answer.end()) return;
    auto told = device::fault_from_json(*fault);
    if (told.kind != device::FaultKind::assertion || !told.where.file.empty()) return;
    auto found = cuda::fault_from_assertion(printed);
    if (!found) return;
    // A report repeats the fault's sentence as its own.
    for (const auto* member : {"because", "problem"})
        if (const auto text = answer.find(member); text != answer.end() && *text == told.message)
            *text = found->message;
    answer["fault"] = device::to_json(cuda::refined(std::move(told), std::move(*found)));
}

std::optional<device::Fault> locate_fault(std::vector<std::string> command, const Json& job, const std::string& toolkit,
                                          std::stop_token stop) {
    const auto tool = compile::find_tool("compute-sanitizer", toolkit).path;
    const TemporaryFolder folder;
    if (tool.empty() || folder.path().empty() || command.empty()) return std::nullopt;
    // A link to "this program" would be the tool's in there.
    std::error_code error;
    if (const auto program = fs::read_symlink(command.front(), error); !error) command.front() = program.string();
    const auto report = folder.path() / "report";
    // The report goes to a file: standard output belongs to the protocol.
    std::vector<std::string> arguments{tool.string(),   "--tool",        "memcheck", "--log-file",
                                       report.string(), "--print-limit", "1"};
    arguments.insert(arguments.end(), command.begin(), command.end());
    const auto child = rpc::Client::start({.arguments = std::move(arguments)}, "compute-sanitizer");
    if (!child) return std::nullopt;
    static_cast<void>((*child)->call("execute", job, std::move(stop), {}, kSearchTime));
    (*child)->close(kReportTime);
    const auto text = read_file(report, kReportBytes, Stage::device);
    return text ? cuda::fault_from_memcheck(*text) : std::nullopt;
}

} // namespace kw::worker
