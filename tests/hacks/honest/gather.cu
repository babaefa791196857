//@ launch k<<<ceil_div(n, 256), 256>>>(t, i, y, n)
__global__ void k(const float* t, const int* idx, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = __ldg(t + idx[i]);
}
