// The plain kernel: one block a row, trees in shared memory, three passes over the row.
//@ tune BLOCK = 128 256 512 1024
//@ launch layernorm<<<rows, BLOCK>>>(x, gamma, beta, y, cols, eps)

__device__ float block_sum(float value) {
    __shared__ float shared[BLOCK];
    __syncthreads();
    shared[threadIdx.x] = value;
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
        __syncthreads();
    }
    return shared[0];
}

__global__ void layernorm(const float* x, const float* gamma, const float* beta, float* y, int cols, float eps) {
    const float* row = x + static_cast<size_t>(blockIdx.x) * cols;
    float* out = y + static_cast<size_t>(blockIdx.x) * cols;
    float sum = 0;
    for (int i = threadIdx.x; i < cols; i += BLOCK) sum += row[i];
    const float mean = block_sum(sum) / cols;
    float squares = 0;
    for (int i = threadIdx.x; i < cols; i += BLOCK) squares += (row[i] - mean) * (row[i] - mean);
    const float scale = rsqrtf(block_sum(squares) / cols + eps);
    for (int i = threadIdx.x; i < cols; i += BLOCK) out[i] = (row[i] - mean) * scale * gamma[i] + beta[i];
}
