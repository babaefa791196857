#include "engine/rpc/framing.h"
#include "engine/rpc/protocol.h"

#include <QtTest/QtTest>

#include <random>

using kw::rpc::Decoder;

class FramingTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void reads_what_was_framed();
    void accepts_any_split();
    void reads_several_at_once();
    void ignores_other_headers();
    void refuses_hostile_headers_data();
    void refuses_hostile_headers();
    void does_not_trust_the_announced_size();
    void survives_random_bytes();
    void measures_nesting();
    void refuses_bad_bodies_data();
    void refuses_bad_bodies();
    void errors_travel_whole();
    void reads_foreign_errors();
    void repairs_text_that_is_not_utf8();
};

static std::vector<std::string> all(Decoder& decoder) {
    std::vector<std::string> bodies;
    for (;;) {
        auto body = decoder.next();
        if (!body || !*body) return bodies;
        bodies.push_back(std::move(**body));
    }
}

void FramingTest::reads_what_was_framed() {
    Decoder decoder;
    decoder.feed(kw::rpc::frame("{\"a\":1}"));
    QCOMPARE(all(decoder), std::vector<std::string>{"{\"a\":1}"});
    QVERIFY(decoder.at_boundary());
}

void FramingTest::accepts_any_split() {
    const auto text = kw::rpc::frame("first") + kw::rpc::frame("") + kw::rpc::frame("third\r\n\r\n");
    for (std::size_t piece = 1; piece <= text.size(); ++piece) {
        Decoder decoder;
        std::vector<std::string> bodies;
        for (std::size_t i = 0; i < text.size(); i += piece) {
            decoder.feed(std::string_view{text}.substr(i, piece));
            for (auto& body : all(decoder)) bodies.push_back(std::move(body));
        }
        QCOMPARE(bodies, (std::vector<std::string>{"first", "", "third\r\n\r\n"}));
        QVERIFY(decoder.at_boundary());
    }
}

void FramingTest::reads_several_at_once() {
    std::string text;
    for (int i = 0; i < 1000; ++i) text += kw::rpc::frame(std::to_string(i));
    Decoder decoder;
    decoder.feed(text);
    const auto bodies = all(decoder);
    QCOMPARE(bodies.size(), std::size_t{1000});
    QCOMPARE(bodies.back(), std::string("999"));
}

void FramingTest::ignores_other_headers() {
    Decoder decoder;
    decoder.feed(
        "Content-Type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-length:\t2 \r\nX-Whatever:\r\n\r\nok");
    QCOMPARE(all(decoder), std::vector<std::string>{"ok"});
}

void FramingTest::refuses_hostile_headers_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("expected");
    QTest::newRow("no length") << QByteArray("X: 1\r\n\r\n") << QByteArray("no Content-Length");
    QTest::newRow("empty header") << QByteArray("\r\n\r\n") << QByteArray("no Content-Length");
    QTest::newRow("two lengths") << QByteArray("Content-Length: 1\r\nContent-Length: 2\r\n\r\n")
                                 << QByteArray("two Content-Length");
    QTest::newRow("negative") << QByteArray("Content-Length: -1\r\n\r\n") << QByteArray("not a Content-Length");
    QTest::newRow("not a number") << QByteArray("Content-Length: 12x\r\n\r\n") << QByteArray("not a Content-Length");
    QTest::newRow("past 2^64") << QByteArray("Content-Length: 18446744073709551617\r\n\r\n")
                               << QByteArray("not a Content-Length");
    QTest::newRow("too large") << QByteArray("Content-Length: 1000000000000\r\n\r\n") << QByteArray("at most");
    QTest::newRow("no colon") << QByteArray("Welcome to host7\r\n\r\n") << QByteArray("Welcome to host7");
    QTest::newRow("endless header") << QByteArray(9000, 'a') << QByteArray("longer than 8192");
    QTest::newRow("long header that ends") << QByteArray(9000, 'a') + "\r\n\r\n" << QByteArray("longer than 8192");
}

