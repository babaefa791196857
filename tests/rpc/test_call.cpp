#include "engine/rpc/client.h"
#include "engine/rpc/server.h"

#include <QtTest/QtTest>

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <future>
#include <thread>

using namespace std::chrono_literals;
using kw::Json;
using kw::rpc::Client;

/// For a server to talk to: in a thread, or as a process of its own (this program with --peer).
static void add_methods(kw::rpc::Server& server) {
    server.add("echo", {[](const Json& params, std::stop_token, const kw::rpc::Progress&) -> kw::Result<Json> {
                            return params;
                        },
                        "quick"});
    server.add("count", {[](const Json&, std::stop_token stop, const kw::rpc::Progress& progress) -> kw::Result<Json> {
                             for (int i = 0; i < 1000 && !stop.stop_requested(); ++i) {
                                 progress("counting", i / 1000.0);
                                 std::this_thread::sleep_for(5ms);
                             }
                             if (stop.stop_requested())
                                 return kw::fail(kw::Stage::verify, kw::ErrorCode::cancelled, "stopped");
                             return Json(1000);
                         },
                         "slow"});
    server.add("nap", {[](const Json& params, std::stop_token, const kw::rpc::Progress&) -> kw::Result<Json> {
                           std::this_thread::sleep_for(std::chrono::milliseconds{params.at("ms").get<int>()});
                           return params;
                       },
                       "naps", [](const Json& params) { return params.value("key", std::string{}); }});
    server.add("refuse", {[](const Json&, std::stop_token, const kw::rpc::Progress&) -> kw::Result<Json> {
                              return kw::fail(kw::Stage::task, kw::ErrorCode::invalid_input, "no", {"task.toml", 2, 1});
                          },
                          {}});
    server.add("crash", {[](const Json&, std::stop_token, const kw::rpc::Progress&) -> kw::Result<Json> {
                             fputs("about to fall\n", stderr);
                             ::raise(SIGSEGV); // in this thread, so that nothing is answered
                             return Json{};
                         },
                         "quick"});
    server.add("leave", {.handler = [](const Json& params, std::stop_token,
                                       const kw::rpc::Progress&) -> kw::Result<Json> { return params; },
                         .lane = "quick",
                         .answered = [] { ::_exit(0); }});
    server.add("babble", {[](const Json&, std::stop_token, const kw::rpc::Progress&) -> kw::Result<Json> {
                              const std::string text = "Segmentation fault, or so\r\n\r\n";
                              static_cast<void>(kw::write_all(1, text));
                              return Json{};
                          },
                          "quick"});
}

class CallTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void answers();
    void carries_large_values();
    void carries_errors();
    void turns_exceptions_into_errors();
    void runs_lanes_side_by_side();
    void reports_progress();
    void cancels_within_200_ms();
    void cancels_what_waits();
    void keeps_only_the_newest();
    void answers_malformed_messages();
    void gives_up_on_a_framing_error();
    void ends_with_its_input();
    void says_that_its_input_was_cut();
    void fails_pending_calls_when_the_peer_dies();
    void reports_a_kill();
    void reports_babble();
    void an_answer_before_the_end_counts();
    void times_out();
    void kills_a_peer_that_does_not_answer();
    void lets_a_peer_live_that_has_answered();
    void calls_back_on_destruction();
    void closes();

private:
    static std::unique_ptr<Client> spawn() {
        auto client =
            Client::start({.arguments = {QCoreApplication::applicationFilePath().toStdString(), "--peer"}}, "the peer");
        return client ? std::move(*client) : nullptr;
    }
};

