#pragma once

#include "editor/compare.h"

#include <QFrame>

class QLabel;
class QLineEdit;
class QPushButton;

namespace kw::editor {

/// What can be done with one change, shown beside it.
class CompareCard : public QFrame {
    Q_OBJECT
public:
    explicit CompareCard(QWidget* parent);

    /// `selected` lines of it are marked: those alone would be taken; 0 for all.
    void show_hunk(const CompareHunk& hunk, std::size_t number, std::size_t count, int selected);
    /// What measuring it said; empty where nothing is known.
    void show_measure(const QString& text, const QString& tone, bool running);
    /// Asks for the reason, which reject_chosen() tells.
    void ask_reason();

Q_SIGNALS:
    void accept_chosen();
    void reject_chosen(const QString& reason);
    void measure_chosen();
    /// Nothing is asked any more.
    void left();
    void resized();

protected:
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    QLabel* title_;
    QLabel* note_;
    QLabel* measure_text_;
    QPushButton* accept_;
    QPushButton* measure_;
    QPushButton* reject_;
    QLineEdit* reason_;
};

} // namespace kw::editor
