#include "tests/agent/session_fixture.h"

#include <QTest>

#include <SQLiteCpp/SQLiteCpp.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <fstream>
#include <random>
#include <thread>

using namespace kw;
using namespace kw::trajectory;

class TestSessionFile : public QObject {
    Q_OBJECT

private slots:
    void keeps_everything_of_a_step() {
        const test::SessionFolder folder;
        {
            auto session = folder.create();
            QVERIFY2(session.has_value(), session ? "" : session.error().message.c_str());
            auto made = test::step("a\nb\n", 2, 1.5, 12.25);
            made.summary.usage = {100, 20, 30, 10, 0.25};
            made.summary.started_ms = 1'700'000'000'123;
            made.thought = "because ✓";
            made.configuration = Json{{"BLOCK", 128}};
            made.messages = {{"system", "be good", {}}, {"assistant", "yes", "thinking"}};
            made.tool_calls = {{"c1", "edit", {{"old", "x"}}, "done", true, 1.5},
                               {"c2", "compile", Json::object(), "", false, 0}};
            QCOMPARE(session->add(made).value_or(-1), StepId{1});
            QCOMPARE(session->add(test::step("a\nc\nd\n", 3, 2.5, 10, 1)).value_or(-1), StepId{2});
        }
        const auto session = SessionFile::open(folder.path(), SessionFile::Access::read);
        QVERIFY(session.has_value());
        const auto first = session->step(1);
        QVERIFY(first.has_value());
        QCOMPARE(first->source, std::string{"a\nb\n"});
        QCOMPARE(first->thought, std::string{"because ✓"});
        QVERIFY((first->summary.usage == Usage{100, 20, 30, 10, 0.25}));
        QCOMPARE(first->summary.started_ms, std::int64_t{1'700'000'000'123});
        QCOMPARE(first->messages.size(), std::size_t{2});
        QCOMPARE(first->messages[1].reasoning, std::string{"thinking"});
        QCOMPARE(first->tool_calls.size(), std::size_t{2});
        QVERIFY(!first->tool_calls[1].ok);
        QCOMPARE(first->tool_calls[0].arguments.at("old").get<std::string>(), std::string{"x"});
        QCOMPARE(first->configuration.at("BLOCK").get<int>(), 128);
        QVERIFY(!first->summary.parent);
        const auto steps = session->steps();
        QVERIFY(steps.has_value());
        QCOMPARE(steps->size(), std::size_t{2});
        QCOMPARE(steps->at(1).parent.value_or(0), StepId{1});
        QCOMPARE(steps->at(1).lines_added, 2);
        QCOMPARE(steps->at(1).lines_removed, 1);
        // The strongest baseline is the one that is beaten least.
        QCOMPARE(steps->at(1).speedup.value_or(0), 2.5);
        QCOMPARE(steps->at(1).reward.value_or(0), 3.0);
        QVERIFY(steps->at(1).estimated);
        QCOMPARE(session->best().value().value_or(0), StepId{2});
        QCOMPARE(session->task_name().value(), std::string{"t"});
        QCOMPARE(session->task_files().value().at("k.cu"), std::string{"text"});
    }

    void equal_sources_are_kept_once() {
        const test::SessionFolder folder;
        auto session = folder.create();
        const std::string text(5000, 'x');
        for (int i = 0; i < 20; ++i) QVERIFY(session->add(test::step(text, 1, 1, 1)).has_value());
        SQLite::Database raw{folder.path().string(), SQLite::OPEN_READWRITE};
        QCOMPARE(raw.execAndGet("SELECT count(*) FROM blob WHERE size = 5000").getInt(), 1);
        QVERIFY(raw.execAndGet("SELECT length(bytes) FROM blob WHERE size = 5000").getInt() < 200);
    }

    void a_parent_must_exist() {
        const test::SessionFolder folder;
        auto session = folder.create();
        const auto added = session->add(test::step("x", 1, 1, 1, 7));
        QVERIFY(!added.has_value());
        QVERIFY(added.error().message.find("step 7") != std::string::npos);
        QVERIFY(session->steps()->empty());
        QVERIFY(!session->step(3).has_value());
    }

    void an_evaluation_can_come_later() {
        const test::SessionFolder folder;
        auto session = folder.create();
        auto bare = test::step("x", 1, 1, 1);
        const auto evaluation = *bare.evaluation;
        bare.evaluation.reset();
        QVERIFY(session->add(bare).has_value());
        QVERIFY(!session->steps()->front().correct);
        QVERIFY(!session->best()->has_value());
        QVERIFY(session->set_evaluation(1, evaluation).has_value());
        QCOMPARE(session->steps()->front().correct.value_or(false), true);
        QVERIFY(!session->set_evaluation(9, evaluation).has_value());
    }

