#include "engine/base/dynlib.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <utility>

namespace kw {

DynamicLibrary::~DynamicLibrary() {
    if (handle_) ::dlclose(handle_);
}

DynamicLibrary::DynamicLibrary(DynamicLibrary&& other) noexcept : handle_(std::exchange(other.handle_, nullptr)) {}

DynamicLibrary& DynamicLibrary::operator=(DynamicLibrary&& other) noexcept {
    std::swap(handle_, other.handle_);
    return *this;
}

Result<DynamicLibrary> DynamicLibrary::open(const std::string& name) {
    DynamicLibrary library;
    library.handle_ = ::dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library.handle_) return library;
    const char* reason = ::dlerror();
    auto error = fail(Stage::environment, ErrorCode::not_found, fmt::format("cannot load {}", name));
    error.error().detail = reason ? reason : "";
    return error;
}

void* DynamicLibrary::address(const char* name) const { return handle_ ? ::dlsym(handle_, name) : nullptr; }

std::filesystem::path DynamicLibrary::path() const {
    link_map* map = nullptr;
    if (!handle_ || ::dlinfo(handle_, RTLD_DI_LINKMAP, &map) != 0 || !map) return {};
    return map->l_name;
}

} // namespace kw
