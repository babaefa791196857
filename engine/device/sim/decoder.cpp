#include "engine/device/sim/decoder.h"

#include "engine/device/sim/decoder_impl.h"
#include "engine/device/sim/demangle.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace kw::sim {
namespace {

/// A code segment far from every data window.
constexpr std::uint64_t kFunctionBase = 0x5000'0000'0000;

std::uint64_t align_up(std::uint64_t value, std::uint64_t align) { return (value + align - 1) & ~(align - 1); }

/// Instr::mode of a branch whose target already is an index into the decoded code.
constexpr std::uint8_t kResolvedTarget = 2;

bool changes_lanes(Op op) {
    return op == Op::ret || op == Op::exit || op == Op::trap || op == Op::brkpt || op == Op::brx || op == Op::call
           || op == Op::call_indirect || op == Op::builtin
           || (op >= Op::bar_sync && op <= Op::elect && op != Op::activemask);
}

constexpr std::size_t kMostInstructions = 4'000'000;
constexpr std::uint64_t kMostLocalBytes = 512 * 1024; ///< per thread, CUDA C++ Programming Guide

} // namespace

std::uint64_t function_address(std::uint32_t module_function) {
    return kFunctionBase + std::uint64_t{module_function} * 16;
}

FunctionDecoder::FunctionDecoder(DecodeContext& context, const ptx::Function& source, std::uint32_t number)
    : context_(context), function_(source), number_(number) {}

std::unexpected<Error> FunctionDecoder::unsupported(std::string_view why) const {
    std::string text(source_->opcode);
    for (std::string_view modifier : source_->modifiers) text += fmt::format(".{}", modifier);
    Where where;
    if (source_->location >= 0) {
        // Of an inlined call the outermost position is the one in the function's own text.
        std::int32_t at = source_->location;
        for (int step = 0; step < 64; ++step) {
            const std::int32_t outer = context_.program.locations[static_cast<std::size_t>(at)].inlined_at;
            if (outer < 0) break;
            at = outer;
        }
        const auto& location = context_.program.locations[static_cast<std::size_t>(at)];
        where.file =
            location.file < context_.program.files.size() ? context_.program.files[location.file] : std::string{};
        where.line = location.line;
        where.column = location.column;
    }
    return fail(Stage::device, ErrorCode::unsupported,
                fmt::format("the simulator cannot run {} in {} (PTX line {}): {}", text, demangled(function_.name),
                            source_->line, why),
                where);
}

Instr FunctionDecoder::make(Op op, Type type) const {
    Instr instr;
    instr.op = op;
    instr.type = type;
    instr.function = number_;
    instr.line = source_->line;
    instr.location = source_->location;
    if (source_->guard >= 0) {
        instr.guard = register_values_[static_cast<std::size_t>(source_->guard)];
        instr.guard_negated = source_->guard_negated;
    }
    return instr;
}

void FunctionDecoder::push(Instr instr) {
    if (instr.guard != kNoValue && changes_lanes(instr.op)) {
        // Operations that move lanes about are branched around, so that their lanes form a split of their own.
        Instr around = make(Op::bra, Type::none);
        around.guard_negated = !around.guard_negated;
        around.mode = kResolvedTarget;
        around.target = static_cast<std::uint32_t>(code.size() + 2);
        code.push_back(std::move(around));
        instr.guard = kNoValue;
    }
    code.push_back(std::move(instr));
}

std::uint32_t FunctionDecoder::constant(RowClass row, std::uint64_t bits) {
    if (row == RowClass::w16) bits &= 0xffff;
    if (row == RowClass::w32) bits &= 0xffffffff;
    if (row == RowClass::pred) bits = bits ? 1 : 0;
    const auto [at, fresh] = constants_.try_emplace({row, bits}, static_cast<std::uint32_t>(values.size()));
    if (fresh) {
        Value value;
        value.kind = Value::Kind::constant;
        value.row = row;
        value.bits = bits;
        values.push_back(value);
    }
    return at->second;
}

