// What a key costs beside a suggestion: comparing two texts, line by line and word by word, and finding the changes in
// a third. Texts of 2 000 lines with every tenth line another; as large as is compared at all (256 KiB), the same; and
// as many lines as are compared, short and every other another, which is as bad as it gets. Prints the median and the
// worst of the rounds, in milliseconds.

#include "app/desktop/compare_diff.h"

#include <QCoreApplication>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

namespace {

struct Case {
    const char* name;
    std::size_t bytes; ///< about that many
    bool short_lines;
    int every; ///< one line in this many is another
    int rounds;
};

constexpr Case kCases[] = {{"2 000 lines", 116'000, false, 10, 100},
                           {"256 KiB", kw::desktop::kMostCompared, false, 10, 30},
                           {"8 000 short lines", kw::desktop::kMostCompared, true, 2, 30}};

std::string source(const Case& made, int variant) {
    std::string text;
    for (int i = 0; i < static_cast<int>(kw::desktop::kMostComparedLines); ++i) {
        const auto line = std::to_string(i);
        const bool other = variant > 0 && i % made.every == variant % made.every;
        std::string next;
        if (made.short_lines)
            next = (other ? std::string(1, static_cast<char>('a' + variant)) : std::string()) + std::to_string(i % 1000)
                   + "\n";
        else if (other)
            next = "    accumulator_" + line + " = fmaf(row[threadIdx.x + " + line + "], scale, bias);\n";
        else
            next = "    accumulator_" + line + " += row[threadIdx.x * " + line + "] * scale;\n";
        if (text.size() + next.size() > made.bytes) return text;
        text += next;
    }
    return text;
}

} // namespace

int main(int argc, char** argv) {
    const QCoreApplication application(argc, argv);
    for (const auto& made : kCases) {
        const std::string base = source(made, 0), suggestion = source(made, 1), mine = source(made, 2);
        for (const bool third : {false, true}) {
            std::vector<double> times;
            std::size_t hunks = 0;
            for (int round = 0; round < made.rounds; ++round) {
                const auto begin = std::chrono::steady_clock::now();
                const auto compared = kw::desktop::compare_texts(
                    {.base = base, .suggestion = suggestion, .mine = third ? std::optional{mine} : std::nullopt});
                times.push_back(
                    std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
                if (!compared) return 1;
                hunks = compared->comparison.hunks.size();
            }
            std::ranges::sort(times);
            std::printf("%s, %zu changes%s: median %.2f ms, worst %.2f ms\n", made.name, hunks,
                        third ? ", found in a third text" : "", times[times.size() / 2], times.back());
        }
    }
    return 0;
}
