#include "agent/patch/hunks.h"

#include <QTest>

#include <algorithm>
#include <random>

using namespace kw::patch;

namespace {

Change change(const std::string& base, const std::string& target) {
    auto made = change_between(base, target);
    Q_ASSERT(made);
    return *made;
}

/// Lines out of a small alphabet, so that there are many alike; now and then without an end, with CR, or with a NUL.
std::string random_text(std::mt19937& random) {
    std::string text;
    const auto lines = random() % 12;
    for (unsigned i = 0; i < lines; ++i) {
        text += std::string("abcd").substr(0, random() % 4);
        if (random() % 16 == 0) text += '\0';
        if (random() % 8 == 0) text += '\r';
        text += '\n';
    }
    if (random() % 3 == 0) text += "end";
    return text;
}

std::string lines_edited(const std::string& text, std::mt19937& random) {
    std::string result;
    for (std::size_t begin = 0; begin < text.size();) {
        const auto end = std::min(text.find('\n', begin), text.size() - 1) + 1;
        const auto what = random() % 6;
        if (what == 0) result += "new\n";
        if (what != 1) result += text.substr(begin, end - begin);
        begin = end;
    }
    return result;
}

} // namespace

class TestHunks : public QObject {
    Q_OBJECT
private Q_SLOTS:
    void how_much_of_a_hunk_is_in_a_text_is_told() {
        const std::string base = "a\nb\nc\nd\n", target = "a\nB1\n}\nB2\nc\n";
        const auto made = change(base, target);
        QCOMPARE(made.hunks.size(), 2u);
        const auto piece = [](const Hunk& hunk, std::size_t first = 0, std::size_t lines = 0) {
            const auto place = named(hunk.id);
            Q_ASSERT(place && place->target_line == hunk.target_line && place->target_lines == hunk.target_lines);
            return Piece{hunk.target_line + first, lines > 0 ? lines : hunk.target_lines, hunk.removed, hunk.id};
        };
        const auto in = [&](const std::string& text, const Piece& what) {
            return presence_of(change(text, target), what);
        };
        const auto replaced = piece(made.hunks[0]), removed = piece(made.hunks[1]);
        QCOMPARE(in(base, replaced), Presence::none);
        QCOMPARE(in(target, replaced), Presence::all);
        QCOMPARE(in("a\nB1\nmine\n}\nB2\nc\nd\n", replaced), Presence::all); // nothing of it is missing
        QCOMPARE(in("a\nB1\n}\nb\nc\n", replaced), Presence::some);
        QCOMPARE(in("a\nb\n}\nc\n", replaced), Presence::none); // a brace says nothing
        QCOMPARE(in("a\nb\nB2\nc\n", piece(made.hunks[0], 2, 1)), Presence::all);
        QCOMPARE(in(base, removed), Presence::none);
        QCOMPARE(in(target, removed), Presence::all);
        QCOMPARE(in(target + "mine\n", removed), Presence::all);
        QCOMPARE(in("a\nb\nc\nmine\nd\n", removed), Presence::none);
        const Piece not_kept{removed.line, 0, {}, removed.id};
        QCOMPARE(in(base, not_kept), Presence::none);
        QCOMPARE(in(target, not_kept), Presence::all);
    }

    void what_is_no_name_of_a_hunk_is_refused() {
        for (const char* text :
             {"", "12", "12+", "12+3", "0+1:a", "-1+1:a", "x+1:a", "1+x:a", "99999999999999999999999+1:a"})
            QVERIFY2(!named(text), text);
        const Piece far{~std::size_t{0}, ~std::size_t{0}, {}, {}};
        QCOMPARE(presence_of(change("a", "b"), far), Presence::none);
        QCOMPARE(presence_of(change("a\n", "a\n"), Piece{0, ~std::size_t{0}, {}, {}}), Presence::all);
    }

    void a_change_is_told_by_line() {
        const auto made = change("a\nb\nc\nd\n", "a\nB\nc\nd\ne\n");
        QCOMPARE(made.hunks.size(), 2u);
        QCOMPARE(made.hunks[0].base_line, 1u);
        QCOMPARE(made.hunks[0].removed, std::string("b\n"));
        QCOMPARE(made.hunks[0].added, std::string("B\n"));
        QCOMPARE(made.hunks[1].base_line, 4u);
        QCOMPARE(made.hunks[1].base_lines, 0u);
        QCOMPARE(made.hunks[1].added, std::string("e\n"));
        QVERIFY(made.hunks[0].id != made.hunks[1].id);
        QCOMPARE(change("a\nb\nc\nd\n", "a\nB\nc\nd\n").hunks[0].id, made.hunks[0].id);
        QVERIFY(change("same", "same").hunks.empty());
    }

