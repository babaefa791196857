#include "engine/task/from_kernel.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace kw::task {
namespace {

/// Sizes that are checked in a moment and still fill a GPU: elements of a buffer, whatever its dimensions.
constexpr std::int64_t kElements = 1 << 20;

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// Comments, strings and preprocessor lines blanked, so that what looks like code is code.
std::string code_of(std::string_view source) {
    std::string code{source};
    const auto blank = [&](std::size_t from, std::size_t to) {
        for (auto i = from; i < std::min(to, code.size()); ++i)
            if (code[i] != '\n') code[i] = ' ';
    };
    for (std::size_t i = 0; i < code.size(); ++i) {
        if (code.compare(i, 2, "//") == 0) {
            const auto end = std::min(code.find('\n', i), code.size());
            blank(i, end);
            i = end;
        } else if (code.compare(i, 2, "/*") == 0) {
            const auto end = std::min(code.find("*/", i + 2), code.size() - 2) + 2;
            blank(i, end);
            i = end - 1;
        } else if (code[i] == '"' || (code[i] == '\'' && (i == 0 || !is_name(code[i - 1])))) {
            auto end = i + 1;
            while (end < code.size() && code[end] != code[i] && code[end] != '\n') end += code[end] == '\\' ? 2 : 1;
            blank(i, end + 1);
            i = end;
        } else if (code[i] == '#' && code.find_last_not_of(" \t", i == 0 ? 0 : i - 1) != std::string::npos
                   && (i == 0 || code[code.find_last_not_of(" \t", i - 1)] == '\n')) {
            const auto end = std::min(code.find('\n', i), code.size());
            blank(i, end);
            i = end;
        }
    }
    return code;
}

std::vector<std::string> words_of(std::string_view text) {
    std::vector<std::string> words;
    for (std::size_t i = 0; i < text.size();) {
        if (std::isspace(static_cast<unsigned char>(text[i]))) {
            ++i;
        } else if (is_name(text[i])) {
            auto end = i;
            while (end < text.size() && is_name(text[end])) ++end;
            words.emplace_back(text.substr(i, end - i));
            i = end;
        } else {
            words.emplace_back(text.substr(i, 1));
            ++i;
        }
    }
    return words;
}

/// By the words that spell it in C++, without const and the like, in any order that is usual.
std::optional<ScalarType> type_of(std::vector<std::string> words) {
    static const std::map<std::string, ScalarType, std::less<>> kSpelled{
        {"float", ScalarType::f32},
        {"double", ScalarType::f64},
        {"half", ScalarType::f16},
        {"__half", ScalarType::f16},
        {"__nv_bfloat16", ScalarType::bf16},
        {"nv_bfloat16", ScalarType::bf16},
        {"bool", ScalarType::boolean},
        {"char", ScalarType::i8},
        {"signed char", ScalarType::i8},
        {"int8_t", ScalarType::i8},
        {"unsigned char", ScalarType::u8},
        {"uint8_t", ScalarType::u8},
        {"short", ScalarType::i16},
        {"short int", ScalarType::i16},
        {"int16_t", ScalarType::i16},
        {"unsigned short", ScalarType::u16},
        {"uint16_t", ScalarType::u16},
        {"int", ScalarType::i32},
        {"int32_t", ScalarType::i32},
        {"unsigned", ScalarType::u32},
        {"unsigned int", ScalarType::u32},
        {"uint", ScalarType::u32},
        {"uint32_t", ScalarType::u32},
        {"long", ScalarType::i64},
        {"long int", ScalarType::i64},
        {"long long", ScalarType::i64},
        {"long long int", ScalarType::i64},
        {"int64_t", ScalarType::i64},
        {"ptrdiff_t", ScalarType::i64},
        {"unsigned long", ScalarType::u64},
        {"unsigned long long", ScalarType::u64},
        {"size_t", ScalarType::u64},
        {"uint64_t", ScalarType::u64},
    };
    const auto found = kSpelled.find(fmt::format("{}", fmt::join(words, " ")));
    return found == kSpelled.end() ? std::nullopt : std::optional{found->second};
}

std::unexpected<Error> refuse(std::string message) {
    return fail(Stage::task, ErrorCode::unsupported, std::move(message));
}

Result<KernelParameter> parameter_of(const std::string& text, const std::string& kernel) {
    KernelParameter parameter;
    std::vector<std::string> type;
    int stars = 0;
    auto words = words_of(text);
    if (const auto assigned = std::ranges::find(words, "="); assigned != words.end())
        words.erase(assigned, words.end());
    for (const auto& word : words) {
        if (word == "*") {
            ++stars;
        } else if (word == "const") {
            parameter.read_only = parameter.read_only || stars == 0;
        } else if (word == "__restrict__" || word == "__restrict" || word == "restrict" || word == "volatile"
                   || word == "std" || word == ":" || word == "__grid_constant__") {
            continue;
        } else {
            type.push_back(word);
        }
    }
    if (type.size() > 1 && !type_of({type.back()})) {
        parameter.name = type.back();
        type.pop_back();
    }
    const auto known = type_of(type);
    if (!known || stars > 1)
        return refuse(fmt::format("kernel '{}' takes '{}', which a task cannot pass: it passes numbers and pointers to "
                                  "numbers",
                                  kernel, text.substr(text.find_first_not_of(" \t\n"))));
    if (parameter.name.empty())
        return refuse(fmt::format("a parameter of kernel '{}' has no name for the task to call it by", kernel));
    parameter.type = *known;
    parameter.pointer = stars == 1;
    parameter.read_only = parameter.pointer && parameter.read_only;
    return parameter;
}

/// Past the parenthesis that closes the one at `open`; npos where none does.
std::size_t after_closing(std::string_view code, std::size_t open) {
    int depth = 0;
    for (auto i = open; i < code.size(); ++i) {
        if (code[i] == '(') ++depth;
        if (code[i] == ')' && --depth == 0) return i + 1;
    }
    return std::string_view::npos;
}

bool has_plan(std::string_view source) { return source.find("//@ launch") != source.npos; }

/// Integer parameters are sizes.
bool is_size(const KernelParameter& parameter) {
    return !parameter.pointer && !is_floating(parameter.type) && parameter.type != ScalarType::boolean;
}

std::string launch_of(const KernelSignature& kernel, std::string_view source) {
    std::vector<std::string> sizes, arguments;
    for (const auto& parameter : kernel.parameters) {
        arguments.push_back(parameter.name);
        if (is_size(parameter)) sizes.push_back(parameter.name);
    }
    const bool plane =
        sizes.size() >= 2 && (source.find("blockIdx.y") != source.npos || source.find("threadIdx.y") != source.npos);
    const auto shape =
        plane ? fmt::format("dim3(ceil_div({}, 16), ceil_div({}, 16)), dim3(16, 16)", sizes[1], sizes[0])
              : fmt::format("ceil_div({}, 256), 256", sizes.empty() ? "n" : fmt::format("{}", fmt::join(sizes, " * ")));
    return fmt::format("//@ launch {}<<<{}>>>({})\n", kernel.name, shape, fmt::join(arguments, ", "));
}

std::string toml_of(const KernelSignature& kernel, const std::string& name) {
    std::vector<std::string> sizes;
    for (const auto& parameter : kernel.parameters)
        if (is_size(parameter)) sizes.push_back(parameter.name);
    auto shape = sizes.empty() ? std::string("n") : fmt::format("{}", fmt::join(sizes, " * "));
    if (sizes.empty()) sizes.emplace_back("n");
    // So that the product stays what fills a GPU.
    std::int64_t each = 1;
    while (true) {
        std::int64_t product = 1;
        for (std::size_t i = 0; i < sizes.size(); ++i) product *= each * 2;
        if (product > kElements || each >= kElements) break;
        each *= 2;
    }
    auto toml = fmt::format(
        "# Made from the signature of {}. Sizes, what is written, and the launch in the sources are "
        "guesses to be corrected.\nname = \"{}\"\nkernel = \"kernel.cu\"\nreference = \"reference.cu\"\n\n[sizes]\n",
        kernel.name, name);
    for (const auto& size : sizes) toml += fmt::format("{} = {}\n", size, each);
    std::string scalars;
    for (const auto& parameter : kernel.parameters) {
        if (parameter.pointer) {
            // Small values are safe as indices, too.
            const auto fill = is_floating(parameter.type)             ? "normal"
                              : parameter.type == ScalarType::boolean ? "integers(0, 1)"
                                                                      : "integers(0, 15)";
            toml += fmt::format(
                "\n[[tensor]]\nname = \"{}\"\ntype = \"{}\"\nshape = [\"{}\"]\nrole = \"{}\"\nfill = \"{}\"\n",
                parameter.name, to_string(parameter.type), shape, parameter.read_only ? "input" : "inout", fill);
        } else if (!is_size(parameter)) {
            scalars += fmt::format("{} = {{ type = \"{}\", value = {} }}\n", parameter.name, to_string(parameter.type),
                                   is_floating(parameter.type) ? "1.0" : "1");
        }
    }
    if (!scalars.empty()) toml += "\n[scalars]\n" + scalars;
    return toml + "\n[tolerance]\natol = 1e-4\nrtol = 1e-4\n";
}

Result<KernelSignature> only_kernel(std::string_view source, const char* what) {
    auto kernels = kernel_signatures(source);
    if (!kernels) return std::unexpected(std::move(kernels.error()));
    if (kernels->empty()) return refuse(fmt::format("the {} defines no kernel", what));
    if (kernels->size() > 1 && !has_plan(source)) {
        std::vector<std::string> names;
        for (const auto& kernel : *kernels) names.push_back(kernel.name);
        return refuse(fmt::format("the {} defines several kernels ({}) and no plan that says how they are launched; "
                                  "write '//@ launch' lines into it",
                                  what, fmt::join(names, ", ")));
    }
    return std::move(kernels->back());
}

} // namespace

