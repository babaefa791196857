#pragma once

#include "engine/base/result.h"

#include <SQLiteCpp/Database.h>

#include <string>

/// The tables of a session file and how older files become newer ones.
namespace kw::trajectory {

inline constexpr int kSchemaVersion = 2;

enum class Prepare {
    create, ///< the tables of an empty database
    update, ///< those of an older file are brought up to date
    look    ///< the file stays as it is; an older one is seen as if it were of today, in this connection alone
};
/// Refuses, with a sentence, what is not a session and what a newer program wrote. Throws SQLite::Exception on a
/// damaged file.
[[nodiscard]] Result<void> prepare_schema(SQLite::Database& database, const std::string& path, Prepare how);

} // namespace kw::trajectory
