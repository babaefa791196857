#pragma once

#include "editor/completion.h"

#include <QAbstractListModel>
#include <QFrame>

#include <vector>

class QLabel;
class QListView;

namespace kw::editor {

/// Items that fit what is typed, best first.
class CompletionModel : public QAbstractListModel {
    Q_OBJECT
public:
    enum Role { kKind = Qt::UserRole, kSignature, kAbout, kLetters };

    explicit CompletionModel(QObject* parent = nullptr) : QAbstractListModel(parent) {}

    void set_items(std::vector<CompletionItem> items, const std::string& typed);
    void set_typed(const std::string& typed);
    [[nodiscard]] const CompletionItem& item(int row) const {
        return items_[shown_[static_cast<std::size_t>(row)].index];
    }

    [[nodiscard]] int rowCount(const QModelIndex& parent = {}) const override;
    [[nodiscard]] QVariant data(const QModelIndex& index, int role) const override;

private:
    std::vector<CompletionItem> items_;
    std::vector<Ranked> shown_;
    std::string typed_;
};

/// The list beside what explains its current entry. Never takes the focus: whoever has it hands keys on.
class CompletionPopup : public QFrame {
    Q_OBJECT
public:
    explicit CompletionPopup(QWidget* parent);

    /// Shows what fits below (or above) the line at `caret`, a rectangle in global coordinates; hides when nothing
    /// does.
    void open(std::vector<CompletionItem> items, const std::string& typed, const QRect& caret);
    /// More of them, as when a slower source has answered; an entry that was moved to stays current.
    void add(const std::vector<CompletionItem>& items);
    void set_typed(const std::string& typed);
    void move_by(int rows);
    [[nodiscard]] const CompletionItem* current() const;
    [[nodiscard]] CompletionModel* model() const { return model_; }

Q_SIGNALS:
    void chosen();

private:
    void after_change();
    void explain();
    void place();
    void apply_theme();

    CompletionModel* model_;
    QListView* list_;
    QWidget* side_;
    QLabel* signature_;
    QLabel* about_;
    std::vector<CompletionItem> items_;
    std::string typed_;
    QRect caret_;
    bool moved_ = false; ///< by the user, since what is typed changed
};

} // namespace kw::editor
