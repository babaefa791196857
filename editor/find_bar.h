#pragma once

#include "editor/search.h"

#include <QTimer>
#include <QWidget>

#include <vector>

class QLabel;
class QLineEdit;
class QToolButton;

namespace kw::editor {

class CudaEditor;

/// Finding and replacing above a text: all matches are marked and counted, the current one is selected.
class FindBar : public QWidget {
    Q_OBJECT
public:
    explicit FindBar(CudaEditor& editor, QWidget* parent = nullptr);

    /// Shows the bar with what is selected as the pattern, if that is within a line.
    void open(bool replace);
    void find_next();
    void find_previous();
    void replace_current();
    /// All of them, as one step to undo.
    void replace_all();

    [[nodiscard]] const std::vector<Match>& matches() const { return result_.matches; }

Q_SIGNALS:
    void closed();

protected:
    bool eventFilter(QObject* object, QEvent* event) override;
    void hideEvent(QHideEvent* event) override;

private:
    void search();
    void mark();
    void tell();
    void go(int step);
    void select(int index);
    [[nodiscard]] SearchOptions options() const;
    [[nodiscard]] int selected() const; ///< index of the match that is selected; -1: none
    void apply_theme();

    CudaEditor& editor_;
    QLineEdit* pattern_;
    QLineEdit* replacement_;
    QWidget* replace_row_;
    QToolButton* case_;
    QToolButton* word_;
    QToolButton* regex_;
    QToolButton* previous_;
    QToolButton* next_;
    QToolButton* replace_;
    QToolButton* replace_all_;
    QToolButton* close_;
    QLabel* count_;
    QLabel* problem_; ///< of the pattern
    QTimer timer_;    ///< typing in the text does not wait for the search
    SearchResult result_;
    bool marked_ = false;
    long origin_ = 0; ///< where searching began, for what is found while the pattern is typed
};

} // namespace kw::editor
