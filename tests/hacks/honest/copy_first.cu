//@ scratch t : f32[n]
//@ launch copy<<<ceil_div(n, 256), 256>>>(x, t, n)
//@ launch k<<<ceil_div(n, 256), 256>>>(t, y, n)
__global__ void copy(const float* x, float* t, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) t[i] = x[i];
}
__global__ void k(const float* t, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 3.0f * t[i] + 1.0f;
}
