#include "editor/text_codec.h"

#include <QTest>

#include <random>

using namespace kw::editor;

class TestTextCodec : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void what_a_file_says_is_kept() {
        const auto plain = decode_text("a\nb\n", "k.cu");
        QVERIFY(plain.has_value());
        QCOMPARE(plain->text, std::string("a\nb\n"));
        QVERIFY(!plain->format.byte_order_mark);
        QVERIFY(plain->format.line_end == LineEnd::lf);
        const auto windows = decode_text("\xEF\xBB\xBF"
                                         "a\r\nb\r\nc\n",
                                         "k.cu");
        QVERIFY(windows.has_value());
        QVERIFY(windows->format.byte_order_mark);
        QVERIFY(windows->format.line_end == LineEnd::crlf);
        QCOMPARE(windows->text, std::string("a\r\nb\r\nc\n"));
        QCOMPARE(encode_text(windows->text, windows->format).value(), std::string("\xEF\xBB\xBF"
                                                                                  "a\r\nb\r\nc\n"));
        // A second mark is a character of the text.
        const auto twice = decode_text("\xEF\xBB\xBF\xEF\xBB\xBFx", "k.cu");
        QCOMPARE(twice->text, std::string("\xEF\xBB\xBFx"));
    }

    void other_encodings_are_latin1() {
        const auto latin = decode_text("caf\xE9 \xFF", "k.cu");
        QVERIFY(latin.has_value());
        QVERIFY(latin->format.encoding == Encoding::latin1);
        QCOMPARE(latin->first_invalid, std::size_t{3});
        QCOMPARE(latin->text, std::string("caf\xC3\xA9 \xC3\xBF"));
        const auto back = encode_text("\xE2\x82\xAC", latin->format); // the euro sign
        QVERIFY(!back.has_value());
        QVERIFY(back.error().message.find("Latin-1") != std::string::npos);
    }

    void what_is_no_text_is_refused() {
        const auto refused = [](std::string_view bytes, const char* word) {
            const auto decoded = decode_text(bytes, "k.cu");
            return !decoded && decoded.error().message.find(word) != std::string::npos
                   && decoded.error().message.starts_with("k.cu");
        };
        QVERIFY(refused(std::string_view("a\0b", 3), "binary"));
        QVERIFY(refused(std::string_view("\xFF\xFE"
                                         "a\0",
                                         4),
                        "UTF-16"));
        QVERIFY(refused(std::string_view("\xFE\xFF\0a", 4), "UTF-16"));
        QVERIFY(refused(std::string(kMaxTextBytes + 1, 'x'), "16 MB"));
        QVERIFY(decode_text(std::string(kMaxTextBytes, 'x'), "k.cu").has_value());
        QVERIFY(decode_text("", "k.cu").has_value());
    }

    // Whatever is accepted comes back byte for byte, and its text is UTF-8.
    void every_accepted_text_comes_back() {
        std::mt19937 random(7);
        const std::vector<std::string> pieces{"a",
                                              "\n",
                                              "\r\n",
                                              "\r",
                                              "\xEF\xBB\xBF",
                                              "\xC3\xA4",
                                              "\xE2\x82\xAC",
                                              "\xF0\x9F\x98\x80",
                                              "\xED\xA0\x80",
                                              "\xC0\x80",
                                              "\xFF",
                                              "\x80",
                                              "\xE9",
                                              " "};
        int latin = 0;
        for (int round = 0; round < 5000; ++round) {
            std::string bytes;
            const auto count = random() % 12;
            for (std::size_t i = 0; i < count; ++i) {
                if (random() % 4)
                    bytes += pieces[random() % (round % 2 ? 8 : pieces.size())];
                else
                    bytes += static_cast<char>(round % 2 ? random() % 127 + 1 : random() % 255 + 1);
            }
            const auto decoded = decode_text(bytes, "k.cu");
            if (!decoded) {
                QVERIFY(bytes.starts_with("\xFF\xFE") || bytes.starts_with("\xFE\xFF"));
                continue;
            }
            latin += decoded->format.encoding == Encoding::latin1;
            const auto again = decode_text(decoded->text, "text");
            QVERIFY(again.has_value() && again->format.encoding == Encoding::utf8);
            QCOMPARE(encode_text(decoded->text, decoded->format).value(), bytes);
        }
        QVERIFY(latin > 500);
    }
};

QTEST_APPLESS_MAIN(TestTextCodec)
#include "test_text_codec.moc"
