#include "agent/trajectory/import_json.h"

#include "engine/base/file.h"

#include <fmt/format.h>

#include <charconv>
#include <chrono>
#include <cmath>
#include <utility>

namespace kw::trajectory {
namespace {

constexpr int kDeepest = 60;
constexpr const char* kReplacement = "\xEF\xBF\xBD";

/// The value of four hexadecimal digits; −1 when they are none.
int hex4(std::string_view text) {
    int value = 0;
    if (text.size() < 4) return -1;
    const auto [end, error] = std::from_chars(text.data(), text.data() + 4, value, 16);
    return error == std::errc{} && end == text.data() + 4 && text[0] != '-' ? value : -1;
}

bool is_high(int unit) { return unit >= 0xD800 && unit < 0xDC00; }
bool is_low(int unit) { return unit >= 0xDC00 && unit < 0xE000; }

/// Text whose bytes are UTF-8.
std::string valid_utf8(std::string_view text) {
    std::string result;
    result.reserve(text.size());
    for (;;) {
        const auto bad = first_invalid_utf8(text);
        result += text.substr(0, bad);
        if (bad == std::string_view::npos) return result;
        result += kReplacement;
        text.remove_prefix(bad + 1);
    }
}

/// Mends what breaks only a value. What is no JSON beyond that stays none.
class Mender {
public:
    explicit Mender(std::string_view text) : text_(text) { out_.reserve(text.size() + 64); }

    std::string run() {
        while (at_ < text_.size()) {
            const char c = text_[at_];
            if (c == '"')
                string();
            else if (c == '-' || (c >= '0' && c <= '9') || c == 'N' || c == 'I')
                number();
            else
                out_ += c, ++at_;
        }
        return std::move(out_);
    }

private:
    void number() {
        const auto rest = text_.substr(at_);
        for (const std::string_view word : {"NaN", "Infinity", "-Infinity"})
            if (rest.starts_with(word)) {
                out_ += "null";
                at_ += word.size();
                return;
            }
        const auto length = std::min(rest.find_first_not_of("+-0123456789.eE", 1), rest.size());
        const auto token = rest.substr(0, length);
        at_ += length;
        double value = 0;
        const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
        const bool whole = token.find_first_of(".eE") == std::string_view::npos;
        if (error == std::errc::result_out_of_range)
            out_ += "null";
        else if (error == std::errc{} && end == token.data() + token.size() && whole && std::abs(value) > 9e18)
            out_ += fmt::format("{:e}", value);
        else
            out_ += token;
    }

    void string() {
        out_ += '"';
        for (++at_; at_ < text_.size();) {
            const char c = text_[at_];
            if (c == '\\') {
                escape();
                continue;
            }
            ++at_;
            if (static_cast<unsigned char>(c) < 0x20)
                out_ += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
            else
                out_ += c;
            if (c == '"') return;
        }
    }

