//@ scratch took : i64[ceil_div(n, 256)]
//@ launch k<<<ceil_div(n, 256), 256>>>(x, y, took, n)
__global__ void k(const float* x, float* y, long long* took, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    long long begin = clock64();
    if (i < n) y[i] = 3.0f * x[i] + 1.0f;
    if (threadIdx.x == 0) took[blockIdx.x] = clock64() - begin;
}
