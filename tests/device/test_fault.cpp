// Faults and checks as JSON and text, both ways.
#include "engine/device/device.h"

#include <QtTest>

using namespace kw;
using namespace kw::device;

namespace {

class FaultTest : public QObject {
    Q_OBJECT

private slots:
    void both_parties_travel() {
        Fault fault;
        fault.kind = FaultKind::race;
        fault.message = "race";
        fault.where = {"k.cu", 4, 5};
        fault.block = Dim3{1, 2, 3};
        fault.thread = Dim3{4, 5, 6};
        fault.other = FaultParty{"wrote 4 bytes here before", {"k.cu", 9, 2}, Dim3{1, 2, 3}, Dim3{7, 8, 9}};
        const Fault back = fault_from_json(Json::parse(to_json(fault).dump()));
        QVERIFY(back.other);
        QCOMPARE(back.other->did, fault.other->did);
        QVERIFY(back.other->where == fault.other->where);
        QVERIFY(back.other->block == fault.other->block && back.other->thread == fault.other->thread);
        QCOMPARE(other_party_text(back), "thread (7, 8, 9) of the same block wrote 4 bytes here before");
        fault.other->block = Dim3{0, 0, 0};
        QCOMPARE(other_party_text(fault), "thread (7, 8, 9) of block (0, 0, 0) wrote 4 bytes here before");
    }
    void one_party_stays_one() {
        QVERIFY(!fault_from_json(to_json(Fault{})).other);
        QCOMPARE(other_party_text(Fault{}), "");
        const Fault torn = fault_from_json(Json::parse(R"({"other": {"did": 7, "block": [1, "x", 3]}})"));
        QVERIFY(torn.other && torn.other->did.empty() && !torn.other->block);
    }
    void checks_are_named() {
        QVERIFY(checks_from("all") == all_checks());
        const auto none = checks_from("none");
        QVERIFY(none && !none->init && !none->race && !none->sync && !none->shuffle);
        const auto some = checks_from("memory,race,init");
        QVERIFY(some && some->init && some->race && !some->sync && !some->shuffle);
        for (const Checks& checks : {all_checks(), Checks{}, *none, *some})
            QVERIFY(checks_from(to_string(checks)) == checks);
        for (const char* wrong : {"", "races", "all,race", "race,", ",race", "race init"}) {
            const auto read = checks_from(wrong);
            QVERIFY2(!read, wrong);
            QVERIFY(read.error().message.find("is no check") != std::string::npos);
        }
    }
};

} // namespace

QTEST_APPLESS_MAIN(FaultTest)
#include "test_fault.moc"
