#include "engine/compile/compiler.h"
#include "engine/compile/diagnostics.h"

namespace kw::compile {
namespace {

const char* name_of(Severity severity) {
    switch (severity) {
    case Severity::note: return "note";
    case Severity::remark: return "remark";
    case Severity::warning: return "warning";
    case Severity::error: break;
    }
    return "error";
}

Severity severity_of(const std::string& name) {
    if (name == "note") return Severity::note;
    if (name == "remark") return Severity::remark;
    return name == "warning" ? Severity::warning : Severity::error;
}

} // namespace

Json to_json(const Diagnostic& diagnostic) {
    Json json{{"severity", name_of(diagnostic.severity)},
              {"file", to_utf8(diagnostic.file)},
              {"line", diagnostic.line},
              {"column", diagnostic.column},
              {"message", to_utf8(diagnostic.message)}};
    if (!diagnostic.code.empty()) json["code"] = diagnostic.code;
    if (!diagnostic.notes.empty()) {
        Json notes = Json::array();
        for (const Diagnostic& note : diagnostic.notes) notes.push_back(to_json(note));
        json["notes"] = std::move(notes);
    }
    return json;
}

Json to_json(const Kernel& kernel) {
    Json parameters = Json::array();
    for (const Parameter& parameter : kernel.parameters)
        parameters.push_back({{"type", parameter.type},
                              {"pointer", parameter.pointer},
                              {"offset", parameter.offset},
                              {"bytes", parameter.bytes},
                              {"align", parameter.align},
                              {"ptx_type", parameter.ptx_type}});
    return {{"name", kernel.name},
            {"lowered", kernel.lowered},
            {"file", kernel.where.file},
            {"line", kernel.where.line},
            {"column", kernel.where.column},
            {"registers", kernel.registers},
            {"shared_bytes", kernel.shared_bytes},
            {"local_bytes", kernel.local_bytes},
            {"spill_bytes", kernel.spill_bytes},
            {"constant_bytes", kernel.constant_bytes},
            {"max_threads", kernel.max_threads},
            {"parameters", std::move(parameters)}};
}

Diagnostic diagnostic_from_json(const Json& json) {
    Diagnostic diagnostic;
    diagnostic.severity = severity_of(json.at("severity").get<std::string>());
    diagnostic.file = json.at("file").get<std::string>();
    diagnostic.line = json.at("line").get<int>();
    diagnostic.column = json.at("column").get<int>();
    diagnostic.message = json.at("message").get<std::string>();
    diagnostic.code = json.value("code", "");
    if (json.contains("notes"))
        for (const Json& note : json.at("notes")) diagnostic.notes.push_back(diagnostic_from_json(note));
    return diagnostic;
}

Kernel kernel_from_json(const Json& json) {
    Kernel kernel;
    kernel.name = json.at("name").get<std::string>();
    kernel.lowered = json.at("lowered").get<std::string>();
    kernel.where = {json.value("file", ""), json.value("line", 0), json.value("column", 0)};
    kernel.registers = json.at("registers").get<std::uint32_t>();
    kernel.shared_bytes = json.at("shared_bytes").get<std::uint32_t>();
    kernel.local_bytes = json.at("local_bytes").get<std::uint32_t>();
    kernel.spill_bytes = json.at("spill_bytes").get<std::uint32_t>();
    kernel.constant_bytes = json.value("constant_bytes", 0u);
    kernel.max_threads = json.at("max_threads").get<std::uint32_t>();
    for (const Json& item : json.at("parameters")) {
        Parameter parameter;
        parameter.type = item.at("type").get<std::string>();
        parameter.pointer = item.at("pointer").get<bool>();
        parameter.offset = item.at("offset").get<std::uint32_t>();
        parameter.bytes = item.at("bytes").get<std::uint32_t>();
        parameter.align = item.at("align").get<std::uint32_t>();
        parameter.ptx_type = item.at("ptx_type").get<std::string>();
        kernel.parameters.push_back(std::move(parameter));
    }
    return kernel;
}

Json to_json(const Output& output) {
    Json diagnostics = Json::array();
    for (const Diagnostic& diagnostic : output.diagnostics) diagnostics.push_back(to_json(diagnostic));
    Json kernels = Json::array();
    for (const Kernel& kernel : output.kernels) kernels.push_back(to_json(kernel));
    return {{"ok", output.ok},
            {"ms", output.milliseconds},
            {"diagnostics", std::move(diagnostics)},
            {"kernels", std::move(kernels)}};
}

} // namespace kw::compile
