#pragma once

#include "agent/trajectory/step.h"
#include "engine/base/result.h"

#include <QObject>
#include <QThreadPool>

#include <atomic>
#include <filesystem>
#include <vector>

namespace kw::desktop {

/// The decisions of a session: read when it is opened and whenever others may have added some, written as they are
/// made, on a thread of its own. Agents that write their steps into the same file read them there.
class CompareLog : public QObject {
    Q_OBJECT
public:
    explicit CompareLog(QObject* parent = nullptr);
    /// Finishes what is to be written.
    ~CompareLog() override;

    /// Another session, or none: then decisions are kept as long as the window is open.
    void open(const std::filesystem::path& session);
    /// Reads again; read() tells where there is something new.
    void reread();
    void decide(trajectory::Decision decision);
    /// In their order.
    [[nodiscard]] const std::vector<trajectory::Decision>& decisions() const { return decisions_; }
    /// Another after every change of them.
    [[nodiscard]] quint64 revision() const { return revision_; }

Q_SIGNALS:
    /// Those of the session have been read.
    void read();
    void failed(const kw::Error& error);

private:
    void take(std::vector<trajectory::Decision> stored);
    void write(const std::filesystem::path& path, const trajectory::Decision& decision);

    std::filesystem::path path_;
    std::vector<trajectory::Decision> decisions_;
    std::vector<trajectory::Decision> meanwhile_; ///< made since the reading that is under way was asked for
    std::vector<trajectory::Decision> unkept_;    ///< that could not be written
    bool reading_ = false;
    quint64 asked_ = 0;
    quint64 revision_ = 0;
    std::atomic<bool> closing_ = false;
    QThreadPool pool_;
};

} // namespace kw::desktop
