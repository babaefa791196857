#include "agent/trajectory/session_file.h"
#include "engine/base/file.h"
#include "tests/cli/task_folder.h"

#include <QtTest/QtTest>

#include <SQLiteCpp/SQLiteCpp.h>

#include <chrono>
#include <random>
#include <thread>

using namespace std::chrono_literals;
namespace fs = std::filesystem;
using kw::test::run_kw;
using kw::test::TaskFolder;
using kw::trajectory::SessionFile;

/// `kw session` and `kw agent run` with odd arguments, files and endings.
class SessionCommandTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void init();
    void an_export_never_replaces_its_session();
    void an_export_that_cannot_be_written_is_told_data();
    void an_export_that_cannot_be_written_is_told();
    void an_export_replaces_no_session();
    void a_dash_is_standard_output_or_nothing();
    void an_empty_file_is_no_session();
    void a_parent_that_is_missing_is_none();
    void a_session_on_a_full_disk_stays_whole();
    void an_interrupted_export_leaves_nothing();
    void names_cannot_reach_the_terminal();
    void a_limit_that_is_no_number_is_refused_data();
    void a_limit_that_is_no_number_is_refused();
    void a_session_that_cannot_be_written_is_told_first_data();
    void a_session_that_cannot_be_written_is_told_first();
    void outputs_of_a_profile_differ();
    void an_agent_ends_when_nobody_looks();

private:
    std::unique_ptr<TaskFolder> folder_;
    [[nodiscard]] std::string path(const char* name = "s.kwsession") const { return (folder_->path() / name).string(); }
    void make_session(int steps, const std::string& title = "a change") const;
    /// 40 candidates that compile, each with 20 KiB that do not compress.
    [[nodiscard]] fs::path long_recording() const;
};

static void check(const kw::Result<kw::RunResult>& result, int status, const std::string& says) {
    QVERIFY2(result.has_value(), result ? "" : result.error().message.c_str());
    const auto all = to_string(result->status) + "\n" + result->output + result->errors;
    QVERIFY2(result->status == (kw::ExitStatus{status, 0}), all.c_str());
    QVERIFY2(std::ranges::count(result->errors, '\n') == 1 && result->errors.size() < 400, all.c_str());
    QVERIFY2(result->errors.find(says) != std::string::npos, all.c_str());
}

void SessionCommandTest::init() { folder_ = std::make_unique<TaskFolder>(); }

void SessionCommandTest::make_session(int steps, const std::string& title) const {
    auto session = SessionFile::create(path(), {}, title);
    QVERIFY2(session.has_value(), session ? "" : session.error().message.c_str());
    for (int i = 0; i < steps; ++i) {
        kw::trajectory::Step step;
        step.summary.title = title;
        step.summary.driver = "human";
        step.file = title;
        step.source = "text\n";
        QVERIFY(session->add(step));
    }
}

fs::path SessionCommandTest::long_recording() const {
    const fs::path file = path("long.kwsession");
    auto session = SessionFile::create(file, {}, "scale");
    std::mt19937 generator{7};
    for (int i = 0; session && i < 40; ++i) {
        kw::trajectory::Step step;
        step.summary.driver = "human";
        step.file = "scale.cu";
        step.source = kw::test::candidate(kw::test::kRight) + "// ";
        for (int c = 0; c < 20480; ++c) step.source += static_cast<char>(' ' + generator() % 95);
        // A line that ends so would go on.
        step.source += ".\n";
        static_cast<void>(session->add(step));
    }
    return file;
}

void SessionCommandTest::an_export_never_replaces_its_session() {
    make_session(2);
    fs::create_symlink(path(), path("link"));
    for (const char* name : {"s.kwsession", "./s.kwsession", "link"})
        check(run_kw({"session", "export", path(), "-o", path(name)}), 2, "twice");
    const auto shown = run_kw({"session", "show", path()});
    QVERIFY(shown && shown->status.success());
}

void SessionCommandTest::an_export_that_cannot_be_written_is_told_data() {
    QTest::addColumn<QByteArray>("output");
    QTest::addColumn<QByteArray>("says");
    QTest::newRow("full") << QByteArray() << QByteArray("No space left");
    QTest::newRow("no folder") << QByteArray("/nonexistent/x") << QByteArray("No such file");
    QTest::newRow("a folder") << QByteArray("/tmp") << QByteArray("is a folder");
}

