#include "engine/base/file.h"
#include "engine/base/file_writer.h"

#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <iterator>
#include <memory>
#include <thread>
#include <vector>

namespace fs = std::filesystem;

class FileTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void writes_and_reads();
    void keeps_the_mode();
    void follows_links_data();
    void follows_links();
    void writes_to_what_is_no_file();
    void leaves_nothing_behind_on_failure();
    void writers_do_not_meet();
    void pieces_are_nothing_until_they_are_whole();

private:
    /// A path in a fresh folder.
    fs::path fresh(const char* name) {
        folders_.push_back(std::make_unique<QTemporaryDir>());
        return fs::path{folders_.back()->path().toStdString()} / name;
    }
    static std::string content(const fs::path& path) { return kw::read_file(path, 1 << 20).value_or("unreadable"); }
    static std::ptrdiff_t count(const fs::path& folder) { return std::distance(fs::directory_iterator{folder}, {}); }
    static unsigned mode(const fs::path& path) {
        struct stat info{};
        ::stat(path.c_str(), &info);
        return info.st_mode & 07777u;
    }

    std::vector<std::unique_ptr<QTemporaryDir>> folders_;
};

void FileTest::writes_and_reads() {
    const auto path = fresh("a.txt");
    QVERIFY(kw::write_file(path, "one"));
    QVERIFY(kw::write_file(path, "two"));
    QCOMPARE(content(path), std::string("two"));
    QCOMPARE(count(path.parent_path()), std::ptrdiff_t{1});
}

void FileTest::keeps_the_mode() {
    const auto path = fresh("a.txt");
    const auto umask = ::umask(027);
    QVERIFY(kw::write_file(path, "one"));
    ::umask(umask);
    QCOMPARE(mode(path), 0640u);
    ::chmod(path.c_str(), 0751);
    QVERIFY(kw::write_file(path, "two"));
    QCOMPARE(mode(path), 0751u);
}

void FileTest::follows_links_data() {
    QTest::addColumn<bool>("exists");
    QTest::newRow("to a file") << true;
    QTest::newRow("to nothing yet") << false;
}

void FileTest::follows_links() {
    QFETCH(bool, exists);
    const auto link = fresh("link");
    const auto folder = link.parent_path();
    fs::create_directory(folder / "real");
    if (exists) QVERIFY(kw::write_file(folder / "real/a.txt", "old"));
    fs::create_symlink("real/a.txt", folder / "middle");
    fs::create_symlink(folder / "middle", link);
    QVERIFY(kw::write_file(link, "new"));
    QVERIFY(fs::is_symlink(link) && fs::is_symlink(folder / "middle"));
    QCOMPARE(content(folder / "real/a.txt"), std::string("new"));
    QCOMPARE(count(folder / "real"), std::ptrdiff_t{1});
}

void FileTest::writes_to_what_is_no_file() {
    const auto pipe = fresh("pipe");
    QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
    const int reader = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
    QVERIFY(kw::write_file(pipe, "text"));
    char text[8] = {};
    QCOMPARE(::read(reader, text, sizeof text), ssize_t{4});
    QVERIFY(fs::is_fifo(pipe));
    ::close(reader);
    const auto full = kw::write_file("/dev/full", "text");
    QVERIFY(!full);
    QVERIFY(full.error().message.starts_with("cannot write '/dev/full': "));
    QVERIFY(!kw::write_file(pipe.parent_path(), "text"));
}

void FileTest::leaves_nothing_behind_on_failure() {
    const auto path = fresh("none/a.txt");
    const auto written = kw::write_file(path, "text");
    QVERIFY(!written);
    QCOMPARE(written.error().code, kw::ErrorCode::not_found);
    const auto circle = fresh("circle");
    fs::create_symlink(circle, circle);
    QVERIFY(!kw::write_file(circle, "text"));
    QCOMPARE(count(circle.parent_path()), std::ptrdiff_t{1});
}

void FileTest::pieces_are_nothing_until_they_are_whole() {
    const QTemporaryDir folder;
    const auto path = fs::path{folder.path().toStdString()} / "f";
    QVERIFY(kw::write_file(path, "old"));
    {
        auto given_up = kw::FileWriter::create(path);
        QVERIFY(given_up && given_up->write("half"));
    }
    QCOMPARE(kw::read_file(path, 100).value(), std::string{"old"});
    auto first = kw::FileWriter::create(path);
    auto second = kw::FileWriter::create(path);
    QVERIFY(first && second && first->write("fir") && second->write("second") && first->write("st"));
    QVERIFY(second->finish());
    QCOMPARE(kw::read_file(path, 100).value(), std::string{"second"});
    QVERIFY(first->finish());
    QCOMPARE(kw::read_file(path, 100).value(), std::string{"first"});
    QCOMPARE(std::distance(fs::directory_iterator{path.parent_path()}, {}), std::ptrdiff_t{1});
    auto full = kw::FileWriter::create("/dev/full");
    QVERIFY(full && !full->write("x"));
}

void FileTest::writers_do_not_meet() {
    const auto path = fresh("a.txt");
    {
        std::vector<std::jthread> writers;
        for (int i = 0; i < 4; ++i)
            writers.emplace_back([&path, i] {
                for (int k = 0; k < 50; ++k)
                    static_cast<void>(kw::write_file(path, std::string(5000, static_cast<char>('a' + i))));
            });
    }
    const auto text = content(path);
    QCOMPARE(text, std::string(5000, text[0]));
    QCOMPARE(count(path.parent_path()), std::ptrdiff_t{1});
}

QTEST_APPLESS_MAIN(FileTest)
#include "test_file.moc"
