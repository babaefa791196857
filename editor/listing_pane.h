#pragma once

#include "editor/listing.h"

#include <QWidget>

#include <memory>
#include <string>

class QComboBox;
class QLabel;
class QPushButton;
class QsciScintilla;
class QStackedWidget;
class QToolButton;

namespace kw::editor {

class HeatMargin;
class ListingLexer;

/// PTX or SASS of a source, linked with it line by line in both directions.
class ListingPane : public QWidget {
    Q_OBJECT
public:
    explicit ListingPane(QWidget* parent = nullptr);

    /// What is scrolled to stays so where the kind is the same as before.
    void set_listing(Listing listing);
    [[nodiscard]] const Listing& listing() const { return listing_; }
    void show_nothing();
    /// A listing that is there stays, until the new one comes.
    void show_working();
    /// One sentence, and what to do about it.
    void show_problem(const QString& problem, const QString& remedy = {});

    /// Marks everything that came from this line of the source, and scrolls there unless some of it is in sight. 0:
    /// none.
    void highlight_source_line(int line);
    /// Shows a metric of the profile by instruction, where the listing is SASS and the profile knows it.
    void set_heat(std::shared_ptr<const profile::Report> report, const std::string& metric);
    /// Which of the two the toggle shows; set by set_listing() too.
    void set_kind(Listing::Kind kind);

    [[nodiscard]] QsciScintilla* text() const { return text_; }
    [[nodiscard]] HeatMargin* heat() const { return heat_; }

Q_SIGNALS:
    /// The caret came to code of this source line, by key or mouse.
    void source_line_activated(int line);
    void kind_requested(kw::editor::Listing::Kind kind);

private:
    void apply_theme();
    void caret_moved(int line);
    void mark();
    void update_heat();
    void show_state(const QString& title, const QString& hint);

    Listing listing_;
    QStackedWidget* pages_;
    QsciScintilla* text_;
    ListingLexer* lexer_;
    HeatMargin* heat_;
    QLabel* state_title_;
    QLabel* state_hint_;
    QLabel* busy_;
    QComboBox* kernels_;
    QToolButton* ptx_;
    QToolButton* sass_;
    std::shared_ptr<const profile::Report> report_;
    std::string metric_;
    int highlighted_ = 0;
    int quiet_line_ = -1; ///< where the caret was put by set_listing(); of which the text tells later
};

} // namespace kw::editor
