#include "engine/profile/trace/collection.h"

#include <algorithm>
#include <type_traits>
#include <utility>

namespace kw::trace {

using profile::Activity;

Result<void> Collection::refresh() {
    for (auto& path : spool_.streams()) {
        const auto known = [&](const auto& stream) { return stream->reader.path() == path; };
        if (std::ranges::none_of(streams_, known)) streams_.push_back(std::make_unique<Stream>(std::move(path)));
    }
    for (const auto& stream : streams_)
        if (auto read = stream->reader.read([&](Event&& event) { take(*stream, std::move(event)); }); !read)
            return read;
    return {};
}

void Collection::take(Stream& stream, Event&& event) {
    std::visit(
        [&]<class What>(What&& what) {
            using Kind = std::remove_cvref_t<What>;
            if constexpr (std::is_same_v<Kind, Activity>) {
                put_on_our_clock(what, stream.process);
                ++stream.activities;
                summarizer_.add(what);
                if (kept_ >= max_activities_) return;
                ++kept_;
                ++stream.kept;
            } else if constexpr (std::is_same_v<Kind, ProcessEvent>) {
                stream.info.pid = what.pid;
                stream.info.name = what.name;
                stream.info.command = what.command;
                if (!what.cupti.empty()) cupti_ = what.cupti;
                stream.process = std::move(what);
            } else if constexpr (std::is_same_v<Kind, DeviceEvent>) {
                stream.info.devices.insert_or_assign(what.id, std::move(what));
            } else if constexpr (std::is_same_v<Kind, ThreadEvent>) {
                stream.info.threads.insert_or_assign(what.tid, std::move(what.name));
            } else if constexpr (std::is_same_v<Kind, LossesEvent>) {
                stream.losses = what;
            } else if constexpr (std::is_same_v<Kind, ProblemEvent>) {
                if (std::ranges::find(problems_, what.message) == problems_.end())
                    problems_.push_back(std::move(what.message));
            } else {
                stream.ended = true;
            }
        },
        std::move(event));
}

std::uint64_t Collection::on_our_clock(std::uint64_t time_ns, const ProcessEvent& process) const {
    // Differences in wrap-around arithmetic; what would be before our zero becomes it.
    const auto since = static_cast<std::int64_t>(process.system_ns - base_time_ns_ + (time_ns - process.clock_ns));
    return since > 0 ? static_cast<std::uint64_t>(since) : 0;
}

void Collection::put_on_our_clock(Activity& activity, const ProcessEvent& process) const {
    activity.start_ns = on_our_clock(activity.start_ns, process);
    activity.end_ns = std::max(activity.start_ns, on_our_clock(activity.end_ns, process));
}

std::vector<ProcessInfo> Collection::processes() const {
    std::map<std::uint32_t, ProcessInfo> found;
    for (const auto& stream : streams_) {
        auto info = stream->info;
        if (info.pid == 0) continue; // cut off before its first frame
        if (const auto before = found.find(info.pid); before != found.end()) {
            info.threads.merge(before->second.threads);
            info.devices.merge(before->second.devices);
        }
        found.insert_or_assign(info.pid, std::move(info));
    }
    std::vector<ProcessInfo> processes;
    for (auto& [pid, info] : found) processes.push_back(std::move(info));
    return processes;
}

LossesEvent Collection::losses() const {
    LossesEvent all;
    for (const auto& stream : streams_) {
        all.not_kept += stream->losses.not_kept + (stream->activities - stream->kept);
        all.dropped += stream->losses.dropped;
        all.unfinished += stream->losses.unfinished;
        all.malformed += stream->losses.malformed;
    }
    return all;
}

std::uint64_t Collection::lost() const { return losses().total(); }

std::size_t Collection::cut_short() const {
    return static_cast<std::size_t>(std::ranges::count_if(streams_, [](const auto& stream) { return !stream->ended; }));
}

Source Collection::source() const {
    return [this](const std::function<void(const Activity&)>& visit) -> Result<void> {
        for (const auto& stream : streams_) {
            StreamReader reader{stream->reader.path()};
            // A process that is still at work adds to its stream; both passes of a writer must see the same.
            auto left = stream->kept;
            auto read = reader.read([&](Event&& event) {
                auto* const activity = std::get_if<Activity>(&event);
                if (!activity || left == 0) return;
                --left;
                put_on_our_clock(*activity, stream->process);
                visit(*activity);
            });
            if (!read) return read;
        }
        return {};
    };
}

} // namespace kw::trace
