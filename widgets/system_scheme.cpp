#include "widgets/system_scheme.h"

#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusPendingCallWatcher>
#include <QDBusPendingReply>
#include <QDBusVariant>

namespace kw::widgets {
namespace {

const QString kService = QStringLiteral("org.freedesktop.portal.Desktop");
const QString kPath = QStringLiteral("/org/freedesktop/portal/desktop");
const QString kInterface = QStringLiteral("org.freedesktop.portal.Settings");
const QString kGroup = QStringLiteral("org.freedesktop.appearance");
const QString kKey = QStringLiteral("color-scheme");

} // namespace

SystemScheme::SystemScheme(QObject* parent) : QObject(parent) {}

void SystemScheme::start() {
    auto bus = QDBusConnection::sessionBus();
    if (!bus.isConnected()) return;
    bus.connect(kService, kPath, kInterface, QStringLiteral("SettingChanged"), this,
                SLOT(setting_changed(QString, QString, QDBusVariant)));
    auto question = QDBusMessage::createMethodCall(kService, kPath, kInterface, QStringLiteral("Read"));
    question << kGroup << kKey;
    auto* watcher = new QDBusPendingCallWatcher(bus.asyncCall(question), this);
    connect(watcher, &QDBusPendingCallWatcher::finished, this, [this](QDBusPendingCallWatcher* done) {
        const QDBusPendingReply<QDBusVariant> reply = *done;
        if (reply.isValid()) tell(reply.value().variant());
        done->deleteLater();
    });
}

void SystemScheme::setting_changed(const QString& group, const QString& key, const QDBusVariant& value) {
    if (group == kGroup && key == kKey) tell(value.variant());
}

void SystemScheme::tell(const QVariant& value) {
    // Read wraps the value in a variant of its own, SettingChanged does not.
    const QVariant inner = value.canConvert<QDBusVariant>() ? value.value<QDBusVariant>().variant() : value;
    if (const uint scheme = inner.toUInt(); scheme == 1 || scheme == 2)
        Q_EMIT told(scheme == 1 ? Scheme::dark : Scheme::light);
}

} // namespace kw::widgets
