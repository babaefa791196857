#include "engine/compile/toolkit.h"

#include "engine/base/file.h"
#include "engine/compile/nvrtc.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <fstream>
#include <set>
#include <string_view>
#include <utility>

namespace fs = std::filesystem;

namespace kw::compile {
namespace {

/// Where libraries lie below a root: toolkit installers, distributions, wheels and conda each have their own.
constexpr std::array<std::string_view, 7> kLibraryFolders{"",
                                                          "lib64",
                                                          "lib",
                                                          "lib/x86_64-linux-gnu",
                                                          "targets/x86_64-linux/lib",
                                                          "extras/CUPTI/lib64",
                                                          "cuda_cupti/extras/CUPTI/lib64"};
constexpr std::array<std::string_view, 2> kIncludeFolders{"include", "targets/x86_64-linux/include"};

std::string environment(const char* name) {
    const char* value = std::getenv(name); // NOLINT(concurrency-mt-unsafe): nothing here sets variables
    return value ? value : "";
}

bool is_folder(const fs::path& path) {
    std::error_code ignored;
    return fs::is_directory(path, ignored);
}

bool is_file(const fs::path& path) {
    std::error_code ignored;
    return fs::is_regular_file(path, ignored);
}

/// Sub-folders of `folder` whose names start with `prefix`, newest-looking name first.
std::vector<fs::path> subfolders(const fs::path& folder, std::string_view prefix) {
    std::vector<fs::path> found;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
        if (it->path().filename().string().starts_with(prefix) && is_folder(it->path())) found.push_back(it->path());
    std::ranges::sort(found, [](const fs::path& a, const fs::path& b) {
        const std::string x = a.filename().string(), y = b.filename().string();
        // "python3.9" before "python3.11" as text; longer is newer.
        return std::pair(x.size(), x) > std::pair(y.size(), y);
    });
    return found;
}

class PlaceList {
public:
    /// Adds a root and, where it holds unpacked wheels, each of their folders.
    void add(std::string_view source, const fs::path& root) {
        if (root.empty() || !is_folder(root)) return;
        push(source, root);
        const fs::path wheels = root / "nvidia";
        // Since CUDA 13 all wheels share nvidia/cu13; before, each had a folder of its own.
        for (const fs::path& folder : subfolders(wheels, "cu13")) push(source, folder);
        for (const fs::path& folder : subfolders(wheels, "")) push(source, folder);
    }

    void add_python(std::string_view source, const fs::path& prefix) {
        for (const fs::path& python : subfolders(prefix / "lib", "python3")) {
            add(source, python / "site-packages");
            add(source, python / "dist-packages");
        }
    }

    [[nodiscard]] std::vector<Place> take() { return std::move(places_); }

private:
    void push(std::string_view source, const fs::path& root) {
        std::error_code error;
        const fs::path canonical = fs::weakly_canonical(root, error);
        if (seen_.insert(error ? root.string() : canonical.string()).second)
            places_.push_back({std::string(source), root});
    }

    std::vector<Place> places_;
    std::set<std::string> seen_;
};

/// The version behind ".so": "libnvrtc.so.13" → 13, "libnvrtc.so" → 0, anything else → -1.
int library_version(std::string_view name, std::string_view stem) {
    if (!name.starts_with(stem)) return -1;
    name.remove_prefix(stem.size());
    if (!name.starts_with(".so")) return -1;
    name.remove_prefix(3);
    if (name.empty()) return 0;
    if (name.front() != '.' || name.size() < 2) return -1;
    int version = 0;
    for (const char c : name.substr(1)) {
        if (c == '.') break;
        if (c < '0' || c > '9') return -1;
        version = version * 10 + (c - '0');
        if (version > 100'000'000) return -1;
    }
    return version;
}

/// Files in `folder` that are the wanted library, highest version first.
std::vector<fs::path> libraries_in(const fs::path& folder, std::string_view stem) {
    std::vector<std::pair<int, fs::path>> found;
    std::error_code error;
    for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
        const int version = library_version(it->path().filename().string(), stem);
        if (version >= 0) found.emplace_back(version, it->path());
    }
    std::ranges::sort(found, std::greater<>());
    std::vector<fs::path> paths;
    for (auto& [version, path] : found) paths.push_back(std::move(path));
    return paths;
}

/// Tries one file or loader name; true when it is taken.
bool try_library(const LibraryQuery& query, const std::string& source, const std::string& name, LibrarySearch& search) {
    auto library = DynamicLibrary::open(name);
    if (!library) {
        search.tried.push_back({source, name, library.error().detail});
        return false;
    }
    fs::path path = library->path();
    std::string reason = query.refuse ? query.refuse(*library) : std::string();
    const bool taken = reason.empty();
    search.tried.push_back({source, path.string(), std::move(reason)});
    if (taken) search.found = FoundLibrary{std::move(*library), std::move(path), source};
    return taken;
}

bool try_folder(const LibraryQuery& query, const Place& place, LibrarySearch& search) {
    bool any = false;
    for (const std::string_view below : kLibraryFolders)
        for (const fs::path& file : libraries_in(place.root / below, query.stem)) {
            any = true;
            if (try_library(query, place.source, file.string(), search)) return true;
        }
    if (!any) search.tried.push_back({place.source, place.root.string(), fmt::format("no {} there", query.stem)});
    return false;
}

bool is_early(const Place& place) { return place.source == "user setting" || place.source.starts_with('$'); }

/// CUDA_VERSION of a header folder as {13, 0}; {0, 0} when it has no cuda.h. The macro stands within the first pages of
/// the file.
std::pair<int, int> header_version(const fs::path& folder) {
    std::ifstream in(folder / "cuda.h");
    std::string line;
    for (int lines = 0; lines < 2000 && std::getline(in, line); ++lines) {
        constexpr std::string_view kMacro = "#define CUDA_VERSION ";
        if (!line.starts_with(kMacro)) continue;
        const int version = std::atoi(line.c_str() + kMacro.size());
        return {version / 1000, version % 1000 / 10};
    }
    return {0, 0};
}

} // namespace

