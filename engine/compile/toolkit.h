#pragma once

#include "engine/base/dynlib.h"
#include "engine/base/json.h"
#include "engine/base/result.h"

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

/// Finding NVIDIA's toolkit and driver at run time. The order is docs/design.md §1: user setting,
/// $CUDA_HOME/$CUDA_PATH, loader path, /usr/local/cuda*, pip/conda folders and last the private folder that the quick
/// start fills beside the executable.
namespace kw::compile {

/// One place that was looked at, for `kw doctor`. `reason` is why it was not taken, or empty.
struct Attempt {
    std::string
        source; ///< "user setting", "$CUDA_HOME", "loader path", "/usr/local", "pip", "conda", "private folder", "PATH"
    std::string path;
    std::string reason;
};

/// A folder that may be the root of a toolkit: it has lib*/, include/ or bin/ below it, in some layout.
struct Place {
    std::string source;
    std::filesystem::path root;
};

/// Existing roots in search order; roots that hold unpacked wheels appear with each of their nvidia/* folders.
/// `user_setting` is a toolkit root, a folder of libraries, a library file, or empty.
[[nodiscard]] std::vector<Place> toolkit_places(const std::string& user_setting);

/// What library to look for. `stem` "libnvrtc" matches libnvrtc.so.13, libnvrtc.so.12 and libnvrtc.so, highest first.
struct LibraryQuery {
    std::string stem;
    std::vector<std::string> loader_names; ///< what to ask the loader for, best first: "libnvrtc.so.13", …
    std::string remedy;                    ///< what to do when there is none: "install …"
    /// Looks at an opened library; returns why it cannot be used, or nothing.
    std::function<std::string(const DynamicLibrary&)> refuse{};
};

struct FoundLibrary {
    DynamicLibrary library;
    std::filesystem::path path;
    std::string source;
};

struct LibrarySearch {
    std::optional<FoundLibrary> found{};
    std::vector<Attempt> tried{};
};

/// Opens the first usable library in the order above, and says what it tried.
[[nodiscard]] LibrarySearch search_library(const LibraryQuery& query, const std::string& user_setting);

/// The same for callers that need the library: not_found with one sentence and the remedy, the places tried in
/// `detail`.
[[nodiscard]] Result<FoundLibrary> find_library(const LibraryQuery& query, const std::string& user_setting);

[[nodiscard]] LibraryQuery nvrtc_query(); ///< accepts 12.x and later
[[nodiscard]] LibraryQuery cuda_query();  ///< the driver, libcuda
[[nodiscard]] LibraryQuery cupti_query();

/// Header folders for a compiler of version major.minor, most specific first; empty when none fits.
struct Headers {
    std::vector<std::filesystem::path> folders{}; ///< what goes into -I, in order
    std::string version{};                        ///< "13.0", from CUDA_VERSION of its cuda.h
    std::vector<Attempt> tried{};
};
[[nodiscard]] Headers find_headers(const std::filesystem::path& library, int major, int minor,
                                   const std::string& user_setting);

/// An executable of the toolkit ("nvdisasm"): found beside the toolkit places or on PATH.
struct ToolSearch {
    std::filesystem::path path{}; ///< empty when not found
    std::string source{};
    std::vector<Attempt> tried{};
};
[[nodiscard]] ToolSearch find_tool(const std::string& name, const std::string& user_setting);

/// One line of `kw doctor`.
struct Component {
    std::string name{};  ///< "libnvrtc", "headers", "nvdisasm"
    bool needed = false; ///< nothing can be compiled without it
    bool found = false;
    std::string path{};
    std::string version{};
    std::string source{};
    std::string purpose{}; ///< what needs it
    std::string remedy{};  ///< one sentence when missing
    std::vector<Attempt> tried{};
};

/// Everything of NVIDIA's that this program can use, found or not.
[[nodiscard]] std::vector<Component> toolkit_inventory(const std::string& user_setting);
[[nodiscard]] Json to_json(const Component& component);

} // namespace kw::compile
