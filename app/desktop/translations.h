#pragma once

#include <QLocale>
#include <QTranslator>

namespace kw::desktop {

/// The program's texts, and Qt's own, in the user's language where there are translations. English ones have only
/// what the sources cannot say: singular and plural.
class Translations {
public:
    explicit Translations(const QLocale& locale = QLocale());

private:
    QTranslator qt_, ours_;
};

} // namespace kw::desktop
