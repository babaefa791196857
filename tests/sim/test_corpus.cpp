// Every typed form of the corpus: it runs, all instruction sets give the same bits, and they are those of the hardware.
#include "tests/gpu/corpus.h"
#include "tests/sim/harness.h"

#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <string_view>

using namespace kw;
using namespace kw::sim::test;

namespace {

/// Eight-bit floats are refused by name.
bool refused(const corpus::Form& form) {
    return form.name.find("e4m3") != std::string::npos || form.name.find("e5m2") != std::string::npos;
}

/// Operands of these forms for which they do not give the bits of the hardware. All other operands have to.
struct Exception {
    std::string_view form;
    bool (*holds)(const std::byte* operand); ///< of the first operand
    const char* why;
};
bool is_far(const std::byte* operand) {
    float value = 0;
    std::memcpy(&value, operand, sizeof value);
    return std::abs(value) > 6.2831853F;
}
constexpr Exception kExceptions[] = {
    {"sin.approx.f32", is_far, "outside of 2 pi hardware's reduction loses digit by digit"},
    {"sin.approx.ftz.f32", is_far, "as sin.approx.f32"},
    {"cos.approx.f32", is_far, "as sin.approx.f32"},
    {"cos.approx.ftz.f32", is_far, "as sin.approx.f32"},
};

/// Forms that the recording has and that are not refused.
constexpr std::size_t kHeld = 1437;

class CorpusTest : public QObject {
    Q_OBJECT

private slots:
    void every_form_runs_alike_on_every_instruction_set() {
        std::vector<std::vector<std::byte>> first;
        for (const std::string& isa : instruction_sets()) {
            Bench bench({}, isa.c_str());
            std::size_t number = 0;
            for (const corpus::Form& form : corpus::forms()) {
                auto result = corpus::run(*bench.device, form);
                if (refused(form)) {
                    QVERIFY2(!result && result.error().message.find(form.name) != std::string::npos, form.name.c_str());
                    continue;
                }
                QVERIFY2(result, (form.name + ": " + (result ? "" : result.error().message)).c_str());
                if (first.size() == number) first.push_back(*result);
                QVERIFY2(first[number++] == *result, (form.name + " differs on " + isa).c_str());
            }
            QVERIFY(number > 1400);
        }
    }
    void names_are_unique() {
        std::vector<std::string> names;
        for (const corpus::Form& form : corpus::forms()) names.push_back(form.name);
        std::sort(names.begin(), names.end());
        const auto twice = std::adjacent_find(names.begin(), names.end());
        QVERIFY2(twice == names.end(), twice == names.end() ? "" : twice->c_str());
    }
    void recordings_survive_their_text() {
        corpus::Recording recording{{{"gpu", "some GPU"}}, {{"add.u32", {std::byte{0x12}, std::byte{0xf0}}}}};
        const auto back = corpus::from_text(corpus::to_text(recording));
        QVERIFY(back);
        QCOMPARE(back->provenance, recording.provenance);
        QVERIFY(back->results == recording.results);
        QVERIFY(!corpus::from_text("add.u32\t123\n"));
        QVERIFY(!corpus::from_text("add.u32\tzz\n"));
    }
    void differences_are_found() {
        const corpus::Form form{"x", "", "f32", {"f32"}, {2}};
        std::vector<std::byte> expected(corpus::kRows * 4), got = expected;
        got[0] = std::byte{2};
        QVERIFY(corpus::differences(form, expected, got).empty());
        got[0] = std::byte{3};
        QCOMPARE(corpus::differences(form, expected, got).size(), 1u);
        QCOMPARE(corpus::differences(form, expected, std::span(got).first(4)).size(), 1u);
    }
    void results_are_those_of_the_hardware() {
        const std::string path = std::string(KW_TEST_DATA) + "/h200/opcodes.tsv.gz";
        const gzFile file = gzopen(path.c_str(), "rb");
        if (!file) QSKIP("no recording of a GPU is in tests/data/h200; tests/gpu/record_opcodes makes one");
        std::string text;
        char part[65536];
        for (int count = 0; (count = gzread(file, part, sizeof part)) > 0;)
            text.append(part, static_cast<std::size_t>(count));
        gzclose(file);
        const auto recording = corpus::from_text(text);
        QVERIFY2(recording, recording ? "" : recording.error().message.c_str());
        Bench bench({});
        std::size_t held = 0;
        for (const auto& [name, expected] : recording->results) {
            const auto form = std::find_if(corpus::forms().begin(), corpus::forms().end(),
                                           [&](const corpus::Form& candidate) { return candidate.name == name; });
            if (form == corpus::forms().end() || refused(*form)) continue;
            const auto got = corpus::run(*bench.device, *form);
            QVERIFY2(got, name.c_str());
            const auto found = corpus::differences(*form, expected, *got);
            ++held;
            const auto exception = std::ranges::find(kExceptions, name, &Exception::form);
            if (exception == std::end(kExceptions)) {
                QVERIFY2(found.empty(), found.empty() ? "" : found.front().c_str());
                continue;
            }
            QVERIFY2(!found.empty(), (name + " differs no longer").c_str());
            const auto first = corpus::operands(*form, 0);
            const std::size_t bytes = corpus::bytes_of(form->from[0]);
            const auto rows = corpus::differing_rows(*form, expected, *got);
            for (std::size_t at = 0; at < rows.size(); ++at)
                QVERIFY2(exception->holds(first.data() + rows[at] * bytes), found[at].c_str());
        }
        QCOMPARE(held, kHeld);
    }
};

} // namespace

QTEST_APPLESS_MAIN(CorpusTest)
#include "test_corpus.moc"
