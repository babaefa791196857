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
            {"registers", kernel.registers},
            {"shared_bytes", kernel.shared_bytes},
            {"local_bytes", kernel.local_bytes},
            {"spill_bytes", kernel.spill_bytes},
            {"constant_bytes", kernel.constant_bytes},
            {"max_threads", kernel.max_threads},
            {"parameters", std::move(parameters)}};
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
