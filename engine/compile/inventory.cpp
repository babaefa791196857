#include "engine/compile/nvrtc.h"
#include "engine/compile/toolkit.h"

#include <fmt/format.h>

#include <utility>

namespace kw::compile {
namespace {

Component library_component(const LibraryQuery& query, const std::string& purpose, const std::string& user_setting,
                            std::string (*version)(const DynamicLibrary&)) {
    LibrarySearch search = search_library(query, user_setting);
    Component component{
        .name = query.stem, .purpose = purpose, .remedy = query.remedy, .tried = std::move(search.tried)};
    if (search.found) {
        component.found = true;
        component.path = search.found->path.string();
        component.source = search.found->source;
        component.version = version(search.found->library);
    }
    return component;
}

std::string nvrtc_version(const DynamicLibrary& library) {
    int major = 0, minor = 0;
    const auto version = library.symbol<int (*)(int*, int*)>("nvrtcVersion");
    return version && version(&major, &minor) == 0 ? fmt::format("{}.{}", major, minor) : std::string();
}

/// The version of CUDA that a driver supports; needs no initialised driver.
std::string driver_version(const DynamicLibrary& library) {
    int number = 0;
    const auto version = library.symbol<int (*)(int*)>("cuDriverGetVersion");
    return version && version(&number) == 0 ? fmt::format("CUDA {}.{}", number / 1000, number % 1000 / 10)
                                            : std::string();
}

std::string cupti_version(const DynamicLibrary& library) {
    std::uint32_t number = 0;
    const auto version = library.symbol<int (*)(std::uint32_t*)>("cuptiGetVersion");
    return version && version(&number) == 0 ? fmt::format("API {}", number) : std::string();
}

Component header_component(const Component& nvrtc, const std::string& user_setting) {
    Component component{.name = "headers",
                        .purpose = "#include <cuda_fp16.h>, <cooperative_groups.h>, <cub/cub.cuh> in kernels",
                        .remedy = "install the CUDA Toolkit (or `pip install nvidia-cuda-runtime nvidia-cuda-crt "
                                  "nvidia-cuda-cccl`) in the version of NVRTC",
                        .tried = {}};
    if (!nvrtc.found) {
        component.tried.push_back({"headers", "", "no NVRTC to match"});
        return component;
    }
    const std::size_t dot = nvrtc.version.find('.');
    Headers headers = find_headers(nvrtc.path, std::atoi(nvrtc.version.c_str()),
                                   std::atoi(nvrtc.version.c_str() + dot + 1), user_setting);
    component.tried = std::move(headers.tried);
    if (headers.folders.empty()) return component;
    component.found = true;
    component.version = headers.version;
    component.path = headers.folders.front().string();
    component.source = "beside NVRTC, in its version where possible";
    return component;
}

} // namespace

std::vector<Component> toolkit_inventory(const std::string& user_setting) {
    std::vector<Component> components;
    components.push_back(library_component(nvrtc_query(), "compiling kernels", user_setting, nvrtc_version));
    components.push_back(header_component(components.front(), user_setting));
    for (auto& component : components) component.needed = true;
    components.push_back(library_component(cuda_query(), "running kernels on a GPU", user_setting, driver_version));
    components.push_back(library_component(cupti_query(), "profiling on a GPU", user_setting, cupti_version));
    static constexpr std::pair<const char*, const char*> kTools[] = {
        {"nvdisasm", "SASS listings"},
        {"cuobjdump", "looking into cubins and executables"},
        {"ptxas", "assembling PTX from other sources"},
        {"nvcc", "whole CUDA programs, kw run FILE.cu"},
        {"compute-sanitizer", "memory checks on a GPU"},
    };
    for (const auto& [name, purpose] : kTools) {
        ToolSearch search = find_tool(name, user_setting);
        components.push_back({.name = name,
                              .found = !search.path.empty(),
                              .path = search.path.string(),
                              .version = {},
                              .source = search.source,
                              .purpose = purpose,
                              .remedy = fmt::format("install the CUDA Toolkit's {} and set CUDA_HOME or PATH", name),
                              .tried = std::move(search.tried)});
    }
    return components;
}

Json to_json(const Component& component) {
    Json tried = Json::array();
    for (const Attempt& attempt : component.tried)
        tried.push_back({{"source", attempt.source}, {"path", attempt.path}, {"reason", attempt.reason}});
    Json json{{"name", component.name},
              {"needed", component.needed},
              {"found", component.found},
              {"purpose", component.purpose}};
    if (component.found) {
        json["path"] = component.path;
        json["version"] = component.version;
        json["source"] = component.source;
    } else {
        json["remedy"] = component.remedy;
    }
    json["tried"] = std::move(tried);
    return json;
}

} // namespace kw::compile
