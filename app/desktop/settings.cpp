#include "app/desktop/settings.h"

#include "engine/base/file.h"

#include <QStandardPaths>

#include <algorithm>

namespace kw::desktop {
namespace {

constexpr int kMostRecent = 12;

// Bumped when the docks change so that an arrangement of an earlier version would not fit.
const QString kDocks = QStringLiteral("docks2/");

QString file_name() {
    return QStandardPaths::writableLocation(QStandardPaths::AppConfigLocation) % QStringLiteral("/settings.ini");
}

} // namespace

Settings::Settings() : store_(file_name(), QSettings::IniFormat) {}

QString Settings::theme() const { return store_.value(QStringLiteral("theme"), QStringLiteral("system")).toString(); }
void Settings::set_theme(const QString& name) { store_.setValue(QStringLiteral("theme"), name); }
double Settings::text_scale() const {
    return std::clamp(store_.value(QStringLiteral("text_scale"), 1.0).toDouble(), 1.0, 2.0);
}
void Settings::set_text_scale(double scale) { store_.setValue(QStringLiteral("text_scale"), scale); }
bool Settings::auto_close() const { return store_.value(QStringLiteral("auto_close"), true).toBool(); }
void Settings::set_auto_close(bool enabled) { store_.setValue(QStringLiteral("auto_close"), enabled); }
QString Settings::toolkit() const { return store_.value(QStringLiteral("toolkit")).toString(); }
void Settings::set_toolkit(const QString& path) { store_.setValue(QStringLiteral("toolkit"), path); }

QString Settings::device(const QString& worker) const {
    return store_.value(QStringLiteral("devices")).toMap().value(worker).toString();
}
void Settings::set_device(const QString& worker, const QString& id) {
    auto devices = store_.value(QStringLiteral("devices")).toMap();
    devices[worker] = id;
    store_.setValue(QStringLiteral("devices"), devices);
}
QString Settings::worker() const { return store_.value(QStringLiteral("worker"), QStringLiteral("local")).toString(); }
void Settings::set_worker(const QString& specification) { store_.setValue(QStringLiteral("worker"), specification); }
QStringList Settings::remotes() const { return store_.value(QStringLiteral("remotes")).toStringList(); }
void Settings::set_remotes(const QStringList& specifications) {
    store_.setValue(QStringLiteral("remotes"), specifications);
}

QVariantMap Settings::agent_form() const {
    QVariantMap fields;
    const auto group = QStringLiteral("agent_form/");
    for (const auto& key : store_.allKeys())
        if (key.startsWith(group)) fields[key.mid(group.size())] = store_.value(key);
    return fields;
}
void Settings::set_agent_form(const QVariantMap& fields) {
    store_.remove(QStringLiteral("agent_form"));
    for (auto field = fields.begin(); field != fields.end(); ++field)
        store_.setValue(QStringLiteral("agent_form/") % field.key(), field.value());
}

QStringList Settings::recent() const { return store_.value(QStringLiteral("recent")).toStringList(); }
void Settings::add_recent(const std::filesystem::path& path) {
    const QString name = recent_name(path);
    auto all = recent();
    all.removeAll(name);
    all.prepend(name);
    while (all.size() > kMostRecent) all.removeLast();
    store_.setValue(QStringLiteral("recent"), all);
}
void Settings::remove_recent(const QString& path) {
    auto all = recent();
    all.removeAll(path);
    store_.setValue(QStringLiteral("recent"), all);
}
QStringList Settings::unsaved() const { return store_.value(QStringLiteral("unsaved")).toStringList(); }
void Settings::set_unsaved(const QString& path, bool unsaved_now) {
    auto all = unsaved();
    if (all.contains(path) == unsaved_now) return;
    if (unsaved_now)
        all << path;
    else
        all.removeAll(path);
    store_.setValue(QStringLiteral("unsaved"), all);
    store_.sync();
}

QByteArray Settings::geometry() const { return store_.value(QStringLiteral("geometry")).toByteArray(); }
void Settings::set_geometry(const QByteArray& geometry) { store_.setValue(QStringLiteral("geometry"), geometry); }
QString Settings::layout() const { return store_.value(QStringLiteral("layout"), QStringLiteral("review")).toString(); }
void Settings::set_layout(const QString& name) { store_.setValue(QStringLiteral("layout"), name); }
QByteArray Settings::docks(const QString& layout) const { return store_.value(kDocks % layout).toByteArray(); }
void Settings::set_docks(const QString& layout, const QByteArray& state) { store_.setValue(kDocks % layout, state); }

QString recent_name(const std::filesystem::path& path) {
    std::error_code error;
    auto name = std::filesystem::absolute(path, error).lexically_normal();
    // "softmax/" and "softmax" are one.
    if (!name.has_filename()) name = name.parent_path();
    return QString::fromStdString(name.string());
}

std::vector<std::string> toolkit_options(const Settings& settings) {
    const auto toolkit = settings.toolkit().toStdString();
    return toolkit.empty() ? std::vector<std::string>{} : std::vector<std::string>{"--toolkit", toolkit};
}

std::filesystem::path data_folder() {
    return QStandardPaths::writableLocation(QStandardPaths::AppDataLocation).toStdString();
}

std::filesystem::path bundled(const std::string& what) {
    std::error_code error;
    const auto beside = executable_folder();
    // Installed: bin/ and share/; built: build/<preset>/bin/ in the source tree.
    for (const char* relative : {"../share/kernelwright", "../../../resources"})
        if (const auto folder = (beside / relative / what).lexically_normal();
            std::filesystem::is_directory(folder, error))
            return folder;
    return {};
}

} // namespace kw::desktop
