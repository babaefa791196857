#include "agent/review/lesson_view.h"

#include "agent/patch/hunks.h"
#include "widgets/theme.h"

#include <QButtonGroup>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QScrollArea>
#include <QStackedWidget>
#include <QStyle>
#include <QSyntaxHighlighter>
#include <QVBoxLayout>

#include <algorithm>

namespace kw::review {
namespace {

constexpr std::size_t kContext = 3;
/// Between questions in a text that holds several.
const QString kBetween = QStringLiteral("\n---\n");

class ChangeColors : public QSyntaxHighlighter {
public:
    using QSyntaxHighlighter::QSyntaxHighlighter;

protected:
    void highlightBlock(const QString& text) override {
        const auto& tokens = widgets::Theme::instance().tokens();
        QTextCharFormat format;
        if (text.startsWith(QLatin1Char('+')))
            format.setBackground(tokens.added_line);
        else if (text.startsWith(QLatin1Char('-')))
            format.setBackground(tokens.removed_line);
        else
            return;
        setFormat(0, static_cast<int>(text.size()), format);
    }
};

QLabel* text_label() {
    auto* label = new QLabel;
    label->setWordWrap(true);
    label->setTextFormat(Qt::PlainText);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

QString said(const std::string& text) { return QString::fromStdString(text); }

} // namespace

QString change_text(const std::string& before, const std::string& after) {
    const auto change = patch::change_between(before, after);
    if (!change) return QString::fromStdString(change.error().message);
    const auto base = QString::fromStdString(before).split(QLatin1Char('\n'));
    QStringList lines;
    std::size_t reached = 0;
    const auto context = [&](std::size_t from, std::size_t to) {
        for (auto i = from; i < std::min<std::size_t>(to, static_cast<std::size_t>(base.size())); ++i)
            lines << QLatin1Char(' ') + base[static_cast<qsizetype>(i)];
    };
    const auto marked = [&](const std::string& text, QLatin1Char mark) {
        auto each = QString::fromStdString(text).split(QLatin1Char('\n'));
        if (!each.isEmpty() && each.last().isEmpty()) each.removeLast();
        for (const auto& line : each) lines << mark + line;
    };
    for (const auto& hunk : change->hunks) {
        const auto from = std::max(reached, hunk.base_line > kContext ? hunk.base_line - kContext : 0);
        if (reached > 0) context(reached, std::min(reached + kContext, from));
        if (from > reached && !lines.isEmpty()) lines << QStringLiteral("⋯");
        context(from, hunk.base_line);
        marked(hunk.removed, QLatin1Char('-'));
        marked(hunk.added, QLatin1Char('+'));
        reached = hunk.base_line + hunk.base_lines;
    }
    if (!change->hunks.empty()) context(reached, reached + kContext);
    return lines.join(QLatin1Char('\n'));
}

LessonView::LessonView(QWidget* parent) : QWidget(parent), pages_(new QStackedWidget) {
    setObjectName(QStringLiteral("panel"));
    setAttribute(Qt::WA_StyledBackground);
    pages_->addWidget(make_idle());
    pages_->addWidget(make_questions());
    pages_->addWidget(make_editor());
    auto* all = new QVBoxLayout(this);
    all->setContentsMargins(0, 0, 0, 0);
    all->addWidget(pages_);
    show_idle(tr("Open a session with steps to go through."), false);
}

QWidget* LessonView::make_idle() {
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(12, 12, 12, 12);
    auto* title = new QLabel(tr("Predict, then see"));
    title->setProperty("kind", QStringLiteral("title"));
    idle_text_ = text_label();
    start_ = new QPushButton(tr("Start the lesson"));
    start_->setProperty("role", QStringLiteral("primary"));
    auto* write = new QPushButton(tr("Write questions before this step…"));
    column->addWidget(title);
    column->addWidget(idle_text_);
    column->addWidget(start_, 0, Qt::AlignLeft);
    column->addWidget(write, 0, Qt::AlignLeft);
    column->addStretch(1);
    connect(start_, &QPushButton::clicked, this, [this] {
        right_ = asked_ = 0;
        Q_EMIT start_requested();
    });
    connect(write, &QPushButton::clicked, this, &LessonView::edit_requested);
    return page;
}

QWidget* LessonView::make_questions() {
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(12, 8, 12, 8);
    heading_ = text_label();
    heading_->setProperty("kind", QStringLiteral("title"));
    change_ = new QPlainTextEdit;
    change_->setReadOnly(true);
    change_->setLineWrapMode(QPlainTextEdit::NoWrap);
    change_->setFont(widgets::Theme::instance().code_font());
    change_->setAccessibleName(tr("What the next step changes"));
    new ChangeColors(change_->document());
    auto* scroll = new QScrollArea;
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setAccessibleName(tr("Questions"));
    auto* content = new QWidget;
    auto* inner = new QVBoxLayout(content);
    inner->setContentsMargins(0, 0, 0, 0);
    list_ = new QWidget;
    list_layout_ = new QVBoxLayout(list_);
    list_layout_->setContentsMargins(0, 0, 0, 0);
    thought_ = text_label();
    inner->addWidget(list_);
    inner->addWidget(thought_);
    inner->addStretch(1);
    scroll->setWidget(content);
    auto* row = new QHBoxLayout;
    score_ = new QLabel;
    score_->setAccessibleName(tr("Score"));
    next_ = new QPushButton;
    next_->setProperty("role", QStringLiteral("primary"));
    auto* end = new QPushButton(tr("End the lesson"));
    row->addWidget(score_, 1);
    row->addWidget(end);
    row->addWidget(next_);
    column->addWidget(heading_);
    column->addWidget(change_, 1);
    column->addWidget(scroll, 1);
    column->addLayout(row);
    connect(next_, &QPushButton::clicked, this, &LessonView::step_on);
    connect(end, &QPushButton::clicked, this, &LessonView::end_requested);
    return page;
}

QWidget* LessonView::make_editor() {
    auto* page = new QWidget;
    auto* column = new QVBoxLayout(page);
    column->setContentsMargins(12, 8, 12, 8);
    draft_heading_ = text_label();
    draft_heading_->setProperty("kind", QStringLiteral("title"));
    auto* how = text_label();
    how->setText(
        tr("What is asked, then the choices, one a line: “* ” before the right one, “- ” before the others; after "
           "an empty line what explains it. “---” alone on a line begins another question."));
    draft_ = new QPlainTextEdit;
    draft_->setAccessibleName(tr("Questions before this step"));
    draft_->setPlaceholderText(
        QStringLiteral("Which of the two moves fewer bytes?\n* the new one\n- the old one\n\n…"));
    draft_->setTabChangesFocus(true);
    draft_problem_ = text_label();
    draft_problem_->setProperty("tone", QStringLiteral("bad"));
    auto* row = new QHBoxLayout;
    auto* cancel = new QPushButton(tr("Cancel"));
    auto* keep = new QPushButton(tr("Keep in the session"));
    keep->setProperty("role", QStringLiteral("primary"));
    row->addWidget(draft_problem_, 1);
    row->addWidget(cancel);
    row->addWidget(keep);
    column->addWidget(draft_heading_);
    column->addWidget(how);
    column->addWidget(draft_, 1);
    column->addLayout(row);
    connect(keep, &QPushButton::clicked, this, &LessonView::save_draft);
    connect(cancel, &QPushButton::clicked, this, [this] { pages_->setCurrentIndex(0); });
    return page;
}

void LessonView::show_idle(const QString& why_not, bool own_questions) {
    asking_ = false;
    start_->setEnabled(why_not.isEmpty());
    idle_text_->setText(!why_not.isEmpty() ? why_not
                        : own_questions
                            ? tr("This session has questions of its own. Each step is shown once they are answered.")
                            : tr("Each step is shown once you have said how fast it will be and what limits it."));
    pages_->setCurrentIndex(0);
}

void LessonView::clear_questions() {
    while (auto* item = list_layout_->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    qDeleteAll(answers_);
    answers_.clear();
    verdicts_.clear();
}

void LessonView::ask(int number, int count, const QString& title, const QString& change,
                     std::vector<trajectory::Question> questions) {
    clear_questions();
    questions_ = std::move(questions);
    asking_ = true;
    heading_->setText(tr("Step %1 of %2").arg(number).arg(count)
                      + (title.isEmpty() ? QString() : QStringLiteral(" · ") + title));
    change_->setPlainText(change);
    thought_->clear();
    for (const auto& question : questions_) {
        auto* text = text_label();
        text->setText(said(question.text));
        text->setProperty("kind", QStringLiteral("section"));
        list_layout_->addWidget(text);
        auto* group = new QButtonGroup(this);
        for (std::size_t i = 0; i < question.choices.size(); ++i) {
            auto* choice = new QRadioButton(said(question.choices[i]));
            choice->setAccessibleDescription(text->text());
            group->addButton(choice, static_cast<int>(i));
            list_layout_->addWidget(choice);
        }
        connect(group, &QButtonGroup::idClicked, this, &LessonView::update_button);
        answers_.push_back(group);
        auto* verdict = text_label();
        verdict->hide();
        list_layout_->addWidget(verdict);
        verdicts_.push_back(verdict);
    }
    if (questions_.empty()) {
        auto* text = text_label();
        text->setText(tr("Nothing is known of this step that could be asked. What do you expect of it?"));
        list_layout_->addWidget(text);
    }
    pages_->setCurrentIndex(1);
    update_button();
}

void LessonView::update_button() {
    if (!asking_) return next_->setText(tr("Next step"));
    const bool all = std::ranges::all_of(answers_, [](const QButtonGroup* group) { return group->checkedId() >= 0; });
    next_->setText(all && !answers_.empty() ? tr("Reveal") : tr("Show it without an answer"));
    score_->setText(asked_ == 0 ? QString() : tr("%1 of %2 right").arg(right_).arg(asked_));
}

void LessonView::step_on() {
    if (asking_)
        Q_EMIT reveal_requested();
    else
        Q_EMIT next_requested();
}

void LessonView::reveal(const QString& thought) {
    if (!asking_) return;
    asking_ = false;
    for (std::size_t i = 0; i < questions_.size(); ++i) {
        const auto& question = questions_[i];
        const int answer = answers_[i]->checkedId();
        const bool right = answer == static_cast<int>(question.right);
        if (answer >= 0) {
            ++asked_;
            if (right) ++right_;
        }
        for (auto* button : answers_[i]->buttons()) button->setEnabled(false);
        const auto truth = said(question.choices[question.right]);
        QString text = answer < 0 ? tr("It is: %1.").arg(truth)
                       : right    ? tr("✓ Right: %1.").arg(truth)
                                  : tr("✗ No, it is: %1.").arg(truth);
        if (!question.explanation.empty()) text += QLatin1Char('\n') + said(question.explanation);
        verdicts_[i]->setText(text);
        verdicts_[i]->setProperty("tone", answer < 0 ? QString()
                                          : right    ? QStringLiteral("good")
                                                     : QStringLiteral("bad"));
        verdicts_[i]->style()->polish(verdicts_[i]);
        verdicts_[i]->show();
    }
    thought_->setText(thought);
    score_->setText(asked_ == 0 ? QString() : tr("%1 of %2 right").arg(right_).arg(asked_));
    update_button();
    next_->setFocus();
}

void LessonView::show_end() {
    asking_ = false;
    start_->setEnabled(true);
    idle_text_->setText(asked_ == 0
                            ? tr("That was the last step.")
                            : tr("That was the last step. %1 of %2 answers were right.").arg(right_).arg(asked_));
    pages_->setCurrentIndex(0);
}

void LessonView::edit(int number, const std::vector<trajectory::Question>& questions) {
    draft_heading_->setText(tr("Questions before step %1").arg(number));
    QStringList drafts;
    for (const auto& question : questions) drafts << said(trajectory::to_draft(question)).trimmed();
    draft_->setPlainText(drafts.join(kBetween));
    draft_problem_->clear();
    pages_->setCurrentIndex(2);
    draft_->setFocus();
}

void LessonView::save_draft() {
    std::vector<trajectory::Question> questions;
    const auto text = draft_->toPlainText().trimmed();
    for (const auto& draft : text.isEmpty() ? QStringList() : text.split(kBetween)) {
        auto question = trajectory::question_from_draft(draft.toStdString());
        if (!question) return draft_problem_->setText(said(question.error().message));
        questions.push_back(std::move(*question));
    }
    Q_EMIT edited(questions);
    pages_->setCurrentIndex(0);
}

} // namespace kw::review
