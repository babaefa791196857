#include "editor/heat_margin.h"
#include "editor/kernel_strip.h"
#include "editor/listing.h"
#include "editor/listing_lexer.h"
#include "editor/listing_pane.h"

#include <QComboBox>
#include <QLabel>
#include <QSignalSpy>
#include <QTest>
#include <QToolButton>
#include <Qsci/qsciscintilla.h>

using namespace kw;
using namespace kw::editor;

namespace {

constexpr const char* kPtx = ".version 9.0\n.target sm_90\n.address_size 64\n"
                             ".visible .entry _Z1kPf(\n\t.param .u64 _Z1kPf_param_0\n)\n{\n"
                             "\t.reg .b64 %rd<2>;\n"
                             "\t.loc 1 3 5\n\tld.param.u64 %rd1, [_Z1kPf_param_0];\n"
                             "\t.loc 1 4 5\n\tst.global.f32 [%rd1], 0f00000000;\n$L1:\n"
                             "\t.loc 2 9 1, function_name $L, inlined_at 1 4 7\n\tadd.s64 %rd1, %rd1, 4;\n"
                             "\t.loc 1 3 9\n\tbra $L1;\n\tret;\n}\n"
                             ".visible .entry _Z5otherv()\n{\n\t.loc 1 8 1\n\tret;\n}\n"
                             ".file 1 \"k.cu\"\n.file 2 \"h.h\"\n";

constexpr const char* kSass = "\t.target\tsm_90\n\t.section\t.text._Z1kPf,\"ax\",@progbits\n"
                              "_Z1kPf:\n.text._Z1kPf:\n"
                              "\t//## File \"/dev/null/task/k.cu\", line 3\n"
                              "        /*0000*/                   LDC R1, c[0x0][0x28] ;\n"
                              "        /*0010*/                   IADD3 R2, R1, 0x4, RZ ;\n"
                              "\t//## File \"/dev/null/task/h.h\", line 2 inlined at \"/dev/null/task/k.cu\", line 4\n"
                              "        /*0020*/              @!P0 STG.E [R2.64], R1 ;\n"
                              "        /*0030*/                   EXIT ;\n";

profile::Report report() {
    profile::Report out;
    profile::LaunchProfile launch;
    launch.kernel = "k";
    launch.lowered = "_Z1kPf";
    launch.instructions = {{0, "k.cu", 3, {{"samples", 5}}}, {0x20, "k.cu", 4, {{"samples", 15}}}};
    out.launches.push_back(launch);
    return out;
}

std::string line_text(const Listing& listing, int line) {
    std::string_view rest = listing.text;
    for (int i = 1; i < line; ++i) rest.remove_prefix(rest.find('\n') + 1);
    return std::string(rest.substr(0, rest.find('\n')));
}

} // namespace

