#include <cuda_fp16.h>
//@ launch k<<<ceil_div(n * n, 256), 256>>>(a, b, c, n)
__global__ void k(const float* a, const float* b, float* c, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int row = i / n, col = i % n;
    if (row >= n) return;
    float sum = 0;
    for (int k = 0; k < n; ++k) {
        float p = a[row * n + k], q = b[k * n + col];
        float ph = __half2float(__float2half(p)), qh = __half2float(__float2half(q));
        float pl = __half2float(__float2half((p - ph) * 2048.0f)), ql = __half2float(__float2half((q - qh) * 2048.0f));
        sum += ph * qh + (ph * ql + pl * qh) * (1.0f / 2048.0f);
    }
    c[row * n + col] = sum;
}
