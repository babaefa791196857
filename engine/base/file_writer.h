#pragma once

#include "engine/base/descriptor.h"
#include "engine/base/result.h"

#include <filesystem>
#include <string_view>

namespace kw {

/// write_file() for what comes piece by piece: the file takes its name in finish(), so that a crash, a full disk or a
/// change of mind leaves the old file. Several may write to one name; the last to finish wins.
class FileWriter {
public:
    [[nodiscard]] static Result<FileWriter> create(const std::filesystem::path& path, Stage stage = Stage::environment);
    FileWriter(FileWriter&&) noexcept;
    FileWriter& operator=(FileWriter&&) noexcept;
    /// Without finish() nothing of it is left, except in what cannot be replaced, such as a pipe.
    ~FileWriter();

    [[nodiscard]] Result<void> write(std::string_view text);
    /// After an error here, as after one of write(), the object is only good for being destroyed.
    [[nodiscard]] Result<void> finish();

private:
    FileWriter() = default;
    void give_up();

    std::filesystem::path path_;      ///< as it was named
    std::filesystem::path target_;    ///< the file that is replaced
    std::filesystem::path temporary_; ///< empty when it is written in place, and once it has its name
    Descriptor file_;
    Stage stage_ = Stage::environment;
};

} // namespace kw
