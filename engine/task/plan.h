#pragma once

#include "engine/device/device.h"
#include "engine/task/task.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

/// The launch plan in a candidate's `//@` directives: docs/design.md §2.
namespace kw::task {

struct Tunable {
    std::string name;
    std::vector<std::int64_t> values; ///< the first is the default
    Where where{};
};

struct Scratch {
    std::string name;
    ScalarType type = ScalarType::f32;
    std::vector<Expression> shape;
    Where where{};
};

struct Argument {
    /// What `text` turned out to be: the name of a tensor or scratch buffer, the name of a scalar, an integer
    /// expression (sizes, tunables and bool literals included), or a floating-point literal.
    enum class Kind { buffer, scalar, expression, floating };
    std::string text; ///< a tensor, scratch, scalar or size name, an expression, or a floating-point literal
    Where where{};
    Kind kind = Kind::expression;
    Expression expression{}; ///< Kind::expression
    double floating = 0;     ///< Kind::floating
};

struct Launch {
    std::string kernel;            ///< name expression with tunables still in it: "softmax<BLOCK>"
    std::vector<Expression> grid;  ///< 1 to 3
    std::vector<Expression> block; ///< 1 to 3
    std::vector<Expression> cluster;
    Expression shared; ///< dynamic shared memory, bytes
    bool cooperative = false;
    std::vector<Argument> arguments;
    Where where{};
};

struct Plan {
    std::vector<Tunable> tunables;
    std::vector<Scratch> scratch;
    std::vector<Launch> launches; ///< never empty

    /// The default configuration.
    [[nodiscard]] Sizes defaults() const;
};

/// Parses every directive in `source` (the text of `file`). Unknown directives, bad syntax and names that neither the
/// task nor the plan defines are errors with position. Directives inside string literals or block comments are not
/// directives; the preprocessor is not run, so those under `#if 0` are. Errors are of Stage::task and
/// ErrorCode::invalid_input: for a candidate they mean that it is wrong, for a reference that the task is.
[[nodiscard]] Result<Plan> parse_plan(std::string_view source, const std::string& file, const Task& task);

/// Kernel name expressions that a configuration needs compiled, with tunables substituted, each once, in launch order.
[[nodiscard]] std::vector<std::string> kernel_names(const Plan& plan, const Sizes& configuration);

/// A buffer a plan needs: a tensor of the task or scratch, with its concrete shape.
struct Buffer {
    std::string name;
    ScalarType type = ScalarType::f32;
    std::vector<std::int64_t> shape;
    std::uint64_t elements = 0;
    std::uint64_t bytes = 0;
};

/// One value of an argument list, resolved as far as it can be without knowing the kernel's parameters.
struct BoundArgument {
    enum class Kind { buffer, integer, floating };
    Kind kind = Kind::integer;
    std::size_t buffer = 0; ///< index into BoundPlan::buffers
    std::int64_t integer = 0;
    double floating = 0;
    std::string text;
    Where where{};
};

struct BoundLaunch {
    std::string kernel; ///< name expression, tunables substituted
    device::LaunchConfig config;
    std::vector<BoundArgument> arguments;
    Where where{};
};

/// A plan at given sizes and tunables: everything is a number. Grid or block of 0, over the CUDA limits, sizes past
/// 2⁶³, a negative shape are errors with the directive's position.
struct BoundPlan {
    std::vector<Buffer> buffers; ///< the task's tensors in task order, then scratch
    std::vector<BoundLaunch> launches;
    std::uint64_t bytes = 0; ///< of all buffers
};

[[nodiscard]] Result<BoundPlan> bind(const Plan& plan, const Task& task, const Sizes& sizes, const Sizes& configuration,
                                     const device::Limits& limits);

} // namespace kw::task
