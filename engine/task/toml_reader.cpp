#include "engine/task/toml_reader.h"

#include "engine/base/suggest.h"
#include "engine/base/toml.h"

#include <fmt/format.h>

#include <algorithm>

namespace kw::task {
namespace {

/// More entries of one kind than any task has; keeps checks that look at every pair cheap.
constexpr std::size_t kMostEntries = 256;

std::string_view kind_of(const toml::node& node) {
    switch (node.type()) {
    case toml::node_type::table: return "a table";
    case toml::node_type::array: return "an array";
    case toml::node_type::string: return "a string";
    case toml::node_type::integer: return "an integer";
    case toml::node_type::floating_point: return "a floating-point number";
    case toml::node_type::boolean: return "a boolean";
    case toml::node_type::none: return "nothing";
    default: return "a date or time";
    }
}

const toml::table* as_table(const void* raw) { return static_cast<const toml::table*>(raw); }

const toml::node* find(const void* raw, std::string_view key) { return raw ? as_table(raw)->get(key) : nullptr; }

} // namespace

struct TomlReader::Document {
    std::string_view text;
    std::string file;
    toml::table root;
    std::vector<std::size_t> lines; ///< offset of each line's first byte

    Document(std::string_view document_text, std::string file_name)
        : text(document_text), file(std::move(file_name)), lines{0} {
        for (std::size_t i = 0; i < text.size(); ++i)
            if (text[i] == '\n') lines.push_back(i + 1);
    }

    [[nodiscard]] std::size_t offset(const toml::source_position& position) const {
        if (position.line == 0 || position.line > lines.size()) return text.size();
        std::size_t at = lines[position.line - 1];
        // The parser counts code points, positions here count bytes.
        for (toml::source_index skip = 1; skip < position.column && at < text.size(); ++skip) {
            ++at;
            while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0u) == 0x80u) ++at;
        }
        return at;
    }

    [[nodiscard]] Where where(const toml::source_position& position) const {
        if (position.line == 0) return {file};
        const std::size_t at = offset(position);
        const std::size_t line = position.line <= lines.size() ? lines[position.line - 1] : at;
        return {file, static_cast<int>(position.line), static_cast<int>(at - line) + 1};
    }

    [[nodiscard]] Where inside_quotes(const toml::source_position& position) const {
        Where result = where(position);
        const std::string_view rest = text.substr(std::min(offset(position), text.size()));
        result.column += rest.starts_with("\"\"\"") || rest.starts_with("'''") ? 3 : 1;
        return result;
    }
};

bool TomlTable::has(std::string_view key) const { return find(raw_, key) != nullptr; }

bool TomlTable::is_table(std::string_view key) const {
    const auto* node = find(raw_, key);
    return node && node->is_table();
}

bool TomlTable::is_boolean(std::string_view key) const {
    const auto* node = find(raw_, key);
    return node && node->is_boolean();
}

