#include "editor/heat_margin.h"

#include "widgets/numbers.h"
#include "widgets/theme.h"

#include <QHelpEvent>
#include <QPainter>
#include <QToolTip>
#include <Qsci/qsciscintilla.h>

#include <cmath>

namespace kw::editor {

QString short_value(double value, const std::string& unit) {
    if (unit.empty() || unit == "%" || unit == "B")
        return widgets::format_quantity(value, QString::fromStdString(unit));
    return widgets::format_quantity(value, {});
}

HeatMargin::HeatMargin(QsciScintilla& text, int margin) : QWidget(&text), text_(text), margin_(margin) {
    setAttribute(Qt::WA_OpaquePaintEvent); // else every repaint would repaint the text below too
    setAccessibleName(tr("Heat by line"));
    text_.setMarginType(margin_, QsciScintilla::SymbolMargin);
    text_.setMarginMarkerMask(margin_, 0);
    text_.setMarginWidth(margin_, 0);
    text_.viewport()->installEventFilter(this); // of whose place and size the text learns last
    connect(&text_, &QsciScintillaBase::SCN_PAINTED, this, &HeatMargin::follow);
    connect(&text_, &QsciScintillaBase::SCN_MODIFIED, this,
            [this](int position, int type, const char*, int, int lines_added) {
                if (lines_added != 0 && !values_.empty()
                    && (type & (QsciScintillaBase::SC_MOD_INSERTTEXT | QsciScintillaBase::SC_MOD_DELETETEXT)))
                    shift(position, lines_added);
            });
    connect(&text_, &QsciScintillaBase::SCN_ZOOM, this, &HeatMargin::place);
    connect(&widgets::Theme::instance(), &widgets::Theme::changed, this, &HeatMargin::place);
    hide();
}

void HeatMargin::set(std::optional<HeatColumn> column) {
    column_ = std::move(column);
    values_.clear();
    largest_ = 0;
    if (column_) {
        values_.resize(static_cast<std::size_t>(text_.lines()));
        for (const auto& [line, value] : column_->lines) {
            if (line < 1 || line > text_.lines() || !std::isfinite(value)) continue;
            values_[static_cast<std::size_t>(line) - 1] = value;
            largest_ = std::max(largest_, std::abs(value));
        }
        setAccessibleDescription(QString::fromStdString(column_->label));
    }
    place();
}

std::optional<double> HeatMargin::value_of(int line) const {
    const auto index = static_cast<std::size_t>(line) - 1;
    return line >= 1 && index < values_.size() ? values_[index] : std::nullopt;
}

QString HeatMargin::explain(int line) const {
    const auto value = value_of(line);
    if (!value || !column_) return {};
    QString text = tr("%1: %2").arg(QString::fromStdString(column_->label),
                                    widgets::format_exact(*value, QString::fromStdString(column_->unit)));
    if (column_->total > 0)
        text += tr(", %1 of all").arg(widgets::format_quantity(100 * *value / column_->total, QStringLiteral("%")));
    text += column_->estimated ? tr(" (estimated)") : tr(" (measured)");
    return text + QLatin1Char('\n') + QString::fromStdString(column_->about);
}

QSize HeatMargin::sizeHint() const {
    const QFontMetrics metrics(font());
    return {metrics.horizontalAdvance(QStringLiteral("8888 M")) + 12, text_.viewport()->height()};
}

void HeatMargin::shift(int position, int lines_added) {
    // Lines are inserted below the one that the change begins in, and taken from there; a change at a line's very
    // start moves that line too.
    const long line = text_.SendScintilla(QsciScintillaBase::SCI_LINEFROMPOSITION, position);
    const bool at_start = text_.SendScintilla(QsciScintillaBase::SCI_POSITIONFROMLINE, line) == position;
    const auto from = values_.begin() + std::min<std::ptrdiff_t>(line + (at_start ? 0 : 1), std::ssize(values_));
    if (lines_added > 0)
        values_.insert(from, static_cast<std::size_t>(lines_added), std::nullopt);
    else
        values_.erase(from, from + std::min<std::ptrdiff_t>(-lines_added, values_.end() - from));
    update();
}

void HeatMargin::place() {
    QFont small = widgets::Theme::instance().code_font();
    const auto zoom = static_cast<double>(text_.SendScintilla(QsciScintillaBase::SCI_GETZOOM));
    small.setPointSizeF(std::max(5.0, (small.pointSizeF() + zoom) * 0.85));
    setFont(small);
    const int width = column_ ? sizeHint().width() : 0;
    if (text_.marginWidth(margin_) != width) text_.setMarginWidth(margin_, width);
    int left = text_.viewport()->x();
    for (int i = 0; i < margin_; ++i) left += text_.marginWidth(i);
    setGeometry(left, text_.viewport()->y(), width, text_.viewport()->height());
    setVisible(column_.has_value());
    raise();
    update();
}

/// The text was drawn: what is beside it must show the same lines.
void HeatMargin::follow() {
    if (!column_) return;
    int left = text_.viewport()->x();
    for (int i = 0; i < margin_; ++i) left += text_.marginWidth(i);
    if (left != x()) place();
    std::vector<int> lines;
    const int rows = height() / std::max(1, text_.textHeight(0)) + 2;
    const long first = text_.SendScintilla(QsciScintillaBase::SCI_GETFIRSTVISIBLELINE);
    for (int row = 0; row < rows; ++row)
        lines.push_back(static_cast<int>(text_.SendScintilla(QsciScintillaBase::SCI_DOCLINEFROMVISIBLE, first + row)));
    if (lines == shown_) return;
    shown_ = std::move(lines);
    update();
}

int HeatMargin::line_at(int y) const {
    const long first = text_.SendScintilla(QsciScintillaBase::SCI_GETFIRSTVISIBLELINE);
    const long row = first + y / std::max(1, text_.textHeight(0));
    if (row >= text_.SendScintilla(QsciScintillaBase::SCI_VISIBLEFROMDOCLINE, text_.lines())) return 0;
    return static_cast<int>(text_.SendScintilla(QsciScintillaBase::SCI_DOCLINEFROMVISIBLE, row)) + 1;
}

bool HeatMargin::event(QEvent* event) {
    if (event->type() != QEvent::ToolTip) return QWidget::event(event);
    const auto* help = static_cast<QHelpEvent*>(event);
    const QString text = explain(line_at(help->pos().y()));
    if (text.isEmpty())
        QToolTip::hideText();
    else
        QToolTip::showText(help->globalPos(), text, this);
    return true;
}

bool HeatMargin::eventFilter(QObject* object, QEvent* event) {
    if (object == text_.viewport() && (event->type() == QEvent::Resize || event->type() == QEvent::Show)) place();
    return QWidget::eventFilter(object, event);
}

void HeatMargin::paintEvent(QPaintEvent*) {
    const auto& tokens = widgets::Theme::instance().tokens();
    QPainter painter(this);
    painter.fillRect(rect(), tokens.surface1);
    const int row_height = text_.textHeight(0);
    if (!column_ || row_height <= 0) return;
    for (int y = 0; y < height(); y += row_height) {
        const auto value = value_of(line_at(y));
        if (!value || *value == 0) continue;
        const double part = largest_ > 0 ? std::abs(*value) / largest_ : 0;
        // One hue, from faint to strong; faint enough for the number on it to stay readable.
        QColor color = tokens.data[1];
        color.setAlphaF(static_cast<float>(0.10 + 0.30 * part));
        const int width = std::max(2, static_cast<int>(std::lround(part * (this->width() - 4))));
        painter.fillRect(QRect(2, y + 1, width, row_height - 2), color);
        painter.setPen(part >= 0.05 ? tokens.text1 : tokens.text2);
        painter.drawText(QRect(0, y, this->width() - 6, row_height), Qt::AlignRight | Qt::AlignVCenter,
                         short_value(*value, column_->unit));
    }
}

} // namespace kw::editor
