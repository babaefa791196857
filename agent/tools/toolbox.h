#pragma once

#include "agent/llm/conversation.h"
#include "agent/tools/scratch.h"
#include "agent/trajectory/session_file.h"

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

namespace kw::tools {

/// What the tools work with; the worker's side of it, as a session stores and a command line prints it.
struct Services {
    /// As WorkerClient::compile gives it.
    std::function<Result<Json>(const task::Files&, const std::string& main, std::stop_token)> compile{};
    /// An evaluation with a profile; `metrics` are ids to have beside the basic set.
    std::function<Result<Json>(const task::Files&, const std::vector<std::string>& metrics, std::stop_token)> profile{};
    /// As WorkerClient::disassemble gives it.
    std::function<Result<Json>(const task::Files&, const std::string& kernel, bool sass, std::stop_token)>
        disassemble{};
    const trajectory::SessionFile* session = nullptr;
};

struct Outcome {
    std::string text{}; ///< for the model
    bool ok = true;
    /// The candidate is to be evaluated; what becomes of that is the tool's result.
    bool evaluate = false;
    std::string title{};                          ///< with `evaluate`: what the model says it changed
    std::optional<trajectory::StepId> restored{}; ///< the candidate is this step's now
};

/// Does what a model asks for. Whatever is wrong with a call is an outcome that tells the model so; errors are what
/// ends a run: it was stopped, or nothing can be compiled here.
class Toolbox {
public:
    Toolbox(Scratch& scratch, Services services) : scratch_(scratch), services_(std::move(services)) {}

    [[nodiscard]] Result<Outcome> run(const llm::ToolUse& use, std::stop_token stop);

private:
    [[nodiscard]] Outcome read_file(const Json& arguments) const;
    [[nodiscard]] Outcome edit(const Json& arguments);
    [[nodiscard]] Result<Outcome> compile(std::stop_token stop) const;
    [[nodiscard]] Result<Outcome> verify(const Json& arguments, std::stop_token stop) const;
    [[nodiscard]] Result<Outcome> profile(const Json& arguments, std::stop_token stop) const;
    [[nodiscard]] Result<Outcome> disassemble(const Json& arguments, std::stop_token stop) const;
    [[nodiscard]] Outcome list_attempts() const;
    [[nodiscard]] Outcome read_attempt(const Json& arguments);

    Scratch& scratch_;
    Services services_;
};

} // namespace kw::tools
