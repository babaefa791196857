#include "engine/base/json.h"
#include "engine/base/json_error.h"
#include "engine/base/json_integer.h"

#include <QtTest/QtTest>

#include <stdexcept>

class JsonErrorTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void says_it_in_words();
    void whole_numbers_are_kept_or_refused();
};

/// What reading `json` in some way complains about.
template<class Read> static std::string complaint(const kw::Json& json, Read read) {
    try {
        read(json);
    } catch (const std::exception& error) {
        return kw::what_is_wrong(error);
    }
    return "nothing";
}

void JsonErrorTest::says_it_in_words() {
    const kw::Json object{{"n", "text"}};
    QCOMPARE(complaint(object, [](const auto& json) { return json.at("files"); }), std::string("'files' is missing"));
    QCOMPARE(complaint(object, [](const auto& json) { return json.at("n").template get<int>(); }),
             std::string("there is string where number is expected"));
    QCOMPARE(complaint(object, [](const auto&) { throw std::invalid_argument("not base64"); }),
             std::string("not base64"));
    for (const kw::Json& other : {kw::Json(5), kw::Json(nullptr), kw::Json("x")}) {
        const auto expected = std::string{"there is "} + other.type_name() + " where object is expected";
        QCOMPARE(complaint(other, [](const auto& json) { return json.at("files"); }), expected);
        QCOMPARE(complaint(other, [](const auto& json) { return json.value("files", 5); }), expected);
    }
    QVERIFY(!complaint(object, [](const auto& json) { return json.at(0); }).contains("json.exception"));
}

void JsonErrorTest::whole_numbers_are_kept_or_refused() {
    QCOMPARE(kw::integer_from_json<std::uint64_t>(kw::Json::parse("18446744073709551615")), ~std::uint64_t{0});
    QCOMPARE(kw::integer_from_json<std::int64_t>(kw::Json::parse("-5")), std::int64_t{-5});
    const auto wrong = [](const char* text) {
        return complaint(kw::Json::parse(text),
                         [](const auto& json) { return kw::integer_from_json<std::uint64_t>(json); });
    };
    QCOMPARE(wrong("-1"), std::string("there is -1 where a whole number from 0 is expected"));
    QCOMPARE(wrong("\"x\""), std::string("there is string where a whole number from 0 is expected"));
    for (const char* text : {"1.5", "1e30", "1180591620717411303424", "true", "null", "[1]"})
        QVERIFY2(wrong(text) != "nothing", text);
    QCOMPARE(complaint(kw::Json::parse("9223372036854775808"),
                       [](const auto& json) { return kw::integer_from_json<std::int64_t>(json); }),
             std::string("there is 9223372036854775808 where a whole number of 64 bits is expected"));
}

QTEST_APPLESS_MAIN(JsonErrorTest)
#include "test_json_error.moc"
