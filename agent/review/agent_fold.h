#pragma once

#include <QString>
#include <QWidget>

#include <functional>

class QLabel;
class QPlainTextEdit;
class QToolButton;

namespace kw::review {

/// One line that opens to a text below it: a thought, a tool call. The text is only made when it is first seen.
class AgentFold : public QWidget {
    Q_OBJECT
public:
    struct Content {
        QString title;
        QString summary{}; ///< one line, cut where there is no room
        QString note{};    ///< at the end of the line: a duration
        QString tone{};    ///< "bad" where it went wrong
        bool code = false; ///< in the font of code
        bool open = false;
        std::function<QString()> text{}; ///< empty: there is nothing to open
    };

    explicit AgentFold(QWidget* parent = nullptr);

    void set(Content content);
    /// Text that grows while it is seen: what is there already is not laid out again.
    void set_growing(const QString& text);
    void set_open(bool open);
    [[nodiscard]] bool open() const { return open_; }
    /// What is seen when it is open; empty before.
    [[nodiscard]] QString shown_text() const;
    [[nodiscard]] QString title() const;

protected:
    void mousePressEvent(QMouseEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void fill();
    void fit();
    void draw();
    void elide();

    Content content_;
    bool open_ = false;
    QString shown_; ///< in the body
    QToolButton* arrow_;
    QLabel* title_;
    QLabel* summary_;
    QLabel* note_;
    QPlainTextEdit* body_ = nullptr;
};

} // namespace kw::review
