#include "engine/report/inventory_text.h"

#include "engine/profile/report.h"
#include "engine/report/profile_text.h"

#include <fmt/format.h>

#include <cstdint>
#include <utility>
#include <vector>

namespace kw::report {
namespace {

std::string text_of(const Json& object, const char* name) {
    const auto member = object.find(name);
    return member != object.end() && member->is_string() ? printable(member->get<std::string>()) : std::string{};
}

const Json& list_of(const Json& object, const char* name) {
    static const Json kNone = Json::array();
    const auto member = object.find(name);
    return member != object.end() && member->is_array() ? *member : kNone;
}

bool flag_of(const Json& object, const char* name) {
    const auto member = object.find(name);
    return member != object.end() && member->is_boolean() && member->get<bool>();
}

std::string mark(bool good, bool needed, const Style& style) {
    if (good) return style.paint(Color::green, "found");
    return needed ? style.paint(Color::red, "missing") : style.paint(Color::yellow, "missing");
}

} // namespace

std::string render_devices(const Json& devices, const Style& style) {
    Table table;
    table.add({style.paint(Color::bold, "device"), style.paint(Color::bold, "name"), style.paint(Color::bold, "arch"),
               style.paint(Color::bold, "kind"), style.paint(Color::bold, "memory")});
    for (const auto& device : list_of(devices, "devices")) {
        const bool simulated = text_of(device, "kind") == "sim";
        std::uint64_t memory = 0;
        if (const auto limits = device.find("limits"); limits != device.end() && limits->is_object())
            memory = limits->value("memory_bytes", std::uint64_t{0});
        table.add({text_of(device, "id"), text_of(device, "name"), text_of(device, "arch"),
                   simulated ? "simulator: time is an estimate" : "GPU, driver " + text_of(device, "driver"),
                   memory > 0 ? bytes(memory) : std::string{}});
    }
    return table.render();
}

std::string render_doctor(const Json& report, const Style& style) {
    std::string text;
    if (const auto worker = report.find("worker"); worker != report.end())
        text += fmt::format("{}  {}  {}\n", style.paint(Color::bold, "worker"), text_of(*worker, "version"),
                            text_of(*worker, "path"));
    if (const auto host = report.find("host"); host != report.end())
        text += fmt::format("{}    {}  {} cores  {} memory  Linux {}  glibc {}\n", style.paint(Color::bold, "host"),
                            text_of(*host, "name"), host->value("cores", 0),
                            bytes(host->value("memory_bytes", std::uint64_t{0})), text_of(*host, "kernel"),
                            text_of(*host, "glibc"));

    Table table;
    std::string remedies;
    for (const auto& component : list_of(report, "components")) {
        const bool found = flag_of(component, "found");
        table.add({text_of(component, "name"), mark(found, flag_of(component, "needed"), style),
                   text_of(component, "version"),
                   found ? text_of(component, "path") : "for: " + text_of(component, "purpose"),
                   text_of(component, "source")});
        if (!found && !text_of(component, "remedy").empty())
            remedies += fmt::format("  {}: {}\n", text_of(component, "name"), text_of(component, "remedy"));
    }
    if (!table.empty()) text += "\n" + table.render();

    Table checks;
    for (const auto& check : list_of(report, "checks")) {
        const bool ok = flag_of(check, "ok");
        checks.add({text_of(check, "name"), ok ? style.paint(Color::green, "works") : style.paint(Color::red, "fails"),
                    text_of(check, "detail")});
        if (!ok && !text_of(check, "remedy").empty())
            remedies += fmt::format("  {}: {}\n", text_of(check, "name"), text_of(check, "remedy"));
    }
    if (!checks.empty()) text += "\n" + checks.render();
    for (const auto& ladder : list_of(report, "ladders")) {
        text += fmt::format("\n{} {}  {}\n", style.paint(Color::bold, "profiling on"), text_of(ladder, "device"),
                            text_of(ladder, "name"));
        if (const auto problem = text_of(ladder, "problem"); !problem.empty())
            text += fmt::format("  {} {}\n", style.paint(Color::red, "fails"), problem);
        std::vector<profile::RungState> rungs;
        for (const auto& rung : list_of(ladder, "rungs"))
            if (auto read = profile::rung_state_from_json(rung)) rungs.push_back(std::move(*read));
        text += render_ladder(rungs, style, "  ");
    }
    if (!remedies.empty()) text += fmt::format("\n{}\n{}", style.paint(Color::bold, "what to do"), remedies);
    return text;
}

bool healthy(const Json& report) {
    for (const auto& check : list_of(report, "checks"))
        if (!flag_of(check, "ok")) return false;
    return true;
}

} // namespace kw::report
