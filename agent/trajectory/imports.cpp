#include "agent/trajectory/imports.h"

#include "agent/trajectory/import_readers.h"
#include "agent/trajectory/import_steps.h"
#include "engine/base/file.h"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>
#include <utility>

namespace kw::trajectory {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestFile = std::size_t{1} << 30;
/// Lines of a log that are looked at to find out whose it is.
constexpr int kLinesLookedAt = 40;
/// A first line longer than this is a whole trace on one line.
constexpr std::size_t kLongestFirstLine = std::size_t{4} << 20;

std::unexpected<Error> refuse(const std::string& name, std::string_view why) {
    return fail(Stage::usage, ErrorCode::invalid_input, fmt::format("'{}' {}", name, why), {name});
}

bool one_of(std::string_view text, std::initializer_list<std::string_view> list) {
    return std::ranges::find(list, text) != list.end();
}

/// Which log a line is of; empty when it does not tell.
std::string_view format_of_line(Element line) {
    const auto type = text_at(line, "type");
    if (one_of(type, {"session_meta", "turn_context", "response_item", "event_msg", "compacted"})
        && member(line, "payload"))
        return "codex";
    if (one_of(type, {"function_call", "function_call_output", "reasoning"})
        || (type == "message" && member(line, "role") && !member(line, "message")))
        return "codex";
    if (one_of(type, {"user", "assistant"}) && member(line, "message")
        && (member(line, "sessionId") || member(line, "uuid")))
        return "claude-code";
    return {};
}

/// Which log a text of lines is; empty when it is none.
std::string_view format_of_lines(std::string_view text) {
    simdjson::dom::parser parser;
    for (int i = 0; i < kLinesLookedAt && !text.empty(); ++i) {
        const auto end = std::min(text.find('\n'), text.size());
        if (end > kLongestFirstLine) return {};
        Element line;
        const bool good = parser.parse(std::string{text.substr(0, end)}).get(line) == simdjson::SUCCESS;
        if (i == 0 && (!good || !line.is_object())) return {};
        if (good)
            if (const auto format = format_of_line(line); !format.empty()) return format;
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return {};
}

std::string_view format_of_document(Element root) {
    if (text_at(root, "schema_version").starts_with("ATIF")) return "atif";
    if (member(root, "eval") && (member(root, "samples") || member(root, "plan"))) return "inspect";
    if (member(root, "trajectory") || (member(root, "history") && member(root, "info"))) return "swe-agent";
    return {};
}

bool is_zip(std::string_view bytes) { return bytes.starts_with("PK\3\4") || bytes.starts_with("PK\5\6"); }

Result<Trace> read_document(std::string_view format, Element root, const ImportOptions& options) {
    if (format == "atif") return read_atif(root, options.stop);
    return format == "inspect" ? read_inspect(root, options.stop) : read_swe_agent(root, options.stop);
}

/// What every reader leaves to be said.
Result<Trace> checked(Result<Trace> trace, const std::string& name, const ImportOptions& options) {
    if (!trace) return trace;
    if (options.stop.stop_requested()) return fail(Stage::usage, ErrorCode::cancelled, "the import was stopped");
    if (trace->turns.empty())
        return refuse(name, fmt::format("holds no turn of an agent in the form {}", trace->format));
    return trace;
}

} // namespace

Result<Trace> read_trace_text(std::string bytes, const std::string& name, const ImportOptions& options) {
    std::string_view format = options.format;
    const bool known = format != "auto";
    if (is_zip(bytes)) {
        if (known && format != "inspect")
            return refuse(name, fmt::format("is a zip archive, which a trace of the form {} is not", format));
        return checked(read_inspect_archive(std::move(bytes), name, options.stop), name, options);
    }
    if (!known) format = format_of_lines(bytes);
    if (format == "claude-code") return checked(read_claude_code(std::move(bytes), options.stop), name, options);
    if (format == "codex") return checked(read_codex(std::move(bytes), options.stop), name, options);
    if (format == "kernelbench") return refuse(name, "is a file; KernelBench results are a folder");

    const auto document = Document::parse(std::move(bytes));
    if (!document) return refuse(name, document.error());
    const auto root = (*document)->root();
    if (!known) format = format_of_document(root);
    if (format.empty())
        return refuse(name, fmt::format("is no trace that is known here; there are {}, of which --format names one",
                                        fmt::join(kImportFormats, ", ")));
    auto trace = read_document(format, root, options);
    if (trace && (*document)->mended())
        trace->notes.emplace_back(
            "what JSON does not have (NaN, numbers beyond all bounds, broken characters) was replaced");
    return checked(std::move(trace), name, options);
}

Result<Trace> read_trace(const fs::path& path, const ImportOptions& options) {
    if (options.format != "auto" && std::ranges::find(kImportFormats, options.format) == kImportFormats.end())
        return fail(
            Stage::usage, ErrorCode::invalid_input,
            fmt::format("there is no form '{}'; there are {}", options.format, fmt::join(kImportFormats, ", ")));
    std::error_code ignored;
    if (fs::is_directory(path, ignored)) {
        if (options.format != "auto" && options.format != "kernelbench")
            return refuse(path.string(), fmt::format("is a folder; a trace of the form {} is a file", options.format));
        return checked(read_kernelbench(path, options.stop), path.string(), options);
    }
    auto bytes = read_file(path, kLargestFile, Stage::usage);
    if (!bytes) return std::unexpected(std::move(bytes.error()));
    return read_trace_text(std::move(*bytes), path.string(), options);
}

Result<ImportReport> import_session(const fs::path& from, const fs::path& to, const ImportOptions& options) {
    auto trace = read_trace(from, options);
    if (!trace) return std::unexpected(std::move(trace.error()));
    if (!options.task.empty()) trace->task = options.task;
    if (trace->task.empty()) trace->task = from.stem().string();

    ImportReport report{.format = trace->format, .turns = trace->turns.size(), .notes = {}};
    auto done = SessionFile::create_whole(to, {}, trace->task, [&](SessionFile& session) -> Result<void> {
        auto counts = write_steps(session, *trace, options.stop);
        if (!counts) return std::unexpected(std::move(counts.error()));
        report.steps = counts->steps;
        report.sources = counts->sources;
        report.notes = trace->notes;
        const Json facts{{"format", trace->format}, {"file", from.filename().string()}, {"notes", trace->notes}};
        return session.set_meta("imported", facts.dump(-1, ' ', false, Json::error_handler_t::replace));
    });
    if (!done) return std::unexpected(std::move(done.error()));
    return report;
}

} // namespace kw::trajectory
