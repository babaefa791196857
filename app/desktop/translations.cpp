#include "app/desktop/translations.h"

#include <QCoreApplication>
#include <QLibraryInfo>

namespace kw::desktop {

Translations::Translations(const QLocale& locale) {
    const auto folder = QStringLiteral(":/kw/translations");
    if (qt_.load(locale, QStringLiteral("qtbase"), QStringLiteral("_"),
                 QLibraryInfo::path(QLibraryInfo::TranslationsPath)))
        QCoreApplication::installTranslator(&qt_);
    if (ours_.load(locale, QStringLiteral("kernelwright"), QStringLiteral("_"), folder)
        || ours_.load(folder + QStringLiteral("/kernelwright_en")))
        QCoreApplication::installTranslator(&ours_);
}

} // namespace kw::desktop
