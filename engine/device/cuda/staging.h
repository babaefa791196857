#pragma once

#include "engine/device/cuda/driver_api.h"

#include <array>
#include <cstddef>
#include <span>

namespace kw::cuda {

/// Copies between ordinary host memory and a GPU through two page-locked halves: several threads fill or empty one
/// while the GPU works at the other. The driver's own copies of ordinary memory go through one thread, at a fraction of
/// what the link carries. Nothing but the halves is touched by the GPU, so a caller's memory is its own again on
/// return, whatever went wrong.
class Staging {
public:
    /// Smaller copies are as fast by the driver.
    static constexpr std::size_t kSmallest = std::size_t{1} << 20;
    static constexpr std::size_t kHalf = std::size_t{16} << 20;

    Staging(const DriverApi& api, CUstream stream) : api_(&api), stream_(stream) {}
    ~Staging();
    Staging(const Staging&) = delete;
    Staging& operator=(const Staging&) = delete;

    /// Both return when the copy is complete, as the driver's own do, and in order with what the stream holds.
    [[nodiscard]] CUresult upload(CUdeviceptr to, std::span<const std::byte> from);
    [[nodiscard]] CUresult download(std::span<std::byte> to, CUdeviceptr from);

private:
    struct Half {
        std::byte* memory = nullptr;
        CUevent done = nullptr;
    };
    /// False where page-locked memory is not to be had; the driver's own copies do then.
    [[nodiscard]] bool ready();
    void release();
    /// Waits for what the GPU still does with the halves; `result` where that is already an error.
    [[nodiscard]] CUresult settle(CUresult result);

    const DriverApi* api_;
    CUstream stream_;
    std::array<Half, 2> halves_{};
    bool asked_ = false;
    bool available_ = false;
};

} // namespace kw::cuda
