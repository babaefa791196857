#pragma once

#include "engine/compile/compiler.h"

#include <QWidget>

#include <string>
#include <vector>

class QStackedWidget;
class QTreeWidget;
class QTreeWidgetItem;

namespace kw::widgets {
class EmptyState;
}

namespace kw::editor {

/// Diagnostics as a list, notes below what they explain. Activating one asks to go there.
class ProblemList : public QWidget {
    Q_OBJECT
public:
    explicit ProblemList(QWidget* parent = nullptr);

    void show_diagnostics(const std::vector<compile::Diagnostic>& diagnostics);
    /// Whether there are problems is not known, and `why`.
    void show_unchecked(const QString& why);
    [[nodiscard]] int error_count() const { return errors_; }
    [[nodiscard]] int warning_count() const { return warnings_; }

    /// Moves to the next problem, or the one before, around the ends, and asks to go there. Does nothing when there is
    /// none.
    void go_to_next() { move(1); }
    void go_to_previous() { move(-1); }

Q_SIGNALS:
    void go_to_requested(const QString& file, int line, int column);

private:
    void request(const QTreeWidgetItem* item);
    QTreeWidgetItem* add(const compile::Diagnostic& diagnostic, QTreeWidgetItem* parent);
    void rebuild();
    void move(int offset);

    QStackedWidget* pages_;
    widgets::EmptyState* empty_;
    QTreeWidget* tree_;
    std::vector<compile::Diagnostic> diagnostics_;
    int errors_ = 0;
    int warnings_ = 0;
};

} // namespace kw::editor
