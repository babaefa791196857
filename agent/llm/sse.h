#pragma once

#include "engine/base/result.h"

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace kw::llm {

struct SseEvent {
    std::string type; ///< empty when the stream names none
    std::string data; ///< lines joined by '\n'
    bool operator==(const SseEvent&) const = default;
};

/// The event stream format of the HTML standard (§9.2.6), on bytes: lines end in LF, CRLF or CR, however they are cut
/// into reads; comments and unknown fields are skipped; a byte order mark is too. Text is not decoded here, so a
/// character may be cut anywhere.
class SseParser {
public:
    /// Takes an event; false: no more is wanted.
    using Sink = std::function<Result<bool>(const SseEvent&)>;

    /// An event that holds more than `largest` bytes is an error.
    explicit SseParser(std::size_t largest = std::size_t{16} << 20) : largest_(largest) {}

    /// What the sink says; false also for whatever is fed after it said so.
    [[nodiscard]] Result<bool> feed(std::string_view bytes, const Sink& sink);
    /// The stream has ended. An event without the empty line after it is given too: servers forget it.
    [[nodiscard]] Result<bool> finish(const Sink& sink);

private:
    [[nodiscard]] Result<bool> end_of_line(const Sink& sink);

    std::size_t largest_;
    std::string line_;
    SseEvent event_;
    bool has_data_ = false;
    bool after_cr_ = false;
    bool first_line_ = true;
    bool ended_ = false;
};

} // namespace kw::llm
