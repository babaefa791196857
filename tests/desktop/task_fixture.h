#pragma once

#include "engine/base/file.h"

#include <QLabel>
#include <QStringList>
#include <QTemporaryDir>
#include <QWidget>

#include <filesystem>

/// A small task, and an environment of its own for a window.
namespace kw::desktop::testing {

inline constexpr const char* kToml = R"(name = "scale"
title = "Scale a vector"
kernel = "scale.cu"
reference = "reference.cu"
[sizes]
n = 1000
[[tensor]]
name = "x"
type = "f32"
shape = ["n"]
role = "input"
fill = "normal"
[[tensor]]
name = "y"
type = "f32"
shape = ["n"]
role = "output"
)";

inline constexpr const char* kKernel = "//@ launch scale<<<ceil_div(n, 128), 128>>>(x, y, n)\n"
                                       "__global__ void scale(const float* x, float* y, int n) {\n"
                                       "    int i = blockIdx.x * 128 + threadIdx.x;\n"
                                       "    if (i < n) y[i] = 2.0f * x[i];\n"
                                       "}\n";

inline constexpr const char* kReference = "//@ launch slow<<<1, 1>>>(x, y, n)\n"
                                          "__global__ void slow(const float* x, float* y, int n) {\n"
                                          "    for (int i = 0; i < n; ++i) y[i] = 2.0f * x[i];\n"
                                          "}\n";

[[nodiscard]] inline bool write_task(const std::filesystem::path& folder) {
    return write_file(folder / "task.toml", kToml) && write_file(folder / "scale.cu", kKernel)
           && write_file(folder / "reference.cu", kReference);
}

/// What the programs of a user remember is none of a test's business, nor the reverse.
inline void use_home(const QTemporaryDir& home) {
    qputenv("XDG_CONFIG_HOME", home.filePath(QStringLiteral("config")).toUtf8());
    qputenv("XDG_DATA_HOME", home.filePath(QStringLiteral("data")).toUtf8());
}

[[nodiscard]] inline QString all_text(const QWidget& widget) {
    QStringList texts;
    for (const auto* label : widget.findChildren<QLabel*>()) texts << label->text();
    return texts.join(QLatin1Char('\n'));
}

} // namespace kw::desktop::testing
