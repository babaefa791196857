#include "engine/audit/flow.h"

#include "engine/audit/control.h"
#include "engine/audit/instruction.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <memory>
#include <tuple>

namespace kw::audit {
namespace {

using sim::Space;
using sim::ptx::Function;
using sim::ptx::Instruction;
using sim::ptx::Module;
using sim::ptx::Operand;
using sim::ptx::OperandKind;

template<std::size_t First, std::size_t Count> Labels range() {
    Labels labels;
    for (std::size_t at = First; at < First + Count; ++at) labels.set(at);
    return labels;
}
const Labels kCopies = range<kVariableCopy, kMostVariables>();

std::size_t capped(std::size_t index, std::size_t most) { return std::min(index, most - 1); }

/// A function as one launch runs it.
struct Context {
    const Function* function = nullptr;
    const ControlFlow* control = nullptr;
    const LaunchArguments* arguments = nullptr; ///< of a kernel
    std::size_t launch = 0;
    std::vector<Value> registers;
    std::vector<Value> variables;                                     ///< what .param variables hold
    Labels entered;                                                   ///< what decides that it is called
    std::vector<Labels> blocks;                                       ///< what decides that a block runs
    mutable std::vector<std::vector<const Instruction*>> definitions; ///< by register, made when first asked for
};

class Analysis {
public:
    Analysis(const Module& module, std::span<const LaunchArguments> launches, std::span<const task::Buffer> buffers,
             const std::vector<bool>& inputs)
        : module_(module), buffers_(buffers), inputs_(inputs), shared_(launches.size()), local_(launches.size()) {
        for (const auto& variable : module.variables) note_shared(variable);
        for (const auto& function : module.functions)
            for (const auto& variable : function.variables) note_shared(variable);
        for (const auto& buffer : buffers) flow_.buffers.push_back({.name = buffer.name, .content = {}});
        for (const auto& variable : module.variables)
            flow_.variables.push_back({.name = std::string(variable.name), .content = {}});
        for (std::size_t i = 0; i < inputs.size(); ++i)
            if (inputs[i]) input_contents_.set(kBufferContent + capped(i, kMostBuffers));
        control_.resize(module.functions.size());
        for (std::size_t i = 0; i < launches.size(); ++i) {
            const auto found = module.function_index.find(launches[i].lowered);
            if (found != module.function_index.end()) context(found->second, i).arguments = &launches[i];
        }
    }

    Flow run() && {
        // Copies are told apart once it is known which indices depend on inputs.
        settle();
        copies_ = true;
        settle();
        reporting_ = true;
        pass();
        return std::move(flow_);
    }

private:
    void note_shared(const sim::ptx::Variable& variable) {
        if (variable.space == Space::shared) shared_numbers_.try_emplace(variable.name, shared_numbers_.size());
    }
    std::size_t shared_label(std::string_view variable) const {
        const auto number = shared_numbers_.find(variable);
        return kSharedAddress
               + (number == shared_numbers_.end() ? kMostShared - 1 : capped(number->second, kMostShared));
    }

    Context& context(std::uint32_t function, std::size_t launch) {
        auto& known = contexts_[{function, launch}];
        if (known) return *known;
        const auto& body = module_.functions[function];
        if (!control_[function]) control_[function] = std::make_unique<ControlFlow>(control_flow(body));
        known = std::make_unique<Context>();
        known->function = &body;
        known->control = control_[function].get();
        known->launch = launch;
        known->registers.resize(body.registers.size());
        known->variables.resize(body.variables.size());
        known->blocks.resize(known->control->deciders.size());
        grew_ = true;
        return *known;
    }

    void settle() {
        do {
            grew_ = false;
            pass();
        } while (grew_);
    }

    void pass() {
        // Calls add contexts while this runs.
        std::vector<Context*> all;
        for (const auto& [key, each] : contexts_) all.push_back(each.get());
        for (auto* each : all) visit(*each);
    }

