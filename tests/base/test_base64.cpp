#include "engine/base/base64.h"

#include <QtTest/QtTest>

#include <utility>

class Base64Test : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void encodes_bytes_as_base64() {
        // RFC 4648 §10.
        const std::pair<std::string, std::string> vectors[] = {{"", ""},
                                                               {"f", "Zg=="},
                                                               {"fo", "Zm8="},
                                                               {"foo", "Zm9v"},
                                                               {"foob", "Zm9vYg=="},
                                                               {"fooba", "Zm9vYmE="},
                                                               {"foobar", "Zm9vYmFy"}};
        for (const auto& [bytes, text] : vectors) {
            QCOMPARE(kw::base64_encode(bytes), text);
            QCOMPARE(kw::base64_decode(text).value(), bytes);
        }
        std::string all;
        for (int i = 0; i < 1024; ++i) all += static_cast<char>(i * 37 >> 2);
        QCOMPARE(kw::base64_decode(kw::base64_encode(all)).value(), all);
        QVERIFY(!kw::base64_decode("abc"));
        QVERIFY(!kw::base64_decode("ab!="));
    }
};

QTEST_APPLESS_MAIN(Base64Test)
#include "test_base64.moc"
