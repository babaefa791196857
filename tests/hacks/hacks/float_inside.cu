//@ launch k<<<ceil_div(n, 256), 256>>>(x, y, n)
__global__ void k(const double* x, double* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 3.1f * static_cast<float>(x[i]) + 1.0f;
}
