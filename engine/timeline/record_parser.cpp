#include "engine/timeline/record_parser.h"

#include "engine/base/file.h"
#include "engine/timeline/json_scanner.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstring>
#include <functional>

namespace kw::timeline {
namespace {

namespace od = simdjson::ondemand;

/// Longer ones are cut: a name is read by a person.
constexpr std::size_t kLongestName = 4096;

std::string_view trim(std::string_view text) {
    while (!text.empty() && is_json_space(text.back())) text.remove_suffix(1);
    return text;
}

/// What stands between the quotes of a string, other values as they are.
std::string_view bare(std::string_view token) {
    if (token.size() >= 2 && token.front() == '"' && token.back() == '"') return token.substr(1, token.size() - 2);
    return token;
}

std::uint64_t hash_of(std::string_view a, std::string_view b, std::string_view c) {
    const std::hash<std::string_view> hash;
    std::uint64_t result = hash(a);
    for (const std::uint64_t next : {hash(b), hash(c)})
        result = (result ^ (result >> 32)) * 0x9e3779b97f4a7c15u + next; // Fibonacci hashing
    return result;
}

std::optional<double> number_of(std::string_view token) {
    token = bare(token);
    double value = 0;
    const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
    if (error != std::errc{} || end != token.data() + token.size() || !std::isfinite(value)) return {};
    return value;
}

/// Makes the text one that the parser takes, without moving anything.
void replace_invalid(char* data, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i)
        if (static_cast<unsigned char>(data[i]) < 0x20 || data[i] == 0x7f) data[i] = ' ';
    for (std::size_t at = 0;;) {
        const std::size_t bad = first_invalid_utf8({data + at, size - at});
        if (bad == std::string_view::npos) return;
        at += bad;
        data[at++] = '?';
    }
}

} // namespace

std::optional<Ns> parse_us(std::string_view token) {
    token = bare(token);
    std::size_t i = 0;
    const bool negative = !token.empty() && token.front() == '-';
    if (negative) ++i;
    if (i == token.size()) return {};
    constexpr std::uint64_t kMost = static_cast<std::uint64_t>(kLatest);
    std::uint64_t value = 0; // in µs, then in ns
    std::size_t digits = 0;
    for (; i < token.size() && token[i] >= '0' && token[i] <= '9'; ++i, ++digits) {
        if (value > kMost / 10) return {};
        value = value * 10 + static_cast<std::uint64_t>(token[i] - '0');
    }
    if (digits == 0) return {};
    if (value > kMost / 1000) return {};
    value *= 1000;
    if (i < token.size() && token[i] == '.') {
        std::uint64_t unit = 100;
        for (++i; i < token.size() && token[i] >= '0' && token[i] <= '9'; ++i) {
            const auto digit = static_cast<std::uint64_t>(token[i] - '0');
            if (unit > 0)
                value += digit * unit;
            else if (unit == 0 && digits > 0) {
                if (digit >= 5) ++value;
                digits = 0; // only the first digit below a ns rounds
            }
            unit /= 10;
        }
    }
    if (i < token.size()) {
        // With an exponent; such numbers are rare, and exact enough as a double.
        const auto us = number_of(token);
        if (!us || std::abs(*us) * 1000 >= static_cast<double>(kLatest)) return {};
        const Ns ns = std::llround(*us * 1000);
        return ns < kEarliest ? std::nullopt : std::optional(ns);
    }
    const Ns ns = negative ? -static_cast<Ns>(value) : static_cast<Ns>(value);
    if (ns < kEarliest || ns > kLatest) return {};
    return ns;
}

struct RecordParser::Fields {
    std::uint32_t at = 0; ///< of the record, in the chunk
    char phase = 0;
    bool binds_enclosing = false;
    std::string_view name, category, group, lane, time, duration, id, arguments;
};

ParsedChunk RecordParser::parse(Chunk& chunk) {
    ParsedChunk out;
    out.batch.shard = shard_index_;
    out.batch.origin = chunk.offset;
    std::size_t size = chunk.size;
    std::string_view text = trim(chunk.text());
    if (text.ends_with(',')) text = trim(text.substr(0, text.size() - 1));
    size = text.size();
    if (size == 0) {
        out.outcome = ParsedChunk::Outcome::complete;
        return out;
    }
    // Brackets around the text for as long as it is parsed.
    const char after = chunk.data()[size];
    chunk.data()[-1] = '[';
    chunk.data()[size] = ']';
    out.outcome = parse_array(chunk, size, out);
    chunk.data()[size] = after;
    if (out.outcome == ParsedChunk::Outcome::complete || out.outcome == ParsedChunk::Outcome::closed)
        out.batch.sort_by_lane(shard_.lanes());
    return out;
}