    void decisions_and_settings() {
        const test::SessionFolder folder;
        auto session = folder.create();
        QVERIFY(session->add(test::step("x", 1, 1, 1)).has_value());
        QVERIFY(session->decide({1, "2", "rejected", "slower", 5}).has_value());
        QVERIFY(!session->decide({4, "", "accepted", "", 5}).has_value());
        const auto decisions = session->decisions();
        QCOMPARE(decisions->size(), std::size_t{1});
        QVERIFY((decisions->front() == Decision{1, "2", "rejected", "slower", 5}));
        const Decision part{.step = 1,
                            .hunk = "3+4:0",
                            .action = "accepted",
                            .time_ms = 6,
                            .first_line = 1,
                            .lines = 2,
                            .removed = "gone ✓\n",
                            .made_by = "llm:m"};
        QVERIFY(session->decide(part).has_value());
        QVERIFY(session->decisions()->back() == part);
        QCOMPARE(session->meta("none").value(), std::string{});
        QVERIFY(session->set_meta("k", "a").has_value() && session->set_meta("k", "b").has_value());
        QCOMPARE(session->meta("k").value(), std::string{"b"});
    }

    void evaluations_that_are_odd_do_no_harm() {
        const test::SessionFolder folder;
        auto session = folder.create();
        for (const char* text :
             {"null", "[]", "{\"reward\": 3}", "{\"reward\": {\"value\": \"x\", \"speedups\": [1, {}]}}",
              "{\"bench\": {\"median_us\": null}}"}) {
            auto made = test::step("x", 1, 1, 1);
            made.evaluation = Json::parse(text);
            QVERIFY(session->add(made).has_value());
        }
        for (const auto& step : test::steps_of(*session)) QVERIFY(!step.reward && !step.correct);
    }

    void what_is_no_session_is_refused() {
        const test::SessionFolder folder;
        const auto open = [&] { return SessionFile::open(folder.path(), SessionFile::Access::write); };
        QCOMPARE(open().error().code, ErrorCode::not_found);
        std::ofstream{folder.path()} << "not a database, but long enough to look like one: " << std::string(2000, 'x');
        QVERIFY2(open().error().message.find("not a session") != std::string::npos, open().error().message.c_str());
        std::filesystem::remove(folder.path());
        {
            SQLite::Database other{folder.path().string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE};
            other.exec("CREATE TABLE t (x)");
        }
        QVERIFY(open().error().message.find("not a Kernelwright session") != std::string::npos);
        QVERIFY(!folder.create().has_value());
    }

    void what_is_no_file_is_called_what_it_is() {
        const test::SessionFolder folder;
        const auto opened = SessionFile::open(folder.path().parent_path(), SessionFile::Access::read);
        QVERIFY(!opened && opened.error().message.find("is a folder") != std::string::npos);
        const auto device = SessionFile::open("/dev/null", SessionFile::Access::write);
        QVERIFY(!device && device.error().message.find("not a regular file") != std::string::npos);
    }

    void json_that_would_exhaust_the_stack_is_refused() {
        const test::SessionFolder folder;
        auto session = folder.create();
        auto made = test::step("x", 1, 1, 1);
        Json deep = 1;
        for (int i = 0; i < 300; ++i) deep = Json::array({std::move(deep)});
        made.evaluation = deep;
        QVERIFY(!session->add(made) || !session->step(1));
        made.evaluation.reset();
        made.configuration = deep;
        const auto id = session->add(made);
        QVERIFY(id.has_value());
        const auto step = session->step(*id);
        QVERIFY(!step && step.error().message.find("nested too deeply") != std::string::npos);
    }

    void one_of_several_creates_it() {
        const test::SessionFolder folder;
        std::vector<pid_t> children;
        for (int i = 0; i < 6; ++i) {
            const pid_t child = ::fork();
            if (child == 0) {
                const auto session = folder.create();
                // Whoever was too late finds a whole one.
                const auto other = SessionFile::open(folder.path(), SessionFile::Access::write);
                ::_exit(!other || other->task_name().value_or("") != "t" ? 2 : session ? 0 : 1);
            }
            children.push_back(child);
        }
        int created = 0;
        for (const pid_t child : children) {
            int status = 0;
            QCOMPARE(::waitpid(child, &status, 0), child);
            QVERIFY(WIFEXITED(status) && WEXITSTATUS(status) < 2);
            created += WEXITSTATUS(status) == 0;
        }
        QCOMPARE(created, 1);
    }

