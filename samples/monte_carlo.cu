// Estimates pi from random points: a generator per thread, atomics on 64 bits, device printf.
#include "check.h"

#include <cmath>

__device__ unsigned next(unsigned& state) { // xorshift
    state ^= state << 13;
    state ^= state >> 17;
    state ^= state << 5;
    return state;
}

__global__ void throw_points(unsigned long long* inside, int per_thread) {
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned state = (thread + 1) * 2654435761u;
    unsigned hits = 0;
    for (int i = 0; i < per_thread; ++i) {
        const float x = static_cast<float>(next(state)) * 0x1p-32f, y = static_cast<float>(next(state)) * 0x1p-32f;
        hits += x * x + y * y <= 1.0f;
    }
    atomicAdd(inside, static_cast<unsigned long long>(hits));
    if (thread == 0) printf("thread 0: %u of %d points inside\n", hits, per_thread);
}

int main() {
    const int blocks = 16, threads = 128, per_thread = 400;
    unsigned long long* d_inside;
    CHECK(cudaMalloc(&d_inside, sizeof *d_inside));
    CHECK(cudaMemset(d_inside, 0, sizeof *d_inside));
    std::printf("before\n");
    throw_points<<<blocks, threads>>>(d_inside, per_thread);
    CHECK(cudaDeviceSynchronize());
    unsigned long long inside = 0;
    CHECK(cudaMemcpy(&inside, d_inside, sizeof inside, cudaMemcpyDeviceToHost));
    const double pi = 4.0 * inside / (double(blocks) * threads * per_thread);
    std::printf("pi is about %.4f\n", pi);
    return verdict(std::fabs(pi - 3.14159265) < 0.01);
}
