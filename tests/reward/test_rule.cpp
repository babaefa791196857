#include "engine/reward/rule.h"

#include <QTest>

using namespace kw::reward;

namespace {

Facts correct(std::vector<Speedup> speedups) { return {true, true, true, {}, std::move(speedups), false}; }

Speedup speedup(double lo, double value, double hi, std::string name = "baseline.cu") {
    return {std::move(name), value, {lo, hi}};
}

} // namespace

class TestRule : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void wrongIsMinusOne() {
        QCOMPARE(score({}, {}).value, -1.0);
        QCOMPARE(score({}, {}).because, std::string("it does not compile"));
        Facts facts = correct({speedup(3, 3, 3)});
        facts.audit_passed = false;
        QCOMPARE(score(facts, {}).value, -1.0);
        facts.failure = "it writes outside y";
        QCOMPARE(score(facts, {}).because, std::string("it writes outside y"));
        facts.audit_passed = true;
        facts.verified = false;
        QCOMPARE(score(facts, {}).value, -1.0);
        QVERIFY(score(facts, {}).speedups.empty());
    }

    void ladder() {
        QCOMPARE(score(correct({}), {}).value, 1.0);
        QCOMPARE(score(correct({speedup(1.04, 1.06, 1.08)}), {}).value, 1.0);
        QCOMPARE(score(correct({speedup(1.06, 1.08, 1.1)}), {}).value, 3.0);
        QCOMPARE(score(correct({speedup(1.06, 1.08, 1.1), speedup(0.9, 1, 1.1)}), {}).value, 2.0);
        QCOMPARE(score(correct({speedup(1.06, 1.08, 1.1), speedup(1.2, 1.3, 1.4)}), {}).value, 3.0);
        QCOMPARE(score(correct({speedup(0.9, 1, 1.1), speedup(1.2, 1.3, 1.4)}), {}).value, 1.0);
        // Exactly at the margin is not above it.
        QCOMPARE(score(correct({speedup(1.05, 1.05, 1.05)}), {}).value, 1.0);
    }

    void sentence() {
        Facts facts = correct({speedup(1.5, 1.5, 1.5)});
        facts.estimated = true;
        QCOMPARE(score(facts, {}).because,
                 std::string("correct and more than 5 % faster than the baseline: 1.50x baseline.cu, estimated"));
        QCOMPARE(
            score(correct({speedup(1.01, 1.03, 1.05)}), {}).because,
            std::string("correct, but not more than 5 % faster than the baseline: 1.03x baseline.cu (1.01 to 1.05)"));
    }

    void rescoring() {
        const Facts facts = correct({speedup(1.06, 1.08, 1.1)});
        Rule strict{"strict", 0.5, -10, 0, 5, 10};
        QCOMPARE(score(facts, strict).value, 0.0);
        QCOMPARE(score(facts, strict).rule, std::string("strict"));
        strict.margin = 0;
        QCOMPARE(score(facts, strict).value, 10.0);
    }

    void json() {
        const Rule rule{"strict", 0.5, -10, 0, 5, 10};
        QVERIFY(rule_from_json(to_json(rule)).value() == rule);
        QVERIFY(rule_from_json(kw::Json::object()).value() == Rule{});
        QVERIFY(rule_from_json(kw::Json::parse("[]")).error().message.starts_with("a reward rule is a JSON object"));
        QVERIFY(rule_from_json(kw::Json::parse(R"({"magin": 1})"))
                    .error()
                    .message.starts_with("a reward rule has no 'magin'"));
        QVERIFY(!rule_from_json(kw::Json::parse(R"({"margin": "1"})")).has_value());
        QVERIFY(!rule_from_json(kw::Json::parse(R"({"margin": -1})")).has_value());
        QVERIFY(!rule_from_json(kw::Json::parse(R"({"name": 1})")).has_value());
        const Reward reward = score(correct({speedup(1.06, 1.08, 1.1), speedup(1, 2, 3, "b.cu")}), {});
        QVERIFY(reward_from_json(kw::Json::parse(to_json(reward).dump())) == reward);
    }
};

QTEST_APPLESS_MAIN(TestRule)
#include "test_rule.moc"
