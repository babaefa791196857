#include "app/desktop/start_page.h"

#include "engine/task/task.h"
#include "widgets/clear_layout.h"

#include <QDir>
#include <QEvent>
#include <QFileInfo>
#include <QGridLayout>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QVBoxLayout>

#include <algorithm>

namespace kw::desktop {
namespace {

constexpr int kMostColumns = 2;
/// Of the page, and of a task's card beside which there is room for another; in widths of a letter.
constexpr int kContentLetters = 140, kCardLetters = 52;

QLabel* heading(const QString& text) {
    auto* label = new QLabel(text);
    label->setProperty("kind", QStringLiteral("section"));
    return label;
}

/// A button of two lines: what, and where or which.
QPushButton* entry(const QString& title, const QString& detail) {
    auto* button = new QPushButton;
    button->setObjectName(QStringLiteral("entry"));
    button->setAccessibleName(detail.isEmpty() ? title : QStringLiteral("%1, %2").arg(title, detail));
    auto* layout = new QVBoxLayout(button);
    layout->setContentsMargins(12, 8, 12, 8);
    layout->setSpacing(2);
    auto* name = new QLabel(title);
    auto* where = new QLabel(detail);
    where->setProperty("tone", QStringLiteral("quiet"));
    for (auto* label : {name, where}) {
        label->setAttribute(Qt::WA_TransparentForMouseEvents);
        label->setTextFormat(Qt::PlainText);
        layout->addWidget(label);
    }
    button->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
    return button;
}

} // namespace

StartPage::StartPage(QWidget* parent)
    : QWidget(parent), problem_(new QLabel), recent_(new QVBoxLayout), tasks_(new QGridLayout) {
    setObjectName(QStringLiteral("panel"));
    setAttribute(Qt::WA_StyledBackground);
    content_ = new QWidget;
    auto* title = new QLabel(tr("Kernelwright"));
    title->setProperty("kind", QStringLiteral("figure"));
    auto* about = new QLabel(tr("Write a CUDA kernel, see at once whether it is right, how fast it is, and why."));
    about->setProperty("tone", QStringLiteral("quiet"));
    about->setWordWrap(true);
    problem_->setProperty("tone", QStringLiteral("bad"));
    problem_->setWordWrap(true);
    problem_->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::TextSelectableByKeyboard);
    problem_->setObjectName(QStringLiteral("startProblem"));
    problem_->hide();
    auto* browse = new QPushButton(tr("Open a task folder…"));
    browse->setProperty("role", QStringLiteral("primary"));
    connect(browse, &QPushButton::clicked, this, &StartPage::browse_requested);
    auto* drop = new QLabel(tr("or drop a task, a session or a trace here"));
    drop->setProperty("tone", QStringLiteral("quiet"));
    auto* row = new QHBoxLayout;
    row->addWidget(browse);
    row->addWidget(drop);
    row->addStretch();
    recent_->setSpacing(4);
    tasks_->setSpacing(4);

    auto* column = new QVBoxLayout(content_);
    column->setContentsMargins(32, 32, 32, 32);
    column->setSpacing(8);
    column->addWidget(title);
    column->addWidget(about);
    column->addWidget(problem_);
    column->addSpacing(8);
    column->addLayout(row);
    column->addSpacing(16);
    column->addLayout(recent_);
    column->addLayout(tasks_);
    column->addStretch();

    auto* scroll = new QScrollArea;
    auto* middle = new QWidget;
    auto* centring = new QHBoxLayout(middle);
    centring->setContentsMargins(0, 0, 0, 0);
    centring->addStretch();
    centring->addWidget(content_, 10);
    centring->addStretch();
    scroll->setWidget(middle);
    scroll->setWidgetResizable(true);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setFocusPolicy(Qt::NoFocus);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(scroll);
    setFocusProxy(browse);
}