std::uint32_t FunctionDecoder::special_value(Special special, RowClass row) {
    const auto [at, fresh] = specials_.try_emplace({special, row}, static_cast<std::uint32_t>(values.size()));
    if (fresh) {
        Value value;
        value.kind = Value::Kind::special;
        value.row = row;
        value.special = special;
        values.push_back(value);
    }
    return at->second;
}

std::uint32_t FunctionDecoder::temporary(RowClass row) {
    Value value;
    value.row = row;
    values.push_back(value);
    return static_cast<std::uint32_t>(values.size() - 1);
}

std::uint32_t FunctionDecoder::frame_base() { return special_value(Special::frame_base, RowClass::w64); }

Result<void> FunctionDecoder::need(std::size_t least, std::size_t most) const {
    const std::size_t count = source_->operands.size();
    if (count < least || count > most) return unsupported(fmt::format("it has {} operands", count));
    return {};
}

Result<std::uint32_t> FunctionDecoder::read_special(const ptx::Operand& operand, RowClass row) {
    struct Known {
        std::string_view name;
        Special x, y, z;
    };
    constexpr Known vectors[] = {
        {"%tid", Special::tid_x, Special::tid_y, Special::tid_z},
        {"%ntid", Special::ntid_x, Special::ntid_y, Special::ntid_z},
        {"%ctaid", Special::ctaid_x, Special::ctaid_y, Special::ctaid_z},
        {"%nctaid", Special::nctaid_x, Special::nctaid_y, Special::nctaid_z},
        {"%clusterid", Special::clusterid_x, Special::clusterid_y, Special::clusterid_z},
        {"%nclusterid", Special::nclusterid_x, Special::nclusterid_y, Special::nclusterid_z},
        {"%cluster_ctaid", Special::cluster_ctaid_x, Special::cluster_ctaid_y, Special::cluster_ctaid_z},
        {"%cluster_nctaid", Special::cluster_nctaid_x, Special::cluster_nctaid_y, Special::cluster_nctaid_z},
    };
    constexpr std::pair<std::string_view, Special> scalars[] = {
        {"%laneid", Special::laneid},
        {"%warpid", Special::warpid},
        {"%nwarpid", Special::nwarpid},
        {"%smid", Special::smid},
        {"%nsmid", Special::nsmid},
        {"%gridid", Special::gridid},
        {"%lanemask_eq", Special::lanemask_eq},
        {"%lanemask_le", Special::lanemask_le},
        {"%lanemask_lt", Special::lanemask_lt},
        {"%lanemask_ge", Special::lanemask_ge},
        {"%lanemask_gt", Special::lanemask_gt},
        {"%dynamic_smem_size", Special::dynamic_smem_size},
        {"%total_smem_size", Special::total_smem_size},
        {"%aggr_smem_size", Special::total_smem_size},
        {"%cluster_ctarank", Special::cluster_ctarank},
        {"%cluster_nctarank", Special::cluster_nctarank},
        {"%is_explicit_cluster", Special::explicit_cluster},
        {"%envreg1", Special::grid_barrier_hi},
        {"%envreg2", Special::grid_barrier_lo},
    };
    if (row == RowClass::w32 || row == RowClass::w64) {
        for (const Known& known : vectors) {
            if (operand.text != known.name) continue;
            if (operand.component == 'x') return special_value(known.x, row);
            if (operand.component == 'y') return special_value(known.y, row);
            if (operand.component == 'z') return special_value(known.z, row);
            if (operand.component == 'w') return special_value(Special::zero, row);
        }
        for (const auto& [name, special] : scalars) {
            if (operand.text == name) return special_value(special, row);
        }
    }
    if (operand.text == "%clock" || operand.text == "%clock_hi" || operand.text == "%clock64"
        || operand.text == "%globaltimer" || operand.text == "%globaltimer_lo" || operand.text == "%globaltimer_hi") {
        const bool wide = operand.text == "%clock64" || operand.text == "%globaltimer";
        if ((wide ? RowClass::w64 : RowClass::w32) != row || operand.text.ends_with("_hi"))
            return unsupported(fmt::format("{} cannot be read at this width", operand.text));
        const std::uint32_t value = temporary(row);
        Instr instr = make(operand.text.starts_with("%clock") ? (wide ? Op::clock64 : Op::clock) : Op::globaltimer,
                           wide ? Type::u64 : Type::u32);
        instr.dst.push_back(value);
        push(std::move(instr));
        return value;
    }
    return unsupported(operand.text.size() < 64 ? fmt::format("{} is not a known register", operand.text)
                                                : std::string("a register is not known"));
}

