#pragma once

#include "engine/base/result.h"
#include "engine/profile/report.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

/// How a traced process tells what it did: one file per process, kMagic and then frames of a 4-byte little-endian
/// length and so many bytes. A file that ends within a frame is whole up to the frame before.
namespace kw::trace {

inline constexpr std::string_view kMagic = "KWTRACE1";

// What `kw trace` tells the library by the environment.
inline constexpr const char* kFolderVariable = "KW_TRACE_FOLDER"; ///< where the files go
inline constexpr const char* kCuptiVariable = "KW_TRACE_CUPTI";   ///< path of libcupti
inline constexpr const char* kKindsVariable = "KW_TRACE_KINDS";   ///< "kernel,copy,…"; absent: all
inline constexpr const char* kLimitVariable = "KW_TRACE_LIMIT";   ///< activities per process
inline constexpr std::string_view kStreamSuffix = ".kwtrace";

/// The first frame of a stream.
struct ProcessEvent {
    std::uint32_t pid = 0;
    std::uint32_t parent = 0;
    std::string name;    ///< of the program, as `ps` shows it
    std::string command; ///< with its arguments, cut to some hundred bytes
    std::string cupti;   ///< "13.0"
    /// The same moment on the clock of this stream's times and on the system's (ns since 1970).
    std::uint64_t clock_ns = 0;
    std::uint64_t system_ns = 0;
};

struct DeviceEvent {
    std::uint32_t id = 0;
    std::string name;
    int capability = 0; ///< 90 for 9.0
    std::uint32_t multiprocessors = 0;
    std::uint64_t memory_bytes = 0;
    bool operator==(const DeviceEvent&) const = default;
};

struct ThreadEvent {
    std::uint32_t tid = 0;
    std::string name;
};

/// Totals so far, so that the last of them counts.
struct LossesEvent {
    std::uint64_t not_kept = 0;   ///< beyond the limits
    std::uint64_t dropped = 0;    ///< by CUPTI
    std::uint64_t unfinished = 0; ///< not ended when the process did
    std::uint64_t malformed = 0;
    [[nodiscard]] std::uint64_t total() const { return not_kept + dropped + unfinished + malformed; }
    bool operator==(const LossesEvent&) const = default;
};

/// Why nothing, or no more, is collected: one sentence.
struct ProblemEvent {
    std::string message;
};

/// The process ended in order; nothing follows.
struct EndEvent {};

using Event =
    std::variant<profile::Activity, ProcessEvent, DeviceEvent, ThreadEvent, LossesEvent, ProblemEvent, EndEvent>;

/// Makes frames. Names of activities are sent once.
class Encoder {
public:
    void add(const profile::Activity& activity); ///< its process is the stream's
    void add(const ProcessEvent& event);
    void add(const DeviceEvent& event);
    void add(const ThreadEvent& event);
    void add(const LossesEvent& event);
    void add(const ProblemEvent& event);
    void add(const EndEvent& event);
    /// What has been added since; starts with kMagic the first time.
    [[nodiscard]] std::string take();

private:
    std::string bytes_{kMagic};
    std::unordered_map<std::string, std::uint32_t> names_;
};

/// Reads what an Encoder made, however it is cut.
class Decoder {
public:
    void feed(std::string_view bytes);
    /// The next event; none when the next frame is not whole yet. After an error there is nothing more.
    [[nodiscard]] Result<std::optional<Event>> next();

private:
    [[nodiscard]] std::unexpected<Error> malformed(std::string_view what);

    std::string buffer_;
    std::size_t at_ = 0;
    std::uint64_t offset_ = 0; ///< of buffer_ in the stream
    bool started_ = false;
    bool broken_ = false;
    std::uint32_t pid_ = 0;
    std::vector<std::string> names_;
};

} // namespace kw::trace
