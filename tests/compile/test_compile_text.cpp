#include "engine/compile/diagnostics.h"
#include "engine/compile/disasm.h"
#include "engine/compile/kernel_report.h"
#include "engine/compile/lexer.h"
#include "engine/compile/line_table.h"
#include "engine/compile/names.h"
#include "engine/compile/ptx_reader.h"
#include "engine/compile/source_scan.h"

#include <QTest>

using namespace kw;
using namespace kw::compile;

namespace {

std::vector<std::string> tokens(std::string_view text) {
    std::vector<std::string> out;
    Lexer lexer(text);
    for (Token token = lexer.next(); token.kind != TokenKind::end; token = lexer.next())
        out.push_back((token.kind == TokenKind::hash      ? "hash "
                       : token.kind == TokenKind::literal ? "lit "
                                                          : "")
                      + std::string(token.text));
    return out;
}

constexpr const char* kPtx = R"(.version 9.0
.target sm_90
.address_size 64
	// .globl	_Z1kILi128EEvPKfPfs
.visible .entry _Z1kILi128EEvPKfPfs(
	.param .u64 .ptr .align 1 _Z1k_param_0,
	.param .align 16 .b8 _Z1k_param_1[24],
	.param .u8 _Z1k_param_2,
	.param .u16 _Z1k_param_3
)
.maxntid 128, 2, 1
{
	.reg .b32 	%r<4>;
	.loc	1 4 0
	.shared .align 4 .b8 _s[512];
	ld.param.u64 	%rd1, [_Z1k_param_0];
	{
	mov.b32 	%r1, {%rs1, %rs2};
	}
	.loc	1 6 9
	bar.sync 	0;
$L__BB0_2:
	.loc	2 1 16, function_name $L__info_string0, inlined_at 1 7 3
	add.s32 	%r2, %r1, 1;
	ret;

}
.func  (.param .b32 func_retval0) helper(
	.param .b32 helper_param_0
)
{
	.loc	2 9 0
	ret;
}
	.file	1 "k.cu"
	.file	2 "sub/h.h"
)";

} // namespace

/// Everything that only reads text; no compiler is needed.
class TextTest : public QObject {
    Q_OBJECT

private Q_SLOTS:
    void ptx_strings_lose_the_pretended_folder() {
        const auto listed = [](std::string_view text) {
            std::string out;
            for (const char letter : text) out += std::to_string(static_cast<int>(letter)) + ", ";
            return out;
        };
        const std::string plain = "= {" + listed("a.cu") + "0};\n.file 1 \"a.cu\"\n";
        QCOMPARE(ptx_without_roots("= {" + listed(task_name("a.cu")) + "0};\n.file 1 \"" + task_name("a.cu") + "\"\n"),
                 plain);
        QCOMPARE(ptx_without_roots("= {" + listed(header_root("0123456789abcdef01") + "a.cu") + "0};\n.file 1 \""
                                   + task_name("a.cu") + "\"\n"),
                 plain);
    }
    void lexing() {
        QCOMPARE(tokens("a/**/b // c\n#x"), (std::vector<std::string>{"a", "b", "hash #", "x"}));
        QCOMPARE(tokens("  %:define"), (std::vector<std::string>{"hash %:", "define"}));
        QCOMPARE(tokens("a # b"), (std::vector<std::string>{"a", "#", "b"}));
        QCOMPARE(tokens("fo\\\no"), (std::vector<std::string>{"foo"}));
        QCOMPARE(tokens("// a\\\nb\nc"), (std::vector<std::string>{"c"}));
        QCOMPARE(tokens("\"/*\" 'x' u8\"a\\\"b\""),
                 (std::vector<std::string>{"lit \"/*\"", "lit 'x'", "lit u8\"a\\\"b\""}));
        QCOMPARE(tokens("1'000'000 1e+5 .5f 0x1p-3"), (std::vector<std::string>{"1'000'000", "1e+5", ".5f", "0x1p-3"}));
        QCOMPARE(tokens("don't\nx"), (std::vector<std::string>{"don", "lit 't", "x"}));
        QCOMPARE(tokens("R\"a(\")\" )a\" x"), (std::vector<std::string>{"lit R\"", "x"}));
        QCOMPARE(tokens("R\"(a\\\nb)\" x"), (std::vector<std::string>{"lit R\"", "x"}));
        QCOMPARE(tokens("R\"(never closed"), (std::vector<std::string>{"lit R\""}));
        QCOMPARE(tokens("/* never closed"), std::vector<std::string>{});
    }

