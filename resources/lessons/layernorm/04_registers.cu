// One warp a row that keeps its row in registers between the passes; sums are warp shuffles. Rows longer than 128 * VECTORS, or no
// multiple of four, go over memory instead.
//@ tune VECTORS = 8 16
//@ tune ROWS = 4 2 8
//@ launch layernorm<<<ceil_div(rows, ROWS), dim3(32, ROWS)>>>(x, gamma, beta, y, rows, cols, eps)

__device__ float warp_sum(float value) {
    for (int offset = 16; offset > 0; offset /= 2) value += __shfl_xor_sync(0xFFFFFFFFu, value, offset);
    return value;
}

__device__ void in_registers(const float4* row, const float4* gamma, const float4* beta, float4* out, int vectors, float cols,
                             float eps) {
    float4 held[VECTORS];
    float sum = 0;
#pragma unroll
    for (int k = 0; k < VECTORS; ++k) {
        const int i = k * 32 + threadIdx.x;
        held[k] = i < vectors ? row[i] : float4{0, 0, 0, 0};
        sum += (held[k].x + held[k].y) + (held[k].z + held[k].w);
    }
    const float mean = warp_sum(sum) / cols;
    float squares = 0;
#pragma unroll
    for (int k = 0; k < VECTORS; ++k) {
        held[k].x -= mean;
        held[k].y -= mean;
        held[k].z -= mean;
        held[k].w -= mean;
        if (k * 32 + threadIdx.x < vectors)
            squares += (held[k].x * held[k].x + held[k].y * held[k].y) + (held[k].z * held[k].z + held[k].w * held[k].w);
    }
    const float scale = rsqrtf(warp_sum(squares) / cols + eps);
#pragma unroll
    for (int k = 0; k < VECTORS; ++k) {
        const int i = k * 32 + threadIdx.x;
        if (i >= vectors) break;
        const float4 g = gamma[i], b = beta[i];
        out[i] = {held[k].x * scale * g.x + b.x, held[k].y * scale * g.y + b.y, held[k].z * scale * g.z + b.z,
                  held[k].w * scale * g.w + b.w};
    }
}

__device__ void in_memory(const float* row, const float* gamma, const float* beta, float* out, int cols, float eps) {
    float sum = 0;
    for (int i = threadIdx.x; i < cols; i += 32) sum += row[i];
    const float mean = warp_sum(sum) / cols;
    float squares = 0;
    for (int i = threadIdx.x; i < cols; i += 32) squares += (row[i] - mean) * (row[i] - mean);
    const float scale = rsqrtf(warp_sum(squares) / cols + eps);
    for (int i = threadIdx.x; i < cols; i += 32) out[i] = (row[i] - mean) * scale * gamma[i] + beta[i];
}

__global__ void __launch_bounds__(32 * ROWS)
layernorm(const float* __restrict__ x, const float* __restrict__ gamma, const float* __restrict__ beta, float* __restrict__ y,
          int rows, int cols, float eps) {
    const int r = blockIdx.x * ROWS + threadIdx.y;
    if (r >= rows) return; // a whole warp
    const float* row = x + static_cast<size_t>(r) * cols;
    float* out = y + static_cast<size_t>(r) * cols;
    if (cols % 4 == 0 && cols <= 128 * VECTORS)
        in_registers(reinterpret_cast<const float4*>(row), reinterpret_cast<const float4*>(gamma),
                     reinterpret_cast<const float4*>(beta), reinterpret_cast<float4*>(out), cols / 4, cols, eps);
    else
        in_memory(row, gamma, beta, out, cols, eps);
}
