#include "engine/compile/nvrtc.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace kw::compile {
namespace {

template<class Function> bool resolve(const DynamicLibrary& library, const char* name, Function& function) {
    function = library.symbol<Function>(name);
    return function != nullptr;
}

} // namespace

std::string Nvrtc::version() const { return fmt::format("{}.{}", major, minor); }

bool Nvrtc::at_least(int want_major, int want_minor) const {
    return std::pair(major, minor) >= std::pair(want_major, want_minor);
}

Result<NvrtcFunctions> nvrtc_functions(const DynamicLibrary& library) {
    NvrtcFunctions call;
    const char* missing = nullptr;
    const auto need = [&](const char* name, auto& function) {
        if (!resolve(library, name, function) && !missing) missing = name;
    };
    need("nvrtcVersion", call.version);
    need("nvrtcGetNumSupportedArchs", call.get_num_supported_archs);
    need("nvrtcGetSupportedArchs", call.get_supported_archs);
    need("nvrtcGetErrorString", call.get_error_string);
    need("nvrtcCreateProgram", call.create_program);
    need("nvrtcDestroyProgram", call.destroy_program);
    need("nvrtcCompileProgram", call.compile_program);
    need("nvrtcGetPTXSize", call.get_ptx_size);
    need("nvrtcGetPTX", call.get_ptx);
    need("nvrtcGetCUBINSize", call.get_cubin_size);
    need("nvrtcGetCUBIN", call.get_cubin);
    need("nvrtcGetProgramLogSize", call.get_log_size);
    need("nvrtcGetProgramLog", call.get_log);
    need("nvrtcAddNameExpression", call.add_name_expression);
    need("nvrtcGetLoweredName", call.get_lowered_name);
    if (missing)
        return fail(Stage::environment, ErrorCode::not_found,
                    fmt::format("{} has no function {}", library.path().string(), missing));
    resolve(library, "nvrtcSetFlowCallback", call.set_flow_callback);
    resolve(library, "nvrtcGetPCHCreateStatus", call.get_pch_create_status);
    resolve(library, "nvrtcSetPCHHeapSize", call.set_pch_heap_size);
    return call;
}

Result<std::shared_ptr<const Nvrtc>> open_nvrtc(const std::string& user_setting) {
    auto found = find_library(nvrtc_query(), user_setting);
    if (!found) return std::unexpected(found.error());
    // Another than the one that was asked for would compile, but not what the user thinks.
    if (!user_setting.empty() && found->source != "user setting")
        return fail(
            Stage::environment, ErrorCode::not_found,
            fmt::format("'{}' holds no usable libnvrtc; name the folder of a CUDA Toolkit 12 or later, or leave "
                        "the setting out",
                        user_setting));
    auto call = nvrtc_functions(found->library);
    if (!call) return std::unexpected(call.error());

    auto nvrtc = std::make_shared<Nvrtc>();
    nvrtc->call = *call;
    if (call->version(&nvrtc->major, &nvrtc->minor) != 0)
        return fail(Stage::environment, ErrorCode::not_found,
                    fmt::format("{} does not tell its version; reinstall the CUDA Toolkit", found->path.string()));
    int count = 0;
    if (call->get_num_supported_archs(&count) == 0 && count > 0) {
        nvrtc->architectures.resize(static_cast<std::size_t>(count));
        if (call->get_supported_archs(nvrtc->architectures.data()) != 0) nvrtc->architectures.clear();
        std::ranges::sort(nvrtc->architectures);
    }
    // NVRTC asks the loader for this name, which finds it in installed toolkits only. One that is loaded already is
    // taken.
    const auto name = fmt::format("libnvrtc-builtins.so.{}.{}", nvrtc->major, nvrtc->minor);
    for (const auto& path : {found->path, found->library.path()}) {
        std::error_code error;
        const auto real = std::filesystem::canonical(path, error);
        if (nvrtc->builtins || error) continue;
        if (auto builtins = DynamicLibrary::open((real.parent_path() / name).string()))
            nvrtc->builtins = std::move(*builtins);
    }
    nvrtc->library = std::move(found->library);
    nvrtc->path = found->path;
    nvrtc->source = found->source;
    return nvrtc;
}

} // namespace kw::compile
