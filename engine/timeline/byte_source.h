#pragma once

#include "engine/base/result.h"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace kw::timeline {

/// Bytes that are read once from front to back, and later here and there.
class ByteSource {
public:
    virtual ~ByteSource() = default;
    /// Up to `capacity` bytes; 0 at the end. What is compressed may end early: see cut_short().
    [[nodiscard]] virtual Result<std::size_t> read(char* to, std::size_t capacity) = 0;
    /// Bytes at an offset that read() has passed; fewer at the end. Not while read() runs.
    [[nodiscard]] virtual Result<std::string> read_at(std::uint64_t offset, std::size_t size) = 0;
    /// How much of the source read() has consumed, from 0 to 1.
    [[nodiscard]] virtual double fraction() const = 0;
    /// Why read() came to an end before the data did, a sentence; empty when it did not.
    [[nodiscard]] virtual std::string cut_short() const { return {}; }
    /// What is held to find offsets again.
    [[nodiscard]] virtual std::uint64_t memory_bytes() const { return 0; }
};

/// A file, unpacked when it begins as gzip does.
[[nodiscard]] Result<std::unique_ptr<ByteSource>> open_source(const std::filesystem::path& path);
/// Bytes in memory, unpacked likewise.
[[nodiscard]] Result<std::unique_ptr<ByteSource>> memory_source(std::string bytes);

} // namespace kw::timeline
