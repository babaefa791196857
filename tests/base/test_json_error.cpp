#include "engine/base/json.h"
#include "engine/base/json_error.h"

#include <QtTest/QtTest>

#include <stdexcept>

class JsonErrorTest : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void says_it_in_words();
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
    QVERIFY(!complaint(object, [](const auto& json) { return json.at(0); }).contains("json.exception"));
}

QTEST_APPLESS_MAIN(JsonErrorTest)
#include "test_json_error.moc"