    void offsets_survive_splices() {
        Lexer lexer("a\\\n\\\nb c\\\n d");
        Token token = lexer.next();
        QCOMPARE(token.end, std::size_t{6});
        token = lexer.next();
        QCOMPARE(token.offset, std::size_t{7});
        QCOMPARE(token.end, std::size_t{8});
        token = lexer.next();
        QCOMPARE(token.offset, std::size_t{11});
        QVERIFY(!token.line_start);
    }

    void declarations_are_noticed() {
        const auto scan =
            scan_file("k.cu", "#define M_E 3\ntypedef unsigned uint32_t;\nusing int8_t = char;\nconst float FLT_MAX = "
                              "1;\nstruct uint {};\n"
                              "float f() { return INFINITY; }\nbool g(int x) { return x <= INT_MAX || INT_MIN == x; }\n"
                              "uint16_t q; const uint64_t z = UINT_MAX;\n");
        QVERIFY(scan);
        for (const char* const own : {"M_E", "uint32_t", "int8_t", "FLT_MAX", "uint"})
            QVERIFY2(scan->declared.contains(own), own);
        for (const char* const used : {"INFINITY", "INT_MAX", "INT_MIN", "uint16_t", "uint64_t", "UINT_MAX"})
            QVERIFY2(!scan->declared.contains(used), used);
    }

    void kernels_are_noticed() {
        const auto scan = scan_file("k.cu", "template<int N>\n__global__ __launch_bounds__(256, 2) void\nsoftmax(const "
                                            "float* __restrict__ x,\n  int n = f(1, 2)) {\n}\n"
                                            "extern \"C\" __global__ void __launch_bounds__(N * 2) other();\n");
        QVERIFY(scan);
        QCOMPARE(scan->kernels.size(), std::size_t{2});
        QCOMPARE(scan->kernels[0].name, std::string("softmax"));
        QCOMPARE(scan->kernels[0].where, (Where{"k.cu", 3, 1}));
        QCOMPARE(scan->kernels[0].parameters, std::string("const float* __restrict__ x, int n=f(1, 2)"));
        QCOMPARE(scan->kernels[1].name, std::string("other"));
        QCOMPARE(scan->kernels[1].parameters, std::string());
        QCOMPARE(base_name("::ns::softmax<256, float>"), std::string_view("softmax"));
    }

    void log_of_the_front_end() {
        const ParsedLog log = parse_log(
            "k (2).cu(3): error #20: identifier \"x\" is undefined\n      \t    x = 3;\n      \t    ^\n"
            "\n"
            "h.h(1): error: name must be a class\n  template<class T> struct A{ typename T::x v; };\n                  "
            "                     ^\n"
            "          detected during:\n"
            "            instantiation of class \"A<T> [with T=float]\" at line 2\n"
            "            [ 3 instantiation contexts not shown ]\n"
            "            instantiation of \"void g(T) [with T=float]\" at line 4 of k.cu\n"
            "\n"
            "k.cu(2): error: no instance of overloaded function \"f\" matches\n            argument types are: (float "
            "*)\n"
            "  f(a);\n  ^\nk.cu(1): note #3322-D: number of parameters differs\n  void f(int,int);\n       ^\n\n"
            "Remark: The warnings can be suppressed with \"-diag-suppress <warning-number>\"\n\n"
            "nvrtc: error: invalid value for --gpu-architecture (-arch)\n"
            "k.cu(5): catastrophic error: cannot open source file \"a.h\"\n\n3 errors detected in the compilation of "
            "\"k.cu\".\n");
        QCOMPARE(log.diagnostics.size(), std::size_t{5});
        QCOMPARE(log.diagnostics[0].file, std::string("k (2).cu"));
        QCOMPARE(log.diagnostics[0].line, 3);
        QCOMPARE(log.diagnostics[0].code, std::string("20"));
        QCOMPARE(log.diagnostics[1].column, 38);
        QCOMPARE(log.diagnostics[1].notes.size(), std::size_t{3});
        QCOMPARE(log.diagnostics[1].notes[0].file, std::string("h.h"));
        QCOMPARE(log.diagnostics[1].notes[1].line, 0);
        QCOMPARE(log.diagnostics[1].notes[2].file, std::string("k.cu"));
        QCOMPARE(log.diagnostics[1].notes[2].line, 4);
        QCOMPARE(log.diagnostics[2].message,
                 std::string("no instance of overloaded function \"f\" matches argument types are: (float *)"));
        QCOMPARE(log.diagnostics[2].notes.size(), std::size_t{1});
        QCOMPARE(log.diagnostics[2].notes[0].code, std::string("3322"));
        QVERIFY(log.diagnostics[3].file.empty());
        QCOMPARE(log.diagnostics[4].severity, Severity::error);
    }

