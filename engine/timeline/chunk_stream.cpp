#include "engine/timeline/chunk_stream.h"

#include "engine/timeline/json_scanner.h"

#include <fmt/format.h>

#include <algorithm>

namespace kw::timeline {

void ChunkStream::skip(std::size_t bytes) {
    at_ += bytes;
    if (at_ < pending_.size()) return;
    offset_ += at_;
    pending_.clear();
    at_ = 0;
}

Result<bool> ChunkStream::fill() {
    if (ended_) return false;
    constexpr std::size_t kStep = std::size_t{256} << 10;
    pending_.erase(0, at_);
    offset_ += at_;
    at_ = 0;
    const std::size_t before = pending_.size();
    pending_.resize(before + kStep);
    const auto got = source_.read(pending_.data() + before, kStep);
    pending_.resize(before + (got ? *got : 0));
    if (!got) return std::unexpected(got.error());
    ended_ = *got == 0;
    return !ended_;
}

void ChunkStream::put_back(std::string text, std::uint64_t offset) {
    text.append(pending_, at_);
    pending_ = std::move(text);
    offset_ = offset;
    at_ = 0;
}

Result<std::unique_ptr<Chunk>> ChunkStream::next_chunk(std::unique_ptr<Chunk> reuse) {
    std::size_t wanted = std::max(kChunkBytes, pending_.size() - at_ + kChunkBytes / 4);
    for (;;) {
        auto chunk = reuse && reuse->capacity() >= wanted ? std::move(reuse) : std::make_unique<Chunk>(wanted);
        chunk->offset = offset();
        std::size_t size = pending_.copy(chunk->data(), std::string::npos, at_);
        while (size < wanted && !ended_) {
            const auto got = source_.read(chunk->data() + size, wanted - size);
            if (!got) return std::unexpected(got.error());
            ended_ = *got == 0;
            size += *got;
        }
        const std::string_view all(chunk->data(), size);
        const std::size_t cut = ended_ ? size : last_record_start(all);
        if (cut == 0 && !ended_) {
            if (wanted > kLongestRecord)
                return fail(
                    Stage::profile, ErrorCode::invalid_input,
                    fmt::format("a record that begins at byte {} is longer than {} MB; it cannot be an event of "
                                "a trace",
                                chunk->offset, kLongestRecord >> 20));
            pending_.assign(all);
            offset_ = chunk->offset;
            at_ = 0;
            wanted *= 2;
            continue;
        }
        chunk->size = cut;
        pending_.assign(all.substr(cut));
        offset_ = chunk->offset + cut;
        at_ = 0;
        return chunk;
    }
}

} // namespace kw::timeline
