#include "widgets/command_palette.h"

#include "widgets/theme.h"

#include <QAbstractListModel>
#include <QAction>
#include <QApplication>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListView>
#include <QMenu>
#include <QPainter>
#include <QPointer>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>
#include <vector>

namespace kw::widgets {
namespace {

constexpr int kWidth = 560;
constexpr int kRowHeight = 32;
constexpr int kMostRows = 12;
// A row that cannot be done may still be looked at, so it is not disabled for the view.
constexpr int kKeyRole = Qt::UserRole, kEnabledRole = Qt::UserRole + 1;

QString label_of(const QAction& action) { return action.text().remove(QLatin1Char('&')); }

/// Name on the left, key on the right.
class Delegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const auto& tokens = Theme::instance().tokens();
        const bool enabled = index.data(kEnabledRole).toBool();
        painter->save();
        painter->setRenderHint(QPainter::Antialiasing);
        if (option.state.testFlag(QStyle::State_Selected)) {
            painter->setPen(Qt::NoPen);
            painter->setBrush(tokens.selection);
            painter->drawRoundedRect(option.rect.adjusted(4, 0, -4, 0), 5, 5);
        }
        const QRect inside = option.rect.adjusted(16, 0, -16, 0);
        painter->setFont(option.font);
        painter->setPen(tokens.text2);
        const QString key = index.data(kKeyRole).toString();
        const int key_width = option.fontMetrics.horizontalAdvance(key);
        painter->drawText(inside, Qt::AlignRight | Qt::AlignVCenter, key);
        painter->setPen(enabled ? tokens.text1 : tokens.text3);
        const QString name = option.fontMetrics.elidedText(index.data(Qt::DisplayRole).toString(), Qt::ElideRight,
                                                           inside.width() - key_width - 16);
        painter->drawText(inside, Qt::AlignLeft | Qt::AlignVCenter, name);
        painter->restore();
    }
    QSize sizeHint(const QStyleOptionViewItem& option, const QModelIndex&) const override {
        return {kWidth, std::max(kRowHeight, option.fontMetrics.height() + 10)};
    }
};

} // namespace

std::optional<int> fuzzy_score(const QString& typed, const QString& text) {
    int score = 0;
    qsizetype at = 0, last = -2;
    for (const QChar c : typed) {
        if (c.isSpace()) continue;
        const auto found = text.indexOf(c, at, Qt::CaseInsensitive);
        if (found < 0) return std::nullopt;
        const bool begins_word = found == 0 || !text[found - 1].isLetterOrNumber();
        score += found == last + 1 ? 8 : begins_word ? 6 : 1;
        last = found;
        at = found + 1;
    }
    if (!typed.isEmpty() && text.contains(typed.trimmed(), Qt::CaseInsensitive)) score += 20;
    return score * 64 - static_cast<int>(std::min<qsizetype>(text.size(), 63));
}

class CommandPalette::Model : public QAbstractListModel {
public:
    using QAbstractListModel::QAbstractListModel;

    void set(const QList<QPointer<QAction>>& actions, const QString& typed) {
        beginResetModel();
        std::vector<std::pair<int, QAction*>> scored;
        for (const auto& action : actions) {
            if (!action || action->isSeparator() || label_of(*action).isEmpty() || action->menu()) continue;
            if (const auto score = fuzzy_score(typed, label_of(*action))) scored.emplace_back(*score, action.data());
        }
        if (!typed.isEmpty())
            std::ranges::stable_sort(scored, std::ranges::greater{}, &std::pair<int, QAction*>::first);
        rows_.clear();
        rows_.reserve(scored.size());
        for (const auto& [score, action] : scored) rows_.emplace_back(action);
        endResetModel();
    }
    [[nodiscard]] QAction* action(int row) const {
        return row >= 0 && row < rowCount({}) ? rows_[static_cast<std::size_t>(row)].data() : nullptr;
    }

