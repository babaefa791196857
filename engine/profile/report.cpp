#include "engine/profile/report.h"

#include "engine/profile/findings.h"
#include "engine/profile/report_reader.h"

#include <array>
#include <cmath>
#include <utility>

namespace kw::profile {
namespace {

template<class Enum> struct Named {
    Enum value;
    std::string_view name;
};

constexpr std::array<Named<Rung>, 4> kRungNames{{{Rung::activity, "activity"},
                                                 {Rung::counters, "counters"},
                                                 {Rung::pc_sampling, "pc_sampling"},
                                                 {Rung::pm_sampling, "pm_sampling"}}};
constexpr std::array<Named<RungState::State>, 4> kStateNames{{{RungState::State::available, "available"},
                                                              {RungState::State::done, "done"},
                                                              {RungState::State::skipped, "skipped"},
                                                              {RungState::State::failed, "failed"}}};
constexpr std::array<Named<Activity::Kind>, 5> kKindNames{{{Activity::Kind::kernel, "kernel"},
                                                           {Activity::Kind::copy, "copy"},
                                                           {Activity::Kind::memset, "memset"},
                                                           {Activity::Kind::synchronization, "synchronization"},
                                                           {Activity::Kind::call, "call"}}};

template<class Names, class Enum> std::string_view name_of(const Names& names, Enum value) {
    for (const auto& each : names)
        if (each.value == value) return each.name;
    return names.front().name;
}

template<class Enum, std::size_t N>
std::optional<Enum> value_of(const std::array<Named<Enum>, N>& names, std::string_view name) {
    for (const auto& each : names)
        if (each.name == name) return each.value;
    return std::nullopt;
}

template<class Enum, std::size_t N>
void read_name(const JsonReader& reader, const std::array<Named<Enum>, N>& names, Enum& out) {
    std::string text;
    reader.get(text);
    const auto value = value_of(names, text);
    if (!value) {
        std::string known;
        for (const auto& each : names) known += fmt::format("{}{}", known.empty() ? "" : ", ", each.name);
        reader.wrong("one of " + known);
    }
    out = *value;
}

Json dims(const device::Dim3& dim) { return Json::array({dim.x, dim.y, dim.z}); }

/// JSON has no infinities and no NaN; a metric without a value is left out.
Json numbers(const std::map<std::string, double>& values) {
    Json json = Json::object();
    for (const auto& [id, value] : values)
        if (std::isfinite(value)) json[id] = value;
    return json;
}

Json to_json(const LineProfile& line) {
    return {{"file", line.file}, {"line", line.line}, {"values", numbers(line.values)}};
}

Json to_json(const InstructionProfile& instruction) {
    return {{"offset", instruction.offset},
            {"file", instruction.file},
            {"line", instruction.line},
            {"values", numbers(instruction.values)}};
}

Json to_json(const LaunchProfile& launch) {
    Json json{{"kernel", launch.kernel},
              {"lowered", launch.lowered},
              {"grid", dims(launch.grid)},
              {"block", dims(launch.block)},
              {"cluster", dims(launch.cluster)},
              {"registers", launch.registers},
              {"static_shared_bytes", launch.static_shared_bytes},
              {"dynamic_shared_bytes", launch.dynamic_shared_bytes},
              {"local_bytes", launch.local_bytes},
              {"metrics", numbers(launch.metrics)}};
    if (!launch.limited_by.empty()) json["limited_by"] = launch.limited_by;
    auto& lines = json["lines"] = Json::array();
    for (const auto& line : launch.lines) lines.push_back(to_json(line));
    auto& instructions = json["instructions"] = Json::array();
    for (const auto& instruction : launch.instructions) instructions.push_back(to_json(instruction));
    return json;
}

Json to_json(const Ceiling& ceiling) {
    return {{"id", ceiling.id}, {"label", ceiling.label}, {"memory", ceiling.memory}, {"peak", ceiling.peak}};
}

Ceiling read_ceiling(const JsonReader& reader) {
    Ceiling ceiling;
    reader.required("id", ceiling.id);
    reader.required("label", ceiling.label);
    reader.required("memory", ceiling.memory);
    reader.required("peak", ceiling.peak);
    return ceiling;
}

RungState read_rung(const JsonReader& reader) {
    RungState state;
    read_name(reader.at("rung"), kRungNames, state.rung);
    read_name(reader.at("state"), kStateNames, state.state);
    reader.optional("reason", state.reason);
    reader.optional("remedy", state.remedy);
    reader.required("ms", state.milliseconds);
    reader.optional("passes", state.passes);
    return state;
}

LineProfile read_line(const JsonReader& reader) {
    LineProfile line;
    reader.required("file", line.file);
    reader.required("line", line.line);
    reader.required("values", line.values);
    return line;
}

InstructionProfile read_instruction(const JsonReader& reader) {
    InstructionProfile instruction;
    reader.required("offset", instruction.offset);
    reader.required("file", instruction.file);
    reader.required("line", instruction.line);
    reader.required("values", instruction.values);
    return instruction;
}

LaunchProfile read_launch(const JsonReader& reader) {
    LaunchProfile launch;
    reader.required("kernel", launch.kernel);
    reader.required("lowered", launch.lowered);
    reader.required("grid", launch.grid);
    reader.required("block", launch.block);
    reader.required("cluster", launch.cluster);
    reader.required("registers", launch.registers);
    reader.required("static_shared_bytes", launch.static_shared_bytes);
    reader.required("dynamic_shared_bytes", launch.dynamic_shared_bytes);
    reader.required("local_bytes", launch.local_bytes);
    reader.required("metrics", launch.metrics);
    reader.optional("limited_by", launch.limited_by);
    reader.each("lines", [&](const JsonReader& item) { launch.lines.push_back(read_line(item)); });
    reader.each("instructions", [&](const JsonReader& item) { launch.instructions.push_back(read_instruction(item)); });
    return launch;
}

} // namespace

std::string_view to_string(Rung rung) { return name_of(kRungNames, rung); }
std::optional<Rung> rung_from(std::string_view name) { return value_of(kRungNames, name); }
std::string_view to_string(Activity::Kind kind) { return name_of(kKindNames, kind); }
std::string_view to_string(RungState::State state) { return name_of(kStateNames, state); }

Json to_json(const RungState& state) {
    Json json{{"rung", to_string(state.rung)}, {"state", to_string(state.state)}, {"ms", state.milliseconds}};
    if (!state.reason.empty()) json["reason"] = state.reason;
    if (!state.remedy.empty()) json["remedy"] = state.remedy;
    if (state.passes != 0) json["passes"] = state.passes;
    return json;
}

Json to_json(const Activity& activity) {
    Json json{{"kind", to_string(activity.kind)}, {"name", activity.name},       {"start_ns", activity.start_ns},
              {"end_ns", activity.end_ns},        {"process", activity.process}, {"thread", activity.thread},
              {"device", activity.device},        {"context", activity.context}, {"stream", activity.stream}};
    if (activity.correlation != 0) json["correlation"] = activity.correlation;
    if (activity.bytes != 0) json["bytes"] = activity.bytes;
    if (activity.kind != Activity::Kind::kernel) return json;
    json["grid"] = dims(activity.grid);
    json["block"] = dims(activity.block);
    json["cluster"] = dims(activity.cluster);
    json["registers"] = activity.registers;
    json["static_shared_bytes"] = activity.static_shared_bytes;
    json["dynamic_shared_bytes"] = activity.dynamic_shared_bytes;
    json["local_bytes"] = activity.local_bytes;
    json["occupancy"] = activity.occupancy;
    return json;
}

Activity read_activity(const JsonReader& reader) {
    Activity activity;
    read_name(reader.at("kind"), kKindNames, activity.kind);
    reader.required("name", activity.name);
    reader.required("start_ns", activity.start_ns);
    reader.required("end_ns", activity.end_ns);
    reader.required("process", activity.process);
    reader.required("thread", activity.thread);
    reader.required("device", activity.device);
    reader.required("context", activity.context);
    reader.required("stream", activity.stream);
    reader.optional("correlation", activity.correlation);
    reader.optional("bytes", activity.bytes);
    if (activity.kind != Activity::Kind::kernel) return activity;
    reader.required("grid", activity.grid);
    reader.required("block", activity.block);
    reader.required("cluster", activity.cluster);
    reader.required("registers", activity.registers);
    reader.required("static_shared_bytes", activity.static_shared_bytes);
    reader.required("dynamic_shared_bytes", activity.dynamic_shared_bytes);
    reader.required("local_bytes", activity.local_bytes);
    reader.required("occupancy", activity.occupancy);
    return activity;
}

Json to_json(const Sampling& sampling) {
    Json json{{"interval_ns", sampling.interval_ns}, {"end_ns", sampling.end_ns}, {"values", Json::object()}};
    for (const auto& [id, values] : sampling.values) {
        auto& list = json["values"][id] = Json::array();
        for (const double value : values) list.push_back(std::isfinite(value) ? Json(value) : Json(nullptr));
    }
    if (sampling.overflowed) json["overflowed"] = true;
    return json;
}

Sampling read_sampling(const JsonReader& reader) {
    Sampling sampling;
    reader.required("interval_ns", sampling.interval_ns);
    reader.each("end_ns", [&](const JsonReader& item) { item.get(sampling.end_ns.emplace_back()); });
    reader.members("values", [&](const std::string& id, const JsonReader& item) {
        auto& values = sampling.values[id];
        item.get(values);
        item.need(values.size() == sampling.end_ns.size(), "as long as end_ns");
    });
    reader.optional("overflowed", sampling.overflowed);
    return sampling;
}

Json to_json(const Report& report) {
    Json json{{"device", device::to_json(report.device)},
              {"profiler", report.profiler},
              {"chip", report.chip},
              {"estimated", report.estimated},
              {"sampled", report.sampled},
              {"sizes", Json::object()},
              {"ms", report.milliseconds}};
    for (const auto& [name, value] : report.sizes) json["sizes"][name] = value;
    auto& rungs = json["rungs"] = Json::array();
    for (const auto& rung : report.rungs) rungs.push_back(to_json(rung));
    auto& launches = json["launches"] = Json::array();
    for (std::size_t i = 0; i < report.launches.size(); ++i) {
        Json launch = to_json(report.launches[i]);
        for (const auto& finding : findings(report, i)) launch["findings"].push_back(to_json(finding));
        launches.push_back(std::move(launch));
    }
    auto& ceilings = json["ceilings"] = Json::array();
    for (const auto& ceiling : report.ceilings) ceilings.push_back(to_json(ceiling));
    auto& activities = json["activities"] = Json::array();
    for (const auto& activity : report.activities) activities.push_back(to_json(activity));
    json["activities_dropped"] = report.activities_dropped;
    json["sampling"] = to_json(report.sampling);
    if (report.fault) json["fault"] = device::to_json(*report.fault);
    return json;
}

Result<RungState> rung_state_from_json(const Json& json) { return read_json<RungState>("rung", json, read_rung); }

Result<Report> report_from_json(const Json& json) {
    return read_json<Report>("profile", json, [](const JsonReader& reader) {
        Report report;
        const auto device = reader.at("device");
        device.need(device.json().is_object(), "an object");
        report.device = device::info_from_json(device.json());
        reader.required("profiler", report.profiler);
        reader.required("chip", report.chip);
        reader.required("estimated", report.estimated);
        reader.required("sampled", report.sampled);
        reader.members("sizes", [&](const std::string& name, const JsonReader& item) { item.get(report.sizes[name]); });
        reader.required("ms", report.milliseconds);
        reader.each("rungs", [&](const JsonReader& item) { report.rungs.push_back(read_rung(item)); });
        reader.each("launches", [&](const JsonReader& item) { report.launches.push_back(read_launch(item)); });
        reader.each("ceilings", [&](const JsonReader& item) { report.ceilings.push_back(read_ceiling(item)); });
        reader.each("activities", [&](const JsonReader& item) { report.activities.push_back(read_activity(item)); });
        reader.required("activities_dropped", report.activities_dropped);
        report.sampling = read_sampling(reader.at("sampling"));
        if (reader.has("fault")) {
            const auto fault = reader.at("fault");
            fault.need(fault.json().is_object(), "an object");
            report.fault = device::fault_from_json(fault.json());
        }
        return report;
    });
}

} // namespace kw::profile
