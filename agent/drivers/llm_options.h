#pragma once

#include "agent/llm/dialect.h"
#include "agent/llm/models.h"
#include "agent/session/loop.h"
#include "agent/tools/toolbox.h"
#include "engine/task/task.h"

#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace kw::agent {

/// What a model's run is made of, beside the provider.
struct LlmOptions {
    task::Files files; ///< the task's
    std::string file;  ///< the candidate
    task::Sizes configuration{};
    /// Where it begins: the source, and the step that it is of.
    std::string source{};
    std::optional<trajectory::StepId> parent{};
    std::string message{}; ///< what the engineer wants the model to know
    std::string device{};  ///< what kernels run on, as the prompt names it
    llm::Settings settings{};
    std::int64_t context = 131072; ///< tokens that prompt and reply may take together
    Budget budget{};               ///< tokens and cost end the run between replies too; steps are told to the model
    std::optional<llm::ModelFacts> prices{};
    Control* control = nullptr; ///< a pause also holds before the next reply
    std::function<void(const llm::Delta&)> on_delta{};
    /// What goes on: "the model writes", "profile".
    std::function<void(std::string_view)> on_activity{};
};

} // namespace kw::agent
