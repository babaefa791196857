#include "profiler_views/metrics/metric_panel.h"

#include "engine/profile/metrics.h"
#include "profiler_views/metrics/metric_text.h"
#include "widgets/numbers.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QLineEdit>
#include <QVBoxLayout>

namespace kw::profiler_views {
namespace {

QLabel* text_label(const char* tone) {
    auto* label = new QLabel;
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    if (*tone != '\0') label->setProperty("tone", QLatin1String(tone));
    return label;
}

} // namespace

MetricPanel::MetricPanel(QWidget* parent)
    : QWidget(parent),
      title_(text_label("")),
      figure_(text_label("")),
      badge_(new QLabel),
      exact_(text_label("quiet")),
      before_(text_label("")),
      about_(text_label("")),
      source_(text_label("quiet")),
      how_(new QLineEdit) {
    setAccessibleName(tr("About the selected metric"));
    title_->setProperty("kind", QStringLiteral("section"));
    figure_->setProperty("kind", QStringLiteral("figure"));
    badge_->setProperty("kind", QStringLiteral("badge"));
    auto* head = new QHBoxLayout;
    head->addWidget(figure_, 1);
    head->addWidget(badge_, 0, Qt::AlignVCenter);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 12, 16, 12);
    layout->setSpacing(8);
    layout->addWidget(title_);
    layout->addLayout(head);
    for (auto* label : {exact_, before_, about_, source_}) layout->addWidget(label);
    how_->setReadOnly(true);
    how_->setAccessibleName(tr("Counter or formula"));
    layout->addWidget(how_);
    layout->addStretch(1);
    show_metric({}, {});
}

void MetricPanel::show_metric(const QString& id, const LaunchPair& pair) {
    const auto* metric = profile::find_metric(id.toStdString());
    for (auto* label : {figure_, badge_, exact_, before_, source_}) label->setVisible(metric != nullptr);
    how_->setVisible(false);
    if (!metric || !pair.launch) {
        title_->setText(tr("Select a metric"));
        about_->setText(tr("What it means and where it was measured stands here."));
        return;
    }
    title_->setText(QStringLiteral("%1 · %2").arg(section_title(metric->group), text_of(metric->label)));
    const auto value_in = [&](const profile::LaunchProfile& launch) {
        const auto at = launch.metrics.find(metric->id);
        return at == launch.metrics.end() ? nullptr : &at->second;
    };
    const double* value = value_in(*pair.launch);
    figure_->setText(value ? value_text(*metric, *value) : tr("not known"));
    exact_->setText(value ? exact_value_text(*metric, *value) : QString());
    exact_->setVisible(value && exact_->text() != figure_->text());
    const double* before = pair.before ? value_in(*pair.before) : nullptr;
    before_->setVisible(before != nullptr);
    if (before)
        before_->setText(value && *before != 0
                             ? tr("Before: %1, now %2 of it")
                                   .arg(value_text(*metric, *before), widgets::format_ratio(*value / *before))
                             : tr("Before: %1").arg(value_text(*metric, *before)));
    about_->setText(text_of(metric->about));
    const Origin origin = origin_of(*metric, *pair.report);
    badge_->setText(origin.estimated ? tr("estimated") : tr("measured"));
    source_->setText(origin.source);
    how_->setVisible(!origin.how.isEmpty());
    how_->setText(origin.how);
    how_->setToolTip(origin.how);
    how_->setCursorPosition(0);
}

} // namespace kw::profiler_views
