#pragma once

#include <zip.h>
#include <zlib.h>
#include <zstd.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// Zip archives that a test makes, honest and not.
namespace kw::test {

inline constexpr int kZstd = 93; ///< which libzip of Debian 12 does not write

using Entries = std::vector<std::pair<std::string, std::string>>;

/// Written by hand, so that methods that libzip lacks, sizes that are wrong and names that lead out can be made.
class ZipWriter {
public:
    void add(std::string_view name, std::string_view packed, std::uint32_t size, std::uint32_t crc, int method) {
        const auto offset = static_cast<std::uint32_t>(bytes_.size());
        const auto head = [&](std::string& to) {
            number(to, 20, 2);
            number(to, 0, 2);
            number(to, static_cast<std::uint32_t>(method), 2);
            number(to, 0, 4); // time and date
            number(to, crc, 4);
            number(to, static_cast<std::uint32_t>(packed.size()), 4);
            number(to, size, 4);
            number(to, static_cast<std::uint32_t>(name.size()), 2);
            number(to, 0, 2);
        };
        bytes_ += "PK\3\4";
        head(bytes_);
        bytes_ += name;
        bytes_ += packed;
        directory_ += "PK\1\2";
        number(directory_, 20, 2);
        head(directory_);
        number(directory_, 0, 2 + 2 + 2 + 4); // comment, disk, attributes
        number(directory_, offset, 4);
        directory_ += name;
        ++count_;
    }
    std::string finish() {
        const auto start = static_cast<std::uint32_t>(bytes_.size());
        bytes_ += directory_;
        bytes_ += "PK\5\6";
        number(bytes_, 0, 4);
        number(bytes_, count_, 2);
        number(bytes_, count_, 2);
        number(bytes_, static_cast<std::uint32_t>(directory_.size()), 4);
        number(bytes_, start, 4);
        number(bytes_, 0, 2);
        return std::move(bytes_);
    }

private:
    static void number(std::string& to, std::uint32_t value, int bytes) {
        for (int i = 0; i < bytes; ++i) to += static_cast<char>(i < 4 ? value >> (8 * i) & 0xFF : 0);
    }
    std::string bytes_, directory_;
    std::uint32_t count_ = 0;
};

inline std::string packed_by(std::string_view text, int method) {
    if (method == ZIP_CM_STORE) return std::string{text};
    std::string packed;
    if (method == kZstd) {
        packed.resize(ZSTD_compressBound(text.size()));
        packed.resize(ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), 3));
        return packed;
    }
    packed.resize(compressBound(text.size()) + 64);
    z_stream stream{};
    deflateInit2(&stream, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream.avail_in = static_cast<uInt>(text.size());
    stream.next_out = reinterpret_cast<Bytef*>(packed.data());
    stream.avail_out = static_cast<uInt>(packed.size());
    deflate(&stream, Z_FINISH);
    packed.resize(stream.total_out);
    deflateEnd(&stream);
    return packed;
}

inline std::uint32_t crc_of(std::string_view text) {
    return static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(text.data()), text.size()));
}

inline std::string zip_of(const Entries& entries, int method) {
    ZipWriter writer;
    for (const auto& [name, text] : entries)
        writer.add(name, packed_by(text, method), static_cast<std::uint32_t>(text.size()), crc_of(text), method);
    return writer.finish();
}

} // namespace kw::test
