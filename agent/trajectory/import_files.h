#pragma once

#include "agent/trajectory/import_trace.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kw::trajectory {

/// A file that a call changed. Without a text what it became is not known.
struct FileChange {
    std::string path;
    std::optional<std::string> text{};
};

/// What files became by the calls of a trace, in their order: whole writes, exact replacements, insertions, patches
/// and here-documents of a shell, in the forms of the tools that agents have. A change whose text before is not known,
/// or does not fit, leaves the file unknown until it is written whole.
class FileTexts {
public:
    /// What a call that succeeded changed.
    [[nodiscard]] std::vector<FileChange> apply(const TracedCall& traced);

private:
    [[nodiscard]] FileChange written(std::string_view path, std::optional<std::string> text);
    [[nodiscard]] FileChange replaced(std::string_view path, std::string_view before, std::string_view after, bool all);
    [[nodiscard]] FileChange inserted(std::string_view path, std::int64_t line, std::string_view text);
    [[nodiscard]] FileChange lines_replaced(std::string_view command, const TracedCall& traced);
    [[nodiscard]] std::vector<FileChange> patched(std::string_view patch);
    [[nodiscard]] std::vector<FileChange> commanded(std::string_view command, const TracedCall& traced);
    [[nodiscard]] std::optional<std::string>& file(std::string_view path);

    std::map<std::string, std::optional<std::string>, std::less<>> files_;
};

} // namespace kw::trajectory
