#include "agent/llm/sse.h"

#include <fmt/format.h>

#include <utility>

namespace kw::llm {

Result<bool> SseParser::feed(std::string_view bytes, const Sink& sink) {
    while (!bytes.empty()) {
        if (ended_) return false;
        if (std::exchange(after_cr_, false) && bytes.front() == '\n') {
            bytes.remove_prefix(1);
            continue;
        }
        const auto end = bytes.find_first_of("\r\n");
        line_ += bytes.substr(0, end);
        if (line_.size() + event_.data.size() > largest_) {
            ended_ = true;
            return fail(Stage::environment, ErrorCode::unsupported,
                        fmt::format("the server sent an event of more than {} bytes", largest_));
        }
        if (end == std::string_view::npos) break;
        after_cr_ = bytes[end] == '\r';
        bytes.remove_prefix(end + 1);
        if (auto more = end_of_line(sink); !more || !*more) {
            ended_ = true;
            return more;
        }
    }
    return !ended_;
}

Result<bool> SseParser::finish(const Sink& sink) {
    if (ended_) return false;
    if (!line_.empty())
        if (auto more = end_of_line(sink); !more || !*more) return more;
    return end_of_line(sink);
}

Result<bool> SseParser::end_of_line(const Sink& sink) {
    std::string line = std::exchange(line_, {});
    if (std::exchange(first_line_, false) && line.starts_with("\xEF\xBB\xBF")) line.erase(0, 3);
    if (line.empty()) {
        SseEvent event = std::exchange(event_, {});
        // An event without data is none.
        return std::exchange(has_data_, false) ? sink(event) : true;
    }
    const auto colon = line.find(':');
    const auto name = std::string_view{line}.substr(0, colon);
    auto value = colon == std::string::npos ? std::string_view{} : std::string_view{line}.substr(colon + 1);
    if (value.starts_with(' ')) value.remove_prefix(1);
    if (name == "data") {
        if (has_data_) event_.data += '\n';
        event_.data += value;
        has_data_ = true;
    } else if (name == "event") {
        event_.type = value;
    }
    return true;
}

} // namespace kw::llm
