#pragma once

#include "engine/task/task.h"

#include <string>
#include <string_view>
#include <vector>

/// A task around a kernel that came without one: what its signature says, and guesses for a person to correct.
namespace kw::task {

struct KernelParameter {
    std::string name;
    ScalarType type = ScalarType::f32;
    bool pointer = false;
    bool read_only = false; ///< a pointer to const
    bool operator==(const KernelParameter&) const = default;
};

struct KernelSignature {
    std::string name;
    std::vector<KernelParameter> parameters;
    bool operator==(const KernelSignature&) const = default;
};

/// The kernels that a source defines, in order; a declaration is none. An error names what a task's launch cannot pass:
/// a template, a type beyond numbers and pointers to them, a parameter without a name.
[[nodiscard]] Result<std::vector<KernelSignature>> kernel_signatures(std::string_view source);

/// CUDA text that holds kernels: the text itself, or for another language its strings that hold `__global__`, one after
/// the other. Empty where there is none.
[[nodiscard]] std::string cuda_source_of(std::string_view text);

/// The files of a task that evaluates `candidate` against `reference`: task.toml, kernel.cu and reference.cu. Sources
/// with a plan of their own keep it; others get a launch of their last kernel. Buffers get the product of all integer
/// parameters as their length, integers a size, other scalars 1; what is not const is taken for input and output. An
/// error where no such plan fits both sources.
[[nodiscard]] Result<Files> task_from_kernel(std::string_view candidate, std::string_view reference,
                                             const std::string& name);

} // namespace kw::task
