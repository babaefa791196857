#pragma once

#include "widgets/theme.h"

#include <QString>

namespace kw::widgets {

/// The program's style sheet: metrics on a 4-pixel grid, colours from the tokens.
[[nodiscard]] QString style_sheet(const Tokens& tokens);

} // namespace kw::widgets
