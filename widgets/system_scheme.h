#pragma once

#include "widgets/theme.h"

#include <QObject>
#include <QVariant>

#include <optional>

class QDBusVariant;

namespace kw::widgets {

/// Whether the desktop prefers dark or light, as the XDG settings portal says (org.freedesktop.appearance color-scheme:
/// 1 dark, 2 light, 0 no preference).
class SystemScheme : public QObject {
    Q_OBJECT
public:
    explicit SystemScheme(QObject* parent = nullptr);

    /// Asks, and listens to changes from now on. Without a desktop session nothing is ever told.
    void start();

Q_SIGNALS:
    void told(kw::widgets::Scheme scheme);

private Q_SLOTS:
    void setting_changed(const QString& group, const QString& key, const QDBusVariant& value);

private:
    void tell(const QVariant& value);
};

} // namespace kw::widgets
