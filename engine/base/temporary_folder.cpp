#include "engine/base/temporary_folder.h"

#include <stdlib.h>

#include <system_error>

namespace kw {

TemporaryFolder::TemporaryFolder() {
    std::error_code error;
    auto pattern = (std::filesystem::temp_directory_path(error) / "kernelwright-XXXXXX").string();
    if (!error && ::mkdtemp(pattern.data())) path_ = pattern;
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
}

} // namespace kw
