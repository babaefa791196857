// One warp a row that keeps its row in registers: the row is read once, by 16-byte loads that are all in flight together; maximum, powers
// and sum are computed on registers, each power once. Rows longer than 128 * VECTORS, or no multiple of four, go over memory instead.
//@ tune VECTORS = 8 16
//@ tune ROWS = 4 2 8
//@ launch softmax<<<ceil_div(rows, ROWS), dim3(32, ROWS)>>>(x, y, rows, cols)

__device__ float warp_max(float value) {
    for (int offset = 16; offset > 0; offset /= 2) value = fmaxf(value, __shfl_xor_sync(0xFFFFFFFFu, value, offset));
    return value;
}

__device__ float warp_sum(float value) {
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xFFFFFFFFu, value, offset);
    return value;
}

constexpr float kLowest = -3.402823466e38f;

__device__ void in_registers(const float4* row, float4* out, int vectors) {
    float4 held[VECTORS];
#pragma unroll
    for (int k = 0; k < VECTORS; ++k) {
        const int i = k * 32 + threadIdx.x;
        held[k] = i < vectors ? row[i] : float4{kLowest, kLowest, kLowest, kLowest};
    }
    float largest = kLowest;
#pragma unroll
    for (int k = 0; k < VECTORS; ++k) largest = fmaxf(largest, fmaxf(fmaxf(held[k].x, held[k].y), fmaxf(held[k].z, held[k].w)));
    largest = warp_max(largest);
    float sum = 0;
#pragma unroll
    for (int k = 0; k < VECTORS; ++k) {
        held[k].x = __expf(held[k].x - largest);
        held[k].y = __expf(held[k].y - largest);
        held[k].z = __expf(held[k].z - largest);
        held[k].w = __expf(held[k].w - largest);
        sum += (held[k].x + held[k].y) + (held[k].z + held[k].w); // what lies beyond the row is 0 by now
    }
    const float scale = 1.0f / warp_sum(sum);
#pragma unroll
    for (int k = 0; k < VECTORS; ++k) {
        const int i = k * 32 + threadIdx.x;
        if (i < vectors) out[i] = {held[k].x * scale, held[k].y * scale, held[k].z * scale, held[k].w * scale};
    }
}

__device__ void in_memory(const float* row, float* out, int cols) {
    float largest = kLowest, sum = 0;
    for (int i = threadIdx.x; i < cols; i += 32) largest = fmaxf(largest, row[i]);
    largest = warp_max(largest);
    for (int i = threadIdx.x; i < cols; i += 32) sum += __expf(row[i] - largest);
    const float scale = 1.0f / warp_sum(sum);
    for (int i = threadIdx.x; i < cols; i += 32) out[i] = __expf(row[i] - largest) * scale;
}

__global__ void __launch_bounds__(32 * ROWS) softmax(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
    const int r = blockIdx.x * ROWS + threadIdx.y;
    if (r >= rows) return; // a whole warp
    const float* row = x + static_cast<size_t>(r) * cols;
    float* out = y + static_cast<size_t>(r) * cols;
    if (cols % 4 == 0 && cols <= 128 * VECTORS)
        in_registers(reinterpret_cast<const float4*>(row), reinterpret_cast<float4*>(out), cols / 4);
    else
        in_memory(row, out, cols);
}
