// Every typed form of the corpus: it runs, all instruction sets give the same bits, and they are those of the hardware.
#include "tests/gpu/corpus.h"
#include "tests/sim/harness.h"

#include <zlib.h>

#include <algorithm>
#include <map>

using namespace kw;
using namespace kw::sim::test;

namespace {

/// Eight-bit floats are refused by name.
bool refused(const corpus::Form& form) {
    return form.name.find("e4m3") != std::string::npos || form.name.find("e5m2") != std::string::npos;
}

/// Forms that do not give the bits of the hardware everywhere, each with where and why. All others have to.
const std::map<std::string, const char*> kOther{
    {"fns.b32", "an offset of -2^31, of which PTX says nothing"},
    {"div.approx.f32", "divisors above 2^126, by which hardware gives 0 or NaN; here they divide"},
    {"div.approx.ftz.f32", "as div.approx.f32"},
    {"sin.approx.f32", "arguments far outside of 2 pi, where hardware's reduction loses all digits"},
    {"sin.approx.ftz.f32", "as sin.approx.f32"},
    {"cos.approx.f32", "as sin.approx.f32"},
    {"cos.approx.ftz.f32", "as sin.approx.f32"},
    {"cvt.rn.f16.f64", "which bits of a NaN are kept; here it is the canonical one"},
    {"cvt.rz.f16.f64", "as cvt.rn.f16.f64"},
};

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
            if (kOther.contains(name)) {
                QVERIFY2(!found.empty(), (name + " differs no longer").c_str());
                continue;
            }
            QVERIFY2(found.empty(), found.empty() ? "" : found.front().c_str());
            ++held;
        }
        QVERIFY(held > 1000);
    }
};

} // namespace

QTEST_APPLESS_MAIN(CorpusTest)
#include "test_corpus.moc"
