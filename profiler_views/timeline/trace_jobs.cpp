#include "profiler_views/timeline/trace_jobs.h"

#include "engine/timeline/open.h"
#include "profiler_views/timeline/canvas.h"

#include <QMetaObject>

namespace kw::profiler_views {

void TraceLoader::cancel() {
    ++latest_;
    thread_ = {}; // asks to stop, and waits until that is noticed: tens of ms
}

void TraceLoader::open(const std::filesystem::path& path) {
    cancel();
    thread_ = std::jthread([this, path, id = latest_](std::stop_token stop) {
        // Delivered on the interface thread, where a later request may have come first.
        const auto deliver = [&](auto&& what) {
            QMetaObject::invokeMethod(
                this,
                [this, id, what = std::forward<decltype(what)>(what)] {
                    if (id == latest_) what();
                },
                Qt::QueuedConnection);
        };
        int told = -1;
        auto store = timeline::open_trace(path, stop, [&](double fraction) {
            const int percent = static_cast<int>(fraction * 100);
            if (percent == told) return;
            told = percent;
            deliver([this, fraction] { Q_EMIT progressed(fraction); });
        });
        if (stop.stop_requested()) return;
        if (!store) return deliver([this, error = store.error()] { Q_EMIT failed(error); });
        deliver([this, store = *store, colors = name_colors_of(**store)] { Q_EMIT loaded(store, colors); });
    });
}

void StatisticsJob::cancel() {
    ++latest_;
    thread_ = {};
}

void StatisticsJob::start(std::shared_ptr<const timeline::Store> store, std::vector<std::uint32_t> lanes,
                          timeline::Ns begin, timeline::Ns end) {
    cancel();
    thread_ = std::jthread(
        [this, store = std::move(store), lanes = std::move(lanes), begin, end, id = latest_](std::stop_token stop) {
            auto result = timeline::statistics(*store, lanes, begin, end, stop);
            if (!result) return;
            QMetaObject::invokeMethod(
                this,
                [this, id, store, result = std::move(*result)] {
                    if (id == latest_) Q_EMIT finished(store, result);
                },
                Qt::QueuedConnection);
        });
}

} // namespace kw::profiler_views
