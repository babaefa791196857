#include "engine/timeline/nsys.h"

#include <SQLiteCpp/SQLiteCpp.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>

namespace kw::timeline {
namespace {

/// Process, thread and device numbers are packed into one by Nsight Systems: 24 bits of thread, 24 of process.
constexpr std::int64_t kIdBits = 24;
constexpr std::int64_t kIdMask = (std::int64_t{1} << kIdBits) - 1;

/// Tables of which events come. Numbers are kept in origins.
enum class Table : std::uint32_t { kernel, memcpy, memset, synchronization, runtime, nvtx, overhead };
constexpr std::array<const char*, 7> kTables{"CUPTI_ACTIVITY_KIND_KERNEL",
                                             "CUPTI_ACTIVITY_KIND_MEMCPY",
                                             "CUPTI_ACTIVITY_KIND_MEMSET",
                                             "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
                                             "CUPTI_ACTIVITY_KIND_RUNTIME",
                                             "NVTX_EVENTS",
                                             "PROFILER_OVERHEAD"};
constexpr const char* name_of(Table table) { return kTables[static_cast<std::size_t>(table)]; }
constexpr int kTableShift = 56; // of an origin; below it the row's number

std::unexpected<Error> refused(std::string_view why) {
    return fail(Stage::profile, ErrorCode::invalid_input, std::string(why));
}

class Details : public DetailSource {
public:
    explicit Details(const std::filesystem::path& path) : database_(path.string(), SQLite::OPEN_READONLY) {}

    Result<std::vector<Detail>> details(std::uint64_t origin) override {
        std::vector<Detail> found;
        try {
            const auto table = static_cast<std::size_t>(origin >> kTableShift);
            SQLite::Statement row(database_, fmt::format("SELECT * FROM {} WHERE rowid = ?", kTables.at(table)));
            row.bind(1, static_cast<std::int64_t>(origin & ((std::uint64_t{1} << kTableShift) - 1)));
            if (!row.executeStep()) return refused("the row is gone; open the trace again, it has changed on disk");
            const std::set<std::string_view> elsewhere{"start", "end", "globalTid", "globalPid", "eventType"};
            for (int i = 0; i < row.getColumnCount(); ++i) {
                const std::string name = row.getColumnName(i);
                if (row.isColumnNull(i) || elsewhere.contains(name)) continue;
                found.push_back({name, row.getColumn(i).getString()});
                if (name == "mangledName" || name == "demangledName" || name == "shortName" || name == "nameId"
                    || name == "textId")
                    found.back().value = text(row.getColumn(i).getInt64());
            }
        } catch (const std::exception& error) {
            return refused(error.what());
        }
        return found;
    }

private:
    std::string text(std::int64_t id) {
        SQLite::Statement row(database_, "SELECT value FROM StringIds WHERE id = ?");
        row.bind(1, id);
        return row.executeStep() ? row.getColumn(0).getString() : std::to_string(id);
    }
    SQLite::Database database_;
};

class Reader {
public:
    Reader(const std::filesystem::path& path, std::stop_token stop, const Progress& progress)
        : path_(path), database_(path.string(), SQLite::OPEN_READONLY), stop_(std::move(stop)), progress_(progress) {}

    Result<std::shared_ptr<const Store>> read() {
        read_tables();
        if (std::ranges::none_of(kTables, [&](const char* t) { return has(t); }))
            return refused("the database holds no events of Nsight Systems; export the report with `nsys export --type "
                           "sqlite`");
        read_strings();
        read_labels();
        using Step = void (Reader::*)();
        constexpr std::array<Step, 5> kSteps{&Reader::read_device, &Reader::read_runtime, &Reader::read_nvtx,
                                             &Reader::read_overhead, &Reader::read_metrics};
        for (std::size_t i = 0; i < kSteps.size(); ++i) {
            if (stop_.stop_requested()) break;
            (this->*kSteps[i])();
            if (progress_) progress_(0.8 * static_cast<double>(i + 1) / kSteps.size());
        }
        if (stop_.stop_requested()) return fail(Stage::profile, ErrorCode::cancelled, "opening the trace was stopped");
        flush();
        if (left_out_ > 0)
            builder_.warn(fmt::format("{} events have no usable start or end and are left out", left_out_));
        if (negative_ > 0)
            builder_.warn(fmt::format("{} events end before they start and are shown as instants", negative_));
        builder_.set_details(std::make_shared<Details>(path_));
        return builder_.finish(stop_, progress_);
    }

private:
    using Columns = std::set<std::string, std::less<>>;

