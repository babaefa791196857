//@ launch out<<<ceil_div(n, 256), 256>>>(x, n)
//@ launch k<<<ceil_div(n, 256), 256>>>(x, y, n)
//@ launch back<<<ceil_div(n, 256), 256>>>(x, n)
__global__ void out(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = 2.0f * x[i];
}
__global__ void k(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 1.5f * x[i] + 1.0f;
}
__global__ void back(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = 0.5f * x[i];
}
