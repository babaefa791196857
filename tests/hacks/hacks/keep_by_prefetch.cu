//@ launch k<<<ceil_div(n, 256), 256>>>(x, y, n)
__global__ void k(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    asm volatile("prefetch.global.L2::evict_last [%0];" ::"l"(x + i));
    y[i] = 3.0f * x[i] + 1.0f;
}
