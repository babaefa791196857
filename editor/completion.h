#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// What may be written at the caret, apart from any widget.
namespace kw::editor {

struct CompletionItem {
    /// In the order in which equals are offered.
    enum class Source { task, builtin, language, document };

    std::string name;
    std::string kind;      ///< "tensor", "size", "scalar", "tunable", "function", "type", …
    std::string signature; ///< "x : f32[rows, cols]"; may be empty
    std::string about;     ///< one sentence; may be empty
    Source source = Source::task;
};

/// An item that fits what was typed.
struct Ranked {
    std::size_t index = 0; ///< into the items
    int score = 0;         ///< smaller is better
};

/// How well `name` fits `typed`: 0 its beginning, 1 its beginning but for case, 2 the beginning of one of its words,
/// 3 its letters in order. Nothing when it does not fit.
[[nodiscard]] std::optional<int> fit(std::string_view name, std::string_view typed);
/// The bytes of `name` that `typed` stands for, ascending.
[[nodiscard]] std::vector<std::size_t> fitting_letters(std::string_view name, std::string_view typed);

/// What fits, best first, each name once (the first source wins). At most `most`.
[[nodiscard]] std::vector<Ranked> rank(std::span<const CompletionItem> items, std::string_view typed,
                                       std::size_t most = 200);

/// Where the caret is in a line, as far as completion cares.
enum class Place { code, directive, comment, string, preprocessor };
[[nodiscard]] Place place_at_end(std::string_view line_before_caret);

/// The call whose arguments the end of `text` is among: "fmaf", argument from 0. `text` is what is before the caret;
/// the last kilobytes suffice.
struct CallContext {
    std::string name;
    std::size_t name_begin = 0; ///< byte in `text`
    int argument = 0;
    bool operator==(const CallContext&) const = default;
};
[[nodiscard]] std::optional<CallContext> call_at_end(std::string_view text);

/// The range of parameter `argument` in "float fmaf(float x, float y, float z)", bytes; empty when there is none.
struct Range {
    std::size_t begin = 0;
    std::size_t end = 0;
    bool operator==(const Range&) const = default;
};
[[nodiscard]] Range parameter_range(std::string_view signature, int argument);

/// Identifiers of three letters and more outside comments and strings, each once, sorted; keywords of C++ left out.
[[nodiscard]] std::vector<std::string> identifiers_of(std::string_view text);

} // namespace kw::editor