ParsedChunk::Outcome RecordParser::parse_array(const Chunk& chunk, std::size_t size, ParsedChunk& out) {
    using Outcome = ParsedChunk::Outcome;
    char* text = chunk.bytes_.get();
    const auto view = [&] {
        return simdjson::padded_string_view(text, size + 2, size + 2 + simdjson::SIMDJSON_PADDING);
    };
    od::document document;
    auto error = parser_.iterate(view()).get(document);
    if (error == simdjson::UTF8_ERROR || error == simdjson::UNESCAPED_CHARS) {
        replace_invalid(text + 1, size);
        out.not_utf8.add(chunk.offset);
        error = parser_.iterate(view()).get(document);
    }
    od::array records;
    if (error || document.get_array().get(records)) return Outcome::broken;
    constexpr std::size_t kUsualRecord = 160;
    out.batch.events.reserve(size / kUsualRecord);
    for (auto element : records) {
        od::value value;
        if (element.get(value)) return Outcome::broken;
        const char* where = nullptr;
        if (value.current_location().get(where)) return Outcome::broken;
        Fields fields;
        fields.at = static_cast<std::uint32_t>(where - (text + 1));
        od::object object;
        if (*where != '{') {
            out.not_records.add(chunk.offset + fields.at);
            continue;
        }
        if (value.get_object().get(object)) return Outcome::broken;
        for (auto entry : object) {
            od::field field;
            if (std::move(entry).get(field)) return Outcome::broken;
            const char* key = field.key().raw();
            // Of known length, so that a comparison is one instruction or two.
            const auto is = [&]<std::size_t n>(const char(&name)[n]) {
                return std::memcmp(key, name, n - 1) == 0 && key[n - 1] == '"';
            };
            const auto token = [&] { return trim(field.value().raw_json_token()); };
            const auto raw = [&]() -> std::string_view {
                od::object inner;
                std::string_view found;
                if (token().starts_with('{') && !field.value().get_object().get(inner) && !inner.raw_json().get(found))
                    return found;
                return token();
            };
            switch (key[0]) {
            case 'p':
                if (is("ph"))
                    fields.phase = bare(token()).empty() ? '\0' : bare(token()).front();
                else if (is("pid"))
                    fields.group = bare(token());
                break;
            case 'n':
                if (is("name")) fields.name = bare(token());
                break;
            case 'c':
                if (is("cat")) fields.category = bare(token());
                break;
            case 't':
                if (is("tid"))
                    fields.lane = bare(token());
                else if (is("ts"))
                    fields.time = token();
                break;
            case 'd':
                if (is("dur")) fields.duration = token();
                break;
            case 'i':
                if (is("id"))
                    fields.id = token();
                else if (is("id2"))
                    fields.id = raw();
                break;
            case 'a':
                if (is("args")) fields.arguments = raw();
                break;
            case 'b':
                if (is("bp")) fields.binds_enclosing = bare(token()) == "e";
                break;
            default: break;
            }
        }
        take(fields, out, chunk.offset);
    }
    const char* rest = nullptr;
    const auto end = document.current_location().get(rest);
    if (end == simdjson::OUT_OF_BOUNDS) return Outcome::complete;
    if (end) return Outcome::broken;
    out.closed_at = std::string_view(text + 1, static_cast<std::size_t>(rest - (text + 1))).rfind(']');
    return out.closed_at == std::string_view::npos ? Outcome::broken : Outcome::closed;
}

std::uint32_t RecordParser::name_of(const Fields& fields, ParsedChunk& out, std::uint64_t offset) {
    if (fields.name.size() <= kLongestName) return shard_.name(fields.name);
    out.long_names.add(offset);
    // Not within an escape or a character.
    std::string_view name = fields.name.substr(0, kLongestName);
    if (const auto escape = name.rfind('\\'); escape != std::string_view::npos && escape + 12 > name.size())
        name = name.substr(0, escape);
    while (!name.empty() && (static_cast<unsigned char>(fields.name[name.size()]) & 0xc0) == 0x80)
        name.remove_suffix(1);
    return shard_.name(std::string(name) + "…");
}

