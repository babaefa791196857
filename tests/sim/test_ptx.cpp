// Lexer and parser, each alone, on good and hostile text.
#include "engine/device/sim/ptx_lexer.h"
#include "engine/device/sim/ptx_parser.h"

#include <QtTest>

#include <random>
#include <string>

using namespace kw;
using namespace kw::sim;

namespace {

const std::string kSample = R"(
.version 8.0
.target sm_90
.address_size 64
.const .align 4 .b8 table[8] = {1, 2, 3, 4};
.global .align 8 .u64 pointers[2] = {table, generic(table)+4};
.visible .entry k(.param .u64 p, .param .align 8 .b8 q[12])
.maxntid 128, 2, 1
{
  .reg .pred %p<3>; .reg .b32 %r<5>; .reg .b64 %rd<4>;
  .loc 1 3 7
  ld.param.u64 %rd1, [p];
  { .reg .b32 %r; mov.u32 %r, 1; add.s32 %r1, %r, -2; }
  .loc 2 8 1, function_name $info, inlined_at 1 3 7
  @!%p1 bra $END;
  setp.lt.and.s32 %p1|%p2, %r1, 0x10, !%p0;
  ld.global.v2.f32 {%r1, _}, [%rd1+-8];
$END:
  ret;
}
.file 1 "a.cu"
.file 2 "b.h"
)";

class PtxTest : public QObject {
    Q_OBJECT

private slots:
    void numbers() {
        const auto tokens = lex_ptx("12 0x1F 017 0b101 0f3F800000 0d3FF0000000000000 1.5 42U");
        QVERIFY(tokens);
        const std::uint64_t expected[] = {12, 31, 15, 5, 0x3f800000, 0x3ff0000000000000, 0x3ff8000000000000, 42};
        QCOMPARE(tokens->size(), std::size(expected) + 1);
        for (std::size_t index = 0; index < std::size(expected); ++index)
            QCOMPARE((*tokens)[index].bits, expected[index]);
    }
    void positions_count_from_one() {
        const auto bad = lex_ptx("add\n  \x01");
        QVERIFY(!bad);
        QVERIFY(bad.error().message.find("line 2, column 3") != std::string::npos);
        QVERIFY(!lex_ptx("/* never closed"));
        QVERIFY(!lex_ptx("\"never closed"));
        QVERIFY(!lex_ptx("0f123"));
        QVERIFY(!lex_ptx("99999999999999999999999"));
    }
    void a_module() {
        const auto module = ptx::parse(kSample);
        QVERIFY2(module, module ? "" : module.error().message.c_str());
        QCOMPARE(module->target, std::string_view("sm_90"));
        QCOMPARE(module->files.at(2), "b.h");
        QCOMPARE(module->variables.at(1).initializers.at(1).symbol, std::string_view("table"));
        QCOMPARE(module->variables.at(1).initializers.at(1).bits, std::uint64_t{4});
        const ptx::Function& k = module->functions.at(0);
        QVERIFY(k.is_entry);
        QCOMPARE(k.max_threads[0], 128u);
        QCOMPARE(k.params.at(1).bytes, std::uint64_t{12});
        QCOMPARE(k.instructions.size(), std::size_t{7});
        QVERIFY(k.instructions[1].operands[0].index
                != k.instructions[2].operands[0].index); // %r of the scope is not %r1
        QVERIFY(k.instructions[3].guard >= 0 && k.instructions[3].guard_negated);
        QCOMPARE(k.instructions[3].operands[0].kind, ptx::OperandKind::label);
        QCOMPARE(k.instructions[3].operands[0].index, 6u);
        QVERIFY(k.instructions[4].operands[0].pair);
        QVERIFY(k.instructions[4].operands[3].negated);
        QCOMPARE(k.instructions[5].operands[0].items.at(1).kind, ptx::OperandKind::sink);
        QCOMPARE(k.instructions[5].operands[1].offset, std::int64_t{-8});
        const ptx::Location& inlined = module->locations.at(static_cast<std::size_t>(k.instructions[3].location));
        QCOMPARE(inlined.line, 8);
        QCOMPARE(module->locations.at(static_cast<std::size_t>(inlined.inlined_at)).line, 3);
    }
    void errors_name_their_place() {
        const auto at = [](const std::string& text) {
            const auto module = ptx::parse(text);
            return module ? std::string("accepted") : module.error().message;
        };
        QVERIFY(at("").find("no .version") != std::string::npos);
        QVERIFY(at(".version 8.0\nadd.s32 x;").find("line 2") != std::string::npos);
        QVERIFY(at(".version 8.0\n.visible .entry k() {").find("never closed") != std::string::npos);
        QVERIFY(at(".version 8.0\n.visible .entry k() { L: L: ret; }").find("twice") != std::string::npos);
        QVERIFY(at(".version 8.0\n.visible .entry k() { @%p bra L; }").find("%p is not declared") != std::string::npos);
        QVERIFY(at(".version 8.0\n.global .b8 x[99999999999999];").find("larger") != std::string::npos);
        QVERIFY(at(".version 8.0\n.global .b8 x[2] = {1,2,3};").find("more than") != std::string::npos);
    }
    void hostile_text_costs_little() {
        std::string deep = ".version 8.0\n.visible .entry k() ";
        deep.append(100000, '{');
        QVERIFY(!ptx::parse(deep));
        QVERIFY(ptx::parse(
            ".version 8.0\n.visible .entry k() { .reg .b32 %r<4000000000>; mov.u32 %r3999999999, 1; ret; }"));
        std::string vectors = ".version 8.0\n.visible .entry k() { mov.u32 ";
        vectors.append(5000, '{');
        QVERIFY(!ptx::parse(vectors));
    }
    void damaged_text_never_crashes() {
        std::mt19937 random(3);
        for (int round = 0; round < 3000; ++round) {
            std::string text = kSample;
            for (int change = 0; change < 1 + round % 5; ++change) {
                const std::size_t at = random() % text.size();
                switch (random() % 3) {
                case 0: text.erase(at, 1 + random() % 8); break;
                case 1: text[at] = static_cast<char>(random()); break;
                default: text.insert(at, text.substr(random() % text.size(), random() % 20)); break;
                }
            }
            (void)ptx::parse(text);
        }
    }
};

} // namespace

QTEST_APPLESS_MAIN(PtxTest)
#include "test_ptx.moc"
