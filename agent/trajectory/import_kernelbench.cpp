#include "agent/trajectory/import_readers.h"
#include "engine/base/file.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>
#include <utility>

namespace kw::trajectory {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestResults = std::size_t{256} << 20;
constexpr std::size_t kLargestKernel = std::size_t{16} << 20;

struct Place {
    int level = 0, problem = 0, sample = 0;
    auto operator<=>(const Place&) const = default;
};

/// Takes "level_2_" off a text; none where it does not begin so.
std::optional<int> take_number(std::string_view& text, std::string_view word) {
    if (!text.starts_with(word)) return std::nullopt;
    int value = 0;
    const auto* begin = text.data() + word.size();
    const auto [end, error] = std::from_chars(begin, text.data() + text.size(), value);
    if (error != std::errc{} || value < 0) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return value;
}

std::optional<Place> place_of(std::string_view name) {
    const auto level = take_number(name, "level_"), problem = level ? take_number(name, "_problem_") : level,
               sample = problem ? take_number(name, "_sample_") : problem;
    if (!sample || name != "_kernel.py") return std::nullopt;
    return Place{*level, *problem, *sample};
}

Outcome outcome_of(Element result) {
    const auto metadata = member(result, "metadata");
    Outcome outcome{.compiled = flag_at(result, "compiled"), .because = {}};
    outcome.correct = flag_at(result, "correctness");
    outcome.device = text_at(metadata, "hardware");
    // In milliseconds; −1 where it was not timed.
    if (const auto runtime = number_at(result, "runtime"); runtime && *runtime > 0) outcome.median_us = *runtime * 1000;
    std::string why;
    for (const char* name : {"compilation_error", "runtime_error", "correctness_issue", "other_error", "error"})
        if (const auto text = text_at(metadata, name); why.empty() && !text.empty())
            why = text.substr(0, text.find('\n'));
    if (!outcome.compiled)
        outcome.because = fmt::format("KernelBench could not compile it{}{}", why.empty() ? "" : ": ", why);
    else if (!*outcome.correct)
        outcome.because = fmt::format("KernelBench found its results wrong{}{}", why.empty() ? "" : ": ", why);
    else
        outcome.because = "KernelBench found it correct; against which baseline is not recorded";
    return outcome;
}

} // namespace

Result<Trace> read_kernelbench(const fs::path& folder, std::stop_token stop) {
    TraceBuilder builder{"kernelbench"};
    builder.trace().task =
        folder.has_filename() ? folder.filename().string() : folder.parent_path().filename().string();
    std::map<Place, fs::path> kernels;
    std::error_code error;
    for (fs::directory_iterator entry{folder, error}, end; !error && entry != end; entry.increment(error)) {
        const auto place = place_of(entry->path().filename().string());
        std::error_code ignored;
        // Where a link leads is not this folder's.
        if (place && fs::is_regular_file(entry->symlink_status(ignored))) kernels[*place] = entry->path();
    }
    if (error)
        return fail(Stage::usage, ErrorCode::not_found,
                    fmt::format("cannot read the folder '{}': {}", folder.string(), error.message()),
                    {folder.string()});

    std::map<std::pair<int, int>, Outcome> outcomes; // by problem and sample
    const auto results = folder / "eval_results.json";
    if (fs::is_regular_file(fs::symlink_status(results, error))) {
        auto text = read_file(results, kLargestResults, Stage::usage);
        if (!text) return std::unexpected(std::move(text.error()));
        const auto document = Document::parse(std::move(*text));
        if (!document)
            return fail(Stage::usage, ErrorCode::invalid_input,
                        fmt::format("'{}' {}", results.string(), document.error()), {results.string()});
        simdjson::dom::object problems;
        if ((*document)->root().get_object().get(problems) == simdjson::SUCCESS)
            for (const auto& problem : problems) {
                std::string_view key = problem.key;
                const auto number = take_number(key, "");
                if (!number) continue;
                const auto add = [&](Element result) {
                    outcomes[{*number,
                              static_cast<int>(std::min<std::int64_t>(count_at(result, "sample_id"), 1 << 30))}] =
                        outcome_of(result);
                };
                for_each(problem.value, add);
                simdjson::dom::object samples;
                if (problem.value.get_object().get(samples) == simdjson::SUCCESS) {
                    if (member(problem.value, "compiled"))
                        add(problem.value);
                    else
                        for (const auto& sample : samples) add(sample.value);
                }
            }
    } else {
        builder.note("the folder has no eval_results.json, so nothing is known of how the kernels did");
    }

    std::size_t unread = 0;
    for (const auto& [place, path] : kernels) {
        if (stop.stop_requested()) return fail(Stage::usage, ErrorCode::cancelled, "the import was stopped");
        auto text = read_file(path, kLargestKernel, Stage::usage);
        if (!text || first_invalid_utf8(*text) != std::string::npos) {
            ++unread;
            continue;
        }
        builder.begin();
        auto& turn = builder.turn(0);
        turn.title = fmt::format("level {} problem {} sample {}", place.level, place.problem, place.sample);
        turn.file = path.filename().string();
        turn.source = std::move(*text);
        if (const auto found = outcomes.find({place.problem, place.sample}); found != outcomes.end())
            turn.evaluation = evaluation_of(found->second, *turn.file);
        outcomes.erase({place.problem, place.sample});
    }
    builder.left_out(unread, "kernels that are not UTF-8 or larger than 16 MiB");
    builder.left_out(outcomes.size(), "results without a kernel file");
    return builder.take();
}

} // namespace kw::trajectory
