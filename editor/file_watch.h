#pragma once

#include <QFileSystemWatcher>
#include <QObject>
#include <QString>
#include <QTimer>

#include <optional>
#include <string>
#include <string_view>

namespace kw::editor {

/// Tells when a file's content is no longer what was read or written here. Content counts, not times: touching a file,
/// or writing the same again, is no change. Files are read on another thread.
class FileWatch : public QObject {
    Q_OBJECT
public:
    enum class State { same, changed, deleted };

    explicit FileWatch(QObject* parent = nullptr);

    /// From now on watches `path`, whose content is known to be `bytes`.
    void watch(const QString& path, std::string_view bytes);
    void stop();
    /// To be called before the file is written here: neither what it holds now nor `bytes` is then another's doing.
    void expect(std::string_view bytes);
    /// What is on disk now counts as known, as when the user keeps the text in the editor.
    void accept();

    /// Looks at once, and waits for it: right before the file is written, as what another program did in the last
    /// moments, or on a file system that tells nothing, has not been seen yet.
    [[nodiscard]] State look();
    [[nodiscard]] State state() const { return state_; }
    [[nodiscard]] const QString& path() const { return path_; }

Q_SIGNALS:
    /// Also when a changed file has changed again.
    void state_changed(kw::editor::FileWatch::State state);

private:
    void subscribe();
    void check();
    void compare(const std::string& hash);
    void seen(quint64 generation, const std::optional<std::string>& hash);

    QFileSystemWatcher watcher_;
    QTimer timer_;
    QString path_;
    std::string known_;    ///< hash of what the editor started from
    std::string previous_; ///< of what a write of ours replaces; empty once that has been seen done
    std::string found_;    ///< of what was last seen on disk
    State state_ = State::same;
    quint64 generation_ = 0; ///< of path_ and known_; an answer about an older one is dropped
    bool checking_ = false;
    bool missed_once_ = false;
};

} // namespace kw::editor
