#include "app/cli/task_new.h"

#include "engine/base/file.h"
#include "engine/report/commands.h"
#include "engine/task/folder.h"
#include "engine/task/from_torch.h"

#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <utility>

namespace kw::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestProblem = std::size_t{1} << 20;

Result<fs::path> make(const TaskNewArguments& arguments, rpc::WorkerClient& worker, std::stop_token stop,
                      Json& description) {
    const fs::path problem = arguments.problem;
    std::error_code error;
    if (fs::is_directory(problem, error))
        return fail(Stage::usage, ErrorCode::invalid_input,
                    fmt::format("'{}' is a folder; name the file that defines Model", problem.string()));
    const auto name = task::safe_name(problem.stem().string());
    const fs::path folder = arguments.folder.empty() ? fs::path(name) : fs::path(arguments.folder);
    if (fs::exists(folder, error))
        return fail(Stage::usage, ErrorCode::invalid_input,
                    fmt::format("'{}' is there already; name another folder with -o", folder.string()));
    const auto source = read_file(problem, kLargestProblem, Stage::task);
    if (!source) return std::unexpected(source.error());
    auto described = worker.describe_torch(problem.filename().string(), *source, std::move(stop));
    if (!described) return std::unexpected(described.error());
    description = std::move(*described);
    const auto files = task::task_from_torch(description, *source, name);
    if (!files) return std::unexpected(files.error());
    const auto parent = folder.has_parent_path() ? folder.parent_path() : fs::path(".");
    return task::write_new_folder(*files, parent, folder.filename().string());
}

} // namespace

CLI::App* add_task_new(CLI::App& task, TaskNewArguments& arguments) {
    auto* command = task.add_subcommand("new", "Make a task folder");
    command
        ->add_option("--from-torch", arguments.problem,
                     "PyTorch problem: a file with Model, get_inputs and get_init_inputs, as KernelBench has them")
        ->type_name("FILE")
        ->required();
    command->add_option("-o,--output", arguments.folder, "Folder to make (default: the file's name, here)")
        ->type_name("FOLDER");
    command->add_flag("--json", arguments.json, "Print JSON");
    return command;
}

int task_new_command(const TaskNewArguments& arguments, rpc::WorkerClient& worker, std::stop_token stop) {
    Json description;
    const auto folder = make(arguments, worker, std::move(stop), description);
    if (!folder) return report::report_error(folder.error());
    const auto text = folder->lexically_normal().string();
    if (arguments.json) {
        fmt::print("{}\n", Json{{"folder", text}, {"description", description}}.dump(2));
        return 0;
    }
    fmt::print("{}\n", text);
    for (const auto& note : description.at("notes")) fmt::print("note: {}\n", note.get<std::string>());
    fmt::print("Write the kernel in {}, then: kw eval {}\n", (folder->lexically_normal() / "kernel.cu").string(), text);
    return 0;
}

} // namespace kw::cli
