#include "agent/llm/dialect.h"

#include "agent/llm/json_text.h"
#include "agent/llm/retry.h"

namespace kw::llm {
namespace {

/// Of what is not JSON, so much is kept to show the model.
constexpr std::size_t kMostUnparsable = 2000;

} // namespace

StreamFailure failure_of(const Json& body) {
    const auto& error = member(body, "error");
    StreamFailure failure;
    if (error.is_string()) {
        failure.message = text_of(error);
    } else {
        const auto& from = error.is_object() ? error : body;
        failure.type = text_at(from, "type");
        if (const auto code = text_at(from, "code"); !code.empty()) failure.type = code;
        failure.message = text_at(from, "message");
        if (failure.message.empty()) failure.message = text_at(body, "detail");
        const auto status = count_at(from, "code");
        failure.transient = status == 408 || status == 429 || (status >= 500 && status < 600);
    }
    failure.transient = failure.transient || says_overloaded(failure.type) || says_overloaded(failure.message);
    if (failure.message.empty()) failure.message = failure.type.empty() ? "it did not say why" : failure.type;
    return failure;
}

void set_arguments(ToolUse& use, std::string_view text) {
    use.arguments = Json::object();
    use.unparsable.clear();
    if (text.find_first_not_of(" \t\r\n") == text.npos) return;
    auto json = parse_json(text);
    if (json && json->is_string()) json = parse_json(json->get<std::string>());
    if (json && json->is_null()) return;
    if (json && json->is_object())
        use.arguments = std::move(*json);
    else
        use.unparsable = shortened(text, kMostUnparsable);
}

} // namespace kw::llm
