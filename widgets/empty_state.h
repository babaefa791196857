#pragma once

#include <QWidget>

class QLabel;

namespace kw::widgets {

/// What an empty pane shows: what would be here, and how to bring it.
class EmptyState : public QWidget {
    Q_OBJECT
public:
    EmptyState(const QString& title, const QString& hint, QWidget* parent = nullptr);

    void set(const QString& title, const QString& hint);

private:
    QLabel* title_;
    QLabel* hint_;
};

} // namespace kw::widgets
