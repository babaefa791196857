#include "engine/profile/cupti/activity.h"

#include <fmt/format.h>

#include <condition_variable>
#include <cstdlib>
#include <iterator>
#include <utility>

namespace kw::cupti {
namespace {

using profile::Activity;

constexpr std::size_t kBufferAlignment = 8;

/// Buffers between CUPTI's requests. Of the process, because CUPTI may give one back after its collector has gone; and
/// never destroyed, because it may do so while the process ends.
class BufferPool {
public:
    static BufferPool& instance() {
        static auto* const pool = new BufferPool;
        return *pool;
    }

    void set_limits(std::size_t bytes, std::size_t count) {
        const std::scoped_lock lock{mutex_};
        if (bytes != bytes_) clear();
        bytes_ = bytes;
        max_lent_ = count;
    }

    /// Null when CUPTI holds as many as it may; it then drops records and counts them.
    std::uint8_t* lend(std::size_t& bytes) {
        const std::scoped_lock lock{mutex_};
        bytes = 0;
        if (lent_ >= max_lent_) return nullptr;
        std::uint8_t* buffer = nullptr;
        if (free_.empty()) {
            buffer = static_cast<std::uint8_t*>(std::aligned_alloc(kBufferAlignment, bytes_));
        } else {
            buffer = free_.back();
            free_.pop_back();
        }
        if (!buffer) return nullptr;
        ++lent_;
        bytes = bytes_;
        return buffer;
    }

    void give_back(std::uint8_t* buffer, std::size_t bytes) {
        const std::scoped_lock lock{mutex_};
        if (lent_ > 0) --lent_;
        // A few are kept for the next requests; a burst's worth is not.
        if (bytes == bytes_ && free_.size() < kKept)
            free_.push_back(buffer);
        else
            std::free(buffer);
    }

private:
    static constexpr std::size_t kKept = 64;

    BufferPool() { free_.reserve(kKept); }

    void clear() {
        for (auto* buffer : free_) std::free(buffer);
        free_.clear();
    }

    std::mutex mutex_;
    std::vector<std::uint8_t*> free_;
    std::size_t bytes_ = 0;
    std::size_t max_lent_ = 0;
    std::size_t lent_ = 0;
};

/// CUPTI's callbacks carry no pointer of ours. Held while a buffer is decoded, so that the collector stays.
std::mutex g_active_mutex;
ActivityCollector* g_active = nullptr;

std::vector<RecordKind> records_for(const std::vector<Activity::Kind>& kinds) {
    // Devices first: their records are made when CUDA starts.
    std::vector<RecordKind> records{RecordKind::device};
    for (const auto kind : kinds) switch (kind) {
        case Activity::Kind::kernel: records.push_back(RecordKind::concurrent_kernel); break;
        case Activity::Kind::copy:
            records.push_back(RecordKind::memcpy);
            records.push_back(RecordKind::memcpy_peer);
            break;
        case Activity::Kind::memset: records.push_back(RecordKind::memset); break;
        case Activity::Kind::synchronization: records.push_back(RecordKind::synchronization); break;
        case Activity::Kind::call:
            records.push_back(RecordKind::runtime);
            records.push_back(RecordKind::driver);
            break;
        }
    return records;
}

} // namespace

struct ActivityCollector::Shared {
    Shared(const ActivityApi& api, const ActivityOptions& options)
        : decoder(api, options.zero_ns, options.devices), max_kept(options.max_kept) {}

