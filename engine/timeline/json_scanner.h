#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

/// A look at JSON that cares for nothing but where values end. It tells records apart in text that a parser refuses.
namespace kw::timeline {

[[nodiscard]] constexpr bool is_json_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

/// Follows one value byte by byte; may be stopped and resumed at any byte.
class ValueScanner {
public:
    /// Consumes bytes of `text` up to the value's end and says how many. done() tells whether the end was reached. A
    /// bare word or number ends before the first byte that cannot be part of it.
    std::size_t feed(std::string_view text);
    [[nodiscard]] bool done() const { return state_ == State::done; }

private:
    enum class State { before, bare, string, escape, inside, done } state_ = State::before;
    std::uint64_t depth_ = 0;
};

/// The next element of an array, from a position at which one may begin.
struct Element {
    enum class Kind {
        value,
        array_end, ///< `begin` is at the ']'
        cut,       ///< the text ends before the element does; `begin` is where it starts, or the text's end
        nonsense,  ///< what is at `begin` cannot be there
    } kind;
    std::size_t begin = 0;
    std::size_t end = 0;
};
[[nodiscard]] Element next_element(std::string_view text, std::size_t from);

/// A string's text from what stands between its quotes. What is not well-formed stays as it is written.
[[nodiscard]] std::string unescape_json(std::string_view raw);

/// The offset of the last '{' of `text` before which an array element most likely ends, 0 when none is found. Where the
/// key that follows is one of an event's, the guess is rarely wrong.
[[nodiscard]] std::size_t last_record_start(std::string_view text);

} // namespace kw::timeline
