// From a kernel to everything that it can reach: functions, shared variables, source positions.
#include "engine/device/sim/decoder_impl.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace kw::sim {
namespace {

std::uint64_t align_up(std::uint64_t value, std::uint64_t align) { return (value + align - 1) & ~(align - 1); }

void copy_locations(const ptx::Module& module, Program& program) {
    std::map<std::uint32_t, std::uint32_t> numbers;
    for (const ptx::Location& location : module.locations) {
        const auto [at, fresh] = numbers.try_emplace(location.file, static_cast<std::uint32_t>(program.files.size()));
        if (fresh) {
            const auto name = module.files.find(location.file);
            program.files.push_back(name == module.files.end() ? std::string{} : name->second);
        }
        program.locations.push_back({at->second, location.line, location.column, location.inlined_at});
    }
}

void note_symbols(const ptx::Operand& operand, std::vector<std::string_view>& out) {
    if (operand.kind == ptx::OperandKind::symbol) out.push_back(operand.text);
    for (const ptx::Operand& item : operand.items) note_symbols(item, out);
    if (operand.pair) note_symbols(*operand.pair, out);
}

/// Every function that the kernel may call, and the shared variables that they use.
struct Reach {
    std::vector<std::uint32_t> functions; ///< module indices, the kernel first
    std::set<std::uint32_t> addressed;    ///< whose address is taken
    std::vector<std::uint32_t> shared;    ///< module variables in order of first use
    bool indirect = false;
};

Reach reachable(const ptx::Module& module, std::uint32_t kernel) {
    Reach reach;
    std::set<std::uint32_t> seen{kernel};
    std::set<std::uint32_t> seen_variables;
    reach.functions.push_back(kernel);
    const auto visit = [&](std::uint32_t index) {
        if (seen.insert(index).second) reach.functions.push_back(index);
    };
    std::vector<std::string_view> symbols;
    const auto add_tables = [&] {
        // functions named by initialised variables, such as a table of function pointers
        for (const ptx::Variable& variable : module.variables) {
            for (const ptx::Initializer& item : variable.initializers) {
                const auto at = module.function_index.find(item.symbol);
                if (item.symbol.empty() || at == module.function_index.end()) continue;
                reach.addressed.insert(at->second);
                visit(at->second);
            }
        }
    };
    for (std::size_t next = 0; next < reach.functions.size(); ++next) {
        for (const ptx::Instruction& instruction : module.functions[reach.functions[next]].instructions) {
            const bool call = instruction.opcode == "call";
            if (call) {
                for (const ptx::Operand& operand : instruction.operands) {
                    if (operand.kind == ptx::OperandKind::reg && !reach.indirect) {
                        reach.indirect = true;
                        add_tables();
                    }
                }
            }
            symbols.clear();
            for (const ptx::Operand& operand : instruction.operands) note_symbols(operand, symbols);
            for (std::string_view symbol : symbols) {
                if (const auto function = module.function_index.find(symbol); function != module.function_index.end()) {
                    visit(function->second);
                    if (!call) reach.addressed.insert(function->second);
                } else if (const auto variable = module.variable_index.find(symbol);
                           variable != module.variable_index.end()) {
                    if (module.variables[variable->second].space == Space::shared
                        && seen_variables.insert(variable->second).second)
                        reach.shared.push_back(variable->second);
                }
            }
        }
    }
    return reach;
}

} // namespace

Result<Program> decode(const ptx::Module& module, std::string_view kernel, const AddressOf& address_of) {
    const auto found = module.function_index.find(kernel);
    if (found == module.function_index.end() || !module.functions[found->second].is_entry
        || module.functions[found->second].is_declaration)
        return fail(Stage::device, ErrorCode::not_found, fmt::format("the module has no kernel named {}", kernel));
    const ptx::Function& entry = module.functions[found->second];
    Program program;
    program.kernel = std::string(kernel);
    copy_locations(module, program);
    for (int axis = 0; axis < 3; ++axis) {
        program.required_threads[axis] = entry.required_threads[axis];
        program.required_cluster[axis] = entry.required_cluster[axis];
    }
    if (entry.max_threads[0] != 0) {
        const std::uint64_t most = std::uint64_t{entry.max_threads[0]} * entry.max_threads[1] * entry.max_threads[2];
        program.max_threads = static_cast<std::uint32_t>(std::min<std::uint64_t>(most, 1024));
    }

    const Reach reach = reachable(module, found->second);
    DecodeContext context{module, address_of, program, {}, {}, {}};
    std::uint64_t shared = 0;
    for (std::uint32_t index : reach.shared) {
        const ptx::Variable& variable = module.variables[index];
        if (variable.bytes == 0) continue;
        shared = align_up(shared, variable.align);
        context.shared.emplace(std::string(variable.name), shared);
        shared += variable.bytes;
    }
    if (shared > 0x7fffffff)
        return fail(Stage::device, ErrorCode::invalid_input,
                    fmt::format("kernel {} declares more shared memory than any device has", kernel));
    program.shared_bytes = static_cast<std::uint32_t>(shared);
    for (std::uint32_t index : reach.functions) {
        if (module.functions[index].is_declaration) continue;
        const auto number = static_cast<std::uint32_t>(context.function_numbers.size());
        context.function_numbers.emplace(index, number);
    }
    // Shared variables of bodies must be placed before dynamic shared memory, which follows all static ones.
    for (std::uint32_t index : reach.functions) {
        for (const ptx::Variable& variable : module.functions[index].variables) {
            if (variable.space == Space::shared) shared = align_up(shared, variable.align) + variable.bytes;
        }
    }
    std::uint64_t dynamic_base = align_up(shared, 16);
    for (std::uint32_t index : reach.shared) {
        if (module.variables[index].bytes == 0) dynamic_base = align_up(dynamic_base, module.variables[index].align);
    }
    for (std::uint32_t index : reach.shared) {
        if (module.variables[index].bytes == 0)
            context.shared.emplace(std::string(module.variables[index].name), dynamic_base);
    }

    program.functions.resize(context.function_numbers.size());
    for (std::uint32_t index : reach.functions) {
        const auto number = context.function_numbers.find(index);
        if (number == context.function_numbers.end()) continue;
        FunctionDecoder decoder(context, module.functions[index], number->second);
        if (auto decoded = decoder.run(); !decoded) return std::unexpected(std::move(decoded.error()));
        const auto base = static_cast<std::uint32_t>(program.instrs.size());
        decoder.info.entry = base;
        for (Instr& instr : decoder.code) {
            if (instr.op == Op::bra) instr.target += base;
            for (std::uint32_t& target : instr.targets) target += base;
            program.has_calls |= instr.op == Op::call || instr.op == Op::call_indirect;
            program.has_indirect_calls |= instr.op == Op::call_indirect;
            program.uses_heap |= instr.op == Op::builtin
                                 && (instr.mode == static_cast<std::uint8_t>(Builtin::allocate)
                                     || instr.mode == static_cast<std::uint8_t>(Builtin::release));
            program.instrs.push_back(std::move(instr));
        }
        program.functions[number->second] = std::move(decoder.info);
        if (reach.addressed.contains(index))
            program.function_addresses.emplace_back(function_address(index), number->second);
    }
    program.shared_bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(dynamic_base, 0x7fffffff));
    return program;
}

} // namespace kw::sim
