#pragma once

#include "widgets/theme.h"

#include <QString>

namespace kw::widgets {

/// The program's style sheet: metrics on a 4-pixel grid, colours from the tokens; text, and what holds it, larger by
/// `text_scale`.
[[nodiscard]] QString style_sheet(const Tokens& tokens, double text_scale = 1);

} // namespace kw::widgets
