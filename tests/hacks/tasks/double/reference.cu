//@ launch plain<<<ceil_div(n, 256), 256>>>(x, y, n)
__global__ void plain(const double* x, double* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 3.1 * x[i] + 1.0;
}
