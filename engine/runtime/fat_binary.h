#pragma once

#include "engine/base/result.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

/// Device code as nvcc puts it into programs: a wrapper that points to a container of PTX and machine code, one entry
/// per architecture. The layout is read off what fatbinary of CUDA 12 and 13 writes; it is not documented.
namespace kw::runtime {

struct FatBinary {
    struct Ptx {
        std::uint32_t arch = 0; ///< 90 of compute_90
        std::string text{};
    };
    std::vector<Ptx> ptx{};
    /// Registers per thread by mangled kernel name, from the machine code.
    std::map<std::string, std::uint32_t, std::less<>> registers{};
};

/// The container's bytes from `wrapper`, what __cudaRegisterFatBinary is given; empty when it is none.
[[nodiscard]] std::span<const std::byte> container_of(const void* wrapper);

/// Fails with what to do when the code is compressed or the container is not understood.
[[nodiscard]] Result<FatBinary> read_fat_binary(std::span<const std::byte> container);

} // namespace kw::runtime
