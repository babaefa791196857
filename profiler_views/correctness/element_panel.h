#pragma once

#include "engine/verify/output_source.h"

#include <QWidget>

#include <optional>

class QGridLayout;
class QLabel;
class QPushButton;
class QVBoxLayout;

namespace kw::profiler_views {

/// The selected element: what it should be, what it is, and who wrote it.
class ElementPanel : public QWidget {
    Q_OBJECT
public:
    explicit ElementPanel(QWidget* parent = nullptr);

    void clear();
    void set_element(const QString& name, const verify::ElementError& error);
    void set_writers_pending();
    void set_writers(const verify::WriterReport& report);
    void set_writers_problem(const QString& problem);

Q_SIGNALS:
    void go_to_requested(const QString& file, int line, int column);
    /// Who wrote it is to be found out.
    void writers_requested();

private:
    void set_lines(const QList<std::pair<QString, std::optional<Where>>>& lines);

    QLabel* title_;
    QLabel* hint_;
    QGridLayout* grid_;
    QWidget* values_;
    QWidget* writers_;
    QVBoxLayout* writer_lines_;
    QPushButton* ask_;
};

} // namespace kw::profiler_views
