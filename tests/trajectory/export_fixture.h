#pragma once

#include "agent/trajectory/exports.h"
#include "engine/base/file.h"
#include "engine/base/process.h"

#include <QTemporaryDir>
#include <QtTest/QtTest>

#include <string>

namespace kw::test {

/// A session that has what exports must cope with: a tree, a conversation over several steps, a step without a source,
/// one without a verdict, and texts that would break out of any form.
inline constexpr std::string_view kOdd =
    "</script><img src=x onerror=alert(1)> \"'&<>\x01 \xFF ```\n]]> \xE2\x80\xA8 end";

inline trajectory::SessionFile make_session(const std::filesystem::path& path) {
    auto session =
        trajectory::SessionFile::create(path, {{"task.toml", "name = \"t\""}, {"k.cu", "line 1\nline 2\nline 3\n"}},
                                        "t " + std::string{kOdd})
            .value();
    const auto add = [&](std::optional<trajectory::StepId> parent, std::string driver, std::string source,
                         std::optional<double> reward, std::vector<trajectory::Message> messages = {},
                         std::vector<trajectory::ToolCall> calls = {}) {
        trajectory::Step step;
        step.summary.parent = parent;
        step.summary.driver = std::move(driver);
        step.summary.title = "change " + std::string{kOdd};
        step.summary.started_ms = 1'700'000'000'000 + 10'000 * static_cast<std::int64_t>(session.steps()->size());
        step.summary.ended_ms = step.summary.started_ms + 9'000;
        step.thought = std::string{kOdd};
        if (!source.empty()) step.file = "k.cu";
        step.source = std::move(source);
        if (reward)
            step.evaluation = Json{{"compile", {{"ms", 300.5}}},
                                   {"verify", {{"ms", 40}}},
                                   {"bench", {{"ms", 900}, {"median_us", 12.5}, {"estimated", true}}},
                                   {"reward",
                                    {{"value", *reward},
                                     {"because", kOdd},
                                     {"speedups", Json::array({{{"baseline", "b"}, {"speedup", *reward}}})}}}};
        step.messages = std::move(messages);
        step.tool_calls = std::move(calls);
        if (!session.add(step)) qFatal("cannot add a step");
    };
    const auto call = [](const char* id, const char* name) {
        return trajectory::ToolCall{
            .id = id, .name = name, .arguments = {{"text", kOdd}}, .result = "r", .milliseconds = 700};
    };
    add({}, "human", "line 1\nline two\nline 3\n", 1);
    add(1, "llm:m", "line 1\nline 2b\nline 3\n", 3,
        {{"system", "rules"},
         {"user", "go"},
         {"assistant", "first", "hm"},
         {"tool", "r1"},
         {"tool", "r2"},
         {"user", "evaluated"}},
        {call("c1", "edit"), call("c2", "look")});
    // It goes on from an earlier step, the conversation from the last one.
    add(1, "llm:m", "line 1\n" + std::string{kOdd} + "\n", -1, {{"assistant", std::string{kOdd}}, {"tool", "r3"}},
        {call("c3", "edit")});
    add(3, "llm:m", "line 1\n", 2, {{"assistant", "third"}});
    add(4, "llm:m", "line 9\n", -1, {{"system", "rules"}, {"user", "anew"}, {"assistant", "fourth"}});
    add(4, "imported:codex", "", {}, {{"tool", "orphan"}, {"assistant", "unknown source"}});
    add({}, "tuner", "line 1\nline 2\nline 3\n", {});
    return session;
}

class ExportFixture {
public:
    ExportFixture() : session(make_session(path("s.kwsession"))) {}

    [[nodiscard]] std::filesystem::path path(const char* name) const {
        return std::filesystem::path{folder_.path().toStdString()} / name;
    }
    /// What another program that reads `text` as `kind` says: how many things are in it.
    [[nodiscard]] QByteArray check(const char* kind, const std::string& text) const {
        if (!write_file(path("out"), text)) return "cannot write";
        const auto result = run({"python3", KW_CHECK_EXPORTS, kind, path("out").string()});
        if (!result) return QByteArray::fromStdString(result.error().message);
        return QByteArray::fromStdString(result->output + result->errors + (result->status.success() ? "" : "failed"));
    }

private:
    QTemporaryDir folder_;

public:
    trajectory::SessionFile session;
};

template<class Export> std::string text_of(const Export& write) {
    std::string text;
    const auto done = write([&text](std::string_view piece) -> Result<void> {
        text += piece;
        return {};
    });
    return done ? text : done.error().message;
}

} // namespace kw::test
