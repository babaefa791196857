#pragma once

#include "engine/base/result.h"

#include <QString>

namespace kw::desktop {

/// An error for a line of text: the engine's sentence, led by which part of the work it is about in the user's
/// language.
[[nodiscard]] QString told(const Error& error);

} // namespace kw::desktop
