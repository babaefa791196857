#include "agent/tools/toolbox.h"

#include "agent/llm/json_text.h"
#include "agent/session/loop.h"
#include "agent/tools/feedback.h"
#include "agent/tools/tool_specs.h"
#include "engine/base/suggest.h"
#include "engine/profile/metrics.h"

#include <fmt/format.h>

namespace kw::tools {
namespace {

constexpr std::size_t kDefaultLines = 400;
constexpr std::size_t kLongestTitle = 120;

Outcome refused(std::string text) { return {.text = std::move(text), .ok = false}; }

/// A whole number from 1; `otherwise` where it was left out.
std::size_t line_number(const Json& arguments, const char* key, std::size_t otherwise) {
    const auto value = llm::count_at(arguments, key);
    return value > 0 ? static_cast<std::size_t>(value) : otherwise;
}

bool given(const Json& arguments, const char* key) { return !llm::member(arguments, key).is_null(); }

/// What went wrong, for the model; being stopped is no result.
Result<Outcome> told(Error error) {
    if (error.code == ErrorCode::cancelled) return std::unexpected(std::move(error));
    return refused(error.message);
}

std::string unknown_tool(const std::string& name) {
    std::vector<std::string> known;
    for (const auto& tool : tool_specs()) known.push_back(tool.name);
    const auto shown = std::string{llm::utf8_prefix(name, 60)};
    return fmt::format("there is no tool '{}'{}; there are {}", shown, did_you_mean(shown, known), list_of(known));
}

} // namespace

Result<Outcome> Toolbox::run(const llm::ToolUse& use, std::stop_token stop) {
    const auto* tool = find_tool(use.name);
    if (!tool) return refused(unknown_tool(use.name));
    if (!use.unparsable.empty())
        return refused(
            fmt::format("the arguments are not a JSON object, so nothing was done; send the call again. They "
                        "were: {}",
                        llm::shortened(use.unparsable, 400)));
    if (auto problem = misfit(*tool, use.arguments); !problem.empty()) return refused(std::move(problem));
    if (use.name == "read_file") return read_file(use.arguments);
    if (use.name == "edit") return edit(use.arguments);
    if (use.name == "compile") return compile(std::move(stop));
    if (use.name == "verify") return verify(use.arguments, std::move(stop));
    if (use.name == "profile") return profile(use.arguments, std::move(stop));
    if (use.name == "disassemble") return disassemble(use.arguments, std::move(stop));
    if (use.name == "list_attempts") return list_attempts();
    return read_attempt(use.arguments);
}

Outcome Toolbox::read_file(const Json& arguments) const {
    const auto path = llm::text_at(arguments, "path");
    if (path.empty()) {
        std::string text;
        for (const auto& name : scratch_.text_names())
            text += name + (name == scratch_.candidate_name() ? " (the candidate)\n" : "\n");
        return {.text = std::move(text)};
    }
    const auto text = scratch_.read(path);
    if (!text) return refused(text.error().message);
    return {.text = lines_text(*text, line_number(arguments, "from_line", 1),
                               line_number(arguments, "lines", kDefaultLines), 2 * kBudget)};
}

Outcome Toolbox::edit(const Json& arguments) {
    const auto path = llm::text_at(arguments, "path");
    const bool whole = given(arguments, "content");
    if (whole == given(arguments, "old_text"))
        return refused("edit takes either old_text and new_text, or content with the whole file");
    const auto done =
        whole ? scratch_.write(path, llm::text_at(arguments, "content"))
              : scratch_.replace(path, llm::text_at(arguments, "old_text"), llm::text_at(arguments, "new_text"));
    if (!done) return refused(done.error().message);
    return {.text = whole ? "written" : "replaced"};
}

Result<Outcome> Toolbox::compile(std::stop_token stop) const {
    const auto compiled = services_.compile(scratch_.files(), scratch_.candidate_name(), std::move(stop));
    if (!compiled) {
        if (agent::ends_run(compiled.error())) return std::unexpected(compiled.error());
        return refused(compiled.error().message);
    }
    const auto& ok = llm::member(*compiled, "ok");
    return Outcome{.text = compile_text(*compiled, scratch_.files()), .ok = ok.is_boolean() && ok.get<bool>()};
}

Result<Outcome> Toolbox::verify(const Json& arguments, std::stop_token stop) const {
    auto outcome = compile(std::move(stop));
    if (!outcome || !outcome->ok) return outcome;
    auto title = llm::text_at(arguments, "summary");
    for (auto& c : title)
        if (static_cast<unsigned char>(c) < ' ') c = ' ';
    return Outcome{.evaluate = true, .title = std::string{llm::utf8_prefix(title, kLongestTitle)}};
}

Result<Outcome> Toolbox::profile(const Json& arguments, std::stop_token stop) const {
    std::vector<std::string> metrics;
    if (given(arguments, "metrics")) metrics = arguments.at("metrics").get<std::vector<std::string>>();
    if (const auto known = profile::select_metrics("basic", metrics); !known) return refused(known.error().message);
    const auto evaluation = services_.profile(scratch_.files(), metrics, std::move(stop));
    if (!evaluation) return told(evaluation.error());
    return Outcome{.text = profile_text(*evaluation, scratch_.files(), metrics)};
}

Result<Outcome> Toolbox::disassemble(const Json& arguments, std::stop_token stop) const {
    const bool sass = llm::text_at(arguments, "form") == "sass";
    const auto answer =
        services_.disassemble(scratch_.files(), llm::text_at(arguments, "kernel"), sass, std::move(stop));
    if (!answer) return told(answer.error());
    const auto listing = llm::text_at(*answer, "text");
    if (listing.empty()) return Outcome{.text = compile_text(*answer, scratch_.files()), .ok = false};
    return Outcome{.text = lines_text(listing, line_number(arguments, "from_line", 1), kDefaultLines)};
}

Outcome Toolbox::list_attempts() const {
    const auto steps = services_.session->steps();
    return steps ? Outcome{.text = attempts_text(*steps)} : refused(steps.error().message);
}

Outcome Toolbox::read_attempt(const Json& arguments) {
    const auto number = llm::count_at(arguments, "attempt");
    const auto step = services_.session->step(number);
    if (!step) return refused(fmt::format("there is no attempt {}; list_attempts shows those there are", number));
    if (llm::member(arguments, "restore") == Json(true)) {
        if (const auto done = scratch_.write({}, step->source); !done) return refused(done.error().message);
        return {.text = fmt::format("the candidate is attempt {}'s source again", number), .restored = number};
    }
    if (llm::text_at(arguments, "show") == "result")
        return {.text = step->evaluation ? evaluation_text(*step->evaluation, scratch_.files())
                                         : "it was not evaluated: " + step->summary.because};
    return {.text = lines_text(step->source, 1, 2 * kDefaultLines, 2 * kBudget)};
}

} // namespace kw::tools
