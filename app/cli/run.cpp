#include "app/cli/run.h"

#include "engine/base/file.h"
#include "engine/compile/toolkit.h"
#include "engine/device/checks.h"
#include "engine/device/sim/gpu_model.h"
#include "engine/profile/trace/foreground.h"
#include "engine/report/commands.h"
#include "engine/report/interrupt.h"
#include "engine/report/text.h"
#include "engine/runtime/program.h"
#include "engine/runtime/variables.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <optional>
#include <set>
#include <span>
#include <string_view>
#include <utility>

namespace fs = std::filesystem;

namespace kw::cli {
namespace {

constexpr int kDoesNotCompile = 1;
constexpr int kSignalStatus = 128;
constexpr std::string_view kRuntimeName = "libcudart.so.";
/// Options before FILE that take the next word; all others are flags or have their value after '='.
constexpr std::string_view kWithValue[] = {"--device", "--nvcc", "--most-instructions", "--sanitize", "--toolkit",
                                           "--worker", "--log"};

std::unexpected<Error> usage(std::string message) {
    return fail(Stage::usage, ErrorCode::invalid_input, std::move(message));
}
std::unexpected<Error> missing(std::string message) {
    return fail(Stage::environment, ErrorCode::not_found, std::move(message));
}

/// A folder for what nvcc makes, gone with the object.
class WorkFolder {
public:
    static Result<WorkFolder> create() {
        std::error_code error;
        auto name = (fs::temp_directory_path(error) / "kw-run-XXXXXX").string();
        if (error || !::mkdtemp(name.data()))
            return missing(fmt::format("cannot make a folder in {}; set TMPDIR to one that can be written",
                                       fs::path(name).parent_path().string()));
        WorkFolder folder;
        folder.path_ = name;
        return folder;
    }
    ~WorkFolder() {
        std::error_code ignored;
        if (!path_.empty()) fs::remove_all(path_, ignored);
    }
    WorkFolder(WorkFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}
    WorkFolder(const WorkFolder&) = delete;
    WorkFolder& operator=(const WorkFolder&) = delete;
    WorkFolder& operator=(WorkFolder&&) = delete;

