#pragma once

#include <QByteArray>
#include <QSettings>
#include <QString>
#include <QStringList>
#include <QVariantMap>

#include <filesystem>
#include <string>
#include <vector>

namespace kw::desktop {

/// What the program remembers between starts: one file, one place that knows its keys.
class Settings {
public:
    /// The file in the user's configuration folder.
    Settings();

    /// "system", "dark" or "light".
    [[nodiscard]] QString theme() const;
    void set_theme(const QString& name);
    /// Of all text, 1 to 2.
    [[nodiscard]] double text_scale() const;
    void set_text_scale(double scale);
    /// Whether the editor closes brackets and quotes as they are opened.
    [[nodiscard]] bool auto_close() const;
    void set_auto_close(bool enabled);
    /// Folder or library of NVRTC; empty: searched for.
    [[nodiscard]] QString toolkit() const;
    void set_toolkit(const QString& path);

    /// Device ids as --device takes them; of the worker named.
    [[nodiscard]] QString device(const QString& worker) const;
    void set_device(const QString& worker, const QString& id);
    /// As rpc::worker_command takes it.
    [[nodiscard]] QString worker() const;
    void set_worker(const QString& specification);
    /// Workers elsewhere that the user has added.
    [[nodiscard]] QStringList remotes() const;
    void set_remotes(const QStringList& specifications);

    /// What was chosen of a driver when one was started last, by field.
    [[nodiscard]] QVariantMap agent_form() const;
    void set_agent_form(const QVariantMap& fields);

    /// Tasks, sessions and traces opened last, newest first.
    [[nodiscard]] QStringList recent() const;
    void add_recent(const std::filesystem::path& path);
    void remove_recent(const QString& path);
    /// Those of which there is text that was never saved. Written through at once: it is for after a crash.
    [[nodiscard]] QStringList unsaved() const;
    void set_unsaved(const QString& path, bool unsaved);

    [[nodiscard]] QByteArray geometry() const;
    void set_geometry(const QByteArray& geometry);
    [[nodiscard]] QString layout() const;
    void set_layout(const QString& name);
    /// Where the docks of a layout are; empty until it was changed.
    [[nodiscard]] QByteArray docks(const QString& layout) const;
    void set_docks(const QString& layout, const QByteArray& state);

private:
    QSettings store_;
};

/// As recent() and unsaved() name a path.
[[nodiscard]] QString recent_name(const std::filesystem::path& path);
/// What a worker has to be told of them on its command line.
[[nodiscard]] std::vector<std::string> toolkit_options(const Settings& settings);
/// Where sessions, copies of bundled tasks and the like are kept.
[[nodiscard]] std::filesystem::path data_folder();
/// "tasks" or "lessons/recorded", installed or in a source tree; empty when it is not there.
[[nodiscard]] std::filesystem::path bundled(const std::string& what);

} // namespace kw::desktop