    void visit(Context& c) {
        const auto& control = *c.control;
        for (std::size_t block = 0; block < c.blocks.size(); ++block) {
            Labels decided = c.entered;
            for (const auto branch : control.all_depends ? control.branches : control.deciders[block]) {
                const auto& instruction = c.function->instructions[branch];
                if (instruction.guard >= 0) decided |= c.registers[static_cast<std::size_t>(instruction.guard)].any;
                if (instruction.opcode == "brx")
                    for (const auto& operand : instruction.operands) decided |= value(c, operand).any;
                if (!control.all_depends) decided |= c.blocks[control.block_of[branch]];
            }
            c.blocks[block] |= decided;
        }
        for (std::size_t at = 0; at < c.function->instructions.size(); ++at)
            step(c, c.function->instructions[at], c.blocks[control.block_of[at]]);
    }

    void grow(Value& into, const Value& from) { grew_ |= into.add(from); }

    Value value(const Context& c, const Operand& operand) const {
        Value out;
        switch (operand.kind) {
        case OperandKind::reg: {
            out = c.registers[operand.index];
            // What a predicate decides is a dependency, not data.
            if (c.function->registers[operand.index] == sim::Type::pred) out.data.reset();
            break;
        }
        case OperandKind::special: {
            if (const auto label = special_label(operand.text)) out.data.set(*label);
            break;
        }
        case OperandKind::symbol: {
            const auto found = module_.variable_index.find(operand.text);
            if (found == module_.variable_index.end()) break;
            out.data.set(module_.variables[found->second].space == Space::shared
                             ? shared_label(operand.text)
                             : kVariableAddress + capped(found->second, kMostVariables));
            break;
        }
        case OperandKind::local:
            switch (c.function->variables[operand.index].space) {
            case Space::shared: out.data.set(shared_label(c.function->variables[operand.index].name)); break;
            case Space::local: out.data.set(kLocalAddress); break;
            default: out.data.set(kParamAddress);
            }
            break;
        default:
            for (const auto& item : operand.items) out.add(value(c, item));
        }
        out.any |= out.data;
        return out;
    }

    void assign(Context& c, const Operand& to, const Value& what) {
        if (to.kind == OperandKind::reg) grow(c.registers[to.index], what);
        for (const auto& item : to.items) assign(c, item, what);
        if (to.pair) assign(c, *to.pair, what);
    }

    /// Each object that `address` may point into, by the labels of its data and the space that the instruction names.
    template<class Visit> bool for_objects(Context& c, const Value& address, const Access& access, Visit&& visit) {
        if (access.space == Space::local) return visit(local_[c.launch], nullptr, kLabels), true;
        if (access.space == Space::shared) {
            const bool known = visit_shared(c, address, visit);
            // An address of shared memory that no variable gave.
            if (!known)
                for (auto& content : shared_[c.launch]) visit(content, nullptr, kLabels);
            return true;
        }
        bool any = false;
        const auto each = [&](Value& content, Object* object, std::size_t label) {
            visit(content, object, label);
            any = true;
        };
        for (std::size_t i = 0; i < flow_.buffers.size(); ++i)
            if (address.data.test(kBufferAddress + capped(i, kMostBuffers)))
                each(flow_.buffers[i].content, &flow_.buffers[i], kBufferContent + capped(i, kMostBuffers));
        for (std::size_t i = 0; i < flow_.variables.size(); ++i)
            if (address.data.test(kVariableAddress + capped(i, kMostVariables)))
                each(flow_.variables[i].content, &flow_.variables[i], kVariableContent + capped(i, kMostVariables));
        any |= visit_shared(c, address, visit);
        if (address.data.test(kLocalAddress)) each(local_[c.launch], nullptr, kLabels);
        if (address.data.test(kHeapAddress)) each(heap_, nullptr, kLabels);
        if (address.data.test(kParamAddress))
            for (auto& variable : c.variables) each(variable, nullptr, kLabels);
        return any;
    }

    template<class Visit> bool visit_shared(Context& c, const Value& address, Visit&& visit) {
        bool any = false;
        for (std::size_t i = 0; i < kMostShared; ++i) {
            if (!address.data.test(kSharedAddress + i)) continue;
            visit(shared_[c.launch][i], nullptr, kLabels);
            any = true;
        }
        return any;
    }

