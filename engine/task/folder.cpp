#include "engine/task/folder.h"

#include "engine/base/file.h"
#include "engine/base/latin1.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <system_error>

namespace kw::task {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kLargestText = std::size_t{16} << 20;
constexpr std::size_t kLargestFolder = std::size_t{256} << 20;
constexpr std::size_t kMostEntries = 20000;
constexpr std::array<std::string_view, 6> kTextExtensions{".cu", ".cuh", ".h", ".hpp", ".inl", ".py"};

std::unexpected<Error> refuse(ErrorCode code, std::string message, Where where) {
    return fail(Stage::task, code, std::move(message), std::move(where));
}

bool is_text(const fs::path& name) {
    return name == "task.toml" || name == "skill.md"
           || std::ranges::find(kTextExtensions, name.extension().string()) != kTextExtensions.end();
}

bool inside(const fs::path& path, const fs::path& folder) {
    const auto [end, ignored] = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
    return end == folder.end();
}

enum class NotUtf8 { refused, latin1 };

/// Reads one file into `files`, counting its bytes.
Result<void> add_file(Files& files, const fs::path& path, const std::string& name, bool text, NotUtf8 not_utf8,
                      std::size_t& total) {
    std::error_code error;
    const auto size = fs::file_size(path, error);
    if (!error && text && size > kLargestText)
        return refuse(
            ErrorCode::invalid_input,
            fmt::format("{} holds {} MiB; a source may hold at most {} MiB", name, (size >> 20), kLargestText >> 20),
            {name});
    if (!error && size > kLargestFolder - total)
        return refuse(ErrorCode::invalid_input,
                      fmt::format("the task folder's files exceed {} MiB with {}", kLargestFolder >> 20, name), {name});
    auto contents = read_file(path, text ? kLargestText : kLargestFolder - total, Stage::task);
    if (!contents) return std::unexpected(contents.error());
    total += contents->size();
    if (const std::size_t bad = text ? first_invalid_utf8(*contents) : std::string::npos; bad != std::string::npos) {
        if (not_utf8 == NotUtf8::refused || name == "task.toml")
            return refuse(ErrorCode::invalid_input,
                          fmt::format("{} is not UTF-8 (byte 0x{:02X}); save it as UTF-8", name,
                                      static_cast<unsigned char>((*contents)[bad])),
                          position_at(*contents, bad, name));
        *contents = latin1_to_utf8(*contents);
    }
    files.emplace(name, std::move(*contents));
    return {};
}

Result<Files> read(const fs::path& folder, NotUtf8 not_utf8) {
    std::error_code error;
    if (!fs::is_directory(folder, error))
        return refuse(ErrorCode::not_found,
                      fmt::format("'{}' is not a folder{}", folder.string(),
                                  folder.extension() == ".py" && fs::exists(folder, error)
                                      ? "; 'kw task new --from-torch' makes a task of a PyTorch problem"
                                      : ""),
                      {folder.string()});
    if (!fs::exists(folder / "task.toml", error))
        return refuse(ErrorCode::not_found, fmt::format("the folder '{}' has no task.toml", folder.string()),
                      {folder.string()});
    if (fs::is_directory(folder / "task.toml", error))
        return refuse(ErrorCode::invalid_input,
                      fmt::format("'{}' is a folder; the file that describes the task belongs there",
                                  (folder / "task.toml").string()),
                      {"task.toml"});
    const fs::path root = fs::canonical(folder, error);
    if (error)
        return refuse(ErrorCode::invalid_input, fmt::format("cannot open '{}': {}", folder.string(), error.message()),
                      {folder.string()});

    Files files;
    std::size_t total = 0, entries = 0;
    fs::recursive_directory_iterator entry(root, fs::directory_options::skip_permission_denied, error), end;
    for (; !error && entry != end; entry.increment(error)) {
        if (++entries > kMostEntries)
            return refuse(ErrorCode::invalid_input,
                          fmt::format("'{}' holds more than {} files; a task folder holds one task", folder.string(),
                                      kMostEntries),
                          {folder.string()});
        const fs::path& path = entry->path();
        std::error_code ignored;
        if (entry->is_directory(ignored)) {
            if (path.filename().string().starts_with('.')) entry.disable_recursion_pending();
            continue;
        }
        const bool text = is_text(path.filename());
        if (!text && path.extension() != ".npy") continue;
        const std::string name = path.lexically_relative(root).generic_string();
        if (entry->is_symlink(ignored)) {
            const fs::path target = fs::canonical(path, ignored);
            if (ignored || !inside(target, root))
                return refuse(ErrorCode::invalid_input,
                              fmt::format("{} is a link that leaves the task folder; copy the file into it", name),
                              {name});
        }
        if (auto added = add_file(files, path, name, text, not_utf8, total); !added)
            return std::unexpected(added.error());
    }
    if (error)
        return refuse(ErrorCode::invalid_input, fmt::format("cannot read '{}': {}", folder.string(), error.message()),
                      {folder.string()});
    return files;
}

} // namespace

Result<Files> read_folder(const fs::path& folder) { return read(folder, NotUtf8::refused); }

Result<Files> read_folder_in_any_encoding(const fs::path& folder) { return read(folder, NotUtf8::latin1); }

std::string safe_name(std::string_view name) {
    constexpr std::size_t kMost = 64;
    std::string safe;
    for (const char c : name.substr(0, kMost))
        if (std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-')
            safe += c;
        else if (!safe.empty() && safe.back() != '_')
            safe += '_';
    while (!safe.empty() && safe.back() == '_') safe.pop_back();
    return safe.empty() ? "task" : safe;
}

Result<std::filesystem::path> write_new_folder(const Files& files, const std::filesystem::path& parent,
                                               const std::string& name) {
    std::error_code error;
    std::filesystem::create_directories(parent, error);
    auto folder = parent / name;
    for (int number = 2; !error && !std::filesystem::create_directory(folder, error) && !error; ++number)
        folder = parent / (name + "_" + std::to_string(number));
    if (error)
        return fail(Stage::environment, ErrorCode::unsupported,
                    fmt::format("cannot make the folder '{}': {}", folder.string(), error.message()));
    for (const auto& [file, text] : files)
        if (auto written = write_file(folder / file, text, Stage::task); !written)
            return std::unexpected(std::move(written.error()));
    return folder;
}

} // namespace kw::task
