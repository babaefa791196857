#include "engine/timeline/chrome_trace.h"

#include "engine/base/parallel.h"
#include "engine/timeline/chrome_details.h"
#include "engine/timeline/chunk_stream.h"
#include "engine/timeline/json_scanner.h"
#include "engine/timeline/record_parser.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>
#include <vector>

namespace kw::timeline {
namespace {

/// Reading is most of the work; the rest is the builder's.
constexpr double kReadingShare = 0.8;

std::unexpected<Error> not_a_trace(std::string_view why) {
    return fail(
        Stage::profile, ErrorCode::invalid_input,
        fmt::format("this is not a trace: {}; Chrome's trace format is a JSON object with \"traceEvents\", or an "
                    "array of events",
                    why));
}

class Reader {
public:
    Reader(std::shared_ptr<ByteSource> source, std::stop_token stop, const Progress& progress)
        : source_(std::move(source)),
          stop_(std::move(stop)),
          progress_(progress),
          stream_(*source_),
          builder_(worker_count() + 1) {
        for (std::uint32_t i = 0; i < builder_.shards(); ++i)
            parsers_.push_back(std::make_unique<RecordParser>(builder_.shard(i), i));
        builder_.set_decode(unescape_json);
    }

    Result<std::shared_ptr<const Store>> read();

private:
    struct Job {
        std::unique_ptr<Chunk> chunk;
        ParsedChunk parsed;
    };

    [[nodiscard]] Result<char> next_byte(); ///< the next that is no space, not skipped; 0 at the end
    [[nodiscard]] Result<std::optional<std::string>> value(std::size_t keep);
    [[nodiscard]] Result<bool> top_level();
    [[nodiscard]] Result<void> records();
    [[nodiscard]] bool settle(std::vector<Job>& jobs);
    [[nodiscard]] bool repair(Chunk& chunk, std::string& rest);
    void commit(ParsedChunk&& parsed);
    void put_back(std::vector<Job>& jobs, std::size_t job, std::size_t from);
    void tell();

