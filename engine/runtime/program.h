#pragma once

#include "engine/base/result.h"

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

/// What an object file or program asks of others, read before it is run.
namespace kw::runtime {

struct Linkage {
    std::vector<std::string> undefined{}; ///< names of symbols that something else is to define
    std::vector<std::string> defined{};   ///< names that it exports; of dynamic symbols only
    std::vector<std::string> needed{};    ///< sonames
};
/// Of an ELF file: its dynamic symbols where it has some, else its symbol table. Fails when the file is no ELF file of
/// this machine's kind.
[[nodiscard]] Result<Linkage> read_linkage(const std::filesystem::path& file);

/// A library of NVIDIA's that a symbol belongs to by its name, as in cublasCreate_v2. Empty for others, the runtime's
/// own among them.
struct VendorLibrary {
    std::string_view name{}; ///< "cuBLAS"
    std::string_view link{}; ///< "cublas", for -l
};
[[nodiscard]] VendorLibrary vendor_library(std::string_view symbol);

/// A file's name as PTX has it, where bytes beyond ASCII are octal (\303\251), in its own bytes.
[[nodiscard]] std::string decoded_path(std::string_view text);

} // namespace kw::runtime
