#pragma once

#include "agent/trajectory/import_trace.h"
#include "engine/base/json.h"
#include "engine/base/result.h"

#include <simdjson.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

/// Reading JSON that anybody may have written: what is missing or of another type is "not there".
namespace kw::trajectory {

using Element = simdjson::dom::element;

/// A whole text. What Python's json writes beyond JSON, and what breaks only a value, is mended: NaN and infinities
/// and numbers that no double holds become null, halves of surrogate pairs and bytes that are no UTF-8 U+FFFD.
class Document {
public:
    /// An error is one sentence without the text's name: "is cut short", "is nested too deeply".
    [[nodiscard]] static std::expected<std::unique_ptr<Document>, std::string> parse(std::string text);
    [[nodiscard]] Element root() const { return root_; }
    [[nodiscard]] bool mended() const { return mended_; }

private:
    std::string text_;
    simdjson::dom::parser parser_;
    Element root_;
    bool mended_ = false;
};

/// A text of one value a line. `each` gets what can be read; how many lines cannot is told in `bad`. Stops with an
/// error when that is requested.
struct LinesRead {
    std::size_t read = 0;
    std::size_t bad = 0;
    bool last_is_bad = false; ///< the text was cut short
};
[[nodiscard]] Result<LinesRead> for_each_line(std::string text, std::stop_token stop,
                                              const std::function<void(Element)>& each);

/// The member, when `value` is an object that has it and it is not null. Of several of one name the first.
[[nodiscard]] std::optional<Element> member(Element value, std::string_view key);
[[nodiscard]] std::optional<Element> member(std::optional<Element> value, std::string_view key);
/// Empty when it is no string.
[[nodiscard]] std::string_view text_of(std::optional<Element> value);
[[nodiscard]] std::string_view text_at(std::optional<Element> value, std::string_view key);
/// From 0 to 2^53; 0 when it is no such number.
[[nodiscard]] std::int64_t count_at(std::optional<Element> value, std::string_view key);
[[nodiscard]] std::optional<double> number_at(std::optional<Element> value, std::string_view key);
[[nodiscard]] bool flag_at(std::optional<Element> value, std::string_view key);
/// Calls `each` with the elements of an array; does nothing when it is none.
void for_each(std::optional<Element> value, const std::function<void(Element)>& each);

/// As a value of the session. Below 60 levels a part is kept as its text.
[[nodiscard]] Json to_json(Element value);

/// The text of a message: a string, or a list of parts with `text`. Parts that are no text are named: "[image]".
[[nodiscard]] std::string content_text(std::optional<Element> content);

/// Unix time in ms of RFC 3339 text, or of a number of seconds; 0 when it is neither.
[[nodiscard]] std::int64_t time_ms(std::optional<Element> value);

} // namespace kw::trajectory
