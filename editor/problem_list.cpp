#include "editor/problem_list.h"

#include "widgets/empty_state.h"
#include "widgets/icons.h"
#include "widgets/theme.h"

#include <QHeaderView>
#include <QStackedWidget>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace kw::editor {
namespace {

enum Column { kMessage, kPlace, kColumns };
enum Role { kFile = Qt::UserRole, kLine, kColumn };

QIcon severity_icon(compile::Severity severity) {
    const auto& tokens = widgets::Theme::instance().tokens();
    switch (severity) {
    case compile::Severity::error: return widgets::icon(QStringLiteral("error"), tokens.bad, tokens.bad);
    case compile::Severity::warning: return widgets::icon(QStringLiteral("warning"), tokens.warn, tokens.warn);
    default: return widgets::icon(QStringLiteral("idle"), tokens.text3, tokens.text3);
    }
}

} // namespace

ProblemList::ProblemList(QWidget* parent)
    : QWidget(parent),
      pages_(new QStackedWidget),
      empty_(new widgets::EmptyState(tr("Not checked yet"),
                                     tr("What the compiler says of the source appears here as you type."))),
      tree_(new QTreeWidget) {
    setAccessibleName(tr("Problems"));
    tree_->setColumnCount(kColumns);
    tree_->setHeaderHidden(true);
    tree_->setRootIsDecorated(true);
    tree_->setUniformRowHeights(true);
    tree_->setAccessibleName(tr("Problems"));
    tree_->header()->setStretchLastSection(false);
    tree_->header()->setSectionResizeMode(kMessage, QHeaderView::Stretch);
    tree_->header()->setSectionResizeMode(kPlace, QHeaderView::ResizeToContents);
    pages_->addWidget(empty_);
    pages_->addWidget(tree_);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(pages_);
    connect(tree_, &QTreeWidget::itemClicked, this, [this](QTreeWidgetItem* item) { request(item); });
    connect(tree_, &QTreeWidget::itemActivated, this, [this](QTreeWidgetItem* item) { request(item); });
    connect(&widgets::Theme::instance(), &widgets::Theme::changed, this, &ProblemList::rebuild);
}

QTreeWidgetItem* ProblemList::add(const compile::Diagnostic& diagnostic, QTreeWidgetItem* parent) {
    auto* item = parent ? new QTreeWidgetItem(parent) : new QTreeWidgetItem(tree_);
    const QString file = QString::fromStdString(diagnostic.file);
    const QString message = QString::fromStdString(diagnostic.message);
    item->setIcon(kMessage, severity_icon(diagnostic.severity));
    item->setText(kMessage, message.section(QLatin1Char('\n'), 0, 0));
    item->setToolTip(kMessage, message);
    QString place = file;
    if (diagnostic.line > 0) place += QStringLiteral(":%1").arg(diagnostic.line);
    if (diagnostic.line > 0 && diagnostic.column > 0) place += QStringLiteral(":%1").arg(diagnostic.column);
    item->setText(kPlace, place);
    item->setForeground(kPlace, widgets::Theme::instance().tokens().text2);
    item->setData(kMessage, kFile, file);
    item->setData(kMessage, kLine, diagnostic.line);
    item->setData(kMessage, kColumn, diagnostic.column);
    for (const auto& note : diagnostic.notes) add(note, item);
    return item;
}

void ProblemList::show_diagnostics(const std::vector<compile::Diagnostic>& diagnostics) {
    diagnostics_ = diagnostics;
    empty_->set(tr("No problems"), tr("What the compiler says of the source appears here as you type."));
    rebuild();
}

void ProblemList::show_unchecked(const QString& why) {
    diagnostics_.clear();
    empty_->set(tr("Not checked"), why);
    rebuild();
}

void ProblemList::rebuild() {
    tree_->clear();
    errors_ = warnings_ = 0;
    for (const auto& diagnostic : diagnostics_) {
        errors_ += diagnostic.severity == compile::Severity::error;
        warnings_ += diagnostic.severity == compile::Severity::warning;
        add(diagnostic, nullptr)->setExpanded(true);
    }
    pages_->setCurrentIndex(diagnostics_.empty() ? 0 : 1);
}

void ProblemList::request(const QTreeWidgetItem* item) {
    if (const int line = item->data(kMessage, kLine).toInt(); line > 0)
        Q_EMIT go_to_requested(item->data(kMessage, kFile).toString(), line, item->data(kMessage, kColumn).toInt());
}

void ProblemList::move(int offset) {
    const int count = tree_->topLevelItemCount();
    if (count == 0) return;
    const int current = tree_->currentItem() ? tree_->indexOfTopLevelItem(tree_->currentItem()) : -1;
    const int to = current < 0 ? (offset > 0 ? 0 : count - 1) : (current + offset + count) % count;
    auto* next = tree_->topLevelItem(to);
    tree_->setCurrentItem(next);
    request(next);
}

} // namespace kw::editor