void RecordParser::take(const Fields& fields, ParsedChunk& out, std::uint64_t base) {
    const std::uint64_t offset = base + fields.at;
    if (fields.phase == 'M') return take_metadata(fields, out, offset);
    const auto at = parse_us(fields.time);
    if (!at) return out.no_time.add(offset);
    const auto complete = [&](Ns duration, Phase phase = Phase::complete) {
        out.batch.events.push_back({.start = *at,
                                    .duration = duration,
                                    .name = name_of(fields, out, offset),
                                    .origin = fields.at,
                                    .lane = shard_.lane(fields.group, fields.lane),
                                    .category = shard_.category(fields.category),
                                    .phase = phase});
    };
    const auto flow = [&](RawFlow::Kind kind) {
        out.batch.flows.push_back({.kind = kind,
                                   .chain = hash_of(fields.category, fields.name, fields.id),
                                   .at = *at,
                                   .lane = shard_.lane(fields.group, fields.lane)});
    };
    const auto async = [&](RawAsync::Kind kind) {
        const std::string key = fmt::format("async {}", fields.category);
        const std::uint32_t lane = shard_.lane(fields.group, key);
        if (async_lanes_.insert(lane).second)
            out.metadata.push_back(
                {.kind = Metadata::Kind::lane_label,
                 .group = std::string(fields.group),
                 .lane = key,
                 .text = fmt::format("{} (asynchronous)",
                                     fields.category.empty() ? "events" : unescape_json(fields.category))});
        out.batch.asyncs.push_back({.kind = kind,
                                    .chain = hash_of(fields.category, fields.id, {}),
                                    .at = *at,
                                    .lane = lane,
                                    .name = name_of(fields, out, offset),
                                    .origin = fields.at,
                                    .category = shard_.category(fields.category)});
    };
    switch (fields.phase) {
    case 'X': {
        Ns duration = 0;
        if (!fields.duration.empty()) {
            const auto parsed = parse_us(fields.duration);
            if (!parsed || *parsed < 0 || *parsed > kLongest)
                out.bad_duration.add(offset);
            else
                duration = *parsed;
        }
        return complete(duration);
    }
    case 'B': return complete(0, Phase::begin);
    case 'E': return complete(0, Phase::end);
    case 'i':
    case 'I':
    case 'R':
    case 'P': return complete(0);
    case 'C': return take_counter(fields, out, *at, offset);
    case 's': return flow(RawFlow::Kind::start);
    case 't': return flow(RawFlow::Kind::step);
    case 'f': return flow(RawFlow::Kind::finish);
    case 'b':
    case 'S': return async(RawAsync::Kind::begin);
    case 'n':
    case 'T':
    case 'p': return async(RawAsync::Kind::instant);
    case 'e':
    case 'F': return async(RawAsync::Kind::end);
    default: return out.unknown_phase.add(offset);
    }
}

void RecordParser::take_metadata(const Fields& fields, ParsedChunk& out, std::uint64_t offset) {
    using Kind = Metadata::Kind;
    Kind kind;
    std::string_view wanted;
    if (fields.name == "process_name" || fields.name == "thread_name") {
        kind = fields.name == "process_name" ? Kind::group_label : Kind::lane_label;
        wanted = "name";
    } else if (fields.name == "process_labels") {
        kind = Kind::group_note;
        wanted = "labels";
    } else if (fields.name == "process_sort_index" || fields.name == "thread_sort_index") {
        kind = fields.name == "process_sort_index" ? Kind::group_order : Kind::lane_order;
        wanted = "sort_index";
    } else {
        return;
    }
    arguments_.assign(trim(fields.arguments));
    arguments_.reserve(arguments_.size() + simdjson::SIMDJSON_PADDING);
    od::document document;
    od::object object;
    std::string_view token;
    if (arguments_parser_.iterate(arguments_).get(document) || document.get_object().get(object)
        || object.find_field_unordered(wanted).raw_json_token().get(token))
        return out.bad_value.add(offset);
    token = trim(token);
    Metadata found{.kind = kind,
                   .group = std::string(fields.group),
                   .lane = std::string(fields.lane),
                   .text = unescape_json(bare(token).substr(0, kLongestName))};
    if (kind == Kind::group_order || kind == Kind::lane_order) {
        const auto order = number_of(token);
        if (!order) return out.bad_value.add(offset);
        found.order = *order;
    }
    out.metadata.push_back(std::move(found));
}

void RecordParser::take_counter(const Fields& fields, ParsedChunk& out, Ns at, std::uint64_t offset) {
    arguments_.assign(trim(fields.arguments));
    arguments_.reserve(arguments_.size() + simdjson::SIMDJSON_PADDING);
    od::document document;
    od::object object;
    if (arguments_parser_.iterate(arguments_).get(document) || document.get_object().get(object))
        return out.bad_value.add(offset);
    std::string counter = unescape_json(fields.name.substr(0, kLongestName));
    if (!fields.id.empty()) counter += fmt::format(" {}", bare(fields.id));
    for (auto entry : object) {
        od::field field;
        std::string_view key;
        if (std::move(entry).get(field)) return out.bad_value.add(offset);
        const std::string_view token = trim(field.value().raw_json_token());
        if (field.unescaped_key().get(key)) return out.bad_value.add(offset);
        if (const auto value = number_of(token))
            out.batch.samples.push_back({at, *value, shard_.series(fields.group, counter, key)});
        else
            out.bad_value.add(offset);
    }
}

} // namespace kw::timeline