void FramingTest::refuses_hostile_headers() {
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, expected);
    Decoder decoder;
    decoder.feed(text.toStdString());
    const auto body = decoder.next();
    QVERIFY(!body);
    QVERIFY2(QByteArray::fromStdString(body.error().message).contains(expected), body.error().message.c_str());
}

void FramingTest::does_not_trust_the_announced_size() {
    Decoder decoder;
    decoder.feed("Content-Length: 536870912\r\n\r\nx");
    const auto body = decoder.next();
    QVERIFY(body && !*body);
}

void FramingTest::survives_random_bytes() {
    std::mt19937 random{7};
    const std::string alphabet = "Content-Length: 0123\r\n\r\n{}[]\"";
    for (int round = 0; round < 2000; ++round) {
        Decoder decoder;
        for (int piece = 0; piece < 20; ++piece) {
            std::string text;
            for (int i = 0; i < 10; ++i) text += alphabet[random() % alphabet.size()];
            decoder.feed(text);
            const auto body = decoder.next();
            if (!body) break;
        }
    }
}

void FramingTest::measures_nesting() {
    QCOMPARE(kw::rpc::nesting_depth("{\"a\":[1,[2]]}"), std::size_t{3});
    QCOMPARE(kw::rpc::nesting_depth("\"[[[\\\"[[\""), std::size_t{0});
    QCOMPARE(kw::rpc::nesting_depth("]]["), std::size_t{1});
    QCOMPARE(kw::rpc::nesting_depth("\"\\"), std::size_t{0});
}

void FramingTest::refuses_bad_bodies_data() {
    QTest::addColumn<QByteArray>("text");
    QTest::addColumn<QByteArray>("expected");
    QTest::newRow("not JSON") << QByteArray("{\"a\":") << QByteArray("not JSON at byte");
    QTest::newRow("trailing text") << QByteArray("{} {}") << QByteArray("not JSON at byte");
    QTest::newRow("Latin-1") << QByteArray("\"caf\xe9\"") << QByteArray("not UTF-8 at byte 4");
    QTest::newRow("deep") << QByteArray(1'000'000, '[') << QByteArray("nested deeper");
    QTest::newRow("lone surrogate") << QByteArray("\"\\ud800\"") << QByteArray("not JSON at byte");
}

void FramingTest::refuses_bad_bodies() {
    QFETCH(QByteArray, text);
    QFETCH(QByteArray, expected);
    const auto body = kw::rpc::parse_body(text.toStdString());
    QVERIFY(!body);
    QVERIFY2(QByteArray::fromStdString(body.error().message).contains(expected), body.error().message.c_str());
}

void FramingTest::errors_travel_whole() {
    const kw::Error error{
        kw::Stage::task, kw::ErrorCode::invalid_input, "no such tensor 'q'", "more", {"softmax.cu", 3, 14}};
    const auto back = kw::rpc::error_from_json(kw::rpc::to_json(error));
    QCOMPARE(back.stage, error.stage);
    QCOMPARE(back.code, error.code);
    QCOMPARE(back.message, error.message);
    QCOMPARE(back.detail, error.detail);
    QVERIFY(back.where == error.where);
}

void FramingTest::reads_foreign_errors() {
    QCOMPARE(kw::rpc::error_from_json(kw::Json(3)).stage, kw::Stage::rpc);
    QCOMPARE(kw::rpc::error_from_json(kw::Json{{"message", 4}, {"data", {{"where", "x"}}}}).code,
             kw::ErrorCode::internal);
    QCOMPARE(
        kw::rpc::error_from_json(kw::Json{{"message", "from the future"}, {"data", {{"code", "quantum"}}}}).message,
        std::string("from the future"));
}

void FramingTest::repairs_text_that_is_not_utf8() {
    Decoder decoder;
    decoder.feed(kw::rpc::response_frame(1, kw::Json{{"output", "caf\xe9"}}));
    auto body = decoder.next();
    QVERIFY(body && *body);
    const auto json = kw::rpc::parse_body(**body);
    QVERIFY(json);
    QCOMPARE((*json)["result"]["output"].get<std::string>(), std::string("caf\xef\xbf\xbd"));
}

QTEST_APPLESS_MAIN(FramingTest)
#include "test_framing.moc"
