#pragma once

#include "engine/timeline/builder.h"

#include <simdjson.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

/// Events of the trace format of Chrome's tracing (and of Kineto, which writes it), a chunk of text at a time.
namespace kw::timeline {

/// Some elements of an array of records, without its brackets: `record, record, record`, perhaps with a comma at the
/// end. There is room around the text for what the parser needs.
class Chunk {
public:
    explicit Chunk(std::size_t capacity)
        : bytes_(std::make_unique_for_overwrite<char[]>(capacity + 2 + simdjson::SIMDJSON_PADDING)),
          capacity_(capacity) {}
    [[nodiscard]] char* data() { return bytes_.get() + 1; }
    [[nodiscard]] std::string_view text() const { return {bytes_.get() + 1, size}; }
    [[nodiscard]] std::size_t capacity() const { return capacity_; }

    std::size_t size = 0;
    std::uint64_t offset = 0; ///< of the text in its source

private:
    friend class RecordParser;
    std::unique_ptr<char[]> bytes_;
    std::size_t capacity_;
};

/// How often something was wrong, and where first.
struct Tally {
    std::uint64_t count = 0;
    std::uint64_t first = 0; ///< offset of the record
    void add(std::uint64_t offset) {
        if (count++ == 0) first = offset;
    }
    void add(const Tally& other) {
        if (count == 0) first = other.first;
        count += other.count;
    }
};

/// What a record of phase M says.
struct Metadata {
    enum class Kind { group_label, group_note, group_order, lane_label, lane_order } kind;
    std::string group;
    std::string lane;
    std::string text;
    double order = 0;
};

struct ParsedChunk {
    enum class Outcome {
        complete,
        closed, ///< a ']' ended the array within the chunk, at `closed_at`
        broken, ///< not a sequence of whole values; nothing of it counts
    } outcome = Outcome::broken;
    std::size_t closed_at = 0;
    Batch batch;
    std::vector<Metadata> metadata;
    Tally not_records, no_time, bad_duration, bad_value, unknown_phase, not_utf8, long_names;
};

/// One per thread; numbers are of the shard given.
class RecordParser {
public:
    RecordParser(Shard& shard, std::uint32_t shard_index) : shard_(shard), shard_index_(shard_index) {}
    /// May replace bytes that are not UTF-8 in the chunk. Its text may be at most 4 GB.
    [[nodiscard]] ParsedChunk parse(Chunk& chunk);

private:
    struct Fields;
    [[nodiscard]] ParsedChunk::Outcome parse_array(const Chunk& chunk, std::size_t size, ParsedChunk& out);
    void take(const Fields& fields, ParsedChunk& out, std::uint64_t base);
    void take_metadata(const Fields& fields, ParsedChunk& out, std::uint64_t offset);
    void take_counter(const Fields& fields, ParsedChunk& out, Ns at, std::uint64_t offset);
    [[nodiscard]] std::uint32_t name_of(const Fields& fields, ParsedChunk& out, std::uint64_t offset);

    Shard& shard_;
    std::uint32_t shard_index_;
    simdjson::ondemand::parser parser_;
    simdjson::ondemand::parser arguments_parser_;
    std::string arguments_;
    std::unordered_set<std::uint32_t> async_lanes_;
};

/// A decimal number of µs, exactly, in ns; half a ns rounds away from zero. Quotes around it are allowed. Nothing when
/// it is no number or no time that the timeline can hold.
[[nodiscard]] std::optional<Ns> parse_us(std::string_view token);

} // namespace kw::timeline
