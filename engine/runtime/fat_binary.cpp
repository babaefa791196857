#include "engine/runtime/fat_binary.h"

#include <elf.h>
#include <fmt/format.h>

#include <cstring>
#include <optional>
#include <string_view>

namespace kw::runtime {
namespace {

constexpr std::uint32_t kWrapperMagic = 0x466243b1;
constexpr std::uint32_t kContainerMagic = 0xba55ed50;
constexpr std::uint16_t kPtxEntry = 1;
constexpr std::uint16_t kElfEntry = 2;

struct Wrapper {
    std::uint32_t magic;
    std::uint32_t version;
    const std::byte* container;
    const void* unused;
};
struct ContainerHeader {
    std::uint32_t magic;
    std::uint16_t version;
    std::uint16_t header_bytes;
    std::uint64_t bytes; ///< after the header
};
struct EntryHeader {
    std::uint16_t kind;
    std::uint16_t version;
    std::uint32_t header_bytes;
    std::uint64_t bytes;
    std::uint32_t compressed_bytes; ///< 0: not compressed
    std::uint32_t options_at;
    std::uint16_t minor;
    std::uint16_t major;
    std::uint32_t arch;
};
static_assert(sizeof(ContainerHeader) == 16 && sizeof(EntryHeader) == 32);

template<class T> std::optional<T> at(std::span<const std::byte> bytes, std::size_t offset) {
    if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return std::nullopt;
    T value;
    std::memcpy(&value, bytes.data() + offset, sizeof(T));
    return value;
}

std::string_view text_at(std::span<const std::byte> bytes, std::size_t offset) {
    if (offset >= bytes.size()) return {};
    const auto* begin = reinterpret_cast<const char*>(bytes.data()) + offset;
    return {begin, strnlen(begin, bytes.size() - offset)};
}

/// An entry of a cubin's section .nv.info: with format 4, `bytes` of data follow.
struct InfoEntry {
    std::uint8_t format;
    std::uint8_t attribute;
    std::uint16_t bytes;
};
/// Its data: a symbol, and how many registers a thread of that kernel has.
struct RegisterCount {
    std::uint32_t symbol;
    std::uint32_t registers;
};
constexpr std::uint8_t kWithData = 4;
constexpr std::uint8_t kRegisterCount = 0x2f;

void read_registers(std::span<const std::byte> cubin, std::map<std::string, std::uint32_t, std::less<>>& out) {
    const auto header = at<Elf64_Ehdr>(cubin, 0);
    if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_shentsize != sizeof(Elf64_Shdr))
        return;
    const auto section = [&](std::size_t index) {
        return at<Elf64_Shdr>(cubin, header->e_shoff + index * sizeof(Elf64_Shdr));
    };
    const auto names = section(header->e_shstrndx);
    std::optional<Elf64_Shdr> symbols, info;
    for (std::size_t index = 0; names && index < header->e_shnum; ++index) {
        const auto entry = section(index);
        if (!entry) return;
        if (entry->sh_type == SHT_SYMTAB) symbols = entry;
        if (text_at(cubin, names->sh_offset + entry->sh_name) == ".nv.info") info = entry;
    }
    if (!symbols || !info) return;
    const auto strings = section(symbols->sh_link);
    for (std::uint64_t offset = 0; strings && offset < info->sh_size;) {
        const auto entry = at<InfoEntry>(cubin, info->sh_offset + offset);
        if (!entry) return;
        const auto data = info->sh_offset + offset + sizeof(InfoEntry);
        offset += sizeof(InfoEntry) + (entry->format == kWithData ? entry->bytes : 0);
        if (entry->format != kWithData || entry->attribute != kRegisterCount) continue;
        const auto count = at<RegisterCount>(cubin, data);
        if (!count) return;
        const auto symbol = at<Elf64_Sym>(cubin, symbols->sh_offset + std::uint64_t{count->symbol} * sizeof(Elf64_Sym));
        if (symbol) out[std::string(text_at(cubin, strings->sh_offset + symbol->st_name))] = count->registers;
    }
}

} // namespace

std::span<const std::byte> container_of(const void* wrapper) {
    Wrapper head{};
    if (!wrapper) return {};
    std::memcpy(&head, wrapper, sizeof head);
    if (head.magic != kWrapperMagic || !head.container) return {};
    ContainerHeader header{};
    std::memcpy(&header, head.container, sizeof header);
    if (header.magic != kContainerMagic) return {};
    return {head.container, header.header_bytes + header.bytes};
}

Result<FatBinary> read_fat_binary(std::span<const std::byte> container) {
    const auto header = at<ContainerHeader>(container, 0);
    if (!header || header->magic != kContainerMagic || header->header_bytes < sizeof(ContainerHeader))
        return fail(Stage::device, ErrorCode::unsupported, "the program's device code is in a form that is not known");
    FatBinary out;
    bool compressed = false;
    for (std::size_t offset = header->header_bytes; offset < container.size();) {
        const auto entry = at<EntryHeader>(container, offset);
        if (!entry || entry->header_bytes < sizeof(EntryHeader) || entry->header_bytes > container.size() - offset
            || entry->bytes > container.size() - offset - entry->header_bytes)
            return fail(Stage::device, ErrorCode::unsupported,
                        "the program's device code is cut short or in a form that is not known");
        const auto payload = container.subspan(offset + entry->header_bytes, entry->bytes);
        offset += entry->header_bytes + entry->bytes;
        if (entry->kind != kPtxEntry && entry->kind != kElfEntry) continue;
        if (entry->compressed_bytes != 0) {
            compressed = true;
        } else if (entry->kind == kPtxEntry) {
            out.ptx.push_back({entry->arch, std::string(text_at(payload, 0))});
        } else {
            read_registers(payload, out.registers);
        }
    }
    if (out.ptx.empty() && compressed)
        return fail(Stage::device, ErrorCode::unsupported,
                    "the program's device code is compressed; build it with nvcc --no-compress");
    return out;
}

} // namespace kw::runtime
