#pragma once

#include "engine/profile/profiler.h"

#include <cstddef>
#include <mutex>

/// Live updates on their way to a client, which may read more slowly than they arise.
namespace kw::profile {

[[nodiscard]] Json to_json(const LiveUpdate& update);
/// Malformed values are an error that names the member.
[[nodiscard]] Result<LiveUpdate> live_update_from_json(const Json& json);

/// Sample times that an update holds at most.
inline constexpr std::size_t kLiveSamples = 2000;

/// Holds what has not been sent yet, as one update of bounded size; what does not fit is dropped, oldest first, and
/// counted. Any thread.
class LiveBuffer {
public:
    void add(const LiveUpdate& update);
    /// What has gathered since the last call; nothing when that is nothing.
    [[nodiscard]] std::optional<LiveUpdate> take();

private:
    std::mutex mutex_;
    LiveUpdate pending_;
};

} // namespace kw::profile