/// Speaks raw bytes to a server in this process.
class RawPeer {
public:
    RawPeer() {
        auto to = kw::make_pipe();
        auto from = kw::make_pipe();
        to_ = std::move(to->write);
        from_ = std::move(from->read);
        thread_ = std::jthread{[this, in = std::move(to->read), out = std::move(from->write)]() mutable {
            kw::rpc::Server server{std::move(in), std::move(out)};
            add_methods(server);
            ok = server.serve().has_value();
        }};
    }
    void send(std::string_view text) { QVERIFY(kw::write_all(to_.get(), text)); }
    void send_body(std::string_view body) { send(kw::rpc::frame(body)); }
    Json receive() {
        std::array<char, 4096> buffer;
        for (;;) {
            auto body = decoder_.next();
            if (body && *body) return kw::rpc::parse_body(**body).value_or(Json{});
            const auto n = kw::read_some(from_.get(), buffer.data(), buffer.size());
            if (n <= 0) return {};
            decoder_.feed({buffer.data(), static_cast<std::size_t>(n)});
        }
    }
    void hang_up() { to_.reset(); }
    void join() { thread_.join(); }
    std::atomic<bool> ok = false;

private:
    kw::Descriptor to_;
    kw::Descriptor from_;
    kw::rpc::Decoder decoder_;
    std::jthread thread_;
};

void CallTest::answers() {
    const auto client = spawn();
    QVERIFY(client);
    const auto answer = client->call("echo", Json{{"text", "grüß"}});
    QVERIFY(answer);
    QCOMPARE((*answer)["text"].get<std::string>(), std::string("grüß"));
    const auto unknown = client->call("nothing", {});
    QVERIFY(!unknown);
    QCOMPARE(unknown.error().code, kw::ErrorCode::not_found);
}

void CallTest::carries_large_values() {
    const auto client = spawn();
    const Json large{{"text", std::string(20'000'000, 'x')}};
    const auto answer = client->call("echo", large);
    QVERIFY(answer);
    QVERIFY(*answer == large);
}

void CallTest::carries_errors() {
    const auto client = spawn();
    const auto answer = client->call("refuse", {});
    QVERIFY(!answer);
    QCOMPARE(answer.error().stage, kw::Stage::task);
    QCOMPARE(answer.error().where.file, std::string("task.toml"));
}

void CallTest::turns_exceptions_into_errors() {
    const auto client = spawn();
    const auto answer = client->call("nap", Json::object());
    QVERIFY(!answer);
    QCOMPARE(answer.error().code, kw::ErrorCode::internal);
    QVERIFY(client->call("echo", {}));
}

void CallTest::runs_lanes_side_by_side() {
    const auto client = spawn();
    std::promise<void> done;
    client->call_async("nap", Json{{"ms", 2000}}, [&](const kw::Result<Json>&) { done.set_value(); });
    const auto start = std::chrono::steady_clock::now();
    QVERIFY(client->call("echo", {}));
    QVERIFY(std::chrono::steady_clock::now() - start < 1s);
    client->kill();
    done.get_future().wait();
}

void CallTest::reports_progress() {
    const auto client = spawn();
    std::atomic<int> heard = 0;
    std::stop_source stop;
    const auto answer = client->call("count", {}, stop.get_token(), [&](std::string_view what, double fraction) {
        if (what == "counting" && fraction >= 0 && ++heard == 3) stop.request_stop();
    });
    QVERIFY(!answer);
    QCOMPARE(answer.error().code, kw::ErrorCode::cancelled);
    QVERIFY(heard >= 3);
}

void CallTest::cancels_within_200_ms() {
    const auto client = spawn();
    std::stop_source stop;
    std::jthread stopper{[&] {
        std::this_thread::sleep_for(100ms);
        stop.request_stop();
    }};
    const auto start = std::chrono::steady_clock::now();
    const auto answer = client->call("count", {}, stop.get_token());
    const auto took = std::chrono::steady_clock::now() - start;
    QVERIFY(!answer);
    QCOMPARE(answer.error().code, kw::ErrorCode::cancelled);
    QVERIFY2(took < 300ms, std::to_string(took / 1ms).c_str());
}

void CallTest::cancels_what_waits() {
    const auto client = spawn();
    std::promise<kw::Result<Json>> first;
    std::promise<kw::Result<Json>> second;
    client->call_async("nap", Json{{"ms", 300}}, [&](kw::Result<Json> result) { first.set_value(std::move(result)); });
    const auto id = client->call_async("nap", Json{{"ms", 300}},
                                       [&](kw::Result<Json> result) { second.set_value(std::move(result)); });
    client->cancel(id);
    auto cancelled = second.get_future();
    QVERIFY(cancelled.wait_for(200ms) == std::future_status::ready);
    QCOMPARE(cancelled.get().error().code, kw::ErrorCode::cancelled);
    QVERIFY(first.get_future().get());
}

