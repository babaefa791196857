#include "editor/clangd/messages.h"

#include <fmt/format.h>

#include <charconv>

namespace kw::editor {
namespace {

std::unexpected<Error> nonsense(std::string message) {
    return fail(Stage::rpc, ErrorCode::invalid_input, std::move(message));
}

std::string text_of(const Json& object, const char* key) {
    if (!object.is_object()) return {};
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

const Json* member(const Json& object, const char* key) {
    if (!object.is_object()) return nullptr;
    const auto found = object.find(key);
    return found == object.end() ? nullptr : &*found;
}

/// Documentation is a string or {kind, value}; the first sentence or line of it.
std::string first_line(const Json* documentation) {
    if (!documentation) return {};
    std::string text =
        documentation->is_string() ? documentation->get<std::string>() : text_of(*documentation, "value");
    return text.substr(0, text.find('\n'));
}

/// CompletionItemKind of the protocol, 3.17.
const char* kind_name(int kind) {
    switch (kind) {
    case 2:
    case 3:
    case 4: return "function";
    case 5:
    case 10: return "member";
    case 6: return "variable";
    case 7:
    case 8:
    case 22:
    case 25: return "type";
    case 13:
    case 20: return "enumerator";
    case 14: return "keyword";
    default: return "name";
    }
}

std::string trimmed(std::string text) {
    text.erase(0, text.find_first_not_of(" \t•"));
    while (!text.empty() && (text.back() == ' ' || text.back() == '\n')) text.pop_back();
    return text;
}

} // namespace

std::string frame(const Json& message) {
    const std::string body = message.dump(-1, ' ', false, Json::error_handler_t::replace);
    return fmt::format("Content-Length: {}\r\n\r\n{}", body.size(), body);
}

Result<std::optional<Json>> MessageReader::next() {
    constexpr std::size_t kMaxHeader = 4096;
    const std::size_t end = buffer_.find("\r\n\r\n");
    if (end == buffer_.npos) {
        if (buffer_.size() > kMaxHeader) return nonsense("its headers do not end");
        return std::nullopt;
    }
    std::size_t length = buffer_.npos;
    std::string_view header = std::string_view(buffer_).substr(0, end);
    while (!header.empty()) {
        const auto line = header.substr(0, header.find("\r\n"));
        header.remove_prefix(std::min(line.size() + 2, header.size()));
        constexpr std::string_view kName = "Content-Length:";
        if (!line.starts_with(kName)) continue;
        auto digits = line.substr(kName.size());
        digits.remove_prefix(std::min(digits.find_first_not_of(' '), digits.size()));
        const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), length);
        if (error != std::errc() || stop != digits.data() + digits.size()) return nonsense("a header is malformed");
    }
    if (length == buffer_.npos) return nonsense("a message has no length");
    if (length > kMaxMessageBytes) return nonsense("a message is too long");
    if (buffer_.size() - end - 4 < length) return std::nullopt;
    const std::string body = buffer_.substr(end + 4, length);
    buffer_.erase(0, end + 4 + length);
    Json message = Json::parse(body, nullptr, false);
    if (message.is_discarded() || !message.is_object()) return nonsense("a message is not JSON");
    return message;
}

std::vector<CompletionItem> completions_of(const Json& result) {
    const Json* list = result.is_array() ? &result : member(result, "items");
    std::vector<CompletionItem> items;
    if (!list || !list->is_array()) return items;
    for (const auto& entry : *list) {
        // What is inserted may be a snippet; the word to filter by is what is completed here.
        std::string name = text_of(entry, "filterText");
        const std::string label = trimmed(text_of(entry, "label"));
        if (name.empty()) name = label.substr(0, label.find_first_of("(<"));
        if (name.empty()) continue;
        const Json* kind = member(entry, "kind");
        const std::string type = text_of(entry, "detail");
        items.push_back({std::move(name), kind_name(kind && kind->is_number_integer() ? kind->get<int>() : 0),
                         type.empty() ? label : type + " " + label, first_line(member(entry, "documentation")),
                         CompletionItem::Source::language});
    }
    return items;
}

std::string hover_of(const Json& result) {
    const Json* contents = member(result, "contents");
    if (!contents) return {};
    if (contents->is_string()) return contents->get<std::string>();
    if (contents->is_object()) return text_of(*contents, "value");
    std::string text;
    if (contents->is_array())
        for (const auto& part : *contents)
            text += (text.empty() ? "" : "\n") + (part.is_string() ? part.get<std::string>() : text_of(part, "value"));
    return text;
}

CallTipText signatures_of(const Json& result) {
    CallTipText text;
    const Json* list = member(result, "signatures");
    if (!list || !list->is_array()) return text;
    for (const auto& entry : *list) {
        std::string label = text_of(entry, "label");
        if (label.empty()) continue;
        // "f(int a) -> void" becomes "void f(int a)".
        if (const auto arrow = label.rfind(") -> "); arrow != label.npos)
            label = label.substr(arrow + 5) + " " + label.substr(0, arrow + 1);
        text.signatures.push_back(std::move(label));
        if (text.about.empty()) text.about = first_line(member(entry, "documentation"));
    }
    return text;
}

} // namespace kw::editor
