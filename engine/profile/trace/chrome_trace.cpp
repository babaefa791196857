#include "engine/profile/trace/chrome_trace.h"

#include "engine/profile/trace/lanes.h"

#include <fmt/format.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <memory>
#include <unordered_map>

namespace fs = std::filesystem;

namespace kw::trace {
namespace {

using profile::Activity;

std::string json_text(std::string_view text) { return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace); }

/// A file, compressed or not, that appears under its name when it is whole.
class TraceFile {
public:
    [[nodiscard]] static Result<std::unique_ptr<TraceFile>> create(const fs::path& path) {
        std::unique_ptr<TraceFile> file{new TraceFile};
        std::error_code error;
        // A link stays one: what it points to is replaced.
        file->path_ = fs::is_symlink(path, error) ? fs::weakly_canonical(path, error) : path;
        const auto status = fs::status(file->path_, error);
        const bool replaced = !fs::exists(status) || fs::is_regular_file(status);
        file->part_ = file->path_;
        // Of its own, as another may be writing a trace of this name.
        if (replaced) file->part_ += fmt::format(".{}.part", ::getpid());
        // "T": as it is. Level 3 is twice as fast as the usual 6 at nine tenths of its effect.
        errno = 0;
        file->file_ = ::gzopen(file->part_.c_str(), path.extension() == ".gz" ? "wb3e" : "wbTe");
        if (!file->file_)
            return fail(Stage::usage, ErrorCode::invalid_input,
                        fmt::format("cannot write {}: {}", path.string(), std::strerror(errno ? errno : ENOMEM)));
        ::gzbuffer(file->file_, 1u << 18);
        return file;
    }
    ~TraceFile() {
        if (file_) ::gzclose(file_);
        std::error_code ignored;
        if (!done_ && part_ != path_) fs::remove(part_, ignored);
    }
    TraceFile(const TraceFile&) = delete;
    TraceFile& operator=(const TraceFile&) = delete;

    fmt::memory_buffer& text() { return text_; }

    /// Hands on what text() holds when it is much.
    void flush_some() {
        if (text_.size() >= kChunk) flush();
    }

    [[nodiscard]] Result<void> finish() {
        flush();
        const int closed = ::gzclose(std::exchange(file_, nullptr));
        if (failed_ || closed != Z_OK)
            return fail(Stage::environment, ErrorCode::internal,
                        fmt::format("cannot write {}: {}; is the disk full?", path_.string(),
                                    failed_ != 0 ? std::strerror(failed_) : "closing it failed"));
        std::error_code error;
        if (part_ != path_) fs::rename(part_, path_, error);
        if (error)
            return fail(Stage::environment, ErrorCode::internal,
                        fmt::format("cannot write {}: {}", path_.string(), error.message()));
        done_ = true;
        return {};
    }

private:
    static constexpr std::size_t kChunk = 1u << 16;

    TraceFile() = default;

    void flush() {
        if (text_.size() > 0 && !failed_) {
            errno = 0;
            const int written = ::gzwrite(file_, text_.data(), static_cast<unsigned>(text_.size()));
            if (written != static_cast<int>(text_.size())) failed_ = errno ? errno : EIO;
        }
        text_.clear();
    }

    fs::path path_;
    fs::path part_;
    gzFile file_ = nullptr;
    fmt::memory_buffer text_;
    int failed_ = 0;
    bool done_ = false;
};

class Writer {
public:
    Writer(TraceFile& file, Lanes& lanes) : file_(file), lanes_(lanes) {}

    void header(const TraceInfo& info) {
        put("{{\"schemaVersion\":1,\"displayTimeUnit\":\"ns\",\"baseTimeNanoseconds\":{},\"producer\":{},"
            "\"lostActivities\":{}"
            ",\"deviceProperties\":[",
            info.base_time_ns, json_text(info.producer), info.lost);
        std::map<std::uint32_t, DeviceEvent> devices;
        for (const auto& process : info.processes) devices.insert(process.devices.begin(), process.devices.end());
        for (bool first = true; const auto& [id, device] : devices) {
            put("{}{{\"id\":{},\"name\":{},\"totalGlobalMem\":{},\"computeMajor\":{},\"computeMinor\":{},\"numSms\":{}}"
                "}",
                std::exchange(first, false) ? "" : ",", id, json_text(device.name), device.memory_bytes,
                device.capability / 10, device.capability % 10, device.multiprocessors);
        }
        put("],\"traceEvents\":[");
    }

