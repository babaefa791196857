#include "agent/drivers/advisor_rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace kw::agent {
namespace {

constexpr std::size_t kBanks = 32;
constexpr const char* kConflicts = "shared_bank_conflicts";

/// __shared__ TYPE name[…][WIDTH]; of 4-byte elements.
struct SharedTile {
    std::string name;
    std::size_t name_at = 0;
    std::size_t width = 0; ///< its first token
    std::size_t close = 0; ///< the ] behind it
};

std::optional<SharedTile> tile_at(const CudaSource& source, std::size_t shared) {
    if (source.is(shared - 1, "extern")) return std::nullopt;
    auto i = shared + 1;
    if (source.is(i, "unsigned"))
        i += source.is(i + 1, "int") ? 2 : 1;
    else if (source.is(i, "float") || source.is(i, "int"))
        ++i;
    else
        return std::nullopt;
    SharedTile tile{.name = source.at(i).text, .name_at = i};
    if (!source.is(i + 1, "[")) return std::nullopt;
    const auto second = source.match(i + 1) + 1;
    if (!source.is(second, "[")) return std::nullopt;
    tile.width = second + 1;
    tile.close = source.match(second);
    if (!source.is(tile.close + 1, ";") || tile.width == tile.close) return std::nullopt;
    return tile;
}

class PadShared final : public AdviceRule {
public:
    std::vector<Advice> advise(const Candidate& candidate) const override {
        std::vector<Advice> list;
        const auto& source = candidate.source;
        for (const auto& kernel : source.kernels())
            for (auto i = kernel.body + 1; i < kernel.end; ++i)
                if (source.is(i, "__shared__"))
                    if (const auto tile = tile_at(source, i))
                        if (auto advice = pad(candidate, kernel, *tile)) list.push_back(std::move(*advice));
        return list;
    }

private:
    static std::optional<Advice> pad(const Candidate& candidate, const CudaSource::Kernel& kernel,
                                     const SharedTile& tile) {
        const auto& source = candidate.source;
        const auto conflicts = candidate.evidence.metric(kernel.name, kConflicts);
        if (conflicts && *conflicts <= 0) return std::nullopt;
        const auto width_text = source.slice(tile.width, tile.close);
        const auto width = task::Expression::parse(width_text, Where{});
        const auto value = width ? width->evaluate(candidate.configuration) : Result<std::int64_t>{0};
        // Only a width that shares a factor with the banks makes columns meet in one; a name of the source's own is
        // believed when conflicts have been seen.
        if (value && *value % 2 != 0) return std::nullopt;
        if (!value && !conflicts) return std::nullopt;
        if (!width) return std::nullopt;
        if (!only_elements(source, kernel, tile)) return std::nullopt;
        if (!in_conflict(candidate, kernel, tile)) return std::nullopt;

        Edits edits;
        edits.insert(source.at(tile.close).offset, " + 1");
        Advice advice{.title = fmt::format("pad the rows of '{}' by one element", tile.name),
                      .reason = {},
                      .source = edits.applied(source.text()),
                      .configuration = candidate.configuration,
                      .promise = conflicts ? 0.95 : 0.5};
        if (const auto finding = candidate.evidence.finding(kernel.name, kConflicts))
            advice.reason = *finding + " ";
        else if (conflicts)
            advice.reason = fmt::format("The profile counts {:.0f} bank conflicts in {}. ", *conflicts, kernel.name);
        else
            advice.reason = fmt::format("{} has not been profiled, so conflicts are only suspected. ", kernel.name);
        advice.reason +=
            fmt::format("Rows of {} words put a column of '{}' into few of the {} banks; one word more a row "
                        "spreads it over all of them, for a little more shared memory.",
                        width_text, tile.name, kBanks);
        return advice;
    }