void SessionCommandTest::an_export_that_cannot_be_written_is_told() {
    QFETCH(QByteArray, output);
    QFETCH(QByteArray, says);
    make_session(1);
    // By a link, so that a program that replaces what it should write to replaces that and not the device.
    const fs::path full = path("full");
    fs::create_symlink("/dev/full", full);
    check(run_kw({"session", "export", path(), "-o", output.isEmpty() ? full.string() : output.toStdString()}), 2,
          says.toStdString());
    QVERIFY(fs::is_symlink(full) && fs::is_character_file(full));
}

void SessionCommandTest::an_export_replaces_no_session() {
    make_session(1);
    fs::copy_file(path(), path("other.kwsession"));
    check(run_kw({"session", "export", path(), "-o", path("other.kwsession")}), 2, "another SQLite database");
    QVERIFY(SessionFile::open(path("other.kwsession"), SessionFile::Access::read).has_value());
    // An older export is replaced.
    for (int i = 0; i < 2; ++i) QVERIFY(run_kw({"session", "export", path(), "-o", path("x.csv")})->status.success());
}

void SessionCommandTest::a_dash_is_standard_output_or_nothing() {
    make_session(1);
    const auto in_folder = [this](std::vector<std::string> arguments) {
        return run_kw(std::move(arguments), {.folder = folder_->string()});
    };
    const auto exported = in_folder({"session", "export", path(), "-o", "-"});
    QVERIFY(exported && exported->status.success() && exported->output.find("a change") != std::string::npos);
    check(in_folder({"session", "rescore", path(), "-o", "-"}), 2, "'-' names no file");
    check(in_folder({"eval", folder_->string(), "-o", "-"}), 2, "'-' names no file");
    check(in_folder({"agent", "run", folder_->string(), "-o", "-"}), 2, "'-' names no file");
    check(in_folder({"session", "import", path(), "-o", "-"}), 2, "'-' names no file");
    QVERIFY(!fs::exists(folder_->path() / "-"));
}

void SessionCommandTest::an_empty_file_is_no_session() {
    QVERIFY(kw::write_file(path("empty"), ""));
    check(run_kw({"session", "show", path("empty")}), 2, "is an empty file");
}

void SessionCommandTest::a_parent_that_is_missing_is_none() {
    make_session(2);
    {
        SQLite::Database database{path(), SQLite::OPEN_READWRITE};
        database.exec("PRAGMA foreign_keys = OFF");
        database.exec("UPDATE step SET parent = 77 WHERE id = 1");
        database.exec("UPDATE step SET parent = 2 WHERE id = 2");
    }
    const auto session = SessionFile::open(path(), SessionFile::Access::read);
    QVERIFY(session.has_value());
    const auto steps = session->steps();
    QVERIFY(steps && steps->size() == 2);
    for (const auto& step : *steps) QVERIFY(!step.parent);
    for (const char* format : {"csv", "jsonl", "atif", "chat", "kto", "dpo", "chrome", "html"})
        QVERIFY2(run_kw({"session", "export", path(), "--format", format})->status.success(), format);
}

void SessionCommandTest::a_session_on_a_full_disk_stays_whole() {
    const auto eval = run_kw({"eval", folder_->string(), "--device", "sim", "--stages", "compile"});
    if (!eval || eval->status.code == 3) QSKIP("NVRTC is needed to compile candidates");
    // ulimit counts in KiB: some steps fit, and not all.
    const auto result =
        kw::run({"bash", "-c",
                 "ulimit -f 200; exec \"$0\" agent run \"$1\" --device sim --driver replay --session "
                 "\"$2\" --stages compile -o \"$3\"",
                 kw::test::program("kw"), folder_->string(), long_recording().string(), path("d.kwsession")},
                {});
    QVERIFY(result.has_value());
    QVERIFY2(result->status.code == 3, (to_string(result->status) + result->errors).c_str());
    QVERIFY2(result->errors.find("disk is full") != std::string::npos, result->errors.c_str());
    QVERIFY2(result->output.find("written to") != std::string::npos, result->output.c_str());
    const auto session = SessionFile::open(path("d.kwsession"), SessionFile::Access::write);
    QVERIFY2(session.has_value(), session ? "" : session.error().message.c_str());
    const auto steps = session->steps();
    QVERIFY(steps && !steps->empty() && steps->size() < 40);
    for (const auto& step : *steps) QVERIFY(session->step(step.id).has_value());
}

