#include <cuda_fp16.h>
//@ launch plain<<<ceil_div(n, 256), 256>>>(x, y, n)
__global__ void plain(const __half* x, __half* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = __float2half(3.0f * __half2float(x[i]) + 1.0f);
}
