#include <cuda_fp16.h>
//@ launch k<<<ceil_div(n, 256), 256>>>(x, y, n)
__global__ void k(const __half* x, __half* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (2 * i + 1 < n) {
        __half2 v = reinterpret_cast<const __half2*>(x)[i];
        reinterpret_cast<__half2*>(y)[i] = __hfma2(__float2half2_rn(3.0f), v, __float2half2_rn(1.0f));
    } else if (2 * i < n) {
        y[2 * i] = __hfma(__float2half(3.0f), x[2 * i], __float2half(1.0f));
    }
}
