#pragma once

#include "editor/compare.h"

#include <QObject>
#include <QPointer>

#include <optional>

class QsciScintilla;

namespace kw::editor {

/// How one of two compared texts shows where it differs: lines tinted, words marked, rows left free. Nothing of it is
/// in the text, and where it is shown nothing in sight moves away from under the caret.
class CompareSide : public QObject {
    Q_OBJECT
public:
    CompareSide(QsciScintilla& text, bool right);
    ~CompareSide() override;

    void show(const Comparison& comparison, std::optional<std::size_t> current);

private:
    void apply_theme();
    void set_fillers(const Fillers& wanted);
    void set_markers(const Comparison& comparison, std::optional<std::size_t> current);

    QsciScintilla& text_;
    QPointer<QsciScintilla> alive_; ///< null once it is gone
    bool right_;
    int folds_width_ = 0;
};

} // namespace kw::editor
