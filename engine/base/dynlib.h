#pragma once

#include "engine/base/result.h"

#include <filesystem>
#include <string>

namespace kw {

/// A shared library opened at run time; closed with the object.
class DynamicLibrary {
public:
    DynamicLibrary() = default;
    ~DynamicLibrary();
    DynamicLibrary(DynamicLibrary&& other) noexcept;
    DynamicLibrary& operator=(DynamicLibrary&& other) noexcept;
    DynamicLibrary(const DynamicLibrary&) = delete;
    DynamicLibrary& operator=(const DynamicLibrary&) = delete;

    /// `name` is a path, or a bare file name that the loader looks up. The error's detail is the loader's own text.
    [[nodiscard]] static Result<DynamicLibrary> open(const std::string& name);

    /// Null when the library does not export `name`.
    template<class Function> [[nodiscard]] Function symbol(const char* name) const {
        return reinterpret_cast<Function>(address(name));
    }

    /// The file that the loader mapped for this library.
    [[nodiscard]] std::filesystem::path path() const;

    [[nodiscard]] explicit operator bool() const { return handle_ != nullptr; }

private:
    [[nodiscard]] void* address(const char* name) const;

    void* handle_ = nullptr;
};

} // namespace kw
