#pragma once

#include <QFrame>
#include <QList>
#include <QPointer>
#include <QString>

#include <optional>

class QAction;
class QLineEdit;
class QListView;

namespace kw::widgets {

/// How well `typed` fits `text`: its characters in order, more for words begun and for runs; none when they do not
/// occur. Without regard to case.
[[nodiscard]] std::optional<int> fuzzy_score(const QString& typed, const QString& text);

/// A list of everything that can be done, over its window: type to narrow, Return to do it. Actions that are disabled
/// at the moment are shown as such.
class CommandPalette : public QFrame {
    Q_OBJECT
public:
    explicit CommandPalette(QWidget* window);
    ~CommandPalette() override;

    /// Shows the palette for `actions`; those without text are left out.
    void open(const QList<QAction*>& actions);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    class Model;
    void place();
    void narrow(const QString& typed);
    void trigger();
    void dismiss();

    QList<QPointer<QAction>> actions_; ///< of the last open()
    QPointer<QWidget> before_;         ///< had the focus
    Model* model_;
    QLineEdit* input_;
    QListView* list_;
};

} // namespace kw::widgets
