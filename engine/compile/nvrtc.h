#pragma once

#include "engine/base/dynlib.h"
#include "engine/base/result.h"
#include "engine/compile/toolkit.h"

#include <cstddef>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

/// NVRTC's functions, resolved at run time. Declared here so that neither building nor running needs its header.
namespace kw::compile {

/// Results that are told apart; numbers are those of the NVRTC documentation, "Error Handling".
enum class NvrtcResult : int {
    success = 0,
    out_of_memory = 1,
    invalid_option = 5,
    compilation = 6,
    no_lowered_names_before_compilation = 9,
    pch_heap_exhausted = 14,
    cancelled = 16,
};

using NvrtcProgram = void*;

struct NvrtcFunctions {
    int (*version)(int*, int*) = nullptr;
    int (*get_num_supported_archs)(int*) = nullptr;
    int (*get_supported_archs)(int*) = nullptr;
    const char* (*get_error_string)(int) = nullptr;
    int (*create_program)(NvrtcProgram*, const char* source, const char* name, int headers, const char* const* contents,
                          const char* const* names) = nullptr;
    int (*destroy_program)(NvrtcProgram*) = nullptr;
    int (*compile_program)(NvrtcProgram, int options, const char* const*) = nullptr;
    int (*get_ptx_size)(NvrtcProgram, std::size_t*) = nullptr;
    int (*get_ptx)(NvrtcProgram, char*) = nullptr;
    int (*get_cubin_size)(NvrtcProgram, std::size_t*) = nullptr;
    int (*get_cubin)(NvrtcProgram, char*) = nullptr;
    int (*get_log_size)(NvrtcProgram, std::size_t*) = nullptr;
    int (*get_log)(NvrtcProgram, char*) = nullptr;
    int (*add_name_expression)(NvrtcProgram, const char*) = nullptr;
    int (*get_lowered_name)(NvrtcProgram, const char* expression, const char** lowered) = nullptr;
    int (*set_flow_callback)(NvrtcProgram, int (*)(void*, void*), void*) = nullptr; ///< since 12.8; may be null
    int (*get_pch_create_status)(NvrtcProgram) = nullptr;                           ///< since 12.8; may be null
    int (*set_pch_heap_size)(std::size_t) = nullptr;                                ///< since 12.8; may be null
};

/// The loaded library. Shared by all compilers and by compilations that were cancelled but have not returned yet.
struct Nvrtc {
    DynamicLibrary library;
    DynamicLibrary builtins; ///< what NVRTC opens by name when it compiles; loaded from beside it, wherever that is
    std::filesystem::path path;
    std::string source;
    NvrtcFunctions call;
    int major = 0;
    int minor = 0;
    std::vector<int> architectures; ///< 75, 80, …, ascending

    [[nodiscard]] std::string version() const;
    [[nodiscard]] bool at_least(int want_major, int want_minor) const;
};

/// Resolves the table; `not_found` naming the first missing function when the library is not NVRTC 12 or later.
[[nodiscard]] Result<NvrtcFunctions> nvrtc_functions(const DynamicLibrary& library);

[[nodiscard]] Result<std::shared_ptr<const Nvrtc>> open_nvrtc(const std::string& user_setting);

} // namespace kw::compile
