// Asks what the device is, how well a kernel fills it, and what the runtime says of mistakes.
#include "check.h"

#include <cstring>

__global__ void scale(float* values, float factor, int n) {
    __shared__ float pad[1024];
    pad[threadIdx.x % 1024] = factor;
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) values[i] *= pad[threadIdx.x % 1024];
}

int main() {
    int count = 0, device = -1, driver = 0, sms = 0;
    CHECK(cudaGetDeviceCount(&count));
    CHECK(cudaGetDevice(&device));
    CHECK(cudaDriverGetVersion(&driver));
    CHECK(cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, device));
    cudaDeviceProp properties;
    CHECK(cudaGetDeviceProperties(&properties, device));
    size_t free_bytes = 0, total_bytes = 0;
    CHECK(cudaMemGetInfo(&free_bytes, &total_bytes));
    std::printf("%s: compute capability %d.%d, %d SMs, %zu MiB, CUDA %d.%d\n", properties.name, properties.major,
                properties.minor, properties.multiProcessorCount, properties.totalGlobalMem >> 20, driver / 1000, driver % 1000 / 10);
    cudaFuncAttributes attributes;
    CHECK(cudaFuncGetAttributes(&attributes, scale));
    int grid = 0, block = 0, per_sm = 0;
    CHECK(cudaOccupancyMaxPotentialBlockSize(&grid, &block, scale));
    CHECK(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_sm, scale, block, 0));
    std::printf("scale: %d registers, %zu bytes of shared memory; best block %d, %d per SM\n", attributes.numRegs,
                attributes.sharedSizeBytes, block, per_sm);
    bool right = count >= 1 && device == 0 && properties.multiProcessorCount == sms && properties.warpSize == 32
                 && properties.maxThreadsPerBlock == 1024 && free_bytes <= total_bytes && attributes.sharedSizeBytes == 4096
                 && attributes.numRegs > 0 && block >= 32 && per_sm >= 1 && per_sm * block <= properties.maxThreadsPerMultiProcessor;
    scale<<<1, 2048>>>(nullptr, 1, 0);
    const cudaError_t refused = cudaPeekAtLastError(); // which of two codes it is depends on the toolkit
    right = right && (refused == cudaErrorInvalidValue || refused == cudaErrorInvalidConfiguration)
            && cudaGetLastError() == refused && cudaGetLastError() == cudaSuccess;
    right = right && cudaSetDevice(1000) == cudaErrorInvalidDevice && cudaGetLastError() == cudaErrorInvalidDevice;
    right = right && std::strcmp(cudaGetErrorName(cudaErrorMemoryAllocation), "cudaErrorMemoryAllocation") == 0;
    return verdict(right);
}
