#include "engine/profile/trace/wire.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

namespace kw::trace {
namespace {

using profile::Activity;

enum class Tag : std::uint8_t { process = 1, device, thread, name, activity, losses, problem, end };

constexpr std::size_t kLengthBytes = 4;
constexpr std::uint32_t kMaxFrame = 1u << 20;
/// Longer texts are cut: a kernel's name may run to tens of kilobytes, and no reader is served by more.
constexpr std::size_t kMaxText = 64u << 10;
constexpr std::size_t kMaxNames = 1u << 22;

/// One frame being written: its length is known when it ends.
class FrameWriter {
public:
    FrameWriter(std::string& bytes, Tag tag) : bytes_(bytes), start_(bytes.size()) {
        bytes_.append(kLengthBytes, '\0');
        bytes_.push_back(static_cast<char>(tag));
    }
    ~FrameWriter() {
        const auto length = static_cast<std::uint32_t>(bytes_.size() - start_ - kLengthBytes);
        for (std::size_t i = 0; i < kLengthBytes; ++i) bytes_[start_ + i] = static_cast<char>(length >> (8 * i));
    }
    FrameWriter(const FrameWriter&) = delete;
    FrameWriter& operator=(const FrameWriter&) = delete;

    /// Seven bits a byte, the low ones first.
    void number(std::uint64_t value) {
        for (; value >= 0x80; value >>= 7) bytes_.push_back(static_cast<char>(value | 0x80));
        bytes_.push_back(static_cast<char>(value));
    }
    void text(std::string_view value) {
        value = value.substr(0, kMaxText);
        number(value.size());
        bytes_.append(value);
    }
    template<class... Numbers> void numbers(Numbers... values) { (number(values), ...); }

private:
    std::string& bytes_;
    std::size_t start_;
};

/// The payload of one frame. After a read past its end `good` is false and values are zero.
class FrameReader {
public:
    explicit FrameReader(std::string_view bytes) : bytes_(bytes) {}

