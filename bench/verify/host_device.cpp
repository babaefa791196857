#include "bench/verify/host_device.h"

#include "engine/base/parallel.h"

#include <chrono>
#include <cstdlib>
#include <cstring>

namespace kw::bench_verify {
namespace {

class Stopwatch {
public:
    explicit Stopwatch(double& total) : total_(total) {}
    ~Stopwatch() { total_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start_).count(); }
    Stopwatch(const Stopwatch&) = delete;
    Stopwatch& operator=(const Stopwatch&) = delete;

private:
    double& total_;
    std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

template<class T> T* at(device::Pointer pointer) { return reinterpret_cast<T*>(static_cast<std::uintptr_t>(pointer)); }

template<class T> T read(std::span<const std::byte> parameters, std::size_t offset) {
    T value;
    std::memcpy(&value, parameters.data() + offset, sizeof value);
    return value;
}

} // namespace

HostDevice::HostDevice() {
    info_.kind = device::Kind::cuda;
    info_.id = info_.name = "host";
    info_.arch = "none";
    info_.limits.l2_bytes = std::uint64_t{50} << 20;
    info_.limits.memory_bytes = std::uint64_t{8} << 30;
}

Result<std::unique_ptr<device::Module>> HostDevice::load(const device::Image&) {
    return std::make_unique<device::Module>();
}

Result<device::Pointer> HostDevice::allocate(std::uint64_t bytes, std::string_view label) {
    const Stopwatch watch(busy_s);
    auto* memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);
    if (!memory) return fail(Stage::device, ErrorCode::device, std::string(label) + " does not fit into memory");
    return reinterpret_cast<std::uintptr_t>(memory);
}

void HostDevice::release(device::Pointer pointer) {
    const Stopwatch watch(busy_s);
    std::free(at<void>(pointer));
}

Result<void> HostDevice::upload(device::Pointer to, std::span<const std::byte> from) {
    const Stopwatch watch(busy_s);
    std::memcpy(at<std::byte>(to), from.data(), from.size());
    return {};
}

Result<void> HostDevice::download(std::span<std::byte> to, device::Pointer from) {
    const Stopwatch watch(busy_s);
    std::memcpy(to.data(), at<std::byte>(from), to.size());
    return {};
}

Result<void> HostDevice::fill(device::Pointer to, std::uint64_t bytes, std::byte value) {
    const Stopwatch watch(busy_s);
    std::memset(at<std::byte>(to), static_cast<int>(value), bytes);
    return {};
}

Result<device::LaunchOutcome> HostDevice::launch(device::Module&, std::string_view, const device::LaunchConfig&,
                                                 std::span<const std::byte> parameters, std::stop_token) {
    const Stopwatch watch(busy_s);
    const auto* x = at<const float>(read<device::Pointer>(parameters, 0));
    auto* y = at<float>(read<device::Pointer>(parameters, 8));
    const auto a = read<float>(parameters, 16), b = read<float>(parameters, 20);
    parallel_for(static_cast<std::uint64_t>(read<int>(parameters, 24)), 1 << 20,
                 [=](std::uint64_t begin, std::uint64_t end) {
                     for (std::uint64_t i = begin; i < end; ++i) y[i] = a * x[i] + b * y[i];
                 });
    return device::LaunchOutcome{};
}

Result<device::LaunchOutcome> HostDevice::synchronize(std::stop_token) { return device::LaunchOutcome{}; }

Result<std::vector<device::Measurement>> HostDevice::measure(std::span<const device::Work> works,
                                                             const device::MeasureOptions&, std::stop_token,
                                                             const device::Progress&) {
    std::vector<device::Measurement> measurements(works.size());
    for (std::size_t i = 0; i < works.size(); ++i)
        for (std::size_t run = 0; run < 2; ++run) {
            if (auto outcome = works[i].run(run); !outcome) return std::unexpected(outcome.error());
            measurements[i].samples_us.push_back(1);
        }
    return measurements;
}

} // namespace kw::bench_verify
