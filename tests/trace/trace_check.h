#pragma once

#include "engine/base/json.h"

#include <fmt/format.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace kw::test {

/// A file's text, decompressed where it is compressed.
inline std::string read_trace(const std::filesystem::path& path) {
    std::string text;
    const gzFile file = ::gzopen(path.c_str(), "rb");
    if (!file) return text;
    std::array<char, 65536> buffer;
    for (int count = ::gzread(file, buffer.data(), buffer.size()); count > 0;
         count = ::gzread(file, buffer.data(), buffer.size()))
        text.append(buffer.data(), static_cast<std::size_t>(count));
    ::gzclose(file);
    return text;
}

inline std::int64_t nanoseconds(const Json& micros) { return std::llround(micros.get<double>() * 1000); }

/// What is wrong with a trace in Trace Event Format; empty when nothing is. Slices of a row may only nest; every row of
/// a slice has a name; every arrow has one start, at a call, and one end, at something that ran on a GPU and later.
inline std::string problem_of_trace(const Json& trace) {
    using Row = std::pair<std::int64_t, std::int64_t>;
    struct Slice {
        std::int64_t start, end;
        std::string category;
    };
    std::map<Row, std::vector<Slice>> rows;
    std::map<std::int64_t, std::vector<Json>> flows;
    std::map<Row, int> thread_names;
    std::map<std::int64_t, int> process_names;
    for (const auto& event : trace.at("traceEvents")) {
        const auto phase = event.at("ph").get<std::string>();
        const Row row{event.at("pid").get<std::int64_t>(), event.at("tid").get<std::int64_t>()};
        if (phase == "X")
            rows[row].push_back({nanoseconds(event.at("ts")),
                                 nanoseconds(event.at("ts")) + nanoseconds(event.at("dur")),
                                 event.at("cat").get<std::string>()});
        else if (phase == "s" || phase == "f")
            flows[event.at("id").get<std::int64_t>()].push_back(event);
        else if (phase == "M" && event.at("name") == "thread_name")
            ++thread_names[row];
        else if (phase == "M" && event.at("name") == "process_name")
            ++process_names[row.first];
    }
    for (auto& [row, slices] : rows) {
        if (process_names[row.first] != 1)
            return fmt::format("process {} is named {} times", row.first, process_names[row.first]);
        if (thread_names[row] != 1)
            return fmt::format("row {}/{} is named {} times", row.first, row.second, thread_names[row]);
        std::ranges::sort(slices, [](const Slice& a, const Slice& b) {
            return std::pair(a.start, -a.end) < std::pair(b.start, -b.end);
        });
        std::vector<std::int64_t> open;
        for (const auto& slice : slices) {
            while (!open.empty() && open.back() <= slice.start) open.pop_back();
            if (!open.empty() && open.back() < slice.end)
                return fmt::format("a slice of row {}/{} at {} ns overlaps another's end", row.first, row.second,
                                   slice.start);
            open.push_back(slice.end);
        }
    }
    for (const auto& [id, ends] : flows) {
        if (ends.size() != 2) return fmt::format("arrow {} has {} ends", id, ends.size());
        const auto& from = ends[ends[0].at("ph") == "s" ? 0 : 1];
        const auto& to = ends[ends[0].at("ph") == "s" ? 1 : 0];
        if (from.at("ph") != "s" || to.at("ph") != "f") return fmt::format("arrow {} has no start or no end", id);
        const auto at = [&](const Json& end, bool call) {
            const auto& slices = rows[{end.at("pid").get<std::int64_t>(), end.at("tid").get<std::int64_t>()}];
            // Sorted by start above.
            return std::ranges::any_of(std::ranges::equal_range(slices, nanoseconds(end.at("ts")), {}, &Slice::start),
                                       [&](const Slice& slice) { return slice.category.starts_with("cuda_") == call; });
        };
        if (!at(from, true)) return fmt::format("arrow {} does not start at a call", id);
        if (!at(to, false)) return fmt::format("arrow {} does not end at GPU work", id);
        if (nanoseconds(from.at("ts")) > nanoseconds(to.at("ts"))) return fmt::format("arrow {} goes back in time", id);
    }
    return {};
}

/// How many events there are of a phase and, where given, a category.
inline std::size_t events(const Json& trace, std::string_view phase, std::string_view category = {}) {
    return static_cast<std::size_t>(std::ranges::count_if(trace.at("traceEvents"), [&](const Json& event) {
        return event.at("ph") == phase && (category.empty() || event.value("cat", "") == category);
    }));
}

} // namespace kw::test