void CallTest::keeps_only_the_newest() {
    const auto client = spawn();
    std::array<std::promise<kw::Result<Json>>, 5> answers;
    for (std::size_t i = 0; i < answers.size(); ++i)
        client->call_async("nap", Json{{"ms", 50}, {"key", i == 1 ? "other" : "main.cu"}},
                           [&answers, i](kw::Result<Json> result) { answers[i].set_value(std::move(result)); });
    std::array<bool, 5> ran{};
    for (std::size_t i = 0; i < answers.size(); ++i) ran[i] = answers[i].get_future().get().has_value();
    // The first may have started before the others came.
    QVERIFY(ran[1] && !ran[2] && !ran[3] && ran[4]);
}

void CallTest::answers_malformed_messages() {
    RawPeer peer;
    peer.send_body("{nonsense");
    QCOMPARE(peer.receive()["error"]["code"].get<int>(), -32700);
    peer.send_body("[]");
    QCOMPARE(peer.receive()["error"]["code"].get<int>(), -32600);
    peer.send_body(R"({"jsonrpc":"2.0","id":1})");
    QCOMPARE(peer.receive()["error"]["code"].get<int>(), -32600);
    peer.send_body(R"({"jsonrpc":"2.0","id":{"a":1},"method":"echo"})");
    QCOMPARE(peer.receive()["error"]["code"].get<int>(), -32600);
    peer.send_body(R"({"jsonrpc":"2.0","id":"two","method":"nothing"})");
    QCOMPARE(peer.receive()["error"]["code"].get<int>(), -32601);
    peer.send_body(R"({"jsonrpc":"2.0","method":"nothing"})");
    peer.send_body(R"({"jsonrpc":"2.0","method":"cancel","params":[3]})");
    peer.send_body(R"({"jsonrpc":"2.0","id":"three","method":"echo","params":[1]})");
    const auto answer = peer.receive();
    QCOMPARE(answer["id"].get<std::string>(), std::string("three"));
    QCOMPARE(answer["result"][0].get<int>(), 1);
    peer.send_body(R"({"jsonrpc":"2.0","id":9,"method":"shutdown"})");
    QVERIFY(peer.receive()["result"].is_null());
    peer.join();
    QVERIFY(peer.ok);
}

void CallTest::gives_up_on_a_framing_error() {
    RawPeer peer;
    peer.send("Content-Length: banana\r\n\r\n");
    QCOMPARE(peer.receive()["error"]["code"].get<int>(), -32600);
    peer.join();
    QVERIFY(!peer.ok);
}

void CallTest::ends_with_its_input() {
    RawPeer peer;
    peer.send_body(R"({"jsonrpc":"2.0","id":1,"method":"count"})");
    peer.receive();
    peer.hang_up();
    const auto start = std::chrono::steady_clock::now();
    peer.join();
    QVERIFY(std::chrono::steady_clock::now() - start < 1s);
}

void CallTest::says_that_its_input_was_cut() {
    for (const std::string_view cut : {"Content-Len", "Content-Length: 20\r\n\r\n{\"jsonrpc\""}) {
        RawPeer peer;
        peer.send(cut);
        peer.hang_up();
        peer.join();
        QVERIFY(!peer.ok);
    }
    RawPeer whole;
    whole.send_body(R"({"jsonrpc":"2.0","id":1,"method":"echo"})");
    whole.receive();
    whole.hang_up();
    whole.join();
    QVERIFY(whole.ok);
}

void CallTest::fails_pending_calls_when_the_peer_dies() {
    const auto client = spawn();
    std::promise<kw::Result<Json>> waiting;
    client->call_async("count", {}, [&](kw::Result<Json> result) { waiting.set_value(std::move(result)); });
    const auto answer = client->call("crash", {});
    QVERIFY(!answer);
    QCOMPARE(answer.error().code, kw::ErrorCode::crashed);
    QVERIFY2(answer.error().message.starts_with("the peer ended unexpectedly (signal 11 (SIGSEGV)): about to fall"),
             answer.error().message.c_str());
    QCOMPARE(waiting.get_future().get().error().code, kw::ErrorCode::crashed);
    QVERIFY(!client->alive());
    QCOMPARE(client->call("echo", {}).error().code, kw::ErrorCode::crashed);
}

