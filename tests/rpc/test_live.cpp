#include "engine/profile/live.h"
#include "engine/rpc/client.h"
#include "engine/rpc/server.h"

#include <QtTest/QtTest>

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <future>
#include <memory>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

using namespace std::chrono_literals;
using kw::Json;
using kw::profile::LiveUpdate;
using kw::rpc::Client;
using Clock = std::chrono::steady_clock;

static LiveUpdate activities(std::size_t count) {
    LiveUpdate update;
    update.activities.resize(count);
    for (auto& activity : update.activities) activity.name = std::string(200, 'k');
    return update;
}

static long resident_peak_kib() {
    rusage usage{};
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_maxrss;
}

/// {updates, of, every_ms}: reports so many updates of so many activities; answers how long that took and what it cost.
static kw::Result<Json> report_live(const Json& params, const std::stop_token&, const kw::rpc::Progress& progress,
                                    const kw::profile::Live& live) {
    const auto updates = params.at("updates").get<int>();
    const auto update = activities(params.at("of").get<std::size_t>());
    const auto pause = std::chrono::milliseconds{params.at("every_ms").get<int>()};
    const long before = resident_peak_kib();
    const auto start = Clock::now();
    for (int i = 0; i < updates; ++i) {
        progress("update", static_cast<double>(i) / updates);
        live(update);
        if (pause > 0ms) std::this_thread::sleep_for(pause);
    }
    const std::chrono::duration<double, std::milli> took = Clock::now() - start;
    return Json{{"ms", took.count()}, {"grown_kib", resident_peak_kib() - before}};
}

class LiveTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void arrives_ten_times_a_second();
    void a_slow_reader_loses_some_and_costs_no_memory();
    void progress_is_told_beside_it();
    void comes_to_the_call_it_belongs_to();
    void nobody_needs_to_listen();

private:
    static std::unique_ptr<Client> spawn() {
        auto client =
            Client::start({.arguments = {QCoreApplication::applicationFilePath().toStdString(), "--peer"}}, "the peer");
        return client ? std::move(*client) : nullptr;
    }
};

void LiveTest::arrives_ten_times_a_second() {
    const auto client = spawn();
    std::vector<Clock::time_point> times;
    std::size_t received = 0;
    const auto answer = client->call("report", Json{{"updates", 200}, {"of", 3}, {"every_ms", 5}}, {}, {}, {}, nullptr,
                                     [&](const LiveUpdate& update) {
                                         times.push_back(Clock::now());
                                         received += update.activities.size() + update.dropped;
                                     });
    QVERIFY(answer);
    QCOMPARE(received, 600u); // everything that was left came before the answer
    const double seconds = (*answer)["ms"].get<double>() / 1000;
    qInfo("%zu updates in %.2f s", times.size(), seconds);
    QVERIFY(static_cast<double>(times.size()) >= 10 * seconds);
    QVERIFY(static_cast<double>(times.size()) <= 21 * seconds + 2);
}

void LiveTest::a_slow_reader_loses_some_and_costs_no_memory() {
    const auto client = spawn();
    std::size_t received = 0;
    std::size_t dropped = 0;
    // 100 MB as JSON, were all of it sent.
    const auto answer = client->call("report", Json{{"updates", 200}, {"of", 1000}, {"every_ms", 0}}, {}, {}, {},
                                     nullptr, [&](const LiveUpdate& update) {
                                         received += update.activities.size();
                                         dropped += update.dropped;
                                         std::this_thread::sleep_for(300ms);
                                     });
    QVERIFY(answer);
    QCOMPARE(received + dropped, 200'000u);
    QVERIFY(dropped > 100'000);
    // The work was not held up by who reads it.
    const auto& cost = *answer;
    qInfo("%.0f ms, %ld KiB, %zu of 200000 received", cost["ms"].get<double>(), cost["grown_kib"].get<long>(),
          received);
    QVERIFY(cost["ms"].get<double>() < 5000);
    QVERIFY(cost["grown_kib"].get<long>() < 32 * 1024);
}

void LiveTest::progress_is_told_beside_it() {
    const auto client = spawn();
    std::vector<double> fractions;
    const auto answer = client->call("report", Json{{"updates", 20}, {"of", 1}, {"every_ms", 10}}, {},
                                     [&](std::string_view what, double fraction) {
                                         QCOMPARE(std::string{what}, std::string("update"));
                                         fractions.push_back(fraction);
                                     });
    QVERIFY(answer);
    QVERIFY(fractions.size() > 1);
    QVERIFY(std::ranges::is_sorted(fractions));
    QCOMPARE(fractions.back(), 0.95);
}

void LiveTest::comes_to_the_call_it_belongs_to() {
    const auto client = spawn();
    std::atomic<std::size_t> of_one = 0;
    std::atomic<std::size_t> of_other = 0;
    std::promise<void> one;
    std::promise<void> other;
    client->call_async(
        "report", Json{{"updates", 10}, {"of", 1}, {"every_ms", 5}}, [&](const kw::Result<Json>&) { one.set_value(); },
        {}, [&](const LiveUpdate& update) { of_one += update.activities.size(); });
    client->call_async(
        "report", Json{{"updates", 10}, {"of", 2}, {"every_ms", 5}},
        [&](const kw::Result<Json>&) { other.set_value(); }, {},
        [&](const LiveUpdate& update) { of_other += update.activities.size(); });
    one.get_future().wait();
    other.get_future().wait();
    QCOMPARE(of_one.load(), 10u);
    QCOMPARE(of_other.load(), 20u);
}

void LiveTest::nobody_needs_to_listen() {
    const auto client = spawn();
    QVERIFY(client->call("report", Json{{"updates", 50}, {"of", 10}, {"every_ms", 0}}));
    QVERIFY(client->call("babble", Json::object())); // updates that are malformed are left out
}

int main(int argc, char** argv) {
    if (argc == 2 && std::string_view{argv[1]} == "--peer") {
        const int output = ::dup(1);
        kw::rpc::Server server{kw::Descriptor{0}, kw::Descriptor{output}};
        server.add("report", {.lane = "reports", .live_handler = report_live});
        server.add("babble",
                   {.handler = [output](const Json&, std::stop_token, const kw::rpc::Progress&) -> kw::Result<Json> {
                        for (const auto* params : {R"([])", R"({"id":1})", R"({"id":2,"update":{"activities":3}})"})
                            static_cast<void>(
                                kw::write_all(output, kw::rpc::notification_frame("live", Json::parse(params))));
                        return Json{};
                    },
                    .lane = "reports"});
        return server.serve() ? 0 : 1;
    }
    QCoreApplication app{argc, argv};
    LiveTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "test_live.moc"
