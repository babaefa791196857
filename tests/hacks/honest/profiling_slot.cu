//@ scratch slot : u32[ceil_div(n, 256)]
//@ launch k<<<ceil_div(n, 256), 256>>>(x, y, slot, n)
__global__ void k(const float* x, float* y, unsigned* slot, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned sm;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(sm));
    if (threadIdx.x == 0) slot[blockIdx.x] = sm;
    if (i < n) y[i] = 3.0f * x[i] + 1.0f;
}
