#include "editor/cuda_spans.h"

#include <QTest>

#include <string>

using namespace kw::editor;

namespace {

/// Each span as "kind:text", line by line.
std::vector<std::string> spans_of(std::string_view text, LineState* end = nullptr) {
    static constexpr const char* kNames[] = {"d", "key", "name", "<<<", "op", "arg"};
    std::vector<std::string> out;
    LineState state = 0;
    while (!text.empty()) {
        const auto stop = std::min(text.find('\n'), text.size());
        std::vector<Span> spans;
        state = scan_line(text.substr(0, stop), state, spans);
        for (const auto& span : spans)
            out.push_back(std::string(kNames[static_cast<int>(span.kind)]) + ":"
                          + std::string(text.substr(span.begin, span.end - span.begin)));
        text.remove_prefix(std::min(stop + 1, text.size()));
    }
    if (end) *end = state;
    return out;
}

using Spans = std::vector<std::string>;

} // namespace

class TestCudaSpans : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void directives_have_keyword_and_names() {
        QCOMPARE(spans_of("//@ tune BLOCK = 64 128"),
                 (Spans{"d://@ ", "key:tune", "d: ", "name:BLOCK", "d: = 64 128"}));
        QCOMPARE(spans_of("  //@ launch k<BLOCK><<<rows, 1>>>(x) cooperative"),
                 (Spans{"d://@ ", "key:launch", "d: ", "name:k", "d:<BLOCK>", "<<<:<<<", "d:rows, 1", "<<<:>>>",
                        "d:(x) ", "key:cooperative"}));
        QCOMPARE(spans_of("//@ tune A = 1 \\\n  2 3\nint x;"),
                 (Spans{"d://@ ", "key:tune", "d: ", "name:A", "d: = 1 \\", "d:  2 3"}));
        QCOMPARE(spans_of("//@ tuna A"), (Spans{"d://@ tuna A"}));
        QCOMPARE(spans_of("//@"), (Spans{"d://@"}));
    }

    void what_looks_like_one_in_a_comment_or_string_is_none() {
        QCOMPARE(spans_of("/* \n//@ tune A = 1\n*/ x"), Spans{});
        QCOMPARE(spans_of("const char* s = \"//@ tune\"; // <<<"), Spans{});
        QCOMPARE(spans_of("// //@ tune A"), Spans{});
    }

    void launch_brackets_are_not_template_ends() {
        QCOMPARE(spans_of("k<<<1, 32>>>(x);"), (Spans{"<<<:<<<", "<<<:>>>"}));
        QCOMPARE(spans_of("a<b<c<int>>> d(1);"), Spans{});
    }

    void assembly_shows_its_instructions() {
        QCOMPARE(spans_of("asm volatile(\"ld.global.nc.f32 %0, [%1];\" : \"=f\"(x) : \"l\"(p));"),
                 (Spans{"op:ld.global.nc.f32", "arg:%0", "arg:%1"}));
        QCOMPARE(spans_of("asm (\"{\\n\\t\"\n  \".reg .pred p;\\n\\t\"\n  \"@p bra L;\\n\\t\" \"L: mov.u32 %0, "
                          "%%laneid;\"\n : \"=r\"(x));\n f(\"mov.u32\");"),
                 (Spans{"op:.reg", "op:bra", "op:mov.u32", "arg:%0", "arg:%%laneid"}));
        LineState state = 1;
        (void)spans_of("asm volatile(\"bar.sync 0;\" ::: \"memory\");\n", &state);
        QCOMPARE(state, LineState{0});
    }

    void any_bytes_are_scanned() {
        unsigned seed = 1;
        const std::string_view letters = "asm(\"%;:)<>/*@\\\n '{}tune//@R.1";
        for (int round = 0; round < 3000; ++round) {
            std::string text;
            for (int i = 0; i < 60; ++i) {
                seed = seed * 1664525 + 1013904223;
                text += letters[(seed >> 16) % letters.size()];
            }
            LineState state = 0;
            for (std::size_t at = 0; at < text.size();) {
                const auto stop = std::min(text.find('\n', at), text.size());
                std::vector<Span> spans;
                state = scan_line(std::string_view(text).substr(at, stop - at), state, spans);
                std::size_t last = 0;
                for (const auto& span : spans) {
                    QVERIFY(span.begin >= last && span.end > span.begin && span.end <= stop - at);
                    last = span.end;
                }
                at = stop + 1;
            }
        }
    }
};

QTEST_APPLESS_MAIN(TestCudaSpans)
#include "test_cuda_spans.moc"