    void log_of_the_assembler() {
        const ParsedLog log = parse_log(
            "ptxas warning : For entry _Z1kPf adjusting per thread register count of 16 to lower bound of 24\n"
            "ptxas info    : 0 bytes gmem, 12 bytes cmem[3]\n"
            "ptxas info    : Compiling entry function '_Z1kPf' for 'sm_90'\n"
            "ptxas info    : Function properties for _Z1kPf\n"
            "ptxas         .     40 bytes stack frame, 36 bytes spill stores, 32 bytes spill loads\n"
            "ptxas info    : Used 14 registers, used 1 barriers, 512 bytes smem, 376 bytes cmem[0], 8 bytes cmem[2]\n"
            "ptxas info    : Function properties for _Z1gf\n"
            "ptxas         .     8 bytes stack frame, 4 bytes spill stores, 4 bytes spill loads\n"
            "ptxas application ptx input, line 26; error   : Unknown modifier '.bar'\n"
            "ptxas error   : Entry function '_Z1kPf' uses too much shared data (0x61a80 bytes, 0xc000 max)\n"
            "ptxas fatal   : Ptx assembly aborted due to errors\n");
        const PtxasStatistics& statistics = log.statistics.at("_Z1kPf");
        QCOMPARE(statistics.registers, 14u);
        QCOMPARE(statistics.stack_bytes, 40u);
        QCOMPARE(statistics.spill_store_bytes, 36u);
        QCOMPARE(statistics.spill_load_bytes, 32u);
        QCOMPARE(statistics.shared_bytes, 512u);
        QCOMPARE(statistics.constant_bytes, 384u);
        QCOMPARE(log.diagnostics.size(), std::size_t{3});
        QCOMPARE(log.diagnostics[0].severity, Severity::warning);
        QCOMPARE(log.diagnostics[1].file, std::string("ptx"));
        QCOMPARE(log.diagnostics[1].line, 26);
        Diagnostic diagnostic = log.diagnostics[2];
        explain_ptxas({{"k", "float* a", {"k.cu", 7, 3}}}, diagnostic);
        QVERIFY2(diagnostic.message.starts_with("Entry function 'k' uses too much shared data"),
                 diagnostic.message.c_str());
        QCOMPARE(diagnostic.line, 7);
    }

    void any_text_is_a_log() {
        std::string text;
        unsigned state = 1;
        for (int i = 0; i < 20'000; ++i) {
            state = state * 1664525u + 1013904223u;
            static constexpr std::string_view kPieces[] = {"k.cu(1): ",   "error",   ": ", "\n",    "  ^",
                                                           "ptxas ",      ", line ", "; ", "(",     ")",
                                                           "99999999999", "#",       "-D", "_Z1kPf"};
            text += kPieces[(state >> 16) % std::size(kPieces)];
        }
        (void)parse_log(text);
        (void)ptx_entries(text);
        (void)LineTable(text);
        (void)parse_nvdisasm(text);
    }

    void entries() {
        const auto found = ptx_entries(kPtx);
        QCOMPARE(found.size(), std::size_t{1});
        QCOMPARE(found[0].max_threads, 256u);
        QCOMPARE(found[0].shared_bytes, 512u);
        const std::vector<Parameter>& parameters = found[0].parameters;
        QCOMPARE(parameters.size(), std::size_t{4});
        QVERIFY(parameters[0].pointer);
        QCOMPARE(parameters[0].align, 8u);
        QCOMPARE(parameters[1].offset, 16u);
        QCOMPARE(parameters[1].bytes, 24u);
        QCOMPARE(parameters[2].offset, 40u);
        QCOMPARE(parameters[3].offset, 42u);
        QCOMPARE(parameters[3].ptx_type, std::string("u16"));
        QCOMPARE(parameter_types("_Z1kIfJLi1ELi2EEEvPKT_1VPS3_RA3_i6float4bhPKPKiPFviEy"),
                 (std::vector<std::string>{"float const*", "V", "V*", "int (&) [3]", "float4", "bool", "unsigned char",
                                           "int const* const*", "void (*)(int)", "unsigned long long"}));
        QCOMPARE(demangled_name("_ZN1a1kILi64EfEEvPT0_"), std::string("a::k<64, float>"));
        QCOMPARE(demangled_name("plain"), std::string("plain"));
    }

