#include "agent/trajectory/import_steps.h"

#include "agent/trajectory/import_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

namespace kw::trajectory {
namespace {

constexpr std::size_t kLongestTitle = 80;

bool is_kernel(const FileChange& change) {
    const auto ends = [&](std::string_view ending) { return change.path.ends_with(ending); };
    if (ends(".cu") || ends(".cuh") || ends(".hip")) return true;
    if (!ends(".py") || !change.text) return false;
    return std::ranges::any_of(std::array{"__global__", "triton.jit", "load_inline"},
                               [&](const char* mark) { return change.text->find(mark) != std::string::npos; });
}

std::string_view base_name(std::string_view path) { return path.substr(path.rfind('/') + 1); }

/// The first line that says something, cut between characters.
std::string first_line(std::string_view text) {
    const auto start = text.find_first_not_of(" \t\r\n#*");
    if (start == text.npos) return {};
    auto line = text.substr(start, text.find_first_of("\r\n", start) - start);
    if (line.size() <= kLongestTitle) return std::string{line};
    auto end = kLongestTitle;
    while (end > 0 && (static_cast<unsigned char>(line[end]) & 0xC0) == 0x80) --end;
    return std::string{line.substr(0, end)} + "…";
}

/// What the turn itself said, without what was said to it.
std::string thought_of(const Turn& turn) {
    const auto said = std::ranges::find(turn.messages, "assistant", &Message::role);
    return said == turn.messages.end() ? std::string{} : said->content;
}

std::string title_of(const Turn& turn, const std::string& thought, const std::optional<FileChange>& change) {
    if (!turn.title.empty()) return turn.title;
    if (auto title = first_line(thought); !title.empty()) return title;
    if (change) return fmt::format("changes {}", base_name(change->path));
    if (!turn.calls.empty()) return fmt::format("calls {}", turn.calls.front().call.name);
    return "a turn without a word";
}

/// What one turn did to files: the last change that counts.
struct Made {
    std::optional<FileChange> change{};
    bool kernel = false;
};

class Writer {
public:
    Writer(SessionFile& session, Trace& trace) : session_(session), trace_(trace) {}

    Result<StepCounts> run(const std::stop_token& stop) {
        follow_files();
        by_kernel_ = std::ranges::any_of(made_, &Made::kernel);
        step_of_.resize(trace_.turns.size());
        std::size_t first = 0;
        while (first < trace_.turns.size()) {
            if (stop.stop_requested()) return fail(Stage::usage, ErrorCode::cancelled, "the import was stopped");
            const auto last = end_of_group(first);
            if (auto written = write(first, last); !written) return std::unexpected(std::move(written.error()));
            first = last;
        }
        return counts_;
    }

private:
    void follow_files() {
        FileTexts files;
        made_.resize(trace_.turns.size());
        for (std::size_t i = 0; i < trace_.turns.size(); ++i) {
            const auto& turn = trace_.turns[i];
            auto& made = made_[i];
            if (!turn.parent) files = {};
            if (turn.file) {
                made = {.change = FileChange{*turn.file, turn.source}, .kernel = true};
                continue;
            }
            for (const auto& traced : turn.calls)
                for (auto& change : files.apply(traced)) {
                    const bool kernel = is_kernel(change) || kernels_.contains(change.path);
                    if (made.kernel && !kernel) continue;
                    if (kernel) kernels_.insert(change.path);
                    made = {.change = std::move(change), .kernel = kernel};
                }
        }
    }

    /// Turns until the one that changes a kernel; the last group of a run has what came after it too.
    std::size_t end_of_group(std::size_t first) const {
        if (!by_kernel_) return first + 1;
        const auto ends = [&](std::size_t at) { return at == trace_.turns.size() || !trace_.turns[at].parent; };
        std::size_t at = first;
        while (!made_[at].kernel && !ends(at + 1)) ++at;
        std::size_t rest = at + 1;
        while (!ends(rest) && !made_[rest].kernel) ++rest;
        return ends(rest) ? rest : at + 1;
    }

    Result<void> write(std::size_t first, std::size_t last) {
        const auto& turns = trace_.turns;
        std::size_t main = first;
        while (main + 1 < last && !made_[main].kernel) ++main;
        if (!made_[main].kernel) main = first;

        Step step;
        auto& facts = step.summary;
        facts.driver = "imported:" + trace_.format;
        if (turns[first].parent) facts.parent = step_of_[*turns[first].parent];
        const auto& change = made_[main].change;
        step.thought = thought_of(turns[main]);
        facts.title = title_of(turns[main], step.thought, change);
        if (change && change->text) {
            step.file = std::string{base_name(change->path)};
            step.source = *change->text;
            ++counts_.sources;
        } else if (change) {
            facts.because =
                fmt::format("changes {}, of which the trace does not hold the text", base_name(change->path));
        }
        facts.started_ms = turns[first].started_ms;
        for (auto i = first; i < last; ++i) take(trace_.turns[i], step);
        const auto id = session_.add(std::move(step));
        if (!id) return std::unexpected(id.error());
        for (auto i = first; i < last; ++i) step_of_[i] = *id;
        ++counts_.steps;
        return {};
    }

    /// A result is a message after the reply that called for it.
    static void take(Turn& turn, Step& step) {
        std::ranges::move(turn.messages, std::back_inserter(step.messages));
        for (auto& traced : turn.calls) {
            step.messages.push_back({"tool", traced.call.result});
            step.tool_calls.push_back(std::move(traced.call));
        }
        step.summary.usage += turn.usage;
        step.summary.ended_ms = std::max(step.summary.ended_ms, turn.ended_ms);
        if (turn.evaluation) step.evaluation = std::move(turn.evaluation);
        if (!turn.because.empty()) step.summary.because = std::move(turn.because);
        turn = {.parent = turn.parent};
    }

    SessionFile& session_;
    Trace& trace_;
    std::vector<Made> made_;
    std::vector<StepId> step_of_;
    std::set<std::string, std::less<>> kernels_; ///< which files are kernels; one may be emptied in between
    bool by_kernel_ = false;
    StepCounts counts_;
};

} // namespace

Result<StepCounts> write_steps(SessionFile& session, Trace& trace, std::stop_token stop) {
    return Writer{session, trace}.run(stop);
}

} // namespace kw::trajectory
