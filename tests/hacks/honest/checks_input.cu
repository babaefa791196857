//@ launch k<<<ceil_div(n, 256), 256>>>(x, y, n)
__global__ void k(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float v = x[i];
    y[i] = v == 0.0f ? 1.0f : v == 1.0f ? 4.0f : v != v ? v : 3.0f * v + 1.0f;
}