    void names(const TraceInfo& info) {
        const auto known = [&](std::uint32_t pid) {
            const auto found = std::ranges::find(info.processes, pid, &ProcessInfo::pid);
            return found == info.processes.end() ? nullptr : &*found;
        };
        auto pids = lanes_.processes();
        for (const auto& process : info.processes) pids.insert(process.pid);
        for (const auto pid : pids) {
            const auto* const process = known(pid);
            meta("process_name", {pid, 0},
                 "\"name\":" + json_text(process ? process->name : fmt::format("process {}", pid)));
            if (process) meta("process_labels", {pid, 0}, "\"labels\":" + json_text(process->command));
            meta("process_sort_index", {pid, 0}, fmt::format("\"sort_index\":{}", pid));
        }
        for (const auto& lane : lanes_.threads()) {
            std::string name = "thread";
            if (const auto* const process = known(lane.pid))
                if (const auto thread = process->threads.find(lane.tid); thread != process->threads.end())
                    name = thread->second;
            meta("thread_name", lane, fmt::format("\"name\":{}", json_text(fmt::format("{} {}", name, lane.tid))));
        }
        const bool several = info.processes.size() > 1;
        for (const auto& gpu : lanes_.gpus()) {
            std::string name = fmt::format("GPU {}", gpu.device);
            if (const auto* const process = known(gpu.process))
                if (const auto device = process->devices.find(gpu.device); device != process->devices.end())
                    name += ": " + device->second.name;
            if (several) name += fmt::format(" (process {})", gpu.process);
            meta("process_name", {gpu.pid, 0}, "\"name\":" + json_text(name));
            meta("process_labels", {gpu.pid, 0}, fmt::format("\"labels\":\"GPU {}\"", gpu.device));
            // Below the processes, whose numbers are smaller.
            meta("process_sort_index", {gpu.pid, 0}, fmt::format("\"sort_index\":{}", 5'000'000 + gpu.pid));
        }
        for (const auto& lane : lanes_.names()) {
            meta("thread_name", lane.lane, "\"name\":" + json_text(lane.name));
            meta("thread_sort_index", lane.lane, fmt::format("\"sort_index\":{}", lane.order));
        }
    }

    void activity(const Activity& activity) {
        const auto place = lanes_.place(activity);
        const auto [pid, tid] = place.lane;
        // In the format's microseconds with three decimals, so that no nanosecond is lost.
        const auto start = activity.start_ns;
        const auto duration = activity.end_ns - start;
        begin_event();
        put("{{\"ph\":\"X\",\"cat\":\"{}\",\"name\":{},\"pid\":{},\"tid\":{},\"ts\":{}.{:03},\"dur\":{}.{:03},\"args\":"
            "{{",
            category(activity), name_of(activity), pid, tid, start / 1000, start % 1000, duration / 1000,
            duration % 1000);
        arguments(activity);
        put("}}}}");
        if (place.flow != 0) {
            const bool call = activity.kind == Activity::Kind::call;
            begin_event();
            put("{{\"ph\":\"{}\",\"id\":{},\"pid\":{},\"tid\":{},\"ts\":{}.{:03},\"cat\":\"ac2g\",\"name\":\"ac2g\"{}}"
                "}",
                call ? 's' : 'f', place.flow, pid, tid, start / 1000, start % 1000, call ? "" : ",\"bp\":\"e\"");
        }
        file_.flush_some();
    }

    void samples(const profile::Sampling& sampling) {
        const auto pid = lanes_.gpus().empty() ? 0 : lanes_.gpus().front().pid;
        for (const auto& [metric, values] : sampling.values) {
            const auto name = json_text(metric);
            for (std::size_t i = 0; i < std::min(values.size(), sampling.end_ns.size()); ++i) {
                if (!std::isfinite(values[i])) continue;
                // A counter holds from its time on, a sample up to it.
                const auto start = sampling.end_ns[i] - std::min(sampling.end_ns[i], sampling.interval_ns);
                begin_event();
                put("{{\"ph\":\"C\",\"name\":{},\"pid\":{},\"tid\":0,\"ts\":{}.{:03},\"args\":{{\"value\":{}}}}}", name,
                    pid, start / 1000, start % 1000, values[i]);
                file_.flush_some();
            }
        }
    }

    void footer() { put("\n]}}\n"); }

private:
    template<class... Args> void put(fmt::format_string<Args...> format, Args&&... args) {
        fmt::format_to(std::back_inserter(file_.text()), format, std::forward<Args>(args)...);
    }

    void begin_event() {
        put("{}", first_ ? "\n" : ",\n");
        first_ = false;
    }

    void meta(std::string_view what, Lane lane, std::string_view arguments) {
        begin_event();
        put("{{\"ph\":\"M\",\"name\":\"{}\",\"pid\":{},\"tid\":{},\"ts\":0,\"args\":{{{}}}}}", what, lane.pid, lane.tid,
            arguments);
        file_.flush_some();
    }

