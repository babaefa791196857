#pragma once

#include "editor/compare.h"

#include <QPointer>
#include <QStringList>
#include <QWidget>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

class QComboBox;
class QLabel;
class QPushButton;
class QStackedWidget;
class QToolButton;
class QVBoxLayout;
class QsciScintilla;

namespace kw::editor {

class CompareCard;
class CompareSide;
class CudaEditor;

/// A suggestion beside a text: read only, aligned with it line by line, the two scrolling together, with a card for
/// the change that is looked at. It changes nothing itself: what is to be done is told by signals.
class CompareView : public QWidget {
    Q_OBJECT
public:
    explicit CompareView(QWidget* parent = nullptr);
    ~CompareView() override;

    /// `brief` where there is no room for it.
    void set_title(const QString& title, const QString& brief);
    /// What it may be compared with, and which of them is shown.
    void set_bases(const QStringList& bases, int current);
    /// The text that the suggestion is beside; null for none. It gets its marks and room from here.
    void set_left(QsciScintilla* left);
    /// Keeps what is scrolled to.
    void set_suggestion(std::string_view text);
    /// Of the two texts as they are now.
    void show_comparison(Comparison comparison);
    /// In place of the suggestion.
    void show_message(const QString& title, const QString& hint);
    /// Above the suggestion, in a sentence; empty for nothing.
    void set_notice(const QString& notice, const QString& tone = QStringLiteral("quiet"));
    /// What measuring said of a change; of all of them together where `id` is empty.
    void set_measure(const std::string& id, const QString& text, const QString& tone, bool running);
    void forget_measures();

    [[nodiscard]] const Comparison& comparison() const { return comparison_; }
    [[nodiscard]] CudaEditor* text() const { return text_; }
    [[nodiscard]] CompareCard* card() const { return card_; }
    /// The change that is looked at.
    [[nodiscard]] const CompareHunk* current() const;
    /// Its lines that are selected in the suggestion, from its first: {first, count}; nothing when none are.
    [[nodiscard]] std::optional<std::pair<int, int>> selected_lines() const;

    /// 1: the next change, −1: the one before; goes round.
    void go(int direction);
    void set_current(std::size_t index, bool scroll);

Q_SIGNALS:
    void accept_requested();
    void accept_all_requested();
    void reject_requested(const QString& reason);
    void measure_requested();
    void measure_all_requested();
    void base_chosen(int index);

protected:
    void resizeEvent(QResizeEvent* event) override;
    bool eventFilter(QObject* object, QEvent* event) override;

private:
    struct Measure {
        QString text, tone;
        bool running = false;
    };
    void keep_reading_keys();
    void refresh();
    void place_card();
    /// Below the texts, where there is no room beside the change in them.
    void dock_card(bool docked);
    void follow(bool from_right);
    void align_tops();
    void fit_title();

    Comparison comparison_;
    std::string current_; ///< id of it
    std::map<std::string, Measure> measures_;
    QPointer<QsciScintilla> left_;
    std::unique_ptr<CompareSide> left_side_;
    CudaEditor* text_;
    std::unique_ptr<CompareSide> right_side_;
    CompareCard* card_;
    QVBoxLayout* foot_;
    QWidget* header_;
    QLabel* title_;
    QString whole_title_, brief_title_;
    QLabel* count_;
    QLabel* notice_;
    QComboBox* bases_;
    QToolButton* previous_;
    QToolButton* next_;
    QPushButton* accept_all_;
    QPushButton* measure_all_;
    QLabel* all_text_;
    QStackedWidget* pages_;
    QLabel* message_title_;
    QLabel* message_hint_;
    bool following_ = false;
    bool docked_ = false;
};

} // namespace kw::editor
