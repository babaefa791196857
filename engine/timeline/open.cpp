#include "engine/timeline/open.h"

#include "engine/timeline/byte_source.h"
#include "engine/timeline/chrome_trace.h"
#include "engine/timeline/nsys.h"

#include <fmt/format.h>
#include <malloc.h>

namespace kw::timeline {

Result<std::shared_ptr<const Store>> open_trace(const std::filesystem::path& path, std::stop_token stop,
                                                const Progress& progress) {
    auto source = open_source(path);
    if (!source) return std::unexpected(source.error());
    constexpr std::string_view kSqlite("SQLite format 3\0", 16);
    const auto head = (*source)->read_at(0, kSqlite.size());
    if (!head) return std::unexpected(head.error());
    auto store = *head == kSqlite ? read_nsys(path, std::move(stop), progress)
                                  : read_chrome_trace(std::move(*source), std::move(stop), progress);
    // What reading took is large and of no use to anyone now; without this it would stay with the process.
    malloc_trim(0);
    if (store) return store;
    Error error = store.error();
    if (error.code != ErrorCode::cancelled) error.message = fmt::format("{}: {}", path.string(), error.message);
    return std::unexpected(std::move(error));
}

bool looks_like_trace(const std::filesystem::path& path) {
    const std::string name = path.filename().string();
    for (const auto* end : {".json", ".json.gz", ".sqlite"})
        if (name.ends_with(end)) return true;
    return false;
}

} // namespace kw::timeline
