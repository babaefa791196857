#pragma once

#include "engine/device/sim/decoder.h"

#include <map>
#include <string>
#include <vector>

namespace kw::sim {

/// A register, constant or special register of a function while it is decoded.
struct Value {
    enum class Kind : std::uint8_t { reg, constant, special, parameter };
    Kind kind = Kind::reg;
    RowClass row = RowClass::w32;
    Special special = Special::zero;
    std::uint64_t bits = 0;
    std::uint64_t high = 0;
    std::uint32_t parameter = 0;
    std::uint32_t bytes = 0;
    bool sign_extend = false;
};

/// What the functions of one kernel share while they are decoded.
struct DecodeContext {
    const ptx::Module& module;
    const AddressOf& address_of;
    Program& program;
    std::map<std::string, std::uint64_t, std::less<>> shared; ///< addresses of module-level shared variables
    std::map<std::uint32_t, std::uint32_t> function_numbers;  ///< module function → Program function
    std::vector<std::pair<const ptx::Variable*, std::uint64_t>> shared_locals; ///< of function bodies
};

/// The modifiers of one instruction, taken one by one; what is left over at the end is not supported.
class Modifiers {
public:
    explicit Modifiers(const ptx::Instruction& instruction) : words_(instruction.modifiers) {}
    bool take(std::string_view word);
    /// Takes every word of `ignored`.
    void drop(std::initializer_list<std::string_view> ignored);
    /// The last type among the words left, taken.
    std::optional<Type> take_last_type();
    std::optional<Type> take_first_type();
    std::optional<Rounding> take_rounding();
    std::optional<Compare> take_compare();
    std::optional<std::string_view> take_any();
    [[nodiscard]] bool has(std::string_view word) const;
    [[nodiscard]] const std::vector<std::string_view>& left() const { return words_; }

private:
    std::vector<std::string_view> words_;
};

/// Decodes one function into instructions on value numbers.
class FunctionDecoder {
public:
    FunctionDecoder(DecodeContext& context, const ptx::Function& source, std::uint32_t number);

    [[nodiscard]] Result<void> run();

    std::vector<Instr> code;
    std::vector<Value> values;
    Function info;

private:
    using Rule = Result<void> (FunctionDecoder::*)();
    static const std::map<std::string_view, Rule>& rules();

    // decoder.cpp
    [[nodiscard]] Result<void> decode_one(const ptx::Instruction& instruction);
    [[nodiscard]] std::unexpected<Error> unsupported(std::string_view why) const;
    [[nodiscard]] Instr make(Op op, Type type) const;
    void push(Instr instr);
    void lay_out_frame();
    [[nodiscard]] std::uint32_t constant(RowClass row, std::uint64_t bits);
    [[nodiscard]] std::uint32_t special_value(Special special, RowClass row);
    [[nodiscard]] std::uint32_t temporary(RowClass row);
    [[nodiscard]] std::uint32_t frame_base();
    [[nodiscard]] const ptx::Operand& operand(std::size_t index) const { return source_->operands[index]; }
    [[nodiscard]] Result<void> need(std::size_t least, std::size_t most) const;
    /// A value to read with exactly the row of `type`.
    [[nodiscard]] Result<std::uint32_t> read(const ptx::Operand& operand, Type type);
    [[nodiscard]] Result<std::uint32_t> read(std::size_t index, Type type) { return read(operand(index), type); }
    [[nodiscard]] Result<std::uint32_t> read_special(const ptx::Operand& operand, RowClass row);
    /// A register to write, with the row of `type`; the sink "_" gives kNoValue.
    [[nodiscard]] Result<std::uint32_t> write(const ptx::Operand& operand, Type type);
    [[nodiscard]] Result<std::uint32_t> write(std::size_t index, Type type) { return write(operand(index), type); }
    /// Appends operand `index` of the statement as a source of `instr`.
    [[nodiscard]] Result<void> source(Instr& instr, std::size_t index, Type type);
    [[nodiscard]] Result<void> destination(Instr& instr, std::size_t index, Type type);
    [[nodiscard]] Result<void> finish(Modifiers& modifiers) const;
    /// The address of a variable or function, as base value and offset.
    struct Base {
        std::uint32_t value = kNoValue;
        std::int64_t offset = 0;
        Space space = Space::generic; ///< of the variable, generic when the base is a register
    };
    [[nodiscard]] Result<Base> symbol_base(const ptx::Operand& operand);
    [[nodiscard]] Result<Base> address(const ptx::Operand& operand);
    /// An address within an instruction: adds the base to src, the offset to imm, and fixes the space.
    [[nodiscard]] Result<void> address_source(Instr& instr, const ptx::Operand& operand);
    [[nodiscard]] Result<std::vector<const ptx::Operand*>> elements(const ptx::Operand& operand) const;

