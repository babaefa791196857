#include "editor/builtins.h"

#include "editor/builtins_text.h"
#include "engine/base/toml.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

namespace kw::editor {
namespace {

constexpr std::array kKinds{
    std::pair{Builtin::Kind::variable, std::string_view("variable")},
    std::pair{Builtin::Kind::type, std::string_view("type")},
    std::pair{Builtin::Kind::qualifier, std::string_view("qualifier")},
    std::pair{Builtin::Kind::function, std::string_view("function")},
    std::pair{Builtin::Kind::macro, std::string_view("macro")},
    std::pair{Builtin::Kind::directive, std::string_view("directive")},
};

std::optional<Builtin::Kind> kind_from(std::string_view name) {
    for (const auto& [kind, text] : kKinds)
        if (text == name) return kind;
    return std::nullopt;
}

std::vector<std::string> lines_of(std::string_view text) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        if (end > 0) lines.emplace_back(text.substr(0, end));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

} // namespace

std::string_view to_string(Builtin::Kind kind) {
    for (const auto& [known, text] : kKinds)
        if (known == kind) return text;
    return {};
}

Result<std::vector<Builtin>> parse_builtins(std::string_view toml, std::string_view file) {
    const auto bad = [&](const toml::node* node, std::string message) {
        return fail(Stage::environment, ErrorCode::invalid_input, std::move(message),
                    {std::string(file), node ? static_cast<int>(node->source().begin.line) : 0, 0});
    };
    const auto parsed = toml::parse(toml, file);
    if (!parsed)
        return fail(Stage::environment, ErrorCode::invalid_input, std::string(parsed.error().description()),
                    {std::string(file), static_cast<int>(parsed.error().source().begin.line), 0});
    std::vector<Builtin> all;
    for (const auto& [group, list] : parsed.table()) {
        const auto* entries = list.as_array();
        if (!entries) return bad(&list, fmt::format("'{}' is not a list of entries", group.str()));
        for (const auto& item : *entries) {
            const auto* entry = item.as_table();
            if (!entry) return bad(&item, fmt::format("an entry of '{}' is not a table", group.str()));
            const auto text = [&](std::string_view key) { return (*entry)[key].value_or(std::string()); };
            Builtin builtin{text("name"),
                            Builtin::Kind::function,
                            std::string(group.str()),
                            lines_of(text("signature")),
                            text("about"),
                            text("since"),
                            text("header")};
            const auto kind = kind_from((*entry)["kind"].value_or(std::string_view("function")));
            if (builtin.name.empty()) return bad(entry, fmt::format("an entry of '{}' has no name", group.str()));
            if (!kind) return bad(entry, fmt::format("'{}' is of an unknown kind", builtin.name));
            if (builtin.signatures.empty()) return bad(entry, fmt::format("'{}' has no signature", builtin.name));
            if (builtin.about.empty()) return bad(entry, fmt::format("'{}' has no explanation", builtin.name));
            builtin.kind = *kind;
            all.push_back(std::move(builtin));
        }
    }
    std::ranges::sort(all, {}, &Builtin::name);
    if (const auto twice = std::ranges::adjacent_find(all, {}, &Builtin::name); twice != all.end())
        return bad(nullptr, fmt::format("'{}' is there twice", twice->name));
    return all;
}

std::span<const Builtin> builtins() {
    // A test holds the file to its rules, so that nothing is missing here.
    static const std::vector<Builtin> all =
        parse_builtins(kBuiltinsText, "resources/editor/cuda_builtins.toml").value_or(std::vector<Builtin>{});
    return all;
}

const Builtin* find_builtin(std::string_view name) {
    const auto all = builtins();
    const auto found = std::ranges::lower_bound(all, name, {}, &Builtin::name);
    return found != all.end() && found->name == name ? &*found : nullptr;
}

} // namespace kw::editor
