#include "agent/trajectory/session_file.h"

#include "agent/trajectory/schema.h"
#include "engine/base/descriptor.h"
#include "engine/base/hash.h"
#include "engine/base/version.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <SQLiteCpp/VariadicBind.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sqlite3.h>
#include <unistd.h>
#include <zstd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <new>
#include <system_error>
#include <utility>

namespace kw::trajectory {
namespace {

namespace fs = std::filesystem;

/// Below this compression does not pay.
constexpr std::size_t kSmall = 256;
/// A blob that claims to be larger is damage, or an attack; profiles of long runs are some megabytes.
constexpr std::int64_t kLargestBlob = std::int64_t{1} << 30;
constexpr int kBusyMs = SessionFile::kBusyMs;

std::int64_t now_ms() {
    return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
        .count();
}

std::unexpected<Error> sqlite_error(const fs::path& path, const SQLite::Exception& error, std::string_view doing) {
    std::string why;
    auto code = ErrorCode::internal; // of the machine, not of what was given
    switch (error.getErrorCode()) {
    case SQLITE_NOTADB:
        why = "it is not a session";
        code = ErrorCode::invalid_input;
        break;
    case SQLITE_CORRUPT:
        why = "it is damaged";
        code = ErrorCode::invalid_input;
        break;
    case SQLITE_BUSY:
        why = "another program is writing it; try again when that has ended";
        code = ErrorCode::timeout;
        break;
    case SQLITE_READONLY: why = "it is read-only"; break;
    case SQLITE_FULL: why = "the disk is full; make room, and go on with the session as it is"; break;
    case SQLITE_IOERR: why = "the disk is full, or reading or writing failed; what was written before is kept"; break;
    case SQLITE_CANTOPEN: why = "it cannot be opened"; break;
    default: why = error.what();
    }
    return fail(Stage::environment, code, fmt::format("cannot {} '{}': {}", doing, path.string(), why),
                {path.string()});
}

struct TooDeep {};

/// A file may be anybody's, and whoever copies or prints a value needs stack for each of its levels.
Json parse_json(const std::string& text) {
    constexpr int kMostLevels = 200; // as over RPC
    return Json::parse(text, [](int depth, Json::parse_event_t, Json&) {
        if (depth > kMostLevels) throw TooDeep{};
        return true;
    });
}

template<class Function>
auto guarded(const fs::path& path, std::string_view doing, Function&& function) -> decltype(function()) {
    try {
        return function();
    } catch (const SQLite::Exception& error) {
        return sqlite_error(path, error, doing);
    } catch (const TooDeep&) {
        return fail(Stage::environment, ErrorCode::invalid_input,
                    fmt::format("cannot {} '{}': it holds JSON that is nested too deeply", doing, path.string()),
                    {path.string()});
    } catch (const std::bad_alloc&) {
        return fail(Stage::environment, ErrorCode::invalid_input,
                    fmt::format("cannot {} '{}': it holds more than there is memory for", doing, path.string()),
                    {path.string()});
    } catch (const Json::exception&) {
        return fail(
            Stage::environment, ErrorCode::invalid_input,
            fmt::format("cannot {} '{}': it holds text that is not JSON where JSON belongs", doing, path.string()),
            {path.string()});
    }
}

template<class T> void bind_optional(SQLite::Statement& statement, int index, const std::optional<T>& value) {
    if (value)
        statement.bind(index, *value);
    else
        statement.bind(index);
}

std::optional<double> optional_number(const SQLite::Column& column) {
    return column.isNull() ? std::nullopt : std::optional{column.getDouble()};
}

/// A parent that is not there, or not before its step, counts as none: the file may be anybody's.
constexpr const char* kSummaryColumns =
    "id, (SELECT p.id FROM step p WHERE p.id = step.parent AND p.id < step.id), driver, title, source, correct, "
    "reward, speedup, median_us, estimated, because, lines_added, "
    "lines_removed, prompt_tokens, cached_tokens, completion_tokens, reasoning_tokens, cost_usd, started_ms, ended_ms, "
    "findings, finding_severity";
constexpr int kAfterSummary = 22;
/// In the column cost_usd, which takes no NULL.
constexpr double kUnknownCost = -1;

StepSummary read_summary(SQLite::Statement& row) {
    StepSummary summary;
    summary.id = row.getColumn(0).getInt64();
    if (!row.getColumn(1).isNull()) summary.parent = row.getColumn(1).getInt64();
    summary.driver = row.getColumn(2).getString();
    summary.title = row.getColumn(3).getString();
    summary.source_sha256 = row.getColumn(4).getString();
    if (!row.getColumn(5).isNull()) summary.correct = row.getColumn(5).getInt() != 0;
    summary.reward = optional_number(row.getColumn(6));
    summary.speedup = optional_number(row.getColumn(7));
    summary.median_us = optional_number(row.getColumn(8));
    summary.estimated = row.getColumn(9).getInt() != 0;
    summary.because = row.getColumn(10).getString();
    summary.lines_added = row.getColumn(11).getInt();
    summary.lines_removed = row.getColumn(12).getInt();
    summary.usage = {row.getColumn(13).getInt64(), row.getColumn(14).getInt64(), row.getColumn(15).getInt64(),
                     row.getColumn(16).getInt64(), row.getColumn(17).getDouble()};
    if (*summary.usage.cost_usd < 0) summary.usage.cost_usd.reset();
    summary.started_ms = row.getColumn(18).getInt64();
    summary.ended_ms = row.getColumn(19).getInt64();
    summary.findings = row.getColumn(20).getInt();
    summary.finding_severity = row.getColumn(21).getString();
    return summary;
}

/// A new session's name while it is being written. What is left under it goes with the object.
class Unfinished {
public:
    explicit Unfinished(const fs::path& path) : path_(path) { path_ += fmt::format(".{}.part", ::getpid()); }
    ~Unfinished() {
        std::error_code ignored;
        for (const char* suffix : {"", "-wal", "-shm", "-journal"}) fs::remove(fs::path{path_} += suffix, ignored);
    }
    Unfinished(const Unfinished&) = delete;
    Unfinished& operator=(const Unfinished&) = delete;