    // decode_alu.cpp
    [[nodiscard]] Result<void> simple(Op op, Type type, std::size_t sources, Modifiers& modifiers,
                                      std::uint16_t flags = 0, Rounding rounding = Rounding::none);
    [[nodiscard]] Result<void> rule_add_sub();
    [[nodiscard]] Result<void> rule_mul_mad();
    [[nodiscard]] Result<void> rule_mul24();
    [[nodiscard]] Result<void> rule_carry();
    [[nodiscard]] Result<void> rule_div();
    [[nodiscard]] Result<void> rule_unary();
    [[nodiscard]] Result<void> rule_min_max();
    [[nodiscard]] Result<void> rule_fma();
    [[nodiscard]] Result<void> rule_special_function();
    [[nodiscard]] Result<void> rule_bits();
    [[nodiscard]] Result<void> rule_bfe_bfi();
    [[nodiscard]] Result<void> rule_dot();
    [[nodiscard]] Result<void> rule_logic();
    [[nodiscard]] Result<void> rule_shift();
    [[nodiscard]] Result<void> rule_funnel();
    [[nodiscard]] Result<void> rule_lop3();
    [[nodiscard]] Result<void> rule_prmt();
    [[nodiscard]] Result<void> rule_compare();
    [[nodiscard]] Result<void> rule_select();
    [[nodiscard]] Result<void> rule_testp();
    [[nodiscard]] Result<void> rule_cvt();
    [[nodiscard]] Result<void> rule_mov();

    // decode_memory.cpp
    [[nodiscard]] Result<void> rule_ld();
    [[nodiscard]] Result<void> rule_st();
    [[nodiscard]] Result<void> rule_atom();
    [[nodiscard]] Result<void> rule_cvta();
    [[nodiscard]] Result<void> rule_isspacep();
    [[nodiscard]] Result<void> rule_fence();
    [[nodiscard]] Result<void> rule_prefetch();
    [[nodiscard]] Result<void> rule_cp();
    [[nodiscard]] Result<void> rule_ldmatrix();
    [[nodiscard]] Result<void> rule_stmatrix();

    // decode_async.cpp
    [[nodiscard]] Result<void> rule_mbarrier();
    [[nodiscard]] Result<void> rule_mapa();
    [[nodiscard]] Result<void> rule_bulk(Modifiers modifiers);
    [[nodiscard]] Result<void> rule_copies_arrive(Modifiers modifiers);
    /// The address of operand `index` as a row of 64 bits, its offset added.
    [[nodiscard]] Result<std::uint32_t> whole_address(std::size_t index);
    void memory_modifiers(Modifiers& modifiers, Instr& instr) const;

    // decode_control.cpp
    [[nodiscard]] Result<void> rule_bra();
    [[nodiscard]] Result<void> rule_brx();
    [[nodiscard]] Result<void> rule_call();
    [[nodiscard]] Result<void> rule_ret();
    [[nodiscard]] Result<void> rule_barrier();
    [[nodiscard]] Result<void> rule_shfl();
    [[nodiscard]] Result<void> rule_vote();
    [[nodiscard]] Result<void> rule_match();
    [[nodiscard]] Result<void> rule_redux();
    [[nodiscard]] Result<void> rule_warp_misc();
    [[nodiscard]] Result<void> rule_mma();
    [[nodiscard]] Result<void> rule_wmma();

    DecodeContext& context_;
    const ptx::Function& function_;
    std::uint32_t number_;
    const ptx::Instruction* source_ = nullptr;
    std::vector<std::uint32_t> register_values_; ///< register → value
    std::map<std::pair<RowClass, std::uint64_t>, std::uint32_t> constants_;
    std::map<std::pair<Special, RowClass>, std::uint32_t> specials_;
    std::map<std::pair<std::uint64_t, std::uint32_t>, std::uint32_t> parameters_;
    std::vector<std::uint64_t> variable_offsets_; ///< in the local frame or shared memory
    std::uint32_t carry_ = kNoValue;
};

/// Replaces value numbers by frame offsets: liveness on the control-flow graph, then linear scan. Rows of different
/// size never overlap partially while both are live; a source may share its row with a destination only where
/// the operation reads and writes lane by lane. False when the function is too large for the analysis.
[[nodiscard]] bool allocate_registers(std::vector<Instr>& code, const std::vector<Value>& values, Function& info);

/// Whether the operation writes a lane only after reading that lane's sources, so that rows may coincide.
[[nodiscard]] bool is_lane_wise(const Instr& instr);

} // namespace kw::sim