void SessionCommandTest::an_interrupted_export_leaves_nothing() {
    make_session(1500);
    auto child = kw::Child::spawn(
        {.arguments = {kw::test::program("kw"), "session", "export", path(), "--format", "jsonl", "-o", path("out")}});
    QVERIFY(child);
    const auto has_begun = [&] {
        for (const auto& entry : fs::directory_iterator{folder_->path()})
            if (entry.path().filename().string().starts_with("out")) return true;
        return false;
    };
    while (!has_begun() && !child->wait(0ms)) std::this_thread::sleep_for(1ms);
    child->kill(SIGINT);
    const auto status = child->wait(10s);
    QVERIFY(status);
    if (status->success()) QSKIP("the export was faster than the interruption");
    QCOMPARE(status->code, 130);
    QVERIFY(!has_begun());
}

void SessionCommandTest::names_cannot_reach_the_terminal() {
    make_session(1, "\x1b[2Jgone");
    for (const auto& arguments :
         {std::vector<std::string>{"session", "show", path()}, {"session", "show", path(), "--step", "1"}}) {
        const auto shown = run_kw(arguments);
        QVERIFY(shown && shown->status.success());
        QVERIFY(shown->output.find('\x1b') == std::string::npos);
        QVERIFY(shown->output.find("gone") != std::string::npos);
    }
}

void SessionCommandTest::a_limit_that_is_no_number_is_refused_data() {
    QTest::addColumn<QByteArray>("limit");
    for (const char* limit : {"nan", "inf", "-1", "0", "1e300"}) QTest::newRow(limit) << QByteArray(limit);
}

void SessionCommandTest::a_limit_that_is_no_number_is_refused() {
    QFETCH(QByteArray, limit);
    check(run_kw({"agent", "run", folder_->string(), "--seconds=" + limit.toStdString(), "-o", path()}), 2,
          "--seconds takes");
    QVERIFY(!fs::exists(path()));
}

void SessionCommandTest::a_session_that_cannot_be_written_is_told_first_data() {
    QTest::addColumn<QByteArray>("output");
    QTest::addColumn<QByteArray>("says");
    QTest::newRow("a folder") << QByteArray("/tmp") << QByteArray("is a folder");
    QTest::newRow("a device") << QByteArray("/dev/full") << QByteArray("not a regular file");
    QTest::newRow("no folder") << QByteArray("/nonexistent/x") << QByteArray("No such file");
}

void SessionCommandTest::a_session_that_cannot_be_written_is_told_first() {
    QFETCH(QByteArray, output);
    QFETCH(QByteArray, says);
    check(run_kw({"agent", "run", folder_->string(), "--device", "sim", "-o", output.toStdString()}), 2,
          says.toStdString());
}

void SessionCommandTest::outputs_of_a_profile_differ() {
    check(run_kw({"profile", folder_->string(), "--device", "sim", "--chrome", path("p"), "-o", path("p")}), 2,
          "twice");
    QVERIFY(!fs::exists(path("p")));
}

void SessionCommandTest::an_agent_ends_when_nobody_looks() {
    const auto compiles = run_kw({"eval", folder_->string(), "--device", "sim", "--stages", "compile"});
    QVERIFY(compiles);
    if (!compiles->status.success()) QSKIP("no compiler is here");
    auto command = std::vector<std::string>{"/bin/sh",
                                            "-c",
                                            R"(exec "$0" "$@" > /dev/full)",
                                            kw::test::program("kw"),
                                            "agent",
                                            "run",
                                            folder_->string(),
                                            "--device",
                                            "sim",
                                            "-o",
                                            path()};
    check(kw::run(command), 3, "standard output");
    const auto session = SessionFile::open(path(), SessionFile::Access::read);
    QVERIFY(session);
    // Of three that there are to try.
    QCOMPARE(session->steps()->size(), std::size_t{1});
}

QTEST_GUILESS_MAIN(SessionCommandTest)
#include "test_session_command.moc"