    [[nodiscard]] int rowCount(const QModelIndex& parent) const override {
        return parent.isValid() ? 0 : static_cast<int>(rows_.size());
    }
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override {
        const auto* found = action(index.row());
        if (!found) return {};
        switch (role) {
        case Qt::DisplayRole: {
            const QString state = found->isCheckable() && found->isChecked() ? QStringLiteral(" ✓") : QString();
            return QString(label_of(*found) % state);
        }
        case kKeyRole: return found->shortcut().toString(QKeySequence::NativeText);
        case kEnabledRole: return found->isEnabled();
        case Qt::AccessibleTextRole:
            return QString(label_of(*found) % QLatin1Char(' ') % found->shortcut().toString(QKeySequence::NativeText));
        default: return {};
        }
    }

private:
    std::vector<QPointer<QAction>> rows_;
};

CommandPalette::CommandPalette(QWidget* window)
    : QFrame(window), model_(new Model(this)), input_(new QLineEdit), list_(new QListView) {
    setObjectName(QStringLiteral("commandPalette"));
    setAttribute(Qt::WA_StyledBackground);
    setAccessibleName(tr("Command palette"));
    input_->setPlaceholderText(tr("Type what you want to do"));
    input_->setAccessibleName(tr("Command"));
    list_->setModel(model_);
    list_->setItemDelegate(new Delegate(list_));
    list_->setUniformItemSizes(true);
    list_->setFocusPolicy(Qt::NoFocus);
    list_->setAccessibleName(tr("Commands"));
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* layout = new QVBoxLayout(this);
    layout->setContentsMargins(8, 8, 8, 8);
    layout->setSpacing(8);
    layout->addWidget(input_);
    layout->addWidget(list_);
    connect(input_, &QLineEdit::textEdited, this, &CommandPalette::narrow);
    connect(list_, &QListView::clicked, this, &CommandPalette::trigger);
    input_->installEventFilter(this);
    window->installEventFilter(this);
    hide();
}

CommandPalette::~CommandPalette() = default;

void CommandPalette::open(const QList<QAction*>& actions) {
    if (!isVisible()) before_ = QApplication::focusWidget();
    actions_.clear();
    for (auto* action : actions) actions_ << action;
    input_->clear();
    narrow({});
    place();
    show();
    raise();
    input_->setFocus(Qt::ShortcutFocusReason);
}

void CommandPalette::place() {
    const int width = std::min(kWidth, parentWidget()->width() - 32);
    const int rows = std::clamp(model_->rowCount({}), 1, kMostRows);
    list_->setFixedHeight(rows * std::max(kRowHeight, fontMetrics().height() + 10) + 2);
    setFixedWidth(width);
    adjustSize();
    move((parentWidget()->width() - width) / 2, 48);
}

void CommandPalette::narrow(const QString& typed) {
    model_->set(actions_, typed);
    list_->setCurrentIndex(model_->index(0, 0));
    place();
}

void CommandPalette::trigger() {
    auto* action = model_->action(list_->currentIndex().row());
    if (!action || !action->isEnabled()) return;
    dismiss();
    action->trigger();
}

void CommandPalette::dismiss() {
    hide();
    (before_ ? before_.data() : parentWidget())->setFocus();
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
    if (watched == parentWidget()) {
        if (event->type() == QEvent::Resize && isVisible()) place();
        return QFrame::eventFilter(watched, event);
    }
    if (event->type() == QEvent::FocusOut && isVisible()) {
        hide();
    } else if (event->type() == QEvent::KeyPress) {
        const auto* key = static_cast<QKeyEvent*>(event);
        const int row = list_->currentIndex().row(), rows = model_->rowCount({});
        const auto go = [&](int to) { list_->setCurrentIndex(model_->index(std::clamp(to, 0, rows - 1), 0)); };
        switch (key->key()) {
        case Qt::Key_Escape: dismiss(); return true;
        case Qt::Key_Return:
        case Qt::Key_Enter: trigger(); return true;
        case Qt::Key_Down: go(row + 1 >= rows ? 0 : row + 1); return true;
        case Qt::Key_Up: go(row <= 0 ? rows - 1 : row - 1); return true;
        case Qt::Key_PageDown: go(row + kMostRows); return true;
        case Qt::Key_PageUp: go(row - kMostRows); return true;
        default: break;
        }
    }
    return QFrame::eventFilter(watched, event);
}

} // namespace kw::widgets
