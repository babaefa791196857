#include "app/desktop/appearance.h"

#include <QApplication>
#include <QPalette>

#include <utility>

namespace kw::desktop {

using widgets::Scheme;
using widgets::Theme;

// Until the desktop has answered, and where there is none that would, the platform's own colours tell.
Appearance::Appearance(QApplication& application)
    : application_(application),
      desktop_(application.palette().color(QPalette::Window).lightness() < 128 ? Scheme::dark : Scheme::light) {
    connect(&system_, &widgets::SystemScheme::told, this, [this](Scheme told) {
        desktop_ = told;
        if (follows_ && Theme::instance().tokens().scheme != told) Theme::instance().apply(application_, told);
    });
}

void Appearance::apply(const QString& theme, double text_scale) {
    Theme::instance().set_text_scale(text_scale);
    follows_ = theme == QStringLiteral("system");
    Theme::instance().apply(application_, follows_                           ? desktop_
                                          : theme == QStringLiteral("light") ? Scheme::light
                                                                             : Scheme::dark);
    if (follows_ && !std::exchange(listening_, true)) system_.start();
}

bool Appearance::is_theme(const QString& name) {
    return name == QStringLiteral("system") || name == QStringLiteral("dark") || name == QStringLiteral("light");
}

} // namespace kw::desktop