TomlReader::TomlReader(std::string_view text, std::string file)
    : document_(std::make_unique<Document>(text, std::move(file))) {
    auto parsed = toml::parse(text);
    if (parsed) {
        document_->root = std::move(parsed).table();
        return;
    }
    std::string message{parsed.error().description()};
    // The parser's sentences may quote the offending line with its line breaks.
    std::ranges::replace_if(message, [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
    fail_at(fmt::format("not valid TOML: {}", message), document_->where(parsed.error().source().begin));
}

TomlReader::~TomlReader() = default;

void TomlReader::fail_at(std::string message, Where where, ErrorCode code) {
    fail_with(Error{Stage::task, code, std::move(message), {}, std::move(where)});
}

void TomlReader::fail_with(Error error) {
    if (!error_) error_ = std::move(error);
}

TomlTable TomlReader::root() const {
    TomlTable table;
    table.raw_ = reinterpret_cast<const TomlTable::Raw*>(&document_->root);
    return table;
}

std::vector<std::string> TomlReader::keys(const TomlTable& table) const {
    std::vector<std::pair<toml::source_position, std::string>> found;
    if (table.raw_)
        for (const auto& [key, node] : *as_table(table.raw_))
            found.emplace_back(key.source().begin, std::string(key.str()));
    std::ranges::sort(found, [](const auto& a, const auto& b) { return a.first < b.first; });
    std::vector<std::string> names;
    for (auto& [position, name] : found) names.push_back(std::move(name));
    return names;
}

Where TomlReader::where(const TomlTable& table) const {
    return table.raw_ ? document_->where(as_table(table.raw_)->source().begin) : Where{document_->file};
}

Where TomlReader::where(const TomlTable& table, std::string_view key) const {
    const auto* node = find(table.raw_, key);
    return node ? document_->where(node->source().begin) : where(table);
}

Where TomlReader::key_where(const TomlTable& table, std::string_view key) const {
    if (table.raw_)
        for (const auto& [name, node] : *as_table(table.raw_))
            if (name.str() == key) return document_->where(name.source().begin);
    return where(table);
}

Where TomlReader::text_where(const TomlTable& table, std::string_view key) const {
    const auto* node = find(table.raw_, key);
    return node ? document_->inside_quotes(node->source().begin) : where(table);
}

void TomlReader::allow_only(const TomlTable& table, std::string_view what,
                            std::initializer_list<std::string_view> known) {
    for (const auto& key : keys(table)) {
        if (std::ranges::find(known, key) != known.end()) continue;
        const std::vector<std::string> names(known.begin(), known.end());
        const std::string hint = did_you_mean(key, names);
        fail_at(
            fmt::format("{} has no key '{}'{}", what, key, hint.empty() ? "; its keys are " + list_of(names) : hint),
            key_where(table, key));
    }
}

std::string TomlReader::required_string(const TomlTable& table, std::string_view key, std::string_view what) {
    if (table.has(key)) return string(table, key);
    Where at = where(table);
    if (at.line == 0) at.line = at.column = 1;
    fail_at(fmt::format("{} lacks '{}'", what, key), at);
    return {};
}

std::string TomlReader::string(const TomlTable& table, std::string_view key) {
    const auto* node = find(table.raw_, key);
    if (!node) return {};
    if (const auto* value = node->as_string()) return value->get();
    fail_at(fmt::format("'{}' is {}; it must be a string", key, kind_of(*node)), where(table, key));
    return {};
}

std::int64_t TomlReader::integer(const TomlTable& table, std::string_view key) {
    const auto* node = find(table.raw_, key);
    if (!node) return 0;
    if (const auto* value = node->as_integer()) return value->get();
    fail_at(fmt::format("'{}' is {}; it must be an integer", key, kind_of(*node)), where(table, key));
    return 0;
}

double TomlReader::number(const TomlTable& table, std::string_view key) {
    const auto* node = find(table.raw_, key);
    if (!node) return 0;
    if (const auto* value = node->as_floating_point()) return value->get();
    if (const auto* value = node->as_integer()) return static_cast<double>(value->get());
    fail_at(fmt::format("'{}' is {}; it must be a number", key, kind_of(*node)), where(table, key));
    return 0;
}

bool TomlReader::boolean(const TomlTable& table, std::string_view key) {
    const auto* node = find(table.raw_, key);
    if (!node) return false;
    if (const auto* value = node->as_boolean()) return value->get();
    fail_at(fmt::format("'{}' is {}; it must be true or false", key, kind_of(*node)), where(table, key));
    return false;
}

TomlTable TomlReader::table(const TomlTable& table, std::string_view key) {
    TomlTable result;
    const auto* node = find(table.raw_, key);
    if (!node) return result;
    if (const auto* value = node->as_table())
        result.raw_ = reinterpret_cast<const TomlTable::Raw*>(value);
    else
        fail_at(fmt::format("'{}' is {}; it must be a table", key, kind_of(*node)), where(table, key));
    return result;
}

std::vector<TomlTable> TomlReader::tables(const TomlTable& table, std::string_view key) {
    std::vector<TomlTable> result;
    const auto* node = find(table.raw_, key);
    if (!node) return result;
    const auto* array = node->as_array();
    if (!array) {
        fail_at(fmt::format("'{}' is {}; write [[{}]] with two brackets", key, kind_of(*node), key), where(table, key));
        return result;
    }
    if (array->size() > kMostEntries) {
        fail_at(fmt::format("there are {} entries of [[{}]]; at most {} are read", array->size(), key, kMostEntries),
                where(table, key));
        return result;
    }
    for (const auto& element : *array) {
        TomlTable entry;
        if (const auto* value = element.as_table())
            entry.raw_ = reinterpret_cast<const TomlTable::Raw*>(value);
        else
            fail_at(fmt::format("an entry of '{}' is {}; it must be a table", key, kind_of(element)),
                    document_->where(element.source().begin));
        result.push_back(entry);
    }
    return result;
}

std::vector<std::pair<std::string, Where>> TomlReader::strings(const TomlTable& table, std::string_view key) {
    std::vector<std::pair<std::string, Where>> result;
    const auto* node = find(table.raw_, key);
    const auto* array = node ? node->as_array() : nullptr;
    if (node && !array)
        fail_at(fmt::format("'{}' is {}; it must be an array of strings", key, kind_of(*node)), where(table, key));
    if (!array) return result;
    for (const auto& element : *array) {
        const Where at = document_->where(element.source().begin);
        if (const auto* value = element.as_string())
            result.emplace_back(value->get(), at);
        else
            fail_at(fmt::format("an entry of '{}' is {}; it must be a string", key, kind_of(element)), at);
    }
    return result;
}

std::vector<Expression> TomlReader::expressions(const TomlTable& table, std::string_view key) {
    std::vector<Expression> result;
    const auto* node = find(table.raw_, key);
    const auto* array = node ? node->as_array() : nullptr;
    if (node && !array)
        fail_at(fmt::format("'{}' is {}; it must be an array such as [\"rows\", 16]", key, kind_of(*node)),
                where(table, key));
    if (!array) return result;
    if (array->empty() || array->size() > 8)
        fail_at(fmt::format("'{}' has {} dimensions; it must have 1 to 8", key, array->size()), where(table, key));
    for (const auto& element : *array) {
        const auto begin = element.source().begin;
        std::string text;
        Where at = document_->where(begin);
        if (const auto* string_value = element.as_string()) {
            text = string_value->get();
            at = document_->inside_quotes(begin);
        } else if (const auto* integer_value = element.as_integer()) {
            text = std::to_string(integer_value->get());
        } else {
            fail_at(
                fmt::format("a dimension of '{}' is {}; it must be an integer or an expression", key, kind_of(element)),
                at);
            continue;
        }
        auto parsed = Expression::parse(text, at);
        if (parsed)
            result.push_back(std::move(*parsed));
        else
            fail_with(parsed.error());
    }
    return result;
}

} // namespace kw::task
