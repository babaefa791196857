// THREADS threads a row, which they keep in registers, VECTORS vectors each. Warps exchange maximum and sum through shared memory; both
// reductions use places of their own, so that two barriers suffice. Rows longer than THREADS * VECTORS vectors, or no multiple of four, go
// over memory instead. Loads and stores are streaming.
//@ tune THREADS = 128 64 256
//@ tune VECTORS = 2 4 1
//@ launch softmax<<<rows, THREADS>>>(x, y, cols)

constexpr int kWarps = THREADS / 32;
constexpr float kLowest = -3.402823466e38f;

__device__ float block_max(float value) {
    __shared__ float warps[kWarps];
    for (int offset = 16; offset > 0; offset /= 2) value = fmaxf(value, __shfl_xor_sync(0xFFFFFFFFu, value, offset));
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
    __syncthreads();
#pragma unroll
    for (int i = 0; i < kWarps; ++i) value = fmaxf(value, warps[i]);
    return value;
}

__device__ float block_sum(float value) {
    __shared__ float warps[kWarps];
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xFFFFFFFFu, value, offset);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
    __syncthreads();
    value = 0;
#pragma unroll
    for (int i = 0; i < kWarps; ++i) value += warps[i];
    return value;
}

__global__ void __launch_bounds__(THREADS) softmax(const float* __restrict__ x, float* __restrict__ y, int cols) {
    const float* row = x + static_cast<size_t>(blockIdx.x) * cols;
    float* out = y + static_cast<size_t>(blockIdx.x) * cols;
    if (cols % 4 != 0 || cols > 4 * THREADS * VECTORS) {
        float largest = kLowest, sum = 0;
        for (int i = threadIdx.x; i < cols; i += THREADS) largest = fmaxf(largest, row[i]);
        largest = block_max(largest);
        for (int i = threadIdx.x; i < cols; i += THREADS) sum += __expf(row[i] - largest);
        const float scale = 1.0f / block_sum(sum);
        for (int i = threadIdx.x; i < cols; i += THREADS) out[i] = __expf(row[i] - largest) * scale;
        return;
    }
    const int vectors = cols / 4;
    float4 held[VECTORS];
#pragma unroll
    for (int k = 0; k < VECTORS; ++k) {
        const int i = k * THREADS + threadIdx.x;
        held[k] = i < vectors ? __ldcs(reinterpret_cast<const float4*>(row) + i) : float4{kLowest, kLowest, kLowest, kLowest};
    }
    float largest = kLowest;
#pragma unroll
    for (int k = 0; k < VECTORS; ++k) largest = fmaxf(largest, fmaxf(fmaxf(held[k].x, held[k].y), fmaxf(held[k].z, held[k].w)));
    largest = block_max(largest);
    float sum = 0;
#pragma unroll
    for (int k = 0; k < VECTORS; ++k) {
        held[k].x = __expf(held[k].x - largest);
        held[k].y = __expf(held[k].y - largest);
        held[k].z = __expf(held[k].z - largest);
        held[k].w = __expf(held[k].w - largest);
        sum += (held[k].x + held[k].y) + (held[k].z + held[k].w); // what lies beyond the row is 0 by now
    }
    const float scale = 1.0f / block_sum(sum);
#pragma unroll
    for (int k = 0; k < VECTORS; ++k) {
        const int i = k * THREADS + threadIdx.x;
        const float4 v = {held[k].x * scale, held[k].y * scale, held[k].z * scale, held[k].w * scale};
        if (i < vectors) __stcs(reinterpret_cast<float4*>(out) + i, v);
    }
}
