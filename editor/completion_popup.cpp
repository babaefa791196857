#include "editor/completion_popup.h"

#include "widgets/theme.h"

#include <QGuiApplication>
#include <QHBoxLayout>
#include <QLabel>
#include <QListView>
#include <QPainter>
#include <QScreen>
#include <QStyledItemDelegate>
#include <QTextLayout>
#include <QVBoxLayout>

#include <algorithm>

namespace kw::editor {
namespace {

constexpr int kRows = 9;

/// What an item is, in one letter on the theme's colours, as an icon would.
QColor kind_color(const QString& kind) {
    const auto& t = widgets::Theme::instance().tokens();
    if (kind == QLatin1String("type") || kind == QLatin1String("variable")) return t.code_cuda;
    if (kind == QLatin1String("qualifier") || kind == QLatin1String("keyword")) return t.code_keyword;
    if (kind == QLatin1String("macro")) return t.code_preprocessor;
    if (kind == QLatin1String("directive") || kind == QLatin1String("function")) return t.code_directive;
    if (kind.isEmpty() || kind == QLatin1String("word")) return t.text3;
    return t.code_number; // of the task
}

class Delegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;

    [[nodiscard]] QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override {
        return {200, QFontMetrics(widgets::Theme::instance().code_font()).height() + 6};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const auto& tokens = widgets::Theme::instance().tokens();
        painter->save();
        if (option.state & QStyle::State_Selected) {
            painter->setRenderHint(QPainter::Antialiasing);
            painter->setPen(Qt::NoPen);
            painter->setBrush(tokens.selection);
            painter->drawRoundedRect(option.rect.adjusted(2, 0, -2, 0), 4, 4);
        }
        const QFont code = widgets::Theme::instance().code_font();
        const QString kind = index.data(CompletionModel::kKind).toString();
        QFont small = widgets::Theme::instance().interface_font();
        small.setPixelSize(std::max(9, small.pixelSize() - 2));
        painter->setFont(small);
        painter->setPen(tokens.text2);
        const int kind_width = QFontMetrics(small).horizontalAdvance(kind);
        const QRect line = option.rect.adjusted(12, 0, -12, 0);
        painter->drawText(line, Qt::AlignRight | Qt::AlignVCenter, kind);
        const QString name = index.data(Qt::DisplayRole).toString();
        QTextLayout layout(QFontMetrics(code).elidedText(name, Qt::ElideRight, line.width() - kind_width - 12), code);
        QList<QTextLayout::FormatRange> formats;
        QTextCharFormat plain;
        plain.setForeground(kind_color(kind));
        formats.append({0, static_cast<int>(name.size()), plain});
        for (const int letter : index.data(CompletionModel::kLetters).value<QList<int>>()) {
            QTextCharFormat bold = plain;
            bold.setFontWeight(QFont::Bold);
            bold.setForeground(tokens.text1);
            formats.append({letter, 1, bold});
        }
        layout.setFormats(formats);
        layout.beginLayout();
        layout.createLine();
        layout.endLayout();
        layout.draw(painter, QPointF(line.left(), line.top() + (line.height() - QFontMetrics(code).height()) / 2.0));
        painter->restore();
    }
};

} // namespace

void CompletionModel::set_items(std::vector<CompletionItem> items, const std::string& typed) {
    beginResetModel();
    items_ = std::move(items);
    typed_ = typed;
    shown_ = rank(items_, typed_);
    endResetModel();
}

void CompletionModel::set_typed(const std::string& typed) {
    beginResetModel();
    typed_ = typed;
    shown_ = rank(items_, typed_);
    endResetModel();
}

int CompletionModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(shown_.size());
}

QVariant CompletionModel::data(const QModelIndex& index, int role) const {
    if (!index.isValid() || index.row() >= rowCount()) return {};
    const auto& entry = item(index.row());
    switch (role) {
    case Qt::DisplayRole: return QString::fromStdString(entry.name);
    case Qt::AccessibleTextRole:
        return entry.about.empty() ? QString::fromStdString(entry.name)
                                   : QString::fromStdString(entry.name + ": " + entry.about);
    case kKind: return QString::fromStdString(entry.kind);
    case kSignature: return QString::fromStdString(entry.signature);
    case kAbout: return QString::fromStdString(entry.about);
    case kLetters: {
        QList<int> letters;
        for (const std::size_t byte : fitting_letters(entry.name, typed_))
            letters.append(static_cast<int>(QString::fromUtf8(entry.name.data(), static_cast<qsizetype>(byte)).size()));
        return QVariant::fromValue(letters);
    }
    default: return {};
    }
}

