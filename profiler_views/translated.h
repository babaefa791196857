#pragma once

#include <QCoreApplication>
#include <QString>

namespace kw::profiler_views {

/// Text made outside of any class, in the user's language. The context is the one that lupdate gives to such a
/// function.
inline QString tr(const char* text, int n = -1) {
    return QCoreApplication::translate("kw::profiler_views", text, nullptr, n);
}

} // namespace kw::profiler_views
