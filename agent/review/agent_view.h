#pragma once

#include "agent/trajectory/step.h"

#include <QString>
#include <QWidget>

#include <memory>
#include <vector>

class QLabel;
class QPushButton;
class QStackedWidget;
class QVBoxLayout;

namespace kw::review {

class AgentFold;

/// What is being written at the moment, before it is a step.
struct AgentDraft {
    QString activity; ///< "the model writes", "verify"
    QString thought;
    QString text;
    QString source; ///< of the change, as far as it has come
};

/// How a step came to be: thought, what was said, tools that were used with what came of them, what it cost and what it
/// was worth. A step that lacks something, as an imported one may, shows what it has.
class AgentView : public QWidget {
    Q_OBJECT
public:
    explicit AgentView(QWidget* parent = nullptr);

    void show_step(const trajectory::Step& step);
    void show_nothing();
    /// Above the step, until end_draft().
    void show_draft(const AgentDraft& draft);
    void end_draft();
    /// The lines that open, in their order; the first of those of which there are very many.
    [[nodiscard]] std::vector<AgentFold*> folds() const;
    static constexpr std::size_t kFirstFolds = 100;

Q_SIGNALS:
    /// Of a diagnostic of the step.
    void go_to_requested(const QString& file, int line, int column);

private:
    void show_entries(std::size_t count);
    void show_facts(const trajectory::Step& step);
    void show_diagnostics(const trajectory::Step& step);
    AgentFold* fold(std::size_t index);

    struct Entries; ///< of the step shown
    std::shared_ptr<const Entries> entries_;
    std::size_t shown_ = 0;
    qlonglong step_ = 0;

    QStackedWidget* pages_;
    QWidget* draft_;
    QLabel* activity_;
    AgentFold* draft_thought_;
    AgentFold* draft_text_;
    AgentFold* draft_source_;
    QLabel* heading_;
    QLabel* title_;
    QLabel* facts_;
    QLabel* tokens_;
    QLabel* because_;
    QLabel* diagnostics_;
    QVBoxLayout* folds_layout_;
    std::vector<AgentFold*> folds_; ///< made once and filled anew: from step to step little else changes
    QPushButton* more_;
};

} // namespace kw::review
