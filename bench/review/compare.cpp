// What a key costs beside a suggestion: comparing two texts of 2 000 lines, with every tenth line another, line by line
// and word by word, and finding the changes in a third. Prints the median and the worst of a hundred, in milliseconds.

#include "app/desktop/compare_diff.h"

#include <QCoreApplication>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

namespace {

constexpr int kLines = 2000, kRounds = 100;

std::string source(int variant) {
    std::string text;
    for (int i = 0; i < kLines; ++i) {
        const auto line = std::to_string(i);
        text += variant > 0 && i % 10 == variant
                    ? "    accumulator_" + line + " = fmaf(row[threadIdx.x + " + line + "], scale, bias);\n"
                    : "    accumulator_" + line + " += row[threadIdx.x * " + line + "] * scale;\n";
    }
    return text;
}

} // namespace

int main(int argc, char** argv) {
    const QCoreApplication application(argc, argv);
    const std::string base = source(0), suggestion = source(1), mine = source(2);
    for (const bool third : {false, true}) {
        std::vector<double> times;
        std::size_t hunks = 0;
        for (int round = 0; round < kRounds; ++round) {
            const auto begin = std::chrono::steady_clock::now();
            const auto compared = kw::desktop::compare_texts(
                {.base = base, .suggestion = suggestion, .mine = third ? std::optional{mine} : std::nullopt});
            times.push_back(
                std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count());
            if (!compared) return 1;
            hunks = compared->comparison.hunks.size();
        }
        std::ranges::sort(times);
        std::printf("%d lines, %zu changes%s: median %.2f ms, worst %.2f ms\n", kLines, hunks,
                    third ? ", found in a third text" : "", times[kRounds / 2], times.back());
    }
    return 0;
}
