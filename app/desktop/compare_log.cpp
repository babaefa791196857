#include "app/desktop/compare_log.h"

#include "agent/trajectory/session_file.h"

#include <QDateTime>

#include <utility>

namespace kw::desktop {

using trajectory::SessionFile;

CompareLog::CompareLog(QObject* parent) : QObject(parent) { pool_.setMaxThreadCount(1); }

CompareLog::~CompareLog() { pool_.waitForDone(); }

void CompareLog::open(const std::filesystem::path& session) {
    path_ = session;
    decisions_.clear();
    if (session.empty()) return;
    pool_.start([this, session] {
        auto file = SessionFile::open(session, SessionFile::Access::read);
        auto decisions = file ? file->decisions() : std::unexpected(file.error());
        QMetaObject::invokeMethod(
            this,
            [this, session, decisions = std::move(decisions)] {
                if (session != path_) return;
                if (!decisions) {
                    Q_EMIT failed(decisions.error());
                    return;
                }
                // Those made meanwhile are behind them.
                decisions_.insert(decisions_.begin(), decisions->begin(), decisions->end());
                Q_EMIT read();
            },
            Qt::QueuedConnection);
    });
}

void CompareLog::decide(trajectory::Decision decision) {
    decision.time_ms = QDateTime::currentMSecsSinceEpoch();
    decisions_.push_back(decision);
    if (path_.empty()) return;
    pool_.start([this, path = path_, decision = std::move(decision)] {
        auto file = SessionFile::open(path, SessionFile::Access::write);
        auto done = file ? file->decide(decision) : std::unexpected(file.error());
        if (!done)
            QMetaObject::invokeMethod(
                this, [this, error = done.error()] { Q_EMIT failed(error); }, Qt::QueuedConnection);
    });
}

} // namespace kw::desktop