CompletionPopup::CompletionPopup(QWidget* parent)
    : QFrame(parent, Qt::ToolTip | Qt::FramelessWindowHint),
      model_(new CompletionModel(this)),
      list_(new QListView),
      side_(new QWidget),
      signature_(new QLabel),
      about_(new QLabel) {
    setObjectName(QStringLiteral("completionPopup"));
    setAttribute(Qt::WA_ShowWithoutActivating);
    setFocusPolicy(Qt::NoFocus);
    setAccessibleName(tr("Completions"));
    list_->setAccessibleName(tr("Completions"));
    list_->setModel(model_);
    list_->setItemDelegate(new Delegate(list_));
    list_->setFocusPolicy(Qt::NoFocus);
    list_->setUniformItemSizes(true);
    list_->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list_->setFrameShape(QFrame::NoFrame);
    signature_->setAccessibleName(tr("Signature"));
    about_->setAccessibleName(tr("Explanation"));
    for (auto* label : {signature_, about_}) {
        label->setWordWrap(true);
        label->setTextFormat(Qt::PlainText);
        label->setAlignment(Qt::AlignTop | Qt::AlignLeft);
    }
    about_->setProperty("tone", QStringLiteral("quiet"));
    auto* text = new QVBoxLayout(side_);
    text->setContentsMargins(12, 8, 12, 8);
    text->setSpacing(4);
    text->addWidget(signature_);
    text->addWidget(about_, 1);
    auto* layout = new QHBoxLayout(this);
    layout->setContentsMargins(1, 5, 1, 5);
    layout->setSpacing(0);
    layout->addWidget(list_);
    layout->addWidget(side_);
    connect(list_, &QListView::clicked, this, &CompletionPopup::chosen);
    connect(list_->selectionModel(), &QItemSelectionModel::currentChanged, this, &CompletionPopup::explain);
    connect(&widgets::Theme::instance(), &widgets::Theme::changed, this, &CompletionPopup::apply_theme);
    apply_theme();
    hide();
}

void CompletionPopup::apply_theme() {
    const auto& tokens = widgets::Theme::instance().tokens();
    setStyleSheet(QStringLiteral("QFrame#completionPopup { background: %1; border: 1px solid %2; }"
                                 "QFrame#completionPopup QListView { background: transparent; }"
                                 "QFrame#completionPopup QWidget { background: transparent; }")
                      .arg(tokens.surface2.name(), tokens.line.name()));
    signature_->setFont(widgets::Theme::instance().code_font());
}

void CompletionPopup::open(std::vector<CompletionItem> items, const std::string& typed, const QRect& caret) {
    items_ = std::move(items);
    typed_ = typed;
    moved_ = false;
    caret_ = caret;
    model_->set_items(items_, typed_);
    after_change();
}

void CompletionPopup::add(const std::vector<CompletionItem>& items) {
    const std::string kept = moved_ && isVisible() && current() ? current()->name : std::string();
    items_.insert(items_.end(), items.begin(), items.end());
    model_->set_items(items_, typed_);
    after_change();
    for (int row = 0; row < model_->rowCount(); ++row)
        if (!kept.empty() && model_->item(row).name == kept) list_->setCurrentIndex(model_->index(row));
}

void CompletionPopup::set_typed(const std::string& typed) {
    typed_ = typed;
    moved_ = false;
    model_->set_typed(typed);
    after_change();
}

void CompletionPopup::after_change() {
    if (model_->rowCount() == 0) {
        hide();
        return;
    }
    list_->setCurrentIndex(model_->index(0));
    explain();
    place();
    if (isVisible()) return;
    show();
    raise();
}

void CompletionPopup::move_by(int rows) {
    const int count = model_->rowCount();
    if (count == 0) return;
    moved_ = true;
    const int row = list_->currentIndex().row() + rows;
    // One step goes around the ends, a page stops at them.
    list_->setCurrentIndex(model_->index(std::abs(rows) == 1 ? (row + count) % count : std::clamp(row, 0, count - 1)));
}

const CompletionItem* CompletionPopup::current() const {
    const auto index = list_->currentIndex();
    return index.isValid() ? &model_->item(index.row()) : nullptr;
}

void CompletionPopup::explain() {
    const auto* item = current();
    const bool any = item && (!item->signature.empty() || !item->about.empty());
    if (any) {
        signature_->setText(QString::fromStdString(item->signature));
        about_->setText(QString::fromStdString(item->about));
    } else {
        signature_->clear();
        about_->clear();
    }
}

void CompletionPopup::place() {
    const QFontMetrics code(widgets::Theme::instance().code_font());
    int longest = 0;
    for (int row = 0; row < std::min(model_->rowCount(), 40); ++row)
        longest =
            std::max(longest, code.horizontalAdvance(QString::fromStdString(model_->item(row).name))
                                  + fontMetrics().horizontalAdvance(QString::fromStdString(model_->item(row).kind)));
    const bool explained = std::ranges::any_of(items_, [](const CompletionItem& item) { return !item.about.empty(); });
    list_->setFixedWidth(std::clamp(longest + 56, 200, 420));
    side_->setVisible(explained);
    side_->setFixedWidth(code.horizontalAdvance(QLatin1Char('m')) * 44);
    const int row_height = list_->sizeHintForRow(0);
    const int rows = std::clamp(model_->rowCount(), explained ? 6 : 1, kRows);
    resize(list_->width() + (explained ? side_->width() : 0) + 2, rows * row_height + 12);
    QPoint corner = caret_.bottomLeft() + QPoint(-12, 4);
    if (const auto* screen = QGuiApplication::screenAt(caret_.center())) {
        const QRect area = screen->availableGeometry();
        if (corner.y() + height() > area.bottom()) corner.setY(caret_.top() - height() - 4);
        corner.setX(std::clamp(corner.x(), area.left(), std::max(area.left(), area.right() - width())));
    }
    move(corner);
}

} // namespace kw::editor
