#include "app/desktop/session_store.h"

#include "agent/trajectory/lesson.h"
#include "app/desktop/alive_mark.h"
#include "app/desktop/settings.h"

#include <QTimer>

#include <utility>

namespace kw::desktop {
namespace {

using trajectory::SessionFile;

/// Between two tries to write a step; each waits for SessionFile::kBusyMs itself.
constexpr int kAgainMs = 200;

/// Then the mark of the window that it was typed in, a slash, and the file.
const std::string kDraft = "draft:";

std::string to_text(const Draft& draft) {
    return Json{{"text", draft.text}, {"time_ms", draft.time_ms}}.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<Draft> draft_from(const std::string& text) {
    const auto json = Json::parse(text, nullptr, false);
    if (!json.is_object() || !json.contains("text") || !json["text"].is_string()) return std::nullopt;
    const auto time = json.find("time_ms");
    return Draft{json["text"].get<std::string>(),
                 time != json.end() && time->is_number_integer() ? time->get<std::int64_t>() : std::int64_t{0}};
}

std::filesystem::path marks_folder() { return data_folder() / "windows"; }

/// The latest of each file that no living window holds. Nothing is moved: a window keeps its own elsewhere, and what is
/// offered stays until it has been answered.
Result<std::map<std::string, Draft, std::less<>>> drafts_in(const SessionFile& session) {
    auto kept = session.metas(kDraft);
    if (!kept) return std::unexpected(std::move(kept.error()));
    std::map<std::string, Draft, std::less<>> drafts;
    for (const auto& [name, text] : *kept) {
        const auto slash = name.find('/');
        if (slash == name.npos || AliveMark::alive(marks_folder(), name.substr(0, slash))) continue;
        auto draft = draft_from(text);
        if (!draft) continue;
        draft->kept_as = name;
        auto& latest = drafts[name.substr(slash + 1)];
        if (latest.kept_as.empty() || latest.time_ms < draft->time_ms) latest = std::move(*draft);
    }
    return drafts;
}

/// A name and a file to look at, where what others recorded has no task.
Result<task::Task> traced_task(const SessionFile& session, OpenedSession& opened) {
    opened.trace = true;
    auto sources = session.first_sources();
    if (!sources) return std::unexpected(std::move(sources.error()));
    opened.files = std::move(*sources);
    auto name = session.task_name();
    if (!name) return std::unexpected(std::move(name.error()));
    task::Task task;
    task.name = task.title = *name;
    if (!opened.files.empty()) task.kernel = opened.files.begin()->first;
    return task;
}

/// `files` and `task` are the folder's where there is one, else the session's own.
Result<OpenedSession> contents_of(SessionFile& session, task::Files files, std::optional<task::Task> task,
                                  bool read_only) {
    OpenedSession opened{.path = session.path(),
                         .files = std::move(files),
                         .task = {},
                         .steps = {},
                         .drafts = {},
                         .of_folder = task.has_value(),
                         .read_only = read_only};
    if (!task) {
        auto own = session.task_files();
        if (!own) return std::unexpected(std::move(own.error()));
        opened.files = std::move(*own);
        auto parsed = opened.files.empty() ? traced_task(session, opened) : task::parse_task(opened.files);
        if (!parsed) return std::unexpected(std::move(parsed.error()));
        task = std::move(*parsed);
    }
    opened.task = std::move(*task);
    auto steps = session.steps();
    if (!steps) return std::unexpected(std::move(steps.error()));
    opened.steps = std::move(*steps);
    auto lesson = session.meta(std::string(trajectory::kLessonMeta));
    if (!lesson) return std::unexpected(std::move(lesson.error()));
    opened.lesson = std::move(*lesson);
    auto drafts = drafts_in(session);
    if (!drafts) return std::unexpected(std::move(drafts.error()));
    opened.drafts = std::move(*drafts);
    return opened;
}

Result<SessionFile> open_or_create(const std::filesystem::path& path, const task::Files& files,
                                   const std::string& name) {
    std::error_code error;
    std::filesystem::create_directories(path.parent_path(), error);
    if (!std::filesystem::exists(path, error)) {
        auto created = SessionFile::create(path, files, name);
        // It may have been made by another window meanwhile.
        if (created || !std::filesystem::exists(path, error)) return created;
    }
    return SessionFile::open(path, SessionFile::Access::write);
}

} // namespace

bool only_window() { return AliveMark::count(marks_folder()) <= 1; }

StepRecord read_step(trajectory::Step step) {
    StepRecord record{.step = std::move(step), .evaluation = {}, .report = {}};
    if (!record.step.evaluation) return record;
    if (auto evaluation = pipeline::evaluation_from_json(*record.step.evaluation)) {
        record.evaluation = std::move(*evaluation);
        if (record.evaluation->profile)
            if (auto report = profile::report_from_json(*record.evaluation->profile))
                record.report = std::move(*report);
    }
    return record;
}

/// What runs in the store's thread.
class SessionStore::Disk : public QObject {
public:
    explicit Disk(SessionStore* store) : store_(store), timer_(this), again_(this) {
        again_.setSingleShot(true);
        connect(&again_, &QTimer::timeout, this, &Disk::add_waiting);
        timer_.setInterval(kLookMs);
        connect(&timer_, &QTimer::timeout, this, &Disk::look);
    }

