#pragma once

#include "agent/trajectory/import_json.h"
#include "agent/trajectory/import_trace.h"

#include <filesystem>
#include <stop_token>
#include <string>
#include <string_view>
#include <unordered_map>

/// One reader a format. Each takes what it understands and leaves out the rest.
namespace kw::trajectory {

/// Collects turns in the order of a trace.
class TraceBuilder {
public:
    explicit TraceBuilder(std::string format) { trace_.format = std::move(format); }

    /// Something that the agent is told before its next turn.
    void told(std::string role, std::string text);
    /// The next turn, which goes on from the last one.
    Turn& turn(std::int64_t ms);
    /// What comes now does not go on from what came.
    void begin();
    /// A call of the turn that was made last.
    void call(TracedCall traced);
    /// What came of a call; false when there is none of that id that has not had a result.
    bool result(std::string_view id, std::string text, bool ok, std::int64_t ms);
    /// The call of that id, none when there is none.
    [[nodiscard]] TracedCall* find(std::string_view id);

    [[nodiscard]] std::size_t size() const { return trace_.turns.size(); }
    [[nodiscard]] Turn& at(std::size_t index) { return trace_.turns[index]; }
    [[nodiscard]] Turn* last() { return trace_.turns.empty() ? nullptr : &trace_.turns.back(); }
    [[nodiscard]] Trace& trace() { return trace_; }
    void note(std::string sentence);

    /// Notes how many of something were left out, when there are any.
    void left_out(std::size_t count, std::string_view what);
    [[nodiscard]] Trace take();

private:
    Trace trace_;
    std::vector<Message> pending_;
    bool root_ = true;
    std::unordered_map<std::string, std::pair<std::size_t, std::size_t>> open_; ///< calls by id
};

/// What somebody else found out about a step, as an evaluation of this program's form.
struct Outcome {
    bool compiled = true;
    std::optional<bool> correct{};
    std::string because;
    std::optional<double> reward{}; ///< none: −1 or 1
    std::optional<double> median_us{};
    std::optional<double> speedup{};
    bool estimated = false;
    std::string device{};
};
[[nodiscard]] Json evaluation_of(const Outcome& outcome, const std::string& file);

[[nodiscard]] Result<Trace> read_atif(Element root, std::stop_token stop);
[[nodiscard]] Result<Trace> read_swe_agent(Element root, std::stop_token stop);
[[nodiscard]] Result<Trace> read_inspect(Element root, std::stop_token stop);
/// A zip archive. Entries are found by what they are called and never written anywhere; `name` is for messages.
[[nodiscard]] Result<Trace> read_inspect_archive(std::string bytes, const std::string& name, std::stop_token stop);
[[nodiscard]] Result<Trace> read_claude_code(std::string text, std::stop_token stop);
[[nodiscard]] Result<Trace> read_codex(std::string text, std::stop_token stop);
[[nodiscard]] Result<Trace> read_kernelbench(const std::filesystem::path& folder, std::stop_token stop);

} // namespace kw::trajectory
