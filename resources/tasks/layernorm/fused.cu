// One block a row in one launch, three passes over the row, reductions by warp shuffles.
//@ launch layernorm<<<rows, 256>>>(x, gamma, beta, y, cols, eps)

__device__ float block_sum(float value) {
    __shared__ float warps[8];
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xFFFFFFFFu, value, offset);
    __syncthreads(); // the previous sum has been read
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
    __syncthreads();
    value = 0;
    for (int i = 0; i < 8; ++i) value += warps[i];
    return value;
}

__global__ void layernorm(const float* x, const float* gamma, const float* beta, float* y, int cols, float eps) {
    const float* row = x + static_cast<size_t>(blockIdx.x) * cols;
    float* out = y + static_cast<size_t>(blockIdx.x) * cols;
    float sum = 0;
    for (int i = threadIdx.x; i < cols; i += 256) sum += row[i];
    const float mean = block_sum(sum) / cols;
    float squares = 0;
    for (int i = threadIdx.x; i < cols; i += 256) squares += (row[i] - mean) * (row[i] - mean);
    const float scale = rsqrtf(block_sum(squares) / cols + eps);
    for (int i = threadIdx.x; i < cols; i += 256) out[i] = (row[i] - mean) * scale * gamma[i] + beta[i];
}
