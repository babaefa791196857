#include "tests/cuda/fake_driver.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <utility>

using namespace kw::cuda;

namespace {

FakeDriver* current = nullptr;

struct Function {
    std::string name;
};
struct Graph {
    std::vector<std::string> launches;
};

// What a process has of a driver: handles, one stream, and the timer's page of shared memory.
std::vector<std::unique_ptr<Function>> functions;
std::vector<std::unique_ptr<Graph>> graphs;
bool capturing = false;
std::vector<std::string> captured;
int in_sample = 0;
std::vector<std::unique_ptr<std::byte[]>> host_pages;
CUdeviceptr next_pointer = 0x1000;
std::deque<std::function<void()>> copies;     ///< that wait
std::size_t copies_done = 0;                  ///< so many are no longer there
std::map<std::uintptr_t, std::size_t> behind; ///< by event: how many copies were there when it was recorded
std::uintptr_t next_event = 4;

void do_copies(std::size_t until) {
    for (; copies_done < until; ++copies_done) {
        copies.front()();
        copies.pop_front();
    }
}

/// Where an address of the GPU lies; null where nothing is said to be there.
std::byte* on_gpu(CUdeviceptr at, std::size_t bytes) {
    auto found = current->memory.upper_bound(at);
    if (found == current->memory.begin()) return nullptr;
    --found;
    const auto offset = at - found->first;
    return offset + bytes <= found->second.size() ? found->second.data() + offset : nullptr;
}

template<class Handle> Handle handle(std::uintptr_t value) { return reinterpret_cast<Handle>(value); }

/// The timer's kernels write stamps behind the flag of its page: 24 bytes each at 8 and at 32.
void write_stamp(void** extra, bool begin) {
    static std::uint64_t cycles = 0, nanoseconds = 0;
    CUdeviceptr page = 0;
    std::memcpy(&page, extra[1], sizeof page);
    const double mhz = current->clock_mhz();
    constexpr std::uint64_t kBetween = 100'000;
    if (!begin) {
        nanoseconds += kBetween;
        cycles += static_cast<std::uint64_t>(static_cast<double>(kBetween) * mhz / 1000);
    }
    const std::uint64_t stamp[3] = {cycles, nanoseconds, begin || mhz > 0 ? 3u : 4u};
    std::memcpy(reinterpret_cast<std::byte*>(page) + (begin ? 8 : 32), stamp, sizeof stamp);
}

CUresult launch(const LaunchConfig* config, CUfunction function, void**, void** extra) {
    if (const auto result = current->enter("cuLaunchKernelEx")) return result;
    const auto& name = reinterpret_cast<Function*>(function)->name;
    if (name == "kw_hold" || name == "kw_stamp") {
        write_stamp(extra, name == "kw_hold");
        return kSuccess;
    }
    current->launch_attributes.clear();
    for (unsigned i = 0; i < config->attribute_count; ++i)
        current->launch_attributes.push_back(config->attributes[i].id);
    if (capturing) {
        captured.push_back(name);
        return kSuccess;
    }
    ++in_sample;
    current->launched.push_back(name);
    return kSuccess;
}

} // namespace

std::size_t FakeDriver::count(const std::string& call) const {
    return static_cast<std::size_t>(std::ranges::count(calls, call));
}

CUresult FakeDriver::enter(const char* name) {
    calls.emplace_back(name);
    if (auto& queue = next[name]; !queue.empty()) {
        const auto result = queue.front();
        queue.pop_front();
        if (sticky && result != kSuccess && result != kNotReady) stuck_ = result;
        return result;
    }
    if (stuck_ != kSuccess) return stuck_;
    const auto found = always.find(name);
    return found == always.end() ? kSuccess : found->second;
}

FakeDriver::~FakeDriver() { current = nullptr; }

