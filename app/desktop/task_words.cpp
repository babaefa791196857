#include "app/desktop/task_words.h"

#include "engine/task/plan.h"

#include <QCoreApplication>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace kw::desktop {
namespace {

std::string translated(const char* text) { return QCoreApplication::translate("task_words", text).toStdString(); }

std::string signature(const std::string& name, task::ScalarType type, const std::vector<task::Expression>& shape) {
    std::vector<std::string> extents;
    extents.reserve(shape.size());
    for (const auto& extent : shape) extents.push_back(extent.text());
    return fmt::format("{} : {}[{}]", name, task::to_string(type), fmt::join(extents, ", "));
}

const char* about(task::Role role) {
    switch (role) {
    case task::Role::input: return QT_TRANSLATE_NOOP("task_words", "An input; a candidate may not write it.");
    case task::Role::output: return QT_TRANSLATE_NOOP("task_words", "An output; it is poisoned before each run.");
    case task::Role::inout: break;
    }
    return QT_TRANSLATE_NOOP("task_words", "Read and written.");
}

} // namespace

std::vector<editor::CompletionItem> task_words(const task::Task& task, const std::string& file,
                                               const std::string& text) {
    std::vector<editor::CompletionItem> words;
    for (const auto& tensor : task.tensors)
        words.push_back({.name = tensor.name,
                         .kind = "tensor",
                         .signature = signature(tensor.name, tensor.type, tensor.shape),
                         .about = translated(about(tensor.role))});
    if (!task.cases.empty())
        for (const auto& [name, value] : task.cases.front().sizes)
            words.push_back(
                {.name = name,
                 .kind = "size",
                 .signature = fmt::format("{} = {}", name, value),
                 .about = translated(QT_TRANSLATE_NOOP("task_words", "A size of the task, in its first case."))});
    for (const auto& [name, scalar] : task.scalars)
        words.push_back({.name = name,
                         .kind = "scalar",
                         .signature = fmt::format("{} : {}", name, task::to_string(scalar.type)),
                         .about = translated(QT_TRANSLATE_NOOP("task_words", "A value that kernels take by value."))});
    const auto plan = task::parse_plan(text, file, task);
    if (!plan) return words;
    for (const auto& tunable : plan->tunables)
        words.push_back({.name = tunable.name,
                         .kind = "tunable",
                         .signature = fmt::format("{} = {}", tunable.name, fmt::join(tunable.values, " | ")),
                         .about = translated(QT_TRANSLATE_NOOP(
                             "task_words", "A tunable of this candidate; the first value is the default."))});
    for (const auto& scratch : plan->scratch)
        words.push_back({.name = scratch.name,
                         .kind = "scratch",
                         .signature = signature(scratch.name, scratch.type, scratch.shape),
                         .about = translated(QT_TRANSLATE_NOOP("task_words", "A scratch buffer of this candidate."))});
    return words;
}

} // namespace kw::desktop
