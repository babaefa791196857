#pragma once

#include "editor/heat.h"

#include <QWidget>

#include <optional>
#include <vector>

class QsciScintilla;

namespace kw::editor {

/// A bar and a number per line, drawn over one margin of a text, whose width it sets. Values stay with their lines
/// while the text is edited.
class HeatMargin : public QWidget {
    Q_OBJECT
public:
    HeatMargin(QsciScintilla& text, int margin);

    void set(std::optional<HeatColumn> column);
    [[nodiscard]] const std::optional<HeatColumn>& column() const { return column_; }
    /// Of a line from 1, as it stands now.
    [[nodiscard]] std::optional<double> value_of(int line) const;
    /// What the pointer is told: value in full, share, estimate or measurement, explanation. Empty without a value.
    [[nodiscard]] QString explain(int line) const;

    [[nodiscard]] QSize sizeHint() const override;
    bool eventFilter(QObject* object, QEvent* event) override;

protected:
    bool event(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void place();
    void follow();
    void shift(int line, int lines_added);
    [[nodiscard]] int line_at(int y) const; ///< from 1; 0: none

    QsciScintilla& text_;
    int margin_;
    std::optional<HeatColumn> column_;
    std::vector<std::optional<double>> values_; ///< by line from 0
    double largest_ = 0;
    std::vector<int> shown_; ///< lines that were visible when last drawn
};

/// Three significant digits with an SI prefix, and the unit where it is short.
[[nodiscard]] QString short_value(double value, const std::string& unit);

} // namespace kw::editor
