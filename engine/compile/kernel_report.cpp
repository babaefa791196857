#include "engine/compile/kernel_report.h"

#include "engine/base/file.h"
#include "engine/base/suggest.h"
#include "engine/compile/line_table.h"
#include "engine/compile/names.h"
#include "engine/compile/ptx_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace kw::compile {
namespace {

bool is_word(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

/// Where the main file's `//@ launch` directive names this kernel; only the file when there is none.
Where launch_of(const Request& request, std::string_view name) {
    Where where{request.main};
    const auto found = request.files.find(request.main);
    if (found == request.files.end()) return where;
    const std::string_view text = found->second;
    for (std::size_t at = text.find("//@"); at != std::string_view::npos; at = text.find("//@", at + 3)) {
        const std::string_view line = text.substr(at, text.find('\n', at) - at);
        if (!line.contains("launch")) continue;
        for (std::size_t i = line.find(name); i != std::string_view::npos && !name.empty();
             i = line.find(name, i + 1)) {
            const bool begins = !is_word(line[i - 1]);
            const bool ends = i + name.size() >= line.size() || !is_word(line[i + name.size()]);
            if (begins && ends) return position_at(text, at + i, request.main);
        }
    }
    return where;
}

std::string no_such_kernel(std::string_view name, const std::vector<KernelDeclaration>& declarations) {
    std::vector<std::string> names;
    for (const KernelDeclaration& declaration : declarations)
        if (std::ranges::find(names, declaration.name) == names.end() && names.size() < 1000)
            names.push_back(declaration.name);
    const std::string text = fmt::format("no kernel '{}'", name);
    if (names.empty()) return text + "; the source has no __global__ function";
    if (const std::string near = did_you_mean(name, names); !near.empty()) return text + near;
    if (names.size() > 8) names.resize(8);
    return text + fmt::format("; the source has {}", list_of(names));
}

/// Types as the source writes them, for kernels whose names do not carry them (extern "C").
void types_from_source(const std::vector<KernelDeclaration>& declarations, Kernel& kernel) {
    const auto found = std::ranges::find(declarations, kernel.lowered, &KernelDeclaration::name);
    if (found == declarations.end()) return;
    if (kernel.where.file.empty()) kernel.where = found->where;
    std::vector<std::string> parameters;
    std::string part;
    int depth = 0;
    for (const char c : found->parameters + ",") {
        if (c == '<' || c == '(' || c == '[') ++depth;
        if (c == '>' || c == ')' || c == ']') --depth;
        if (c != ',' || depth > 0) {
            part += c;
            continue;
        }
        parameters.push_back(std::exchange(part, {}));
    }
    if (parameters.size() != kernel.parameters.size()) return;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        std::string_view text = parameters[i];
        // A default argument and the parameter's own name are no part of its type.
        text = text.substr(0, text.find('='));
        while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
        while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
        const bool array = text.ends_with(']');
        if (array) text = text.substr(0, text.find('['));
        std::size_t name = text.size();
        while (name > 0 && is_word(text[name - 1])) --name;
        // "int n": what stands before the last word, if anything does; a lone word is an unnamed parameter's type.
        std::string_view type = name > 0 ? text.substr(0, name) : text;
        while (!type.empty() && type.back() == ' ') type.remove_suffix(1);
        kernel.parameters[i].type = type;
        if (array) kernel.parameters[i].type += '*';
        std::string& spelled = kernel.parameters[i].type;
        // "float* __restrict__": the qualifier is not what the type is.
        if (const std::size_t qualifier = spelled.find("__restrict"); qualifier != std::string::npos) {
            spelled.resize(qualifier);
            while (spelled.ends_with(' ')) spelled.pop_back();
        }
        kernel.parameters[i].pointer = kernel.parameters[i].pointer || is_pointer_type(spelled);
    }
}

} // namespace

std::string_view base_name(std::string_view expression) {
    expression = expression.substr(0, expression.find('<'));
    while (expression.ends_with(' ')) expression.remove_suffix(1);
    std::size_t begin = expression.size();
    while (begin > 0 && is_word(expression[begin - 1])) --begin;
    return expression.substr(begin);
}

