#include "editor/listing.h"

#include "engine/base/json_error.h"
#include "engine/base/json_integer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kw::editor {
namespace {

int line_in(const compile::ListingLine& line, std::string_view source) {
    if (line.source.line > 0 && line.source.file == source) return line.source.line;
    if (line.inlined_at && line.inlined_at->file == source) return line.inlined_at->line;
    return 0;
}

compile::ListingLine::Kind kind_from(const std::string& name) {
    if (name == "label") return compile::ListingLine::Kind::label;
    if (name == "directive") return compile::ListingLine::Kind::directive;
    return compile::ListingLine::Kind::instruction;
}

compile::SourceLine place_from(const Json& json) {
    return {json.value("file", std::string()), integer_from_json<int>(json.at("line")), 0};
}

} // namespace

std::vector<int> Listing::lines_of(int source) const {
    std::vector<int> lines;
    if (source <= 0) return lines;
    for (std::size_t i = 0; i < source_line.size(); ++i)
        if (source_line[i] == source) lines.push_back(static_cast<int>(i) + 1);
    return lines;
}

const Listing::Kernel* Listing::kernel_at(int line) const {
    const auto after = std::ranges::upper_bound(kernels, line, {}, &Kernel::first_line);
    return after == kernels.begin() ? nullptr : &*std::prev(after);
}

Listing listing_of(const compile::Listing& listing, std::string_view source) {
    Listing out;
    out.kind = listing.language == "sass" ? Listing::Kind::sass : Listing::Kind::ptx;
    const auto add = [&](std::string_view text, int line, std::int64_t offset) {
        out.text += text;
        out.text += '\n';
        out.source_line.push_back(line);
        out.offset.push_back(offset);
    };
    for (const auto& function : listing.functions) {
        if (!out.kernels.empty()) add("", 0, -1);
        out.kernels.push_back({function.name, function.lowered, static_cast<int>(out.source_line.size()) + 1});
        if (out.kind == Listing::Kind::sass) add("// " + function.name, 0, -1);
        for (const auto& line : function.lines) {
            const bool instruction = line.kind == compile::ListingLine::Kind::instruction;
            if (line.kind == compile::ListingLine::Kind::label)
                add(line.text, 0, -1);
            else if (out.kind == Listing::Kind::sass)
                add(fmt::format("    {:04x}  {}", line.address, line.text), line_in(line, source),
                    static_cast<std::int64_t>(line.address));
            else
                add((instruction ? "    " : "") + line.text, instruction ? line_in(line, source) : 0, -1);
        }
    }
    return out;
}

Result<Listing> listing_from_json(const Json& answer, std::string_view source) try {
    const Json& json = answer.at("listing");
    compile::Listing listing;
    listing.language = json.at("language").get<std::string>();
    for (const auto& function : json.at("functions")) {
        compile::ListingFunction out{
            function.at("name").get<std::string>(), function.value("lowered", std::string()), {}};
        for (const auto& line : function.at("lines")) {
            compile::ListingLine entry{kind_from(line.value("kind", std::string())),
                                       line.at("text").get<std::string>(),
                                       integer_from_json<std::uint64_t>(line.at("address")),
                                       {},
                                       {}};
            if (line.contains("line")) entry.source = place_from(line);
            if (line.contains("inlined_at")) entry.inlined_at = place_from(line["inlined_at"]);
            out.lines.push_back(std::move(entry));
        }
        listing.functions.push_back(std::move(out));
    }
    return listing_of(listing, source);
} catch (const Json::exception& error) {
    return fail(Stage::rpc, ErrorCode::internal,
                fmt::format("the worker's listing is malformed: {}", what_is_wrong(error)));
}

Listing parse_listing(std::string_view text, std::string_view source) {
    const bool sass = text.find(".section\t.text.") != text.npos || text.find("//## File ") != text.npos;
    return listing_of(sass ? compile::parse_nvdisasm(text) : compile::ptx_listing(text), source);
}

std::optional<HeatColumn> instruction_heat(const Listing& listing, const profile::Report& report, std::string_view id) {
    const auto* metric = profile::find_metric(id);
    if (!metric || listing.kind != Listing::Kind::sass) return std::nullopt;
    HeatColumn column{metric->id, metric->label, metric->unit, metric->about, report.estimated, {}, 0};
    for (const auto& kernel : listing.kernels) {
        const auto values = heat_of_instructions(report, kernel.lowered, id);
        if (values.empty()) continue;
        for (std::size_t i = static_cast<std::size_t>(kernel.first_line) - 1; i < listing.offset.size(); ++i) {
            const int line = static_cast<int>(i) + 1;
            if (listing.kernel_at(line) != &kernel) break;
            if (listing.offset[i] < 0) continue;
            if (const auto value = values.find(static_cast<std::uint64_t>(listing.offset[i])); value != values.end())
                column.lines[line] = value->second;
        }
    }
    if (column.lines.empty()) return std::nullopt;
    if (adds_up(*metric))
        for (const auto& [line, value] : column.lines) column.total += value;
    return column;
}

} // namespace kw::editor