    std::uint64_t number() {
        std::uint64_t value = 0;
        for (unsigned shift = 0; shift < 64; shift += 7) {
            if (bytes_.empty()) break;
            const auto byte = static_cast<std::uint8_t>(bytes_.front());
            bytes_.remove_prefix(1);
            value |= std::uint64_t{byte & 0x7fu} << shift;
            if (byte < 0x80) return value;
        }
        good_ = false;
        return 0;
    }
    std::uint32_t small() {
        const auto value = number();
        if (value > 0xffffffffu) good_ = false;
        return static_cast<std::uint32_t>(value);
    }
    std::string text() {
        const auto size = number();
        if (size > bytes_.size()) {
            good_ = false;
            return {};
        }
        std::string value{bytes_.substr(0, size)};
        bytes_.remove_prefix(size);
        return value;
    }
    [[nodiscard]] bool good() const { return good_; }

private:
    std::string_view bytes_;
    bool good_ = true;
};

void write_dim(FrameWriter& frame, const device::Dim3& dim) { frame.numbers(dim.x, dim.y, dim.z); }

device::Dim3 read_dim(FrameReader& frame) {
    device::Dim3 dim;
    dim.x = frame.small();
    dim.y = frame.small();
    dim.z = frame.small();
    return dim;
}

Activity read_activity(FrameReader& frame, const std::vector<std::string>& names, std::uint32_t pid, bool& good) {
    Activity activity;
    const auto kind = frame.number();
    good = kind <= static_cast<std::uint64_t>(Activity::Kind::call);
    if (good) activity.kind = static_cast<Activity::Kind>(kind);
    const auto name = frame.number();
    good = good && name < names.size();
    if (good) activity.name = names[name];
    activity.start_ns = frame.number();
    activity.end_ns = activity.start_ns + frame.number();
    activity.process = pid;
    activity.thread = frame.small();
    activity.device = frame.small();
    activity.context = frame.small();
    activity.stream = frame.small();
    activity.correlation = frame.small();
    activity.bytes = frame.number();
    if (activity.kind == Activity::Kind::kernel) {
        activity.grid = read_dim(frame);
        activity.block = read_dim(frame);
        activity.cluster = read_dim(frame);
        activity.registers = frame.small();
        activity.static_shared_bytes = frame.small();
        activity.dynamic_shared_bytes = frame.small();
        activity.local_bytes = frame.small();
        activity.occupancy = std::bit_cast<float>(frame.small());
    }
    good = good && frame.good() && activity.end_ns >= activity.start_ns;
    return activity;
}

} // namespace

void Encoder::add(const Activity& activity) {
    const auto [entry, is_new] = names_.try_emplace(activity.name, static_cast<std::uint32_t>(names_.size()));
    if (is_new) FrameWriter{bytes_, Tag::name}.text(activity.name);
    FrameWriter frame{bytes_, Tag::activity};
    frame.numbers(static_cast<std::uint64_t>(activity.kind), entry->second, activity.start_ns,
                  activity.end_ns - activity.start_ns, activity.thread, activity.device, activity.context,
                  activity.stream, activity.correlation, activity.bytes);
    if (activity.kind != Activity::Kind::kernel) return;
    write_dim(frame, activity.grid);
    write_dim(frame, activity.block);
    write_dim(frame, activity.cluster);
    frame.numbers(activity.registers, activity.static_shared_bytes, activity.dynamic_shared_bytes, activity.local_bytes,
                  std::bit_cast<std::uint32_t>(static_cast<float>(activity.occupancy)));
}

void Encoder::add(const ProcessEvent& event) {
    FrameWriter frame{bytes_, Tag::process};
    frame.numbers(event.pid, event.parent);
    for (const auto* text : {&event.name, &event.command, &event.cupti}) frame.text(*text);
    frame.numbers(event.clock_ns, event.system_ns);
}

void Encoder::add(const DeviceEvent& event) {
    FrameWriter frame{bytes_, Tag::device};
    frame.number(event.id);
    frame.text(event.name);
    frame.numbers(static_cast<std::uint64_t>(event.capability), event.multiprocessors, event.memory_bytes);
}

void Encoder::add(const ThreadEvent& event) {
    FrameWriter frame{bytes_, Tag::thread};
    frame.number(event.tid);
    frame.text(event.name);
}

void Encoder::add(const LossesEvent& event) {
    FrameWriter{bytes_, Tag::losses}.numbers(event.not_kept, event.dropped, event.unfinished, event.malformed);
}

void Encoder::add(const ProblemEvent& event) { FrameWriter{bytes_, Tag::problem}.text(event.message); }

void Encoder::add(const EndEvent&) { const FrameWriter frame{bytes_, Tag::end}; }

std::string Encoder::take() { return std::exchange(bytes_, {}); }

void Decoder::feed(std::string_view bytes) {
    // What has been read goes now and then, so that a long stream costs no more memory than a short one.
    if (at_ > buffer_.size() / 2) {
        buffer_.erase(0, at_);
        offset_ += at_;
        at_ = 0;
    }
    buffer_.append(bytes);
}

std::unexpected<Error> Decoder::malformed(std::string_view what) {
    broken_ = true;
    return fail(
        Stage::profile, ErrorCode::invalid_input,
        fmt::format("the process's stream is damaged at byte {} ({}); what came before is kept", offset_ + at_, what));
}

Result<std::optional<Event>> Decoder::next() {
    if (broken_) return std::optional<Event>{};
    if (!started_) {
        const auto have = std::string_view{buffer_}.substr(0, kMagic.size());
        if (have != kMagic.substr(0, have.size())) return malformed("it does not start as one");
        if (have.size() < kMagic.size()) return std::optional<Event>{};
        at_ = kMagic.size();
        started_ = true;
    }
    for (;;) {
        const auto rest = std::string_view{buffer_}.substr(at_);
        if (rest.size() < kLengthBytes) return std::optional<Event>{};
        std::uint32_t length = 0;
        for (std::size_t i = 0; i < kLengthBytes; ++i)
            length |= std::uint32_t{static_cast<std::uint8_t>(rest[i])} << (8 * i);
        if (length == 0 || length > kMaxFrame) return malformed("impossible length");
        if (rest.size() < kLengthBytes + length) return std::optional<Event>{};
        const auto tag = static_cast<Tag>(rest[kLengthBytes]);
        FrameReader frame{rest.substr(kLengthBytes + 1, length - 1)};
        std::optional<Event> event;
        bool good = true;
        switch (tag) {
        case Tag::process: {
            ProcessEvent process;
            process.pid = frame.small();
            process.parent = frame.small();
            process.name = frame.text();
            process.command = frame.text();
            process.cupti = frame.text();
            process.clock_ns = frame.number();
            process.system_ns = frame.number();
            pid_ = process.pid;
            event = std::move(process);
            break;
        }
        case Tag::device: {
            DeviceEvent traced;
            traced.id = frame.small();
            traced.name = frame.text();
            traced.capability = static_cast<int>(std::min(frame.small(), 1000u));
            traced.multiprocessors = frame.small();
            traced.memory_bytes = frame.number();
            event = std::move(traced);
            break;
        }
        case Tag::thread: {
            ThreadEvent thread;
            thread.tid = frame.small();
            thread.name = frame.text();
            event = std::move(thread);
            break;
        }
        case Tag::name:
            names_.push_back(frame.text());
            good = names_.size() <= kMaxNames;
            break;
        case Tag::activity: event = read_activity(frame, names_, pid_, good); break;
        case Tag::losses: {
            LossesEvent losses;
            for (auto* value : {&losses.not_kept, &losses.dropped, &losses.unfinished, &losses.malformed})
                *value = frame.number();
            event = losses;
            break;
        }
        case Tag::problem: event = ProblemEvent{frame.text()}; break;
        case Tag::end: event = EndEvent{}; break;
        default: break; // of a newer library: skipped
        }
        if (!good || !frame.good()) return malformed("a record that makes no sense");
        at_ += kLengthBytes + length;
        if (event) return event;
    }
}

} // namespace kw::trace
