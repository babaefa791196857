#pragma once

#include "engine/base/result.h"
#include "engine/task/plan.h"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace kw::agent {

/// All configurations of a plan's tunables, by number: 0 is the defaults, the last tunable varies fastest.
class SearchSpace {
public:
    /// Tunables in `fixed` keep that value. A name that the plan does not have, or a value that it does not list, is an
    /// error; so is a plan without tunables.
    [[nodiscard]] static Result<SearchSpace> make(const task::Plan& plan, const std::string& file,
                                                  const task::Sizes& fixed);

    /// Saturates at 2⁶⁴−1.
    [[nodiscard]] std::uint64_t size() const;
    [[nodiscard]] task::Sizes at(std::uint64_t number) const;

    /// Which configurations to try: all of them when they fit the budget and `random` is false; else the defaults and
    /// distinct others drawn with `seed`, uniformly.
    [[nodiscard]] std::vector<task::Sizes> pick(std::size_t budget, bool random, std::uint64_t seed) const;

private:
    std::vector<task::Tunable> tunables_;
};

} // namespace kw::agent
