#pragma once

#include <string>
#include <string_view>

/// How files and types are named towards the compiler and back.
namespace kw::compile {

/// The folder that task files pretend to lie in. Nothing can lie below /dev/null, so a name that is not one of the
/// task's in-memory files never reaches the disk by way of the including file's folder.
inline constexpr std::string_view kTaskRoot = "/dev/null/task/";

[[nodiscard]] std::string task_name(std::string_view relative);

/// The folder of the task's headers, one per state of their contents. NVRTC keeps precompiled headers by name alone: a
/// header that changed under an old name would be taken as it was.
[[nodiscard]] std::string header_root(std::string_view contents_sha256);

/// The inverse of task_name and header names; names outside of the task stay as they are.
[[nodiscard]] std::string task_relative(std::string_view name);

/// Takes the pretended folders out of running text: messages, .file directives.
[[nodiscard]] std::string without_roots(std::string_view text);

/// The same for PTX, whose strings, such as __FILE__ makes, are lists of bytes: {47, 100, …}. An array keeps its
/// declared length; zeros fill its end.
[[nodiscard]] std::string ptx_without_roots(std::string_view ptx);

/// Whether a parameter of this C++ type is passed as an address: "float const*", "int (&)[3]", "void (*)(int)".
[[nodiscard]] bool is_pointer_type(std::string_view type);

} // namespace kw::compile
