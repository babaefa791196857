#pragma once

#include "agent/trajectory/step.h"
#include "engine/base/result.h"

#include <QObject>
#include <QThreadPool>

#include <filesystem>
#include <vector>

namespace kw::desktop {

/// The decisions of a session: read when it is opened, written as they are made, on a thread of its own. Agents that
/// write their steps into the same file read them there.
class CompareLog : public QObject {
    Q_OBJECT
public:
    explicit CompareLog(QObject* parent = nullptr);
    /// Finishes what is to be written.
    ~CompareLog() override;

    /// Another session, or none: then decisions are kept as long as the window is open.
    void open(const std::filesystem::path& session);
    void decide(trajectory::Decision decision);
    /// In their order.
    [[nodiscard]] const std::vector<trajectory::Decision>& decisions() const { return decisions_; }

Q_SIGNALS:
    /// Those of the session have been read.
    void read();
    void failed(const kw::Error& error);

private:
    std::filesystem::path path_;
    std::vector<trajectory::Decision> decisions_;
    QThreadPool pool_;
};

} // namespace kw::desktop
