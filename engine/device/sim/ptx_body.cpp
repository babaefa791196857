#include "engine/device/sim/ptx_cursor.h"

#include <fmt/format.h>

#include <charconv>

namespace kw::sim::ptx {
namespace {

constexpr std::size_t kDeepestScope = 256;
constexpr std::size_t kMostOperands = 512;

/// Names of one function body. Scopes nest; a name is looked up from the innermost scope outwards.
class Body {
public:
    Body(Cursor& cursor, Module& module, Function& function) : cursor_(cursor), module_(module), function_(function) {}

    Result<void> run() {
        function_.variables.clear();
        scopes_.push_back({});
        open_.push_back(0);
        for (const auto* list : {&function_.params, &function_.returns}) {
            for (const Variable& variable : *list) declare(variable);
        }
        if (auto open = cursor_.expect('{'); !open) return open;
        enter();
        while (open_.size() > 1) {
            if (cursor_.at_end()) return cursor_.error(fmt::format("function {} is never closed", function_.name));
            if (auto read = statement(); !read) return read;
        }
        return resolve_labels();
    }

private:
    struct Range {
        std::string_view prefix;
        std::uint64_t count = 0;
        Type type = Type::none;
        std::unordered_map<std::uint64_t, std::uint32_t> used;
    };
    struct Scope {
        std::uint32_t parent = 0;
        std::unordered_map<std::string_view, std::uint32_t> registers;
        std::vector<Range> ranges;
        std::unordered_map<std::string_view, std::uint32_t> variables;
        std::unordered_map<std::string_view, std::uint32_t> labels;
        std::unordered_map<std::string_view, std::uint32_t> tables;
    };
    /// Where a label is used: an operand of an instruction, or an entry of a branch table.
    struct LabelUse {
        std::uint32_t scope = 0;
        std::uint32_t instruction = 0; ///< or table
        std::uint32_t operand = 0;     ///< or entry
        bool in_table = false;
        Token token;
    };

    Scope& scope() { return scopes_[open_.back()]; }

    void enter() {
        Scope inner;
        inner.parent = open_.back();
        scopes_.push_back(std::move(inner));
        open_.push_back(static_cast<std::uint32_t>(scopes_.size() - 1));
    }

    void declare(const Variable& variable) {
        scope().variables[variable.name] = static_cast<std::uint32_t>(function_.variables.size());
        function_.variables.push_back(variable);
    }

    Result<void> statement() {
        const Token& token = cursor_.peek();
        if (token.kind == TokenKind::dotted) return directive();
        if (token.kind == TokenKind::symbol) {
            switch (token.text[0]) {
            case '{':
                cursor_.next();
                if (open_.size() > kDeepestScope) return cursor_.error_at(token, "scopes are nested too deeply");
                enter();
                return {};
            case '}':
                cursor_.next();
                open_.pop_back();
                return {};
            case ';': cursor_.next(); return {};
            case '@': return instruction();
            default: return cursor_.error(fmt::format("\"{}\" cannot start a statement", token.text));
            }
        }
        if (token.kind == TokenKind::name && cursor_.peek(1).kind == TokenKind::symbol && cursor_.peek(1).text == ":")
            return label();
        if (token.kind == TokenKind::name) return instruction();
        return cursor_.error(fmt::format("\"{}\" cannot start a statement", token.text));
    }

    Result<void> label() {
        const Token& token = cursor_.next();
        cursor_.next();
        if (cursor_.is_dotted("branchtargets")) {
            cursor_.next();
            scope().tables[token.text] = static_cast<std::uint32_t>(function_.tables.size());
            BranchTable table;
            do {
                const Token& target = cursor_.peek();
                if (auto name = cursor_.name(); !name) return std::unexpected(name.error());
                uses_.push_back({open_.back(), static_cast<std::uint32_t>(function_.tables.size()),
                                 static_cast<std::uint32_t>(table.targets.size()), true, target});
                table.targets.push_back(0);
            } while (cursor_.accept(','));
            function_.tables.push_back(std::move(table));
            return cursor_.expect(';');
        }
        if (cursor_.is_dotted("callprototype") || cursor_.is_dotted("calltargets")) return cursor_.skip_past(';');
        if (!scope().labels.emplace(token.text, static_cast<std::uint32_t>(function_.instructions.size())).second)
            return cursor_.error_at(token, fmt::format("label {} is defined twice", token.text));
        return {};
    }