Result<std::vector<KernelSignature>> kernel_signatures(std::string_view source) {
    const auto code = code_of(source);
    std::vector<KernelSignature> kernels;
    constexpr std::string_view kMark = "__global__";
    for (auto at = code.find(kMark); at != code.npos; at = code.find(kMark, at)) {
        const auto before = code.find_last_of(";}", at);
        const bool is_template =
            code.substr(before == code.npos ? 0 : before, at - (before == code.npos ? 0 : before)).find("template")
            != std::string::npos;
        at += kMark.size();
        // Attributes in between may have parentheses of their own.
        auto open = code.find('(', at);
        while (open != code.npos) {
            auto end = code.find_last_not_of(" \t\n\r", open - 1);
            auto begin = end;
            while (begin > at && is_name(code[begin - 1])) --begin;
            const auto word = code.substr(begin, end + 1 - begin);
            if (word != "__launch_bounds__" && word != "__attribute__" && word != "__cluster_dims__") {
                const auto close = after_closing(code, open);
                if (close == code.npos) return refuse("the parameters of a kernel do not end");
                const auto next = code.find_first_not_of(" \t\n\r", close);
                at = close;
                if (next == code.npos || code[next] != '{') break;
                KernelSignature kernel{.name = word, .parameters = {}};
                if (is_template)
                    return refuse(
                        fmt::format("kernel '{}' is a template, and which of it to launch is not known", word));
                std::string_view list{code.data() + open + 1, close - open - 2};
                for (std::size_t from = 0; from <= list.size();) {
                    const auto comma = std::min(list.find(',', from), list.size());
                    const std::string text{list.substr(from, comma - from)};
                    from = comma + 1;
                    if (text.find_first_not_of(" \t\n\r") == text.npos) continue;
                    auto parameter = parameter_of(text, word);
                    if (!parameter) return std::unexpected(std::move(parameter.error()));
                    kernel.parameters.push_back(std::move(*parameter));
                }
                kernels.push_back(std::move(kernel));
                break;
            }
            const auto close = after_closing(code, open);
            if (close == code.npos) break;
            open = code.find('(', close);
        }
    }
    return kernels;
}