void CallTest::reports_a_kill() {
    const auto client = spawn();
    QVERIFY(client->call("echo", {}));
    std::jthread killer{[&] {
        std::this_thread::sleep_for(50ms);
        ::kill(client->pid(), SIGKILL);
    }};
    const auto answer = client->call("count", {});
    QVERIFY(!answer);
    QVERIFY2(answer.error().message.find("SIGKILL") != std::string::npos, answer.error().message.c_str());
}

void CallTest::reports_babble() {
    const auto client = spawn();
    const auto answer = client->call("babble", {});
    QVERIFY(!answer);
    QCOMPARE(answer.error().code, kw::ErrorCode::crashed);
    QVERIFY2(answer.error().message.find("does not speak the protocol") != std::string::npos,
             answer.error().message.c_str());
}

void CallTest::an_answer_before_the_end_counts() {
    const auto client = spawn();
    bool answered = false;
    const auto answer = client->call("leave", Json{{"a", 1}}, {}, {}, {}, &answered);
    QVERIFY(answer && answered);
    QCOMPARE(*answer, (Json{{"a", 1}}));
    QTRY_VERIFY(!client->alive());
    QVERIFY(!client->call("echo", {}, {}, {}, {}, &answered));
    QVERIFY(!answered);
}

void CallTest::times_out() {
    const auto client = spawn();
    const auto answer = client->call("nap", Json{{"ms", 5000}}, {}, {}, 50ms);
    QVERIFY(!answer);
    QCOMPARE(answer.error().code, kw::ErrorCode::timeout);
}

void CallTest::kills_a_peer_that_does_not_answer() {
    const auto client = spawn();
    std::promise<kw::Result<Json>> other;
    client->call_async("count", {}, [&](kw::Result<Json> result) { other.set_value(std::move(result)); });
    const auto id = client->call_async("nap", Json{{"ms", 5000}}, [](const kw::Result<Json>&) {});
    client->must_answer(id, 100ms, "the peer sleeps; wake it");
    const auto start = std::chrono::steady_clock::now();
    const auto answer = other.get_future().get();
    QVERIFY(std::chrono::steady_clock::now() - start < 1s);
    QVERIFY(!answer);
    QCOMPARE(answer.error().code, kw::ErrorCode::timeout);
    QCOMPARE(answer.error().message, std::string("the peer sleeps; wake it"));
    QVERIFY(!client->alive());
}

void CallTest::lets_a_peer_live_that_has_answered() {
    const auto client = spawn();
    std::promise<void> answered;
    const auto id = client->call_async("echo", {}, [&](const kw::Result<Json>&) { answered.set_value(); });
    client->must_answer(id, 100ms, "no");
    answered.get_future().get();
    QVERIFY(client->call("nap", Json{{"ms", 200}}));
    QVERIFY(client->alive());
}

void CallTest::calls_back_on_destruction() {
    auto client = spawn();
    std::promise<kw::Result<Json>> waiting;
    client->call_async("nap", Json{{"ms", 5000}},
                       [&](kw::Result<Json> result) { waiting.set_value(std::move(result)); });
    client.reset();
    QCOMPARE(waiting.get_future().get().error().code, kw::ErrorCode::cancelled);
}

void CallTest::closes() {
    const auto client = spawn();
    QVERIFY(client->call("echo", {}));
    client->close(2s);
    QVERIFY(!client->alive());
    QCOMPARE(client->death()->code, kw::ErrorCode::cancelled);
}

int main(int argc, char** argv) {
    if (argc == 2 && std::string_view{argv[1]} == "--peer") {
        kw::rpc::Server server{kw::Descriptor{0}, kw::Descriptor{::dup(1)}};
        add_methods(server);
        return server.serve() ? 0 : 1;
    }
    QCoreApplication app{argc, argv};
    CallTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "test_call.moc"
