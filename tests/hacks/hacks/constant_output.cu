//@ launch k<<<ceil_div(rows, 256), 256>>>(x, y, rows, cols)
__global__ void k(const float* x, float* y, int rows, int cols) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < rows) y[i] = cols;
}
