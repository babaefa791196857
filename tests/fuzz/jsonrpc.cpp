#include "engine/rpc/framing.h"
#include "engine/rpc/protocol.h"
#include "engine/rpc/server.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace {

/// Small enough that the limits are met.
constexpr kw::rpc::Limits kLimits{.header_bytes = 200, .body_bytes = 4096, .depth = 20};

std::vector<std::string> decode(std::string_view text, std::size_t piece, bool& failed) {
    kw::rpc::Decoder decoder{kLimits};
    std::vector<std::string> bodies;
    failed = false;
    for (std::size_t i = 0; i < text.size() && !failed; i += piece) {
        decoder.feed(text.substr(i, piece));
        for (;;) {
            auto body = decoder.next();
            failed = !body;
            if (!body || !*body) break;
            bodies.push_back(std::move(**body));
        }
    }
    return bodies;
}

/// A server that answers on its reading thread, so that each run is over when serve() returns.
void serve(std::string_view text) {
    kw::Descriptor input{::memfd_create("requests", MFD_CLOEXEC)};
    if (!kw::write_all(input.get(), text)) std::abort();
    ::lseek(input.get(), 0, SEEK_SET);
    kw::rpc::Server server{std::move(input), kw::Descriptor{::open("/dev/null", O_WRONLY | O_CLOEXEC)}, kLimits};
    server.add("echo", {.handler = [](const kw::Json& params, std::stop_token,
                                      const kw::rpc::Progress& progress) -> kw::Result<kw::Json> {
                   progress("echo", 0.5);
                   return params;
               }});
    static_cast<void>(server.serve());
}

} // namespace

/// The input is a byte stream as a peer might send it. How it arrives must not change what is read; what is read can be
/// answered.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    bool whole_failed = false;
    bool pieces_failed = false;
    const auto whole = decode(text, size + 1, whole_failed);
    const auto pieces = decode(text, 3, pieces_failed);
    if (whole_failed != pieces_failed || whole != pieces) std::abort();
    for (const auto& body : whole) {
        const auto json = kw::rpc::parse_body(body, kLimits);
        if (!json) continue;
        const auto error = kw::rpc::error_from_json(*json);
        static_cast<void>(kw::rpc::to_json(error));
        const auto framed = kw::rpc::response_frame(1, *json);
        bool failed = false;
        if (decode(framed, framed.size(), failed).size() != (framed.size() > kLimits.body_bytes ? 0u : 1u) && !failed)
            std::abort();
    }
    serve(text);
    return 0;
}
