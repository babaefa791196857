#include "agent/review/agent_view.h"

#include "agent/review/agent_entries.h"
#include "agent/review/agent_fold.h"
#include "widgets/empty_state.h"
#include "widgets/numbers.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QStackedWidget>
#include <QVBoxLayout>

#include <algorithm>
#include <memory>
#include <utility>

namespace kw::review {
namespace {

constexpr int kMostDiagnostics = 5;

QString from(const std::string& text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

/// A text of the step's; nothing in it is markup.
QLabel* plain(const QString& tone = {}) {
    auto* label = new QLabel;
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    label->setWordWrap(true);
    if (!tone.isEmpty()) label->setProperty("tone", tone);
    return label;
}

void say(QLabel* label, const QString& text) {
    label->setText(text);
    label->setVisible(!text.isEmpty());
}

QString text_member(const Json& json, const char* name) {
    const auto found = json.find(name);
    return found != json.end() && found->is_string() ? from(found->get_ref<const std::string&>()) : QString();
}

int number_member(const Json& json, const char* name) {
    const auto found = json.find(name);
    return found != json.end() && found->is_number_integer() ? found->get<int>() : 0;
}

} // namespace

struct AgentView::Entries {
    std::vector<AgentEntry> list;
};

AgentView::AgentView(QWidget* parent)
    : QWidget(parent),
      pages_(new QStackedWidget),
      draft_(new QWidget),
      activity_(plain(QStringLiteral("quiet"))),
      draft_thought_(new AgentFold),
      draft_text_(new AgentFold),
      draft_source_(new AgentFold),
      heading_(plain(QStringLiteral("quiet"))),
      title_(plain()),
      facts_(plain()),
      tokens_(plain(QStringLiteral("quiet"))),
      because_(plain()),
      diagnostics_(new QLabel),
      folds_layout_(new QVBoxLayout),
      more_(new QPushButton) {
    title_->setProperty("kind", QStringLiteral("section"));
    diagnostics_->setTextFormat(Qt::RichText);
    diagnostics_->setWordWrap(true);
    diagnostics_->setTextInteractionFlags(Qt::TextBrowserInteraction);
    diagnostics_->setAccessibleName(tr("Diagnostics of the step"));
    connect(diagnostics_, &QLabel::linkActivated, this, [this](const QString& link) {
        const auto parts = link.split(QLatin1Char(':'));
        if (parts.size() < 3) return;
        const auto file = parts.mid(0, parts.size() - 2).join(QLatin1Char(':'));
        Q_EMIT go_to_requested(file, parts.at(parts.size() - 2).toInt(), parts.back().toInt());
    });

    auto* draft = new QVBoxLayout(draft_);
    draft->setContentsMargins(0, 0, 0, 8);
    draft->setSpacing(4);
    for (QWidget* each : std::initializer_list<QWidget*>{activity_, draft_thought_, draft_text_, draft_source_})
        draft->addWidget(each);
    draft_thought_->set({.title = tr("Thinks")});
    draft_text_->set({.title = tr("Says")});
    draft_source_->set({.title = tr("Writes"), .code = true});
    draft_->hide();

    auto* content = new QWidget;
    auto* layout = new QVBoxLayout(content);
    layout->setContentsMargins(12, 8, 12, 8);
    layout->setSpacing(6);
    for (QWidget* each :
         std::initializer_list<QWidget*>{draft_, heading_, title_, facts_, because_, tokens_, diagnostics_})
        layout->addWidget(each);
    folds_layout_->setContentsMargins(0, 6, 0, 0);
    folds_layout_->setSpacing(4);
    layout->addLayout(folds_layout_);
    layout->addWidget(more_, 0, Qt::AlignLeft);
    layout->addStretch();
    connect(more_, &QPushButton::clicked, this, [this] { show_entries(shown_ + kFirstFolds); });
    auto* scroll = new QScrollArea;
    scroll->setAccessibleName(tr("How the step came to be"));
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    scroll->setWidget(content);
    pages_->addWidget(new widgets::EmptyState(
        tr("No agent has been here"),
        tr("A driver changes the kernel, runs it and learns from the result, step after step. Choose one above and "
           "press Start; tuner, advisor and lesson need no model and no network.")));
    pages_->addWidget(scroll);
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->addWidget(pages_);
    show_nothing();
}

void AgentView::show_nothing() {
    step_ = 0;
    entries_.reset();
    for (auto* label : {heading_, title_, facts_, tokens_, because_, diagnostics_}) say(label, {});
    show_entries(0);
    pages_->setCurrentIndex(draft_->isHidden() ? 0 : 1);
}

void AgentView::show_step(const trajectory::Step& step) {
    step_ = step.summary.id;
    show_facts(step);
    show_diagnostics(step);
    entries_ = std::make_shared<const Entries>(Entries{agent_entries(step)});
    shown_ = 0;
    show_entries(kFirstFolds);
    pages_->setCurrentIndex(1);
}

void AgentView::show_facts(const trajectory::Step& step) {
    const auto& facts = step.summary;
    QString heading = tr("Step %1 · %2").arg(facts.id).arg(from(facts.driver));
    if (facts.ended_ms > facts.started_ms && facts.started_ms > 0)
        heading += tr(" · %1 s").arg(static_cast<double>(facts.ended_ms - facts.started_ms) / 1000, 0, 'f', 1);
    if (facts.parent) heading += tr(" · from step %1").arg(*facts.parent);
    say(heading_, heading);
    say(title_, from(facts.title));
    QStringList known;
    if (facts.correct) known << (*facts.correct ? tr("✓ right") : tr("✗ wrong"));
    if (facts.reward) known << tr("reward %1").arg(*facts.reward, 0, 'g', 3);
    if (facts.speedup) known << widgets::format_ratio(*facts.speedup);
    if (facts.median_us) {
        const auto time = widgets::format_time_us(*facts.median_us);
        known << (facts.estimated ? tr("%1 estimated").arg(time) : time);
    }
    if (step.has_source()) known << QStringLiteral("+%1\u00a0−%2").arg(facts.lines_added).arg(facts.lines_removed);
    say(facts_, known.join(QStringLiteral(" · ")));
    say(because_, from(facts.because));
    say(tokens_, usage_text(facts.usage));
}

void AgentView::show_diagnostics(const trajectory::Step& step) {
    QString text;
    int errors = 0;
    if (step.evaluation && step.evaluation->is_object() && step.evaluation->contains("compile")) {
        const auto& compile = step.evaluation->at("compile");
        const auto list = compile.is_object() ? compile.find("diagnostics") : compile.end();
        if (compile.is_object() && list != compile.end() && list->is_array())
            for (const auto& each : *list) {
                if (!each.is_object() || text_member(each, "severity") != QStringLiteral("error")) continue;
                if (++errors > kMostDiagnostics) continue;
                const auto file = text_member(each, "file");
                const int line = number_member(each, "line"), column = number_member(each, "column");
                const auto place = QStringLiteral("%1:%2").arg(file).arg(line);
                text += QStringLiteral("<div>✗ <a href=\"%1\">%2</a> %3</div>")
                            .arg(QStringLiteral("%1:%2").arg(place).arg(column).toHtmlEscaped(), place.toHtmlEscaped(),
                                 text_member(each, "message").toHtmlEscaped());
            }
    }
    if (errors > kMostDiagnostics) text += tr("<div>and %n more</div>", nullptr, errors - kMostDiagnostics);
    say(diagnostics_, text);
}

AgentFold* AgentView::fold(std::size_t index) {
    while (folds_.size() <= index) {
        folds_.push_back(new AgentFold);
        folds_layout_->addWidget(folds_.back());
    }
    return folds_[index];
}

void AgentView::show_entries(std::size_t count) {
    const auto all = entries_ ? entries_->list.size() : 0;
    count = std::min(count, all);
    for (; shown_ < count; ++shown_) {
        const auto& entry = entries_->list[shown_];
        const bool call = entry.kind == AgentEntry::Kind::call;
        auto* line = fold(shown_);
        line->set({.title = call ? (entry.ok ? tr("✓ %1") : tr("✗ %1")).arg(entry.title) : entry.title,
                   .summary = entry.summary,
                   .note = entry.note,
                   .tone = entry.ok ? QString() : QStringLiteral("bad"),
                   .code = entry.code,
                   .open = entry.open,
                   .text = [entries = entries_, at = shown_, call] {
                       const auto& opened = entries->list[at];
                       if (!call) return opened.text;
                       return opened.result.isEmpty() ? opened.text
                                                      : tr("%1\n── result ──\n%2").arg(opened.text, opened.result);
                   }});
        line->show();
    }
    shown_ = count;
    for (auto i = count; i < folds_.size(); ++i) folds_[i]->hide();
    more_->setVisible(count < all);
    if (count < all) more_->setText(tr("%n more", nullptr, static_cast<int>(all - count)));
}

void AgentView::show_draft(const AgentDraft& draft) {
    say(activity_, draft.activity);
    for (const auto& [fold, text] : {std::pair{draft_thought_, &draft.thought}, std::pair{draft_text_, &draft.text},
                                     std::pair{draft_source_, &draft.source}}) {
        fold->setVisible(!text->isEmpty());
        if (!text->isEmpty()) fold->set_growing(*text);
    }
    draft_->show();
    pages_->setCurrentIndex(1);
}

void AgentView::end_draft() {
    draft_->hide();
    if (step_ == 0) pages_->setCurrentIndex(0);
}

std::vector<AgentFold*> AgentView::folds() const {
    return {folds_.begin(), folds_.begin() + static_cast<std::ptrdiff_t>(std::min(shown_, folds_.size()))};
}

} // namespace kw::review