    void escape() {
        const auto rest = text_.substr(at_);
        if (rest.size() < 2) {
            at_ += rest.size();
            return;
        }
        if (rest[1] != 'u') {
            // An escape that JSON does not have was meant as it stands.
            if (std::string_view{"\"\\/bfnrt"}.find(rest[1]) == std::string_view::npos)
                out_ += "\\\\", ++at_;
            else
                out_ += rest.substr(0, 2), at_ += 2;
            return;
        }
        const int unit = hex4(rest.substr(2));
        const int next = rest.size() >= 12 && rest[6] == '\\' && rest[7] == 'u' ? hex4(rest.substr(8)) : -1;
        if (is_high(unit) && is_low(next)) {
            out_ += rest.substr(0, 12);
            at_ += 12;
        } else if (unit < 0 || is_high(unit) || is_low(unit)) {
            out_ += "\\ufffd";
            at_ += unit < 0 ? 2 : 6;
        } else {
            out_ += rest.substr(0, 6);
            at_ += 6;
        }
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::string out_;
};

std::string mend(std::string_view text) { return Mender{valid_utf8(text)}.run(); }

std::string sentence(simdjson::error_code error) {
    switch (error) {
    case simdjson::DEPTH_ERROR: return "is nested too deeply";
    case simdjson::EMPTY: return "is empty";
    case simdjson::UNCLOSED_STRING: return "is cut short: it ends inside a text";
    case simdjson::CAPACITY:
    case simdjson::MEMALLOC: return "is larger than there is memory for";
    default: return "is not JSON, or is cut short";
    }
}

Json converted(Element value, int depth) {
    using simdjson::dom::element_type;
    switch (value.type()) {
    case element_type::ARRAY: {
        if (depth >= kDeepest) return Json(simdjson::to_string(value));
        Json json = Json::array();
        simdjson::dom::array array;
        if (value.get_array().get(array) != simdjson::SUCCESS) return json;
        for (const Element each : array) json.push_back(converted(each, depth + 1));
        return json;
    }
    case element_type::OBJECT: {
        if (depth >= kDeepest) return Json(simdjson::to_string(value));
        Json json = Json::object();
        simdjson::dom::object object;
        if (value.get_object().get(object) != simdjson::SUCCESS) return json;
        for (const auto& field : object) json.emplace(std::string{field.key}, converted(field.value, depth + 1));
        return json;
    }
    case element_type::INT64: return Json(value.get_int64().value_unsafe());
    case element_type::UINT64: return Json(value.get_uint64().value_unsafe());
    case element_type::DOUBLE: return Json(value.get_double().value_unsafe());
    case element_type::STRING: return Json(std::string{value.get_string().value_unsafe()});
    case element_type::BOOL: return Json(value.get_bool().value_unsafe());
    case element_type::NULL_VALUE: break;
    }
    return Json(nullptr);
}

/// Digits at a place of a text; −1 when they are none.
int digits(std::string_view text, std::size_t at, std::size_t count) {
    int value = 0;
    if (text.size() < at + count) return -1;
    for (const char c : text.substr(at, count)) {
        if (c < '0' || c > '9') return -1;
        value = value * 10 + (c - '0');
    }
    return value;
}

std::int64_t rfc3339_ms(std::string_view text) {
    using namespace std::chrono;
    const int year_number = digits(text, 0, 4), month_number = digits(text, 5, 2), day_number = digits(text, 8, 2);
    const int hour = digits(text, 11, 2), minute = digits(text, 14, 2), second = digits(text, 17, 2);
    if (year_number < 0 || hour < 0 || minute < 0 || second < 0) return 0;
    const year_month_day date{year{year_number}, month{static_cast<unsigned>(month_number)},
                              day{static_cast<unsigned>(day_number)}};
    if (month_number < 1 || day_number < 1 || !date.ok()) return 0;
    auto time = duration_cast<milliseconds>(sys_days{date}.time_since_epoch() + hours{hour} + minutes{minute}
                                            + seconds{second});
    auto rest = text.substr(19);
    if (rest.starts_with('.')) {
        int scale = 100;
        std::size_t at = 1;
        for (; at < rest.size() && rest[at] >= '0' && rest[at] <= '9'; ++at, scale /= 10)
            time += milliseconds{(rest[at] - '0') * scale};
        rest = rest.substr(at);
    }
    if (rest.starts_with('+') || rest.starts_with('-')) {
        const int hours_off = digits(rest, 1, 2), minutes_off = digits(rest, rest.size() > 5 ? 4 : 3, 2);
        if (hours_off >= 0 && minutes_off >= 0) {
            const auto offset = hours{hours_off} + minutes{minutes_off};
            time += rest[0] == '-' ? milliseconds{offset} : -milliseconds{offset};
        }
    }
    return std::max<std::int64_t>(time.count(), 0);
}

} // namespace

std::expected<std::unique_ptr<Document>, std::string> Document::parse(std::string text) {
    auto document = std::make_unique<Document>();
    const auto attempt = [&document](std::string from) {
        document->text_ = std::move(from);
        document->text_.reserve(document->text_.size() + simdjson::SIMDJSON_PADDING);
        return document->parser_.parse(document->text_.data(), document->text_.size(), false).get(document->root_);
    };
    if (text.starts_with("\xEF\xBB\xBF")) text.erase(0, 3);
    auto error = attempt(std::move(text));
    if (error == simdjson::SUCCESS) return document;
    if (error == simdjson::DEPTH_ERROR || error == simdjson::EMPTY || error == simdjson::CAPACITY
        || error == simdjson::MEMALLOC)
        return std::unexpected(sentence(error));
    document->mended_ = true;
    if (attempt(mend(document->text_)) == simdjson::SUCCESS) return document;
    return std::unexpected(sentence(error));
}

Result<LinesRead> for_each_line(std::string text, std::stop_token stop, const std::function<void(Element)>& each) {
    LinesRead lines;
    text.reserve(text.size() + simdjson::SIMDJSON_PADDING);
    simdjson::dom::parser parser;
    for (std::size_t at = 0; at < text.size();) {
        if (stop.stop_requested()) return fail(Stage::usage, ErrorCode::cancelled, "the import was stopped");
        const auto end = std::min(text.find('\n', at), text.size());
        const auto line = std::string_view{text}.substr(at, end - at);
        at = end + 1;
        if (line.find_first_not_of(" \t\r") == line.npos) continue;
        Element value;
        // The bytes after the line, the next one's, are its padding.
        if (parser.parse(line.data(), line.size(), false).get(value) != simdjson::SUCCESS) {
            if (parser.parse(mend(line)).get(value) != simdjson::SUCCESS) {
                ++lines.bad;
                lines.last_is_bad = true;
                continue;
            }
        }
        lines.last_is_bad = false;
        ++lines.read;
        each(value);
    }
    return lines;
}

std::optional<Element> member(Element value, std::string_view key) {
    Element found;
    if (!value.is_object() || value.at_key(key).get(found) != simdjson::SUCCESS || found.is_null()) return std::nullopt;
    return found;
}

std::optional<Element> member(std::optional<Element> value, std::string_view key) {
    return value ? member(*value, key) : std::nullopt;
}

std::string_view text_of(std::optional<Element> value) {
    std::string_view text;
    if (!value || value->get_string().get(text) != simdjson::SUCCESS) return {};
    return text;
}

std::string_view text_at(std::optional<Element> value, std::string_view key) { return text_of(member(value, key)); }

std::optional<double> number_at(std::optional<Element> value, std::string_view key) {
    const auto found = member(value, key);
    double number = 0;
    if (!found || found->get_double().get(number) != simdjson::SUCCESS || !std::isfinite(number)) return std::nullopt;
    return number;
}

std::int64_t count_at(std::optional<Element> value, std::string_view key) {
    const auto number = number_at(value, key);
    return number && *number >= 0 && *number <= 0x1p53 ? static_cast<std::int64_t>(*number) : 0;
}

bool flag_at(std::optional<Element> value, std::string_view key) {
    const auto found = member(value, key);
    bool flag = false;
    return found && found->get_bool().get(flag) == simdjson::SUCCESS && flag;
}

void for_each(std::optional<Element> value, const std::function<void(Element)>& each) {
    simdjson::dom::array array;
    if (!value || value->get_array().get(array) != simdjson::SUCCESS) return;
    for (const Element element : array) each(element);
}

Json to_json(Element value) { return converted(value, 0); }

std::string content_text(std::optional<Element> content) {
    if (!content) return {};
    if (content->is_string()) return std::string{text_of(content)};
    std::string text;
    for_each(content, [&text](Element part) {
        const auto type = text_at(part, "type");
        std::string piece{part.is_string() ? text_of(part) : text_at(part, "text")};
        if (piece.empty() && !type.empty() && !type.ends_with("text")) piece = fmt::format("[{}]", type);
        if (!piece.empty()) text += (text.empty() ? "" : "\n") + piece;
    });
    return text;
}

std::int64_t time_ms(std::optional<Element> value) {
    if (!value) return 0;
    if (value->is_string()) return rfc3339_ms(text_of(value));
    double seconds = 0;
    if (value->get_double().get(seconds) != simdjson::SUCCESS || !(seconds > 0) || seconds > 1e15) return 0;
    // Some count milliseconds; seconds of that size are some ten thousand years away.
    return static_cast<std::int64_t>(seconds > 1e11 ? seconds : seconds * 1000);
}

} // namespace kw::trajectory