    void leaves_nothing_where_it_cannot_be_created() {
        const test::SessionFolder folder;
        const pid_t child = ::fork();
        if (child == 0) {
            std::signal(SIGXFSZ, SIG_IGN);
            const rlimit small{8192, 8192};
            ::setrlimit(RLIMIT_FSIZE, &small);
            ::_exit(folder.create() ? 1 : 0);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        QVERIFY(WIFEXITED(status) && WEXITSTATUS(status) == 0);
        QVERIFY(std::filesystem::is_empty(folder.path().parent_path()));
        QVERIFY(folder.create().has_value());
    }

    void can_be_read_where_nothing_may_be_written() {
        namespace fs = std::filesystem;
        const test::SessionFolder folder;
        const auto path = folder.path("odd %41?#.kwsession");
        QVERIFY(SessionFile::create(path, {}, "t")->add(test::step("x", 1, 1, 1)).has_value());
        fs::permissions(path, fs::perms{0444});
        fs::permissions(path.parent_path(), fs::perms{0555});
        const pid_t child = ::fork();
        if (child == 0) {
            // Permissions do not hold root.
            if (::geteuid() == 0 && ::setuid(65534) != 0) ::_exit(3);
            const auto session = SessionFile::open(path, SessionFile::Access::read);
            if (!session || session->steps().value_or(std::vector<StepSummary>{}).size() != 1) ::_exit(1);
            ::_exit(SessionFile::open(path, SessionFile::Access::write) ? 2 : 0);
        }
        int status = 0;
        ::waitpid(child, &status, 0);
        fs::permissions(path.parent_path(), fs::perms{0755});
        QVERIFY(WIFEXITED(status));
        QCOMPARE(WEXITSTATUS(status), 0);
    }

    void an_older_session_is_seen_as_one_of_today_and_brought_up_to_date_by_a_writer() {
        const test::SessionFolder folder;
        {
            auto session = folder.create();
            QVERIFY(session->add(test::step("x", 1, 1, 1)).has_value());
            QVERIFY(session->decide({1, "2", "rejected", "slower", 5}).has_value());
        }
        {
            // As the first form had it.
            SQLite::Database raw{folder.path().string(), SQLite::OPEN_READWRITE};
            for (const char* column : {"first_line", "lines", "removed", "made_by"})
                raw.exec(std::string("ALTER TABLE decision DROP COLUMN ") + column);
            for (const char* column : {"findings", "finding_severity"})
                raw.exec(std::string("ALTER TABLE step DROP COLUMN ") + column);
            raw.exec("PRAGMA user_version = 1");
        }
        const auto version = [&] {
            SQLite::Database raw{folder.path().string(), SQLite::OPEN_READONLY};
            return raw.execAndGet("PRAGMA user_version").getInt();
        };
        const auto whole = [](const SessionFile& session) {
            return session.decisions().value() == std::vector{Decision{1, "2", "rejected", "slower", 5}}
                   && session.steps()->size() == 1 && session.step(1)->source == "x"
                   && session.best()->value_or(0) == 1;
        };
        const auto reader = SessionFile::open(folder.path(), SessionFile::Access::read);
        QVERIFY(reader && whole(*reader));
        QCOMPARE(version(), 1);
        {
            auto copy = reader->copy_to(folder.path("copy.kwsession"));
            QVERIFY(copy && whole(*copy));
            QVERIFY(copy->add(test::step("y", 1, 1, 1, 1)).has_value());
        }
        // Two who begin at one moment do it once.
        std::atomic<int> written = 0;
        {
            std::vector<std::jthread> writers;
            for (int i = 0; i < 4; ++i)
                writers.emplace_back([&] {
                    auto session = SessionFile::open(folder.path(), SessionFile::Access::write);
                    if (!session) return qWarning("%s", session.error().message.c_str());
                    const auto decided = session->decide({1, "3", "accepted", "", 6});
                    if (!decided) return qWarning("%s", decided.error().message.c_str());
                    ++written;
                });
        }
        QCOMPARE(written.load(), 4);
        QVERIFY(version() > 1);
        const auto now = SessionFile::open(folder.path(), SessionFile::Access::read);
        QCOMPARE(now->decisions()->size(), std::size_t{5});
        QCOMPARE(now->decisions()->front().made_by, std::string{"human"});
        QVERIFY(!now->decisions()->front().removed);
        // Who had it open before goes on.
        QCOMPARE(reader->decisions()->size(), std::size_t{5});
    }

    void what_an_audit_found_is_summed_up() {
        const test::SessionFolder folder;
        auto session = folder.create();
        auto made = test::step("x", 1, 1, 1);
        (*made.evaluation)["audit"]["findings"] =
            Json::array({{{"rule", "a"}, {"severity", "note"}, {"why", "w"}},
                         {{"rule", "b"}, {"severity", "refuse"}, {"why", "w"}},
                         {{"rule", "c"}, {"severity", "suspicious"}, {"why", "w"}}});
        QVERIFY(session->add(made).has_value());
        QCOMPARE(session->steps()->front().findings, 3);
        QCOMPARE(session->steps()->front().finding_severity, std::string{"refuse"});
        QVERIFY(session->set_evaluation(1, *test::step("x", 1, 1, 1).evaluation).has_value());
        QCOMPARE(session->steps()->front().findings, 0);
    }

    void others_who_write_are_noticed() {
        const test::SessionFolder folder;
        auto session = folder.create();
        auto other = SessionFile::open(folder.path(), SessionFile::Access::write);
        const auto before = session->data_version().value();
        QVERIFY(session->add(test::step("x", 1, 1, 1)).has_value());
        QCOMPARE(session->data_version().value(), before);
        QVERIFY(other->add(test::step("y", 1, 1, 1)).has_value());
        QVERIFY(session->data_version().value() != before);
    }

    void a_newer_session_is_refused() {
        const test::SessionFolder folder;
        QVERIFY(folder.create().has_value());
        {
            SQLite::Database raw{folder.path().string(), SQLite::OPEN_READWRITE};
            raw.exec("PRAGMA user_version = 99");
        }
        const auto opened = SessionFile::open(folder.path(), SessionFile::Access::read);
        QVERIFY(!opened.has_value());
        QVERIFY(opened.error().message.find("newer") != std::string::npos);
    }

    void damage_is_told() {
        const test::SessionFolder folder;
        QVERIFY(folder.create()->add(test::step("source text", 1, 1, 1)).has_value());
        {
            SQLite::Database raw{folder.path().string(), SQLite::OPEN_READWRITE};
            raw.exec("UPDATE blob SET bytes = CAST('source texT' AS BLOB) WHERE size = 11");
        }
        const auto session = SessionFile::open(folder.path(), SessionFile::Access::read);
        QVERIFY(session->step(1).error().message.find("damaged") != std::string::npos);
        {
            SQLite::Database raw{folder.path().string(), SQLite::OPEN_READWRITE};
            raw.exec("UPDATE blob SET compressed = 1, size = 900000000000 WHERE size = 11");
        }
        QVERIFY(session->step(1).error().message.find("damaged") != std::string::npos);
    }

    void a_reader_sees_what_a_writer_writes() {
        const test::SessionFolder folder;
        auto writer = folder.create();
        const auto reader = SessionFile::open(folder.path(), SessionFile::Access::read);
        QVERIFY(writer->add(test::step("x", 1, 1, 1)).has_value());
        QCOMPARE(reader->steps()->size(), std::size_t{1});
    }

    /// kill -9 at any moment: what is there is whole.
    void survives_being_killed() {
        std::mt19937 random{1};
        const test::SessionFolder folder;
        QVERIFY(folder.create().has_value());
        StepId seen = 0;
        for (int round = 0; round < 200; ++round) {
            const pid_t child = ::fork();
            if (child == 0) write_for_ever(folder.path());
            ::usleep(std::uniform_int_distribution<useconds_t>{500, 15'000}(random));
            ::kill(child, SIGKILL);
            int status = 0;
            ::waitpid(child, &status, 0);
            QVERIFY(WIFSIGNALED(status));
            const auto session = SessionFile::open(folder.path(), SessionFile::Access::write);
            QVERIFY2(session.has_value(), session ? "" : session.error().message.c_str());
            const auto steps = session->steps();
            QVERIFY(steps.has_value());
            for (const auto& summary : *steps) {
                if (summary.id <= seen) continue;
                const auto step = session->step(summary.id);
                QVERIFY2(step.has_value(), step ? "" : step.error().message.c_str());
                QCOMPARE(step->messages.size(), std::size_t{5});
                QCOMPARE(step->tool_calls.size(), std::size_t{3});
                QVERIFY(step->evaluation.has_value());
                QCOMPARE(summary.id, seen + 1);
                seen = summary.id;
            }
        }
        QVERIFY2(seen > 0, "the child was killed before it had written anything");
    }

private:
    [[noreturn]] static void write_for_ever(const std::filesystem::path& path) {
        auto session = SessionFile::open(path, SessionFile::Access::write);
        for (int i = 0; session; ++i) {
            auto made = test::step(std::string(3000, static_cast<char>('a' + i % 26)) + std::to_string(i), 1, 1, 1);
            made.messages.assign(5, {"assistant", std::string(500, 'm'), "r"});
            made.tool_calls.assign(3, {"c", "edit", Json::object(), std::string(300, 't'), true, 1});
            if (!session->add(made)) break;
        }
        ::_exit(1);
    }
};

QTEST_GUILESS_MAIN(TestSessionFile)
#include "test_session_file.moc"