    mutable std::mutex mutex;
    std::condition_variable more;
    ActivityDecoder decoder;
    std::vector<Activity> decoded; ///< of one buffer; kept for its memory
    std::vector<Activity> kept;
    std::size_t max_kept;
    std::uint64_t not_kept = 0;
    std::uint64_t dropped = 0;
    std::size_t wanted = 0; ///< how many a wait() is for; 0: nobody waits
};

ActivityCollector::ActivityCollector(const ActivityApi& api, const ActivityOptions& options)
    : api_(api), shared_(std::make_unique<Shared>(api, options)) {}

Result<std::unique_ptr<ActivityCollector>> ActivityCollector::start(const ActivityApi& api,
                                                                    const ActivityOptions& options) {
    const auto records = records_for(options.kinds);
    const auto buffer_bytes = (options.buffer_bytes + kBufferAlignment - 1) / kBufferAlignment * kBufferAlignment;
    const auto max_buffers = options.max_buffers;
    std::unique_ptr<ActivityCollector> collector{new ActivityCollector(api, options)};
    {
        const std::scoped_lock lock{g_active_mutex};
        if (g_active)
            return fail(Stage::profile, ErrorCode::unsupported,
                        "activities are being collected already; wait for that to end");
        g_active = collector.get();
    }
    BufferPool::instance().set_limits(buffer_bytes, max_buffers);
    // From here on the destructor undoes what was done.
    if (const auto result = api.cuptiActivityRegisterCallbacks(&buffer_requested, &buffer_completed);
        result != kSuccess)
        return fail(Stage::profile, ErrorCode::unsupported, activity_refusal(api, result));
    api.cuptiSetThreadIdType(kSystemThreadIds);
    for (const auto record : records) {
        const auto result = api.cuptiActivityEnable(record);
        // Peer copies and device records are extras; what they would tell is not worth refusing the rest for.
        if (result != kSuccess && record != RecordKind::device && record != RecordKind::memcpy_peer)
            return fail(Stage::profile, ErrorCode::unsupported, activity_refusal(api, result));
        if (result == kSuccess) collector->enabled_.push_back(record);
    }
    return collector;
}

ActivityCollector::~ActivityCollector() { stop(); }

void ActivityCollector::stop() {
    for (const auto record : std::exchange(enabled_, {})) api_.cuptiActivityDisable(record);
    {
        const std::scoped_lock lock{g_active_mutex};
        if (g_active != this) return;
    }
    api_.cuptiActivityFlushAll(kFlushForced);
    const std::scoped_lock lock{g_active_mutex};
    g_active = nullptr;
}

Result<void> ActivityCollector::flush(bool forced) {
    if (const auto result = api_.cuptiActivityFlushAll(forced ? kFlushForced : 0); result != kSuccess) {
        const char* name = nullptr;
        api_.cuptiGetResultString(result, &name);
        return fail(Stage::profile, ErrorCode::device,
                    fmt::format("CUPTI could not hand over its activities: {}", name ? name : "unknown error"));
    }
    return {};
}

std::vector<Activity> ActivityCollector::take() {
    const std::scoped_lock lock{shared_->mutex};
    return std::exchange(shared_->kept, {});
}

void ActivityCollector::wait(std::size_t count, std::chrono::milliseconds timeout) {
    std::unique_lock lock{shared_->mutex};
    shared_->wanted = count;
    shared_->more.wait_for(lock, timeout, [&] { return shared_->kept.size() >= count; });
    shared_->wanted = 0;
}

std::vector<TracedDevice> ActivityCollector::devices() const {
    const std::scoped_lock lock{shared_->mutex};
    std::vector<TracedDevice> devices;
    for (const auto& [id, device] : shared_->decoder.devices()) devices.push_back(device);
    return devices;
}

ActivityLosses ActivityCollector::losses() const {
    const std::scoped_lock lock{shared_->mutex};
    auto losses = shared_->decoder.losses();
    losses.not_kept += shared_->not_kept;
    losses.dropped += shared_->dropped;
    return losses;
}

void ActivityCollector::complete(std::uint8_t* buffer, std::size_t valid) {
    std::size_t dropped = 0;
    api_.cuptiActivityGetNumDroppedRecords(nullptr, 0, &dropped);
    auto& shared = *shared_;
    const std::scoped_lock lock{shared.mutex};
    shared.dropped += dropped;
    if (!buffer || valid == 0) return;
    shared.decoded.clear();
    shared.decoder.decode(buffer, valid, shared.decoded);
    const auto room = shared.max_kept - std::min(shared.max_kept, shared.kept.size());
    const auto count = std::min(room, shared.decoded.size());
    shared.not_kept += shared.decoded.size() - count;
    const auto begin = std::make_move_iterator(shared.decoded.begin());
    shared.kept.insert(shared.kept.end(), begin, begin + static_cast<std::ptrdiff_t>(count));
    if (shared.wanted > 0 && shared.kept.size() >= shared.wanted) shared.more.notify_all();
}

void ActivityCollector::buffer_requested(std::uint8_t** buffer, std::size_t* bytes, std::size_t* max_records) {
    *buffer = BufferPool::instance().lend(*bytes);
    *max_records = 0;
}

void ActivityCollector::buffer_completed(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t bytes,
                                         std::size_t valid) {
    try {
        const std::scoped_lock lock{g_active_mutex};
        if (g_active) g_active->complete(buffer, valid);
    } catch (const std::exception&) {
        // No memory for what the buffer held: it is lost, and CUPTI, whose thread this is, must not see an exception.
        const std::scoped_lock lock{g_active_mutex};
        if (g_active) {
            const std::scoped_lock inner{g_active->shared_->mutex};
            ++g_active->shared_->dropped;
        }
    }
    if (buffer) BufferPool::instance().give_back(buffer, bytes);
}

} // namespace kw::cupti
