#include "engine/compile/nvrtc.h"
#include "engine/compile/toolkit.h"

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace kw;
using namespace kw::compile;
namespace fs = std::filesystem;

/// Finding the toolkit in the layouts that installers, wheels and people make; the folders here only look like
/// toolkits.
class ToolkitTest : public QObject {
    Q_OBJECT

    std::unique_ptr<QTemporaryDir> folder_;

    [[nodiscard]] fs::path root() const { return folder_->path().toStdString(); }

    void write(const fs::path& relative, const std::string& text = {}) const {
        fs::create_directories((root() / relative).parent_path());
        std::ofstream(root() / relative) << text;
    }

    void write_headers(const fs::path& include, int version) const {
        write(include / "cuda_fp16.h");
        write(include / "cuda.h", "/* licence */\n#define CUDA_VERSION " + std::to_string(version) + "\n");
    }

    [[nodiscard]] std::vector<std::string> header_folders(const fs::path& library, int major, int minor) const {
        std::vector<std::string> names;
        for (const fs::path& folder : find_headers(root() / library, major, minor, {}).folders)
            names.push_back(fs::relative(folder, fs::canonical(root())).string());
        return names;
    }

private Q_SLOTS:
    void init() {
        folder_ = std::make_unique<QTemporaryDir>();
        QVERIFY(folder_->isValid());
        ::unsetenv("CUDA_HOME");
        ::unsetenv("CUDA_PATH");
        ::setenv("HOME", (root() / "home").c_str(), 1);
    }

    void headers_of_an_installed_toolkit() {
        write("cuda/targets/x86_64-linux/lib/libnvrtc.so.13");
        fs::create_directory_symlink("targets/x86_64-linux/lib", root() / "cuda/lib64");
        write_headers("cuda/targets/x86_64-linux/include", 13000);
        write("cuda/targets/x86_64-linux/include/crt/host_defines.h");
        write("cuda/targets/x86_64-linux/include/cccl/cuda/std/version");
        QCOMPARE(
            header_folders("cuda/lib64/libnvrtc.so.13", 13, 0),
            (std::vector<std::string>{"cuda/targets/x86_64-linux/include", "cuda/targets/x86_64-linux/include/cccl"}));
    }

    void headers_of_wheels_for_13() {
        write("nvidia/cu13/lib/libnvrtc.so.13");
        write_headers("nvidia/cu13/include", 13050);
        write("nvidia/cu13/include/crt/host_defines.h");
        write("nvidia/cu13/include/cccl/cuda/std/version");
        QCOMPARE(header_folders("nvidia/cu13/lib/libnvrtc.so.13", 13, 5),
                 (std::vector<std::string>{"nvidia/cu13/include", "nvidia/cu13/include/cccl"}));
    }

    void headers_of_wheels_for_12() {
        write("nvidia/cuda_nvrtc/lib/libnvrtc.so.12");
        write("nvidia/cuda_nvrtc/include/nvrtc.h");
        write_headers("nvidia/cuda_runtime/include", 12090);
        write("nvidia/cuda_nvcc/include/crt/host_defines.h");
        write("nvidia/cuda_cccl/include/cuda/std/version");
        QCOMPARE(header_folders("nvidia/cuda_nvrtc/lib/libnvrtc.so.12", 12, 9),
                 (std::vector<std::string>{"nvidia/cuda_runtime/include", "nvidia/cuda_nvcc/include",
                                           "nvidia/cuda_cccl/include"}));
    }

    void headers_of_the_wanted_version_are_preferred() {
        write("a/lib/libnvrtc.so.12");
        write_headers("a/include", 12040);
        write_headers("b/include", 12090);
        ::setenv("CUDA_HOME", (root() / "b").c_str(), 1);
        QCOMPARE(header_folders("a/lib/libnvrtc.so.12", 12, 9).front(), std::string("b/include"));
        QCOMPARE(header_folders("a/lib/libnvrtc.so.12", 12, 6).front(), std::string("a/include"));
        QVERIFY(find_headers(root() / "a/lib/libnvrtc.so.12", 14, 0, {}).folders.empty());
    }