Result<std::uint32_t> FunctionDecoder::read(const ptx::Operand& operand, Type type) {
    const RowClass row = row_class(type);
    switch (operand.kind) {
    case ptx::OperandKind::reg: {
        const std::uint32_t value = register_values_[operand.index];
        if (values[value].row != row)
            return unsupported(fmt::format("an operand is not {} bits wide", size_of(type) * 8));
        return value;
    }
    case ptx::OperandKind::special: return read_special(operand, row);
    case ptx::OperandKind::integer:
        if (type == Type::f64)
            return constant(row,
                            std::bit_cast<std::uint64_t>(static_cast<double>(static_cast<std::int64_t>(operand.bits))));
        if (type == Type::f32 && operand.bits != 0)
            return constant(row,
                            std::bit_cast<std::uint32_t>(static_cast<float>(static_cast<std::int64_t>(operand.bits))));
        if (row == RowClass::w128) break;
        return constant(row, operand.bits);
    case ptx::OperandKind::f32:
        if (row == RowClass::w32) return constant(row, operand.bits);
        if (type == Type::f64)
            return constant(row, std::bit_cast<std::uint64_t>(static_cast<double>(
                                     std::bit_cast<float>(static_cast<std::uint32_t>(operand.bits)))));
        break;
    case ptx::OperandKind::f64:
        if (row == RowClass::w64) return constant(row, operand.bits);
        if (type == Type::f32)
            return constant(row, std::bit_cast<std::uint32_t>(static_cast<float>(std::bit_cast<double>(operand.bits))));
        break;
    case ptx::OperandKind::symbol:
    case ptx::OperandKind::local: {
        if (operand.kind == ptx::OperandKind::symbol && operand.text == "WARP_SZ") return constant(row, 32);
        if (row != RowClass::w64 && row != RowClass::w32) break;
        auto base = symbol_base(operand);
        if (!base) return std::unexpected(base.error());
        if (base->value == kNoValue) return constant(row, static_cast<std::uint64_t>(base->offset));
        if (row != RowClass::w64) break;
        const std::uint32_t value = temporary(row);
        Instr instr = make(Op::add, Type::u64);
        instr.dst = {value};
        instr.src = {base->value, constant(row, static_cast<std::uint64_t>(base->offset))};
        push(std::move(instr));
        return value;
    }
    default: break;
    }
    return unsupported("an operand has a form that is not known here");
}

Result<std::uint32_t> FunctionDecoder::write(const ptx::Operand& operand, Type type) {
    if (operand.kind == ptx::OperandKind::sink) return kNoValue;
    if (operand.kind != ptx::OperandKind::reg) return unsupported("its destination is not a register");
    const std::uint32_t value = register_values_[operand.index];
    if (values[value].row != row_class(type))
        return unsupported(fmt::format("its destination is not {} bits wide", size_of(type) * 8));
    return value;
}

Result<void> FunctionDecoder::source(Instr& instr, std::size_t index, Type type) {
    auto value = read(index, type);
    if (!value) return std::unexpected(value.error());
    instr.src.push_back(*value);
    return {};
}

Result<void> FunctionDecoder::destination(Instr& instr, std::size_t index, Type type) {
    auto value = write(index, type);
    if (!value) return std::unexpected(value.error());
    instr.dst.push_back(*value);
    return {};
}

Result<void> FunctionDecoder::finish(Modifiers& modifiers) const {
    if (modifiers.left().empty()) return {};
    return unsupported(fmt::format("the modifier .{} is not known here", modifiers.left().front()));
}

