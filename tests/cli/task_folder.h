#pragma once

#include "engine/base/process.h"

#include <QtCore/QTemporaryDir>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

/// A kernel task on disk that a test writes itself, and the program under test run on it.
namespace kw::test {

inline constexpr std::string_view kTask = R"(name = "scale"
title = "y = factor * x"
kernel = "scale.cu"
reference = "reference.cu"

[sizes]
rows = 7
cols = 300

[[case]]
rows = 3
cols = 33

[[tensor]]
name = "x"
type = "f32"
shape = ["rows", "cols"]
role = "input"
fill = "normal"

[[tensor]]
name = "y"
type = "f32"
shape = ["rows", "cols"]
role = "output"

[scalars]
factor = { type = "f32", value = 3.5 }
)";

inline constexpr std::string_view kReference =
    R"(//@ launch reference<<<ceil_div(rows * cols, 64), 64>>>(x, y, factor, rows * cols)
extern "C" __global__ void reference(const float* x, float* y, float factor, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = factor * x[i];
}
)";

/// A candidate whose kernel body is `body`; there are x, y, factor, n and the global index i.
inline std::string candidate(std::string_view body) {
    return std::string{R"(//@ tune BLOCK = 128 64 32
//@ launch scale<BLOCK><<<ceil_div(rows * cols, BLOCK), BLOCK>>>(x, y, factor, rows * cols)
template<int Block>
__global__ void scale(const float* x, float* y, float factor, int n) {
    const int i = blockIdx.x * Block + threadIdx.x;
    )"} + std::string{body}
           + "\n}\n";
}

inline constexpr std::string_view kRight = "if (i < n) y[i] = factor * x[i];";

class TaskFolder {
public:
    TaskFolder() {
        write("task.toml", kTask);
        write("reference.cu", kReference);
        write("scale.cu", candidate(kRight));
    }
    void write(const std::string& name, std::string_view text) const {
        std::ofstream file{path() / name, std::ios::binary};
        file << text;
    }
    [[nodiscard]] std::filesystem::path path() const { return std::filesystem::path{folder_.path().toStdString()}; }
    [[nodiscard]] std::string string() const { return path().string(); }

private:
    QTemporaryDir folder_;
};

inline std::string program(const std::string& name) { return std::string{KW_PROGRAMS} + "/" + name; }

/// Runs kw to its end; its output is never a terminal's.
inline Result<RunResult> run_kw(std::vector<std::string> arguments, RunOptions options = {}) {
    arguments.insert(arguments.begin(), program("kw"));
    return run(arguments, options);
}

/// Processes that `pid` has started and that still run.
inline std::vector<pid_t> children_of(pid_t pid) {
    std::vector<pid_t> children;
    std::error_code error;
    const auto threads = std::filesystem::path{"/proc"} / std::to_string(pid) / "task";
    for (const auto& thread : std::filesystem::directory_iterator{threads, error}) {
        std::ifstream file{thread.path() / "children"};
        for (pid_t child = 0; file >> child;) children.push_back(child);
    }
    return children;
}

/// Gone, or a zombie that its new parent has yet to reap.
inline bool is_dead(pid_t pid) {
    std::ifstream file{"/proc/" + std::to_string(pid) + "/stat"};
    const std::string text{std::istreambuf_iterator<char>{file}, {}};
    const auto name_end = text.rfind(')');
    return name_end == std::string::npos || text.substr(name_end + 2, 1) == "Z";
}

} // namespace kw::test
