#pragma once

#include <QFrame>

#include <string>
#include <vector>

class QLabel;

namespace kw::editor {

struct CallTipText {
    std::vector<std::string> signatures; ///< overloads
    std::string about;
};

/// The function that is being called, its current argument emphasised. Never takes the focus.
class CallTip : public QFrame {
    Q_OBJECT
public:
    explicit CallTip(QWidget* parent);

    /// Above the line at `caret` (global), below it where there is no room.
    void show_for(const CallTipText& text, int argument, const QRect& caret);
    [[nodiscard]] QString html() const;

private:
    void apply_theme();

    QLabel* label_;
    CallTipText text_;
    int argument_ = 0;
};

} // namespace kw::editor
