#include "app/desktop/session_store.h"

#include <functional>
#include <utility>

namespace kw::desktop {
namespace {

const std::string kDraftPrefix = "draft:";

Result<OpenedSession> contents_of(const trajectory::SessionFile& session) {
    OpenedSession opened{.path = session.path(), .task_name = {}, .files = {}, .steps = {}, .drafts = {}};
    auto name = session.task_name();
    if (!name) return std::unexpected(std::move(name.error()));
    opened.task_name = std::move(*name);
    auto files = session.task_files();
    if (!files) return std::unexpected(std::move(files.error()));
    opened.files = std::move(*files);
    auto steps = session.steps();
    if (!steps) return std::unexpected(std::move(steps.error()));
    opened.steps = std::move(*steps);
    for (const auto& [file, text] : opened.files) {
        const auto kept = session.meta(kDraftPrefix + file);
        if (!kept) return std::unexpected(kept.error());
        if (kept->empty()) continue;
        const auto json = Json::parse(*kept, nullptr, false);
        if (!json.is_object() || !json.contains("text") || !json["text"].is_string()) continue;
        const auto time = json.find("time_ms");
        opened.drafts[file] = {json["text"].get<std::string>(), time != json.end() && time->is_number_integer()
                                                                    ? time->get<std::int64_t>()
                                                                    : std::int64_t{0}};
    }
    return opened;
}

} // namespace

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
    explicit Disk(SessionStore* store) : store_(store) {}

    void open(const std::function<Result<trajectory::SessionFile>()>& how) {
        session_.reset();
        auto session = how();
        if (!session) return fail(std::move(session.error()));
        auto contents = contents_of(*session);
        if (!contents) return fail(std::move(contents.error()));
        session_ = std::move(*session);
        Q_EMIT store_->opened(std::make_shared<const OpenedSession>(std::move(*contents)));
    }
    void close() { session_.reset(); }
    void add(const trajectory::Step& step) {
        if (!session_)
            return fail({Stage::environment, ErrorCode::not_found, "no session is open, so the step is not kept"});
        const auto id = session_->add(step);
        if (!id) return fail(id.error());
        if (auto record = read(*id)) Q_EMIT store_->added(record);
    }
    void load(trajectory::StepId id) {
        if (!session_) return;
        if (auto record = read(id)) Q_EMIT store_->loaded(record);
    }
    void keep_draft(const std::string& file, const std::optional<Draft>& draft) {
        if (!session_) return;
        const auto text = draft ? Json{{"text", draft->text}, {"time_ms", draft->time_ms}}.dump(
                                      -1, ' ', false, Json::error_handler_t::replace)
                                : std::string();
        if (auto kept = session_->set_meta(kDraftPrefix + file, text); !kept) fail(std::move(kept.error()));
    }

private:
    std::shared_ptr<const StepRecord> read(trajectory::StepId id) {
        auto step = session_->step(id);
        if (step) return std::make_shared<const StepRecord>(read_step(std::move(*step)));
        fail(std::move(step.error()));
        return nullptr;
    }
    void fail(Error error) { Q_EMIT store_->failed(error); }

    SessionStore* store_; ///< signals only, which are delivered in its own thread
    std::optional<trajectory::SessionFile> session_;
};

SessionStore::SessionStore(QObject* parent) : QObject(parent), disk_(new Disk(this)) {
    qRegisterMetaType<std::shared_ptr<const OpenedSession>>();
    qRegisterMetaType<std::shared_ptr<const StepRecord>>();
    qRegisterMetaType<Error>();
    disk_->moveToThread(&thread_);
    connect(&thread_, &QThread::finished, disk_, &QObject::deleteLater);
    thread_.setObjectName(QStringLiteral("session"));
    thread_.start();
}

SessionStore::~SessionStore() {
    // Behind everything that was asked before.
    QMetaObject::invokeMethod(disk_, [this] { thread_.quit(); });
    thread_.wait();
}

void SessionStore::open_with(std::function<Result<trajectory::SessionFile>()> how) {
    QMetaObject::invokeMethod(disk_, [disk = disk_, how = std::move(how)] { disk->open(how); });
}

void SessionStore::open(const std::filesystem::path& path, task::Files task, std::string task_name) {
    open_with([path, task = std::move(task), task_name = std::move(task_name)]() -> Result<trajectory::SessionFile> {
        std::error_code error;
        std::filesystem::create_directories(path.parent_path(), error);
        if (!std::filesystem::exists(path, error)) {
            auto created = trajectory::SessionFile::create(path, task, task_name);
            // It may have been made by another window meanwhile.
            if (created || !std::filesystem::exists(path, error)) return created;
        }
        return trajectory::SessionFile::open(path, trajectory::SessionFile::Access::write);
    });
}

void SessionStore::open_existing(const std::filesystem::path& path) {
    open_with([path] { return trajectory::SessionFile::open(path, trajectory::SessionFile::Access::write); });
}

void SessionStore::close() {
    QMetaObject::invokeMethod(disk_, [disk = disk_] { disk->close(); });
}

void SessionStore::add(trajectory::Step step) {
    QMetaObject::invokeMethod(disk_, [disk = disk_, step = std::move(step)] { disk->add(step); });
}

void SessionStore::load(trajectory::StepId id) {
    QMetaObject::invokeMethod(disk_, [disk = disk_, id] { disk->load(id); });
}

void SessionStore::keep_draft(const std::string& file, std::optional<Draft> draft) {
    QMetaObject::invokeMethod(disk_, [disk = disk_, file, draft = std::move(draft)] { disk->keep_draft(file, draft); });
}

} // namespace kw::desktop
