#pragma once

#include "engine/device/cuda/driver_api.h"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

/// A CUDA driver that does what a test says. Functions of a driver carry no state of their own, so there is one at a
/// time: the newest FakeDriver.
class FakeDriver {
public:
    FakeDriver();
    ~FakeDriver();
    FakeDriver(const FakeDriver&) = delete;
    FakeDriver& operator=(const FakeDriver&) = delete;

    [[nodiscard]] const kw::cuda::DriverApi& api() const { return api_; }

    /// What the next calls of a function give, in order; then `always`, then success.
    std::map<std::string, std::deque<kw::cuda::CUresult>> next;
    std::map<std::string, kw::cuda::CUresult> always;
    /// From this result on every call that reaches the context gives it again, as after a kernel's fault.
    bool sticky = false;

    int version = 13000;
    int gpus = 1;
    std::map<int, int> attributes; ///< by number; absent: the call fails
    std::size_t free_bytes = std::size_t{8} << 30;
    std::size_t total_bytes = std::size_t{80} << 30;
    int blocks_per_sm = 4;
    std::string printed; ///< what the driver writes to standard output when it is next asked to wait

    /// What cuEventElapsedTime gives, in µs, for a sample whose stream holds so many launches of ordinary kernels.
    std::function<double(int launches)> sample_us = [](int launches) { return 20.0 * launches; };
    /// The clock that the timer's stamps show, in MHz; 0: stamps of different SMs.
    std::function<double()> clock_mhz = [] { return 1980.0; };
    /// What lies at an address of the GPU, for copies that do not wait: they are done as late as a driver may do them,
    /// when an event behind them or the stream is waited for. Where there is nothing they copy nothing.
    std::map<kw::cuda::CUdeviceptr, std::vector<std::byte>> memory;

    // What was done.
    std::vector<std::string> calls;
    std::vector<std::string> launched; ///< names of kernels, those that a graph holds each time it is launched
    std::set<kw::cuda::CUdeviceptr> allocated;
    std::size_t flushes = 0; ///< cuMemsetD8Async
    int opened_contexts = 0; ///< retained and not released
    std::map<int, int> function_attributes;
    std::vector<int> launch_attributes; ///< of the last launch

    [[nodiscard]] std::size_t count(const std::string& call) const;

    /// The result of a call; used by the functions of the table.
    kw::cuda::CUresult enter(const char* name);

private:
    kw::cuda::DriverApi api_;
    kw::cuda::CUresult stuck_ = 0;
};
