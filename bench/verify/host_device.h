#pragma once

#include "engine/device/device.h"

#include <memory>

namespace kw::bench_verify {

/// A device whose memory is this machine's and whose only kernel is y = a·x + b·y on (x, y, a, b, n): what is left of
/// an evaluation's time is the work around a GPU. `busy_s` adds up the seconds spent in it.
class HostDevice final : public device::Device {
public:
    HostDevice();

    [[nodiscard]] const device::Info& info() const override { return info_; }
    [[nodiscard]] Result<std::unique_ptr<device::Module>> load(const device::Image& image) override;
    [[nodiscard]] Result<device::Pointer> allocate(std::uint64_t bytes, std::string_view label) override;
    void release(device::Pointer pointer) override;
    [[nodiscard]] Result<void> upload(device::Pointer to, std::span<const std::byte> from) override;
    [[nodiscard]] Result<void> download(std::span<std::byte> to, device::Pointer from) override;
    [[nodiscard]] Result<void> fill(device::Pointer to, std::uint64_t bytes, std::byte value) override;
    [[nodiscard]] Result<device::LaunchOutcome> launch(device::Module& module, std::string_view kernel,
                                                       const device::LaunchConfig& config,
                                                       std::span<const std::byte> parameters,
                                                       std::stop_token stop) override;
    [[nodiscard]] Result<device::LaunchOutcome> synchronize(std::stop_token stop) override;
    /// Runs each work twice and measures nothing.
    [[nodiscard]] Result<std::vector<device::Measurement>> measure(std::span<const device::Work> works,
                                                                   const device::MeasureOptions& options,
                                                                   std::stop_token stop,
                                                                   const device::Progress& progress) override;

    double busy_s = 0;

private:
    device::Info info_;
};

} // namespace kw::bench_verify