    Result<void> directive() {
        const std::string_view word = cursor_.peek().text;
        if (word == "loc") {
            cursor_.next();
            auto location = parse_location(cursor_, module_);
            if (!location) return std::unexpected(location.error());
            location_ = *location;
            return {};
        }
        if (word == "pragma") return cursor_.skip_past(';');
        if (word == "reg") return registers();
        std::vector<Variable> found;
        if (auto read = cursor_.variables(found, false); !read) return read;
        for (const Variable& variable : found) declare(variable);
        return cursor_.expect(';');
    }

    Result<void> registers() {
        cursor_.next();
        Type type = Type::none;
        bool vector = false;
        while (cursor_.peek().kind == TokenKind::dotted) {
            const Token& word = cursor_.next();
            const auto known = type_from(word.text);
            if (known)
                type = *known;
            else
                vector = true;
        }
        if (type == Type::none || vector) return cursor_.error("a scalar register type was expected");
        do {
            auto name = cursor_.name();
            if (!name) return std::unexpected(name.error());
            if (cursor_.accept('<')) {
                auto count = cursor_.integer();
                if (!count) return std::unexpected(count.error());
                if (auto close = cursor_.expect('>'); !close) return close;
                Range range;
                range.prefix = *name;
                range.count = *count;
                range.type = type;
                scope().ranges.push_back(std::move(range));
            } else {
                scope().registers[*name] = add_register(type);
            }
        } while (cursor_.accept(','));
        return cursor_.expect(';');
    }

    std::uint32_t add_register(Type type) {
        function_.registers.push_back(type);
        return static_cast<std::uint32_t>(function_.registers.size() - 1);
    }

    /// The register of that name, declared alone or as one of a range.
    std::optional<std::uint32_t> find_register(std::string_view name) {
        std::size_t digits = name.size();
        while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') --digits;
        const std::string_view prefix = name.substr(0, digits);
        std::uint64_t number = 0;
        const bool numbered =
            digits < name.size() && (name[digits] != '0' || digits + 1 == name.size())
            && std::from_chars(name.data() + digits, name.data() + name.size(), number).ec == std::errc{};
        for (std::uint32_t at = open_.back();; at = scopes_[at].parent) {
            Scope& inner = scopes_[at];
            if (const auto found = inner.registers.find(name); found != inner.registers.end()) return found->second;
            if (numbered) {
                for (Range& range : inner.ranges) {
                    if (range.prefix != prefix || number >= range.count) continue;
                    const auto [slot, fresh] = range.used.try_emplace(number, 0);
                    if (fresh) slot->second = add_register(range.type);
                    return slot->second;
                }
            }
            if (at == 0) return std::nullopt;
        }
    }

    template<class Map>
    std::optional<std::uint32_t> find(Map Scope::* names, std::uint32_t from, std::string_view name) const {
        for (std::uint32_t at = from;; at = scopes_[at].parent) {
            const Map& map = scopes_[at].*names;
            if (const auto found = map.find(name); found != map.end()) return found->second;
            if (at == 0) return std::nullopt;
        }
    }

    Result<void> instruction() {
        Instruction out;
        out.location = location_;
        out.line = cursor_.peek().line;
        if (cursor_.accept('@')) {
            out.guard_negated = cursor_.accept('!');
            const Token& token = cursor_.peek();
            auto name = cursor_.name();
            if (!name) return std::unexpected(name.error());
            const auto index = find_register(*name);
            if (!index) return cursor_.error_at(token, fmt::format("{} is not declared", *name));
            out.guard = static_cast<std::int32_t>(*index);
        }
        auto opcode = cursor_.name();
        if (!opcode) return std::unexpected(opcode.error());
        out.opcode = *opcode;
        while (cursor_.peek().kind == TokenKind::dotted) out.modifiers.push_back(cursor_.next().text);
        operands_ = 0;
        while (!cursor_.is(';')) {
            if (cursor_.at_end()) return cursor_.error("the instruction has no ';'");
            Operand operand;
            top_operand_ = static_cast<std::uint32_t>(out.operands.size());
            if (auto read = parse_operand(operand, 0); !read) return read;
            out.operands.push_back(std::move(operand));
            if (!cursor_.accept(',')) break;
        }
        if (auto close = cursor_.expect(';'); !close) return close;
        function_.instructions.push_back(std::move(out));
        return {};
    }

    Result<void> parse_items(std::vector<Operand>& items, char close, int depth) {
        if (cursor_.accept(close)) return {};
        do {
            Operand item;
            if (auto read = parse_operand(item, depth + 1); !read) return read;
            items.push_back(std::move(item));
        } while (cursor_.accept(','));
        return cursor_.expect(close);
    }

