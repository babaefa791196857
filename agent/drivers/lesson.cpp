#include "agent/drivers/lesson.h"

#include "engine/base/file.h"
#include "engine/task/toml_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace kw::agent {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestFile = std::size_t{1} << 20;
constexpr const char* kName = "lesson.toml";
constexpr std::array kExpectations{Expectation::correct, Expectation::wrong, Expectation::does_not_compile};

/// Reads one lesson.toml; its sources lie in `folder`.
class Reader {
public:
    Reader(fs::path folder, const std::string& text) : folder_(std::move(folder)), toml_(text, kName) {}

    Result<Lesson> read() {
        const auto root = toml_.root();
        toml_.allow_only(root, "a lesson", {"task", "step"});
        Lesson lesson{.task = toml_.required_string(root, "task", "a lesson"), .steps = {}};
        for (const auto& table : toml_.tables(root, "step")) lesson.steps.push_back(read_step(table, lesson));
        if (lesson.steps.empty())
            toml_.fail_at("the lesson has no step; add [[step]] with its file, title and thought", {kName, 1, 1});
        if (!toml_.ok()) return std::unexpected(toml_.error());
        return lesson;
    }

private:
    Lesson::Step read_step(const task::TomlTable& table, const Lesson& before) {
        toml_.allow_only(table, "a step", {"file", "title", "thought", "parent", "configuration", "expect"});
        Lesson::Step step{.file = toml_.required_string(table, "file", "a step"),
                          .title = toml_.required_string(table, "title", "a step"),
                          .thought = toml_.required_string(table, "thought", "a step"),
                          .source = {}};
        step.source = read_source(table, step.file);
        step.parent = parent_of(table, before);
        if (table.has("expect")) step.expectation = expectation_of(table);
        const auto configuration = toml_.table(table, "configuration");
        for (const auto& name : toml_.keys(configuration))
            step.configuration[name] = toml_.integer(configuration, name);
        return step;
    }

    std::string read_source(const task::TomlTable& table, const std::string& name) {
        if (!toml_.ok()) return {};
        // A plain name, so that a lesson reads nothing beyond its folder.
        if (const fs::path path{name}; name.empty() || name == "." || name == ".." || path.filename() != path) {
            toml_.fail_at(fmt::format("'{}' is no file of the lesson's folder", name), toml_.text_where(table, "file"));
            return {};
        }
        auto source = kw::read_file(folder_ / name, kLargestFile, Stage::task);
        if (source && first_invalid_utf8(*source) == std::string::npos) return std::move(*source);
        toml_.fail_at(source ? fmt::format("'{}' is not UTF-8; save it as UTF-8", name) : source.error().message,
                      toml_.text_where(table, "file"), source ? ErrorCode::invalid_input : source.error().code);
        return {};
    }

    /// By default the step before.
    std::optional<std::size_t> parent_of(const task::TomlTable& table, const Lesson& before) {
        if (!table.has("parent")) return before.steps.empty() ? std::nullopt : std::optional{before.steps.size() - 1};
        const auto name = toml_.string(table, "parent");
        const auto found = std::ranges::find(before.steps, name, &Lesson::Step::file);
        if (found != before.steps.end()) return static_cast<std::size_t>(found - before.steps.begin());
        toml_.fail_at(fmt::format("'{}' is no file of an earlier step", name), toml_.text_where(table, "parent"));
        return std::nullopt;
    }

    Expectation expectation_of(const task::TomlTable& table) {
        const auto text = toml_.string(table, "expect");
        for (const auto expectation : kExpectations)
            if (text == to_string(expectation)) return expectation;
        toml_.fail_at(fmt::format("'{}' is no expectation; one is correct, wrong or does not compile", text),
                      toml_.text_where(table, "expect"));
        return Expectation::correct;
    }

    fs::path folder_;
    task::TomlReader toml_;
};

} // namespace

std::string_view to_string(Expectation expectation) {
    switch (expectation) {
    case Expectation::wrong: return "wrong";
    case Expectation::does_not_compile: return "does not compile";
    case Expectation::correct: break;
    }
    return "correct";
}

Result<Lesson> read_lesson(const fs::path& folder) {
    const auto path = folder.filename() == kName ? folder : folder / kName;
    const auto text = kw::read_file(path, kLargestFile, Stage::task);
    if (!text) return std::unexpected(text.error());
    return Reader{path.parent_path(), *text}.read();
}

LessonDriver::LessonDriver(Lesson lesson) : lesson_(std::move(lesson)) {}

Result<std::optional<Proposal>> LessonDriver::propose(std::stop_token) {
    if (written_.size() == lesson_.steps.size()) return std::nullopt;
    auto& step = lesson_.steps[written_.size()];
    Proposal proposal{.title = step.title, .thought = step.thought, .source = std::move(step.source)};
    if (step.parent) proposal.parent = written_[*step.parent];
    proposal.configuration = step.configuration;
    return proposal;
}

void LessonDriver::learn(const trajectory::Step& step) { written_.push_back(step.summary.id); }

} // namespace kw::agent
