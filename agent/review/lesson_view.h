#pragma once

#include "agent/trajectory/lesson.h"

#include <QString>
#include <QWidget>

#include <optional>
#include <vector>

class QButtonGroup;
class QLabel;
class QPlainTextEdit;
class QPushButton;
class QScrollArea;
class QStackedWidget;
class QVBoxLayout;

namespace kw::review {

/// Going through a session as a lesson: what the next step changes is shown, the learner says what will come of it, and
/// only then is it shown. Also where questions are written.
class LessonView : public QWidget {
    Q_OBJECT
public:
    explicit LessonView(QWidget* parent = nullptr);

    /// No lesson: why none can begin, or empty.
    void show_idle(const QString& why_not, bool own_questions);
    /// `change` is the difference to the step before, a line each with '+', '-' or ' ' before it.
    void ask(int number, int count, const QString& title, const QString& change,
             std::vector<trajectory::Question> questions);
    /// The step that was asked about is on show now.
    void reveal(const QString& thought);
    void show_end();

    /// Questions right so far, and how many there were.
    [[nodiscard]] std::pair<int, int> score() const { return {right_, asked_}; }
    [[nodiscard]] bool asking() const { return asking_; }

    /// Questions that come before a step, for writing.
    void edit(int number, const std::vector<trajectory::Question>& questions);

Q_SIGNALS:
    void start_requested();
    void reveal_requested();
    void next_requested();
    void end_requested();
    /// Somebody wants to write the questions before the step that is looked at.
    void edit_requested();
    void edited(const std::vector<kw::trajectory::Question>& questions);

private:
    QWidget* make_idle();
    QWidget* make_questions();
    QWidget* make_editor();
    void clear_questions();
    void update_button();
    void step_on();
    void save_draft();

    std::vector<trajectory::Question> questions_;
    std::vector<QButtonGroup*> answers_;
    std::vector<QLabel*> verdicts_;
    bool asking_ = false;
    int right_ = 0, asked_ = 0;

    QStackedWidget* pages_;
    QLabel* idle_text_;
    QPushButton* start_;
    QLabel* heading_;
    QPlainTextEdit* change_;
    QWidget* list_;
    QVBoxLayout* list_layout_;
    QLabel* thought_;
    QLabel* score_;
    QPushButton* next_;
    QLabel* draft_heading_;
    QPlainTextEdit* draft_;
    QLabel* draft_problem_;
};

/// The lines of `after` beside those of `before`, each with '+', '-' or ' ' before it; far from any change left out.
[[nodiscard]] QString change_text(const std::string& before, const std::string& after);

} // namespace kw::review