Result<FunctionDecoder::Base> FunctionDecoder::symbol_base(const ptx::Operand& operand) {
    Base base;
    base.offset = operand.offset;
    if (operand.kind == ptx::OperandKind::local) {
        const ptx::Variable& variable = function_.variables[operand.index];
        const auto offset = static_cast<std::int64_t>(variable_offsets_[operand.index]);
        base.space = variable.space;
        base.offset += offset;
        const bool kernel_parameter = number_ == 0 && operand.index < function_.params.size();
        if (kernel_parameter)
            base.value = special_value(Special::param_base, RowClass::w64);
        else if (variable.space == Space::local || variable.space == Space::param)
            base.value = frame_base();
        if (variable.space == Space::global || variable.space == Space::constant)
            return unsupported(fmt::format("{} is a static variable inside a function", variable.name));
        return base;
    }
    if (const auto at = context_.shared.find(operand.text); at != context_.shared.end()) {
        base.space = Space::shared;
        base.offset += static_cast<std::int64_t>(at->second);
        return base;
    }
    if (const auto variable = context_.module.variable_index.find(operand.text);
        variable != context_.module.variable_index.end()) {
        const auto address = context_.address_of(operand.text);
        if (!address) return unsupported(fmt::format("{} has no address", operand.text));
        base.space = context_.module.variables[variable->second].space;
        base.offset += static_cast<std::int64_t>(*address);
        return base;
    }
    if (const auto function = context_.module.function_index.find(operand.text);
        function != context_.module.function_index.end()) {
        base.space = Space::global;
        base.offset += static_cast<std::int64_t>(function_address(function->second));
        return base;
    }
    return unsupported(fmt::format("{} is not defined", operand.text.substr(0, 200)));
}

Result<FunctionDecoder::Base> FunctionDecoder::address(const ptx::Operand& operand) {
    if (operand.kind != ptx::OperandKind::address || operand.items.size() != 1)
        return unsupported("its address has a form that is not known here");
    const ptx::Operand& item = operand.items.front();
    Base base;
    base.offset = operand.offset;
    if (item.kind == ptx::OperandKind::reg) {
        base.value = register_values_[item.index];
        if (values[base.value].row != RowClass::w64 && values[base.value].row != RowClass::w32)
            return unsupported("its address is neither 32 nor 64 bits wide");
        return base;
    }
    if (item.kind == ptx::OperandKind::integer) {
        base.offset += static_cast<std::int64_t>(item.bits);
        return base;
    }
    if (item.kind == ptx::OperandKind::symbol || item.kind == ptx::OperandKind::local) {
        auto symbol = symbol_base(item);
        if (!symbol) return symbol;
        symbol->offset += operand.offset;
        return symbol;
    }
    return unsupported("its address has a form that is not known here");
}

Result<void> FunctionDecoder::address_source(Instr& instr, const ptx::Operand& operand) {
    auto base = address(operand);
    if (!base) return std::unexpected(base.error());
    if (base->value == kNoValue) {
        instr.src.push_back(constant(RowClass::w64, static_cast<std::uint64_t>(base->offset)));
        instr.imm = 0;
    } else {
        instr.src.push_back(base->value);
        instr.imm = base->offset;
    }
    // A variable's own space is known even where the instruction is generic.
    if (instr.space == Space::generic && base->space != Space::generic && base->space != Space::param)
        instr.space = base->space;
    return {};
}

Result<std::vector<const ptx::Operand*>> FunctionDecoder::elements(const ptx::Operand& operand) const {
    std::vector<const ptx::Operand*> out;
    if (operand.kind != ptx::OperandKind::vector) {
        out.push_back(&operand);
        return out;
    }
    for (const ptx::Operand& item : operand.items) out.push_back(&item);
    if (out.empty()) return unsupported("its vector is empty");
    return out;
}

