#include "engine/device/sim/ptx_parser.h"

#include "engine/device/sim/ptx_cursor.h"

#include <fmt/format.h>

namespace kw::sim::ptx {
namespace {

class Parser {
public:
    Parser(Module& module, std::span<const Token> tokens) : module_(module), cursor_(tokens) {}

    Result<void> run() {
        while (!cursor_.at_end()) {
            if (auto read = item(); !read) return read;
        }
        if (module_.version.empty()) return cursor_.error("the text has no .version and is no PTX module");
        return {};
    }

private:
    Result<void> item() {
        const Token& token = cursor_.peek();
        if (token.kind != TokenKind::dotted) {
            if (cursor_.accept(';')) return {};
            if (token.kind == TokenKind::name && cursor_.peek(1).kind == TokenKind::symbol
                && cursor_.peek(1).text == ":") {
                // a prototype at module level
                return cursor_.skip_past(';');
            }
            return cursor_.error(fmt::format("\"{}\" cannot stand at module level", token.text));
        }
        const std::string_view word = token.text;
        if (word == "version") {
            cursor_.next();
            module_.version = cursor_.next().text;
            return {};
        }
        if (word == "target") {
            cursor_.next();
            auto name = cursor_.name();
            if (!name) return std::unexpected(name.error());
            module_.target = *name;
            while (cursor_.accept(',')) cursor_.next();
            return {};
        }
        if (word == "address_size") {
            cursor_.next();
            auto size = cursor_.integer();
            if (!size) return std::unexpected(size.error());
            if (*size != 64) return cursor_.error("only .address_size 64 is supported");
            return {};
        }
        if (word == "file") return file();
        if (word == "section") {
            cursor_.next();
            cursor_.next();
            return cursor_.skip_braces();
        }
        if (word == "loc") {
            cursor_.next();
            auto location = parse_location(cursor_, module_);
            if (!location) return std::unexpected(location.error());
            return {};
        }
        if (word == "pragma" || word == "alias") return cursor_.skip_past(';');
        return linked_item();
    }

    Result<void> file() {
        cursor_.next();
        auto index = cursor_.integer();
        if (!index) return std::unexpected(index.error());
        if (cursor_.peek().kind != TokenKind::string) return cursor_.error("the name of the file was expected");
        module_.files[static_cast<std::uint32_t>(*index)] = std::string(cursor_.next().text);
        while (cursor_.accept(',')) {
            if (auto number = cursor_.integer(); !number) return std::unexpected(number.error());
        }
        return {};
    }

    /// A variable or function with its linkage words.
    Result<void> linked_item() {
        bool is_extern = false;
        for (;;) {
            if (cursor_.accept_dotted("extern")) {
                is_extern = true;
            } else if (!cursor_.accept_dotted("visible") && !cursor_.accept_dotted("weak")
                       && !cursor_.accept_dotted("common")) {
                break;
            }
        }
        if (cursor_.is_dotted("entry") || cursor_.is_dotted("func")) return function();
        std::vector<Variable> found;
        if (auto read = cursor_.variables(found, false); !read) return read;
        if (auto close = cursor_.expect(';'); !close) return close;
        for (Variable& variable : found) {
            if (variable.space == Space::reg || variable.space == Space::param || variable.space == Space::local)
                return cursor_.error(fmt::format("\"{}\" cannot be declared at module level", variable.name));
            variable.is_extern = is_extern;
            const auto known = module_.variable_index.find(variable.name);
            if (known == module_.variable_index.end()) {
                module_.variable_index.emplace(variable.name, static_cast<std::uint32_t>(module_.variables.size()));
                module_.variables.push_back(std::move(variable));
            } else if (module_.variables[known->second].is_extern) {
                module_.variables[known->second] = std::move(variable);
            }
        }
        return {};
    }

    Result<void> parameters(std::vector<Variable>& out) {
        if (auto open = cursor_.expect('('); !open) return open;
        if (cursor_.accept(')')) return {};
        do {
            if (auto read = cursor_.variables(out, true); !read) return read;
        } while (cursor_.accept(','));
        return cursor_.expect(')');
    }

    Result<void> function() {
        Function function;
        function.line = cursor_.peek().line;
        function.is_entry = cursor_.next().text == "entry";
        while (cursor_.is_dotted("attribute")) {
            cursor_.next();
            if (auto open = cursor_.expect('('); !open) return open;
            if (auto skipped = cursor_.skip_past(')'); !skipped) return skipped;
        }
        if (cursor_.is('(')) {
            if (auto read = parameters(function.returns); !read) return read;
        }
        auto name = cursor_.name();
        if (!name) return std::unexpected(name.error());
        function.name = *name;
        if (cursor_.is('(')) {
            if (auto read = parameters(function.params); !read) return read;
        }
        if (auto read = directives(function); !read) return read;
        if (cursor_.accept(';')) {
            function.is_declaration = true;
        } else if (auto body = parse_body(cursor_, module_, function); !body) {
            return body;
        }
        const auto known = module_.function_index.find(function.name);
        if (known == module_.function_index.end()) {
            module_.function_index.emplace(function.name, static_cast<std::uint32_t>(module_.functions.size()));
            module_.functions.push_back(std::move(function));
        } else if (module_.functions[known->second].is_declaration) {
            module_.functions[known->second] = std::move(function);
        } else if (!function.is_declaration) {
            return cursor_.error(fmt::format("function {} is defined twice", function.name));
        }
        return {};
    }

    Result<void> directives(Function& function) {
        while (cursor_.peek().kind == TokenKind::dotted) {
            const Token& word = cursor_.next();
            std::uint32_t* triple = word.text == "maxntid"             ? function.max_threads
                                    : word.text == "reqntid"           ? function.required_threads
                                    : word.text == "reqnctapercluster" ? function.required_cluster
                                                                       : nullptr;
            if (word.text == "pragma") {
                if (auto skipped = cursor_.skip_past(';'); !skipped) return skipped;
                continue;
            }
            if (triple) {
                for (int axis = 0; axis < 3; ++axis) triple[axis] = 1;
            }
            if (cursor_.peek().kind != TokenKind::integer) continue;
            int axis = 0;
            do {
                auto value = cursor_.integer();
                if (!value) return std::unexpected(value.error());
                if (triple && axis < 3)
                    triple[axis++] = static_cast<std::uint32_t>(std::min<std::uint64_t>(*value, 0xffffffffu));
            } while (cursor_.accept(','));
        }
        return {};
    }

    Module& module_;
    Cursor cursor_;
};

} // namespace

Result<Module> parse(std::string text) {
    Module module;
    module.text = std::make_shared<const std::string>(std::move(text));
    auto tokens = lex_ptx(*module.text);
    if (!tokens) return std::unexpected(std::move(tokens.error()));
    if (auto read = Parser(module, *tokens).run(); !read) return std::unexpected(std::move(read.error()));
    return module;
}

} // namespace kw::sim::ptx
