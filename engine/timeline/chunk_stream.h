#pragma once

#include "engine/timeline/byte_source.h"
#include "engine/timeline/record_parser.h"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace kw::timeline {

/// The text of a trace from front to back: first here and there (peek, skip), then in chunks.
class ChunkStream {
public:
    explicit ChunkStream(ByteSource& source) : source_(source) {}

    /// What has been read and not been skipped. fill() adds to it.
    [[nodiscard]] std::string_view text() const { return std::string_view(pending_).substr(at_); }
    [[nodiscard]] std::uint64_t offset() const { return offset_ + at_; }
    void skip(std::size_t bytes);
    /// False at the end.
    [[nodiscard]] Result<bool> fill();
    /// Puts text back in front that was taken with next_chunk().
    void put_back(std::string text, std::uint64_t offset);

    /// Text of about kChunkBytes that most likely ends between two records; empty at the end. `reuse` may give its
    /// memory. An element longer than kLongestRecord is an error.
    [[nodiscard]] Result<std::unique_ptr<Chunk>> next_chunk(std::unique_ptr<Chunk> reuse);

    static constexpr std::size_t kChunkBytes = std::size_t{4} << 20;
    static constexpr std::size_t kLongestRecord = std::size_t{64} << 20;

private:
    ByteSource& source_;
    std::string pending_;
    std::size_t at_ = 0;       ///< into pending_
    std::uint64_t offset_ = 0; ///< of pending_ in the source
    bool ended_ = false;
};

} // namespace kw::timeline
