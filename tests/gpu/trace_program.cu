// What trace_check.py traces: a program of the CUDA runtime whose every activity is known beforehand. Its arguments are
// steps.
#include <cuda_runtime.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <vector>

namespace {

constexpr int kElements = 1 << 20;

void check(cudaError_t error, const char* what) {
    if (error == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
    exit(50);
}

__global__ void scale(float* x, float factor, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= factor;
}

template<int Rounds> __global__ void spin(float* x) {
    float value = threadIdx.x;
    for (int i = 0; i < Rounds; ++i) value = value * 0.999f + 0.001f;
    if (value < 0) *x = value;
}

__global__ void touch(float* x) { x[threadIdx.x] = 1; }

float* buffer() {
    static float* device = nullptr;
    if (!device) check(cudaMalloc(&device, kElements * sizeof(float)), "cudaMalloc");
    return device;
}

// One memset, two copies of 4 MiB, `count` kernels of 256 × 4096 threads, one wait.
void work(int count) {
    static float* host = nullptr;
    if (!host) check(cudaMallocHost(&host, kElements * sizeof(float)), "cudaMallocHost");
    float* const device = buffer();
    check(cudaMemset(device, 0, kElements * sizeof(float)), "cudaMemset");
    check(cudaMemcpy(device, host, kElements * sizeof(float), cudaMemcpyHostToDevice), "cudaMemcpy");
    for (int i = 0; i < count; ++i) scale<<<kElements / 256, 256>>>(device, 1.5f, kElements);
    check(cudaGetLastError(), "scale");
    check(cudaMemcpy(host, device, kElements * sizeof(float), cudaMemcpyDeviceToHost), "cudaMemcpy");
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

// Four streams, each with `count` kernels that overlap the others'.
void streams(int count) {
    std::vector<cudaStream_t> made(4);
    float* const device = buffer();
    for (auto& stream : made) check(cudaStreamCreate(&stream), "cudaStreamCreate");
    for (int i = 0; i < count; ++i)
        for (auto& stream : made) spin<20000><<<1, 128, 0, stream>>>(device);
    for (auto& stream : made) check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}

// A graph of four kernels that do not wait for each other, launched `count` times.
void graph(int count) {
    float* const device = buffer();
    cudaGraph_t graph;
    check(cudaGraphCreate(&graph, 0), "cudaGraphCreate");
    void* arguments[] = {const_cast<float**>(&device)};
    cudaKernelNodeParams parameters{};
    parameters.func = reinterpret_cast<void*>(&spin<20000>);
    parameters.gridDim = dim3(1);
    parameters.blockDim = dim3(128);
    parameters.kernelParams = arguments;
    for (int i = 0; i < 4; ++i) {
        cudaGraphNode_t node;
        check(cudaGraphAddKernelNode(&node, graph, nullptr, 0, &parameters), "cudaGraphAddKernelNode");
    }
    cudaGraphExec_t executable;
    check(cudaGraphInstantiateWithFlags(&executable, graph, 0), "cudaGraphInstantiate");
    for (int i = 0; i < count; ++i) check(cudaGraphLaunch(executable, nullptr), "cudaGraphLaunch");
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
}

// `count` launches of the smallest kernel, and what each took the host.
void launches(int count) {
    float* const device = buffer();
    touch<<<1, 32>>>(device);
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < count; ++i) touch<<<1, 32>>>(device);
    check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - start;
    printf("%.3f\n", took.count() / count);
}

} // namespace

int main(int argc, char** argv) {
    for (int i = 1; i < argc; ++i) {
        const char* const colon = strchr(argv[i], ':');
        const int number = colon ? atoi(colon + 1) : 0;
        const size_t length = colon ? static_cast<size_t>(colon - argv[i]) : strlen(argv[i]);
        const auto is = [&](const char* name) { return strlen(name) == length && strncmp(argv[i], name, length) == 0; };
        if (is("work"))
            work(number);
        else if (is("streams"))
            streams(number);
        else if (is("graph"))
            graph(number);
        else if (is("launches"))
            launches(number);
        else if (is("reset"))
            check(cudaDeviceReset(), "cudaDeviceReset");
        else if (is("sleep"))
            usleep(1000 * static_cast<unsigned>(number));
        else if (is("say")) {
            printf("%s\n", colon + 1);
            fflush(stdout);
        } else if (is("raise"))
            raise(number);
        else if (is("_exit"))
            _exit(number);
        else if (is("exit"))
            exit(number);
        else if (is("illegal")) {
            touch<<<1, 32>>>(reinterpret_cast<float*>(16));
            if (cudaDeviceSynchronize() != cudaSuccess) exit(number);
        } else if (is("children")) { // before this process starts CUDA
            for (int child = 0; child < number; ++child)
                if (fork() == 0) {
                    work(10);
                    exit(0);
                }
            while (wait(nullptr) > 0) {
            }
        } else {
            fprintf(stderr, "unknown step %s\n", argv[i]);
            return 51;
        }
    }
    return 0;
}
