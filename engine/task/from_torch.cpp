#include "engine/task/from_torch.h"

#include "engine/base/json_error.h"
#include "engine/task/names.h"

#include <fmt/format.h>

#include <map>
#include <set>
#include <vector>

namespace kw::task {
namespace {

/// As CUDA C++ spells an element.
std::string cuda_type(std::string_view type) {
    static const std::map<std::string_view, std::string> kNames{
        {"f16", "__half"},     {"bf16", "__nv_bfloat16"}, {"f32", "float"},     {"f64", "double"},
        {"i8", "signed char"}, {"u8", "unsigned char"},   {"i16", "short"},     {"u16", "unsigned short"},
        {"i32", "int"},        {"u32", "unsigned int"},   {"i64", "long long"}, {"u64", "unsigned long long"},
        {"bool", "bool"}};
    const auto found = kNames.find(type);
    return found == kNames.end() ? std::string(type) : found->second;
}

/// TOML's basic strings escape as JSON's do.
std::string toml_text(const std::string& text) {
    return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string sizes_table(const Json& sizes, std::string_view header) {
    if (sizes.empty()) return {};
    std::string text = fmt::format("\n[{}]\n", header);
    for (const auto& [name, value] : sizes.items()) text += fmt::format("{} = {}\n", name, value.get<std::int64_t>());
    return text;
}

std::string toml_of(const Json& about, const std::string& name) {
    auto title = about.at("title").get<std::string>();
    if (title.empty()) title = name;
    std::string text =
        fmt::format("name = {}\ntitle = {}\nkernel = \"kernel.cu\"\nreference = \"model.py\" # PyTorch: makes "
                    "the inputs and weights, and says what is right\nbaselines = [\"eager\", \"compile\"]\n",
                    toml_text(name), toml_text(title));
    const auto& sizes = about.at("sizes");
    const auto& small = about.at("small");
    text += sizes_table(sizes, "sizes");
    if (small != sizes) text += sizes_table(small, "sim.sizes");
    text += "\n[tolerance]\natol = 1e-4\nrtol = 1e-4\n";
    for (const auto& tensor : about.at("tensors")) {
        text += fmt::format("\n[[tensor]]\nname = {}\ntype = {}\nshape = {}\nrole = {}\n", toml_text(tensor.at("name")),
                            toml_text(tensor.at("type")), tensor.at("shape").dump(), toml_text(tensor.at("role")));
        // A few units in the last place: another order of the same operations must pass.
        if (tensor.at("role") != "input" && tensor.at("type") == "f16")
            text += "tolerance = { atol = 5e-3, rtol = 5e-3 }\n";
        if (tensor.at("role") != "input" && tensor.at("type") == "bf16")
            text += "tolerance = { atol = 3e-2, rtol = 3e-2 }\n";
    }
    std::string scalars;
    for (const auto& scalar : about.at("scalars"))
        scalars += fmt::format(
            "{} = {{ type = {}, value = {} }}\n", scalar.at("name").get<std::string>(), toml_text(scalar.at("type")),
            scalar.at("type") == "bool" ? (scalar.at("value").get<bool>() ? "1" : "0") : scalar.at("value").dump());
    if (!scalars.empty()) text += "\n[scalars]\n" + scalars;
    return text;
}

std::string kernel_of(const Json& about) {
    std::vector<std::string> parameters, arguments;
    std::set<std::string_view> includes;
    std::string first_output;
    for (const auto& tensor : about.at("tensors")) {
        const auto name = tensor.at("name").get<std::string>();
        const auto type = tensor.at("type").get<std::string>();
        const bool input = tensor.at("role") == "input";
        if (type == "f16") includes.insert("cuda_fp16.h");
        if (type == "bf16") includes.insert("cuda_bf16.h");
        parameters.push_back(fmt::format("{}{}* {}", input ? "const " : "", cuda_type(type), name));
        arguments.push_back(name);
        if (!input && first_output.empty()) {
            for (const auto& dimension : tensor.at("shape")) {
                const auto factor = dimension.is_string() ? dimension.get<std::string>() : dimension.dump();
                first_output += (first_output.empty() ? "" : " * ")
                                + (factor.find(' ') == std::string::npos ? factor : "(" + factor + ")");
            }
        }
    }
    for (const auto& scalar : about.at("scalars")) {
        parameters.push_back(fmt::format("{} {}", cuda_type(scalar.at("type").get<std::string>()),
                                         scalar.at("name").get<std::string>()));
        arguments.push_back(scalar.at("name"));
    }
    for (const auto& [name, value] : about.at("sizes").items()) {
        parameters.push_back("int " + name);
        arguments.push_back(name);
    }
    std::string text;
    for (const auto& include : includes) text += fmt::format("#include <{}>\n", include);
    if (!text.empty()) text += '\n';
    text +=
        fmt::format("// Write here what Model.forward in model.py computes; until then the outputs stay as they were.\n"
                    "//@ launch forward<<<ceil_div({}, 256), 256>>>({})\n"
                    "__global__ void forward({}) {{\n}}\n",
                    first_output, fmt::join(arguments, ", "), fmt::join(parameters, ", "));
    return text;
}

} // namespace

Result<Files> task_from_torch(const Json& description, std::string_view problem, const std::string& name) try {
    Files files;
    files["task.toml"] = toml_of(description, name);
    files["model.py"] = std::string(problem);
    files["kernel.cu"] = kernel_of(description);
    if (const auto good = parse_task(files); !good) return std::unexpected(good.error());
    return files;
} catch (const Json::exception& error) {
    return fail(Stage::task, ErrorCode::internal,
                fmt::format("what PyTorch says of the problem cannot be read: {}", what_is_wrong(error)));
}

} // namespace kw::task
