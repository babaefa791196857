#pragma once

#include "editor/listing.h"

#include <Qsci/qscilexercustom.h>

#include <cstddef>
#include <string_view>
#include <vector>

namespace kw::editor {

enum class ListingStyle : int { plain, opcode, memory, control, reg, number, comment, label, directive };
inline constexpr int kListingStyles = 9;

struct ListingSpan {
    std::size_t begin = 0; ///< bytes from the line's start
    std::size_t end = 0;
    ListingStyle style = ListingStyle::plain;
    bool operator==(const ListingSpan&) const = default;
};

/// What a line of PTX or SASS consists of, plain text left out.
[[nodiscard]] std::vector<ListingSpan> listing_spans(std::string_view line, Listing::Kind kind);

/// Colours of PTX and SASS: a line needs to know nothing of those above it.
class ListingLexer : public QsciLexerCustom {
    Q_OBJECT
public:
    explicit ListingLexer(QObject* parent = nullptr);

    void set_kind(Listing::Kind kind) { kind_ = kind; }
    void apply_theme();
    [[nodiscard]] const char* language() const override { return "PTX and SASS"; }
    [[nodiscard]] QString description(int style) const override;
    void styleText(int start, int end) override;

private:
    Listing::Kind kind_ = Listing::Kind::ptx;
};

} // namespace kw::editor
