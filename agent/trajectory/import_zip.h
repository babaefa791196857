#pragma once

#include "engine/base/result.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct zip;

namespace kw::trajectory {

/// A zip archive in memory, of which entries are read into memory: stored, deflated or zstd. Nothing is ever written
/// to where a name says. An entry of more than 256 MiB, all of more than 1 GiB, or much larger than what is packed are
/// refused: archives can be made to unpack to anything.
class ZipArchive {
public:
    struct Entry {
        std::string name;
        std::uint64_t index = 0;
        std::uint64_t size = 0; ///< unpacked, as the archive says
        std::uint64_t packed = 0;
        std::uint32_t crc = 0;
        std::uint16_t method = 0;
    };
    [[nodiscard]] static Result<ZipArchive> open(std::string bytes, const std::string& name);
    [[nodiscard]] const std::vector<Entry>& entries() const { return entries_; }
    [[nodiscard]] Result<std::string> read(const Entry& entry);

    /// A file right below a folder: "samples/1.json", never "samples/../1.json" or "samples/a/1.json".
    [[nodiscard]] static bool is_below(std::string_view name, std::string_view folder, std::string_view ending);

private:
    struct Close {
        void operator()(zip* archive) const;
    };
    std::string name_;
    std::unique_ptr<std::string> bytes_; ///< which the archive points into
    std::unique_ptr<zip, Close> archive_;
    std::vector<Entry> entries_;
};

} // namespace kw::trajectory