    Value load(Context& c, const Instruction& instruction, const Operand& from, const Access& access,
               const Labels& decided) {
        const auto& base = from.items.empty() ? from : from.items.front();
        if (access.space == Space::param && base.kind == OperandKind::local) return parameter(c, base.index);
        const auto address = value(c, from);
        Value out;
        const bool known = for_objects(c, address, access, [&](Value& content, Object* object, std::size_t label) {
            out.add(content);
            if (!object) return;
            object_read(*object, instruction);
            object->chosen |= ((address.any | decided) & input_contents_).any();
            out.data.set(label);
            const bool variable = label >= kVariableContent && label < kVariableContent + kMostVariables;
            if (copies_ && variable && (address.data & input_contents_).none())
                out.data.set(kVariableCopy + (label - kVariableContent));
        });
        if (!known && access.space != Space::param) wild(c, instruction, false);
        out.any |= out.data | address.any;
        return out;
    }

    Value parameter(Context& c, std::uint32_t index) {
        if (!c.function->is_entry || index >= c.function->params.size()) return c.variables[index];
        Value out;
        if (c.arguments && index < c.arguments->buffers.size() && c.arguments->buffers[index] >= 0)
            out.data.set(kBufferAddress + capped(static_cast<std::size_t>(c.arguments->buffers[index]), kMostBuffers));
        out.any = out.data;
        return out;
    }

    void store(Context& c, const Instruction& instruction, const Operand& to, const Access& access, Value what,
               const Labels& decided) {
        const auto& base = to.items.empty() ? to : to.items.front();
        if (access.space == Space::param && base.kind == OperandKind::local) return grow(c.variables[base.index], what);
        const auto address = value(c, to);
        what.any |= what.data | address.any | decided;
        std::size_t objects = 0;
        Object* last = nullptr;
        const bool known = for_objects(c, address, access, [&](Value& content, Object* object, std::size_t) {
            ++objects;
            last = object;
            const Labels fresh = what.any & ~content.any;
            grow(content, what);
            if (!object) return;
            if (!object->written) object->first_write = place_of(module_, instruction.location);
            object->written = true;
            if (fresh.any())
                for (std::size_t label = 0; label < kLabels; ++label)
                    if (fresh.test(label)) object->arrivals.try_emplace(label, place_of(module_, instruction.location));
        });
        if (reporting_ && objects == 1 && last) last->surely_written = true;
        if (!known) wild(c, instruction, true);
    }

    void object_read(Object& object, const Instruction& instruction) {
        if (!object.read) object.first_read = place_of(module_, instruction.location);
        object.read = true;
    }

    void wild(const Context& c, const Instruction& instruction, bool store) {
        if (reporting_)
            flow_.wild.push_back({place_of(module_, instruction.location), std::string(c.function->name), store});
    }

    void call(Context& c, const Instruction& instruction, const Labels& decided) {
        const Operand *results = nullptr, *callee = nullptr, *arguments = nullptr;
        for (const auto& operand : instruction.operands) {
            if (operand.kind == OperandKind::list)
                (callee ? arguments : results) = &operand;
            else if (!callee)
                callee = &operand;
        }
        if (!callee) return;
        const auto known = module_.function_index.find(callee->text);
        const bool has_body = callee->kind == OperandKind::symbol && known != module_.function_index.end()
                              && !module_.functions[known->second].is_declaration;
        if (!has_body) {
            const std::string name(callee->kind == OperandKind::symbol ? callee->text : "a function pointer");
            if (reporting_) flow_.calls.try_emplace(name, place_of(module_, instruction.location));
            Value out;
            if (name == "malloc") out.data.set(kHeapAddress);
            // Who knows what it does: the results may be made of all it is given.
            if (arguments)
                for (const auto& item : arguments->items)
                    if (item.kind == OperandKind::local) out.add(c.variables[item.index]);
            out.any |= out.data | decided;
            if (results)
                for (const auto& item : results->items)
                    if (item.kind == OperandKind::local) grow(c.variables[item.index], out);
            return;
        }
        auto& inner = context(known->second, c.launch);
        const Labels entered = inner.entered | decided | c.entered;
        grew_ |= entered != inner.entered;
        inner.entered = entered;
        const auto& body = *inner.function;
        if (arguments)
            for (std::size_t i = 0; i < arguments->items.size() && i < body.params.size(); ++i)
                if (arguments->items[i].kind == OperandKind::local)
                    grow(inner.variables[i], c.variables[arguments->items[i].index]);
        if (results)
            for (std::size_t i = 0; i < results->items.size() && i < body.returns.size(); ++i)
                if (results->items[i].kind == OperandKind::local)
                    grow(c.variables[results->items[i].index], inner.variables[body.params.size() + i]);
    }

