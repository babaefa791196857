__device__ __noinline__ float f(const float* p) { return 3.0f * *p + 1.0f; }
//@ launch k<<<ceil_div(n, 256), 256>>>(x, y, n)
__global__ void k(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = f(x + i);
}