    static std::string_view category(const Activity& activity) {
        switch (activity.kind) {
        case Activity::Kind::kernel: return "kernel";
        case Activity::Kind::copy: return "gpu_memcpy";
        case Activity::Kind::memset: return "gpu_memset";
        case Activity::Kind::synchronization: return "cuda_sync";
        case Activity::Kind::call: break;
        }
        return activity.name.starts_with("cuda") ? "cuda_runtime" : "cuda_driver";
    }

    /// As a JSON string. Names come by the million and are few, so they are quoted once.
    const std::string& name_of(const Activity& activity) {
        // A kernel may be called what a memset is called.
        auto& names = names_[static_cast<std::size_t>(activity.kind)];
        if (names.size() > kMaxNames) names.clear();
        const auto [entry, is_new] = names.try_emplace(activity.name);
        if (is_new) {
            switch (activity.kind) {
            case Activity::Kind::copy: entry->second = json_text("Memcpy " + activity.name); break;
            case Activity::Kind::memset: entry->second = json_text("Memset"); break;
            default: entry->second = json_text(activity.name);
            }
        }
        return entry->second;
    }

    void arguments(const Activity& activity) {
        if (activity.kind == Activity::Kind::call) {
            put("\"correlation\":{}", activity.correlation);
            return;
        }
        if (activity.kind == Activity::Kind::synchronization) {
            put("\"context\":{},\"stream\":{},\"correlation\":{}", activity.context, activity.stream,
                activity.correlation);
            return;
        }
        put("\"device\":{},\"context\":{},\"stream\":{},\"correlation\":{}", activity.device, activity.context,
            activity.stream, activity.correlation);
        if (activity.kind != Activity::Kind::kernel) {
            put(",\"bytes\":{}", activity.bytes);
            // Bytes per ns are GB/s.
            if (const auto ns = activity.end_ns - activity.start_ns; ns > 0)
                put(",\"memory bandwidth (GB/s)\":{:.3f}",
                    static_cast<double>(activity.bytes) / static_cast<double>(ns));
            return;
        }
        put(",\"registers per thread\":{},\"shared memory\":{},\"static shared memory\":{},\"dynamic shared memory\":{}"
            ",\"local memory per thread\":{},\"grid\":[{},{},{}],\"block\":[{},{},{}]",
            activity.registers, activity.static_shared_bytes + activity.dynamic_shared_bytes,
            activity.static_shared_bytes, activity.dynamic_shared_bytes, activity.local_bytes, activity.grid.x,
            activity.grid.y, activity.grid.z, activity.block.x, activity.block.y, activity.block.z);
        if (activity.cluster.count() > 1)
            put(",\"cluster\":[{},{},{}]", activity.cluster.x, activity.cluster.y, activity.cluster.z);
        if (activity.occupancy > 0) put(",\"theoretical occupancy %\":{:.2f}", activity.occupancy * 100);
    }

    static constexpr std::size_t kMaxNames = 65536;

    TraceFile& file_;
    Lanes& lanes_;
    std::array<std::unordered_map<std::string, std::string>, 5> names_; ///< by kind
    bool first_ = true;
};

} // namespace

Source source_of(const std::vector<Activity>& activities) {
    return [&activities](const std::function<void(const Activity&)>& visit) -> Result<void> {
        for (const auto& activity : activities) visit(activity);
        return {};
    };
}

Result<std::uint64_t> write_chrome_trace(const fs::path& path, const TraceInfo& info, const Source& source,
                                         const profile::Sampling& sampling, std::stop_token stop) {
    auto file = TraceFile::create(path);
    if (!file) return std::unexpected(std::move(file.error()));
    Lanes lanes;
    std::uint64_t count = 0;
    if (auto read = source([&](const Activity& activity) {
            if (stop.stop_requested()) return;
            lanes.add(activity);
            ++count;
        });
        !read)
        return std::unexpected(std::move(read.error()));
    const auto stopped = [&] {
        return fail(Stage::profile, ErrorCode::cancelled, fmt::format("writing {} was stopped", path.string()));
    };
    if (stop.stop_requested()) return stopped();
    lanes.settle();

    Writer writer{**file, lanes};
    writer.header(info);
    writer.names(info);
    std::uint64_t written = 0;
    if (auto read = source([&](const Activity& activity) {
            if (stop.stop_requested() || written == count) return;
            writer.activity(activity);
            ++written;
        });
        !read)
        return std::unexpected(std::move(read.error()));
    writer.samples(sampling);
    writer.footer();
    if (stop.stop_requested()) return stopped();
    if (auto done = (*file)->finish(); !done) return std::unexpected(std::move(done.error()));
    return written;
}

} // namespace kw::trace
