#include "profiler_views/correctness/tolerance_panel.h"

#include "widgets/theme.h"

#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QSlider>
#include <QTimer>

#include <algorithm>
#include <cmath>

namespace kw::profiler_views {
namespace {

constexpr int kRestMs = 150;

QSlider* slider(const QString& name, int most) {
    auto* result = new QSlider(Qt::Horizontal);
    result->setRange(0, most);
    result->setPageStep(20);
    result->setAccessibleName(name);
    result->setMinimumWidth(80);
    return result;
}

QString tolerance_text(double value) { return value == 0 ? QStringLiteral("0") : QString::number(value, 'g', 3); }

} // namespace

int TolerancePanel::place_of(double value) {
    if (value <= 0) return 0;
    const int places = (kHighest - kLowest) * kPerDecade;
    return std::clamp(static_cast<int>(std::lround((std::log10(value) - kLowest) * kPerDecade)) + 1, 1, places + 1);
}

double TolerancePanel::value_at(int place) {
    return place == 0 ? 0 : std::pow(10.0, kLowest + static_cast<double>(place - 1) / kPerDecade);
}

TolerancePanel::TolerancePanel(QWidget* parent)
    : QWidget(parent),
      atol_(slider(tr("Absolute tolerance"), (kHighest - kLowest) * kPerDecade + 1)),
      rtol_(slider(tr("Relative tolerance"), (kHighest - kLowest) * kPerDecade + 1)),
      atol_text_(new QLabel),
      rtol_text_(new QLabel),
      result_(new QLabel),
      reset_(new QPushButton(tr("Task default"))),
      rest_(new QTimer(this)) {
    rest_->setSingleShot(true);
    rest_->setInterval(kRestMs);
    result_->setObjectName(QStringLiteral("passing"));
    result_->setTextFormat(Qt::PlainText);
    result_->setWordWrap(true);
    reset_->setToolTip(tr("Back to the tolerance of the task"));
    auto* title = new QLabel(tr("What would pass"));
    title->setProperty("kind", QStringLiteral("section"));
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(0, 0, 0, 0);
    grid->setHorizontalSpacing(8);
    grid->setVerticalSpacing(4);
    grid->addWidget(title, 0, 0, 1, 2);
    grid->addWidget(reset_, 0, 2, Qt::AlignRight);
    const auto row = [&](int at, const QString& name, QSlider* control, QLabel* text) {
        auto* label = new QLabel(name);
        label->setProperty("tone", QStringLiteral("quiet"));
        label->setBuddy(control);
        text->setMinimumWidth(64);
        text->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        grid->addWidget(label, at, 0);
        grid->addWidget(control, at, 1);
        grid->addWidget(text, at, 2);
        connect(control, &QSlider::valueChanged, this, &TolerancePanel::moved);
    };
    row(1, QStringLiteral("atol"), atol_, atol_text_);
    row(2, QStringLiteral("rtol"), rtol_, rtol_text_);
    grid->addWidget(result_, 3, 0, 1, 3);
    grid->setColumnStretch(1, 1);
    connect(rest_, &QTimer::timeout, this, [this] { Q_EMIT changed(tolerance_, true); });
    connect(reset_, &QPushButton::clicked, this, [this] {
        setting_ = true;
        atol_->setValue(place_of(task_.atol));
        rtol_->setValue(place_of(task_.rtol));
        setting_ = false;
        tolerance_ = task_;
        show_values();
        Q_EMIT changed(tolerance_, true);
    });
}

void TolerancePanel::set_task_tolerance(const task::Tolerance& tolerance, bool floating) {
    rest_->stop();
    task_ = tolerance_ = tolerance;
    setting_ = true;
    atol_->setValue(place_of(tolerance.atol));
    rtol_->setValue(place_of(tolerance.rtol));
    setting_ = false;
    for (auto* control : {atol_, rtol_}) control->setEnabled(floating);
    show_values();
    result_->setText(floating ? QString() : tr("Integers must be equal; no tolerance applies."));
}

void TolerancePanel::moved() {
    if (setting_) return;
    // What is not moved keeps its exact value, which may lie between two places.
    const auto read = [](const QSlider* control, double own) {
        return control->value() == place_of(own) ? own : value_at(control->value());
    };
    tolerance_ = {read(atol_, task_.atol), read(rtol_, task_.rtol)};
    show_values();
    Q_EMIT changed(tolerance_, false);
    rest_->start();
}

void TolerancePanel::show_values() {
    atol_text_->setText(tolerance_text(tolerance_.atol));
    rtol_text_->setText(tolerance_text(tolerance_.rtol));
    reset_->setEnabled(tolerance_.atol != task_.atol || tolerance_.rtol != task_.rtol);
}

void TolerancePanel::set_result(const QString& text) { result_->setText(text); }

} // namespace kw::profiler_views