    [[nodiscard]] const fs::path& path() const { return path_; }

private:
    fs::path path_;
};

/// Gives a file a name that nobody has: 0, or an errno, EEXIST when it is taken.
int rename_new(const fs::path& from, const fs::path& to) {
    if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return 0;
    // Not every file system can.
    if (errno != EINVAL && errno != ENOSYS) return errno;
    return ::link(from.c_str(), to.c_str()) == 0 ? 0 : errno;
}

/// A path as SQLite takes it in a URI.
std::string uri_of(const fs::path& path) {
    std::error_code error;
    std::string uri = "file:";
    for (const char c : fs::absolute(path, error).string())
        if (std::string_view{"%?#"}.find(c) == std::string_view::npos)
            uri += c;
        else
            uri += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    return uri;
}

/// A reader of a file in WAL mode writes too, files beside it. Where it may not, nobody else may either or has left
/// such files, so that the file alone is the session and does not change.
std::unique_ptr<SQLite::Database> open_to_read(const fs::path& path) {
    std::error_code error;
    const bool has_log = fs::exists(fs::path{path} += "-wal", error);
    const bool may_write = ::access(path.c_str(), W_OK) == 0;
    const auto folder = path.has_parent_path() ? path.parent_path() : fs::path{"."};
    if (!has_log && ::access(folder.c_str(), W_OK) != 0)
        return std::make_unique<SQLite::Database>(uri_of(path) + "?immutable=1",
                                                  SQLite::OPEN_READONLY | SQLite::OPEN_URI, kBusyMs);
    return std::make_unique<SQLite::Database>(path.string(), may_write ? SQLite::OPEN_READWRITE : SQLite::OPEN_READONLY,
                                              kBusyMs);
}

/// The call that a tool's message is the result of: they come in the same order.
template<class Calls> auto call_of(const Message& message, Calls& calls, std::size_t& next) -> decltype(calls.data()) {
    return message.role == "tool" && next < calls.size() ? &calls[next++] : nullptr;
}

void write_conversation(SQLite::Database& database, StepId id, const Step& step) {
    SQLite::Statement message{database, "INSERT INTO message VALUES (?, ?, ?, ?, ?)"};
    std::size_t next = 0;
    for (std::size_t i = 0; i < step.messages.size(); ++i) {
        const auto& each = step.messages[i];
        // Results are most of a conversation; they are kept once, with their call.
        const auto* its_call = call_of(each, step.tool_calls, next);
        const std::string_view content =
            its_call && its_call->result == each.content ? std::string_view{} : std::string_view{each.content};
        SQLite::bind(message, id, static_cast<std::int64_t>(i), each.role, std::string{content}, each.reasoning);
        message.exec();
        message.reset();
    }
    SQLite::Statement call{database, "INSERT INTO tool_call VALUES (?, ?, ?, ?, ?, ?, ?, ?)"};
    for (std::size_t i = 0; i < step.tool_calls.size(); ++i) {
        const auto& each = step.tool_calls[i];
        SQLite::bind(call, id, static_cast<std::int64_t>(i), each.id, each.name,
                     each.arguments.dump(-1, ' ', false, Json::error_handler_t::replace), each.result,
                     static_cast<int>(each.ok), each.milliseconds);
        call.exec();
        call.reset();
    }
}

template<class Into> void read_conversation(SQLite::Database& database, StepId id, Into& into) {
    SQLite::Statement message{database, "SELECT role, content, reasoning FROM message WHERE step = ? ORDER BY ordinal"};
    message.bind(1, id);
    while (message.executeStep())
        into.messages.push_back(
            {message.getColumn(0).getString(), message.getColumn(1).getString(), message.getColumn(2).getString()});
    SQLite::Statement call{
        database,
        "SELECT id, name, arguments, result, ok, milliseconds FROM tool_call WHERE step = ? ORDER BY ordinal"};
    call.bind(1, id);
    while (call.executeStep())
        into.tool_calls.push_back({call.getColumn(0).getString(), call.getColumn(1).getString(),
                                   parse_json(call.getColumn(2).getString()), call.getColumn(3).getString(),
                                   call.getColumn(4).getInt() != 0, call.getColumn(5).getDouble()});
    std::size_t next = 0;
    for (auto& each : into.messages)
        if (const auto* its_call = call_of(each, into.tool_calls, next); its_call && each.content.empty())
            each.content = its_call->result;
}

} // namespace

SessionFile::SessionFile(fs::path path) : path_(std::move(path)) {}
SessionFile::SessionFile(SessionFile&&) noexcept = default;
SessionFile& SessionFile::operator=(SessionFile&&) noexcept = default;
SessionFile::~SessionFile() = default;

Result<void> SessionFile::write_new(const fs::path& path, const task::Files& task, std::string_view task_name) {
    SessionFile session{path};
    session.database_ =
        std::make_unique<SQLite::Database>(path.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE, kBusyMs);
    auto& database = *session.database_;
    database.exec("PRAGMA journal_mode = WAL");
    database.exec("PRAGMA synchronous = FULL");
    database.exec("PRAGMA foreign_keys = ON");
    if (auto ready = prepare_schema(database, path.string(), Prepare::create); !ready) return ready;
    SQLite::Transaction transaction{database};
    for (const auto& [name, text] : task) {
        SQLite::Statement insert{database, "INSERT INTO task_file VALUES (?, ?)"};
        SQLite::bind(insert, name, session.put_blob(text));
        insert.exec();
    }
    const auto set = [&](const char* key, const std::string& value) {
        SQLite::Statement insert{database, "INSERT INTO meta VALUES (?, ?)"};
        SQLite::bind(insert, key, value);
        insert.exec();
    };
    set("task", std::string{task_name});
    set("created_ms", std::to_string(now_ms()));
    set("created_by", fmt::format("Kernelwright {}", version()));
    transaction.commit();
    // What closing would do without a word about a full disk.
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    return {};
}

namespace {

/// A new session that `write` makes under another name until it is whole, so that nobody meets half a session, whatever
/// happens meanwhile.
template<class Write> Result<void> make_new(const fs::path& path, Write&& write) {
    const auto exists = [&] {
        return fail(Stage::usage, ErrorCode::invalid_input,
                    fmt::format("'{}' exists already; choose another name, or go on with it", path.string()),
                    {path.string()});
    };
    std::error_code ignored;
    if (fs::exists(path, ignored)) return exists();
    const Unfinished unfinished{path};
    if (auto written = guarded(path, "create", [&] { return write(unfinished.path()); }); !written) return written;
    if (const int reason = rename_new(unfinished.path(), path); reason == EEXIST)
        return exists();
    else if (reason != 0)
        return fail(Stage::environment, ErrorCode::internal,
                    fmt::format("cannot create '{}': {}", path.string(), std::strerror(reason)), {path.string()});
    return {};
}

} // namespace

Result<SessionFile> SessionFile::create(const fs::path& path, const task::Files& task, std::string_view task_name) {
    auto made = make_new(path, [&](const fs::path& under) { return write_new(under, task, task_name); });
    if (!made) return std::unexpected(std::move(made.error()));
    return open(path, Access::write);
}

Result<void> SessionFile::create_whole(const fs::path& path, const task::Files& task, std::string_view task_name,
                                       const std::function<Result<void>(SessionFile&)>& work) {
    return make_new(path, [&](const fs::path& under) -> Result<void> {
        if (auto begun = write_new(under, task, task_name); !begun) return begun;
        SessionFile session{under};
        session.database_ = std::make_unique<SQLite::Database>(under.string(), SQLite::OPEN_READWRITE, kBusyMs);
        auto& database = *session.database_;
        // Nobody knows this file yet: what breaks off is thrown away whole, so nothing has to be undone in it.
        database.exec("PRAGMA journal_mode = OFF");
        database.exec("PRAGMA synchronous = OFF");
        if (auto done = session.at_once([&] { return work(session); }); !done) return done;
        database.exec("PRAGMA synchronous = FULL");
        database.exec("PRAGMA journal_mode = WAL");
        session.database_.reset();
        const Descriptor file{::open(under.c_str(), O_RDONLY | O_CLOEXEC)};
        if (file.get() >= 0 && ::fsync(file.get()) == 0) return {};
        return fail(Stage::environment, ErrorCode::internal,
                    fmt::format("cannot create '{}': {}", path.string(), std::strerror(errno)), {path.string()});
    });
}

Result<SessionFile> SessionFile::copy_to(const fs::path& path) const {
    auto made = make_new(path, [&](const fs::path& under) -> Result<void> {
        SQLite::Statement copy{*database_, "VACUUM INTO ?"};
        copy.bind(1, under.string());
        copy.exec();
        SQLite::Database{under.string(), SQLite::OPEN_READWRITE, kBusyMs}.exec("PRAGMA journal_mode = WAL");
        return {};
    });
    if (!made) return std::unexpected(std::move(made.error()));
    return open(path, Access::write);
}

Result<SessionFile> SessionFile::open(const fs::path& path, Access access) {
    std::error_code ignored;
    const auto status = fs::status(path, ignored);
    if (!fs::exists(status))
        return fail(Stage::usage, ErrorCode::not_found, fmt::format("there is no session '{}'", path.string()),
                    {path.string()});
    if (!fs::is_regular_file(status))
        return fail(Stage::usage, ErrorCode::invalid_input,
                    fmt::format("'{}' is {}, not a session; a session is a file", path.string(),
                                fs::is_directory(status) ? "a folder" : "not a regular file"),
                    {path.string()});
    // SQLite takes it for a database that nothing has been written to yet.
    if (fs::file_size(path, ignored) == 0 && !ignored && !fs::exists(fs::path{path} += "-wal", ignored))
        return fail(Stage::usage, ErrorCode::invalid_input,
                    fmt::format("'{}' is an empty file, not a session; remove it to begin a session of that name",
                                path.string()),
                    {path.string()});
    return guarded(path, "open", [&]() -> Result<SessionFile> {
        SessionFile session{path};
        if (access == Access::read)
            session.database_ = open_to_read(path);
        else
            session.database_ = std::make_unique<SQLite::Database>(path.string(), SQLite::OPEN_READWRITE, kBusyMs);
        auto& database = *session.database_;
        database.exec("PRAGMA foreign_keys = ON");
        database.exec("PRAGMA synchronous = FULL");
        // Text and names in the file are somebody else's: nothing in its schema may run.
        database.exec("PRAGMA trusted_schema = OFF");
        const auto how = access == Access::read ? Prepare::look : Prepare::update;
        if (auto ready = prepare_schema(database, path.string(), how); !ready) return std::unexpected(ready.error());
        return session;
    });
}

namespace {

struct FreeCompressor {
    void operator()(ZSTD_CCtx* compressor) const { ZSTD_freeCCtx(compressor); }
};

} // namespace

std::string SessionFile::put_blob(std::string_view text) {
    if (static_cast<std::int64_t>(text.size()) > kLargestBlob)
        throw SQLite::Exception("a text is larger than 1 GiB", SQLITE_TOOBIG);
    auto sha256 = sha256_hex(text);
    SQLite::Statement known{*database_, "SELECT 1 FROM blob WHERE sha256 = ?"};
    known.bind(1, sha256);
    if (known.executeStep()) return sha256;
    std::string packed;
    if (text.size() >= kSmall) {
        packed.resize(ZSTD_compressBound(text.size()));
        // What a compressor works with is megabytes, more work to make than most texts are to compress.
        thread_local const std::unique_ptr<ZSTD_CCtx, FreeCompressor> compressor{ZSTD_createCCtx()};
        if (!compressor) throw std::bad_alloc{};
        const auto size = ZSTD_compressCCtx(compressor.get(), packed.data(), packed.size(), text.data(), text.size(),
                                            ZSTD_CLEVEL_DEFAULT);
        packed.resize(ZSTD_isError(size) || size >= text.size() ? 0 : size);
    }
    const bool compressed = !packed.empty();
    const std::string_view bytes = compressed ? std::string_view{packed} : text;
    SQLite::Statement insert{*database_, "INSERT INTO blob VALUES (?, ?, ?, ?)"};
    insert.bind(1, sha256);
    insert.bind(2, static_cast<std::int64_t>(text.size()));
    insert.bind(3, static_cast<int>(compressed));
    // A null pointer would be NULL, which no blob is.
    insert.bind(4, bytes.empty() ? "" : bytes.data(), static_cast<int>(bytes.size()));
    insert.exec();
    return sha256;
}

Result<std::string> SessionFile::blob(const std::string& sha256) const {
    const auto damaged = [&] {
        return fail(Stage::environment, ErrorCode::invalid_input,
                    fmt::format("'{}' is damaged: a text of it is missing or is not what was written", path_.string()),
                    {path_.string()});
    };
    SQLite::Statement query{*database_, "SELECT size, compressed, bytes FROM blob WHERE sha256 = ?"};
    query.bind(1, sha256);
    if (!query.executeStep()) return damaged();
    const auto size = query.getColumn(0).getInt64();
    const bool compressed = query.getColumn(1).getInt() != 0;
    const auto column = query.getColumn(2);
    if (size < 0 || size > kLargestBlob) return damaged();
    const std::string_view bytes{static_cast<const char*>(column.getBlob()),
                                 static_cast<std::size_t>(column.getBytes())};
    std::string text;
    if (compressed) {
        text.resize(static_cast<std::size_t>(size));
        const auto got = ZSTD_decompress(text.data(), text.size(), bytes.data(), bytes.size());
        if (ZSTD_isError(got) || got != text.size()) return damaged();
    } else {
        text = bytes;
    }
    if (sha256_hex(text) != sha256) return damaged();
    return text;
}

Result<StepId> SessionFile::add(Step step) {
    return guarded(path_, "write", [&]() -> Result<StepId> {
        auto& database = *database_;
        std::string before;
        if (at_once_ && last_ && last_->first == step.summary.parent) {
            before = last_->second;
        } else if (step.summary.parent) {
            SQLite::Statement query{database, "SELECT source FROM step WHERE id = ?"};
            query.bind(1, *step.summary.parent);
            if (!query.executeStep())
                return fail(Stage::usage, ErrorCode::not_found,
                            fmt::format("the session has no step {} to go on from", *step.summary.parent));
            auto text = blob(query.getColumn(0).getString());
            if (!text) return std::unexpected(text.error());
            before = std::move(*text);
        }
        summarize_evaluation(step);
        const auto changed = changed_lines(before, step.source);
        const auto& facts = step.summary;

        std::optional<SQLite::Transaction> transaction;
        if (!at_once_) transaction.emplace(database, SQLite::TransactionBehavior::IMMEDIATE);
        const auto source = put_blob(step.source);
        std::optional<std::string> evaluation;
        if (step.evaluation)
            evaluation = put_blob(step.evaluation->dump(-1, ' ', false, Json::error_handler_t::replace));
        SQLite::Statement insert{database, "INSERT INTO step VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, "
                                           "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"};
        int at = 0;
        bind_optional(insert, ++at, facts.parent);
        insert.bind(++at, facts.driver);
        insert.bind(++at, facts.title);
        insert.bind(++at, step.thought);
        insert.bind(++at, step.file);
        insert.bind(++at, source);
        insert.bind(++at, step.configuration.dump());
        bind_optional(insert, ++at, evaluation);
        bind_optional(insert, ++at, facts.correct ? std::optional<int>{*facts.correct} : std::nullopt);
        bind_optional(insert, ++at, facts.reward);
        bind_optional(insert, ++at, facts.speedup);
        bind_optional(insert, ++at, facts.median_us);
        insert.bind(++at, static_cast<int>(facts.estimated));
        insert.bind(++at, facts.because);
        insert.bind(++at, changed.added);
        insert.bind(++at, changed.removed);
        insert.bind(++at, facts.usage.prompt_tokens);
        insert.bind(++at, facts.usage.cached_tokens);
        insert.bind(++at, facts.usage.completion_tokens);
        insert.bind(++at, facts.usage.reasoning_tokens);
        insert.bind(++at, facts.usage.cost_usd.value_or(kUnknownCost));
        insert.bind(++at, facts.started_ms ? facts.started_ms : now_ms());
        insert.bind(++at, facts.ended_ms ? facts.ended_ms : now_ms());
        insert.bind(++at, facts.findings);
        insert.bind(++at, facts.finding_severity);
        insert.exec();
        const StepId id = database.getLastInsertRowid();
        write_conversation(database, id, step);
        if (transaction) transaction->commit();
        if (at_once_) last_.emplace(id, std::move(step.source));
        return id;
    });
}

Result<void> SessionFile::set_evaluation(StepId id, const Json& evaluation) {
    return guarded(path_, "write", [&]() -> Result<void> {
        Step step;
        step.evaluation = evaluation;
        summarize_evaluation(step);
        std::optional<SQLite::Transaction> transaction;
        if (!at_once_) transaction.emplace(*database_, SQLite::TransactionBehavior::IMMEDIATE);
        SQLite::Statement update{*database_, "UPDATE step SET evaluation = ?, correct = ?, reward = ?, speedup = ?, "
                                             "median_us = ?, estimated = ?, because = ?, findings = ?, "
                                             "finding_severity = ? WHERE id = ?"};
        update.bind(1, put_blob(evaluation.dump(-1, ' ', false, Json::error_handler_t::replace)));
        bind_optional(update, 2, step.summary.correct ? std::optional<int>{*step.summary.correct} : std::nullopt);
        bind_optional(update, 3, step.summary.reward);
        bind_optional(update, 4, step.summary.speedup);
        bind_optional(update, 5, step.summary.median_us);
        update.bind(6, static_cast<int>(step.summary.estimated));
        update.bind(7, step.summary.because);
        update.bind(8, step.summary.findings);
        update.bind(9, step.summary.finding_severity);
        update.bind(10, id);
        if (update.exec() != 1)
            return fail(Stage::usage, ErrorCode::not_found, fmt::format("the session has no step {}", id));
        if (transaction) transaction->commit();
        return {};
    });
}

Result<void> SessionFile::decide(const Decision& decision) {
    return guarded(path_, "write", [&]() -> Result<void> {
        SQLite::Statement insert{*database_, "INSERT INTO decision VALUES (NULL, ?, ?, ?, ?, ?, ?, ?, ?, ?)"};
        SQLite::bind(insert, decision.step, decision.hunk, decision.action, decision.reason,
                     decision.time_ms ? decision.time_ms : now_ms(), decision.first_line, decision.lines);
        bind_optional(insert, 8, decision.removed);
        insert.bind(9, decision.made_by);
        insert.exec();
        return {};
    });
}

Result<void> SessionFile::at_once(const std::function<Result<void>()>& work) {
    return guarded(path_, "write", [&]() -> Result<void> {
        // In KiB: pages that find no room are written before the end, and read and written again.
        database_->exec("PRAGMA cache_size = -65536");
        SQLite::Transaction transaction{*database_, SQLite::TransactionBehavior::IMMEDIATE};
        at_once_ = true;
        auto done = work();
        at_once_ = false;
        last_.reset();
        if (done) transaction.commit();
        return done;
    });
}

Result<std::vector<StepSummary>> SessionFile::steps() const {
    return guarded(path_, "read", [&]() -> Result<std::vector<StepSummary>> {
        std::vector<StepSummary> steps;
        SQLite::Statement query{*database_, fmt::format("SELECT {} FROM step ORDER BY id", kSummaryColumns)};
        while (query.executeStep()) steps.push_back(read_summary(query));
        return steps;
    });
}

Result<Step> SessionFile::step(StepId id) const {
    return guarded(path_, "read", [&]() -> Result<Step> {
        SQLite::Statement query{
            *database_,
            fmt::format("SELECT {}, thought, file, configuration, evaluation FROM step WHERE id = ?", kSummaryColumns)};
        query.bind(1, id);
        if (!query.executeStep())
            return fail(Stage::usage, ErrorCode::not_found,
                        fmt::format("the session '{}' has no step {}", path_.string(), id));
        Step step;
        step.summary = read_summary(query);
        step.thought = query.getColumn(kAfterSummary).getString();
        step.file = query.getColumn(kAfterSummary + 1).getString();
        step.configuration = parse_json(query.getColumn(kAfterSummary + 2).getString());
        auto source = blob(step.summary.source_sha256);
        if (!source) return std::unexpected(source.error());
        step.source = std::move(*source);
        if (const auto column = query.getColumn(kAfterSummary + 3); !column.isNull()) {
            const auto text = blob(column.getString());
            if (!text) return std::unexpected(text.error());
            step.evaluation = parse_json(*text);
        }
        read_conversation(*database_, id, step);
        return step;
    });
}

Result<SessionFile::Conversation> SessionFile::conversation(StepId id) const {
    return guarded(path_, "read", [&]() -> Result<Conversation> {
        Conversation conversation;
        read_conversation(*database_, id, conversation);
        return conversation;
    });
}

Result<std::vector<Decision>> SessionFile::decisions() const {
    return guarded(path_, "read", [&]() -> Result<std::vector<Decision>> {
        std::vector<Decision> decisions;
        SQLite::Statement query{*database_, "SELECT step, hunk, action, reason, time_ms, first_line, lines, removed, "
                                            "made_by FROM decision ORDER BY id"};
        while (query.executeStep()) {
            const auto removed = query.getColumn(7);
            decisions.push_back({.step = query.getColumn(0).getInt64(),
                                 .hunk = query.getColumn(1).getString(),
                                 .action = query.getColumn(2).getString(),
                                 .reason = query.getColumn(3).getString(),
                                 .time_ms = query.getColumn(4).getInt64(),
                                 .first_line = query.getColumn(5).getInt64(),
                                 .lines = query.getColumn(6).getInt64(),
                                 .removed = removed.isNull() ? std::nullopt : std::optional{removed.getString()},
                                 .made_by = query.getColumn(8).getString()});
        }
        return decisions;
    });
}

Result<std::int64_t> SessionFile::data_version() const {
    return guarded(path_, "read",
                   [&]() -> Result<std::int64_t> { return database_->execAndGet("PRAGMA data_version").getInt64(); });
}

Result<std::optional<StepId>> SessionFile::best() const {
    return guarded(path_, "read", [&]() -> Result<std::optional<StepId>> {
        SQLite::Statement query{*database_, "SELECT id FROM step WHERE correct = 1 "
                                            "ORDER BY reward DESC, speedup DESC NULLS LAST, id LIMIT 1"};
        if (!query.executeStep()) return std::nullopt;
        return query.getColumn(0).getInt64();
    });
}

Result<task::Files> SessionFile::task_files() const {
    return guarded(path_, "read", [&]() -> Result<task::Files> {
        task::Files files;
        SQLite::Statement query{*database_, "SELECT path, sha256 FROM task_file"};
        while (query.executeStep()) {
            auto text = blob(query.getColumn(1).getString());
            if (!text) return std::unexpected(text.error());
            files[query.getColumn(0).getString()] = std::move(*text);
        }
        return files;
    });
}

Result<task::Files> SessionFile::first_sources() const {
    return guarded(path_, "read", [&]() -> Result<task::Files> {
        task::Files files;
        SQLite::Statement query{*database_, "SELECT file, source, min(id) FROM step WHERE file != '' GROUP BY file"};
        while (query.executeStep()) {
            auto text = blob(query.getColumn(1).getString());
            if (!text) return std::unexpected(text.error());
            files[query.getColumn(0).getString()] = std::move(*text);
        }
        return files;
    });
}

Result<std::string> SessionFile::task_name() const { return meta("task"); }

Result<std::string> SessionFile::meta(const std::string& key) const {
    return guarded(path_, "read", [&]() -> Result<std::string> {
        SQLite::Statement query{*database_, "SELECT value FROM meta WHERE key = ?"};
        query.bind(1, key);
        return query.executeStep() ? query.getColumn(0).getString() : std::string{};
    });
}

Result<std::map<std::string, std::string>> SessionFile::metas(std::string_view prefix) const {
    return guarded(path_, "read", [&]() -> Result<std::map<std::string, std::string>> {
        SQLite::Statement query{*database_, "SELECT key, value FROM meta WHERE substr(key, 1, ?) = ?"};
        query.bind(1, static_cast<std::int64_t>(prefix.size())); // characters: prefixes are ASCII
        query.bind(2, std::string{prefix});
        std::map<std::string, std::string> found;
        while (query.executeStep())
            found.emplace(query.getColumn(0).getString().substr(prefix.size()), query.getColumn(1).getString());
        return found;
    });
}

Result<void> SessionFile::set_meta(const std::string& key, std::string_view value) {
    return guarded(path_, "write", [&]() -> Result<void> {
        if (value.empty()) {
            SQLite::Statement remove{*database_, "DELETE FROM meta WHERE key = ?"};
            remove.bind(1, key);
            remove.exec();
            return {};
        }
        SQLite::Statement insert{
            *database_, "INSERT INTO meta VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"};
        SQLite::bind(insert, key, std::string{value});
        insert.exec();
        return {};
    });
}

} // namespace kw::trajectory