std::vector<Place> toolkit_places(const std::string& user_setting) {
    PlaceList list;
    if (!user_setting.empty()) {
        const fs::path setting = user_setting;
        list.add("user setting", is_file(setting) ? setting.parent_path() : setting);
    }
    list.add("$CUDA_HOME", environment("CUDA_HOME"));
    list.add("$CUDA_PATH", environment("CUDA_PATH"));
    list.add("/usr/local", "/usr/local/cuda");
    for (const fs::path& folder : subfolders("/usr/local", "cuda-")) list.add("/usr/local", folder);
    if (const std::string venv = environment("VIRTUAL_ENV"); !venv.empty()) list.add_python("pip", venv);
    if (const std::string conda = environment("CONDA_PREFIX"); !conda.empty()) {
        list.add("conda", conda);
        list.add_python("conda", conda);
    }
    if (const std::string home = environment("HOME"); !home.empty()) {
        list.add_python("pip", fs::path(home) / ".local");
        for (const fs::path& python : subfolders(fs::path(home) / ".pyenv/versions", ""))
            list.add_python("pip", python);
    }
    list.add_python("pip", "/usr/local");
    list.add("pip", "/usr/lib/python3/dist-packages");
    const fs::path program = executable_folder();
    list.add("private folder", program / ".." / ".." / "toolkit");
    list.add("private folder", program / ".." / "toolkit");
    return list.take();
}

LibrarySearch search_library(const LibraryQuery& query, const std::string& user_setting) {
    LibrarySearch search;
    if (!user_setting.empty()) {
        std::error_code error;
        if (!fs::exists(user_setting, error))
            search.tried.push_back({"user setting", user_setting, "no such file or folder"});
        else if (is_file(user_setting) && library_version(fs::path(user_setting).filename().string(), query.stem) >= 0
                 && try_library(query, "user setting", user_setting, search))
            return search;
    }
    const std::vector<Place> places = toolkit_places(user_setting);
    for (const Place& place : places)
        if (is_early(place) && try_folder(query, place, search)) return search;
    for (const std::string& name : query.loader_names)
        if (try_library(query, "loader path", name, search)) return search;
    for (const Place& place : places)
        if (!is_early(place) && try_folder(query, place, search)) return search;
    return search;
}

Result<FoundLibrary> find_library(const LibraryQuery& query, const std::string& user_setting) {
    LibrarySearch search = search_library(query, user_setting);
    if (search.found) return std::move(*search.found);
    auto error = fail(Stage::environment, ErrorCode::not_found,
                      fmt::format("no usable {} was found; {}", query.stem, query.remedy));
    for (const Attempt& attempt : search.tried)
        error.error().detail += fmt::format("{}: {}: {}\n", attempt.source, attempt.path, attempt.reason);
    return error;
}

LibraryQuery nvrtc_query() {
    return {
        .stem = "libnvrtc",
        .loader_names = {"libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so"},
        .remedy =
            "install the CUDA Toolkit 12 or later (or `pip install nvidia-cuda-nvrtc`) and set CUDA_HOME to its folder",
        .refuse = [](const DynamicLibrary& library) -> std::string {
            int major = 0, minor = 0;
            const auto version = library.symbol<int (*)(int*, int*)>("nvrtcVersion");
            if (!version || version(&major, &minor) != 0) return "it is not NVRTC";
            if (major < 12) return fmt::format("version {}.{} is older than 12.0", major, minor);
            if (auto functions = nvrtc_functions(library); !functions) return functions.error().message;
            return {};
        }};
}

LibraryQuery cuda_query() {
    return {.stem = "libcuda",
            .loader_names = {"libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"},
            .remedy = "install NVIDIA's driver to run on a GPU; the simulator needs none",
            .refuse = [](const DynamicLibrary& library) -> std::string {
                // The toolkit's stub carries the same name for linking only; initialising it always fails.
                if (library.path().string().contains("/stubs/")) return "it is the toolkit's stub, not a driver";
                return library.symbol<void (*)()>("cuInit") ? "" : "it is not the CUDA driver";
            }};
}

