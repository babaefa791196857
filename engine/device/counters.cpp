#include "engine/device/counters.h"

namespace kw::device {
namespace {

/// A number of the type asked for, or 0: counters travel between versions.
template<class T> T number_from(const Json& json, const char* key) {
    const auto at = json.find(key);
    return at != json.end() && at->is_number() ? at->get<T>() : T{0};
}

std::string text_from(const Json& json, const char* key) {
    const auto at = json.find(key);
    return at != json.end() && at->is_string() ? at->get<std::string>() : std::string{};
}

} // namespace

std::vector<EventField> event_fields() {
    return {
        {"warp_instructions", &Events::warp_instructions},
        {"thread_instructions", &Events::thread_instructions},
        {"fp32", &Events::fp32},
        {"fp64", &Events::fp64},
        {"fp16", &Events::fp16},
        {"integer", &Events::integer},
        {"special", &Events::special},
        {"tensor", &Events::tensor},
        {"load_store", &Events::load_store},
        {"control", &Events::control},
        {"flops_fp32", &Events::flops_fp32},
        {"flops_fp64", &Events::flops_fp64},
        {"flops_fp16", &Events::flops_fp16},
        {"flops_tensor", &Events::flops_tensor},
        {"flops_tensor_bf16", &Events::flops_tensor_bf16},
        {"flops_tensor_tf32", &Events::flops_tensor_tf32},
        {"global_load_requests", &Events::global_load_requests},
        {"global_load_sectors", &Events::global_load_sectors},
        {"global_load_bytes", &Events::global_load_bytes},
        {"global_store_requests", &Events::global_store_requests},
        {"global_store_sectors", &Events::global_store_sectors},
        {"global_store_bytes", &Events::global_store_bytes},
        {"unique_load_sectors", &Events::unique_load_sectors},
        {"unique_store_sectors", &Events::unique_store_sectors},
        {"shared_load_requests", &Events::shared_load_requests},
        {"shared_load_wavefronts", &Events::shared_load_wavefronts},
        {"shared_store_requests", &Events::shared_store_requests},
        {"shared_store_wavefronts", &Events::shared_store_wavefronts},
        {"shared_bank_conflicts", &Events::shared_bank_conflicts},
        {"local_requests", &Events::local_requests},
        {"local_sectors", &Events::local_sectors},
        {"atomic_requests", &Events::atomic_requests},
        {"atomic_serialized", &Events::atomic_serialized},
        {"barriers", &Events::barriers},
        {"branches", &Events::branches},
        {"divergent_branches", &Events::divergent_branches},
    };
}

Events& Events::operator+=(const Events& other) {
    static const std::vector<EventField> fields = event_fields();
    for (const EventField& field : fields) this->*field.value += other.*field.value;
    return *this;
}

Json to_json(const Events& events) {
    Json json = Json::object();
    for (const EventField& field : event_fields()) json[field.name] = events.*field.value;
    return json;
}

Events events_from_json(const Json& json) {
    Events events;
    if (!json.is_object()) return events;
    for (const EventField& field : event_fields()) {
        const auto at = json.find(field.name);
        if (at != json.end() && at->is_number_unsigned()) events.*field.value = at->get<std::uint64_t>();
    }
    return events;
}

Json to_json(const LaunchCounters& counters) {
    Json lines = Json::array();
    for (const LineEvents& line : counters.lines)
        lines.push_back({{"file", line.file}, {"line", line.line}, {"events", to_json(line.events)}});
    return {
        {"kernel", counters.kernel},
        {"blocks", counters.blocks},
        {"blocks_executed", counters.blocks_executed},
        {"threads_per_block", counters.threads_per_block},
        {"shared_bytes", counters.shared_bytes},
        {"registers", counters.registers},
        {"unique_exponent", counters.unique_exponent},
        {"events", to_json(counters.events)},
        {"lines", std::move(lines)},
    };
}

LaunchCounters launch_counters_from_json(const Json& json) {
    LaunchCounters counters;
    if (!json.is_object()) return counters;
    counters.kernel = text_from(json, "kernel");
    counters.blocks = number_from<std::uint64_t>(json, "blocks");
    counters.blocks_executed = number_from<std::uint64_t>(json, "blocks_executed");
    counters.threads_per_block = number_from<std::uint32_t>(json, "threads_per_block");
    counters.shared_bytes = number_from<std::uint32_t>(json, "shared_bytes");
    counters.registers = number_from<std::uint32_t>(json, "registers");
    if (json.contains("unique_exponent")) counters.unique_exponent = number_from<double>(json, "unique_exponent");
    if (const auto events = json.find("events"); events != json.end()) counters.events = events_from_json(*events);
    if (const auto lines = json.find("lines"); lines != json.end() && lines->is_array()) {
        for (const Json& line : *lines) {
            if (!line.is_object()) continue;
            LineEvents& entry = counters.lines.emplace_back();
            entry.file = text_from(line, "file");
            entry.line = number_from<int>(line, "line");
            if (const auto events = line.find("events"); events != line.end()) entry.events = events_from_json(*events);
        }
    }
    return counters;
}

} // namespace kw::device
