//@ launch plain<<<ceil_div(n, 256), 256>>>(x, b, y, n)
__global__ void plain(const float* x, const float* b, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = x[i] + b[i];
}