void FunctionDecoder::lay_out_frame() {
    std::uint64_t local = 0;
    std::uint64_t parameter = 0;
    for (std::size_t index = 0; index < function_.variables.size(); ++index) {
        const ptx::Variable& variable = function_.variables[index];
        const bool kernel_parameter = number_ == 0 && index < function_.params.size();
        std::uint64_t offset = 0;
        if (kernel_parameter) {
            offset = align_up(parameter, variable.align);
            parameter = offset + variable.bytes;
            context_.program.parameters.push_back({static_cast<std::uint32_t>(offset),
                                                   static_cast<std::uint32_t>(variable.bytes),
                                                   static_cast<std::uint32_t>(variable.align)});
        } else if (variable.space == Space::local || variable.space == Space::param) {
            offset = align_up(local, std::max<std::uint64_t>(variable.align, 8));
            local = offset + variable.bytes;
        } else if (variable.space == Space::shared) {
            offset = align_up(context_.program.shared_bytes, variable.align);
            context_.program.shared_bytes =
                static_cast<std::uint32_t>(std::min<std::uint64_t>(offset + variable.bytes, 0x7fffffff));
        }
        variable_offsets_.push_back(offset);
        if (number_ != 0 && index < function_.params.size() + function_.returns.size()) {
            auto& list = index < function_.params.size() ? info.params : info.results;
            list.push_back({static_cast<std::uint32_t>(offset), static_cast<std::uint32_t>(variable.bytes)});
        }
    }
    info.local_bytes = static_cast<std::uint32_t>(std::min<std::uint64_t>(align_up(local, 16), kMostLocalBytes + 1));
    if (number_ == 0) context_.program.parameter_bytes = static_cast<std::uint32_t>(parameter);
}

namespace {

/// Marks elements of vector loads whose register nothing but stores read: a structure's padding, copied along.
void note_unread(std::vector<Instr>& code, std::size_t values) {
    std::vector<bool> read(values);
    for (const Instr& instr : code) {
        if (instr.guard != kNoValue) read[instr.guard] = true;
        for (std::size_t index = instr.op == Op::st ? 1 : instr.src.size(); index-- > 0;)
            if (instr.src[index] != kNoValue) read[instr.src[index]] = true;
    }
    for (Instr& instr : code) {
        if (instr.op != Op::ld || instr.vector == 1) continue;
        for (std::size_t index = 0; index < instr.dst.size(); ++index)
            if (instr.dst[index] != kNoValue && !read[instr.dst[index]]) instr.unread |= 1u << index;
    }
}

} // namespace

Result<void> FunctionDecoder::run() {
    info.name = std::string(function_.name);
    for (Type type : function_.registers) {
        Value value;
        value.row = row_class(type);
        register_values_.push_back(static_cast<std::uint32_t>(values.size()));
        values.push_back(value);
    }
    lay_out_frame();
    std::vector<std::uint32_t> first(function_.instructions.size() + 1);
    for (std::size_t index = 0; index < function_.instructions.size(); ++index) {
        first[index] = static_cast<std::uint32_t>(code.size());
        if (auto decoded = decode_one(function_.instructions[index]); !decoded) return decoded;
        if (code.size() > kMostInstructions) return unsupported("the function has too many instructions");
    }
    first.back() = static_cast<std::uint32_t>(code.size());
    static const ptx::Instruction kEnd{};
    const ptx::Instruction* last = function_.instructions.empty() ? &kEnd : &function_.instructions.back();
    source_ = last;
    Instr end = make(Op::ret, Type::none); // falling off the end returns
    end.guard = kNoValue;
    push(std::move(end));
    for (Instr& instr : code) {
        if (instr.op == Op::bra && instr.mode != kResolvedTarget)
            instr.target = first[std::min<std::size_t>(instr.target, first.size() - 1)];
        for (std::uint32_t& target : instr.targets) target = first[std::min<std::size_t>(target, first.size() - 1)];
    }
    if (info.local_bytes > kMostLocalBytes)
        return fail(Stage::device, ErrorCode::invalid_input,
                    fmt::format("function {} needs more than {} bytes of local memory per thread",
                                demangled(function_.name), kMostLocalBytes));
    note_unread(code, values.size());
    if (!allocate_registers(code, values, info))
        return fail(Stage::device, ErrorCode::unsupported,
                    fmt::format("function {} has too many branches and registers for the simulator",
                                demangled(function_.name)));
    return {};
}

Result<void> FunctionDecoder::decode_one(const ptx::Instruction& instruction) {
    source_ = &instruction;
    const auto rule = rules().find(instruction.opcode);
    if (rule == rules().end()) return unsupported("the operation is not implemented");
    return (this->*rule->second)();
}

