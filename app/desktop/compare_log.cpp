#include "app/desktop/compare_log.h"

#include "agent/trajectory/session_file.h"

#include <QDateTime>

#include <utility>

namespace kw::desktop {

using trajectory::Decision;
using trajectory::SessionFile;

CompareLog::CompareLog(QObject* parent) : QObject(parent) { pool_.setMaxThreadCount(1); }

CompareLog::~CompareLog() {
    closing_ = true;
    pool_.waitForDone();
}

void CompareLog::open(const std::filesystem::path& session) {
    path_ = session;
    decisions_.clear();
    unkept_.clear();
    reading_ = false;
    ++asked_;
    ++revision_;
    reread();
}

void CompareLog::reread() {
    if (path_.empty() || reading_) return;
    reading_ = true;
    meanwhile_.clear();
    pool_.start([this, session = path_, asked = ++asked_] {
        auto file = SessionFile::open(session, SessionFile::Access::read);
        auto decisions = file ? file->decisions() : std::unexpected(file.error());
        QMetaObject::invokeMethod(
            this,
            [this, asked, decisions = std::move(decisions)] {
                if (asked != asked_) return;
                reading_ = false;
                if (decisions)
                    take(*decisions);
                else
                    Q_EMIT failed(decisions.error());
            },
            Qt::QueuedConnection);
    });
}

void CompareLog::take(std::vector<Decision> stored) {
    for (const auto* more : {&unkept_, &meanwhile_}) stored.insert(stored.end(), more->begin(), more->end());
    if (stored == decisions_) return;
    decisions_ = std::move(stored);
    ++revision_;
    Q_EMIT read();
}

void CompareLog::decide(Decision decision) {
    decision.time_ms = QDateTime::currentMSecsSinceEpoch();
    decisions_.push_back(decision);
    ++revision_;
    if (reading_) meanwhile_.push_back(decision);
    if (path_.empty()) return;
    pool_.start([this, path = path_, decision = std::move(decision)] { write(path, decision); });
}

void CompareLog::write(const std::filesystem::path& path, const Decision& decision) {
    bool told = false;
    for (;;) {
        auto file = SessionFile::open(path, SessionFile::Access::write);
        auto done = file ? file->decide(decision) : std::unexpected(file.error());
        if (done) return;
        const bool again = done.error().code == ErrorCode::timeout && !closing_;
        if (!again || !std::exchange(told, true))
            QMetaObject::invokeMethod(
                this,
                [this, path, again, decision, error = done.error()] {
                    if (!again && path == path_) unkept_.push_back(decision);
                    Q_EMIT failed(error);
                },
                Qt::QueuedConnection);
        if (!again) return;
    }
}

} // namespace kw::desktop