    void pointers() {
        for (const char* const type :
             {"float*", "float const*", "int (&) [3]", "void (*)(int)", "float* const", "float* __restrict", "T&"})
            QVERIFY2(is_pointer_type(type), type);
        for (const char* const type : {"float", "std::pair<int*, int>", "unsigned long long"})
            QVERIFY2(!is_pointer_type(type), type);
    }

    void lines_both_ways() {
        const LineTable table(kPtx);
        QCOMPARE(table.files(), (std::vector<std::string>{"k.cu", "sub/h.h"}));
        QVERIFY(!table.source_of(1));
        QVERIFY(!table.source_of(100'000));
        QCOMPARE(table.source_of(16)->source, (SourceLine{"k.cu", 4, 0}));
        QCOMPARE(table.source_of(21)->source, (SourceLine{"k.cu", 6, 9}));
        QCOMPARE(table.source_of(24)->source, (SourceLine{"sub/h.h", 1, 16}));
        QCOMPARE(*table.source_of(24)->inlined_at, (SourceLine{"k.cu", 7, 3}));
        QCOMPARE(table.ptx_of("sub/h.h", 1), (std::vector<std::size_t>{23, 24, 25}));
        QVERIFY(table.ptx_of("k.cu", 99).empty());
        QCOMPARE(table.first_between(5, 30)->line, 4);
    }

    void ptx_listing_has_sources() {
        const Listing listing = ptx_listing(kPtx);
        QCOMPARE(listing.target, std::string("sm_90"));
        QCOMPARE(listing.functions.size(), std::size_t{2});
        QCOMPARE(listing.functions[0].name, std::string("k<128>"));
        QCOMPARE(listing.functions[1].lowered, std::string("helper"));
        const std::string text =
            render(listing, {{"k.cu", "\n\n\nfour\n\n  six();\n"}, {"sub/h.h", "return i + 1;\n"}});
        QVERIFY(text.contains("// k.cu:6  six();\n    bar.sync \t0;"));
        QVERIFY(text.contains("// sub/h.h:1, inlined at line 7  return i + 1;"));
    }

    void sass_listing_has_sources() {
        const Listing listing = parse_nvdisasm(
            "\t.target\tsm_90\n\t.section\t.nv.info,\"\",@\"SHT\"\n        /*0000*/ not code\n"
            "\t.section\t.text._Z1kPi,\"ax\",@progbits\n_Z1kPi:\n.text._Z1kPi:\n"
            "\t//## File \"/dev/null/task/k.cu\", line 5\n        /*0000*/                   LDC R1, c[0x0][0x28] ;\n"
            "\t//## File \"/dev/null/task/@0123456789abcdef/sub/h.h\", line 2 inlined at \"/dev/null/task/k.cu\", line "
            "6\n"
            ".L_x_1:\n        /*0010*/              @!P0 EXIT ;\n");
        QCOMPARE(listing.functions.size(), std::size_t{1});
        const std::vector<ListingLine>& lines = listing.functions[0].lines;
        QCOMPARE(listing.functions[0].name, std::string("k"));
        QCOMPARE(lines.size(), std::size_t{5});
        QCOMPARE(lines[2].text, std::string("LDC R1, c[0x0][0x28] ;"));
        QCOMPARE(lines[2].source, (SourceLine{"k.cu", 5, 0}));
        QCOMPARE(lines[4].address, std::uint64_t{16});
        QCOMPARE(lines[4].source, (SourceLine{"sub/h.h", 2, 0}));
        QCOMPARE(lines[4].inlined_at->line, 6);
        QCOMPARE(to_json(listing)["functions"][0]["lines"][4]["line"].get<int>(), 2);
    }

    void json_round_trip() {
        Diagnostic diagnostic{Severity::warning, "k.cu", 3, 4, "message", "177", {}};
        diagnostic.notes.push_back({Severity::note, "h.h", 1, 0, "here", "", {}});
        QVERIFY(to_json(diagnostic_from_json(to_json(diagnostic))) == to_json(diagnostic));
        Kernel kernel;
        kernel.name = "k<1>";
        kernel.lowered = "_Z1k";
        kernel.where = {"k.cu", 2, 5};
        kernel.parameters.push_back({"float*", true, 0, 8, 8, "u64"});
        kernel.registers = 7;
        QVERIFY(to_json(kernel_from_json(to_json(kernel))) == to_json(kernel));
        QCOMPARE(kernel_from_json(to_json(kernel)).where, kernel.where);
    }

    void latin_1_becomes_utf_8() { QCOMPARE(to_utf8("caf\xE9 \xC3\xA9"), std::string("caf\xC3\xA9 \xC3\xA9")); }
};

QTEST_APPLESS_MAIN(TextTest)
#include "test_compile_text.moc"
