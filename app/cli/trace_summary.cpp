#include "app/cli/trace_summary.h"

#include "engine/report/text.h"

#include <fmt/format.h>

#include <algorithm>

namespace kw::cli {
namespace {

constexpr std::size_t kShownKernels = 10;
constexpr std::size_t kShownName = 72;

std::string duration(std::uint64_t ns) { return report::duration(static_cast<double>(ns) / 1e3); }

std::string percent(std::uint64_t part, std::uint64_t whole) {
    return fmt::format("{:.1f} %", whole == 0 ? 0.0 : 100.0 * static_cast<double>(part) / static_cast<double>(whole));
}

/// A name fit for a table's cell: kernels of templates run to hundreds of characters.
std::string shown(const std::string& name) {
    auto text = report::printable(name);
    if (text.size() <= kShownName) return text;
    auto end = kShownName - 1;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xc0u) == 0x80u) --end; // not within a character
    return text.substr(0, end) + "…";
}

std::string device_name(const trace::Collection& collection, std::uint32_t device) {
    for (const auto& process : collection.processes())
        if (const auto found = process.devices.find(device); found != process.devices.end())
            return fmt::format("GPU {} ({})", device, report::printable(found->second.name));
    return fmt::format("GPU {}", device);
}

std::string counted(std::uint64_t count, std::string_view one, std::string_view many) {
    return fmt::format("{} {}", report::count(count), count == 1 ? one : many);
}

void add_losses(std::string& text, const trace::LossesEvent& losses) {
    const auto line = [&](std::uint64_t count, std::string_view why) {
        if (count > 0) text += fmt::format("not in the trace: {} {}\n", counted(count, "activity", "activities"), why);
    };
    line(losses.not_kept, "beyond the limit; raise --max-events, or leave out some --kinds");
    line(losses.dropped, "that CUPTI had no buffer for; leave out some --kinds");
    line(losses.unfinished, "that had not ended when the program did");
    if (losses.malformed > 0)
        text += fmt::format("not in the trace: {} of records\n",
                            counted(losses.malformed, "unreadable piece", "unreadable pieces"));
}

} // namespace

std::string summary_text(const trace::Collection& collection, const TraceOutcome& outcome) {
    const auto summary = collection.summarizer().summary();
    std::string text = "\n";
    for (const auto& device : summary.devices)
        text += fmt::format(
            "{}: busy {} of {} between its first and last work\n", device_name(collection, device.device),
            percent(device.busy_ns, device.last_ns - device.first_ns), duration(device.last_ns - device.first_ns));
    std::uint64_t kernels_ns = 0;
    for (const auto& kernel : summary.kernels) kernels_ns += kernel.total_ns;
    if (!summary.kernels.empty()) {
        report::Table table{{0, 1, 2, 3}};
        table.add({"share", "total", "count", "mean", "kernel"});
        for (std::size_t i = 0; i < std::min(summary.kernels.size(), kShownKernels); ++i) {
            const auto& kernel = summary.kernels[i];
            table.add({percent(kernel.total_ns, kernels_ns), duration(kernel.total_ns), report::count(kernel.count),
                       duration(kernel.total_ns / kernel.count), shown(kernel.name)});
        }
        text += table.render();
        if (summary.kernels.size() > kShownKernels)
            text += fmt::format("and {} more\n", counted(summary.kernels.size() - kShownKernels, "kernel", "kernels"));
    }
    if (!summary.copies.empty() || !summary.memsets.empty()) {
        report::Table table{{1, 2, 3, 4}};
        table.add({"copies", "count", "bytes", "total", "GB/s"});
        for (const auto* totals : {&summary.copies, &summary.memsets})
            for (const auto& total : *totals)
                table.add({total.name, report::count(total.count), report::bytes(total.bytes), duration(total.total_ns),
                           // Bytes per ns are GB/s.
                           total.total_ns == 0 ? ""
                                               : report::number(static_cast<double>(total.bytes)
                                                                / static_cast<double>(total.total_ns))});
        text += table.render();
    }
    add_losses(text, collection.losses());
    if (const auto cut = collection.cut_short(); cut > 0)
        text += fmt::format("{} ended without notice; the last moments may be missing\n",
                            counted(cut, "process", "processes"));
    const auto processes = collection.processes().size();
    text += fmt::format(
        "{}{} in {}; open it with kernelwright, or at ui.perfetto.dev\n", counted(outcome.written, "event", "events"),
        processes > 1 ? fmt::format(" of {} processes", processes) : "", report::printable(outcome.output));
    return text;
}

Json summary_json(const trace::Collection& collection, const TraceOutcome& outcome) {
    Json processes = Json::array();
    for (const auto& process : collection.processes()) {
        Json devices = Json::array();
        for (const auto& [id, device] : process.devices)
            devices.push_back({{"id", id}, {"name", device.name}, {"arch", fmt::format("sm_{}", device.capability)}});
        processes.push_back({{"pid", process.pid},
                             {"name", process.name},
                             {"command", process.command},
                             {"devices", std::move(devices)}});
    }
    const auto losses = collection.losses();
    Json json{{"output", outcome.output},
              {"status", outcome.status},
              {"run_ns", outcome.run_ns},
              {"profiler", "CUPTI " + collection.cupti()},
              {"written", outcome.written},
              {"lost",
               {{"not_kept", losses.not_kept},
                {"dropped", losses.dropped},
                {"unfinished", losses.unfinished},
                {"malformed", losses.malformed}}},
              {"cut_short", collection.cut_short()},
              {"processes", std::move(processes)}};
    json.update(to_json(collection.summarizer().summary()));
    return json;
}

} // namespace kw::cli
