#pragma once

#include "engine/base/result.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// A change between two texts as hunks that can be taken and given back one by one, in any order.
namespace kw::patch {

/// A run of lines that differ. Lines count from 0; a line ends after its '\n', or where the text does.
struct Hunk {
    /// "LINE+LINES:HASH": where it stands in the target, from 1, and what it changes. The same change at the same place
    /// of the target has the same, however the base differs elsewhere.
    std::string id;
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

/// Where a hunk of a change is found in a text that may be neither its base nor its target.
struct Place {
    enum class State {
        open,    ///< the base's lines are there: it can be taken
        taken,   ///< the target's lines are there
        conflict ///< neither: edited since
    };
    State state = State::open;
    std::size_t line = 0;  ///< in the text, where what is there of it begins; of a conflict, the first line edited
    std::size_t lines = 0; ///< of it
};
/// One for each hunk, from the text alone.
[[nodiscard]] Result<std::vector<Place>> locate(const Change& change, std::string_view text);

/// Where a hunk stands in its target, by its id.
struct Named {
    std::size_t target_line = 0, target_lines = 0;
};
[[nodiscard]] std::optional<Named> named(std::string_view id);

/// How much of what a hunk does is there in a text.
enum class Presence { none, some, all };
/// Lines of a target that were taken into a text: those added, and where there are none, where some were removed.
struct Piece {
    std::size_t line = 0;
    std::size_t lines = 0;
    /// What was removed, where lines is 0; none: not known, and then only the very hunk `id` says that it is back.
    std::optional<std::string> removed{};
    std::string id{};
};
/// By what the text still lacks of the target: the change from the one to the other. Lines without a letter or a digit
/// are in any text and say nothing, unless there are no others.
[[nodiscard]] Presence presence_of(const Change& lacking, const Piece& piece);

/// What is to be put in place of lines of a text.
struct Splice {
    std::size_t line = 0;
    std::size_t lines = 0;
    std::string text;
};
/// Taking a hunk that stands at `line` of a text.
[[nodiscard]] Splice splice_of(const Hunk& hunk, std::size_t line);
/// Taking of it only `lines` of the added lines from `first` (within the hunk) on, each in the place of the removed
/// line that stands beside it; those without one come after the last of them.
[[nodiscard]] Splice splice_of_part(const Hunk& hunk, std::size_t line, std::size_t first, std::size_t lines);

/// Bytes [begin, end) of a text.
struct Bytes {
    std::size_t begin = 0, end = 0;
    bool operator==(const Bytes&) const = default;
};
/// The bytes to be replaced by splice.text so that whole lines are, and a text without a last line end gets one where
/// something follows; `text` is adjusted to that.
[[nodiscard]] Bytes bytes_of(std::string_view all, Splice& splice);
/// The text with it.
[[nodiscard]] std::string spliced(std::string_view all, Splice splice);

/// Words that differ between two pieces of text.
struct WordChange {
    std::vector<Bytes> removed, added;
};
/// Empty where so little is common that marking words would not help, and where the pieces are long.
[[nodiscard]] WordChange changed_words(std::string_view removed, std::string_view added);

} // namespace kw::patch