const std::map<std::string_view, FunctionDecoder::Rule>& FunctionDecoder::rules() {
    using D = FunctionDecoder;
    static const std::map<std::string_view, Rule> table = {
        {"add", &D::rule_add_sub},
        {"sub", &D::rule_add_sub},
        {"mul", &D::rule_mul_mad},
        {"mad", &D::rule_mul_mad},
        {"mul24", &D::rule_mul24},
        {"mad24", &D::rule_mul24},
        {"addc", &D::rule_carry},
        {"subc", &D::rule_carry},
        {"madc", &D::rule_carry},
        {"div", &D::rule_div},
        {"rem", &D::rule_div},
        {"abs", &D::rule_unary},
        {"neg", &D::rule_unary},
        {"min", &D::rule_min_max},
        {"max", &D::rule_min_max},
        {"fma", &D::rule_fma},
        {"rcp", &D::rule_special_function},
        {"sqrt", &D::rule_special_function},
        {"rsqrt", &D::rule_special_function},
        {"ex2", &D::rule_special_function},
        {"lg2", &D::rule_special_function},
        {"sin", &D::rule_special_function},
        {"cos", &D::rule_special_function},
        {"tanh", &D::rule_special_function},
        {"copysign", &D::rule_unary},
        {"testp", &D::rule_testp},
        {"sad", &D::rule_bits},
        {"popc", &D::rule_bits},
        {"clz", &D::rule_bits},
        {"bfind", &D::rule_bits},
        {"fns", &D::rule_bits},
        {"brev", &D::rule_bits},
        {"bmsk", &D::rule_bits},
        {"szext", &D::rule_bits},
        {"bfe", &D::rule_bfe_bfi},
        {"bfi", &D::rule_bfe_bfi},
        {"dp4a", &D::rule_dot},
        {"dp2a", &D::rule_dot},
        {"and", &D::rule_logic},
        {"or", &D::rule_logic},
        {"xor", &D::rule_logic},
        {"not", &D::rule_logic},
        {"cnot", &D::rule_logic},
        {"shl", &D::rule_shift},
        {"shr", &D::rule_shift},
        {"shf", &D::rule_funnel},
        {"lop3", &D::rule_lop3},
        {"prmt", &D::rule_prmt},
        {"set", &D::rule_compare},
        {"setp", &D::rule_compare},
        {"selp", &D::rule_select},
        {"slct", &D::rule_select},
        {"cvt", &D::rule_cvt},
        {"mov", &D::rule_mov},
        {"ld", &D::rule_ld},
        {"ldu", &D::rule_ld},
        {"st", &D::rule_st},
        {"atom", &D::rule_atom},
        {"red", &D::rule_atom},
        {"cvta", &D::rule_cvta},
        {"isspacep", &D::rule_isspacep},
        {"membar", &D::rule_fence},
        {"fence", &D::rule_fence},
        {"prefetch", &D::rule_prefetch},
        {"prefetchu", &D::rule_prefetch},
        {"applypriority", &D::rule_prefetch},
        {"discard", &D::rule_prefetch},
        {"cp", &D::rule_cp},
        {"ldmatrix", &D::rule_ldmatrix},
        {"stmatrix", &D::rule_stmatrix},
        {"mbarrier", &D::rule_mbarrier},
        {"mapa", &D::rule_mapa},
        {"getctarank", &D::rule_mapa},
        {"bra", &D::rule_bra},
        {"brx", &D::rule_brx},
        {"call", &D::rule_call},
        {"ret", &D::rule_ret},
        {"exit", &D::rule_ret},
        {"trap", &D::rule_ret},
        {"brkpt", &D::rule_ret},
        {"bar", &D::rule_barrier},
        {"barrier", &D::rule_barrier},
        {"shfl", &D::rule_shfl},
        {"vote", &D::rule_vote},
        {"match", &D::rule_match},
        {"redux", &D::rule_redux},
        {"activemask", &D::rule_warp_misc},
        {"elect", &D::rule_warp_misc},
        {"nanosleep", &D::rule_warp_misc},
        {"griddepcontrol", &D::rule_warp_misc},
        {"setmaxnreg", &D::rule_warp_misc},
        {"pmevent", &D::rule_warp_misc},
        {"mma", &D::rule_mma},
        {"wmma", &D::rule_wmma},
    };
    return table;
}

} // namespace kw::sim
