#include "engine/base/json.h"
#include "engine/base/process.h"
#include "engine/rpc/client.h"
#include "tests/cli/task_folder.h"

#include <QtTest/QtTest>

#include <algorithm>
#include <array>
#include <filesystem>
#include <sstream>

namespace fs = std::filesystem;
using kw::Json;

/// kw-worker is one file: it runs in a root that holds it and glibc, and nothing else. An evaluation gets NVRTC and a
/// task besides.
class SingleFileTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void initTestCase();
    void links_nothing_but_glibc();
    void runs_in_an_empty_root();
    void serves_in_an_empty_root();
    void evaluates_in_an_empty_root();

private:
    using Words = std::vector<std::string>;
    /// The command that runs `words` in the empty root, with `binds` mounted read-only at their own paths.
    [[nodiscard]] Words inside(const Words& words, const Words& binds = {}) const;

    QTemporaryDir root_;
    bool bubblewrap_ = false;
};

/// Debian 12's glibc as the loader sees it, with the empty libraries that older programs still ask for.
static constexpr std::array kGlibc{"libc.so.6",       "libm.so.6",  "libdl.so.2",
                                   "libpthread.so.0", "librt.so.1", "ld-linux-x86-64.so.2"};

static fs::path library(std::string_view name) {
    for (const auto* folder : {"/lib64", "/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/usr/lib64"})
        if (fs::exists(fs::path{folder} / name)) return fs::path{folder} / name;
    return {};
}

SingleFileTest::Words SingleFileTest::inside(const Words& words, const Words& binds) const {
    Words command;
    if (bubblewrap_) {
        command = {"bwrap",
                   "--unshare-user",
                   "--unshare-pid",
                   "--unshare-net",
                   "--die-with-parent",
                   "--clearenv",
                   "--bind",
                   root_.path().toStdString(),
                   "/",
                   "--proc",
                   "/proc",
                   "--dev",
                   "/dev"};
        for (const auto& bind : binds) command.insert(command.end(), {"--ro-bind", bind, bind});
    } else {
        command = {"chroot", root_.path().toStdString()};
    }
    command.insert(command.end(), words.begin(), words.end());
    return command;
}

void SingleFileTest::initTestCase() {
    const fs::path root{root_.path().toStdString()};
    fs::create_directories(root / "lib64");
    fs::create_directories(root / "lib/x86_64-linux-gnu");
    fs::create_directories(root / "tmp");
    fs::create_directories(root / "proc");
    fs::create_directories(root / "dev");
    fs::copy_file(kw::test::program("kw-worker"), root / "kw-worker");
    for (const auto* name : kGlibc) {
        const auto from = library(name);
        if (from.empty()) continue; // libdl and its like are gone from newer systems
        fs::copy_file(fs::canonical(from),
                      root / (std::string_view{name}.starts_with("ld-") ? "lib64" : "lib/x86_64-linux-gnu") / name);
    }
    bubblewrap_ = true;
    auto tried = kw::run(inside({"/kw-worker", "--version"}));
    if (tried && tried->status.success()) return;
    const auto why = tried ? tried->errors : tried.error().message;
    bubblewrap_ = false;
    tried = kw::run(inside({"/kw-worker", "--version"}));
    if (!tried || !tried->status.success()) QSKIP(("neither bubblewrap nor chroot works here: " + why).c_str());
}

void SingleFileTest::links_nothing_but_glibc() {
    const auto listed = kw::run({"ldd", kw::test::program("kw-worker")});
    QVERIFY(listed);
    QVERIFY2(listed->status.success(), listed->errors.c_str());
    std::istringstream lines{listed->output};
    for (std::string name, rest; lines >> name && std::getline(lines, rest);) {
        name = fs::path{name}.filename().string();
        QVERIFY2(name == "linux-vdso.so.1" || std::ranges::find(kGlibc, name) != kGlibc.end(), name.c_str());
    }
}

void SingleFileTest::runs_in_an_empty_root() {
    const auto devices = kw::run(inside({"/kw-worker", "devices", "--json"}));
    QVERIFY(devices);
    QVERIFY2(devices->status.success(), devices->errors.c_str());
    QVERIFY(!Json::parse(devices->output, nullptr, false)["devices"].empty());
}

void SingleFileTest::serves_in_an_empty_root() {
    auto client = kw::rpc::Client::start({.arguments = inside({"/kw-worker", "serve"})}, "the worker");
    QVERIFY(client);
    const auto hello = (*client)->call("initialize", Json{{"protocol", kw::rpc::kProtocolVersion}});
    QVERIFY2(hello.has_value(), hello ? "" : hello.error().message.c_str());
    const auto devices = (*client)->call("devices", Json::object());
    QVERIFY2(devices.has_value(), devices ? "" : devices.error().message.c_str());
    const auto refused =
        (*client)->call("compile", Json{{"files", {{"a.cu", "__global__ void f() {}"}}}, {"main", "a.cu"}});
    // Without a toolkit that is a sentence with the remedy, and the worker lives on.
    QVERIFY(!refused);
    QCOMPARE(refused.error().code, kw::ErrorCode::not_found);
    QVERIFY((*client)->call("devices", Json::object()));
}

void SingleFileTest::evaluates_in_an_empty_root() {
    if (!bubblewrap_) QSKIP("the toolkit cannot be mounted without bubblewrap");
    const auto doctor = kw::run({kw::test::program("kw-worker"), "doctor", "--json"});
    QVERIFY(doctor);
    const auto report = Json::parse(doctor->output, nullptr, false);
    fs::path nvrtc;
    for (const auto& component : report["components"])
        if (component["name"] == "libnvrtc" && component["found"].get<bool>())
            nvrtc = fs::canonical(component["path"].get<std::string>());
    if (nvrtc.empty()) QSKIP("there is no NVRTC on this machine");
    // The whole toolkit, wherever below its root the library lies.
    auto toolkit = nvrtc.parent_path();
    while (!fs::exists(toolkit / "include") && toolkit.has_relative_path()) toolkit = toolkit.parent_path();
    // NVRTC's own part needs these two; the worker has run without them above.
    for (const auto* name : {"libstdc++.so.6", "libgcc_s.so.1"})
        fs::copy_file(fs::canonical(library(name)),
                      fs::path{root_.path().toStdString()} / "lib/x86_64-linux-gnu" / name);
    const kw::test::TaskFolder task;
    const auto result = kw::run(
        inside({"/kw-worker", "--toolkit", toolkit.string(), "eval", task.string(), "--device", "sim", "--json"},
               {toolkit.string(), task.string()}));
    QVERIFY(result);
    QVERIFY2(result->status.success(), (result->output + result->errors).c_str());
    QVERIFY(Json::parse(result->output, nullptr, false)["verify"]["ok"].get<bool>());
}

QTEST_GUILESS_MAIN(SingleFileTest)
#include "test_single_file.moc"