    void places_come_in_order() {
        write("home/.local/lib/python3.11/site-packages/nvidia/cuda_nvrtc/lib/x");
        write("home/.local/lib/python3.11/site-packages/nvidia/cu13/lib/x");
        write("setting/lib64/x");
        write("cuda_home/lib64/x");
        ::setenv("CUDA_HOME", (root() / "cuda_home").c_str(), 1);
        std::vector<std::string> sources, roots;
        for (const Place& place : toolkit_places((root() / "setting").string())) {
            sources.push_back(place.source);
            roots.push_back(place.root.string());
        }
        QCOMPARE(sources.at(0), std::string("user setting"));
        QCOMPARE(sources.at(1), std::string("$CUDA_HOME"));
        const auto newer = std::ranges::find_if(roots, [](const std::string& r) { return r.ends_with("nvidia/cu13"); });
        const auto older =
            std::ranges::find_if(roots, [](const std::string& r) { return r.ends_with("nvidia/cuda_nvrtc"); });
        QVERIFY(newer < older && older != roots.end());
    }

    void what_cannot_be_loaded_is_reported() {
        write("cuda/lib64/libnvrtc.so.13", "not a library");
        write("cuda/lib64/libnvrtc.so.12.9.86", "not a library");
        write("cuda/lib64/libnvrtc-builtins.so.13.0");
        write("cuda/lib64/libnvrtc.so.alt");
        ::setenv("CUDA_HOME", (root() / "cuda").c_str(), 1);
        const LibrarySearch search = search_library(nvrtc_query(), (root() / "nowhere").string());
        QCOMPARE(search.tried.at(0).source, std::string("user setting"));
        QCOMPARE(search.tried.at(0).reason, std::string("no such file or folder"));
        QVERIFY(search.tried.at(1).path.ends_with("libnvrtc.so.13"));
        QVERIFY(search.tried.at(2).path.ends_with("libnvrtc.so.12.9.86"));
        QVERIFY(!search.tried.at(1).reason.empty());
        QCOMPARE(search.tried.at(3).source, std::string("loader path"));
    }

    void a_missing_library_has_a_remedy() {
        LibraryQuery query{.stem = "libkwnothing", .loader_names = {"libkwnothing.so.1"}, .remedy = "do this"};
        const auto found = find_library(query, {});
        QVERIFY(!found);
        QCOMPARE(found.error().code, ErrorCode::not_found);
        QCOMPARE(found.error().message, std::string("no usable libkwnothing was found; do this"));
        QVERIFY(found.error().detail.contains("loader path: libkwnothing.so.1"));
    }

    /// The private folder and $CUDA_HOME may hold unpacked wheels; the library is then taken from there before any
    /// other.
    void wheels_are_found_by_cuda_home() {
        const auto installed = open_nvrtc({});
        if (!installed) QSKIP("NVRTC is not installed");
        fs::create_directories(root() / "w/nvidia/cu13/lib");
        fs::create_symlink((*installed)->path, root() / "w/nvidia/cu13/lib/libnvrtc.so.13");
        ::setenv("CUDA_HOME", (root() / "w").c_str(), 1);
        const auto found = open_nvrtc({});
        QVERIFY(found);
        QCOMPARE((*found)->source, std::string("$CUDA_HOME"));
        const auto by_file = open_nvrtc((root() / "w/nvidia/cu13/lib/libnvrtc.so.13").string());
        QVERIFY(by_file);
        QCOMPARE((*by_file)->source, std::string("user setting"));
        QVERIFY((*by_file)->at_least(12, 0) && !(*by_file)->architectures.empty());
    }

    void tools() {
        write("cuda/bin/nvdisasm", "#!/bin/sh\n");
        ::setenv("CUDA_HOME", (root() / "cuda").c_str(), 1);
        ToolSearch search = find_tool("nvdisasm", {});
        QCOMPARE(search.tried.at(0).reason, std::string("not executable"));
        fs::permissions(root() / "cuda/bin/nvdisasm", fs::perms::owner_all);
        search = find_tool("nvdisasm", {});
        QCOMPARE(search.source, std::string("$CUDA_HOME"));
        QCOMPARE(search.path, root() / "cuda/bin/nvdisasm");
        QVERIFY(find_tool("kw-no-such-tool", {}).path.empty());
    }

    void inventory_names_everything() {
        const std::vector<Component> components = toolkit_inventory({});
        for (const char* const name : {"libnvrtc", "headers", "libcuda", "libcupti", "nvdisasm", "cuobjdump", "ptxas",
                                       "nvcc", "compute-sanitizer"}) {
            const auto found = std::ranges::find(components, std::string(name), &Component::name);
            QVERIFY2(found != components.end(), name);
            QVERIFY2(found->found ? !found->path.empty() : !found->remedy.empty(), name);
            QVERIFY(!found->tried.empty());
            (void)to_json(*found);
        }
    }
};

QTEST_APPLESS_MAIN(ToolkitTest)
#include "test_toolkit.moc"