    void read_tables() {
        SQLite::Statement tables(database_, "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')");
        while (tables.executeStep()) {
            const std::string table = tables.getColumn(0).getString();
            Columns& columns = columns_[table];
            SQLite::Statement of_table(database_, "SELECT name FROM pragma_table_info(?)");
            of_table.bind(1, table);
            while (of_table.executeStep()) columns.insert(of_table.getColumn(0).getString());
        }
    }
    [[nodiscard]] bool has(std::string_view table) const { return columns_.contains(table); }
    [[nodiscard]] bool has(std::string_view table, std::string_view column) const {
        const auto found = columns_.find(table);
        return found != columns_.end() && found->second.contains(column);
    }
    /// The first of these columns that the table has, else NULL.
    [[nodiscard]] std::string any(std::string_view table, std::initializer_list<const char*> names) const {
        for (const char* name : names)
            if (has(table, name)) return fmt::format("\"{}\"", name);
        return "NULL";
    }

    void read_strings() {
        if (!has("StringIds", "value")) return;
        SQLite::Statement rows(database_, "SELECT id, value FROM StringIds");
        while (rows.executeStep()) strings_[rows.getColumn(0).getInt64()] = rows.getColumn(1).getString();
    }
    [[nodiscard]] std::string_view text(std::int64_t id) const {
        const auto found = strings_.find(id);
        return found == strings_.end() ? std::string_view{} : found->second;
    }

    void read_labels() {
        if (has("PROCESSES", "globalPid") && has("PROCESSES", "name")) {
            SQLite::Statement rows(database_, "SELECT globalPid, name FROM PROCESSES");
            while (rows.executeStep())
                process_names_[(rows.getColumn(0).getInt64() >> kIdBits) & kIdMask] = rows.getColumn(1).getString();
        }
        if (has("ThreadNames", "globalTid") && has("ThreadNames", "nameId")) {
            SQLite::Statement rows(database_, "SELECT globalTid, nameId FROM ThreadNames");
            while (rows.executeStep()) thread_names_[rows.getColumn(0).getInt64()] = text(rows.getColumn(1).getInt64());
        }
        if (has("TARGET_INFO_GPU", "id") && has("TARGET_INFO_GPU", "name")) {
            SQLite::Statement rows(database_, "SELECT id, name FROM TARGET_INFO_GPU");
            while (rows.executeStep()) device_names_[rows.getColumn(0).getInt64()] = rows.getColumn(1).getString();
        }
        if (has("TARGET_INFO_SESSION_START_TIME", "utcEpochNs")) {
            SQLite::Statement rows(database_, "SELECT utcEpochNs FROM TARGET_INFO_SESSION_START_TIME");
            if (rows.executeStep() && rows.getColumn(0).getInt64() > 0)
                builder_.set_epoch(rows.getColumn(0).getInt64());
        }
        if (has("ENUM_CUDA_MEMCPY_OPER", "label")) {
            SQLite::Statement rows(database_, "SELECT id, label FROM ENUM_CUDA_MEMCPY_OPER");
            while (rows.executeStep()) copy_kinds_[rows.getColumn(0).getInt64()] = rows.getColumn(1).getString();
        }
    }

    Shard& shard() { return builder_.shard(); }

    std::uint32_t thread_lane(std::int64_t global_tid) {
        const std::int64_t process = (global_tid >> kIdBits) & kIdMask, thread = global_tid & kIdMask;
        const std::string group = fmt::format("process {}", process), lane = fmt::format("thread {}", thread);
        const std::uint32_t number = shard().lane(group, lane);
        if (seen_.insert(number).second) {
            const auto process_name = process_names_.find(process);
            if (process_name != process_names_.end())
                builder_.label_group(group, fmt::format("{} {}", process_name->second, process));
            const auto thread_name = thread_names_.find(global_tid);
            if (thread_name != thread_names_.end() && !thread_name->second.empty())
                builder_.label_lane(group, lane, fmt::format("{} {}", thread_name->second, thread));
        }
        return number;
    }
    std::string device_group(std::int64_t device) {
        const std::string group = fmt::format("device {}", device);
        builder_.order_group(group, 1);
        const auto name = device_names_.find(device);
        builder_.label_group(group, name == device_names_.end() ? fmt::format("GPU {}", device)
                                                                : fmt::format("GPU {}: {}", device, name->second));
        return group;
    }
    std::uint32_t stream_lane(std::int64_t device, std::int64_t context, std::int64_t stream) {
        const auto [found, is_new] = streams_.try_emplace({device, context, stream}, 0);
        if (is_new) {
            contexts_.insert({device, context});
            const std::string lane = contexts_.size() > 1 ? fmt::format("context {} stream {}", context, stream)
                                                          : fmt::format("stream {}", stream);
            found->second = shard().lane(device_group(device), lane);
        }
        return found->second;
    }

