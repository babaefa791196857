#pragma once

#include <QApplication>
#include <QClipboard>
#include <QShortcut>
#include <QTableView>

#include <functional>

namespace kw::profiler_views {

/// The copy key on a table puts `text` on the clipboard.
inline void add_copy(QTableView* table, std::function<QString()> text) {
    auto* copy = new QShortcut(QKeySequence::Copy, table);
    copy->setContext(Qt::WidgetWithChildrenShortcut);
    QObject::connect(copy, &QShortcut::activated, table,
                     [text = std::move(text)] { QApplication::clipboard()->setText(text()); });
}

} // namespace kw::profiler_views