    void step(Context& c, const Instruction& instruction, Labels decided) {
        if (instruction.guard >= 0) decided |= c.registers[static_cast<std::size_t>(instruction.guard)].any;
        if (instruction.opcode == "call") return call(c, instruction, decided);
        const auto access = access_of(instruction);
        const auto& operands = instruction.operands;
        if (access.kind == Access::Kind::none) return compute(c, instruction, decided);
        if (operands.size() <= std::max(access.address, access.source)) return;
        Value moved;
        if (access.loads()) moved = load(c, instruction, operands[access.source], access.from(), decided);
        if (access.kind == Access::Kind::load || access.kind == Access::Kind::atomic) {
            auto result = moved;
            result.any |= decided;
            if (access.has_result) assign(c, operands.front(), result);
        }
        if (access.kind == Access::Kind::load) return;
        for (std::size_t at = access.address + 1; at < operands.size(); ++at)
            if (access.kind != Access::Kind::copy) moved.add(value(c, operands[at]));
        if (reporting_ && access.kind == Access::Kind::store) note_constants(c, instruction, access);
        store(c, instruction, operands[access.address], access.to(), std::move(moved), decided);
    }

    void compute(Context& c, const Instruction& instruction, const Labels& decided) {
        if (!has_result(instruction) || instruction.operands.empty()) return;
        Value out;
        for (std::size_t at = 1; at < instruction.operands.size(); ++at) out.add(value(c, instruction.operands[at]));
        if (reads_shared(instruction))
            for (const auto& content : shared_[c.launch]) out.add(content);
        out.any |= out.data | decided;
        if (!copies(instruction)) out.data &= ~kCopies;
        if (compares(instruction)) {
            out.data.reset();
            if (reporting_) note_fingerprint(c, instruction);
        }
        if (const auto narrowed = narrowing(instruction)) {
            out.data.set(*narrowed);
            flow_.introduced.try_emplace(*narrowed, place_of(module_, instruction.location));
        }
        for (const auto label : {kTime, kLaunch, kPlace})
            if (out.data.test(label)) flow_.introduced.try_emplace(label, place_of(module_, instruction.location));
        assign(c, instruction.operands.front(), out);
    }

    /// Every instruction that sets a register.
    static const std::vector<const Instruction*>& definitions(const Context& c, std::uint32_t index) {
        if (c.definitions.empty()) {
            c.definitions.resize(c.registers.size());
            for (const auto& instruction : c.function->instructions) {
                const auto access = access_of(instruction);
                const bool sets = access.kind == Access::Kind::none ? has_result(instruction) : access.has_result;
                if (!sets || instruction.operands.empty()) continue;
                const auto& to = instruction.operands.front();
                if (to.kind == OperandKind::reg) c.definitions[to.index].push_back(&instruction);
                for (const auto& item : to.items)
                    if (item.kind == OperandKind::reg) c.definitions[item.index].push_back(&instruction);
            }
        }
        return c.definitions[index];
    }

    /// The immediates that an operand may be; empty when it may be anything else.
    std::vector<std::uint64_t> immediates(const Context& c, const Operand& operand, int depth = 0) const {
        if (operand.kind == OperandKind::integer || operand.kind == OperandKind::f32
            || operand.kind == OperandKind::f64)
            return {operand.bits};
        if (operand.kind != OperandKind::reg || depth > 8) return {};
        std::vector<std::uint64_t> all;
        for (const auto* instruction : definitions(c, operand.index)) {
            const bool chooses = instruction->opcode == "selp";
            if ((instruction->opcode != "mov" && !chooses) || instruction->operands.size() < 2) return {};
            for (std::size_t at = 1; at <= (chooses ? 2u : 1u); ++at) {
                const auto some = immediates(c, instruction->operands[at], depth + 1);
                if (some.empty()) return {};
                all.insert(all.end(), some.begin(), some.end());
            }
        }
        return all;
    }