LibraryQuery cupti_query() {
    return {.stem = "libcupti",
            .loader_names = {"libcupti.so.13", "libcupti.so.12", "libcupti.so"},
            .remedy = "install the CUDA Toolkit (or `pip install nvidia-cuda-cupti`) and set CUDA_HOME to its folder",
            .refuse = [](const DynamicLibrary& library) -> std::string {
                return library.symbol<void (*)()>("cuptiGetVersion") ? "" : "it is not CUPTI";
            }};
}

Headers find_headers(const fs::path& library, int major, int minor, const std::string& user_setting) {
    // The library's own root first: a wheel folder or a toolkit, with the library in lib64, lib or targets/…/lib.
    std::vector<Place> roots;
    std::error_code error;
    fs::path root = fs::canonical(library, error).parent_path();
    for (int up = 0; !error && up < 3 && root.has_relative_path(); ++up, root = root.parent_path()) {
        roots.push_back({"beside the library", root});
        // Before CUDA 13 headers come in sibling wheels: nvidia/cuda_nvrtc/lib, nvidia/cuda_runtime/include.
        if (root.filename() == "nvidia")
            for (const fs::path& sibling : subfolders(root, "")) roots.push_back({"beside the library", sibling});
    }
    for (Place& place : toolkit_places(user_setting)) roots.push_back(std::move(place));
    roots.push_back({"system", "/usr"});

    std::vector<fs::path> candidates;
    for (const Place& place : roots)
        for (const std::string_view below : kIncludeFolders)
            if (const fs::path folder = place.root / below;
                is_folder(folder) && std::ranges::find(candidates, folder) == candidates.end())
                candidates.push_back(folder);

    Headers headers;
    // First pass: the very version; second: the same major version, which NVRTC accepts.
    for (const bool exact : {true, false}) {
        for (const fs::path& folder : candidates) {
            if (!is_file(folder / "cuda_fp16.h")) continue;
            const auto [have_major, have_minor] = header_version(folder);
            const bool fits = have_major == major && (!exact || have_minor == minor);
            if (!exact || fits)
                headers.tried.push_back(
                    {"headers", folder.string(),
                     fits ? ""
                          : fmt::format("its version {}.{} does not fit {}.{}", have_major, have_minor, major, minor)});
            if (!fits) continue;
            headers.folders.push_back(folder);
            headers.version = fmt::format("{}.{}", have_major, have_minor);
            break;
        }
        if (!headers.folders.empty()) break;
    }
    if (headers.folders.empty()) return headers;

    // crt/ and CCCL may be in wheels of their own; the same folder first, then its neighbours.
    candidates.insert(candidates.begin(), headers.folders.front());
    if (!is_file(headers.folders.front() / "crt/host_defines.h"))
        for (const fs::path& folder : candidates)
            if (is_file(folder / "crt/host_defines.h")) {
                headers.folders.push_back(folder);
                break;
            }
    for (const fs::path& folder : candidates) {
        if (is_file(folder / "cccl/cuda/std/version"))
            headers.folders.push_back(folder / "cccl");
        else if (is_file(folder / "cuda/std/version"))
            headers.folders.push_back(folder);
        else
            continue;
        break;
    }
    const auto repeated = std::ranges::unique(headers.folders);
    headers.folders.erase(repeated.begin(), repeated.end());
    return headers;
}

ToolSearch find_tool(const std::string& name, const std::string& user_setting) {
    ToolSearch search;
    const auto attempt = [&](const std::string& source, const fs::path& file) {
        const bool usable = is_file(file) && ::access(file.c_str(), X_OK) == 0;
        search.tried.push_back({source, file.string(),
                                usable          ? ""
                                : is_file(file) ? "not executable"
                                                : "no such file"});
        if (usable) {
            search.path = file;
            search.source = source;
        }
        return usable;
    };
    // compute-sanitizer's launcher lies in its own folder in a toolkit.
    const auto in_place = [&](const Place& place) {
        return attempt(place.source, place.root / "bin" / name)
               || (name == "compute-sanitizer" && attempt(place.source, place.root / "compute-sanitizer" / name));
    };
    const std::vector<Place> places = toolkit_places(user_setting);
    for (const Place& place : places)
        if (is_early(place) && in_place(place)) return search;
    const std::string variable = environment("PATH");
    for (std::size_t begin = 0; begin < variable.size();) {
        const std::size_t end = std::min(variable.find(':', begin), variable.size());
        // An empty entry would mean the current folder, which holds other people's files.
        if (end > begin && attempt("PATH", fs::path(variable.substr(begin, end - begin)) / name)) return search;
        begin = end + 1;
    }
    for (const Place& place : places)
        if (!is_early(place) && in_place(place)) return search;
    return search;
}

} // namespace kw::compile