    std::shared_ptr<ByteSource> source_;
    std::stop_token stop_;
    const Progress& progress_;
    ChunkStream stream_;
    Builder builder_;
    std::vector<std::unique_ptr<RecordParser>> parsers_;
    std::vector<std::unique_ptr<Chunk>> spare_;
    std::map<std::string, std::string, std::less<>> header_;
    std::map<std::string, std::pair<std::string, std::string>> group_labels_; ///< key → name and note
    ParsedChunk seen_;                                                        ///< tallies of all that was committed
    std::string truncated_;
    std::uint64_t records_ = 0;
    bool has_records_ = false;
};

Result<char> Reader::next_byte() {
    for (;;) {
        const auto text = stream_.text();
        const auto found = std::ranges::find_if_not(text, is_json_space);
        const bool there = found != text.end();
        const char byte = there ? *found : '\0';
        stream_.skip(static_cast<std::size_t>(found - text.begin()));
        if (there) return byte;
        const auto more = stream_.fill();
        if (!more) return std::unexpected(more.error());
        if (!*more) return '\0';
    }
}

/// Skips a value. Its text when it has at most `keep` bytes; nothing when the source ends within it.
Result<std::optional<std::string>> Reader::value(std::size_t keep) {
    ValueScanner scanner;
    std::string kept;
    while (!scanner.done()) {
        if (stop_.stop_requested()) return fail(Stage::profile, ErrorCode::cancelled, "opening the trace was stopped");
        const auto text = stream_.text();
        const std::size_t used = scanner.feed(text);
        if (kept.size() <= keep) kept.append(text.substr(0, used));
        stream_.skip(used);
        if (scanner.done()) break;
        const auto more = stream_.fill();
        if (!more) return std::unexpected(more.error());
        if (!*more) return std::optional<std::string>{};
    }
    return kept.size() <= keep ? std::optional(std::move(kept)) : std::optional<std::string>("");
}

/// Members of the object up to the events, or up to the end: false.
Result<bool> Reader::top_level() {
    constexpr std::size_t kKeep = std::size_t{16} << 10;
    for (;;) {
        const auto byte = next_byte();
        if (!byte) return std::unexpected(byte.error());
        if (*byte == '}') return false;
        if (*byte == ',') {
            stream_.skip(1);
            continue;
        }
        const std::uint64_t at = stream_.offset();
        const auto cut = [&] {
            truncated_ = fmt::format("the trace is cut short at byte {}; what came before is shown", stream_.offset());
            return false;
        };
        if (*byte == '\0') return cut();
        if (*byte != '"') {
            if (!has_records_) return not_a_trace(fmt::format("byte {} is not JSON", at));
            truncated_ = fmt::format("what follows byte {} is not JSON and is left out", at);
            return false;
        }
        const auto key = value(kKeep);
        if (!key) return std::unexpected(key.error());
        if (!*key) return cut();
        const auto colon = next_byte();
        if (!colon) return std::unexpected(colon.error());
        if (*colon == '\0') return cut();
        if (*colon != ':') {
            if (!has_records_) return not_a_trace(fmt::format("a ':' is missing at byte {}", stream_.offset()));
            return cut();
        }
        stream_.skip(1);
        const auto first = next_byte();
        if (!first) return std::unexpected(first.error());
        if (**key == "\"traceEvents\"" && *first == '[') {
            stream_.skip(1);
            return true;
        }
        auto text = value(kKeep);
        if (!text) return std::unexpected(text.error());
        if (!*text) return cut();
        header_[(*key)->substr(1, (*key)->size() - 2)] = std::move(**text);
    }
}

void Reader::commit(ParsedChunk&& parsed) {
    seen_.not_records.add(parsed.not_records);
    seen_.no_time.add(parsed.no_time);
    seen_.bad_duration.add(parsed.bad_duration);
    seen_.bad_value.add(parsed.bad_value);
    seen_.unknown_phase.add(parsed.unknown_phase);
    seen_.not_utf8.add(parsed.not_utf8);
    seen_.long_names.add(parsed.long_names);
    for (Metadata& m : parsed.metadata) switch (m.kind) {
        case Metadata::Kind::group_label: group_labels_[m.group].first = std::move(m.text); break;
        case Metadata::Kind::group_note: group_labels_[m.group].second = std::move(m.text); break;
        case Metadata::Kind::group_order: builder_.order_group(m.group, m.order); break;
        case Metadata::Kind::lane_label: builder_.label_lane(m.group, m.lane, std::move(m.text)); break;
        case Metadata::Kind::lane_order: builder_.order_lane(m.group, m.lane, m.order); break;
        }
    records_ += parsed.batch.events.size() + parsed.batch.flows.size() + parsed.batch.asyncs.size()
                + parsed.batch.samples.size() + parsed.metadata.size();
    builder_.commit(std::move(parsed.batch));
}

/// Takes the elements of a chunk one by one where they cannot be taken together. False when the array ends in it;
/// `rest` is what follows, or an element that goes on in the next chunk.
bool Reader::repair(Chunk& chunk, std::string& rest) {
    const std::string_view text = chunk.text();
    std::size_t at = 0;
    for (;;) {
        const Element element = next_element(text, at);
        switch (element.kind) {
        case Element::Kind::value: {
            Chunk one(element.end - element.begin);
            one.size = text.copy(one.data(), element.end - element.begin, element.begin);
            one.offset = chunk.offset + element.begin;
            auto parsed = parsers_.front()->parse(one);
            if (parsed.outcome == ParsedChunk::Outcome::complete)
                commit(std::move(parsed));
            else
                seen_.not_records.add(one.offset);
            at = element.end;
            break;
        }
        case Element::Kind::cut: rest = text.substr(element.begin); return true;
        case Element::Kind::array_end: rest = text.substr(element.end); return false;
        case Element::Kind::nonsense:
            truncated_ = fmt::format("what follows byte {} cannot be in an array of events and is left out",
                                     chunk.offset + element.begin);
            rest.clear();
            return false;
        }
    }
}

/// Puts text of `job` from `from` on, and of all later jobs, back into the stream.
void Reader::put_back(std::vector<Job>& jobs, std::size_t job, std::size_t from) {
    const std::uint64_t offset = jobs[job].chunk->offset + from;
    std::string text(jobs[job].chunk->text().substr(from));
    for (std::size_t i = job + 1; i < jobs.size(); ++i) text += jobs[i].chunk->text();
    stream_.put_back(std::move(text), offset);
}

/// Commits what was parsed, in order. A chunk begins between two records if the one before ended there, so what follows
/// a chunk that did not end as guessed is read again. False when the array has ended.
bool Reader::settle(std::vector<Job>& jobs) {
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        Job& job = jobs[i];
        if (job.parsed.outcome == ParsedChunk::Outcome::complete) {
            commit(std::move(job.parsed));
            continue;
        }
        if (job.parsed.outcome == ParsedChunk::Outcome::closed) {
            const std::size_t after = job.parsed.closed_at + 1;
            commit(std::move(job.parsed));
            put_back(jobs, i, after);
            return false;
        }
        std::string rest;
        const bool goes_on = repair(*job.chunk, rest);
        put_back(jobs, i, job.chunk->size - rest.size());
        return goes_on;
    }
    return true;
}

Result<void> Reader::records() {
    has_records_ = true;
    const std::size_t width = parsers_.size();
    std::vector<Job> current, next;
    // An element that the next chunk did not complete either will not be completed by the end of the source.
    std::uint64_t repaired_at = UINT64_MAX;
    for (bool first = true;; first = false) {
        if (stop_.stop_requested()) return fail(Stage::profile, ErrorCode::cancelled, "opening the trace was stopped");
        // While some are parsed, the next are read: unpacking takes as long as parsing.
        Result<void> reading;
        std::vector<std::unique_ptr<Chunk>> read;
        const auto work = [&](std::uint64_t begin, std::uint64_t) {
            if (begin > 0) {
                Job& job = current[begin - 1];
                job.parsed = parsers_[begin - 1]->parse(*job.chunk);
                return;
            }
            while (read.size() < width) {
                std::unique_ptr<Chunk> reuse;
                if (!spare_.empty()) {
                    reuse = std::move(spare_.back());
                    spare_.pop_back();
                }
                auto chunk = stream_.next_chunk(std::move(reuse));
                if (!chunk) {
                    reading = std::unexpected(chunk.error());
                    return;
                }
                if ((*chunk)->size == 0) return;
                read.push_back(std::move(*chunk));
            }
        };
        parallel_for(current.size() + 1, 1, work);
        if (!reading) return reading;
        for (auto& chunk : read) next.push_back({std::move(chunk), {}});
        if (!first && current.empty() && next.empty()) {
            truncated_ = "the array of events does not end; what is there is shown";
            return {};
        }
        const bool all_complete = std::ranges::all_of(
            current, [](const Job& j) { return j.parsed.outcome == ParsedChunk::Outcome::complete; });
        if (!all_complete) {
            // Text of chunks read ahead goes back too, behind what settle() puts back.
            const std::size_t parsed = current.size();
            for (Job& job : next) current.push_back(std::move(job));
            next.clear();
            std::vector<Job> ahead(std::make_move_iterator(current.begin() + static_cast<std::ptrdiff_t>(parsed)),
                                   std::make_move_iterator(current.end()));
            current.resize(parsed);
            if (!ahead.empty()) put_back(ahead, 0, 0);
            if (!settle(current)) return {};
            const std::uint64_t left = stream_.offset();
            if (ahead.empty() && left == repaired_at) {
                truncated_ =
                    fmt::format("the trace ends within the record at byte {}; what came before is shown", left);
                return {};
            }
            repaired_at = left;
        } else if (!settle(current)) {
            return {};
        }
        for (Job& job : current)
            if (job.chunk && spare_.size() < 2 * width) spare_.push_back(std::move(job.chunk));
        current = std::move(next);
        next.clear();
        if (progress_) progress_(kReadingShare * source_->fraction());
    }
}

void Reader::tell() {
    const auto tell = [&](const Tally& tally, std::string_view what) {
        if (tally.count > 0) builder_.warn(fmt::format("{} {} (first at byte {})", tally.count, what, tally.first));
    };
    if (!truncated_.empty()) builder_.warn(truncated_);
    if (const auto why = source_->cut_short(); !why.empty()) builder_.warn(why);
    tell(seen_.not_records, "elements of the array are no events and are left out");
    tell(seen_.no_time, "events have no usable \"ts\" and are left out");
    tell(seen_.bad_duration, "events have a negative or unusable \"dur\" and are shown as instants");
    tell(seen_.bad_value, "values of counters or names could not be read and are left out");
    tell(seen_.unknown_phase, "events are of a kind that is not shown");
    tell(seen_.not_utf8, "pieces of the text are not UTF-8; the bytes in question are shown as '?'");
    tell(seen_.long_names, "names are very long and are cut");
}

Result<std::shared_ptr<const Store>> Reader::read() {
    const auto more = stream_.fill();
    if (!more) return std::unexpected(more.error());
    constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";
    if (stream_.text().starts_with(kByteOrderMark)) stream_.skip(kByteOrderMark.size());
    const auto byte = next_byte();
    if (!byte) return std::unexpected(byte.error());
    if (*byte == '\0') return not_a_trace("it is empty");
    if (*byte != '[' && *byte != '{')
        return not_a_trace(fmt::format("it begins with {:?}", std::string_view(&*byte, 1)));
    stream_.skip(1);
    if (*byte == '[') {
        if (auto done = records(); !done) return std::unexpected(done.error());
    } else {
        for (;;) {
            const auto found = top_level();
            if (!found) return std::unexpected(found.error());
            if (!*found) break;
            if (auto done = records(); !done) return std::unexpected(done.error());
            if (!truncated_.empty()) break;
        }
        if (!has_records_) return not_a_trace("the object has no \"traceEvents\"");
    }
    if (records_ == 0 && seen_.no_time.count + seen_.unknown_phase.count == 0 && seen_.not_records.count > 0)
        return not_a_trace("its array holds no events");
    for (const auto& [key, label] : group_labels_) {
        const auto& [name, note] = label;
        // Kineto calls its devices by the name of the program and notes which they are.
        if (note.starts_with("GPU"))
            builder_.label_group(key, note);
        else if (!name.empty())
            builder_.label_group(key, note.empty() ? fmt::format("{} {}", name, key)
                                                   : fmt::format("{} {} ({})", name, key, note));
    }
    builder_.set_default_labels("process ", "thread ");
    if (const auto base = header_.find("baseTimeNanoseconds"); base != header_.end()) {
        const std::string& text = base->second;
        Ns epoch = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), epoch);
        if (error == std::errc{} && epoch > 0 && epoch < kLatest) builder_.set_epoch(epoch);
    }
    tell();
    builder_.set_details(std::make_shared<ChromeDetails>(source_));
    return builder_.finish(stop_, progress_);
}

} // namespace

Result<std::shared_ptr<const Store>> read_chrome_trace(std::unique_ptr<ByteSource> source, std::stop_token stop,
                                                       const Progress& progress) {
    return Reader(std::move(source), std::move(stop), progress).read();
}

} // namespace kw::timeline