    void note_constants(Context& c, const Instruction& instruction, const Access& access) {
        const auto address = value(c, instruction.operands[access.address]);
        for (std::size_t i = 0; i < flow_.buffers.size(); ++i) {
            if (!address.data.test(kBufferAddress + capped(i, kMostBuffers))) continue;
            auto& constants = flow_.buffers[i].constants;
            for (std::size_t at = access.address + 1; at < instruction.operands.size(); ++at) {
                const auto& operand = instruction.operands[at];
                const std::span<const Operand> values =
                    operand.items.empty() ? std::span(&operand, 1) : std::span(operand.items);
                for (const auto& each : values)
                    for (const auto bits : immediates(c, each))
                        if (std::ranges::find(constants, bits, &StoredConstant::bits) == constants.end())
                            constants.push_back({bits, place_of(module_, instruction.location)});
            }
        }
    }

    /// Whether a register holds an element of a floating input as it was read.
    bool is_read_input(Context& c, const Operand& operand, int depth = 0) {
        if (operand.kind != OperandKind::reg || depth > 8) return false;
        const auto& sources = definitions(c, operand.index);
        if (sources.size() != 1 || sources.front()->operands.size() < 2) return false;
        const auto& source = *sources.front();
        if (source.opcode == "mov") return is_read_input(c, source.operands[1], depth + 1);
        const auto access = access_of(source);
        if (access.kind != Access::Kind::load || access.space == Space::param) return false;
        const auto address = value(c, source.operands[access.source]);
        for (std::size_t i = 0; i < buffers_.size(); ++i)
            if (i < inputs_.size() && inputs_[i] && task::is_floating(buffers_[i].type)
                && address.data.test(kBufferAddress + capped(i, kMostBuffers)))
                return true;
        return false;
    }

    void note_fingerprint(Context& c, const Instruction& instruction) {
        if (!tests_equality(instruction) || instruction.operands.size() < 3) return;
        for (const auto& [a, b] : {std::pair{1, 2}, std::pair{2, 1}}) {
            const auto constants = immediates(c, instruction.operands[static_cast<std::size_t>(b)]);
            if (constants.size() != 1) continue;
            const bool wide = !instruction.modifiers.empty() && instruction.modifiers.back() == "f64";
            const double number = wide ? std::bit_cast<double>(constants[0])
                                       : std::bit_cast<float>(static_cast<std::uint32_t>(constants[0]));
            if (is_ordinary(number) || !is_read_input(c, instruction.operands[static_cast<std::size_t>(a)])) continue;
            flow_.fingerprints.push_back({place_of(module_, instruction.location), fmt::format("{:g}", number)});
        }
    }

    const Module& module_;
    std::span<const task::Buffer> buffers_;
    const std::vector<bool>& inputs_;
    Flow flow_;
    Labels input_contents_;
    std::vector<std::unique_ptr<ControlFlow>> control_; ///< by function
    std::map<std::pair<std::uint32_t, std::size_t>, std::unique_ptr<Context>> contexts_;
    std::map<std::string_view, std::size_t> shared_numbers_;
    std::vector<std::array<Value, kMostShared>> shared_; ///< by launch
    std::vector<Value> local_;                           ///< by launch
    Value heap_;
    bool grew_ = false, copies_ = false, reporting_ = false;
};

} // namespace

bool Value::add(const Value& other) {
    const auto before = std::pair{data, any};
    data |= other.data;
    any |= other.any;
    return before != std::pair{data, any};
}

Where place_of(const Module& module, std::int32_t location) {
    if (location < 0) return {};
    const auto& all = module.locations;
    const auto index = static_cast<std::size_t>(location);
    auto outermost = index;
    for (int step = 0; step < 64 && all[outermost].inlined_at >= 0; ++step)
        outermost = static_cast<std::size_t>(all[outermost].inlined_at);
    auto at = index;
    for (int step = 0; step < 64 && all[at].file != all[outermost].file && all[at].inlined_at >= 0; ++step)
        at = static_cast<std::size_t>(all[at].inlined_at);
    const auto file = module.files.find(all[at].file);
    return {file == module.files.end() ? std::string{} : file->second, all[at].line, 0};
}

Flow analyze(const Module& module, std::span<const LaunchArguments> launches, std::span<const task::Buffer> buffers,
             const std::vector<bool>& inputs) {
    return Analysis(module, launches, buffers, inputs).run();
}

} // namespace kw::audit
