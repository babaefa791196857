// Template kernels that are given what to do: functors and lambdas of the device, a large launch of dynamic shared memory.
#include "check.h"

#include <vector>

template<class T, class Function> __global__ void transform(const T* from, T* to, int n, Function function) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) to[i] = function(from[i]);
}
template<class T> struct Polynomial {
    T a, b, c;
    __host__ __device__ T operator()(T x) const { return (a * x + b) * x + c; }
};
__global__ void reverse(int* values, int n) {
    extern __shared__ int copy[];
    for (int i = threadIdx.x; i < n; i += blockDim.x) copy[i] = values[i];
    __syncthreads();
    for (int i = threadIdx.x; i < n; i += blockDim.x) values[i] = copy[n - 1 - i];
}

int main() {
    const int n = 15000;
    std::vector<int> values(n), out(n);
    for (int i = 0; i < n; ++i) values[i] = i - 700;
    int *d_from, *d_to;
    CHECK(cudaMalloc(&d_from, n * sizeof(int)));
    CHECK(cudaMalloc(&d_to, n * sizeof(int)));
    CHECK(cudaMemcpy(d_from, values.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    const Polynomial<int> polynomial{2, -3, 5};
    transform<<<8, 256>>>(d_from, d_to, n, polynomial);
    const int offset = 11;
    transform<<<8, 256>>>(d_to, d_to, n, [=] __device__(int x) { return x ^ offset; });
    const int bytes = n * static_cast<int>(sizeof(int)); // more than the 48 KiB that every launch may have
    CHECK(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
    reverse<<<1, 512, bytes>>>(d_to, n);
    CHECK(cudaGetLastError());
    CHECK(cudaMemcpy(out.data(), d_to, n * sizeof(int), cudaMemcpyDeviceToHost));
    bool right = true;
    for (int i = 0; i < n; ++i) right = right && out[n - 1 - i] == (polynomial(values[i]) ^ offset);
    return verdict(right);
}
