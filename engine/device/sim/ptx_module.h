#pragma once

#include "engine/device/sim/types.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

/// The syntax tree of one PTX module. Views point into `Module::text`. Register and variable names are resolved
/// to indices of their function, module-level names are not.
namespace kw::sim::ptx {

enum class OperandKind : std::uint8_t {
    reg,     ///< index: register of the function
    special, ///< text: name of a special register with its component, e.g. "%tid" and component 'x'
    integer, ///< bits
    f32,     ///< bits
    f64,     ///< bits
    symbol,  ///< text: module-level variable or function; offset added
    local,   ///< index: variable of the function; offset added
    label,   ///< index: position of the label among the function's instructions
    table,   ///< index: branch table of the function
    vector,  ///< items: {a, b, …}
    list,    ///< items: (a, b, …) of a call
    address, ///< items[0] is the base (reg, symbol, local or integer), offset added; further items: [base, {…}]
    sink,    ///< "_"
};

struct Operand {
    OperandKind kind = OperandKind::sink;
    bool negated = false;  ///< "!p"
    char component = '\0'; ///< of a special register
    std::uint32_t index = 0;
    std::string_view text{};
    std::uint64_t bits = 0;
    std::int64_t offset = 0;
    std::vector<Operand> items{};
    std::unique_ptr<Operand> pair{}; ///< q of "p|q"
};

struct Instruction {
    std::string_view opcode{};                 ///< without modifiers
    std::vector<std::string_view> modifiers{}; ///< without dots, in order
    std::vector<Operand> operands{};
    std::int32_t guard = -1; ///< register of "@p", or −1
    bool guard_negated = false;
    int line = 0;               ///< in the PTX
    std::int32_t location = -1; ///< index into Module::locations
};

/// A `.loc`. `inlined_at` is the position of the call that was inlined, or −1.
struct Location {
    std::uint32_t file = 0;
    int line = 0;
    int column = 0;
    std::int32_t inlined_at = -1;
};

struct Initializer {
    std::uint64_t offset = 0;  ///< in the variable
    std::uint32_t bytes = 0;   ///< 1, 2, 4 or 8
    std::uint64_t bits = 0;    ///< the value, or what is added to the symbol's address
    std::string_view symbol{}; ///< empty for a plain value
    bool generic = false;      ///< the symbol's generic address
};

struct Variable {
    std::string_view name{};
    Space space = Space::global;
    Type type = Type::b8;
    std::uint64_t align = 1;
    std::uint64_t bytes = 0; ///< 0 for "extern .shared x[]"
    bool is_extern = false;
    bool is_array = false;
    int line = 0;
    std::vector<Initializer> initializers{};
};

struct BranchTable {
    std::vector<std::uint32_t> targets; ///< instruction positions
};

struct Function {
    std::string_view name{};
    bool is_entry = false;
    bool is_declaration = false;
    int line = 0;
    std::vector<Variable> returns{};
    std::vector<Variable> params{};
    std::vector<Type> registers{};
    std::vector<Variable>
        variables{}; ///< .local, .shared and call .param variables of the body; params and returns come first
    std::vector<Instruction> instructions{};
    std::vector<BranchTable> tables{};
    std::uint32_t max_threads[3] = {0, 0, 0}; ///< .maxntid, 0 when absent
    std::uint32_t required_threads[3] = {0, 0, 0};
    std::uint32_t required_cluster[3] = {0, 0, 0}; ///< .reqnctapercluster, 0 when absent
};

struct Module {
    std::shared_ptr<const std::string> text;
    std::string_view version{};
    std::string_view target{};
    std::vector<Variable> variables;
    std::vector<Function> functions;
    std::vector<Location> locations;
    std::unordered_map<std::uint32_t, std::string> files;
    std::unordered_map<std::string_view, std::uint32_t> function_index; ///< a definition wins over a declaration
    std::unordered_map<std::string_view, std::uint32_t> variable_index;
};

} // namespace kw::sim::ptx
