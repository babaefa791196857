//@ launch plain<<<ceil_div(n, 256), 256>>>(x, g, y, n)
__global__ void plain(const float* x, const float* g, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] * g[i];
}