    void open(const std::filesystem::path& path, task::Files files, task::Task task, quint64 epoch) {
        leave();
        session_.reset();
        mark_.emplace(marks_folder());
        epoch_ = epoch;
        read_only_ = false;
        auto session = open_or_create(path, files, task.name);
        if (!session) return tell(&SessionStore::open_failed, session.error());
        auto contents = contents_of(*session, std::move(files), std::move(task), false);
        if (!contents) return tell(&SessionStore::open_failed, contents.error());
        session_ = std::move(*session);
        begin_to_look();
        tell(&SessionStore::opened, std::make_shared<const OpenedSession>(std::move(*contents)));
    }

    void open_existing(const std::filesystem::path& path, quint64 epoch) {
        auto session = SessionFile::open(path, SessionFile::Access::write);
        // Where it may not be written it can still be looked at.
        const bool read_only = !session;
        if (read_only) session = SessionFile::open(path, SessionFile::Access::read);
        auto contents = session ? contents_of(*session, {}, {}, read_only) : std::unexpected(session.error());
        QMetaObject::invokeMethod(
            store_,
            [store = store_, epoch, result = contents ? std::make_shared<const OpenedSession>(*contents) : nullptr,
             error = contents ? Error{} : contents.error()] {
                if (epoch < store->epoch_) return; // something else was opened meanwhile
                if (!result) {
                    Q_EMIT store->open_failed(error);
                    return;
                }
                store->epoch_ = epoch;
                Q_EMIT store->opened(result);
            },
            Qt::QueuedConnection);
        if (!contents) return;
        leave();
        session_ = std::move(*session);
        mark_.emplace(marks_folder());
        read_only_ = read_only;
        epoch_ = epoch;
        begin_to_look();
    }

    /// Where others write for long, a step waits here: what was found out about it is not lost.

    void add(const trajectory::Step& step) {
        if (!session_ || read_only_)
            return tell(&SessionStore::add_failed,
                        Error{Stage::environment, ErrorCode::unsupported,
                              session_ ? "the session may only be read, so the step is not kept"
                                       : "no session could be opened, so the step is not kept"});
        const auto id = session_->add(step);
        if (!id && id.error().code == ErrorCode::timeout && !leaving_) {
            tell(&SessionStore::add_waits, id.error());
            waiting_ = step;
            again_.start(kAgainMs);
            return;
        }
        if (!id) return tell(&SessionStore::add_failed, id.error());
        auto added = session_->step(*id);
        if (added)
            tell(&SessionStore::added, std::make_shared<const StepRecord>(read_step(std::move(*added))));
        else
            tell(&SessionStore::add_failed, added.error());
    }
    void load(trajectory::StepId id) {
        auto step =
            session_ ? session_->step(id)
                     : Result<trajectory::Step>(fail(Stage::environment, ErrorCode::not_found, "no session is open"));
        if (step)
            tell(&SessionStore::loaded, std::make_shared<const StepRecord>(read_step(std::move(*step))));
        else
            tell(&SessionStore::load_failed, id, step.error());
    }
    void keep_draft(const std::string& file, const std::optional<Draft>& draft) {
        if (mark_) set(kDraft + mark_->id() + '/' + file, draft ? to_text(*draft) : std::string());
    }
    /// A step that waits is tried once more, and no longer waited for.
    void leave() {
        leaving_ = true;
        add_waiting();
        leaving_ = false;
    }
    void look() {
        if (!session_) return;
        const auto version = session_->data_version();
        if (!version || std::exchange(version_, *version) == *version) return;
        if (auto steps = session_->steps()) tell(&SessionStore::written_by_others, std::move(*steps));
    }
    void keep_lesson(const std::string& text) { set(std::string(trajectory::kLessonMeta), text); }
    void forget_offer(const std::string& kept_as) { set(kDraft + kept_as, {}); }

private:
    void add_waiting() {
        again_.stop();
        if (waiting_) add(*std::exchange(waiting_, std::nullopt));
    }
    void begin_to_look() {
        version_ = session_->data_version().value_or(0);
        timer_.start();
    }
    void set(const std::string& key, const std::string& text) {
        if (!session_ || read_only_) return;
        if (auto kept = session_->set_meta(key, text); !kept) tell(&SessionStore::draft_failed, kept.error());
    }

