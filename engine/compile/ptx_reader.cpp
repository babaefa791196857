#include "engine/compile/ptx_reader.h"

#include <cxxabi.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <memory>
#include <utility>

namespace kw::compile {
namespace {

std::string_view trim(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    while (!text.empty() && (text.back() == ' ' || text.back() == '\t' || text.back() == '\r')) text.remove_suffix(1);
    return text;
}

/// The next word and what follows it; words end at blanks, commas and brackets.
std::string_view take_word(std::string_view& text) {
    text = trim(text);
    std::size_t end = 0;
    while (end < text.size() && std::string_view(" \t,()[]{};").find(text[end]) == std::string_view::npos) ++end;
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(end);
    return word;
}

std::uint32_t to_number(std::string_view text) {
    std::uint32_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

/// "u64" → 8, "b8" → 1; 0 for what is no fundamental type.
std::uint32_t type_bytes(std::string_view type) {
    const std::size_t digits = type.find_first_of("0123456789");
    return digits == std::string_view::npos ? 0 : to_number(type.substr(digits)) / 8;
}

struct Declaration {
    std::string type;
    std::uint32_t align = 0;
    std::uint32_t bytes = 0;
    bool pointer = false;
};

/// The rest of ".param" or ".shared": ".align 8 .b8 name[24]", ".u64 .ptr .global .align 4 name".
Declaration parse_declaration(std::string_view text) {
    Declaration declaration;
    std::uint32_t element = 0;
    while (true) {
        const std::string_view word = take_word(text);
        if (word == ".align") {
            const std::uint32_t align = to_number(take_word(text));
            // Behind .ptr it is the alignment of what is pointed to.
            if (!declaration.pointer) declaration.align = align;
        } else if (word == ".ptr") {
            declaration.pointer = true;
        } else if (word.starts_with('.')) {
            if (const std::uint32_t bytes = type_bytes(word); bytes > 0 && element == 0) {
                element = bytes;
                declaration.type = word.substr(1);
            }
        } else {
            break; // the name
        }
    }
    std::uint32_t count = 1;
    for (text = trim(text); text.starts_with('['); text = trim(text)) {
        text.remove_prefix(1);
        count *= to_number(trim(text));
        text.remove_prefix(std::min(text.find(']'), text.size() - 1) + 1);
    }
    declaration.bytes = element * count;
    if (declaration.align == 0) declaration.align = element;
    return declaration;
}

void add_parameter(PtxEntry& entry, std::string_view text) {
    const Declaration declaration = parse_declaration(text);
    Parameter parameter;
    parameter.ptx_type = declaration.type;
    parameter.pointer = declaration.pointer;
    parameter.bytes = declaration.bytes;
    parameter.align = std::max(declaration.align, 1u);
    std::uint32_t end = 0;
    if (!entry.parameters.empty()) end = entry.parameters.back().offset + entry.parameters.back().bytes;
    parameter.offset = (end + parameter.align - 1) / parameter.align * parameter.align;
    entry.parameters.push_back(std::move(parameter));
}

std::string demangle(const std::string& name) {
    if (!name.starts_with("_Z")) return {};
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                      std::free);
    return status == 0 && text ? std::string(text.get()) : std::string();
}

/// Where the parameter list of a demangled function begins: the '(' that matches its last ')'.
std::size_t parameter_list(std::string_view text) {
    std::size_t end = text.rfind(')');
    if (end == std::string_view::npos) return end;
    int depth = 0;
    for (std::size_t i = end + 1; i-- > 0;) {
        if (text[i] == ')') ++depth;
        if (text[i] == '(' && --depth == 0) return i;
    }
    return std::string_view::npos;
}

} // namespace

std::vector<PtxEntry> ptx_entries(std::string_view ptx) {
    std::vector<PtxEntry> entries;
    enum class State { outside, parameters, head, body } state = State::outside;
    int depth = 0;
    std::size_t number = 0;
    while (!ptx.empty()) {
        const std::size_t end = ptx.find('\n');
        std::string_view line = trim(ptx.substr(0, end));
        ptx.remove_prefix(end == std::string_view::npos ? ptx.size() : end + 1);
        ++number;
        if (state == State::outside) {
            const std::size_t at = line.find(".entry ");
            if (at == std::string_view::npos || line.starts_with("//")) continue;
            line.remove_prefix(at + 7);
            PtxEntry entry;
            entry.name = take_word(line);
            entry.first_line = number;
            entries.push_back(std::move(entry));
            const bool has_parameters = trim(line).starts_with('(');
            state = has_parameters && !line.contains(')') ? State::parameters : State::head;
            continue;
        }
        PtxEntry& entry = entries.back();
        if (state == State::parameters) {
            if (line.starts_with(".param")) add_parameter(entry, line.substr(6));
            if (line.starts_with(')')) state = State::head;
            continue;
        }
        if (state == State::head) {
            if (line.starts_with(".maxntid")) {
                // Up to three extents, "128, 1, 1".
                std::string_view rest = line.substr(8);
                std::uint32_t threads = 1;
                while (!trim(rest).empty()) {
                    threads *= std::max(to_number(take_word(rest)), 1u);
                    rest = trim(rest);
                    if (!rest.starts_with(',')) break;
                    rest.remove_prefix(1);
                }
                entry.max_threads = threads;
            }
            if (!line.starts_with('{')) continue;
            state = State::body;
            depth = 0;
        }
        if (line.starts_with(".shared")) entry.shared_bytes += parse_declaration(line.substr(7)).bytes;
        // Braces stand alone on their lines or around vector operands, which balance.
        depth += static_cast<int>(std::ranges::count(line, '{') - std::ranges::count(line, '}'));
        if (depth == 0) {
            entry.last_line = number;
            state = State::outside;
        }
    }
    return entries;
}

std::vector<std::string> parameter_types(const std::string& lowered) {
    const std::string text = demangle(lowered);
    const std::size_t open = parameter_list(text);
    if (open == std::string::npos) return {};
    std::string_view list(text);
    list = list.substr(open + 1, text.rfind(')') - open - 1);
    std::vector<std::string> types;
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i <= list.size(); ++i) {
        if (i == list.size() || (list[i] == ',' && depth == 0)) {
            if (const std::string_view type = trim(list.substr(begin, i - begin)); !type.empty() && type != "void")
                types.emplace_back(type);
            begin = i + 1;
        } else if (list[i] == '<' || list[i] == '(' || list[i] == '[' || list[i] == '{') {
            ++depth;
        } else if (list[i] == '>' || list[i] == ')' || list[i] == ']' || list[i] == '}') {
            --depth;
        }
    }
    return types;
}

std::string demangled_name(const std::string& lowered) {
    const std::string text = demangle(lowered);
    const std::size_t open = parameter_list(text);
    if (open == std::string::npos) return text.empty() ? lowered : text;
    std::string_view name = std::string_view(text).substr(0, open);
    // Templates carry their return type: "void softmax<128>". Cut at the last blank outside of brackets.
    int depth = 0;
    for (std::size_t i = name.size(); i-- > 0;) {
        if (name[i] == '>' || name[i] == ')') ++depth;
        if (name[i] == '<' || name[i] == '(') --depth;
        if (name[i] == ' ' && depth == 0) {
            name.remove_prefix(i + 1);
            break;
        }
    }
    return std::string(name);
}

} // namespace kw::compile