class TestListing : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void ptx_is_linked_both_ways() {
        const Listing listing = parse_listing(kPtx, "k.cu");
        QVERIFY(listing.kind == Listing::Kind::ptx);
        QCOMPARE(listing.kernels.size(), std::size_t{2});
        QCOMPARE(listing.kernels[0].name, std::string("k"));
        QCOMPARE(listing.kernels[1].lowered, std::string("_Z5otherv"));
        const auto three = listing.lines_of(3);
        QCOMPARE(three.size(), std::size_t{3}); // ld.param, bra, ret
        QVERIFY(line_text(listing, three[0]).find("ld.param.u64") != std::string::npos);
        const auto four = listing.lines_of(4);
        QCOMPARE(four.size(), std::size_t{2}); // the store, and what was inlined there
        QVERIFY(line_text(listing, four[1]).find("add.s64") != std::string::npos);
        QVERIFY(listing.lines_of(0).empty() && listing.lines_of(99).empty());
        QCOMPARE(listing.kernel_at(listing.lines_of(8).at(0))->name, std::string("other"));
        QCOMPARE(parse_listing(kPtx, "h.h").lines_of(9).size(), std::size_t{1});
        QCOMPARE(std::ranges::count(listing.text, '\n'), std::ptrdiff_t(listing.source_line.size()));
    }

    void sass_has_offsets() {
        const Listing listing = parse_listing(kSass, "k.cu");
        QVERIFY(listing.kind == Listing::Kind::sass);
        QCOMPARE(listing.kernels.size(), std::size_t{1});
        QCOMPARE(listing.lines_of(3).size(), std::size_t{2});
        const auto four = listing.lines_of(4);
        QCOMPARE(four.size(), std::size_t{2});
        QCOMPARE(listing.offset[static_cast<std::size_t>(four[0]) - 1], std::int64_t{0x20});
        const auto heat = instruction_heat(listing, report(), "samples");
        QVERIFY(heat.has_value());
        QCOMPARE(heat->lines.at(four[0]), 15.0);
        QCOMPARE(heat->total, 20.0);
        QVERIFY(!instruction_heat(listing, report(), "barriers"));
        QVERIFY(!instruction_heat(parse_listing(kPtx, "k.cu"), report(), "samples"));
    }

    void a_worker_s_answer_gives_the_same() {
        const Listing direct = parse_listing(kSass, "k.cu");
        const Json answer{{"ok", true}, {"listing", compile::to_json(compile::parse_nvdisasm(kSass))}};
        const auto read = listing_from_json(answer, "k.cu");
        QVERIFY(read.has_value());
        QCOMPARE(read->text, direct.text);
        QCOMPARE(read->source_line, direct.source_line);
        QCOMPARE(read->offset, direct.offset);
        for (const char* broken :
             {"{}", "{\"language\":1,\"functions\":[]}", "{\"language\":\"ptx\",\"functions\":[{}]}",
              "{\"language\":\"ptx\",\"functions\":[{\"name\":\"k\",\"lines\":[{\"text\":\"a\",\"address\":-1}]}]}",
              "[]", "{\"language\":\"ptx\",\"functions\":3}"})
            QVERIFY2(!listing_from_json({{"listing", Json::parse(broken)}}, "k.cu").has_value(), broken);
        QVERIFY(!listing_from_json(Json::object(), "k.cu").has_value());
        QVERIFY(!listing_from_json(Json(1), "k.cu").has_value());
    }

    void any_text_is_parsed() {
        for (const char* text :
             {"", "\n\n", ".entry", ".visible .entry k(", "//## File \"", "\t.section\t.text.\n/*zz*/ x", "\x80\xFF{"})
            (void)parse_listing(text, "k.cu");
        QVERIFY(parse_listing("nonsense", "k.cu").kernels.empty());
    }

    void words_have_their_styles() {
        const auto styles = [](const char* line, Listing::Kind kind) {
            std::vector<std::string> out;
            for (const auto& span : listing_spans(line, kind))
                out.push_back(std::to_string(static_cast<int>(span.style)) + ":"
                              + std::string(line).substr(span.begin, span.end - span.begin));
            return out;
        };
        using V = std::vector<std::string>;
        QCOMPARE(styles("    ld.global.f32 \t%f1, [%rd4+8];", Listing::Kind::ptx),
                 (V{"2:ld.global.f32", "4:%f1", "4:%rd4", "5:8"}));
        QCOMPARE(styles("    @%p1 bra \t$L__BB0_7;", Listing::Kind::ptx), (V{"3:@%p1", "3:bra", "7:$L__BB0_7"}));
        QCOMPARE(styles("    .reg .pred \t%p<30>;", Listing::Kind::ptx), (V{"8:.reg", "8:.pred", "4:%p", "5:30"}));
        QCOMPARE(styles("$L__BB0_7:", Listing::Kind::ptx), (V{"7:$L__BB0_7:"}));
        QCOMPARE(styles("    0020  @!P0 STG.E [R2.64], R1 ;", Listing::Kind::sass),
                 (V{"6:0020", "3:@!P0", "2:STG.E", "4:R2.64", "4:R1"}));
        QCOMPARE(styles("    0010  IADD3 R2, R1, 0x4, RZ ;", Listing::Kind::sass),
                 (V{"6:0010", "1:IADD3", "4:R2", "4:R1", "5:0x4", "4:RZ"}));
        QCOMPARE(styles("", Listing::Kind::sass), V{});
    }

    void the_pane_follows_and_leads() {
        ListingPane pane;
        pane.resize(500, 300);
        pane.show();
        (void)QTest::qWaitForWindowActive(&pane);
        QSignalSpy lines(&pane, &ListingPane::source_line_activated);
        QSignalSpy kinds(&pane, &ListingPane::kind_requested);
        pane.show_working();
        pane.set_listing(parse_listing(kPtx, "k.cu"));
        QVERIFY(pane.text()->isVisible());
        QCOMPARE(lines.count(), 0);
        pane.highlight_source_line(4);
        for (const int line : pane.listing().lines_of(4)) QVERIFY(pane.text()->markersAtLine(line - 1) & 1 << 8);
        QCOMPARE(pane.text()->markersAtLine(pane.listing().lines_of(3).at(0) - 1) & 1 << 8, 0u);
        pane.text()->setFocus();
        pane.text()->setCursorPosition(pane.listing().lines_of(4).at(0) - 2, 0);
        QTRY_COMPARE(lines.count(), 1);
        lines.clear();
        QTest::keyClick(pane.text(), Qt::Key_Home, Qt::ControlModifier);
        QTest::qWait(20);
        pane.highlight_source_line(0);
        for (int i = 0; i < 30 && lines.isEmpty(); ++i) {
            QTest::keyClick(pane.text(), Qt::Key_Down);
            QTest::qWait(5);
        }
        QCOMPARE(lines.count(), 1);
        QCOMPARE(lines.at(0).at(0).toInt(), 3);
        auto* kernels = pane.findChild<QComboBox*>();
        QCOMPARE(kernels->count(), 2);
        for (auto* button : pane.findChildren<QToolButton*>())
            if (button->text() == QStringLiteral("SASS")) button->click();
        QCOMPARE(kinds.count(), 1);
        QVERIFY(kinds.at(0).at(0).value<Listing::Kind>() == Listing::Kind::sass);
        pane.set_heat(std::make_shared<profile::Report>(report()), "samples");
        QVERIFY(!pane.heat()->isVisible());
        pane.set_listing(parse_listing(kSass, "k.cu"));
        QVERIFY(pane.heat()->isVisible());
        pane.show_problem(QStringLiteral("nvdisasm was not found."), QStringLiteral("Install the CUDA Toolkit."));
        QVERIFY(!pane.text()->isVisible());
        QStringList shown;
        for (auto* label : pane.findChildren<QLabel*>())
            if (label->isVisible()) shown << label->text();
        QVERIFY(shown.contains(QStringLiteral("nvdisasm was not found."))
                && shown.contains(QStringLiteral("Install the CUDA Toolkit.")));
        pane.highlight_source_line(3); // nothing there
    }

    void a_refresh_keeps_the_place() {
        std::string text = ".visible .entry k()\n{\n.loc 1 1 1\n";
        for (int i = 0; i < 500; ++i) text += "\tadd.s32 %r1, %r1, " + std::to_string(i) + ";\n";
        text += "}\n.file 1 \"k.cu\"\n";
        ListingPane pane;
        pane.resize(400, 200);
        pane.show();
        pane.set_listing(parse_listing(text, "k.cu"));
        pane.text()->SendScintilla(QsciScintilla::SCI_SETFIRSTVISIBLELINE, 200UL);
        pane.set_listing(parse_listing(text, "k.cu"));
        QCOMPARE(pane.text()->firstVisibleLine(), 200);
    }

    void kernels_are_summed_up() {
        compile::Kernel kernel;
        kernel.name = "k<128>";
        kernel.registers = 64;
        kernel.shared_bytes = 1024;
        kernel.spill_bytes = 16;
        const auto limits = device::sm_limits(90);
        const std::vector<compile::Kernel> kernels{kernel};
        const std::vector<LaunchShape> launches{
            {"k<128>", 128, 2048}, {"k<128>", 128, 2048}, {"k<128>", 256, 0}, {"other", 1, 0}};
        const auto facts = kernel_facts(kernels, launches, limits);
        QCOMPARE(facts.size(), std::size_t{2});
        QVERIFY(facts[0].occupancy.has_value());
        QCOMPARE(facts[0].occupancy->fraction, device::occupancy(limits, 128, 64, 3072).fraction);
        QCOMPARE(kernel_facts(kernels, {}, limits).size(), std::size_t{1});
        QVERIFY(!kernel_facts(kernels, {}, limits)[0].occupancy);
        QVERIFY(!kernel_facts(kernels, launches, {})[0].occupancy);
        KernelStrip strip;
        QVERIFY(strip.isHidden());
        strip.set_kernels(facts);
        QVERIFY(!strip.isHidden());
        QStringList texts;
        for (auto* label : strip.findChildren<QLabel*>()) texts << label->accessibleName();
        const QString all = texts.join(QLatin1Char('|'));
        QVERIFY2(all.contains(QStringLiteral("64 registers")) && all.contains(QStringLiteral("spilled"))
                     && all.contains(QStringLiteral("limited by")),
                 qPrintable(all));
        QSignalSpy chosen(&strip, &KernelStrip::kernel_activated);
        strip.findChild<QToolButton*>()->click();
        QCOMPARE(chosen.at(0).at(0).toString(), QStringLiteral("k<128>"));
        strip.set_kernels({});
        QVERIFY(strip.isHidden());
    }
};

QTEST_MAIN(TestListing)
#include "test_listing.moc"
