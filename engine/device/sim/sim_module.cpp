#include "engine/device/sim/sim_module.h"

#include "engine/device/sim/decoder.h"

#include <fmt/format.h>

#include <cstring>
#include <vector>

namespace kw::sim {

SimModule::SimModule(ptx::Module module, DeviceMemory& memory,
                     std::map<std::string, std::uint32_t, std::less<>> registers)
    : module_(std::move(module)), memory_(memory), registers_(std::move(registers)) {}

SimModule::~SimModule() {
    for (const auto& [name, address] : addresses_) memory_.release(address);
}

std::uint32_t SimModule::registers(std::string_view name) const {
    const auto at = registers_.find(name);
    return at == registers_.end() ? 0 : at->second;
}

Result<std::uint64_t> SimModule::address_of(std::string_view name) {
    if (const auto known = addresses_.find(name); known != addresses_.end()) return known->second;
    // Initialisers may name further variables; memory comes first, contents after, so cycles do no harm.
    std::vector<std::pair<const ptx::Variable*, std::uint64_t>> fresh;
    std::vector<std::string_view> wanted{name};
    while (!wanted.empty()) {
        const std::string_view next = wanted.back();
        wanted.pop_back();
        if (addresses_.contains(next)) continue;
        const auto index = module_.variable_index.find(next);
        if (index == module_.variable_index.end()) continue; // a function, or unknown: initialize() tells
        const ptx::Variable& variable = module_.variables[index->second];
        if (variable.is_extern)
            return fail(Stage::device, ErrorCode::invalid_input,
                        fmt::format("variable {} is only declared; define it in the same file", variable.name));
        auto address = memory_.allocate(variable.bytes, variable.name, variable.space != Space::constant);
        if (!address) return std::unexpected(std::move(address.error()));
        addresses_.emplace(std::string(next), *address);
        fresh.emplace_back(&variable, *address);
        for (const ptx::Initializer& item : variable.initializers) {
            if (!item.symbol.empty()) wanted.push_back(item.symbol);
        }
    }
    for (const auto& [variable, address] : fresh) {
        if (auto done = initialize(*variable, address); !done) return std::unexpected(std::move(done.error()));
    }
    const auto known = addresses_.find(name);
    if (known == addresses_.end())
        return fail(Stage::device, ErrorCode::not_found, fmt::format("the module has no variable {}", name));
    return known->second;
}

std::uint64_t SimModule::bytes_of(std::string_view name) const {
    const auto index = module_.variable_index.find(name);
    return index == module_.variable_index.end() ? 0 : module_.variables[index->second].bytes;
}

Result<void> SimModule::initialize(const ptx::Variable& variable, std::uint64_t address) {
    std::byte* to = memory_.host(address, variable.bytes);
    if (!to) return {};
    std::memset(to, 0, variable.bytes);
    memory_.mark_written(address, variable.bytes);
    for (const ptx::Initializer& item : variable.initializers) {
        std::uint64_t value = item.bits;
        if (!item.symbol.empty()) {
            if (const auto known = addresses_.find(item.symbol); known != addresses_.end()) {
                value += known->second;
            } else if (const auto function = module_.function_index.find(item.symbol);
                       function != module_.function_index.end()) {
                value += function_address(function->second);
            } else {
                return fail(Stage::device, ErrorCode::invalid_input,
                            fmt::format("PTX line {}: the initialiser of {} names {}, which is not defined",
                                        variable.line, variable.name, item.symbol));
            }
        }
        if (item.offset + item.bytes <= variable.bytes) std::memcpy(to + item.offset, &value, item.bytes);
    }
    return {};
}

Result<const BoundProgram*> SimModule::kernel(std::string_view name, const device::Checks& checks) {
    // A name in PTX has no blank.
    const std::string key = fmt::format("{} {}{}", name, to_string(checks), checks.schedule ? " scheduled" : "");
    if (const auto known = kernels_.find(key); known != kernels_.end()) return known->second.get();
    std::optional<Error> problem;
    auto program = decode(module_, name, [&](std::string_view variable) -> std::optional<std::uint64_t> {
        auto address = address_of(variable);
        if (address) return *address;
        if (!problem) problem = std::move(address.error());
        return std::nullopt;
    });
    if (problem) return std::unexpected(std::move(*problem));
    if (!program) return std::unexpected(std::move(program.error()));
    auto bound = bind_program(std::move(*program), choose_isa(), *module_.text, checks);
    if (!bound) return std::unexpected(std::move(bound.error()));
    return kernels_.emplace(key, std::move(*bound)).first->second.get();
}

} // namespace kw::sim