    /// Padding is only safe where nothing depends on where rows lie: every use names one element by two subscripts.
    static bool only_elements(const CudaSource& source, const CudaSource::Kernel& kernel, const SharedTile& tile) {
        bool used = false;
        for (auto i = kernel.body + 1; i < kernel.end; ++i) {
            if (!source.is(i, tile.name) || i == tile.name_at) continue;
            const bool cast = source.are(i - 2, "> ("); // reinterpret_cast<float4&>(tile[i][j])
            if (cast || source.is(i - 1, "&") || source.is(i - 1, ".") || source.is(i - 1, ">")
                || !source.is(i + 1, "[") || !source.is(source.match(i + 1) + 1, "["))
                return false;
            used = true;
        }
        return used && !source.is_macro(tile.name);
    }

    /// Where the profile tells conflicts by line, the tile's lines must have some.
    static bool in_conflict(const Candidate& candidate, const CudaSource::Kernel& kernel, const SharedTile& tile) {
        bool known = false;
        for (auto i = kernel.body + 1; i < kernel.end; ++i) {
            if (!candidate.source.is(i, tile.name) || i == tile.name_at) continue;
            const int line = candidate.source.line(i);
            const auto here = candidate.evidence.in_lines(kernel.name, kConflicts, line, line);
            if (here && *here > 0) return true;
            known = known || here.has_value();
        }
        return !known;
    }
};

class RemoveBarrier final : public AdviceRule {
public:
    std::vector<Advice> advise(const Candidate& candidate) const override {
        std::vector<Advice> list;
        const auto& source = candidate.source;
        if (source.is_macro("__syncthreads")) return list;
        for (const auto& kernel : source.kernels()) {
            Edits edits;
            std::size_t removed = 0;
            for (auto i = kernel.body + 1; i < kernel.end; ++i)
                if (redundant(source, kernel, i)) {
                    remove(source, i, edits);
                    ++removed;
                }
            if (removed == 0) continue;
            Advice advice{.title = fmt::format("remove {} of {}", removed == 1 ? "a barrier" : "barriers", kernel.name),
                          .reason = {},
                          .source = edits.applied(source.text()),
                          .configuration = candidate.configuration,
                          .promise = 0.3};
            if (const auto finding = candidate.evidence.finding(kernel.name, "stall_barrier")) {
                advice.reason = *finding + " ";
                advice.promise = 0.8;
            }
            advice.reason += fmt::format("A __syncthreads() that follows another at once, begins {0} or ends it orders "
                                         "nothing; {1} of that kind {2} removed. Little is expected of it.",
                                         kernel.name, removed, removed == 1 ? "is" : "are");
            list.push_back(std::move(advice));
        }
        return list;
    }

private:
    static bool barrier(const CudaSource& source, std::size_t i) {
        return source.are(i, "__syncthreads ( ) ;") && source.begins_statement(i);
    }
    static bool redundant(const CudaSource& source, const CudaSource::Kernel& kernel, std::size_t i) {
        if (!barrier(source, i)) return false;
        const bool first = i == kernel.body + 1, last = i + 4 == kernel.end;
        // What `if (…) return;` or a loop without braces governs is not the barrier behind it, but one before it may
        // be.
        const bool repeated = i > kernel.body + 4 && barrier(source, i - 4);
        return first || last || repeated;
    }
    static void remove(const CudaSource& source, std::size_t i, Edits& edits) {
        auto begin = source.at(i).offset, end = source.at(i + 3).end;
        const auto& text = source.text();
        // With its line, when nothing else is on it.
        if (const auto line = source.line_begin(i); line && end < text.size() && text[end] == '\n') {
            begin = *line;
            ++end;
        }
        edits.replace(begin, end, {});
    }
};

} // namespace

std::unique_ptr<AdviceRule> pad_shared_rule() { return std::make_unique<PadShared>(); }
std::unique_ptr<AdviceRule> barrier_rule() { return std::make_unique<RemoveBarrier>(); }

} // namespace kw::agent