void StartPage::show_content(const QStringList& recent, const QStringList& unsaved, const std::vector<Bundled>& tasks,
                             const std::filesystem::path& lessons) {
    widgets::clear_layout(*recent_);
    widgets::clear_layout(*tasks_);
    cards_.clear();
    if (!recent.isEmpty()) recent_->addWidget(heading(tr("Recent")));
    QStringList ordered = recent;
    std::ranges::stable_partition(ordered, [&](const QString& path) { return unsaved.contains(path); });
    for (const QString& path : ordered.mid(0, 6)) {
        const QFileInfo info(path);
        const QString where = QDir::toNativeSeparators(info.absolutePath());
        auto* button =
            entry(unsaved.contains(path) ? tr("%1 · has unsaved text").arg(info.fileName()) : info.fileName(),
                  info.exists() ? where : tr("%1 (no longer there)").arg(where));
        connect(button, &QPushButton::clicked, this, [this, path] { Q_EMIT open_requested(path); });
        recent_->addWidget(button);
    }
    if (!recent.isEmpty()) recent_->addSpacing(16);
    if (!tasks.empty()) tasks_->addWidget(heading(tr("Bundled tasks")), 0, 0, 1, kMostColumns);
    for (const auto& task : tasks) {
        auto* button = entry(task.title, task.name);
        connect(button, &QPushButton::clicked, this,
                [this, folder = QString::fromStdString(task.folder.string())] { Q_EMIT bundled_requested(folder); });
        auto* row = new QWidget;
        auto* layout = new QHBoxLayout(row);
        layout->setContentsMargins(0, 0, 0, 0);
        layout->setSpacing(4);
        layout->addWidget(button, 1);
        std::error_code error;
        const auto lesson = lessons / (task.name.toStdString() + ".kwsession");
        if (!lessons.empty() && std::filesystem::exists(lesson, error)) {
            auto* opener = new QPushButton(tr("Lesson"));
            opener->setToolTip(tr("From the plain kernel to a fast one, step by step, as recorded on a GPU"));
            opener->setAccessibleName(tr("Lesson: %1").arg(task.title));
            connect(opener, &QPushButton::clicked, this,
                    [this, path = QString::fromStdString(lesson.string())] { Q_EMIT bundled_requested(path); });
            layout->addWidget(opener);
        }
        cards_.push_back(row);
    }
    place_cards();
}

void StartPage::place_cards() {
    const int letter = fontMetrics().averageCharWidth();
    content_->setMaximumWidth(letter * kContentLetters);
    const int columns =
        std::clamp(std::min(width(), content_->maximumWidth()) / (letter * kCardLetters), 1, kMostColumns);
    for (auto* card : cards_) tasks_->removeWidget(card);
    for (std::size_t i = 0; i < cards_.size(); ++i) {
        const int at = static_cast<int>(i);
        tasks_->addWidget(cards_[i], 1 + at / columns, at % columns, 1, columns == 1 ? kMostColumns : 1);
    }
}

void StartPage::resizeEvent(QResizeEvent* event) {
    QWidget::resizeEvent(event);
    place_cards();
}

void StartPage::changeEvent(QEvent* event) {
    QWidget::changeEvent(event);
    if (event->type() == QEvent::FontChange) place_cards();
}

void StartPage::show_problem(const QString& headline, const QString& sentence) {
    problem_->setText(QStringLiteral("%1\n%2").arg(headline, sentence));
    problem_->show();
}

std::vector<StartPage::Bundled> StartPage::tasks_in(const std::filesystem::path& folder) {
    std::vector<Bundled> found;
    std::error_code error;
    for (const auto& item : std::filesystem::directory_iterator(folder, error)) {
        const auto files = task::read_folder(item.path());
        const auto task = files ? task::parse_task(*files) : std::unexpected(files.error());
        if (!task) continue;
        found.push_back({QString::fromStdString(task->title.empty() ? task->name : task->title),
                         QString::fromStdString(task->name), item.path()});
    }
    std::ranges::sort(found, {}, &Bundled::name);
    return found;
}

} // namespace kw::desktop
