#include "engine/timeline/chrome_details.h"

#include "engine/timeline/json_scanner.h"

#include <simdjson.h>

#include <algorithm>
#include <array>

namespace kw::timeline {
namespace {

namespace od = simdjson::ondemand;

constexpr std::size_t kLongestValue = 4096;
constexpr std::size_t kFirstRead = std::size_t{16} << 10;
constexpr std::size_t kMostRead = std::size_t{16} << 20;
constexpr std::array<std::string_view, 6> kShownElsewhere{"name", "cat", "ts", "dur", "ph", "args"};

/// A value for a person: strings without quotes, everything else as it is written.
std::string text_of(std::string_view raw) {
    while (!raw.empty() && is_json_space(raw.back())) raw.remove_suffix(1);
    const bool cut = raw.size() > kLongestValue;
    if (raw.size() >= 2 && raw.front() == '"')
        raw = cut ? raw.substr(1, kLongestValue) : raw.substr(1, raw.size() - 2);
    else if (cut)
        raw = raw.substr(0, kLongestValue);
    return unescape_json(raw) + (cut ? "…" : "");
}

/// The text of any value. Nothing where it is malformed.
std::string_view raw_of(od::value value) {
    std::string_view text;
    od::object object;
    od::array array;
    const std::string_view token = value.raw_json_token();
    if (token.starts_with('{')) {
        if (value.get_object().get(object) || object.raw_json().get(text)) return {};
    } else if (token.starts_with('[')) {
        if (value.get_array().get(array) || array.raw_json().get(text)) return {};
    } else {
        text = token;
    }
    return text;
}

/// False where the text is malformed; what came before is kept.
bool add_members(od::object object, bool top, std::vector<Detail>& details) {
    for (auto entry : object) {
        od::field field;
        if (std::move(entry).get(field)) return false;
        std::string_view raw_key;
        if (field.unescaped_key().get(raw_key)) return false;
        const std::string key(raw_key);
        if (top && key == "args") {
            od::object arguments;
            if (!field.value().get_object().get(arguments)) {
                if (!add_members(arguments, false, details)) return false;
                continue;
            }
        }
        if (top && std::ranges::find(kShownElsewhere, key) != kShownElsewhere.end()) continue;
        details.push_back({key, text_of(raw_of(field.value()))});
    }
    return true;
}

} // namespace

Result<std::vector<Detail>> ChromeDetails::details(std::uint64_t origin) {
    for (std::size_t size = kFirstRead;; size *= 8) {
        auto text = source_->read_at(origin, size);
        if (!text) return std::unexpected(text.error());
        ValueScanner scanner;
        const std::size_t end = scanner.feed(*text);
        if (!scanner.done() && text->size() == size && size < kMostRead) continue;
        std::vector<Detail> details;
        od::parser parser;
        od::document document;
        od::object record;
        const simdjson::padded_string padded(std::string_view(*text).substr(0, end));
        if (!scanner.done() || !text->starts_with('{') || parser.iterate(padded).get(document)
            || document.get_object().get(record) || !add_members(record, true, details))
            return fail(Stage::profile, ErrorCode::invalid_input,
                        "the record is not where it was; open the trace again, it has changed on disk");
        return details;
    }
}

} // namespace kw::timeline
