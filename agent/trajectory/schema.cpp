#include "agent/trajectory/schema.h"

#include <SQLiteCpp/Transaction.h>
#include <fmt/format.h>

namespace kw::trajectory {
namespace {

/// "KWSS", in the header of the file, so that file(1) and others can tell what it is.
constexpr int kApplicationId = 0x4b575353;

// Blobs are by the hash of what they hold, before compression, so equal texts are kept once.
constexpr const char* kVersion1 = R"sql(
CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
CREATE TABLE blob (sha256 TEXT PRIMARY KEY, size INTEGER NOT NULL, compressed INTEGER NOT NULL, bytes BLOB NOT NULL) STRICT;
CREATE TABLE task_file (path TEXT PRIMARY KEY, sha256 TEXT NOT NULL REFERENCES blob) STRICT, WITHOUT ROWID;
CREATE TABLE step (
  id INTEGER PRIMARY KEY,
  parent INTEGER REFERENCES step,
  driver TEXT NOT NULL,
  title TEXT NOT NULL,
  thought TEXT NOT NULL,
  file TEXT NOT NULL,
  source TEXT NOT NULL REFERENCES blob,
  configuration TEXT NOT NULL,
  evaluation TEXT REFERENCES blob,
  correct INTEGER,
  reward REAL,
  speedup REAL,
  median_us REAL,
  estimated INTEGER NOT NULL,
  because TEXT NOT NULL,
  lines_added INTEGER NOT NULL,
  lines_removed INTEGER NOT NULL,
  prompt_tokens INTEGER NOT NULL,
  cached_tokens INTEGER NOT NULL,
  completion_tokens INTEGER NOT NULL,
  reasoning_tokens INTEGER NOT NULL,
  cost_usd REAL NOT NULL,
  started_ms INTEGER NOT NULL,
  ended_ms INTEGER NOT NULL) STRICT;
CREATE TABLE message (
  step INTEGER NOT NULL REFERENCES step, ordinal INTEGER NOT NULL,
  role TEXT NOT NULL, content TEXT NOT NULL, reasoning TEXT NOT NULL,
  PRIMARY KEY (step, ordinal)) STRICT, WITHOUT ROWID;
CREATE TABLE tool_call (
  step INTEGER NOT NULL REFERENCES step, ordinal INTEGER NOT NULL,
  id TEXT NOT NULL, name TEXT NOT NULL, arguments TEXT NOT NULL, result TEXT NOT NULL, ok INTEGER NOT NULL,
  milliseconds REAL NOT NULL,
  PRIMARY KEY (step, ordinal)) STRICT, WITHOUT ROWID;
CREATE TABLE decision (
  id INTEGER PRIMARY KEY, step INTEGER NOT NULL REFERENCES step,
  hunk TEXT NOT NULL, action TEXT NOT NULL, reason TEXT NOT NULL, time_ms INTEGER NOT NULL) STRICT;
)sql";

constexpr const char* kVersion2 = R"sql(
ALTER TABLE step ADD COLUMN findings INTEGER NOT NULL DEFAULT 0;
ALTER TABLE step ADD COLUMN finding_severity TEXT NOT NULL DEFAULT '';
ALTER TABLE decision ADD COLUMN first_line INTEGER NOT NULL DEFAULT 0;
ALTER TABLE decision ADD COLUMN lines INTEGER NOT NULL DEFAULT 0;
ALTER TABLE decision ADD COLUMN removed TEXT;
ALTER TABLE decision ADD COLUMN made_by TEXT NOT NULL DEFAULT 'human';
)sql";

/// migrations[i] leads from version i to i + 1.
constexpr const char* kMigrations[] = {kVersion1, kVersion2};
static_assert(std::size(kMigrations) == kSchemaVersion);

/// Names in the schema "temp" go before those of the file.
constexpr const char* kVersion1AsVersion2 = R"sql(
CREATE TEMP VIEW step AS SELECT *, 0 AS findings, '' AS finding_severity FROM main.step;
CREATE TEMP VIEW decision AS
  SELECT *, 0 AS first_line, 0 AS lines, NULL AS removed, 'human' AS made_by FROM main.decision;
)sql";
/// views[i] shows version i + 1 as that of today.
constexpr const char* kViews[] = {kVersion1AsVersion2};
static_assert(std::size(kViews) == kSchemaVersion - 1);

int pragma(SQLite::Database& database, const char* name) {
    return database.execAndGet(fmt::format("PRAGMA {}", name)).getInt();
}

} // namespace

Result<void> prepare_schema(SQLite::Database& database, const std::string& path, Prepare how) {
    const auto refuse = [&path](std::string why) {
        return fail(Stage::usage, ErrorCode::invalid_input, fmt::format("'{}' {}", path, why), {path});
    };
    const int version = pragma(database, "user_version");
    const bool ours = pragma(database, "application_id") == kApplicationId;
    if (version > kSchemaVersion && ours)
        return refuse(fmt::format("was written by a newer Kernelwright (its form is {}, this program reads up to {}); "
                                  "update this one",
                                  version, kSchemaVersion));
    if (!ours && !(how == Prepare::create && version == 0 && pragma(database, "schema_version") == 0))
        return refuse("is an SQLite file, but not a Kernelwright session");
    // This connection may know the tables as they were just before somebody else brought them up to date. It learns of
    // their columns when it misses one; giving too many values would be an error instead.
    const auto learn = [&database] { database.exec("SELECT made_by FROM decision LIMIT 0"); };
    if (version == kSchemaVersion) {
        learn();
        return {};
    }
    if (how == Prepare::look && version > 0) {
        database.exec(kViews[version - 1]);
        return {};
    }
    SQLite::Transaction transaction{database, SQLite::TransactionBehavior::IMMEDIATE};
    const int now = pragma(database, "user_version"); // somebody else may have done it meanwhile
    if (now == kSchemaVersion) learn();
    for (int from = now; from < kSchemaVersion; ++from) database.exec(kMigrations[from]);
    database.exec(fmt::format("PRAGMA application_id = {}", kApplicationId));
    database.exec(fmt::format("PRAGMA user_version = {}", kSchemaVersion));
    transaction.commit();
    return {};
}

} // namespace kw::trajectory
