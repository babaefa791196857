#pragma once

#include "engine/base/result.h"

#include <SQLiteCpp/Database.h>

#include <string>

/// The tables of a session file and how older files become newer ones.
namespace kw::trajectory {

inline constexpr int kSchemaVersion = 1;

/// Creates the tables in an empty database, or brings an older one up to date. Refuses, with a sentence, what is not a
/// session and what a newer program wrote. Throws SQLite::Exception on a damaged file.
[[nodiscard]] Result<void> prepare_schema(SQLite::Database& database, const std::string& path, bool create);

} // namespace kw::trajectory
