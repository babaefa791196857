#pragma once

#include "engine/base/result.h"
#include "engine/task/expression.h"

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

/// A kernel task as its folder states it: docs/design.md §2.
namespace kw::task {

enum class ScalarType { f16, bf16, f32, f64, i8, u8, i16, u16, i32, u32, i64, u64, boolean };

[[nodiscard]] std::string_view to_string(ScalarType type); ///< as task.toml spells it: "f32", "bool"
[[nodiscard]] std::optional<ScalarType> scalar_type_from(std::string_view name);
[[nodiscard]] std::size_t size_of(ScalarType type); ///< bytes
[[nodiscard]] std::vector<std::string> scalar_type_names();
[[nodiscard]] bool is_floating(ScalarType type);

struct IntegerRange {
    std::int64_t lo = 0;
    std::int64_t hi = 0;
};
/// What an integer type or bool holds, u64 only up to 2⁶³−1 since every integer of a task is 64-bit signed; nothing for
/// floating types.
[[nodiscard]] std::optional<IntegerRange> integer_range(ScalarType type);

enum class Role { input, output, inout };

/// How an input gets its values. `a` and `b` mean what the kind takes: mean and std, low and high (inclusive for
/// integers), n.
struct Fill {
    enum class Kind { normal, uniform, integers, permutation, sorted, zeros, ones, iota, file, torch };
    Kind kind = Kind::normal;
    double a = 0;
    double b = 1;
    std::string file; ///< .npy, relative to the task; Kind::file only
    /// Where an argument is written with size names, as in integers(0, cols - 1), its expression; it then stands for
    /// `a` or `b`.
    std::optional<Expression> a_expression{};
    std::optional<Expression> b_expression{};
};
/// "normal", "normal(0, 1)", "uniform(-1, 1)", "integers(0, bins - 1)", "permutation", "permutation(rows)", …
[[nodiscard]] Result<Fill> parse_fill(std::string_view text, const Where& where);
[[nodiscard]] std::string_view to_string(Fill::Kind kind);

/// |actual − expected| ≤ atol + rtol·|expected|, as numpy.allclose.
struct Tolerance {
    double atol = 1e-5;
    double rtol = 1e-5;
};

struct Tensor {
    std::string name;
    ScalarType type = ScalarType::f32;
    std::vector<Expression> shape;
    Role role = Role::input;
    Fill fill{};
    std::string expected; ///< .npy with the right output; empty: the reference computes it
    std::optional<Tolerance> tolerance;
    Where where{};
};

struct Scalar {
    ScalarType type = ScalarType::f32;
    std::variant<std::int64_t, double> value; ///< integer types and bool hold the first
    Where where{};
};

/// One set of sizes that candidates are verified at; one of a task's cases is also timed.
struct Case {
    Sizes sizes;
    bool timed = false;
    std::string label; ///< "rows=4096 cols=1024"
};

struct Task {
    std::string name;
    std::string title;
    std::string kernel;
    std::string reference; ///< empty only where every output has its expected values
    /// The reference when the file names none; empty when there is none either. Of a PyTorch task "eager" and
    /// "compile", which are no files.
    std::vector<std::string> baselines;
    std::vector<Tensor> tensors;
    std::map<std::string, Scalar, std::less<>> scalars;
    std::vector<Case> cases; ///< [sizes] first, then each [[case]] laid over it
    Sizes sim_sizes;         ///< laid over the first case for checks on the simulator
    Tolerance tolerance{};

    [[nodiscard]] const Tensor* find_tensor(std::string_view name) const;
    /// The reference is a PyTorch problem: it gives the values of every tensor, before and after, by name.
    [[nodiscard]] bool is_torch() const;
};

/// What PyTorch does by itself and through torch.compile, as baselines of a task whose reference is a PyTorch problem.
inline constexpr std::string_view kTorchEager = "eager";
inline constexpr std::string_view kTorchCompile = "compile";

/// "cols=1024 rows=64", "no sizes" when there are none.
[[nodiscard]] std::string sizes_text(const Sizes& sizes);

/// A shape at given sizes.
struct Extent {
    std::vector<std::int64_t> shape;
    std::uint64_t elements = 0;
    std::uint64_t bytes = 0;
};
/// Dimensions below 1 and sizes of 2⁶³ bytes and more are errors; `name` names the tensor in them.
[[nodiscard]] Result<Extent> extent_of(std::span<const Expression> shape, ScalarType type, const std::string& name,
                                       const Sizes& names);

/// The text files of a task folder by their name relative to it: task.toml, sources, headers; .npy as bytes.
using Files = std::map<std::string, std::string, std::less<>>;

/// Reads what an evaluation or an agent may need from a folder: task.toml, skill.md and every .cu .cuh .h .hpp .inl
/// .py .npy below it. Refused with a sentence: no task.toml, text that is not UTF-8 (with its position), a text file
/// over 16 MiB, more than 256 MiB in all.
[[nodiscard]] Result<Files> read_folder(const std::filesystem::path& folder);

/// Parses files["task.toml"] and checks everything that can be checked without a candidate. Every error has file, line
/// and column.
[[nodiscard]] Result<Task> parse_task(const Files& files);

} // namespace kw::task