    [[nodiscard]] const fs::path& path() const { return path_; }

private:
    WorkFolder() = default;
    fs::path path_;
};

/// Where the program is to run.
struct Target {
    std::optional<sim::GpuModel> model{}; ///< none: a GPU
    std::string visible{};                ///< its number for CUDA_VISIBLE_DEVICES, or empty
};

Result<Target> target_of(const std::string& device) {
    if (device.empty() || device == "sim") return Target{sim::gpu_models().front(), {}};
    if (device.starts_with("sim:")) {
        auto model = sim::find_gpu_model(std::string_view{device}.substr(4));
        if (!model) return std::unexpected(std::move(model.error()));
        return Target{std::move(*model), {}};
    }
    if (device == "cuda") return Target{};
    if (device.starts_with("cuda:") && device.find_first_not_of("0123456789", 5) == std::string::npos
        && device.size() > 5)
        return Target{{}, device.substr(5)};
    return usage(
        fmt::format("--device takes sim:MODEL, cuda or cuda:NUMBER; '{}' is none of them", report::printable(device)));
}

Result<fs::path> runtime_folder() {
    const auto beside = executable_folder();
    std::error_code error;
    for (const auto& place : {beside / "simulated-cuda", beside / "../lib/kernelwright/simulated-cuda"})
        if (fs::exists(place, error)) return fs::canonical(place, error);
    return missing(fmt::format("the folder simulated-cuda is not beside {}; install Kernelwright again",
                               (beside / "kw").string()));
}

Result<fs::path> find_nvcc(const std::string& toolkit) {
    if (!toolkit.empty()) {
        std::error_code error;
        const auto named = fs::absolute(toolkit, error);
        // A library lies in lib64 beside bin.
        const auto root = fs::is_regular_file(named, error) ? named.parent_path().parent_path() : named;
        auto nvcc = root / "bin" / "nvcc";
        if (!fs::is_regular_file(nvcc, error) || ::access(nvcc.c_str(), X_OK) != 0)
            return missing(fmt::format("running a whole program needs nvcc, and {} of --toolkit is not there; give the "
                                       "folder of a CUDA Toolkit 13",
                                       report::printable(nvcc.string())));
        return nvcc;
    }
    auto found = compile::find_tool("nvcc", toolkit);
    if (found.path.empty())
        return missing("running a whole program needs nvcc, which was not found; install the CUDA Toolkit 13 and set "
                       "CUDA_HOME to its folder, or put nvcc into PATH");
    return found.path;
}

/// Of nvcc's own options, what would take the build out of hand: by name, without dashes.
constexpr std::string_view kOtherSteps[] = {"c",   "compile", "cuda", "ptx", "cubin", "fatbin", "optix-ir",  "ltoir",
                                            "lib", "link",    "run",  "E",   "M",     "MM",     "preprocess"};
constexpr std::string_view kSeparate[] = {"dc",    "device-c",    "dw",  "device-w",
                                          "dlink", "device-link", "rdc", "relocatable-device-code"};
constexpr std::string_view kOutput[] = {"o", "output-file", "odir", "output-directory"};

/// That none of the options which are handed to nvcc fights with how programs are built here.
Result<void> check_nvcc_options(const std::vector<std::string>& options, bool simulated) {
    for (std::size_t index = 0; index < options.size(); ++index) {
        std::string_view name{options[index]};
        if (!name.starts_with('-')) continue;
        name.remove_prefix(name.starts_with("--") ? 2 : 1);
        const auto equals = name.find('=');
        std::string_view value = equals != std::string_view::npos ? name.substr(equals + 1)
                                 : index + 1 < options.size()     ? std::string_view{options[index + 1]}
                                                                  : std::string_view{};
        name = name.substr(0, equals);
        const auto shown = report::printable(options[index]);
        const auto is_in = [&](const auto& list) { return std::ranges::find(list, name) != std::end(list); };
        if (name == "cudart" && value != "shared")
            return usage(fmt::format("--nvcc {} cannot be: programs are linked to the shared CUDA runtime", shown));
        if (is_in(kOutput)) return usage(fmt::format("--nvcc {} cannot be: what is built is run and not kept", shown));
        if (is_in(kOtherSteps))
            return usage(fmt::format("--nvcc {} cannot be: kw run builds a whole program and runs it", shown));
        const bool relocatable = name == "rdc" || name == "relocatable-device-code";
        // On a GPU, code that may be linked with other code is only slower.
        if (is_in(kSeparate) && !(relocatable && (value == "false" || !simulated)))
            return usage(
                fmt::format("--nvcc {} asks for separate compilation, which is not supported; leave it out, as "
                            "the program is one file",
                            shown));
    }
    return {};
}

struct Step {
    int status = 0;    ///< the exit status, or 128 and the signal that ended it
    int interrupt = 0; ///< the signal by which someone wanted an end of it meanwhile
};

/// Runs a step of the build; what the compiler has to say goes where it always goes.
Result<Step> build_step(std::vector<std::string> command) {
    Step step;
    // The compiler drives others and may end as it does after an error of the source.
    const auto note = [&](int signal) {
        if (signal == SIGINT || signal == SIGQUIT || signal == SIGTERM || signal == SIGHUP) step.interrupt = signal;
    };
    trace::ForegroundOptions options{.arguments = std::move(command)};
    options.on_signal = note;
    const auto ended = trace::run_in_foreground(options);
    if (!ended) return std::unexpected(ended.error());
    step.status = ended->signal != 0 ? kSignalStatus + ended->signal : ended->code;
    if (ended->signal != 0 && step.interrupt == 0) step.interrupt = ended->signal;
    return step;
}

/// The libraries of NVIDIA's that an object file calls, with one call of each.
std::vector<std::pair<runtime::VendorLibrary, std::string>> vendor_calls(const runtime::Linkage& object) {
    std::vector<std::pair<runtime::VendorLibrary, std::string>> calls;
    for (const auto& symbol : object.undefined) {
        const auto library = runtime::vendor_library(symbol);
        const auto known =
            std::ranges::any_of(calls, [&](const auto& call) { return call.first.link == library.link; });
        if (!library.name.empty() && !known) calls.emplace_back(library, symbol);
    }
    return calls;
}

struct Built {
    fs::path program;
    Step step{};             ///< the last one
    bool calls_cuda = false; ///< the program's own code does
};

bool is_runtime_call(std::string_view symbol) { return symbol.starts_with("cuda") || symbol.starts_with("__cuda"); }

/// That every call of the CUDA runtime has someone to answer it, before the loader finds out in its own words.
Result<void> check_calls(const Built& built, const fs::path& folder, const std::string& file) {
    const auto linkage = runtime::read_linkage(built.program);
    if (!linkage) return std::unexpected(linkage.error());
    const auto soname =
        std::ranges::find_if(linkage->needed, [](const auto& name) { return name.starts_with(kRuntimeName); });
    if (soname == linkage->needed.end()) {
        if (!built.calls_cuda) return {}; // a program without CUDA
        return fail(Stage::environment, ErrorCode::unsupported,
                    fmt::format("{} was not linked to the shared CUDA runtime, for which the simulator stands in; take "
                                "-cudart out of NVCC_APPEND_FLAGS",
                                file));
    }
    std::error_code error;
    if (!fs::exists(folder / *soname, error))
        return fail(Stage::environment, ErrorCode::unsupported,
                    fmt::format("nvcc is of CUDA {}, and the simulator stands in for the runtime of CUDA 13 alone; set "
                                "CUDA_HOME to a toolkit of CUDA 13",
                                soname->substr(kRuntimeName.size())));
    const auto ours = runtime::read_linkage(folder / *soname);
    if (!ours) return std::unexpected(ours.error());
    const std::set<std::string_view> defined(ours->defined.begin(), ours->defined.end());
    for (const auto& symbol : linkage->undefined)
        if (is_runtime_call(symbol) && !defined.contains(symbol))
            return fail(Stage::environment, ErrorCode::unsupported,
                        fmt::format("{} calls {}, which the simulator does not know; on a machine with a GPU, run it "
                                    "with --device cuda",
                                    file, symbol));
    return {};
}

Result<Built> build(const RunArguments& arguments, const Target& target, const fs::path& nvcc, const fs::path& folder) {
    const auto name = fs::path(arguments.file).stem();
    const auto object = folder / (name.string() + ".o");
    Built built{folder / name};
    std::vector<std::string> common{nvcc.string(), "-cudart", "shared"};
    if (target.model) {
        // Machine code says how many registers a thread has; PTX is what runs.
        const auto number = target.model->arch.substr(3);
        common.push_back("-gencode");
        common.push_back(fmt::format("arch=compute_{0},code=[sm_{0},compute_{0}]", number));
        common.push_back("--no-compress");
    } else {
        common.push_back("-arch=native");
    }
    common.insert(common.end(), arguments.nvcc.begin(), arguments.nvcc.end());
    auto compile = common;
    compile.insert(compile.end(),
                   {"-O2", "-g", "-lineinfo", "--extended-lambda", "-c", arguments.file, "-o", object.string()});
    auto compiled = build_step(std::move(compile));
    if (!compiled) return std::unexpected(std::move(compiled.error()));
    if (built.step = *compiled; built.step.status != 0 || built.step.interrupt != 0) return built;

    auto linkage = runtime::read_linkage(object);
    if (!linkage) return std::unexpected(std::move(linkage.error()));
    built.calls_cuda = std::ranges::any_of(linkage->undefined, is_runtime_call);
    auto link = common;
    link.insert(link.end(), {object.string(), "-o", built.program.string()});
    for (const auto& [library, call] : vendor_calls(*linkage)) {
        if (target.model)
            return fail(Stage::environment, ErrorCode::unsupported,
                        fmt::format("{} calls {} ({}), which the simulator does not have; on a machine with a GPU, run "
                                    "it with --device cuda",
                                    arguments.file, call, library.name));
        link.push_back(fmt::format("-l{}", library.link));
    }
    auto linked = build_step(std::move(link));
    if (!linked) return std::unexpected(std::move(linked.error()));
    built.step = *linked;
    return built;
}

void prepend(std::vector<std::pair<std::string, std::string>>& environment, const char* name, const std::string& path) {
    const char* before = std::getenv(name); // NOLINT(concurrency-mt-unsafe): no other thread yet
    environment.emplace_back(name, before && *before ? fmt::format("{}:{}", path, before) : path);
}

Result<int> run(const RunArguments& arguments) {
    std::error_code error;
    if (!arguments.worker.empty() && arguments.worker != "local")
        return usage("kw run runs programs on this machine alone; leave --worker out");
    if (fs::is_directory(arguments.file, error))
        return usage(fmt::format("{} is a folder; name a CUDA source, a file that ends in .cu",
                                 report::printable(arguments.file)));
    if (!fs::is_regular_file(arguments.file, error))
        return usage(fmt::format("there is no file {}", report::printable(arguments.file)));
    if (fs::path(arguments.file).extension() != ".cu")
        return usage(
            fmt::format("{} is not a CUDA source; its name has to end in .cu", report::printable(arguments.file)));
    const auto target = target_of(arguments.device);
    if (!target) return std::unexpected(target.error());
    if (!arguments.sanitize.empty()) {
        if (const auto checks = device::checks_from(arguments.sanitize); !checks)
            return usage(fmt::format("--sanitize: {}", checks.error().message));
        if (!target->model)
            return usage("--sanitize is for the simulator; NVIDIA's compute-sanitizer does it on a GPU");
    }
    if (const auto fit = check_nvcc_options(arguments.nvcc, target->model.has_value()); !fit)
        return std::unexpected(fit.error());
    const auto nvcc = find_nvcc(arguments.toolkit);
    if (!nvcc) return std::unexpected(nvcc.error());
    const auto folder = WorkFolder::create();
    if (!folder) return std::unexpected(folder.error());
    const auto built = build(arguments, *target, *nvcc, folder->path());
    if (!built) return std::unexpected(built.error());
    if (built->step.interrupt != 0) return kSignalStatus + built->step.interrupt;
    if (built->step.status != 0) {
        report::say(fmt::format("kw run: {} does not compile\n", report::printable(arguments.file)));
        return kDoesNotCompile;
    }

    trace::ForegroundOptions options{.arguments = {built->program.string()}};
    options.arguments.insert(options.arguments.end(), arguments.arguments.begin(), arguments.arguments.end());
    if (target->model) {
        const auto ours = runtime_folder();
        if (!ours) return std::unexpected(ours.error());
        if (const auto checked = check_calls(*built, *ours, arguments.file); !checked)
            return std::unexpected(checked.error());
        prepend(options.environment, "LD_LIBRARY_PATH", ours->string());
        options.environment.emplace_back(runtime::kModelVariable, target->model->id);
        options.environment.emplace_back(runtime::kLimitVariable,
                                         arguments.instructions == 0 ? "" : std::to_string(arguments.instructions));
        options.environment.emplace_back(runtime::kChecksVariable, arguments.sanitize);
    } else {
        prepend(options.environment, "LD_LIBRARY_PATH", (nvcc->parent_path().parent_path() / "lib64").string());
        if (!target->visible.empty()) options.environment.emplace_back("CUDA_VISIBLE_DEVICES", target->visible);
    }
    const auto ended = trace::run_in_foreground(options);
    if (!ended) return std::unexpected(ended.error());
    if (ended->signal == 0) return ended->code;
    if (ended->signal != SIGINT) report::say(fmt::format("kw run: the program was ended by {}\n", to_string(*ended)));
    return kSignalStatus + ended->signal;
}

} // namespace

CLI::App* add_run(CLI::App& app, RunArguments& arguments) {
    auto* command = app.add_subcommand("run", "Compile a CUDA program with nvcc and run it, on the simulator or a GPU");
    command
        ->add_option("FILE", arguments.file, "Source of the program, with its main(); what follows is for the program")
        ->required();
    command
        ->add_option("--device", arguments.device,
                     "Where its kernels run: sim:h200, sim:a100, sim:rtx4090, cuda or cuda:N (default: sim:h200)")
        ->type_name("DEVICE");
    command->add_option("--nvcc", arguments.nvcc, "A further option for nvcc, as in --nvcc -std=c++20; may be repeated")
        ->type_name("OPTION")
        ->expected(1)
        ->allow_extra_args(false)
        ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    command
        ->add_option(
            "--sanitize", arguments.sanitize,
            "What to look for in its kernels beyond the usual: none, all, or some of init, race, sync, shuffle")
        ->type_name("LIST");
    command
        ->add_option("--most-instructions", arguments.instructions,
                     "Warp instructions after which a kernel counts as endless, in all and by one warp (default: "
                     "4 000 000 000 and 500 000 000)")
        ->type_name("N")
        ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 60));
    command->footer(
        "The program's exit status is passed through: 128 + n when signal n ended it. kw run's own are 1 when\n"
        "it does not compile, 2 for wrong usage, 3 when something is missing here or in the simulator.");
    return command;
}

std::vector<std::string> take_program_arguments(int& argc, char** argv) {
    const std::span words{argv, static_cast<std::size_t>(argc)};
    bool in_run = false;
    for (std::size_t index = 1; index < words.size(); ++index) {
        const std::string_view word{words[index]};
        if (std::ranges::find(kWithValue, word) != std::end(kWithValue)) {
            ++index;
        } else if (word.starts_with('-')) {
            continue;
        } else if (!in_run) {
            if (word != "run") return {};
            in_run = true;
        } else {
            argc = static_cast<int>(index + 1);
            auto rest = words.begin() + static_cast<std::ptrdiff_t>(index + 1);
            return {rest, words.end()};
        }
    }
    return {};
}

int run_command(const RunArguments& arguments) {
    const auto status = run(arguments);
    return status ? *status : report::report_error(status.error());
}

} // namespace kw::cli
