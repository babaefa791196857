#include "editor/file_watch.h"

#include "editor/text_codec.h"
#include "engine/base/file.h"
#include "engine/base/hash.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QPointer>
#include <QThreadPool>

#include <filesystem>
#include <optional>

namespace kw::editor {
namespace {

constexpr int kSettleMs = 60;   // programs write in several steps; look when they are done
constexpr int kMissingMs = 250; // a file that is replaced may be absent for a moment

/// The hash of what a file holds; nothing when there is none.
std::optional<std::string> hash_of(const std::filesystem::path& path) {
    // Twice the limit, so that a file that has outgrown the editor counts as changed.
    if (const auto bytes = read_file(path, 2 * kMaxTextBytes)) return sha256_hex(*bytes);
    std::error_code ignored;
    return std::filesystem::exists(path, ignored) ? std::optional<std::string>("unreadable") : std::nullopt;
}

} // namespace

FileWatch::FileWatch(QObject* parent) : QObject(parent) {
    timer_.setSingleShot(true);
    connect(&timer_, &QTimer::timeout, this, &FileWatch::check);
    const auto soon = [this] {
        if (!path_.isEmpty() && !timer_.isActive()) timer_.start(kSettleMs);
    };
    connect(&watcher_, &QFileSystemWatcher::fileChanged, this, soon);
    connect(&watcher_, &QFileSystemWatcher::directoryChanged, this, soon);
}

void FileWatch::watch(const QString& path, std::string_view bytes) {
    stop();
    path_ = path;
    known_ = found_ = sha256_hex(bytes);
    subscribe();
    timer_.start(kSettleMs); // it may have changed since it was read
}

void FileWatch::stop() {
    ++generation_;
    timer_.stop();
    if (const auto watched = watcher_.files() + watcher_.directories(); !watched.isEmpty())
        watcher_.removePaths(watched);
    path_.clear();
    known_.clear();
    previous_.clear();
    found_.clear();
    state_ = State::same;
    missed_once_ = false;
}

void FileWatch::expect(std::string_view bytes) {
    ++generation_;
    previous_ = found_;
    known_ = sha256_hex(bytes);
    if (!path_.isEmpty()) timer_.start(kSettleMs);
    if (state_ == State::same) return;
    state_ = State::same;
    Q_EMIT state_changed(state_);
}

void FileWatch::accept() {
    if (state_ == State::deleted) return;
    ++generation_;
    known_ = found_;
    previous_.clear();
    if (state_ == State::same) return;
    state_ = State::same;
    Q_EMIT state_changed(state_);
}

FileWatch::State FileWatch::look() {
    if (path_.isEmpty()) return state_;
    const auto found = hash_of(path_.toStdString());
    if (!found) return state_; // whether it is gone for good is seen later
    ++generation_;
    compare(*found);
    return state_;
}

void FileWatch::subscribe() {
    const QFileInfo info(path_);
    // The folder tells of renames onto the file, of which the file's own watch sees only the old one's end.
    QStringList wanted{info.absolutePath()};
    if (info.exists()) wanted << path_ << QFileInfo(info.canonicalFilePath()).absolutePath();
    const auto have = watcher_.files() + watcher_.directories();
    for (const auto& path : wanted)
        if (!have.contains(path) && !watcher_.files().contains(path) && !watcher_.directories().contains(path))
            watcher_.addPath(path);
}

void FileWatch::check() {
    if (path_.isEmpty()) return;
    if (checking_) {
        timer_.start(kSettleMs);
        return;
    }
    checking_ = true;
    subscribe();
    QThreadPool::globalInstance()->start(
        [self = QPointer(this), path = std::filesystem::path(path_.toStdString()), generation = generation_] {
            auto hash = hash_of(path);
            // By way of the application, because this object may be gone by now.
            QMetaObject::invokeMethod(
                QCoreApplication::instance(),
                [self, generation, hash = std::move(hash)] {
                    if (self) self->seen(generation, hash);
                },
                Qt::QueuedConnection);
        });
}

void FileWatch::seen(quint64 generation, const std::optional<std::string>& hash) {
    checking_ = false;
    if (generation != generation_) {
        if (!path_.isEmpty()) timer_.start(kSettleMs);
        return;
    }
    if (!hash) {
        if (state_ == State::deleted) return;
        if (!missed_once_) {
            missed_once_ = true;
            timer_.start(kMissingMs);
            return;
        }
        state_ = State::deleted;
        Q_EMIT state_changed(state_);
        return;
    }
    compare(*hash);
}

void FileWatch::compare(const std::string& hash) {
    missed_once_ = false;
    const bool again = hash != found_;
    found_ = hash;
    if (hash == known_) previous_.clear();
    const State now = hash == known_ || hash == previous_ ? State::same : State::changed;
    if (now == state_ && !(now == State::changed && again)) return;
    state_ = now;
    Q_EMIT state_changed(state_);
}

} // namespace kw::editor
