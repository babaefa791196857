#include "engine/compile/disasm.h"

#include "engine/base/file.h"
#include "engine/base/process.h"
#include "engine/compile/names.h"
#include "engine/compile/ptx_reader.h"
#include "engine/compile/scratch_folder.h"
#include "engine/compile/toolkit.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>

namespace kw::compile {
namespace {

std::string_view trim(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
    return text;
}

std::string_view take_line(std::string_view& text) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    return line;
}

/// `"file", line 12` at the front of `text`.
std::optional<SourceLine> take_place(std::string_view& text) {
    if (!text.starts_with('"')) return std::nullopt;
    const std::size_t close = text.find('"', 1);
    constexpr std::string_view kLine = ", line ";
    if (close == std::string_view::npos || !text.substr(close + 1).starts_with(kLine)) return std::nullopt;
    SourceLine place{task_relative(text.substr(1, close - 1)), 0, 0};
    text.remove_prefix(close + 1 + kLine.size());
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), place.line);
    if (error != std::errc()) return std::nullopt;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return place;
}

/// The function that a line of PTX begins to define or declare: "_Z1kPf" of ".visible .entry _Z1kPf(".
std::string_view function_of(std::string_view line) {
    if (line.starts_with("//")) return {};
    for (const std::string_view word : {".entry ", ".func "}) {
        const std::size_t at = line.find(word);
        if (at == std::string_view::npos) continue;
        std::string_view name = trim(line.substr(at + word.size()));
        // A result comes first: ".func (.param .b32 r) name(".
        if (name.starts_with('(')) name = trim(name.substr(std::min(name.find(')'), name.size() - 1) + 1));
        return name.substr(0, name.find_first_of(" (\t;{"));
    }
    return {};
}

ListingLine::Kind ptx_kind(std::string_view line) {
    if (line.starts_with('.') || line.starts_with('{') || line.starts_with('}') || line.starts_with(')'))
        return ListingLine::Kind::directive;
    return line.ends_with(':') ? ListingLine::Kind::label : ListingLine::Kind::instruction;
}

std::string_view kind_name(ListingLine::Kind kind) {
    switch (kind) {
    case ListingLine::Kind::label: return "label";
    case ListingLine::Kind::directive: return "directive";
    case ListingLine::Kind::instruction: break;
    }
    return "instruction";
}

} // namespace

Listing ptx_listing(std::string_view ptx) {
    Listing listing{"ptx", {}, {}};
    const LineTable lines(ptx);
    int depth = 0;
    bool inside = false, entered = false;
    for (std::size_t number = 1; !ptx.empty(); ++number) {
        const std::string_view line = trim(take_line(ptx));
        if (line.starts_with(".target "))
            listing.target = line.substr(8, line.find(',') == std::string_view::npos ? line.npos : line.find(',') - 8);
        if (!inside) {
            const std::string_view name = function_of(line);
            if (name.empty()) continue;
            listing.functions.push_back({demangled_name(std::string(name)), std::string(name), {}});
            inside = true;
            entered = false;
        }
        if (line.empty() || line.starts_with("//") || line.starts_with(".loc")) continue;
        ListingLine out{ptx_kind(line), std::string(line), number, {}, {}};
        if (const PtxLine* source = lines.source_of(number)) {
            out.source = source->source;
            out.inlined_at = source->inlined_at;
        }
        listing.functions.back().lines.push_back(std::move(out));
        depth += static_cast<int>(std::ranges::count(line, '{') - std::ranges::count(line, '}'));
        entered = entered || depth > 0;
        // A declaration without a body ends with its semicolon.
        if (!entered && line.ends_with(';')) {
            listing.functions.pop_back();
            inside = false;
        }
        if (entered && depth == 0) inside = false;
    }
    return listing;
}

Listing parse_nvdisasm(std::string_view text) {
    Listing listing{"sass", {}, {}};
    SourceLine source;
    std::optional<SourceLine> inlined_at;
    bool in_code = false;
    while (!text.empty()) {
        const std::string_view line = trim(take_line(text));
        constexpr std::string_view kSection = ".section\t.text.";
        constexpr std::string_view kPlace = "//## File ";
        if (line.starts_with(".target")) {
            listing.target = trim(line.substr(7));
        } else if (line.starts_with(".section")) {
            in_code = line.starts_with(kSection);
            if (!in_code) continue;
            std::string name(line.substr(kSection.size(), line.find(',') - kSection.size()));
            listing.functions.push_back({demangled_name(name), name, {}});
            source = {};
            inlined_at.reset();
        } else if (!in_code) {
            continue;
        } else if (line.starts_with(kPlace)) {
            std::string_view rest = line.substr(kPlace.size());
            const auto place = take_place(rest);
            if (!place) continue;
            constexpr std::string_view kInlined = " inlined at ";
            source = *place;
            inlined_at.reset();
            if (rest.starts_with(kInlined)) {
                rest.remove_prefix(kInlined.size());
                inlined_at = take_place(rest);
            }
        } else if (line.starts_with("/*")) {
            const std::size_t close = line.find("*/");
            if (close == std::string_view::npos) continue;
            ListingLine out{ListingLine::Kind::instruction, {}, 0, source, inlined_at};
            const auto [end, error] = std::from_chars(line.data() + 2, line.data() + close, out.address, 16);
            if (error != std::errc()) continue;
            out.text = trim(line.substr(close + 2));
            listing.functions.back().lines.push_back(std::move(out));
        } else if (line.ends_with(':')) {
            listing.functions.back().lines.push_back({ListingLine::Kind::label, std::string(line), 0, {}, {}});
        }
    }
    return listing;
}