std::string cuda_source_of(std::string_view text) {
    if (text.find("__global__") == text.npos) return {};
    std::string found;
    for (const std::string_view quotes : {R"(""")", "'''"})
        for (std::size_t from = 0;;) {
            const auto open = text.find(quotes, from);
            if (open == text.npos) break;
            const auto close = text.find(quotes, open + quotes.size());
            if (close == text.npos) break;
            const auto inner = text.substr(open + quotes.size(), close - open - quotes.size());
            if (inner.find("__global__") != inner.npos) found += std::string(inner) + "\n";
            from = close + quotes.size();
        }
    return found.empty() ? std::string(text) : found;
}

Result<Files> task_from_kernel(std::string_view candidate, std::string_view reference, const std::string& name) {
    auto kernel = only_kernel(candidate, "source");
    if (!kernel) return std::unexpected(std::move(kernel.error()));
    auto trusted = only_kernel(reference, "reference");
    if (!trusted) return std::unexpected(std::move(trusted.error()));
    if (kernel->parameters != trusted->parameters)
        return refuse(fmt::format("kernel '{}' and '{}' of the reference take different parameters", kernel->name,
                                  trusted->name));
    const auto planned = [](std::string_view source, const KernelSignature& signature) {
        return has_plan(source) ? std::string(source) : launch_of(signature, source) + std::string(source);
    };
    Files files;
    files["task.toml"] = toml_of(*kernel, name);
    files["kernel.cu"] = planned(candidate, *kernel);
    files["reference.cu"] = planned(reference, *trusted);
    if (auto parsed = parse_task(files); !parsed) return std::unexpected(std::move(parsed.error()));
    return files;
}

} // namespace kw::task
