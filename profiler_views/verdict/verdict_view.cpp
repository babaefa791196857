#include "profiler_views/verdict/verdict_view.h"

#include "widgets/empty_state.h"
#include "widgets/icons.h"
#include "widgets/theme.h"

#include <QGridLayout>
#include <QLabel>
#include <QProgressBar>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include <utility>

namespace kw::profiler_views {
namespace {

QString tone_name(Tone tone) {
    switch (tone) {
    case Tone::good: return QStringLiteral("good");
    case Tone::bad: return QStringLiteral("bad");
    case Tone::warn: return QStringLiteral("warn");
    case Tone::quiet: break;
    }
    return QStringLiteral("quiet");
}

QLabel* label(const QString& text, const char* property = nullptr, const QString& value = {}) {
    auto* result = new QLabel(text);
    result->setTextFormat(Qt::PlainText);
    result->setWordWrap(true);
    result->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    if (property) result->setProperty(property, value);
    return result;
}

QWidget* hairline() {
    auto* line = new QFrame;
    line->setObjectName(QStringLiteral("hairline"));
    return line;
}

/// All that decides which labels there are, and in which colours.
QString form_of(const VerdictText& text, bool outdated) {
    QString form = QStringLiteral("%1%2%3%4%5%6")
                       .arg(static_cast<int>(text.tone))
                       .arg(outdated)
                       .arg(text.detail.isEmpty())
                       .arg(text.line > 0)
                       .arg(text.time.isEmpty())
                       .arg(text.reward.isEmpty());
    for (const auto* rows : {&text.findings, &text.baselines, &text.checks, &text.kernels}) {
        form += QLatin1Char('|');
        for (const auto& row : *rows)
            form += QStringLiteral("%1:%2,").arg(row.cells.size()).arg(static_cast<int>(row.tone));
    }
    return form;
}

/// What labels say, in the order in which they are made.
QStringList texts_of(const VerdictText& text, const QString& reward_title) {
    QStringList texts{text.headline};
    if (!text.detail.isEmpty()) texts << text.detail;
    if (!text.time.isEmpty()) texts << text.time << text.badge << text.spread;
    const auto add = [&](const std::vector<VerdictText::Row>& rows) {
        for (const auto& row : rows) texts << row.name << row.cells;
    };
    add(text.findings);
    add(text.baselines);
    if (!text.reward.isEmpty()) texts << reward_title << text.because;
    add(text.checks);
    add(text.kernels);
    return texts;
}

QIcon verdict_icon(Tone tone) {
    const auto& tokens = widgets::Theme::instance().tokens();
    switch (tone) {
    case Tone::good: return widgets::icon(QStringLiteral("good"), tokens.good, tokens.good);
    case Tone::bad: return widgets::icon(QStringLiteral("error"), tokens.bad, tokens.bad);
    case Tone::warn: return widgets::icon(QStringLiteral("warning"), tokens.warn, tokens.warn);
    case Tone::quiet: break;
    }
    return widgets::icon(QStringLiteral("idle"), tokens.text2, tokens.text2);
}

} // namespace

VerdictView::VerdictView(QWidget* parent)
    : QWidget(parent),
      progress_(new QProgressBar),
      activity_(label({}, "tone", QStringLiteral("quiet"))),
      scroll_(new QScrollArea) {
    setObjectName(QStringLiteral("panel"));
    setAttribute(Qt::WA_StyledBackground);
    setAccessibleName(tr("Verdict"));
    progress_->setTextVisible(false);
    progress_->setAccessibleName(tr("Progress"));
    progress_->hide();
    activity_->hide();
    scroll_->setAccessibleName(tr("Verdict"));
    scroll_->setWidgetResizable(true);
    scroll_->setFrameShape(QFrame::NoFrame);
    scroll_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(16, 12, 4, 12);
    layout->setSpacing(8);
    layout->addWidget(progress_);
    layout->addWidget(activity_);
    layout->addWidget(scroll_);
    connect(&widgets::Theme::instance(), &widgets::Theme::changed, this, &VerdictView::rebuild);
    rebuild();
}

void VerdictView::show_evaluation(const pipeline::Evaluation& evaluation) {
    auto text = describe(evaluation);
    if (text_ == text && !outdated_ && !running_) return;
    text_ = std::move(text);
    outdated_ = running_ = false;
    show_idle();
    if (!refill()) rebuild();
}

void VerdictView::show_error(const QString& headline, const QString& message) {
    text_ = VerdictText{.tone = Tone::warn, .headline = headline, .detail = message};
    outdated_ = false;
    show_idle();
    rebuild();
}

void VerdictView::show_start() {
    running_ = true;
    if (text_ && text_->tone != Tone::good) text_.reset();
    rebuild();
}

void VerdictView::show_progress(const QString& what, double fraction) {
    progress_->setRange(0, fraction < 0 ? 0 : 1000);
    if (fraction >= 0) progress_->setValue(static_cast<int>(fraction * 1000));
    progress_->show();
    activity_->setText(what);
    activity_->show();
}

void VerdictView::show_idle() {
    progress_->hide();
    activity_->hide();
    if (std::exchange(running_, false) && !text_) rebuild();
}

void VerdictView::reset() {
    text_.reset();
    outdated_ = false;
    show_idle();
    rebuild();
}

void VerdictView::show_outdated(const pipeline::Evaluation& evaluation) {
    auto text = describe(evaluation);
    if (text_ == text && outdated_ && !running_) return;
    text_ = std::move(text);
    running_ = false;
    outdated_ = true;
    show_idle();
    if (!refill()) rebuild();
}

void VerdictView::mark_outdated() {
    if (!text_ || outdated_) return;
    outdated_ = true;
    rebuild();
}

QLabel* VerdictView::text_label(const QString& text, const char* property, const QString& value) {
    labels_.push_back(label(text, property, value));
    return labels_.back();
}

bool VerdictView::refill() {
    if (!text_ || form_.isEmpty() || form_ != form_of(*text_, outdated_) || text_->line > 0) return false;
    const auto texts = texts_of(*text_, tr("Reward %1").arg(text_->reward));
    for (std::size_t i = 0; i < labels_.size(); ++i)
        if (const auto& text = texts[static_cast<qsizetype>(i)]; labels_[i]->text() != text) labels_[i]->setText(text);
    fit_cells();
    return true;
}

void VerdictView::add_rows(const QString& title, const std::vector<VerdictText::Row>& rows) {
    if (rows.empty()) return;
    content_->addWidget(hairline());
    content_->addWidget(label(title, "kind", QStringLiteral("section")));
    auto* grid = new QGridLayout;
    grid->setHorizontalSpacing(12);
    grid->setVerticalSpacing(6);
    grid->setColumnStretch(0, 1);
    int row_index = 0;
    for (const auto& row : rows) {
        grid->addWidget(text_label(row.name), row_index, 0);
        for (int i = 0; i < row.cells.size(); ++i) {
            auto* cell =
                text_label(row.cells[i], "tone", i == 0 && row.cells.size() > 1 ? QString() : tone_name(row.tone));
            cell->setAlignment(Qt::AlignRight | Qt::AlignTop);
            cell->setWordWrap(false);
            cells_.push_back(cell);
            grid->addWidget(cell, row_index, i + 1);
        }
        ++row_index;
    }
    content_->addLayout(grid);
}

void VerdictView::rebuild() {
    form_.clear();
    labels_.clear();
    cells_.clear();
    auto* panel = new QWidget;
    panel->setObjectName(QStringLiteral("panel"));
    content_ = new QVBoxLayout(panel);
    content_->setContentsMargins(0, 4, 12, 4);
    content_->setSpacing(8);
    if (!text_) {
        content_->addWidget(running_ ? new widgets::EmptyState(tr("Running…"), tr("Shift+F5 stops it."))
                                     : new widgets::EmptyState(tr("Not run yet"),
                                                               tr("Ctrl+R compiles, checks and times this kernel.")));
        scroll_->setWidget(panel);
        return;
    }
    auto* title_row = new QHBoxLayout;
    title_row->setSpacing(8);
    auto* symbol = new QLabel;
    symbol->setPixmap(verdict_icon(text_->tone).pixmap(QSize(24, 24), devicePixelRatioF()));
    symbol->setAccessibleName(tone_name(text_->tone));
    title_row->addWidget(symbol, 0, Qt::AlignVCenter);
    auto* headline = text_label(text_->headline, "kind", QStringLiteral("title"));
    headline->setWordWrap(false);
    title_row->addWidget(headline);
    title_row->addStretch();
    if (outdated_) title_row->addWidget(label(tr("before your edit"), "kind", QStringLiteral("badge")));
    content_->addLayout(title_row);
    if (!text_->detail.isEmpty()) content_->addWidget(text_label(text_->detail));
    if (text_->line > 0) {
        auto* go = new QPushButton(tr("Go to %1:%2").arg(text_->file).arg(text_->line));
        connect(go, &QPushButton::clicked, this,
                [this] { Q_EMIT go_to_requested(text_->file, text_->line, text_->column); });
        content_->addWidget(go, 0, Qt::AlignLeft);
    }
    if (!text_->time.isEmpty()) {
        content_->addWidget(hairline());
        auto* time_row = new QHBoxLayout;
        time_row->setSpacing(8);
        auto* figure = text_label(text_->time, "kind", QStringLiteral("figure"));
        figure->setWordWrap(false);
        time_row->addWidget(figure);
        time_row->addWidget(text_label(text_->badge, "kind", QStringLiteral("badge")), 0, Qt::AlignVCenter);
        time_row->addStretch();
        content_->addLayout(time_row);
        content_->addWidget(text_label(text_->spread, "tone", QStringLiteral("quiet")));
    }
    add_rows(tr("Audit"), text_->findings);
    add_rows(tr("Against the baselines"), text_->baselines);
    if (!text_->reward.isEmpty()) {
        content_->addWidget(hairline());
        content_->addWidget(text_label(tr("Reward %1").arg(text_->reward), "kind", QStringLiteral("section")));
        content_->addWidget(text_label(text_->because));
    }
    add_rows(tr("Checks"), text_->checks);
    add_rows(tr("Kernels"), text_->kernels);
    content_->addStretch();
    scroll_->setWidget(panel);
    form_ = form_of(*text_, outdated_);
    fit_cells();
}

void VerdictView::fit_cells() {
    if (cells_.empty()) return;
    const auto wrap = [this](bool on) {
        for (auto* cell : cells_) cell->setWordWrap(on);
    };
    wrap(false);
    content_->activate();
    if (content_->minimumSize().width() > scroll_->viewport()->width()) wrap(true);
}

void VerdictView::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    fit_cells();
}

} // namespace kw::profiler_views