    // The heart of accepting and undoing: no order of them leaves anything behind.
    void any_hunks_taken_and_given_back_in_any_order_give_the_base() {
        std::mt19937 random(7);
        std::size_t hunks = 0;
        for (int round = 0; round < 3000; ++round) {
            const auto base = random_text(random);
            const auto made = change(base, random() % 2 ? random_text(random) : lines_edited(base, random));
            hunks += made.hunks.size();
            QCOMPARE(with_taken(made, Taken(made.hunks.size(), false)), made.base);
            QCOMPARE(with_taken(made, Taken(made.hunks.size(), true)), made.target);
            Taken taken(made.hunks.size(), false);
            std::string text = base;
            for (std::size_t i = 0; i < 2 * made.hunks.size(); ++i) {
                const auto index = random() % made.hunks.size();
                const auto toggled = toggle(made, taken, index, text);
                QVERIFY2(toggled, toggled ? "" : toggled.error().message.c_str());
                taken[index] = !taken[index];
                text = toggled->text;
                QCOMPARE(text, with_taken(made, taken));
            }
            for (std::size_t i = 0; i < made.hunks.size(); ++i) {
                if (!taken[i]) continue;
                const auto toggled = toggle(made, taken, i, text);
                QVERIFY(toggled);
                taken[i] = false;
                text = toggled->text;
            }
            QCOMPARE(text, base);
        }
        QVERIFY(hunks > 3000);
    }

    void edits_elsewhere_stay_and_the_hunk_finds_its_place() {
        const auto made = change("a\nb\nc\nd\ne\n", "a\nb\nc\nD\nD2\ne\n");
        const auto toggled = toggle(made, {false}, 0, "mine\na\nb\nc\nd\ne\nmine too\n");
        QVERIFY(toggled);
        QCOMPARE(toggled->text, std::string("mine\na\nb\nc\nD\nD2\ne\nmine too\n"));
        QCOMPARE(toggled->line, 4u);
        QCOMPARE(toggled->lines, 2u);
        const auto back = toggle(made, {true}, 0, toggled->text);
        QVERIFY(back);
        QCOMPARE(back->text, std::string("mine\na\nb\nc\nd\ne\nmine too\n"));
    }

    void an_edit_of_the_same_lines_is_a_conflict() {
        const auto made = change("a\nb\nc\n", "a\nB\nc\n");
        const auto toggled = toggle(made, {false}, 0, "a\nmine\nc\n");
        QVERIFY(!toggled);
        QCOMPARE(toggled.error().where.line, 2);
        QVERIFY(toggled.error().message.find("line 2") != std::string::npos);
        // An insertion has no lines of its own, so that its neighbours tell where it belongs.
        const auto insertion = change("a\nb\n", "a\nnew\nb\n");
        QVERIFY(!toggle(insertion, {false}, 0, "a\nother\nb\n"));
        QVERIFY(toggle(insertion, {false}, 0, "first\na\nb\nlast\n"));
    }

    void a_hunk_keeps_its_name_while_the_base_changes_elsewhere() {
        const auto before = change("a\nb\nc\nd\n", "A\nb\nc\nD\n"), after = change("A\nb\nc\nd\n", "A\nb\nc\nD\n");
        QCOMPARE(after.hunks.size(), 1u);
        QCOMPARE(after.hunks[0].id, before.hunks[1].id);
        QVERIFY(before.hunks[1].id.starts_with("4+1:"));
    }

