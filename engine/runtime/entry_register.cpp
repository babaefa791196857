// What nvcc's generated code calls: before main for each translation unit, and around each launch.
#include "engine/runtime/call.h"

#include <cstring>
#include <vector>

using namespace kw::runtime;
using kw::device::Dim3;

namespace {

struct Pushed {
    Dim3 grid, block;
    std::size_t shared = 0;
    void* stream = nullptr;
};
std::vector<Pushed>& pushed() {
    thread_local std::vector<Pushed> stack;
    return stack;
}

} // namespace

KW_API void** __cudaRegisterFatBinary(void* wrapper) {
    auto& runtime = Runtime::instance();
    const std::lock_guard lock(runtime.mutex);
    return reinterpret_cast<void**>(runtime.add_binary(wrapper));
}
KW_API void __cudaRegisterFatBinaryEnd(void**) {}
KW_API void __cudaUnregisterFatBinary(void** handle) {
    auto& runtime = Runtime::instance();
    const std::lock_guard lock(runtime.mutex);
    runtime.remove_binary(reinterpret_cast<Binary*>(handle));
}
KW_API char __cudaInitModule(void** handle) {
    const auto status = call(Meets::nothing, [&](Runtime& runtime) {
        runtime.place_managed(*reinterpret_cast<Binary*>(handle));
        return Status::Success;
    });
    return status == Status::Success ? 1 : 0;
}
KW_API void __cudaRegisterFunction(void** handle, const char* stub, char*, const char* name, int, void*, void*, void*,
                                   void*, int*) {
    auto& runtime = Runtime::instance();
    const std::lock_guard lock(runtime.mutex);
    auto* binary = reinterpret_cast<Binary*>(handle);
    Kernel& kernel = binary->kernels[stub];
    kernel.binary = binary;
    kernel.name = name;
    hide_function(name);
}
KW_API void __cudaRegisterVar(void** handle, char* shadow, char*, const char* name, int, std::size_t bytes, int, int) {
    auto& runtime = Runtime::instance();
    const std::lock_guard lock(runtime.mutex);
    Variable& variable = runtime.variables[shadow];
    variable.binary = reinterpret_cast<Binary*>(handle);
    variable.name = name;
    variable.bytes = bytes;
}
KW_API void __cudaRegisterManagedVar(void** handle, void** shadow, char*, const char* name, int, std::size_t bytes, int,
                                     int) {
    auto& runtime = Runtime::instance();
    const std::lock_guard lock(runtime.mutex);
    auto* binary = reinterpret_cast<Binary*>(handle);
    Variable variable;
    variable.binary = binary;
    variable.name = name;
    variable.bytes = bytes;
    binary->managed.emplace_back(shadow, variable);
    runtime.variables[shadow] = variable;
}
KW_API void __cudaRegisterTexture(void**, const void*, const void**, const char*, int, int, int) {
    unsupported("texture references");
}
KW_API void __cudaRegisterSurface(void**, const void*, const void**, const char*, int, int) {
    unsupported("surface references");
}

KW_API unsigned __cudaPushCallConfiguration(Dim3 grid, Dim3 block, std::size_t shared, void* stream) {
    pushed().push_back({grid, block, shared, stream});
    return 0;
}
KW_API Status __cudaPopCallConfiguration(Dim3* grid, Dim3* block, std::size_t* shared, void* stream) {
    if (pushed().empty()) return last_error() = Status::MissingConfiguration;
    const Pushed top = pushed().back();
    pushed().pop_back();
    *grid = top.grid;
    *block = top.block;
    *shared = top.shared;
    std::memcpy(stream, &top.stream, sizeof top.stream);
    return Status::Success;
}

KW_API Status __cudaGetKernel(void** out, const void* stub) {
    auto& runtime = Runtime::instance();
    const std::lock_guard lock(runtime.mutex);
    Kernel* kernel = runtime.find_kernel(stub);
    if (!kernel) return last_error() = Status::InvalidDeviceFunction;
    *out = kernel;
    return Status::Success;
}
KW_API Status cudaGetKernel(void** out, const void* stub) { return __cudaGetKernel(out, stub); }
