#include "agent/trajectory/import_zip.h"

#include <fmt/format.h>
#include <zip.h>
#include <zlib.h>
#include <zstd.h>

#include <utility>

namespace kw::trajectory {
namespace {

constexpr std::uint64_t kLargestEntry = std::uint64_t{256} << 20;
constexpr std::uint64_t kLargestAll = std::uint64_t{1} << 30;
constexpr std::uint64_t kMostEntries = 200'000;
/// Logs that repeat themselves shrink to a hundredth; what shrinks far more than that holds nothing.
constexpr std::uint64_t kLargestRatio = 500;
constexpr std::uint64_t kSmall = std::uint64_t{4} << 20;
/// libzip of Debian 12 does not unpack it, but hands out its bytes.
constexpr std::uint16_t kZstd = 93;

struct CloseFile {
    void operator()(zip_file_t* file) const { zip_fclose(file); }
};

} // namespace

void ZipArchive::Close::operator()(zip* archive) const { zip_discard(archive); }

bool ZipArchive::is_below(std::string_view name, std::string_view folder, std::string_view ending) {
    if (!name.starts_with(folder) || !name.ends_with(ending)) return false;
    if (name.size() <= folder.size() + ending.size()) return false;
    return name.substr(folder.size()).find_first_of("/\\") == std::string_view::npos;
}

Result<ZipArchive> ZipArchive::open(std::string bytes, const std::string& name) {
    const auto refuse = [&name](std::string_view why) {
        return fail(Stage::usage, ErrorCode::invalid_input, fmt::format("'{}' {}", name, why), {name});
    };
    ZipArchive archive;
    archive.name_ = name;
    archive.bytes_ = std::make_unique<std::string>(std::move(bytes));
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t* source = zip_source_buffer_create(archive.bytes_->data(), archive.bytes_->size(), 0, &error);
    zip_t* opened = source ? zip_open_from_source(source, ZIP_RDONLY, &error) : nullptr;
    if (!opened) {
        if (source) zip_source_free(source);
        const std::string why = zip_error_strerror(&error);
        zip_error_fini(&error);
        return refuse(fmt::format("is a zip archive that is damaged or cut short ({})", why));
    }
    zip_error_fini(&error);
    archive.archive_.reset(opened);
    const auto count = static_cast<std::uint64_t>(std::max<zip_int64_t>(0, zip_get_num_entries(opened, 0)));
    if (count > kMostEntries) return refuse(fmt::format("has {} entries; at most {} are read", count, kMostEntries));
    std::uint64_t all = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        zip_stat_t stat;
        zip_stat_init(&stat);
        constexpr zip_uint64_t kNeeded =
            ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD | ZIP_STAT_CRC;
        if (zip_stat_index(opened, i, 0, &stat) != 0 || (stat.valid & kNeeded) != kNeeded) continue;
        archive.entries_.push_back({.name = stat.name,
                                    .index = i,
                                    .size = stat.size,
                                    .packed = stat.comp_size,
                                    .crc = stat.crc,
                                    .method = stat.comp_method});
        all += stat.size;
        // Before anything is unpacked: one text may go by many names.
        if (stat.size > kLargestAll || all > kLargestAll)
            return refuse(fmt::format("unpacks to more than {} MiB, which is not read", kLargestAll >> 20));
    }
    return archive;
}

Result<std::string> ZipArchive::read(const Entry& entry) {
    const auto refuse = [&](std::string_view why) {
        return fail(Stage::usage, ErrorCode::invalid_input, fmt::format("'{}' of '{}' {}", entry.name, name_, why),
                    {name_});
    };
    if (entry.size > kLargestEntry)
        return refuse(fmt::format("unpacks to {} MiB; at most {} are read", entry.size >> 20, kLargestEntry >> 20));
    if (entry.size > kSmall && entry.size / kLargestRatio > entry.packed)
        return refuse(fmt::format("unpacks to more than {} times its size, which no log does", kLargestRatio));
    const bool zstd = entry.method == kZstd;
    const std::unique_ptr<zip_file_t, CloseFile> file{
        zip_fopen_index(archive_.get(), entry.index, zstd ? ZIP_FL_COMPRESSED : 0)};
    if (!file) return refuse(fmt::format("cannot be unpacked ({})", zip_strerror(archive_.get())));
    std::string text;
    const auto expected = zstd ? entry.packed : entry.size;
    if (zstd && expected > bytes_->size()) return refuse("is damaged or cut short");
    text.resize(expected);
    std::size_t got = 0;
    while (got < text.size()) {
        const auto piece = zip_fread(file.get(), text.data() + got, text.size() - got);
        if (piece <= 0) break;
        got += static_cast<std::size_t>(piece);
    }
    char beyond = 0;
    if (got != text.size() || zip_fread(file.get(), &beyond, 1) != 0) return refuse("is damaged or cut short");
    if (!zstd) return text;
    // Never more than the archive says, whatever is packed.
    std::string unpacked(entry.size, '\0');
    const auto size = ZSTD_decompress(unpacked.data(), unpacked.size(), text.data(), text.size());
    if (ZSTD_isError(size) || size != unpacked.size()
        || crc32_z(0, reinterpret_cast<const Bytef*>(unpacked.data()), unpacked.size()) != entry.crc)
        return refuse("is damaged or cut short");
    return unpacked;
}

} // namespace kw::trajectory
