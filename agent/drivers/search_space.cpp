#include "agent/drivers/search_space.h"

#include "engine/base/suggest.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <random>
#include <set>
#include <utility>

namespace kw::agent {

Result<SearchSpace> SearchSpace::make(const task::Plan& plan, const std::string& file, const task::Sizes& fixed) {
    if (plan.tunables.empty())
        return fail(Stage::usage, ErrorCode::invalid_input,
                    "there is nothing to tune: no '//@ tune NAME = VALUES…' directive is in this file", {file});
    SearchSpace space;
    space.tunables_ = plan.tunables;
    for (const auto& [name, value] : fixed) {
        const auto tunable = std::ranges::find(space.tunables_, name, &task::Tunable::name);
        if (tunable == space.tunables_.end()) {
            std::vector<std::string> known;
            known.reserve(plan.tunables.size());
            for (const auto& each : plan.tunables) known.push_back(each.name);
            return fail(Stage::usage, ErrorCode::invalid_input,
                        fmt::format("{} has no tunable '{}'{}", file, name, did_you_mean(name, known)));
        }
        if (std::ranges::find(tunable->values, value) == tunable->values.end())
            return fail(Stage::usage, ErrorCode::invalid_input,
                        fmt::format("{} is not among the values of tunable '{}': {}", value, name,
                                    fmt::join(tunable->values, " ")));
        tunable->values = {value};
    }
    return space;
}

std::uint64_t SearchSpace::size() const {
    std::uint64_t product = 1;
    for (const auto& tunable : tunables_)
        if (__builtin_mul_overflow(product, std::uint64_t{tunable.values.size()}, &product))
            return std::numeric_limits<std::uint64_t>::max();
    return product;
}

task::Sizes SearchSpace::at(std::uint64_t number) const {
    task::Sizes configuration;
    for (auto tunable = tunables_.rbegin(); tunable != tunables_.rend(); ++tunable) {
        configuration[tunable->name] = tunable->values[number % tunable->values.size()];
        number /= tunable->values.size();
    }
    return configuration;
}

std::vector<task::Sizes> SearchSpace::pick(std::size_t budget, bool random, std::uint64_t seed) const {
    const auto all = size();
    std::vector<task::Sizes> picked;
    if (all <= budget && !random) {
        for (std::uint64_t i = 0; i < all; ++i) picked.push_back(at(i));
        return picked;
    }
    std::mt19937_64 generator{seed};
    std::uniform_int_distribution<std::uint64_t> any{0, all - 1};
    const auto wanted = std::min<std::uint64_t>(all, budget);
    std::set<std::uint64_t> seen{0};
    picked.push_back(at(0));
    while (picked.size() < wanted)
        if (const auto number = any(generator); seen.insert(number).second) picked.push_back(at(number));
    return picked;
}

} // namespace kw::agent
