#include "profiler_views/correctness/element_panel.h"

#include "widgets/clear_layout.h"
#include "widgets/numbers.h"
#include "widgets/theme.h"

#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <cmath>
#include <limits>

namespace kw::profiler_views {
namespace {

QLabel* text_label(const QString& text, const QString& tone = {}) {
    auto* label = new QLabel(text);
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    if (!tone.isEmpty()) label->setProperty("tone", tone);
    return label;
}

QString number_text(double value) {
    if (std::isnan(value)) return QStringLiteral("–");
    if (std::isinf(value)) return QStringLiteral("∞");
    return value != 0 && (std::abs(value) < 1e-3 || std::abs(value) >= 1e6) ? QString::number(value, 'g', 3)
                                                                            : widgets::format_number(value);
}

QString position_text(const device::Dim3& at) { return QStringLiteral("(%1, %2, %3)").arg(at.x).arg(at.y).arg(at.z); }

QString write_text(const verify::Write& write) {
    const auto thread = write.whole_warp ? ElementPanel::tr("the warp of thread %1").arg(position_text(write.thread))
                                         : ElementPanel::tr("thread %1").arg(position_text(write.thread));
    return (write.atomic ? ElementPanel::tr("changed by %1, block %2, %3")
                         : ElementPanel::tr("written by %1, block %2, %3"))
        .arg(QString::fromStdString(write.kernel), position_text(write.block), thread);
}

} // namespace

ElementPanel::ElementPanel(QWidget* parent)
    : QWidget(parent),
      title_(new QLabel(tr("Element"))),
      hint_(text_label(tr("Click an element, or press N for the next one that fails."), QStringLiteral("quiet"))),
      values_(new QWidget),
      writers_(new QWidget),
      ask_(new QPushButton(tr("Who wrote it?"))) {
    title_->setProperty("kind", QStringLiteral("section"));
    hint_->setWordWrap(true);
    ask_->setToolTip(tr("Runs the check once more on the simulator and looks who writes this element (W)"));
    grid_ = new QGridLayout(values_);
    grid_->setContentsMargins(0, 0, 0, 0);
    grid_->setHorizontalSpacing(12);
    grid_->setVerticalSpacing(2);
    grid_->setColumnStretch(1, 1);
    writer_lines_ = new QVBoxLayout(writers_);
    writer_lines_->setContentsMargins(0, 0, 0, 0);
    writer_lines_->setSpacing(2);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    layout->addWidget(title_);
    layout->addWidget(hint_);
    layout->addWidget(values_);
    layout->addWidget(writers_);
    layout->addWidget(ask_, 0, Qt::AlignLeft);
    connect(ask_, &QPushButton::clicked, this, &ElementPanel::writers_requested);
    clear();
}

void ElementPanel::clear() {
    title_->setText(tr("Element"));
    hint_->show();
    values_->hide();
    writers_->hide();
    ask_->hide();
}

void ElementPanel::set_element(const QString& name, const verify::ElementError& error) {
    // The same under another tolerance keeps what is known of who wrote it.
    const bool another = title_->text() != name;
    title_->setText(name);
    hint_->hide();
    widgets::clear_layout(*grid_);
    int row = 0;
    const auto add = [&](const QString& what, const QString& value, const QString& tone = {}) {
        auto* label = text_label(value, tone);
        label->setFont(widgets::Theme::instance().code_font());
        label->setAccessibleName(what);
        grid_->addWidget(text_label(what, QStringLiteral("quiet")), row, 0);
        grid_->addWidget(label, row++, 1, Qt::AlignRight);
    };
    const bool fails = error.ratio > 1;
    add(tr("expected"), QString::fromStdString(error.expected.text));
    add(tr("actual"), QString::fromStdString(error.actual.text), fails ? QStringLiteral("bad") : QString());
    add(tr("|error|"), number_text(error.absolute));
    add(tr("relative"), number_text(error.relative));
    add(tr("ULP"),
        error.ulp == std::numeric_limits<std::uint64_t>::max() ? QStringLiteral("–") : QString::number(error.ulp));
    add(tr("÷ tolerance"),
        number_text(static_cast<double>(error.ratio)) + (fails ? QStringLiteral(" ✗") : QStringLiteral(" ✓")),
        fails ? QStringLiteral("bad") : QStringLiteral("good"));
    values_->show();
    if (!another) return;
    writers_->hide();
    ask_->show();
    ask_->setEnabled(true);
}

void ElementPanel::set_lines(const QList<std::pair<QString, std::optional<Where>>>& lines) {
    widgets::clear_layout(*writer_lines_);
    for (const auto& [text, where] : lines) {
        auto* label = text_label(text);
        label->setWordWrap(true);
        writer_lines_->addWidget(label);
        if (!where || where->file.empty() || where->line <= 0) continue;
        const auto file = QString::fromStdString(where->file);
        auto* go = new QPushButton(tr("Go to %1:%2").arg(file).arg(where->line));
        connect(go, &QPushButton::clicked, this, [this, file, line = where->line, column = where->column] {
            Q_EMIT go_to_requested(file, line, column);
        });
        writer_lines_->addWidget(go, 0, Qt::AlignLeft);
    }
    writers_->show();
}

void ElementPanel::set_writers_pending() {
    ask_->setEnabled(false);
    set_lines({{tr("Looking who writes it …"), std::nullopt}});
}

void ElementPanel::set_writers(const verify::WriterReport& report) {
    ask_->hide();
    QList<std::pair<QString, std::optional<Where>>> lines;
    constexpr std::size_t kMostShown = 4;
    for (std::size_t i = 0; i < std::min(report.writes.size(), kMostShown); ++i)
        lines.append({write_text(report.writes[i]), report.writes[i].where});
    const auto more = report.more + (report.writes.size() > kMostShown ? report.writes.size() - kMostShown : 0);
    if (more > 0) lines.append({tr("and by %n more thread(s)", nullptr, static_cast<int>(more)), std::nullopt});
    if (report.origin) lines.append({QString::fromStdString(report.origin->what), report.origin->where});
    if (!report.note.empty()) lines.append({QString::fromStdString(report.note), std::nullopt});
    set_lines(lines);
}

void ElementPanel::set_writers_problem(const QString& problem) {
    ask_->setEnabled(true);
    set_lines({{problem, std::nullopt}});
}

} // namespace kw::profiler_views
