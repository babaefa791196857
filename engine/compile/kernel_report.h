#pragma once

#include "engine/compile/compiler.h"
#include "engine/compile/diagnostics.h"
#include "engine/compile/sources.h"

#include <string>
#include <string_view>
#include <vector>

/// What is told about kernels after a compilation, good or bad.
namespace kw::compile {

struct KernelQuestion {
    const Request& request;
    const std::vector<std::string>& expressions; ///< asked of NVRTC: request.kernels without repetitions
    const std::vector<std::string>& lowered;     ///< one per expression
    const std::vector<KernelDeclaration>& declarations;
};

/// Kernels in the order asked for, or all entries of the PTX. A name that is no kernel gives an error in
/// `output.diagnostics`.
void describe_kernels(const KernelQuestion& question, const ParsedLog& log, Output& output);

/// Turns NVRTC's message about a name expression into one about the kernel: missing (with near names), overloaded (with
/// the overloads as notes), a template without its arguments. Placed at the launch directive that asks for it when
/// there is one.
[[nodiscard]] Diagnostic explain_name(const KernelQuestion& question, const NameExpressionMessage& message);

/// Writes mangled names in a ptxas message as C++ and, when the message has no place, takes that of the kernel it
/// names.
void explain_ptxas(const std::vector<KernelDeclaration>& declarations, Diagnostic& diagnostic);

/// "softmax" of "ns::softmax<256, float>".
[[nodiscard]] std::string_view base_name(std::string_view expression);

} // namespace kw::compile
