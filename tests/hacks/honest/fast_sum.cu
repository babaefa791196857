//@ launch k<<<rows, 256>>>(x, y, rows, cols)
__global__ void k(const float* x, float* y, int rows, int cols) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    __shared__ float s[8];
    const float* row = x + blockIdx.x * cols;
    float sum = 0;
    for (int c = threadIdx.x; c < cols; c += 256) sum += row[c];
    for (int o = 16; o > 0; o /= 2) sum += __shfl_down_sync(~0u, sum, o);
    if (threadIdx.x % 32 == 0) s[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int k = 1; k < 8; ++k) sum += s[k];
        y[blockIdx.x] = sum;
    }
}
