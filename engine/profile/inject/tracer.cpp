#include "engine/profile/inject/tracer.h"

#include "engine/base/descriptor.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <pthread.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

namespace kw::trace {
namespace {

using namespace std::chrono_literals;
using profile::Activity;

/// How much a killed process loses at most, but for what is still running.
constexpr auto kRound = 50ms;
/// So many at once start a round early.
constexpr std::size_t kRoundSize = 16384;
/// Kept between rounds at most; about 200 bytes each.
constexpr std::size_t kMaxKept = 400'000;
constexpr std::uint64_t kDefaultLimit = 10'000'000;

std::string variable(const char* name) {
    const char* value =
        std::getenv(name); // NOLINT(concurrency-mt-unsafe): read while CUDA starts, changed by nobody here
    return value ? value : "";
}

/// The first bytes of a file in /proc, whose size nobody knows before.
std::string start_of(const std::string& path) {
    const Descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC)};
    std::array<char, 400> buffer{};
    const auto count = file ? read_some(file.get(), buffer.data(), buffer.size()) : 0;
    std::string text{buffer.data(), static_cast<std::size_t>(std::max<std::ptrdiff_t>(count, 0))};
    while (!text.empty() && (text.back() == '\n' || text.back() == '\0')) text.pop_back();
    std::ranges::replace(text, '\0', ' ');
    return text;
}

std::uint64_t system_now() {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(now.tv_nsec);
}

/// The same moment on CUPTI's clock and the system's. Of a few tries the one that took the least time is the truest.
std::pair<std::uint64_t, std::uint64_t> clocks(const cupti::ActivityApi& api) {
    std::pair<std::uint64_t, std::uint64_t> best{};
    std::uint64_t least = ~0ull;
    for (int i = 0; i < 5; ++i) {
        std::uint64_t theirs = 0;
        const auto before = system_now();
        if (api.cuptiGetTimestamp(&theirs) != cupti::kSuccess) continue;
        const auto took = system_now() - before;
        if (took >= least) continue;
        least = took;
        best = {theirs, before + took / 2};
    }
    return best;
}

std::vector<Activity::Kind> kinds_of(std::string_view list) {
    std::vector<Activity::Kind> kinds;
    constexpr std::pair<std::string_view, Activity::Kind> kNames[] = {
        {"kernel", Activity::Kind::kernel},
        {"copy", Activity::Kind::copy},
        {"memset", Activity::Kind::memset},
        {"synchronization", Activity::Kind::synchronization},
        {"call", Activity::Kind::call}};
    while (!list.empty()) {
        const auto end = std::min(list.find(','), list.size());
        for (const auto& [name, kind] : kNames)
            if (list.substr(0, end) == name) kinds.push_back(kind);
        list.remove_prefix(std::min(end + 1, list.size()));
    }
    if (kinds.empty()) kinds.assign(std::begin(cupti::kAllActivities), std::end(cupti::kAllActivities));
    return kinds;
}

} // namespace

Tracer* Tracer::start() {
    const auto folder = variable(kFolderVariable);
    if (folder.empty()) return nullptr;
    StreamFile file{folder};
    if (!file.valid()) return nullptr;
    auto* const tracer = new Tracer{std::move(file)};
    tracer->process_ = ::getpid();
    const auto limit = variable(kLimitVariable);
    tracer->limit_ = limit.empty() ? kDefaultLimit : std::strtoull(limit.c_str(), nullptr, 10);
    if (auto begun = tracer->begin(); !begun) {
        tracer->encoder_.add(ProblemEvent{begun.error().message});
        tracer->file_.append(tracer->encoder_.take());
        return nullptr;
    }
    // The program's signals are for its own threads.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    ::pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread{[tracer] { tracer->run(); }}.detach();
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return tracer;
}

