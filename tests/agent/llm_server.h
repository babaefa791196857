#pragma once

#include "engine/base/file.h"
#include "engine/base/json.h"
#include "engine/base/process.h"

#include <QTemporaryDir>

#include <filesystem>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

namespace kw::test {

inline bool has_python() { return !find_program("python3").empty(); }

/// A process that answers as scripted: see llm_server.py.
class ScriptedServer {
public:
    explicit ScriptedServer(const Json& script, const std::vector<std::string>& tls = {}) {
        const auto file = folder() / "script.json";
        static_cast<void>(write_file(file, script.dump()));
        SpawnOptions options{.arguments = {"python3", "-IS", KW_LLM_SERVER, file.string(), log().string()}};
        options.arguments.insert(options.arguments.end(), tls.begin(), tls.end());
        options.errors = SpawnOptions::Stream::inherit;
        if (auto child = Child::spawn(options)) child_.emplace(std::move(*child));
        char digit = 0;
        while (child_ && read_some(child_->output().get(), &digit, 1) == 1 && digit != '\n') port_ += digit;
    }

    [[nodiscard]] std::string url(const std::string& scheme = "http", const std::string& host = "127.0.0.1") const {
        return scheme + "://" + host + ":" + port_;
    }
    [[nodiscard]] std::filesystem::path folder() const { return folder_.path().toStdString(); }
    /// What it was asked so far: {line, headers, body}, the body as JSON where it is.
    [[nodiscard]] std::vector<Json> requests() const {
        std::vector<Json> list;
        std::istringstream lines{read_file(log(), std::size_t{1} << 30).value_or("")};
        for (std::string line; std::getline(lines, line);) {
            auto request = Json::parse(line);
            if (auto body = Json::parse(request.at("body").get<std::string>(), nullptr, false); !body.is_discarded())
                request["body"] = std::move(body);
            list.push_back(std::move(request));
        }
        return list;
    }
    [[nodiscard]] std::string raw_log() const { return read_file(log(), std::size_t{1} << 30).value_or(""); }

    [[nodiscard]] std::filesystem::path log() const { return folder() / "log.jsonl"; }

private:
    QTemporaryDir folder_;
    std::optional<Child> child_;
    std::string port_;
};

/// The events of a stream, each given as its data.
inline std::string events(const std::vector<Json>& list, bool done = true) {
    std::string text;
    for (const auto& event : list) text += "data: " + event.dump() + "\n\n";
    return done ? text + "data: [DONE]\n\n" : text;
}

inline Json chat_chunk(Json delta, const char* finish = nullptr) {
    return {{"id", "x"},
            {"object", "chat.completion.chunk"},
            {"model", "m-1"},
            {"choices",
             Json::array(
                 {{{"index", 0}, {"delta", std::move(delta)}, {"finish_reason", finish ? Json(finish) : Json()}}})}};
}

/// A reply of a chat server: text, then tool calls [{name, arguments}], then usage.
inline std::string chat_reply(const std::string& text, const std::vector<std::pair<std::string, Json>>& calls = {},
                              int prompt = 100, int completion = 10) {
    std::vector<Json> list{chat_chunk({{"role", "assistant"}, {"content", text}})};
    int index = 0;
    for (const auto& [name, arguments] : calls) {
        list.push_back(chat_chunk(
            {{"tool_calls", Json::array({{{"index", index},
                                          {"id", "call_" + std::to_string(index)},
                                          {"type", "function"},
                                          {"function", {{"name", name}, {"arguments", arguments.dump()}}}}})}}));
        ++index;
    }
    list.push_back(chat_chunk(Json::object(), calls.empty() ? "stop" : "tool_calls"));
    list.push_back(
        {{"choices", Json::array()}, {"usage", {{"prompt_tokens", prompt}, {"completion_tokens", completion}}}});
    return events(list);
}

} // namespace kw::test
