#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

/// Where in the program's host code a call of the runtime stands.
namespace kw::runtime {

/// Return addresses, innermost first. Cheap to take; what they mean is looked up when somebody asks.
struct Site {
    std::array<void*, 12> frames{};
    std::size_t count = 0;
};
/// Of the caller's caller and what called that.
[[nodiscard]] Site call_site();

/// "vector_add.cu:12", relative to the working directory; empty when the program has no line information. Asks
/// addr2line, which nvcc's host compiler brings along, and remembers the answers.
[[nodiscard]] std::string place(const Site& site);

/// Functions of this mangled name are no place of a person's: what stands for a kernel on the host's side bears its
/// name.
void hide_function(std::string name);

/// The path relative to the working directory, where it lies below it.
[[nodiscard]] std::string short_path(const std::string& file);

/// The variable that a call on this line of a source file hands its address of, as in cudaMalloc(&d_x, …): "d_x".
/// Empty when it is not to be seen.
[[nodiscard]] std::string address_taken(std::string_view place, std::string_view call);

} // namespace kw::runtime
