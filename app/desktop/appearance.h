#pragma once

#include "widgets/system_scheme.h"

#include <QObject>
#include <QString>

class QApplication;

namespace kw::desktop {

/// Keeps the program's looks as they are set: a theme by name, or the desktop's.
class Appearance : public QObject {
    Q_OBJECT
public:
    explicit Appearance(QApplication& application);

    /// "system", "dark" or "light"; `text_scale` as Theme takes it.
    void apply(const QString& theme, double text_scale);
    [[nodiscard]] static bool is_theme(const QString& name);

private:
    QApplication& application_;
    widgets::SystemScheme system_;
    widgets::Scheme desktop_; ///< what the desktop prefers, as far as is known
    bool follows_ = false;
    bool listening_ = false;
};

} // namespace kw::desktop
