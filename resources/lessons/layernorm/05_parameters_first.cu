// THREADS threads a row, which they keep in registers, VECTORS vectors each. Scale and shift are loaded with the row, before the
// reductions, so that they wait together. Warps exchange sums through shared memory; both reductions use places of their own, so that two
// barriers suffice. Rows longer than THREADS * VECTORS vectors, or no multiple of four, go over memory instead.
//@ tune THREADS = 128 64 256
//@ tune VECTORS = 2 4 1
//@ launch layernorm<<<rows, THREADS>>>(x, gamma, beta, y, cols, eps)

constexpr int kWarps = THREADS / 32;

__device__ float block_sum(float value, float* warps) {
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xFFFFFFFFu, value, offset);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = value;
    __syncthreads();
    value = 0;
#pragma unroll
    for (int i = 0; i < kWarps; ++i) value += warps[i];
    return value;
}

__global__ void __launch_bounds__(THREADS)
layernorm(const float* __restrict__ x, const float* __restrict__ gamma, const float* __restrict__ beta, float* __restrict__ y,
          int cols, float eps) {
    __shared__ float first[kWarps], second[kWarps];
    const float* row = x + static_cast<size_t>(blockIdx.x) * cols;
    float* out = y + static_cast<size_t>(blockIdx.x) * cols;
    if (cols % 4 != 0 || cols > 4 * THREADS * VECTORS) {
        float sum = 0, squares = 0;
        for (int i = threadIdx.x; i < cols; i += THREADS) sum += row[i];
        const float mean = block_sum(sum, first) / cols;
        for (int i = threadIdx.x; i < cols; i += THREADS) squares += (row[i] - mean) * (row[i] - mean);
        const float scale = rsqrtf(block_sum(squares, second) / cols + eps);
        for (int i = threadIdx.x; i < cols; i += THREADS) out[i] = (row[i] - mean) * scale * gamma[i] + beta[i];
        return;
    }
    const int vectors = cols / 4;
    float4 held[VECTORS], g[VECTORS], b[VECTORS];
    float sum = 0;
#pragma unroll
    for (int k = 0; k < VECTORS; ++k) {
        const int i = k * THREADS + threadIdx.x;
        held[k] = i < vectors ? __ldcs(reinterpret_cast<const float4*>(row) + i) : float4{0, 0, 0, 0};
        g[k] = i < vectors ? reinterpret_cast<const float4*>(gamma)[i] : float4{0, 0, 0, 0};
        b[k] = i < vectors ? reinterpret_cast<const float4*>(beta)[i] : float4{0, 0, 0, 0};
    }
#pragma unroll
    for (int k = 0; k < VECTORS; ++k) sum += (held[k].x + held[k].y) + (held[k].z + held[k].w);
    const float mean = block_sum(sum, first) / cols;
    float squares = 0;
#pragma unroll
    for (int k = 0; k < VECTORS; ++k) {
        held[k].x -= mean;
        held[k].y -= mean;
        held[k].z -= mean;
        held[k].w -= mean;
        if (k * THREADS + threadIdx.x < vectors)
            squares += (held[k].x * held[k].x + held[k].y * held[k].y) + (held[k].z * held[k].z + held[k].w * held[k].w);
    }
    const float scale = rsqrtf(block_sum(squares, second) / cols + eps);
#pragma unroll
    for (int k = 0; k < VECTORS; ++k) {
        const int i = k * THREADS + threadIdx.x;
        const float4 v = {held[k].x * scale * g[k].x + b[k].x, held[k].y * scale * g[k].y + b[k].y,
                          held[k].z * scale * g[k].z + b[k].z, held[k].w * scale * g[k].w + b[k].w};
        if (i < vectors) __stcs(reinterpret_cast<float4*>(out) + i, v);
    }
}