    /// In the store's thread, unless another session is open there by then.
    template<class Signal, class... Values> void tell(Signal signal, Values... values) {
        QMetaObject::invokeMethod(
            store_,
            [store = store_, epoch = epoch_, signal, ... values = std::move(values)] {
                if (epoch == store->epoch_) Q_EMIT(store->*signal)(values...);
            },
            Qt::QueuedConnection);
    }

    SessionStore* store_;
    std::optional<SessionFile> session_;
    /// Another with every session, so that what was typed in the last one may be offered by the next.
    std::optional<AliveMark> mark_;
    bool read_only_ = false;
    bool leaving_ = false;
    std::int64_t version_ = 0;
    QTimer timer_, again_;
    std::optional<trajectory::Step> waiting_;
    quint64 epoch_ = 0;
};

SessionStore::SessionStore(QObject* parent) : QObject(parent), disk_(new Disk(this)) {
    disk_->moveToThread(&thread_);
    connect(&thread_, &QThread::finished, disk_, &QObject::deleteLater);
    thread_.setObjectName(QStringLiteral("session"));
    thread_.start();
}

SessionStore::~SessionStore() {
    // Behind everything that was asked before.
    QMetaObject::invokeMethod(disk_, [this] {
        disk_->leave();
        thread_.quit();
    });
    thread_.wait();
}

void SessionStore::open(const std::filesystem::path& path, task::Files files, task::Task task) {
    epoch_ = ++asked_;
    QMetaObject::invokeMethod(disk_, [disk = disk_, path, files = std::move(files), task = std::move(task),
                                      epoch = epoch_] { disk->open(path, files, task, epoch); });
}

void SessionStore::open_existing(const std::filesystem::path& path) {
    QMetaObject::invokeMethod(disk_, [disk = disk_, path, epoch = ++asked_] { disk->open_existing(path, epoch); });
}

void SessionStore::add(trajectory::Step step) {
    QMetaObject::invokeMethod(disk_, [disk = disk_, step = std::move(step)] { disk->add(step); });
}

void SessionStore::load(trajectory::StepId id) {
    QMetaObject::invokeMethod(disk_, [disk = disk_, id] { disk->load(id); });
}

void SessionStore::load_latest(trajectory::StepId id) {
    latest_ = id;
    QMetaObject::invokeMethod(disk_, [this, id] {
        if (latest_ == id) disk_->load(id);
    });
}

void SessionStore::look() {
    QMetaObject::invokeMethod(disk_, [disk = disk_] { disk->look(); });
}

void SessionStore::keep_lesson(const std::string& text) {
    QMetaObject::invokeMethod(disk_, [disk = disk_, text] { disk->keep_lesson(text); });
}

void SessionStore::keep_draft(const std::string& file, std::optional<Draft> draft) {
    QMetaObject::invokeMethod(disk_, [disk = disk_, file, draft = std::move(draft)] { disk->keep_draft(file, draft); });
}

void SessionStore::forget_offer(const std::string& kept_as) {
    QMetaObject::invokeMethod(disk_, [disk = disk_, kept_as] { disk->forget_offer(kept_as); });
}

} // namespace kw::desktop
