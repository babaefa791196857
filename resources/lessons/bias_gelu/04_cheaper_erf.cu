// A block works on one strip of columns for ROWS rows: its biases are loaded once, and all ROWS loads are in flight before the arithmetic
// of the first begins. Loads and stores are streaming, as nothing but the biases is used twice. Where rows are no multiple of four, the same
// strip goes element by element.
//@ tune BLOCK = 256 128
//@ tune ROWS = 4 2 8
//@ launch bias_gelu<<<dim3(ceil_div(cols, BLOCK * 4), ceil_div(rows, ROWS)), BLOCK>>>(x, bias, y, rows, cols)

// erf by formula 7.1.26 of Abramowitz and Stegun, whose absolute error is below 1.5e-7: no branches, one reciprocal and one exponential.
__device__ float gelu(float t) {
    const float z = fabsf(t) * 0.70710678f;
    const float u = __frcp_rn(1 + 0.3275911f * z);
    const float polynomial = u * (0.254829592f + u * (-0.284496736f + u * (1.421413741f + u * (-1.453152027f + u * 1.061405429f))));
    const float complement = polynomial * __expf(-z * z); // 1 - erf(z)
    return 0.5f * t * (t < 0 ? complement : 2 - complement);
}

__device__ float4 gelu(float4 v, float4 b) { return {gelu(v.x + b.x), gelu(v.y + b.y), gelu(v.z + b.z), gelu(v.w + b.w)}; }

__global__ void __launch_bounds__(BLOCK)
bias_gelu(const float* __restrict__ x, const float* __restrict__ bias, float* __restrict__ y, int rows, int cols) {
    const int top = blockIdx.y * ROWS;
    if (cols % 4 == 0) {
        const int column = blockIdx.x * BLOCK + threadIdx.x, pitch = cols / 4;
        if (column >= pitch) return;
        const float4* in = reinterpret_cast<const float4*>(x) + static_cast<size_t>(top) * pitch + column;
        float4* out = reinterpret_cast<float4*>(y) + static_cast<size_t>(top) * pitch + column;
        const float4 b = reinterpret_cast<const float4*>(bias)[column];
        float4 v[ROWS] = {};
#pragma unroll
        for (int r = 0; r < ROWS; ++r)
            if (top + r < rows) v[r] = __ldcs(in + r * pitch);
#pragma unroll
        for (int r = 0; r < ROWS; ++r)
            if (top + r < rows) __stcs(out + r * pitch, gelu(v[r], b));
        return;
    }
    for (int r = top; r < min(top + ROWS, rows); ++r)
        for (int k = 0; k < 4; ++k) {
            const int column = (blockIdx.x * 4 + k) * BLOCK + threadIdx.x;
            if (column < cols) y[static_cast<size_t>(r) * cols + column] = gelu(x[static_cast<size_t>(r) * cols + column] + bias[column]);
        }
}
