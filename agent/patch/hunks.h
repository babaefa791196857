#pragma once

#include "engine/base/result.h"

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// A change between two texts as hunks that can be taken and given back one by one, in any order.
namespace kw::patch {

/// A run of lines that differ. Lines count from 0; a line ends after its '\n', or where the text does.
struct Hunk {
    std::string id; ///< the same change at the same place of the same base has the same
    std::size_t base_line = 0;
    std::size_t base_lines = 0; ///< 0: something is inserted before base_line
    std::size_t target_line = 0;
    std::size_t target_lines = 0; ///< 0: something is removed
    std::string removed;          ///< bytes of the base
    std::string added;            ///< bytes of the target
};

struct Change {
    std::string base, target;
    std::vector<Hunk> hunks; ///< ascending
};

/// By libgit2's diff, without context. Texts may hold any bytes. An error where they are too large for it (1 GiB).
[[nodiscard]] Result<Change> change_between(std::string base, std::string target);

/// Which hunks of a change have been taken.
using Taken = std::vector<bool>;

/// The base with the hunks of `taken` (as long as change.hunks): with none it is the base, with all the target.
[[nodiscard]] std::string with_taken(const Change& change, const Taken& taken);

struct Toggled {
    std::string text;
    std::size_t line = 0;  ///< where the hunk now stands in it
    std::size_t lines = 0; ///< and how many lines of it; 0 where it removed some
};

/// Takes a hunk that is not taken, or gives back one that is. `text` may have been edited since: it is meant to come
/// from with_taken(change, taken). Lines of the hunk, and for an insertion those next to it, that were edited make it a
/// conflict: an error that names the lines, the first of them in `where`.
[[nodiscard]] Result<Toggled> toggle(const Change& change, const Taken& taken, std::size_t hunk, std::string_view text);

} // namespace kw::patch