    /// `end` before `start` is an instant; one that is missing too.
    void add(Table table, SQLite::Statement& row, std::uint32_t lane, std::string_view name,
             std::string_view category) {
        const SQLite::Column start = row.getColumn(1), end = row.getColumn(2);
        if (!start.isInteger() || start.getInt64() < kEarliest || start.getInt64() > kLatest) {
            ++left_out_;
            return;
        }
        Ns duration = 0;
        if (end.isInteger()) {
            if (end.getInt64() < start.getInt64())
                ++negative_;
            else
                duration = static_cast<Ns>(
                    std::min(static_cast<std::uint64_t>(kLongest), static_cast<std::uint64_t>(end.getInt64())
                                                                       - static_cast<std::uint64_t>(start.getInt64())));
        }
        const auto id = static_cast<std::uint64_t>(row.getColumn(0).getInt64());
        const std::uint64_t origin = (static_cast<std::uint64_t>(table) << kTableShift) | id;
        constexpr std::size_t kBatch = 1 << 16;
        // What an event adds to its batch's origin has 32 bits.
        if (batch_.events.size() >= kBatch || origin < batch_.origin || origin - batch_.origin > UINT32_MAX) flush();
        if (batch_.events.empty() && batch_.flows.empty()) batch_.origin = origin;
        batch_.events.push_back({.start = start.getInt64(),
                                 .duration = duration,
                                 .name = shard().name(name),
                                 .origin = static_cast<std::uint32_t>(origin - batch_.origin),
                                 .lane = lane,
                                 .category = shard().category(category),
                                 .phase = Phase::complete});
    }
    void flow(RawFlow::Kind kind, std::int64_t process, std::int64_t correlation, Ns at, std::uint32_t lane) {
        if (correlation == 0 || at < kEarliest || at > kLatest) return;
        batch_.flows.push_back(
            {.kind = kind,
             .chain = (static_cast<std::uint64_t>(process) << 32) ^ static_cast<std::uint64_t>(correlation),
             .at = at,
             .lane = lane});
    }
    void flush() {
        batch_.sort_by_lane(shard().lanes());
        builder_.commit(std::move(batch_));
        batch_ = {};
    }

    void read_device() {
        for (const Table table : {Table::kernel, Table::memcpy, Table::memset, Table::synchronization}) {
            const char* name = name_of(table);
            if (!has(name, "start") || !has(name, "end")) continue;
            const std::string label = table == Table::kernel ? any(name, {"demangledName", "shortName", "mangledName"})
                                      : table == Table::memcpy ? any(name, {"copyKind"})
                                                               : "NULL";
            SQLite::Statement row(database_, fmt::format("SELECT rowid, start, \"end\", {}, {}, {}, {}, {}, {} FROM {}",
                                                         any(name, {"deviceId"}), any(name, {"contextId"}),
                                                         any(name, {"streamId"}), any(name, {"correlationId"}),
                                                         any(name, {"globalPid"}), label, name));
            while (!stop_.stop_requested() && row.executeStep()) {
                const std::uint32_t lane =
                    stream_lane(row.getColumn(3).getInt64(), row.getColumn(4).getInt64(), row.getColumn(5).getInt64());
                const std::int64_t value = row.getColumn(8).getInt64();
                std::string copy;
                if (table == Table::memcpy) {
                    const auto kind = copy_kinds_.find(value);
                    copy = kind == copy_kinds_.end() ? "copy" : fmt::format("copy {}", kind->second);
                }
                switch (table) {
                case Table::kernel: add(table, row, lane, text(value), "kernel"); break;
                case Table::memcpy: add(table, row, lane, copy, "copy"); break;
                case Table::memset: add(table, row, lane, "memset", "memset"); break;
                default: add(table, row, lane, "synchronization", "synchronization"); break;
                }
                if (table != Table::synchronization)
                    flow(RawFlow::Kind::finish, (row.getColumn(7).getInt64() >> kIdBits) & kIdMask,
                         row.getColumn(6).getInt64(), row.getColumn(1).getInt64(), lane);
            }
        }
    }

