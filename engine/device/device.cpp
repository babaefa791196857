#include "engine/device/device.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace kw::device {
namespace {

constexpr std::array<std::pair<FaultKind, std::string_view>, 13> kFaultKinds{{
    {FaultKind::out_of_bounds, "out_of_bounds"},
    {FaultKind::misaligned, "misaligned"},
    {FaultKind::uninitialized_read, "uninitialized_read"},
    {FaultKind::race, "race"},
    {FaultKind::divergent_barrier, "divergent_barrier"},
    {FaultKind::deadlock, "deadlock"},
    {FaultKind::endless_loop, "endless_loop"},
    {FaultKind::assertion, "assertion"},
    {FaultKind::trap, "trap"},
    {FaultKind::invalid_shuffle, "invalid_shuffle"},
    {FaultKind::unsupported_instruction, "unsupported_instruction"},
    {FaultKind::stack_overflow, "stack_overflow"},
    {FaultKind::launch_failure, "launch_failure"},
}};

Json to_json(const Dim3& dim) { return Json::array({dim.x, dim.y, dim.z}); }

std::optional<Dim3> dim_from_json(const Json& json, const char* key) {
    const auto at = json.find(key);
    if (at == json.end() || !at->is_array() || at->size() != 3) return std::nullopt;
    for (const Json& part : *at) {
        if (!part.is_number_integer()) return std::nullopt;
    }
    return Dim3{(*at)[0].get<std::uint32_t>(), (*at)[1].get<std::uint32_t>(), (*at)[2].get<std::uint32_t>()};
}

std::string text_from(const Json& json, const char* key) {
    const auto at = json.find(key);
    return at != json.end() && at->is_string() ? at->get<std::string>() : std::string{};
}

template<class T> T number_from(const Json& json, const char* key) {
    const auto at = json.find(key);
    return at != json.end() && at->is_number_integer() ? at->get<T>() : T{0};
}

Json place_to_json(const Where& where) {
    return {{"file", where.file}, {"line", where.line}, {"column", where.column}};
}

Where place_from(const Json& json) {
    const auto where = json.find("where");
    if (where == json.end() || !where->is_object()) return {};
    return {text_from(*where, "file"), number_from<int>(*where, "line"), number_from<int>(*where, "column")};
}

} // namespace

std::string_view to_string(FaultKind kind) {
    for (const auto& [value, name] : kFaultKinds) {
        if (value == kind) return name;
    }
    return "launch_failure";
}

FaultKind fault_kind_from(std::string_view name) {
    for (const auto& [value, known] : kFaultKinds) {
        if (known == name) return value;
    }
    return FaultKind::launch_failure;
}

Json to_json(const Info& info) {
    return {
        {"kind", info.kind == Kind::sim ? "sim" : "cuda"},
        {"id", info.id},
        {"name", info.name},
        {"arch", info.arch},
        {"driver", info.driver},
        {"toolkit", info.toolkit},
        {"limits",
         {
             {"max_threads_per_block", info.limits.max_threads_per_block},
             {"max_block", to_json(info.limits.max_block)},
             {"max_grid", to_json(info.limits.max_grid)},
             {"max_shared_bytes", info.limits.max_shared_bytes},
             {"max_shared_bytes_optin", info.limits.max_shared_bytes_optin},
             {"memory_bytes", info.limits.memory_bytes},
         }},
    };
}

Info info_from_json(const Json& json) {
    Info info;
    if (!json.is_object()) return info;
    info.kind = text_from(json, "kind") == "cuda" ? Kind::cuda : Kind::sim;
    info.id = text_from(json, "id");
    info.name = text_from(json, "name");
    info.arch = text_from(json, "arch");
    info.driver = text_from(json, "driver");
    info.toolkit = text_from(json, "toolkit");
    const auto limits = json.find("limits");
    if (limits == json.end() || !limits->is_object()) return info;
    info.limits.max_threads_per_block = number_from<std::uint32_t>(*limits, "max_threads_per_block");
    info.limits.max_block = dim_from_json(*limits, "max_block").value_or(Dim3{});
    info.limits.max_grid = dim_from_json(*limits, "max_grid").value_or(Dim3{});
    info.limits.max_shared_bytes = number_from<std::uint32_t>(*limits, "max_shared_bytes");
    info.limits.max_shared_bytes_optin = number_from<std::uint32_t>(*limits, "max_shared_bytes_optin");
    info.limits.memory_bytes = number_from<std::uint64_t>(*limits, "memory_bytes");
    return info;
}

Json to_json(const Fault& fault) {
    Json json = {
        {"kind", to_string(fault.kind)},
        {"message", fault.message},
        {"kernel", fault.kernel},
        {"where", place_to_json(fault.where)},
    };
    if (fault.block) json["block"] = to_json(*fault.block);
    if (fault.thread) json["thread"] = to_json(*fault.thread);
    if (fault.bytes != 0) {
        json["address"] = fault.address;
        json["bytes"] = fault.bytes;
    }
    if (!fault.space.empty()) json["space"] = fault.space;
    if (!fault.allocation.empty()) json["allocation"] = fault.allocation;
    if (fault.other) {
        Json other = {{"did", fault.other->did}, {"where", place_to_json(fault.other->where)}};
        if (fault.other->block) other["block"] = to_json(*fault.other->block);
        if (fault.other->thread) other["thread"] = to_json(*fault.other->thread);
        json["other"] = std::move(other);
    }
    return json;
}

Fault fault_from_json(const Json& json) {
    Fault fault;
    if (!json.is_object()) return fault;
    fault.kind = fault_kind_from(text_from(json, "kind"));
    fault.message = text_from(json, "message");
    fault.kernel = text_from(json, "kernel");
    fault.where = place_from(json);
    fault.block = dim_from_json(json, "block");
    fault.thread = dim_from_json(json, "thread");
    fault.address = number_from<std::uint64_t>(json, "address");
    fault.bytes = number_from<std::uint32_t>(json, "bytes");
    fault.space = text_from(json, "space");
    fault.allocation = text_from(json, "allocation");
    if (const auto other = json.find("other"); other != json.end() && other->is_object())
        fault.other = {text_from(*other, "did"), place_from(*other), dim_from_json(*other, "block"),
                       dim_from_json(*other, "thread")};
    return fault;
}

std::string other_party_text(const Fault& fault) {
    if (!fault.other) return {};
    const FaultParty& other = *fault.other;
    const auto at = [](const Dim3& dim) { return fmt::format("({}, {}, {})", dim.x, dim.y, dim.z); };
    std::string who = other.thread ? "thread " + at(*other.thread) : std::string("another thread");
    if (other.block) who += other.block == fault.block ? " of the same block" : " of block " + at(*other.block);
    return who + " " + other.did;
}

} // namespace kw::device
