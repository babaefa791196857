#pragma once

#include "engine/timeline/query.h"
#include "engine/timeline/store.h"

#include <QObject>

#include <cstdint>
#include <filesystem>
#include <memory>
#include <thread>
#include <vector>

namespace kw::profiler_views {

/// Opens traces on a thread of its own. The latest request counts: an earlier one is stopped and never answered.
class TraceLoader : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    void open(const std::filesystem::path& path);
    /// Nothing more is heard of what is under way.
    void cancel();

Q_SIGNALS:
    void progressed(double fraction);
    void loaded(std::shared_ptr<const kw::timeline::Store> store, std::vector<std::uint8_t> name_colors);
    void failed(const kw::Error& error);

private:
    std::uint64_t latest_ = 0;
    std::jthread thread_;
};

/// Adds up a selection on a thread of its own, likewise.
class StatisticsJob : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;
    void start(std::shared_ptr<const timeline::Store> store, std::vector<std::uint32_t> lanes, timeline::Ns begin,
               timeline::Ns end);
    void cancel();

Q_SIGNALS:
    void finished(std::shared_ptr<const kw::timeline::Store> store, const kw::timeline::Statistics& statistics);

private:
    std::uint64_t latest_ = 0;
    std::jthread thread_;
};

} // namespace kw::profiler_views
