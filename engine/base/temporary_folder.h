#pragma once

#include <filesystem>

namespace kw {

/// A new folder in the system's place for such, for this user alone, that goes with the object and all that is in it.
/// Its path is empty where none could be made.
class TemporaryFolder {
public:
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

} // namespace kw
