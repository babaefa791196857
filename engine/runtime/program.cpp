#include "engine/runtime/program.h"

#include "engine/base/file.h"

#include <elf.h>
#include <fmt/format.h>

#include <cctype>
#include <cstring>
#include <optional>

namespace kw::runtime {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 30;

class Elf {
public:
    explicit Elf(std::string_view bytes) : bytes_(bytes) {}

    template<class T> [[nodiscard]] std::optional<T> at(std::uint64_t offset) const {
        if (offset > bytes_.size() || bytes_.size() - offset < sizeof(T)) return std::nullopt;
        T value;
        std::memcpy(&value, bytes_.data() + offset, sizeof(T));
        return value;
    }
    [[nodiscard]] std::string text(std::uint64_t offset) const {
        if (offset >= bytes_.size()) return {};
        const auto rest = bytes_.substr(offset);
        return std::string(rest.substr(0, rest.find('\0')));
    }

private:
    std::string_view bytes_;
};

void read_symbols(const Elf& elf, const Elf64_Shdr& table, const Elf64_Shdr& names, Linkage& out) {
    for (std::uint64_t offset = sizeof(Elf64_Sym); offset + sizeof(Elf64_Sym) <= table.sh_size;
         offset += sizeof(Elf64_Sym)) {
        const auto symbol = elf.at<Elf64_Sym>(table.sh_offset + offset);
        if (!symbol || ELF64_ST_BIND(symbol->st_info) == STB_LOCAL) continue;
        auto name = elf.text(names.sh_offset + symbol->st_name);
        if (name.empty()) continue;
        (symbol->st_shndx == SHN_UNDEF ? out.undefined : out.defined).push_back(std::move(name));
    }
}

void read_needed(const Elf& elf, const Elf64_Shdr& table, const Elf64_Shdr& names, Linkage& out) {
    for (std::uint64_t offset = 0; offset + sizeof(Elf64_Dyn) <= table.sh_size; offset += sizeof(Elf64_Dyn)) {
        const auto entry = elf.at<Elf64_Dyn>(table.sh_offset + offset);
        if (entry && entry->d_tag == DT_NEEDED) out.needed.push_back(elf.text(names.sh_offset + entry->d_un.d_val));
    }
}

} // namespace

Result<Linkage> read_linkage(const std::filesystem::path& file) {
    const auto bytes = read_file(file, kMostBytes);
    if (!bytes) return std::unexpected(bytes.error());
    const Elf elf{*bytes};
    const auto header = elf.at<Elf64_Ehdr>(0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64
        || header->e_shentsize != sizeof(Elf64_Shdr))
        return fail(Stage::environment, ErrorCode::invalid_input,
                    fmt::format("{} is not a program or object file of this machine", file.string()));
    const auto section = [&](std::uint64_t index) {
        return elf.at<Elf64_Shdr>(header->e_shoff + index * sizeof(Elf64_Shdr));
    };
    Linkage out;
    std::optional<Elf64_Shdr> dynamic_symbols, symbols;
    for (std::uint64_t index = 0; index < header->e_shnum; ++index) {
        const auto entry = section(index);
        if (!entry) break;
        if (entry->sh_type == SHT_DYNSYM) dynamic_symbols = entry;
        if (entry->sh_type == SHT_SYMTAB) symbols = entry;
        if (entry->sh_type == SHT_DYNAMIC)
            if (const auto names = section(entry->sh_link)) read_needed(elf, *entry, *names, out);
    }
    if (const auto& table = dynamic_symbols ? dynamic_symbols : symbols)
        if (const auto names = section(table->sh_link)) read_symbols(elf, *table, *names, out);
    return out;
}

VendorLibrary vendor_library(std::string_view symbol) {
    static constexpr struct {
        std::string_view prefix;
        VendorLibrary library;
    } kLibraries[] = {
        {"cublasLt", {"cuBLASLt", "cublasLt"}},
        {"cublasXt", {"cuBLAS", "cublas"}},
        {"cublas", {"cuBLAS", "cublas"}},
        {"cufft", {"cuFFT", "cufft"}},
        {"curand", {"cuRAND", "curand"}},
        {"cusparse", {"cuSPARSE", "cusparse"}},
        {"cusolver", {"cuSOLVER", "cusolver"}},
        {"cudnn", {"cuDNN", "cudnn"}},
        {"nccl", {"NCCL", "nccl"}},
        {"nvrtc", {"NVRTC", "nvrtc"}},
        {"nvml", {"NVML", "nvidia-ml"}},
        {"nvjpeg", {"nvJPEG", "nvjpeg"}},
    };
    for (const auto& [prefix, library] : kLibraries)
        if (symbol.starts_with(prefix) && symbol.size() > prefix.size()
            && std::isupper(static_cast<unsigned char>(symbol[prefix.size()])) != 0)
            return library;
    if (symbol.size() > 3 && symbol.starts_with("cu") && std::isupper(static_cast<unsigned char>(symbol[2])) != 0)
        return {"the CUDA driver API", "cuda"};
    return {};
}

std::string decoded_path(std::string_view text) {
    const auto digit = [&](std::size_t at) { return at < text.size() && text[at] >= '0' && text[at] <= '7'; };
    std::string out;
    for (std::size_t at = 0; at < text.size(); ++at) {
        // \200 to \377 alone: what is ASCII stands for itself.
        const bool escaped = text[at] == '\\' && digit(at + 1) && (text[at + 1] == '2' || text[at + 1] == '3')
                             && digit(at + 2) && digit(at + 3);
        if (!escaped) {
            out += text[at];
            continue;
        }
        out += static_cast<char>((text[at + 1] - '0') * 64 + (text[at + 2] - '0') * 8 + (text[at + 3] - '0'));
        at += 3;
    }
    return out;
}

} // namespace kw::runtime
