#pragma once

#include <QLayout>
#include <QWidget>

namespace kw::widgets {

/// Deletes all that stands in a layout.
inline void clear_layout(QLayout& layout) {
    while (auto* item = layout.takeAt(0)) {
        delete item->widget();
        delete item;
    }
}

} // namespace kw::widgets
