#include "engine/report/commands.h"

#include "engine/base/descriptor.h"
#include "engine/base/file.h"
#include "engine/report/evaluation_text.h"
#include "engine/report/interrupt.h"
#include "engine/report/inventory_text.h"
#include "engine/report/progress_bar.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <utility>

namespace kw::report {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestSource = std::size_t{16} << 20;

std::unexpected<Error> usage(std::string message) {
    return fail(Stage::usage, ErrorCode::invalid_input, std::move(message));
}

template<class Integer> bool parse_integer(std::string_view text, Integer& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc{} && end == text.data() + text.size() && !text.empty();
}

fs::path task_folder(const std::string& argument) {
    const fs::path path{argument};
    std::error_code ignored;
    if (path.filename() == "task.toml" && !fs::is_directory(path, ignored))
        return path.has_parent_path() ? path.parent_path() : fs::path{"."};
    return path;
}

/// The name inside the task that a path on disk has, or empty when it lies elsewhere.
std::string name_inside(const fs::path& folder, const fs::path& file) {
    std::error_code error;
    const auto root = fs::canonical(folder, error);
    if (error) return {};
    const auto whole = fs::canonical(file, error);
    if (error) return {};
    const auto relative = whole.lexically_relative(root);
    return relative.empty() || *relative.begin() == ".." ? std::string{} : relative.generic_string();
}

Result<void> add_outside_candidate(const fs::path& path, const task::Task& task, task::Files& files,
                                   pipeline::Options& options) {
    auto text = read_file(path, kLargestSource, Stage::usage);
    if (!text) return std::unexpected(std::move(text.error()));
    if (const auto bad = first_invalid_utf8(*text); bad != std::string_view::npos) {
        auto where = position_at(*text, bad, path.string());
        return fail(Stage::usage, ErrorCode::invalid_input, "the file is not UTF-8 here; save it as UTF-8",
                    std::move(where));
    }
    auto name = path.filename().string();
    // Any other file may be one that the reference includes, and is not the candidate's to change.
    if (fs::path{task.kernel}.filename() == name)
        name = task.kernel;
    else if (files.contains(name))
        return usage(fmt::format("the candidate '{}' has the name of a file of the task; give it another name, or that "
                                 "of the task's kernel, {}",
                                 path.string(), task.kernel));
    files.insert_or_assign(name, std::move(*text));
    options.candidate = std::move(name);
    return {};
}

std::string error_line(const Error& error) {
    // Being stopped is nobody's error: where it happened does not matter.
    auto line = printable(error.code == ErrorCode::cancelled ? error.message : describe(error));
    std::ranges::replace(line, '\n', ' ');
    return line;
}

} // namespace

int report_error(const Error& error) {
    say(fmt::format("{}: {}\n", program_invocation_short_name, error_line(error)));
    return error.code == ErrorCode::cancelled ? kInterruptedStatus : exit_code(error);
}

Result<void> print(std::string_view text) {
    if (auto written = write_all(STDOUT_FILENO, text); !written)
        return fail(Stage::environment, ErrorCode::internal,
                    "cannot write to standard output; is the disk full or the reader gone?");
    return {};
}

Result<pipeline::Options> to_options(const EvalArguments& arguments) {
    pipeline::Options options;
    options.device = arguments.device;
    options.flush_l2 = !arguments.warm;
    if (!arguments.stages.empty()) {
        auto stages = pipeline::parse_stages(arguments.stages);
        if (!stages) return std::unexpected(std::move(stages.error()));
        options.stages = *stages;
    }
    for (const auto& text : arguments.set) {
        const auto equals = text.find('=');
        std::int64_t value = 0;
        if (equals == std::string::npos || equals == 0
            || !parse_integer(std::string_view{text}.substr(equals + 1), value))
            return usage(
                fmt::format("--set takes NAME=VALUE with a whole number, as in BLOCK=256; '{}' is not that", text));
        options.configuration[text.substr(0, equals)] = value;
    }
    if (!arguments.sanitize.empty()) {
        if (const auto checks = device::checks_from(arguments.sanitize); !checks)
            return usage("--sanitize: " + checks.error().message);
        options.sanitize = arguments.sanitize;
    }
    if (!arguments.shuffle_schedule.empty()) {
        std::uint64_t seed = 0;
        if (!parse_integer(arguments.shuffle_schedule, seed))
            return usage(fmt::format("--shuffle-schedule takes a whole number from 0; '{}' is not one",
                                     arguments.shuffle_schedule));
        options.shuffle_schedule = seed;
    }
    if (!arguments.seed.empty()) {
        std::uint64_t seed = 0;
        if (!parse_integer(arguments.seed, seed))
            return usage(fmt::format("--seed takes a whole number from 0; '{}' is not one", arguments.seed));
        options.seed = seed;
    }
    if (const auto limit = arguments.timeout_s) {
        if (!(*limit > 0 && *limit <= pipeline::kLongestTimeoutSeconds))
            return usage(fmt::format("--timeout takes a number of seconds above 0 and at most {:.0f}; {} is not",
                                     pipeline::kLongestTimeoutSeconds, *limit));
        options.verify_timeout_s = options.bench_timeout_s = options.profile_timeout_s = *limit;
    }
    return options;
}

