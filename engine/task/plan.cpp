#include "engine/task/plan.h"

#include "engine/base/suggest.h"
#include "engine/task/directive_parser.h"
#include "engine/task/directives.h"
#include "engine/task/names.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace kw::task {
namespace {

std::unexpected<Error> bad(std::string message, Where where) {
    return fail(Stage::task, ErrorCode::invalid_input, std::move(message), std::move(where));
}

/// Replaces every identifier of `text` that is a tunable by its value; a qualified name (ns::BLOCK) is not the tunable.
std::string substitute(std::string_view text, const Sizes& configuration) {
    std::string result;
    bool qualified = false;
    for (std::size_t i = 0; i < text.size();) {
        std::size_t length = name_length(text.substr(i));
        if (length == 0) {
            // A number may hold letters (0xBLOCK is one token), so it is copied whole.
            length = 1;
            if (std::isdigit(static_cast<unsigned char>(text[i])))
                while (i + length < text.size() && continues_name(text[i + length])) ++length;
            result += text.substr(i, length);
        } else {
            const std::string_view word = text.substr(i, length);
            const auto found = configuration.find(word);
            result += found == configuration.end() || qualified ? std::string(word) : std::to_string(found->second);
        }
        i += length;
        qualified = result.ends_with("::");
    }
    return result;
}

/// Checks the names of a plan against each other and the task's, and says what each argument is.
class Resolver {
public:
    Resolver(const Task& task, Plan& plan) : plan_(plan) {
        for (const auto& tensor : task.tensors) taken_[tensor.name] = "tensor";
        for (const auto& [name, scalar] : task.scalars) taken_[name] = "scalar";
        for (const auto& [name, value] : task.cases.front().sizes) taken_[name] = "size";
    }

    Result<void> run() {
        for (const auto& tunable : plan_.tunables)
            if (auto good = claim(tunable.name, "tunable", tunable.where); !good) return good;
        for (const auto& scratch : plan_.scratch)
            if (auto good = claim(scratch.name, "scratch buffer", scratch.where); !good) return good;
        for (const auto& scratch : plan_.scratch)
            for (const auto& dimension : scratch.shape)
                if (auto good = check(dimension); !good) return good;
        for (auto& launch : plan_.launches)
            if (auto good = resolve(launch); !good) return good;
        return {};
    }

private:
    Result<void> claim(const std::string& name, std::string_view what, const Where& where) {
        if (auto good = check_name(name, what, where); !good) return good;
        const auto [found, fresh] = taken_.emplace(name, what);
        if (fresh) return {};
        return bad(fmt::format("the {} '{}' has the name of a {}", what, name, found->second), where);
    }

    [[nodiscard]] std::unexpected<Error> unknown(const std::string& name, const Where& where, bool argument) const {
        std::vector<std::string> known;
        for (const auto& [candidate, what] : taken_)
            if (argument || what == "size" || what == "tunable") known.push_back(candidate);
        return bad(fmt::format("neither the task nor the plan defines '{}'{}", name, did_you_mean(name, known)), where);
    }

    /// Every name in an expression must be a size or a tunable.
    [[nodiscard]] Result<void> check(const Expression& expression, bool argument = false) const {
        for (const auto& name : expression.names()) {
            const auto found = taken_.find(name);
            if (found == taken_.end()) return unknown(name, expression.position_of(name), argument);
            if (found->second != "size" && found->second != "tunable")
                return bad(fmt::format("'{}' is a {}, which an expression cannot use; sizes and tunables it can", name,
                                       found->second),
                           expression.position_of(name));
        }
        return {};
    }

    Result<void> resolve(Launch& launch) const {
        for (const auto* list : {&launch.grid, &launch.block, &launch.cluster})
            for (const auto& expression : *list)
                if (auto good = check(expression); !good) return good;
        if (auto good = check(launch.shared); !good) return good;
        for (auto& argument : launch.arguments) {
            if (argument.kind == Argument::Kind::floating) continue;
            const auto found = taken_.find(argument.text);
            if (found != taken_.end() && (found->second == "tensor" || found->second == "scratch buffer"))
                argument.kind = Argument::Kind::buffer;
            else if (found != taken_.end() && found->second == "scalar")
                argument.kind = Argument::Kind::scalar;
            else if (auto good = check(argument.expression, true); !good)
                return good;
        }
        return {};
    }

    Plan& plan_;
    std::map<std::string, std::string, std::less<>> taken_;
};

} // namespace

Sizes Plan::defaults() const {
    Sizes values;
    for (const auto& tunable : tunables) values[tunable.name] = tunable.values.front();
    return values;
}

Result<Plan> parse_plan(std::string_view source, const std::string& file, const Task& task) {
    Plan plan;
    for (const auto& directive : find_directives(source, file))
        if (auto parsed = parse_directive(directive, plan); !parsed) return std::unexpected(parsed.error());
    if (plan.launches.empty()) {
        const bool blank =
            std::ranges::all_of(source, [](char c) { return std::isspace(static_cast<unsigned char>(c)); });
        return bad(fmt::format("{} {}; add one such as //@ launch kernel<<<grid, block>>>(arguments)", file,
                               blank ? "is empty and so has no launch directive" : "has no launch directive"),
                   {file, 1, 1});
    }
    if (auto resolved = Resolver(task, plan).run(); !resolved) return std::unexpected(resolved.error());
    return plan;
}

std::string kernel_name(const Launch& launch, const Sizes& configuration) {
    return substitute(launch.kernel, configuration);
}

std::vector<std::string> kernel_names(const Plan& plan, const Sizes& configuration) {
    Sizes values = plan.defaults();
    for (const auto& [name, value] : configuration) values[name] = value;
    std::vector<std::string> names;
    for (const auto& launch : plan.launches) {
        std::string name = kernel_name(launch, values);
        if (std::ranges::find(names, name) == names.end()) names.push_back(std::move(name));
    }
    return names;
}

} // namespace kw::task
