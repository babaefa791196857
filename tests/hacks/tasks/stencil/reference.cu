//@ launch plain<<<ceil_div(n, 256), 256>>>(x, y, n)
__global__ void plain(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 0.25f * (i > 0 ? x[i - 1] : 0.0f) + 0.5f * x[i] + 0.25f * (i + 1 < n ? x[i + 1] : 0.0f);
}
