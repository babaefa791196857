#include "engine/profile/trace/spool.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace fs = std::filesystem;

namespace kw::trace {

Result<void> StreamReader::read(const std::function<void(Event&&)>& visit) {
    if (!file_) {
        file_.reset(::open(path_.c_str(), O_RDONLY | O_CLOEXEC));
        if (!file_)
            return fail(Stage::environment, ErrorCode::not_found,
                        fmt::format("cannot read {}: {}", path_.string(), std::strerror(errno)));
    }
    std::array<char, 1 << 16> buffer;
    for (;;) {
        const auto count = read_some(file_.get(), buffer.data(), buffer.size());
        if (count < 0)
            return fail(Stage::environment, ErrorCode::internal,
                        fmt::format("cannot read {}: {}", path_.string(), std::strerror(errno)));
        if (count == 0) return {};
        decoder_.feed({buffer.data(), static_cast<std::size_t>(count)});
        for (;;) {
            auto event = decoder_.next();
            if (!event) visit(ProblemEvent{event.error().message});
            if (!event || !*event) break;
            visit(std::move(**event));
        }
    }
}

Result<Spool> Spool::create() {
    std::error_code error;
    const auto parent = fs::temp_directory_path(error);
    auto name = (error ? fs::path{"/tmp"} : parent) / "kernelwright-trace-XXXXXX";
    std::string text = name.string();
    if (!::mkdtemp(text.data()))
        return fail(Stage::environment, ErrorCode::internal,
                    fmt::format("cannot make a folder in {}: {}; set TMPDIR to one that can be written to",
                                name.parent_path().string(), std::strerror(errno)));
    Spool spool;
    spool.folder_ = text;
    return spool;
}

Spool::~Spool() {
    std::error_code ignored;
    if (!folder_.empty()) fs::remove_all(folder_, ignored);
}

std::vector<fs::path> Spool::streams() const {
    std::vector<fs::path> found;
    std::error_code error;
    for (fs::directory_iterator it{folder_, error}, end; !error && it != end; it.increment(error))
        // A program may have put there what would never end, or block.
        if (it->path().extension() == kStreamSuffix && fs::is_regular_file(it->symlink_status(error)))
            found.push_back(it->path());
    std::ranges::sort(found);
    return found;
}

} // namespace kw::trace
