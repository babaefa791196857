#pragma once

#include "engine/device/sim/sim_device.h"

#include <QtTest>

#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <vector>

/// What the tests of the simulator share: a device per instruction set, parameter blocks, buffers.
namespace kw::sim::test {

inline const std::vector<std::string>& instruction_sets() {
    static const std::vector<std::string> names{"v2", "v3", "v4"};
    return names;
}

class Parameters {
public:
    template<class T> Parameters& add(T value) {
        while (bytes_.size() % sizeof(T) != 0) bytes_.push_back({});
        const auto* raw = reinterpret_cast<const std::byte*>(&value);
        bytes_.insert(bytes_.end(), raw, raw + sizeof(T));
        return *this;
    }
    [[nodiscard]] std::span<const std::byte> span() const { return bytes_; }

private:
    std::vector<std::byte> bytes_;
};

/// A small device with one loaded module. Setting the environment first chooses the instruction set of its kernels.
class Bench {
public:
    explicit Bench(const std::string& ptx, const char* isa = "v4", SimOptions options = {}) {
        setenv("KW_SIM_ISA", isa, 1);
        if (options.memory_bytes == 0) options.memory_bytes = std::uint64_t{256} << 20;
        auto opened = open_simulator(gpu_models().front(), options);
        if (!opened) qFatal("%s", opened.error().message.c_str());
        device = std::move(*opened);
        auto loaded = device->load({ptx, {}, {}});
        if (loaded)
            module = std::move(*loaded);
        else
            error = loaded.error().message;
    }

    template<class T> device::Pointer upload(const std::vector<T>& values, std::string_view label = "buffer") {
        const auto pointer = device->allocate(values.size() * sizeof(T), label).value();
        device->upload(pointer, std::as_bytes(std::span(values))).value();
        return pointer;
    }
    template<class T> std::vector<T> download(device::Pointer pointer, std::size_t count) {
        std::vector<T> values(count);
        device->download(std::as_writable_bytes(std::span(values)), pointer).value();
        return values;
    }
    Result<device::LaunchOutcome> launch(std::string_view kernel, device::Dim3 grid, device::Dim3 block,
                                         const Parameters& parameters, std::uint32_t shared = 0,
                                         bool cooperative = false, std::stop_token stop = {}) {
        return device->launch(*module, kernel, {grid, block, {}, shared, cooperative}, parameters.span(),
                              std::move(stop));
    }

    std::unique_ptr<device::Device> device;
    std::unique_ptr<device::Module> module;
    std::string error;
};

inline std::string header() { return ".version 8.0\n.target sm_90\n.address_size 64\n"; }

} // namespace kw::sim::test
