// One block a row in one launch, three passes over the row, reductions by warp shuffles: what a fusing compiler makes of it.
//@ launch softmax<<<rows, 256>>>(x, y, cols)

__device__ float block_max(float value) {
    __shared__ float warps[8];
    for (int offset = 16; offset > 0; offset /= 2) value = fmaxf(value, __shfl_xor_sync(0xFFFFFFFFu, value, offset));
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
    __syncthreads();
    value = warps[0];
    for (int i = 1; i < 8; ++i) value = fmaxf(value, warps[i]);
    return value;
}

__device__ float block_sum(float value) {
    __shared__ float warps[8];
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xFFFFFFFFu, value, offset);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
    __syncthreads();
    value = 0;
    for (int i = 0; i < 8; ++i) value += warps[i];
    return value;
}

__global__ void softmax(const float* x, float* y, int cols) {
    const float* row = x + static_cast<size_t>(blockIdx.x) * cols;
    float* out = y + static_cast<size_t>(blockIdx.x) * cols;
    float largest = row[0];
    for (int i = threadIdx.x; i < cols; i += 256) largest = fmaxf(largest, row[i]);
    largest = block_max(largest);
    float sum = 0;
    for (int i = threadIdx.x; i < cols; i += 256) sum += expf(row[i] - largest);
    sum = block_sum(sum);
    for (int i = threadIdx.x; i < cols; i += 256) out[i] = expf(row[i] - largest) / sum;
}
