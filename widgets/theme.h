#pragma once

#include <QColor>
#include <QFont>
#include <QObject>

#include <array>

class QApplication;

/// Colours and fonts of the whole program. Colours are tokens: a widget asks for what a colour means, never for a
/// shade.
namespace kw::widgets {

enum class Scheme { dark, light };

struct Tokens {
    Scheme scheme;
    QColor surface0; ///< behind everything
    QColor surface1; ///< content: editors, lists
    QColor surface2; ///< controls, headers
    QColor surface3; ///< hover, pressed
    QColor line;     ///< hairlines
    QColor text1;    ///< what is read
    QColor text2;    ///< what explains
    QColor text3;    ///< what may be overlooked; still ≥ 4.5:1 on surface1
    QColor accent, on_accent;
    QColor good, bad, warn, info;
    QColor selection;
    // A difference: what is behind a whole line, and behind what changed inside it.
    QColor added_line, removed_line, added_word, removed_word;
    // Series of plots: Okabe and Ito's colours, safe for colour-blind eyes, in the theme's lightness.
    std::array<QColor, 8> data;
    // Code.
    QColor code_keyword, code_cuda, code_number, code_string, code_comment, code_directive, code_preprocessor;
};

/// One per program. Emits changed() after the application's palette and style sheet have been set.
class Theme : public QObject {
    Q_OBJECT
public:
    static Theme& instance();

    /// Loads the fonts and applies `scheme` to the application.
    void apply(QApplication& application, Scheme scheme);
    /// All text, and the controls around it, larger by a factor of 1 to 2. Takes effect with the next apply().
    void set_text_scale(double scale) { text_scale_ = scale; }
    [[nodiscard]] double text_scale() const { return text_scale_; }

    [[nodiscard]] const Tokens& tokens() const { return *tokens_; }
    [[nodiscard]] static const Tokens& tokens_of(Scheme scheme);
    [[nodiscard]] QFont interface_font() const;
    [[nodiscard]] QFont code_font() const;

Q_SIGNALS:
    void changed();

private:
    Theme();
    const Tokens* tokens_;
    double text_scale_ = 1;
    bool fonts_loaded_ = false;
};

/// WCAG 2.1 contrast ratio of two opaque colours, from 1 to 21.
[[nodiscard]] double contrast(const QColor& a, const QColor& b);

} // namespace kw::widgets
