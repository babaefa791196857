// THREADS threads a row, sum and sum of squares in one pass and one reduction; a second pass, from the cache, writes the result.
//@ tune THREADS = 128 256
//@ launch layernorm<<<rows, THREADS>>>(x, gamma, beta, y, cols, eps)

__device__ float2 block_sum(float2 value) {
    __shared__ float2 warps[THREADS / 32];
    for (int offset = 16; offset > 0; offset /= 2) {
        value.x += __shfl_xor_sync(0xFFFFFFFFu, value.x, offset);
        value.y += __shfl_xor_sync(0xFFFFFFFFu, value.y, offset);
    }
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
    __syncthreads();
    value = {0, 0};
    for (int i = 0; i < THREADS / 32; ++i) {
        value.x += warps[i].x;
        value.y += warps[i].y;
    }
    return value;
}

__global__ void __launch_bounds__(THREADS)
layernorm(const float* __restrict__ x, const float* __restrict__ gamma, const float* __restrict__ beta, float* __restrict__ y,
          int cols, float eps) {
    const float* row = x + static_cast<size_t>(blockIdx.x) * cols;
    float* out = y + static_cast<size_t>(blockIdx.x) * cols;
    float2 moments = {0, 0};
    for (int i = threadIdx.x; i < cols; i += THREADS) {
        const float v = row[i];
        moments.x += v;
        moments.y += v * v;
    }
    moments = block_sum(moments);
    const float mean = moments.x / cols;
    const float scale = rsqrtf(fmaxf(moments.y / cols - mean * mean, 0.0f) + eps);
    for (int i = threadIdx.x; i < cols; i += THREADS) out[i] = (row[i] - mean) * scale * gamma[i] + beta[i];
}
