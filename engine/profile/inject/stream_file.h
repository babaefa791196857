#pragma once

#include <cstdint>
#include <filesystem>
#include <string_view>

namespace kw::trace {

/// The file of this process's stream. Opened for each write, because programs close descriptors that they do not know
/// (daemons do) and would then get ours back under their own number.
class StreamFile {
public:
    /// Makes a file of a name of its own in `folder`; valid() is false when that fails.
    explicit StreamFile(const std::filesystem::path& folder);

    /// Appends all of `bytes` or, when the disk is full, a file limit would be passed, or the folder has gone, nothing;
    /// then false. Raises no signal.
    bool append(std::string_view bytes) const;

    [[nodiscard]] bool valid() const { return !path_.empty(); }
    /// Nobody is there to read what is written.
    [[nodiscard]] bool abandoned() const;

private:
    std::filesystem::path path_;
};

} // namespace kw::trace
