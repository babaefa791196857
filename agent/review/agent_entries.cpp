#include "agent/review/agent_entries.h"

#include <QCoreApplication>
#include <QLocale>

#include <string_view>

namespace kw::review {
namespace {

constexpr qsizetype kLongestSummary = 200;

struct Words {
    Q_DECLARE_TR_FUNCTIONS(AgentView)
};

QString from(const std::string& text) { return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size())); }

QString first_line(const QString& text) {
    const auto start = text.trimmed().left(4 * kLongestSummary);
    return start.section(QLatin1Char('\n'), 0, 0).left(kLongestSummary);
}

/// A member that is text is shown as it is, so that code in it can be read; anything else as JSON.
QString arguments_text(const Json& arguments) {
    if (!arguments.is_object()) return from(arguments.dump(2, ' ', false, Json::error_handler_t::replace));
    QString text;
    for (const auto& [name, value] : arguments.items()) {
        const bool lines = value.is_string() && value.get_ref<const std::string&>().find('\n') != std::string::npos;
        text += from(name) + (lines ? QStringLiteral(":\n") : QStringLiteral(": "))
                + (value.is_string() ? from(value.get_ref<const std::string&>())
                                     : from(value.dump(-1, ' ', false, Json::error_handler_t::replace)));
        if (!text.endsWith(QLatin1Char('\n'))) text += QLatin1Char('\n');
    }
    return text;
}

AgentEntry entry_of(const trajectory::ToolCall& call) {
    AgentEntry entry{.kind = AgentEntry::Kind::call,
                     .title = from(call.name),
                     .summary = call_summary(call),
                     .ok = call.ok,
                     .text = arguments_text(call.arguments),
                     .result = from(call.result),
                     .code = true};
    if (call.milliseconds >= 1000)
        entry.note = Words::tr("%1 s").arg(call.milliseconds / 1000, 0, 'f', 1);
    else if (call.milliseconds > 0)
        entry.note = Words::tr("%1 ms").arg(call.milliseconds, 0, 'f', call.milliseconds < 10 ? 1 : 0);
    return entry;
}

AgentEntry text_entry(AgentEntry::Kind kind, const QString& title, const std::string& text, bool open) {
    AgentEntry entry{.kind = kind, .title = title, .open = open, .text = from(text)};
    entry.summary = first_line(entry.text);
    return entry;
}

} // namespace

QString call_summary(const trajectory::ToolCall& call) {
    if (!call.arguments.is_object()) return first_line(from(call.arguments.dump()));
    for (const char* name : {"summary", "path", "file_path", "command", "kernel", "attempt"}) {
        const auto found = call.arguments.find(name);
        if (found == call.arguments.end()) continue;
        return first_line(found->is_string() ? from(found->get_ref<const std::string&>()) : from(found->dump()));
    }
    for (const auto& [name, value] : call.arguments.items())
        if (value.is_string()) return first_line(from(value.get_ref<const std::string&>()));
    return {};
}

QString usage_text(const trajectory::Usage& usage) {
    if (usage.prompt_tokens + usage.completion_tokens == 0) return {};
    const auto count = [](std::int64_t tokens) { return QLocale().toString(static_cast<qlonglong>(tokens)); };
    QString text =
        usage.cached_tokens > 0
            ? Words::tr("%1 tokens read (%2 cached)").arg(count(usage.prompt_tokens), count(usage.cached_tokens))
            : Words::tr("%1 tokens read").arg(count(usage.prompt_tokens));
    text += Words::tr(", %1 written").arg(count(usage.completion_tokens));
    if (usage.reasoning_tokens > 0) text += Words::tr(" (%1 thought)").arg(count(usage.reasoning_tokens));
    return text
           + (usage.cost_usd ? Words::tr(" · $%1").arg(*usage.cost_usd, 0, 'f', 4)
                             : Words::tr(" · at a price that is not known"));
}

std::vector<AgentEntry> agent_entries(const trajectory::Step& step) {
    using Kind = AgentEntry::Kind;
    std::vector<AgentEntry> entries;
    std::size_t next_call = 0;
    bool said = false;
    for (const auto& message : step.messages) {
        if (message.role == "tool" && next_call < step.tool_calls.size()) {
            entries.push_back(entry_of(step.tool_calls[next_call++]));
        } else if (message.role == "assistant") {
            if (!message.reasoning.empty())
                entries.push_back(text_entry(Kind::thought, Words::tr("Thought"), message.reasoning, false));
            if (!message.content.empty())
                entries.push_back(text_entry(Kind::said, Words::tr("Said"), message.content, true));
            said = said || !message.content.empty() || !message.reasoning.empty();
        } else if (!message.content.empty()) {
            const bool system = message.role == "system";
            entries.push_back(text_entry(system ? Kind::system : Kind::asked,
                                         system ? Words::tr("System text") : Words::tr("Told"), message.content,
                                         false));
        }
    }
    for (; next_call < step.tool_calls.size(); ++next_call) entries.push_back(entry_of(step.tool_calls[next_call]));
    // What was said makes up the thought of a step that has messages.
    if (!said && !step.thought.empty())
        entries.insert(entries.begin(), text_entry(Kind::thought, Words::tr("Thought"), step.thought, true));
    return entries;
}

} // namespace kw::review