void describe_kernels(const KernelQuestion& question, const ParsedLog& log, Output& output) {
    const std::vector<PtxEntry> entries = ptx_entries(output.ptx);
    const LineTable lines(output.ptx);
    const auto add = [&](const std::string& name, const PtxEntry& entry) {
        Kernel kernel;
        kernel.name = name;
        kernel.lowered = entry.name;
        kernel.parameters = entry.parameters;
        if (const auto line = lines.first_between(entry.first_line, entry.last_line))
            kernel.where = {line->file, line->line, 0};
        const std::vector<std::string> types = parameter_types(entry.name);
        if (!types.empty() && types.size() == kernel.parameters.size())
            for (std::size_t i = 0; i < types.size(); ++i) {
                kernel.parameters[i].type = types[i];
                kernel.parameters[i].pointer = kernel.parameters[i].pointer || is_pointer_type(types[i]);
            }
        else
            types_from_source(question.declarations, kernel);
        if (kernel.where.file.empty()) {
            const auto declaration =
                std::ranges::find(question.declarations, base_name(name), &KernelDeclaration::name);
            if (declaration != question.declarations.end()) kernel.where = declaration->where;
        }
        kernel.shared_bytes = entry.shared_bytes;
        if (const auto found = log.statistics.find(entry.name); found != log.statistics.end()) {
            const PtxasStatistics& statistics = found->second;
            kernel.registers = statistics.registers;
            kernel.shared_bytes = statistics.shared_bytes;
            kernel.local_bytes = statistics.stack_bytes;
            kernel.spill_bytes = statistics.spill_store_bytes + statistics.spill_load_bytes;
            kernel.constant_bytes = statistics.constant_bytes;
        }
        kernel.max_threads = entry.max_threads > 0 ? std::min(entry.max_threads, 1024u) : 1024;
        output.kernels.push_back(std::move(kernel));
    };
    if (question.request.kernels.empty()) {
        for (const PtxEntry& entry : entries) add(demangled_name(entry.name), entry);
        return;
    }
    for (const std::string& name : question.request.kernels) {
        const auto index =
            static_cast<std::size_t>(std::ranges::find(question.expressions, name) - question.expressions.begin());
        const auto entry = std::ranges::find(entries, question.lowered[index], &PtxEntry::name);
        if (entry != entries.end()) {
            add(name, *entry);
            continue;
        }
        const Where where = launch_of(question.request, base_name(name));
        Diagnostic diagnostic;
        diagnostic.file = where.file;
        diagnostic.line = where.line;
        diagnostic.column = where.column;
        diagnostic.message = fmt::format("'{}' is not a __global__ function", name);
        output.diagnostics.push_back(std::move(diagnostic));
        output.ok = false;
    }
}

Diagnostic explain_name(const KernelQuestion& question, const NameExpressionMessage& message) {
    const std::string& expression = message.expression;
    const std::string_view name = base_name(expression);
    Diagnostic diagnostic = message.diagnostic;
    const Where where = launch_of(question.request, name);
    diagnostic.file = where.file;
    diagnostic.line = where.line;
    diagnostic.column = where.column;

    const std::string& text = message.diagnostic.message;
    const bool known =
        std::ranges::find(question.declarations, name, &KernelDeclaration::name) != question.declarations.end();
    const bool overloaded = text.contains("instance of overloaded function");
    const bool is_template = text.contains("instance of function template");
    if (!known && text.contains(fmt::format("\"{}\"", name))) {
        diagnostic.message = no_such_kernel(name, question.declarations);
    } else if (overloaded || is_template) {
        std::vector<std::string> signatures;
        for (const KernelDeclaration& declaration : question.declarations) {
            if (declaration.name != name) continue;
            signatures.push_back(fmt::format("{}({})", declaration.name, declaration.parameters));
            Diagnostic note;
            note.severity = Severity::note;
            note.file = declaration.where.file;
            note.line = declaration.where.line;
            note.column = declaration.where.column;
            note.message = signatures.back();
            diagnostic.notes.push_back(std::move(note));
        }
        diagnostic.message =
            overloaded ? fmt::format("kernel '{}' is overloaded: {}; give each a name of its own", expression,
                                     fmt::join(signatures, ", "))
                       : fmt::format("kernel '{}' is a template; launch it with all of its arguments, as in {}<…>",
                                     expression, name);
    } else {
        diagnostic.message = fmt::format("kernel '{}': {}", expression, text);
    }
    return diagnostic;
}

void explain_ptxas(const std::vector<KernelDeclaration>& declarations, Diagnostic& diagnostic) {
    std::string& text = diagnostic.message;
    for (std::size_t at = text.find("_Z"); at != std::string::npos; at = text.find("_Z", at)) {
        std::size_t end = at;
        while (end < text.size() && (is_word(text[end]) || text[end] == '$' || text[end] == '.')) ++end;
        const std::string plain = demangled_name(text.substr(at, end - at));
        if (plain == text.substr(at, end - at)) {
            at = end;
            continue;
        }
        text.replace(at, end - at, plain);
        at += plain.size();
    }
    if (!diagnostic.file.empty()) return;
    for (const KernelDeclaration& declaration : declarations) {
        const std::size_t at = text.find(declaration.name);
        if (at == std::string::npos || (at > 0 && is_word(text[at - 1]))) continue;
        if (at + declaration.name.size() < text.size() && is_word(text[at + declaration.name.size()])) continue;
        diagnostic.file = declaration.where.file;
        diagnostic.line = declaration.where.line;
        diagnostic.column = declaration.where.column;
        return;
    }
}

} // namespace kw::compile