    // Whatever has been taken is told from the text alone.
    void hunks_are_found_in_any_mixture() {
        std::mt19937 random(11);
        std::size_t told = 0;
        for (int round = 0; round < 2000; ++round) {
            // Lines that are all different, so that there is one answer.
            std::string base, target;
            for (int i = 0; i < 12; ++i) {
                const auto line = std::to_string(round) + " " + std::to_string(i) + "\n";
                base += line;
                const auto what = random() % 8;
                if (what == 0) target += "new " + line;
                if (what != 1) target += what == 2 ? "changed " + line : line;
            }
            const auto made = change(base, target);
            Taken taken(made.hunks.size());
            for (std::size_t i = 0; i < taken.size(); ++i) taken[i] = random() % 2 == 0;
            std::string text = "mine\n" + with_taken(made, taken);
            const auto places = locate(made, text);
            QVERIFY(places);
            for (std::size_t i = 0; i < taken.size(); ++i) {
                if (made.hunks[i].base_line == 0) continue; // next to what was put before it
                QCOMPARE((*places)[i].state, taken[i] ? Place::State::taken : Place::State::open);
                ++told;
            }
        }
        QVERIFY(told > 2000);
    }

    void an_edited_hunk_is_found_in_conflict() {
        const auto made = change("a\nb\nc\nd\n", "a\nB\nc\nD\n");
        const auto places = locate(made, "a\nmine\nc\nd\n");
        QVERIFY(places);
        QCOMPARE((*places)[0].state, Place::State::conflict);
        QCOMPARE((*places)[0].line, 1u);
        QCOMPARE((*places)[1].state, Place::State::open);
    }

    void taking_by_splices_gives_the_target() {
        std::mt19937 random(5);
        for (int round = 0; round < 3000; ++round) {
            const auto base = random_text(random), target = random_text(random);
            std::string text = base;
            // One after the other, each found anew: what accepting all one by one does.
            for (auto made = change(text, target); !made.hunks.empty(); made = change(text, target)) {
                const auto& hunk = made.hunks[random() % made.hunks.size()];
                Taken taken(made.hunks.size(), false);
                taken[static_cast<std::size_t>(&hunk - made.hunks.data())] = true;
                text = spliced(text, splice_of(hunk, hunk.base_line));
                QCOMPARE(text, with_taken(made, taken));
            }
            QCOMPARE(text, target);
        }
    }

    void part_of_a_hunk_is_taken_line_by_line() {
        const auto made = change("a\nb\nc\nz\n", "a\nB\nC\nD\nz\n");
        const auto& hunk = made.hunks[0];
        QCOMPARE(spliced(made.base, splice_of_part(hunk, 1, 0, 1)), std::string("a\nB\nc\nz\n"));
        QCOMPARE(spliced(made.base, splice_of_part(hunk, 1, 1, 1)), std::string("a\nb\nC\nz\n"));
        QCOMPARE(spliced(made.base, splice_of_part(hunk, 1, 2, 1)), std::string("a\nb\nc\nD\nz\n"));
        QCOMPARE(spliced(made.base, splice_of_part(hunk, 1, 0, 3)), made.target);
        // Ends of lines are put where a text lacks its last.
        const auto open = change("a", "a\nb\nc");
        QCOMPARE(spliced("a", splice_of_part(open.hunks[0], 0, 1, 1)), std::string("a\nb\n"));
    }

    void words_that_differ_are_told() {
        const std::string removed = "    m = max(m, x[i]);\n", added = "    m = fmaxf(m, v.x);\n";
        const auto words = changed_words(removed, added);
        QCOMPARE(removed.substr(words.removed[0].begin, words.removed[0].end - words.removed[0].begin),
                 std::string("max"));
        QCOMPARE(added.substr(words.added[0].begin, words.added[0].end - words.added[0].begin), std::string("fmaxf"));
        QVERIFY(changed_words("float a = 1;\n", "return;\n").added.empty());
        QVERIFY(changed_words("same", "same").added.empty());
    }

    void bytes_are_kept() {
        const std::string base("x\r\ny\0z\n\xff\xfe", 9), target("x\r\nq\n\xff\xfe\n");
        const auto made = change(base, target);
        QCOMPARE(with_taken(made, Taken(made.hunks.size(), true)), target);
        QCOMPARE(with_taken(made, Taken(made.hunks.size(), false)), base);
    }

    void empty_texts() {
        QCOMPARE(with_taken(change("", "a\n"), {true}), std::string("a\n"));
        QCOMPARE(with_taken(change("a\n", ""), {true}), std::string());
        const auto toggled = toggle(change("", "a\n"), {false}, 0, "");
        QVERIFY(toggled);
        QCOMPARE(toggled->text, std::string("a\n"));
    }
};

QTEST_APPLESS_MAIN(TestHunks)
#include "test_hunks.moc"