FakeDriver::FakeDriver() {
    current = this;
    functions.clear();
    graphs.clear();
    host_pages.clear();
    capturing = false;
    in_sample = 0;
    copies.clear();
    behind.clear();
    copies_done = 0;
    // As on an H100.
    attributes = {{kMaxThreadsPerBlock, 1024},
                  {2, 1024},
                  {3, 1024},
                  {4, 64},
                  {5, 2147483647},
                  {6, 65535},
                  {7, 65535},
                  {kMaxSharedPerBlock, 49152},
                  {kClockRateKHz, 1980000},
                  {kMultiprocessorCount, 132},
                  {kL2CacheSize, 52428800},
                  {kMaxThreadsPerMultiprocessor, 2048},
                  {kComputeCapabilityMajor, 9},
                  {kComputeCapabilityMinor, 0},
                  {kMaxSharedPerBlockOptin, 232448}};

    api_.cuInit = [](unsigned) { return current->enter("cuInit"); };
    api_.cuDriverGetVersion = [](int* number) {
        *number = current->version;
        return current->enter("cuDriverGetVersion");
    };
    api_.cuGetErrorName = [](CUresult result, const char** name) {
        static std::string text;
        text = "CUDA_ERROR_" + std::to_string(result);
        *name = text.c_str();
        return CUresult{kSuccess};
    };
    api_.cuGetErrorString = [](CUresult, const char** text) {
        *text = "what the driver says";
        return CUresult{kSuccess};
    };
    api_.cuDeviceGetCount = [](int* count) {
        *count = current->gpus;
        return current->enter("cuDeviceGetCount");
    };
    api_.cuDeviceGet = [](CUdevice* device, int index) {
        *device = index;
        return current->enter("cuDeviceGet");
    };
    api_.cuDeviceGetName = [](char* name, int size, CUdevice) {
        std::strncpy(name, "NVIDIA Fake", static_cast<std::size_t>(size));
        return current->enter("cuDeviceGetName");
    };
    api_.cuDeviceTotalMem = [](std::size_t* bytes, CUdevice) {
        *bytes = current->total_bytes;
        return current->enter("cuDeviceTotalMem");
    };
    api_.cuDeviceGetAttribute = [](int* value, int which, CUdevice) {
        const auto result = current->enter("cuDeviceGetAttribute");
        if (result != kSuccess) return result;
        const auto found = current->attributes.find(which);
        if (found == current->attributes.end()) return CUresult{kInvalidValue};
        *value = found->second;
        return CUresult{kSuccess};
    };
    api_.cuDevicePrimaryCtxRetain = [](CUcontext* context, CUdevice) {
        const auto result = current->enter("cuDevicePrimaryCtxRetain");
        if (result != kSuccess) return result;
        *context = handle<CUcontext>(1);
        ++current->opened_contexts;
        return result;
    };
    api_.cuDevicePrimaryCtxRelease = [](CUdevice) {
        --current->opened_contexts;
        return current->enter("cuDevicePrimaryCtxRelease");
    };
    api_.cuCtxSetCurrent = [](CUcontext) { return current->enter("cuCtxSetCurrent"); };
    api_.cuModuleLoadData = [](CUmodule* module, const void*) {
        *module = handle<CUmodule>(2);
        return current->enter("cuModuleLoadData");
    };
    api_.cuModuleUnload = [](CUmodule) { return current->enter("cuModuleUnload"); };
    api_.cuModuleGetFunction = [](CUfunction* function, CUmodule, const char* name) {
        functions.push_back(std::make_unique<Function>(Function{name}));
        *function = reinterpret_cast<CUfunction>(functions.back().get());
        return current->enter("cuModuleGetFunction");
    };
    api_.cuFuncSetAttribute = [](CUfunction, int which, int value) {
        current->function_attributes[which] = value;
        return current->enter("cuFuncSetAttribute");
    };
    api_.cuOccupancyMaxActiveBlocksPerMultiprocessor = [](int* blocks, CUfunction, int, std::size_t) {
        *blocks = current->blocks_per_sm;
        return current->enter("cuOccupancyMaxActiveBlocksPerMultiprocessor");
    };
    api_.cuMemGetInfo = [](std::size_t* free, std::size_t* total) {
        *free = current->free_bytes;
        *total = current->total_bytes;
        return current->enter("cuMemGetInfo");
    };
    api_.cuMemAlloc = [](CUdeviceptr* pointer, std::size_t) {
        const auto result = current->enter("cuMemAlloc");
        if (result != kSuccess) return result;
        current->allocated.insert(*pointer = next_pointer += 0x1000);
        return result;
    };
    api_.cuMemFree = [](CUdeviceptr pointer) {
        current->allocated.erase(pointer);
        return current->enter("cuMemFree");
    };
    api_.cuMemcpyHtoD = [](CUdeviceptr, const void*, std::size_t) { return current->enter("cuMemcpyHtoD"); };
    api_.cuMemcpyDtoH = [](void*, CUdeviceptr, std::size_t) { return current->enter("cuMemcpyDtoH"); };
    api_.cuMemcpyHtoDAsync = [](CUdeviceptr to, const void* from, std::size_t bytes, CUstream) {
        const auto result = current->enter("cuMemcpyHtoDAsync");
        if (result != kSuccess) return result;
        copies.emplace_back([=] {
            if (auto* there = on_gpu(to, bytes)) std::memcpy(there, from, bytes);
        });
        return result;
    };
    api_.cuMemcpyDtoHAsync = [](void* to, CUdeviceptr from, std::size_t bytes, CUstream) {
        const auto result = current->enter("cuMemcpyDtoHAsync");
        if (result != kSuccess) return result;
        copies.emplace_back([=] {
            if (const auto* there = on_gpu(from, bytes)) std::memcpy(to, there, bytes);
        });
        return result;
    };
    api_.cuMemsetD8 = [](CUdeviceptr, unsigned char, std::size_t) { return current->enter("cuMemsetD8"); };
    api_.cuMemsetD8Async = [](CUdeviceptr, unsigned char, std::size_t, CUstream) {
        ++current->flushes;
        return current->enter("cuMemsetD8Async");
    };
    api_.cuMemHostAlloc = [](void** pointer, std::size_t bytes, unsigned) {
        host_pages.push_back(std::make_unique<std::byte[]>(bytes));
        *pointer = host_pages.back().get();
        return current->enter("cuMemHostAlloc");
    };
    api_.cuMemFreeHost = [](void*) { return current->enter("cuMemFreeHost"); };
    api_.cuMemHostGetDevicePointer = [](CUdeviceptr* pointer, void* host, unsigned) {
        *pointer = reinterpret_cast<CUdeviceptr>(host);
        return current->enter("cuMemHostGetDevicePointer");
    };
    api_.cuLaunchKernelEx = launch;
    api_.cuStreamCreate = [](CUstream* stream, unsigned) {
        *stream = handle<CUstream>(3);
        return current->enter("cuStreamCreate");
    };
    api_.cuStreamDestroy = [](CUstream) { return current->enter("cuStreamDestroy"); };
    api_.cuStreamQuery = [](CUstream) { return current->enter("cuStreamQuery"); };
    api_.cuStreamSynchronize = [](CUstream) {
        std::fputs(std::exchange(current->printed, {}).c_str(), stdout);
        do_copies(copies_done + copies.size());
        return current->enter("cuStreamSynchronize");
    };
    api_.cuStreamBeginCapture = [](CUstream, int) {
        capturing = true;
        captured.clear();
        return current->enter("cuStreamBeginCapture");
    };
    api_.cuStreamEndCapture = [](CUstream, CUgraph* graph) {
        capturing = false;
        graphs.push_back(std::make_unique<Graph>(Graph{captured}));
        *graph = reinterpret_cast<CUgraph>(graphs.back().get());
        return current->enter("cuStreamEndCapture");
    };
    api_.cuGraphInstantiate = [](CUgraphExec* executable, CUgraph graph, unsigned long long) {
        *executable = reinterpret_cast<CUgraphExec>(graph);
        return current->enter("cuGraphInstantiate");
    };
    api_.cuGraphLaunch = [](CUgraphExec executable, CUstream) {
        const auto result = current->enter("cuGraphLaunch");
        if (result != kSuccess) return result;
        const auto& launches = reinterpret_cast<Graph*>(executable)->launches;
        in_sample += static_cast<int>(launches.size());
        current->launched.insert(current->launched.end(), launches.begin(), launches.end());
        return result;
    };
    api_.cuGraphExecDestroy = [](CUgraphExec) { return current->enter("cuGraphExecDestroy"); };
    api_.cuGraphDestroy = [](CUgraph) { return current->enter("cuGraphDestroy"); };
    api_.cuEventCreate = [](CUevent* event, unsigned) {
        *event = handle<CUevent>(next_event++);
        return current->enter("cuEventCreate");
    };
    api_.cuEventDestroy = [](CUevent) { return current->enter("cuEventDestroy"); };
    api_.cuEventRecord = [](CUevent event, CUstream) {
        behind[reinterpret_cast<std::uintptr_t>(event)] = copies_done + copies.size();
        return current->enter("cuEventRecord");
    };
    api_.cuEventSynchronize = [](CUevent event) {
        const auto result = current->enter("cuEventSynchronize");
        if (result == kSuccess) do_copies(behind[reinterpret_cast<std::uintptr_t>(event)]);
        return result;
    };
    api_.cuEventElapsedTime = [](float* milliseconds, CUevent, CUevent) {
        *milliseconds = static_cast<float>(current->sample_us(in_sample) / 1000);
        in_sample = 0;
        return current->enter("cuEventElapsedTime");
    };
}