    Result<void> parse_operand(Operand& out, int depth) {
        if (depth > 4) return cursor_.error("operands are nested too deeply");
        if (++operands_ > kMostOperands) return cursor_.error("the instruction has too many operands");
        if (cursor_.accept('!')) out.negated = true;
        if (cursor_.accept('{')) {
            out.kind = OperandKind::vector;
            return parse_items(out.items, '}', depth);
        }
        if (cursor_.accept('(')) {
            out.kind = OperandKind::list;
            return parse_items(out.items, ')', depth);
        }
        if (cursor_.accept('[')) {
            out.kind = OperandKind::address;
            if (auto read = parse_items(out.items, ']', depth); !read) return read;
            if (out.items.empty()) return cursor_.error("the address is empty");
            Operand& base = out.items.front();
            out.offset = base.offset;
            base.offset = 0;
            return {};
        }
        bool negative = false;
        while (cursor_.is('-') || cursor_.is('+')) negative ^= cursor_.next().text[0] == '-';
        const Token& token = cursor_.next();
        switch (token.kind) {
        case TokenKind::integer:
            out.kind = OperandKind::integer;
            out.bits = negative ? 0 - token.bits : token.bits;
            return {};
        case TokenKind::f32:
            out.kind = OperandKind::f32;
            out.bits = negative ? token.bits ^ 0x80000000u : token.bits;
            return {};
        case TokenKind::f64:
            out.kind = OperandKind::f64;
            out.bits = negative ? token.bits ^ (std::uint64_t{1} << 63) : token.bits;
            return {};
        case TokenKind::name: break;
        default: return cursor_.error_at(token, fmt::format("\"{}\" is not an operand", token.text));
        }
        if (negative) return cursor_.error_at(token, "only a number can be negated");
        if (auto read = named(out, token); !read) return read;
        if (cursor_.is('+') || cursor_.is('-')) {
            auto offset = cursor_.signed_integer();
            if (!offset) return std::unexpected(offset.error());
            out.offset = *offset;
        }
        if (cursor_.accept('|')) {
            out.pair = std::make_unique<Operand>();
            return parse_operand(*out.pair, depth + 1);
        }
        return {};
    }

    Result<void> named(Operand& out, const Token& token) {
        if (token.text == "_") {
            out.kind = OperandKind::sink;
            return {};
        }
        if (const auto index = find_register(token.text)) {
            out.kind = OperandKind::reg;
            out.index = *index;
            return {};
        }
        if (token.text.front() == '%') {
            out.kind = OperandKind::special;
            out.text = token.text;
            const Token& component = cursor_.peek();
            if (component.kind == TokenKind::dotted && component.text.size() == 1) {
                out.component = component.text[0];
                cursor_.next();
            }
            return {};
        }
        if (const auto index = find(&Scope::variables, open_.back(), token.text)) {
            out.kind = OperandKind::local;
            out.index = *index;
            return {};
        }
        // A label may be defined later; whether it is one is known at the end of the function.
        out.kind = OperandKind::symbol;
        out.text = token.text;
        uses_.push_back(
            {open_.back(), static_cast<std::uint32_t>(function_.instructions.size()), top_operand_, false, token});
        return {};
    }

    Result<void> resolve_labels() {
        for (const LabelUse& use : uses_) {
            const auto position = find(&Scope::labels, use.scope, use.token.text);
            if (use.in_table) {
                if (!position)
                    return Cursor::error_at(use.token, fmt::format("label {} is not defined", use.token.text));
                function_.tables[use.instruction].targets[use.operand] = *position;
                continue;
            }
            Operand& operand = function_.instructions[use.instruction].operands[use.operand];
            if (operand.kind != OperandKind::symbol || operand.text != use.token.text) continue;
            if (position) {
                operand.kind = OperandKind::label;
                operand.index = *position;
            } else if (const auto table = find(&Scope::tables, use.scope, use.token.text)) {
                operand.kind = OperandKind::table;
                operand.index = *table;
            }
        }
        return {};
    }

    Cursor& cursor_;
    Module& module_;
    Function& function_;
    std::vector<Scope> scopes_;
    std::vector<std::uint32_t> open_;
    std::vector<LabelUse> uses_;
    std::int32_t location_ = -1;
    std::uint32_t top_operand_ = 0;
    std::size_t operands_ = 0;
};

} // namespace

Result<void> parse_body(Cursor& cursor, Module& module, Function& function) {
    return Body(cursor, module, function).run();
}

} // namespace kw::sim::ptx