Result<void> check_output(const EvalArguments& arguments) {
    if (arguments.output.empty()) return {};
    if (arguments.output == "-")
        return usage("'-' names no file here; leave it out to have standard output alone, or write './-'");
    const fs::path path{arguments.output};
    const auto folder = path.has_parent_path() ? path.parent_path() : fs::path{"."};
    std::error_code ignored;
    const bool exists = fs::exists(path, ignored);
    if (fs::is_directory(path, ignored))
        return usage(fmt::format("cannot write '{}': it is a folder; name a file in it", path.string()));
    // A file is replaced by a new one beside it; anything else is written to itself.
    const bool in_place = exists && !fs::is_regular_file(path, ignored);
    if (::access(in_place ? path.c_str() : folder.c_str(), W_OK) == 0) return {};
    return usage(fmt::format("cannot write '{}': {}", path.string(), std::strerror(errno)));
}

Result<void> check_different(const fs::path& first, const fs::path& second) {
    if (first.empty() || second.empty()) return {};
    std::error_code error;
    const auto whole = [&](const fs::path& path) { return fs::weakly_canonical(fs::absolute(path, error), error); };
    // Both may well go to one terminal or pipe.
    if (whole(first) != whole(second) || (fs::exists(first, error) && !fs::is_regular_file(first, error))) return {};
    return usage(fmt::format("'{}' is named twice; give what is written another name", second.string()));
}

Result<task::Files> read_task(const EvalArguments& arguments, pipeline::Options& options) {
    const auto folder = task_folder(arguments.task);
    std::error_code error;
    if (!fs::is_directory(folder, error))
        return fail(Stage::usage, ErrorCode::not_found,
                    fmt::format("there is no task folder '{}'; a task is a folder with a task.toml", folder.string()));
    auto files = task::read_folder(folder);
    if (!files) return files;
    auto task = task::parse_task(*files);
    if (!task) return std::unexpected(std::move(task.error()));
    if (arguments.candidate.empty()) return files;

    const auto own_candidate = [&]() -> Result<task::Files> {
        if (options.candidate == "task.toml" || options.candidate == task->reference)
            return usage(
                fmt::format("'{}' is what candidates are checked against, not a candidate", options.candidate));
        return std::move(files);
    };
    const fs::path path{arguments.candidate};
    if (fs::exists(path, error)) {
        options.candidate = name_inside(folder, path);
        if (!options.candidate.empty() && files->contains(options.candidate)) return own_candidate();
        if (auto added = add_outside_candidate(path, *task, *files, options); !added)
            return std::unexpected(std::move(added.error()));
        return files;
    }
    options.candidate = path.lexically_normal().generic_string();
    if (files->contains(options.candidate)) return own_candidate();
    return fail(Stage::usage, ErrorCode::not_found,
                fmt::format("there is no candidate '{}', neither here nor in the task folder", arguments.candidate));
}

int eval_command(const EvalArguments& arguments, Backend& backend, std::stop_token stop) {
    auto options = to_options(arguments);
    if (!options) return report_error(options.error());
    if (const auto writable = check_output(arguments); !writable) return report_error(writable.error());
    const auto files = read_task(arguments, *options);
    if (!files) return report_error(files.error());

    Result<Json> json;
    {
        ProgressBar bar;
        json = backend.evaluate(*files, *options, stop,
                                [&](std::string_view what, double fraction) { bar.show(what, fraction); });
    }
    if (!json) return report_error(json.error());
    const auto evaluation = pipeline::evaluation_from_json(*json);
    if (!evaluation) return report_error(evaluation.error());

    const auto text = json->dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
    const auto written = arguments.output.empty() ? Result<void>{} : write_file(arguments.output, text, Stage::usage);
    const auto shown = print(arguments.json ? text : render(*evaluation, *files, Style::for_descriptor(STDOUT_FILENO)));
    if (!written) return report_error(written.error());
    if (!shown) return report_error(shown.error());

    auto why = reason(*evaluation);
    if (evaluation->ok() && why.empty()) return 0;
    std::ranges::replace(why, '\n', ' ');
    say(fmt::format("{}: {}\n", program_invocation_short_name, why));
    return 1;
}

int devices_command(bool json, Backend& backend, std::stop_token stop) {
    const auto devices = backend.devices(stop);
    if (!devices) return report_error(devices.error());
    const auto shown = print(json ? devices->dump(2, ' ', false, Json::error_handler_t::replace) + '\n'
                                  : render_devices(*devices, Style::for_descriptor(STDOUT_FILENO)));
    return shown ? 0 : report_error(shown.error());
}

int doctor_command(bool json, Backend& backend, std::stop_token stop) {
    const auto found = backend.doctor(stop);
    if (!found) return report_error(found.error());
    const auto shown = print(json ? found->dump(2, ' ', false, Json::error_handler_t::replace) + '\n'
                                  : render_doctor(*found, Style::for_descriptor(STDOUT_FILENO)));
    if (!shown) return report_error(shown.error());
    if (healthy(*found)) return 0;
    return report_error({Stage::environment, ErrorCode::not_found,
                         "something that evaluations need is missing or fails; see 'what to do' above"});
}

} // namespace kw::report
