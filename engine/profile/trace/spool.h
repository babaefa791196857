#pragma once

#include "engine/base/descriptor.h"
#include "engine/base/result.h"
#include "engine/profile/trace/wire.h"

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace kw::trace {

/// One process's stream, read as it grows.
class StreamReader {
public:
    explicit StreamReader(std::filesystem::path path) : path_(std::move(path)) {}

    /// Passes on what is new. Damage is told once, as a ProblemEvent.
    [[nodiscard]] Result<void> read(const std::function<void(Event&&)>& visit);

    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
    Descriptor file_;
    Decoder decoder_;
};

/// The private folder into which traced processes write; removed with the object.
class Spool {
public:
    [[nodiscard]] static Result<Spool> create();
    ~Spool();
    Spool(Spool&& other) noexcept : folder_(std::exchange(other.folder_, {})) {}
    Spool& operator=(Spool&&) = delete;
    Spool(const Spool&) = delete;
    Spool& operator=(const Spool&) = delete;

    [[nodiscard]] const std::filesystem::path& folder() const { return folder_; }
    /// The streams there are now, in the order of their names.
    [[nodiscard]] std::vector<std::filesystem::path> streams() const;

private:
    Spool() = default;

    std::filesystem::path folder_;
};

} // namespace kw::trace