    void read_runtime() {
        const char* name = name_of(Table::runtime);
        if (!has(name, "start") || !has(name, "globalTid")) return;
        SQLite::Statement row(database_, fmt::format("SELECT rowid, start, \"end\", globalTid, {}, {} FROM {}",
                                                     any(name, {"correlationId"}), any(name, {"nameId"}), name));
        while (!stop_.stop_requested() && row.executeStep()) {
            const std::int64_t global_tid = row.getColumn(3).getInt64();
            const std::uint32_t lane = thread_lane(global_tid);
            add(Table::runtime, row, lane, text(row.getColumn(5).getInt64()), "CUDA call");
            flow(RawFlow::Kind::start, (global_tid >> kIdBits) & kIdMask, row.getColumn(4).getInt64(),
                 row.getColumn(1).getInt64(), lane);
        }
    }

    void read_nvtx() {
        const char* name = name_of(Table::nvtx);
        if (!has(name, "start") || !has(name, "globalTid")) return;
        // Domains, categories and names of threads are in this table too; they have no place in time.
        const std::string kinds = has(name, "eventType") ? " WHERE eventType IN (34, 59, 60, 65, 70, 71)" : "";
        SQLite::Statement row(database_, fmt::format("SELECT rowid, start, \"end\", globalTid, {}, {} FROM {}{}",
                                                     any(name, {"text"}), any(name, {"textId"}), name, kinds));
        while (!stop_.stop_requested() && row.executeStep()) {
            const std::string own = row.getColumn(4).getString();
            add(Table::nvtx, row, thread_lane(row.getColumn(3).getInt64()),
                own.empty() ? text(row.getColumn(5).getInt64()) : std::string_view(own), "NVTX");
        }
    }

    void read_overhead() {
        const char* name = name_of(Table::overhead);
        if (!has(name, "start") || !has(name, "globalTid")) return;
        SQLite::Statement row(
            database_, fmt::format("SELECT rowid, start, \"end\", globalTid, {} FROM {}", any(name, {"nameId"}), name));
        while (!stop_.stop_requested() && row.executeStep()) {
            const std::int64_t global_tid = row.getColumn(3).getInt64();
            const std::string group = fmt::format("process {}", (global_tid >> kIdBits) & kIdMask);
            const std::uint32_t lane = shard().lane(group, "profiler overhead");
            builder_.order_lane(group, "profiler overhead", 1);
            add(Table::overhead, row, lane, text(row.getColumn(4).getInt64()), "overhead");
        }
    }

    void read_metrics() {
        if (!has("GPU_METRICS", "timestamp") || !has("GPU_METRICS", "value")) return;
        std::map<std::pair<std::int64_t, std::int64_t>, std::string> names;
        if (has("TARGET_INFO_GPU_METRICS", "metricName")) {
            SQLite::Statement rows(database_, "SELECT typeId, metricId, metricName FROM TARGET_INFO_GPU_METRICS");
            while (rows.executeStep())
                names[{rows.getColumn(0).getInt64(), rows.getColumn(1).getInt64()}] = rows.getColumn(2).getString();
        }
        SQLite::Statement row(database_, "SELECT timestamp, typeId, metricId, value FROM GPU_METRICS");
        while (!stop_.stop_requested() && row.executeStep()) {
            const Ns at = row.getColumn(0).getInt64();
            const std::int64_t type = row.getColumn(1).getInt64(), metric = row.getColumn(2).getInt64();
            if (at < kEarliest || at > kLatest) {
                ++left_out_;
                continue;
            }
            const auto name = names.find({type, metric});
            const std::string counter = name == names.end() ? fmt::format("metric {}", metric) : name->second;
            constexpr std::int64_t kDeviceMask = 0xff; // a type names a device in its lowest byte
            batch_.samples.push_back(
                {at, row.getColumn(3).getDouble(), shard().series(device_group(type & kDeviceMask), counter, counter)});
        }
    }

    std::filesystem::path path_;
    SQLite::Database database_;
    std::stop_token stop_;
    const Progress& progress_;
    Builder builder_;
    Batch batch_;
    std::map<std::string, Columns, std::less<>> columns_;
    std::unordered_map<std::int64_t, std::string> strings_;
    std::map<std::int64_t, std::string> process_names_, device_names_, copy_kinds_, thread_names_;
    std::map<std::array<std::int64_t, 3>, std::uint32_t> streams_;
    std::set<std::pair<std::int64_t, std::int64_t>> contexts_;
    std::set<std::uint32_t> seen_;
    std::uint64_t left_out_ = 0;
    std::uint64_t negative_ = 0;
};

} // namespace

Result<std::shared_ptr<const Store>> read_nsys(const std::filesystem::path& path, std::stop_token stop,
                                               const Progress& progress) {
    try {
        return Reader(path, std::move(stop), progress).read();
    } catch (const SQLite::Exception& error) {
        return refused(fmt::format("the database cannot be read ({}); export the report again", error.what()));
    }
}

} // namespace kw::timeline
