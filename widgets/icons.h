#pragma once

#include <QColor>
#include <QIcon>
#include <QString>

namespace kw::widgets {

/// A line icon of resources/icons by name, drawn in `color`, sharp at every scale.
[[nodiscard]] QIcon icon(const QString& name, const QColor& color, const QColor& disabled);

/// The same in the theme's text colours.
[[nodiscard]] QIcon icon(const QString& name);

} // namespace kw::widgets