Result<Listing> sass_listing(std::string_view cubin, const std::string& user_setting, std::stop_token stop) {
    if (cubin.empty())
        return fail(Stage::compile, ErrorCode::invalid_input,
                    "there is no machine code to list; compile to a cubin first");
    const ToolSearch tool = find_tool("nvdisasm", user_setting);
    if (tool.path.empty()) {
        auto error = fail(Stage::environment, ErrorCode::not_found,
                          "nvdisasm was not found; install the CUDA Toolkit's (or `pip install nvidia-cuda-nvdisasm`) "
                          "and set CUDA_HOME or PATH");
        for (const Attempt& attempt : tool.tried)
            error.error().detail += fmt::format("{}: {}: {}\n", attempt.source, attempt.path, attempt.reason);
        return error;
    }
    const ScratchFolder folder;
    if (folder.path().empty())
        return fail(Stage::environment, ErrorCode::internal,
                    "no temporary file can be made for nvdisasm; free some space or set TMPDIR");
    const std::filesystem::path file = folder.path() / "kernel.cubin";
    if (auto written = write_file(file, cubin, Stage::compile); !written) return std::unexpected(written.error());
    auto ran = run({tool.path.string(), "-c", "-gi", file.string()}, {}, stop);
    if (!ran) return std::unexpected(ran.error());
    if (!ran->status.success()) {
        auto error = fail(Stage::compile, ErrorCode::internal,
                          fmt::format("{} failed with {}", tool.path.string(), to_string(ran->status)));
        error.error().detail = ran->errors;
        return error;
    }
    return parse_nvdisasm(ran->output);
}

std::string render(const Listing& listing, const Files& files) {
    std::map<std::string, std::vector<std::string_view>> sources;
    const auto source_text = [&](const SourceLine& place) -> std::string_view {
        auto [known, fresh] = sources.try_emplace(place.file);
        if (fresh)
            if (const auto found = files.find(place.file); found != files.end())
                for (std::string_view text = found->second; !text.empty();) known->second.push_back(take_line(text));
        const auto index = static_cast<std::size_t>(place.line) - 1;
        return place.line > 0 && index < known->second.size() ? trim(known->second[index]) : std::string_view();
    };
    std::string out;
    for (const ListingFunction& function : listing.functions) {
        out += fmt::format("{}// {}\n", out.empty() ? "" : "\n", function.name);
        SourceLine last;
        for (const ListingLine& line : function.lines) {
            // The column changes within a line's run; only a new line is worth a heading.
            if (line.source.line > 0 && (line.source.file != last.file || line.source.line != last.line)) {
                last = line.source;
                const std::string call =
                    line.inlined_at ? fmt::format(", inlined at line {}", line.inlined_at->line) : "";
                out += fmt::format("// {}:{}{}  {}\n", last.file, last.line, call, source_text(last));
            }
            if (line.kind == ListingLine::Kind::label)
                out += fmt::format("{}\n", line.text);
            else if (listing.language == "sass")
                out += fmt::format("    {:04x}  {}\n", line.address, line.text);
            else
                out += fmt::format("    {}\n", line.text);
        }
    }
    return out;
}

Json to_json(const Listing& listing) {
    Json functions = Json::array();
    for (const ListingFunction& function : listing.functions) {
        Json lines = Json::array();
        for (const ListingLine& line : function.lines) {
            Json json{{"kind", kind_name(line.kind)}, {"address", line.address}, {"text", line.text}};
            if (line.source.line > 0) {
                json["file"] = line.source.file;
                json["line"] = line.source.line;
            }
            if (line.inlined_at)
                json["inlined_at"] = {{"file", line.inlined_at->file}, {"line", line.inlined_at->line}};
            lines.push_back(std::move(json));
        }
        functions.push_back({{"name", function.name}, {"lowered", function.lowered}, {"lines", std::move(lines)}});
    }
    return {{"language", listing.language}, {"target", listing.target}, {"functions", std::move(functions)}};
}

} // namespace kw::compile
