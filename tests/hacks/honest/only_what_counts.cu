//@ launch k<<<n, 32>>>(x, y, n)
__global__ void k(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0;
    for (int c = threadIdx.x; c <= blockIdx.x; c += 32) sum += x[blockIdx.x * n + c];
    for (int o = 16; o > 0; o /= 2) sum += __shfl_xor_sync(~0u, sum, o);
    if (threadIdx.x == 0) y[blockIdx.x] = sum;
}
