#pragma once

#include "engine/base/result.h"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

/// JSON-RPC 2.0 over a byte stream: each message is a JSON text behind a Content-Length header, as in the Language
/// Server Protocol.
namespace kw::rpc {

struct Limits {
    std::size_t header_bytes = 8192;
    std::size_t body_bytes = std::size_t{512} << 20;
    std::size_t depth =
        200; ///< nested arrays and objects; deeper values could exhaust the stack of whoever copies or prints them
};

/// The message with its header.
[[nodiscard]] std::string frame(std::string_view body);

/// Cuts a stream into message bodies, however it was split. Memory grows with what has arrived, not with what a header
/// announces.
class Decoder {
public:
    explicit Decoder(const Limits& limits = {}) : limits_(limits) {}

    void feed(std::string_view bytes);

    /// The next whole body, or no value until more has been fed. An error is final: the stream cannot be followed any
    /// more.
    [[nodiscard]] Result<std::optional<std::string>> next();

    /// True when the stream may end here: between messages.
    [[nodiscard]] bool at_boundary() const { return buffer_.size() == start_ && !body_size_; }

private:
    [[nodiscard]] Result<bool> read_header();

    Limits limits_;
    std::string buffer_;
    std::size_t start_ = 0;                ///< bytes of buffer_ already used
    std::size_t scanned_ = 0;              ///< bytes from start_ known to hold no end of the header
    std::optional<std::size_t> body_size_; ///< of the message whose header has been read
};

/// Deepest nesting of arrays and objects in a JSON text, found without parsing it.
[[nodiscard]] std::size_t nesting_depth(std::string_view text);

} // namespace kw::rpc
