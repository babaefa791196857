#include "agent/launch/reply_so_far.h"
#include "agent/llm/json_text.h"

#include <QTest>

using namespace kw;
using agent::ReplySoFar;
using agent::string_so_far;
using Kind = llm::Delta::Kind;

/// What can be read of a reply before it is whole.
class TestReplySoFar : public QObject {
    Q_OBJECT

private slots:
    void a_string_is_read_at_every_length() {
        const std::string content = "a \"b\"\n\\ é € \xF0\x9F\x98\x80 end";
        const auto json = llm::dump(Json{{"path", "say \"content\": \"no\""}, {"content", content}});
        const auto escaped = std::string{"{\"content\": \"\\ud83d\\ude00\\u00e9\"}"};
        std::size_t longest = 0;
        for (std::size_t cut = 0; cut <= json.size(); ++cut) {
            const auto read = string_so_far(std::string_view{json}.substr(0, cut), "content");
            QVERIFY(content.starts_with(read));
            QVERIFY(read.size() + 4 > longest); // never shrinks by more than a character
            longest = std::max(longest, read.size());
        }
        QCOMPARE(string_so_far(json, "content"), content);
        for (std::size_t cut = 0; cut <= escaped.size(); ++cut)
            QVERIFY(
                std::string_view{"\xF0\x9F\x98\x80é"}.starts_with(string_so_far(escaped.substr(0, cut), "content")));
        QCOMPARE(string_so_far(escaped, "content"), std::string{"\xF0\x9F\x98\x80é"});
        QVERIFY(string_so_far("{\"content\": 3}", "content").empty());
        QVERIFY(string_so_far("", "content").empty());
    }

    void the_last_call_counts() {
        ReplySoFar reply;
        reply.add({Kind::reasoning, "hm"});
        reply.add({Kind::text, "so "});
        reply.add({Kind::text, "it is"});
        for (const char* piece : {"{\"path\": \"k.cu\", ", "\"content\": \"one {}", " two\"}"})
            reply.add({Kind::tool, piece});
        QCOMPARE(reply.source(), std::string{"one {} two"});
        reply.add({Kind::tool, "{\"old_text\": \"a\", \"new_text\": \"b"});
        QCOMPARE(reply.source(), std::string{"b"});
        QCOMPARE(reply.reasoning() + reply.text(), std::string{"hmso it is"});
        reply.add({Kind::restart, {}});
        QVERIFY(reply.source().empty() && reply.text().empty() && reply.reasoning().empty());
    }
};

QTEST_APPLESS_MAIN(TestReplySoFar)
#include "test_reply_so_far.moc"
