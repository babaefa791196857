#pragma once

#include <QFrame>
#include <QString>
#include <QStringList>

class QLabel;

namespace kw::editor {

enum class Tone { info, warn, bad };

/// One sentence above a text, with what can be done about it.
class NoticeBar : public QFrame {
    Q_OBJECT
public:
    NoticeBar(Tone tone, const QString& text, const QStringList& buttons, QWidget* parent = nullptr);

Q_SIGNALS:
    /// A button, from 0.
    void action(int index);
    void dismissed();

private:
    void apply_theme();

    Tone tone_;
    QLabel* icon_;
};

} // namespace kw::editor
