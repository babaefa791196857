#pragma once

#include <filesystem>
#include <string>

namespace kw::desktop {

/// A name of its own that others can ask about: alive until the object is destroyed or its process has ended, however
/// that came. It is a locked file, and the system lets go of a lock when its holder dies.
class AliveMark {
public:
    /// Where no file can be made, the name is there all the same and does not count as alive.
    explicit AliveMark(const std::filesystem::path& folder);
    ~AliveMark();
    AliveMark(const AliveMark&) = delete;
    AliveMark& operator=(const AliveMark&) = delete;

    /// Letters, digits and dashes.
    [[nodiscard]] const std::string& id() const { return id_; }

    /// Whether a mark of that name is held, by this process or another. Clears away what a dead one has left.
    [[nodiscard]] static bool alive(const std::filesystem::path& folder, const std::string& id);
    /// How many are held.
    [[nodiscard]] static std::size_t count(const std::filesystem::path& folder);

private:
    std::filesystem::path path_;
    std::string id_;
    int lock_ = -1;
};

} // namespace kw::desktop