Result<void> Tracer::begin() {
    auto library = DynamicLibrary::open(variable(kCuptiVariable));
    if (!library) {
        say_who();
        return std::unexpected(std::move(library.error()));
    }
    library_ = std::move(*library);
    auto api = cupti::bind_activity(library_);
    if (api) api_ = *api;
    say_who();
    if (!api) return std::unexpected(std::move(api.error()));
    auto collector =
        cupti::ActivityCollector::start(api_, {.kinds = kinds_of(variable(kKindsVariable)), .max_kept = kMaxKept});
    if (!collector) return std::unexpected(std::move(collector.error()));
    collector_ = std::move(*collector);
    return {};
}

void Tracer::say_who() {
    std::uint32_t version = 0;
    ProcessEvent process{.pid = static_cast<std::uint32_t>(process_),
                         .parent = static_cast<std::uint32_t>(::getppid()),
                         .name = start_of("/proc/self/comm"),
                         .command = start_of("/proc/self/cmdline"),
                         .cupti = {}};
    if (api_.cuptiGetVersion && api_.cuptiGetVersion(&version) == cupti::kSuccess) {
        process.cupti = cupti::activity_version_text(version);
        std::tie(process.clock_ns, process.system_ns) = clocks(api_);
        clocks_told_ = process.system_ns != 0;
    }
    encoder_.add(process);
    file_.append(encoder_.take());
}

void Tracer::run() {
    ::pthread_setname_np(::pthread_self(), "kw-trace");
    while (!finished_ && !broken_ && !file_.abandoned()) {
        try {
            collector_->wait(kRoundSize, kRound);
            const std::unique_lock lock{mutex_};
            if (!finished_) write(false);
        } catch (const std::exception&) {
            // Out of memory: this round's activities are lost, the program must not notice.
        }
    }
    const std::unique_lock lock{mutex_};
    if (!finished_.exchange(true)) collector_->stop();
}

void Tracer::name_threads(const std::vector<Activity>& activities) {
    for (const auto& activity : activities)
        if (activity.thread != 0 && named_threads_.insert(activity.thread).second)
            if (const auto name = start_of(fmt::format("/proc/self/task/{}/comm", activity.thread)); !name.empty())
                encoder_.add(ThreadEvent{activity.thread, name});
}

void Tracer::write(bool forced) {
    // CUPTI may not know the time while CUDA is still starting.
    if (!clocks_told_) say_who();
    // What CUPTI cannot hand over now it may later.
    static_cast<void>(collector_->flush(forced));
    auto activities = collector_->take();
    const auto room = limit_ - std::min(limit_, written_);
    if (activities.size() > room) {
        not_written_ += activities.size() - room;
        activities.resize(room);
    }
    name_threads(activities);
    // The devices are known before the first thing that ran on one.
    const auto devices = collector_->devices();
    if (devices.size() != devices_told_)
        for (const auto& device : devices)
            encoder_.add(DeviceEvent{device.id, device.name, device.limits.capability, device.multiprocessors,
                                     device.memory_bytes});
    for (const auto& activity : activities) encoder_.add(activity);
    const auto lost = collector_->losses();
    const LossesEvent losses{lost.not_kept + not_written_, lost.dropped, lost.unfinished, lost.malformed};
    if (losses != losses_told_) encoder_.add(losses);
    auto bytes = encoder_.take();
    if (!bytes.empty() && !file_.append(bytes)) {
        // What follows would refer to names that were not written.
        broken_ = true;
        encoder_.add(ProblemEvent{fmt::format("process {} could not write its activities any more; set TMPDIR to a "
                                              "folder with more room",
                                              process_)});
        file_.append(encoder_.take());
        return;
    }
    written_ += activities.size();
    devices_told_ = devices.size();
    losses_told_ = losses;
}

void Tracer::finish() {
    if (::getpid() != process_) return;
    // A round may hang when the GPU does; then the program's end is not held up any longer.
    const std::unique_lock lock{mutex_, 2s};
    if (!lock || finished_.exchange(true)) return;
    write(true);
    encoder_.add(EndEvent{});
    file_.append(encoder_.take());
}

} // namespace kw::trace
