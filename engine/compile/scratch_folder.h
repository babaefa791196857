#pragma once

#include <filesystem>

namespace kw::compile {

/// A folder of this process alone below the system's temporary folder, removed with the object. Those of processes that
/// were killed are removed when the next one is made.
class ScratchFolder {
public:
    ScratchFolder();
    ~ScratchFolder();
    ScratchFolder(const ScratchFolder&) = delete;
    ScratchFolder& operator=(const ScratchFolder&) = delete;

    /// Empty when none could be made (a read-only system, a full disk).
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

} // namespace kw::compile
