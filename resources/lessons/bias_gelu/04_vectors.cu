// One read and one write of memory, sixteen bytes at a time. A block works on one strip of columns for ROWS rows, so that its four
// biases a thread are loaded once and stay in registers, and the loads of the next row are not held up by the arithmetic of this one.
// Where rows are no multiple of four, the same strip goes element by element.
//@ tune BLOCK = 256 128
//@ tune ROWS = 4 2 8
//@ launch bias_gelu_vec4<<<dim3(ceil_div(cols, BLOCK * 4), ceil_div(rows, ROWS)), BLOCK>>>(x, bias, y, rows, cols)

__device__ float gelu(float t) { return 0.5f * t * (1 + erff(t * 0.70710678f)); }

__global__ void __launch_bounds__(BLOCK)
bias_gelu_vec4(const float* __restrict__ x, const float* __restrict__ bias, float* __restrict__ y, int rows, int cols) {
    const int top = blockIdx.y * ROWS;
    if (cols % 4 == 0) {
        const int column = blockIdx.x * BLOCK + threadIdx.x;
        if (column >= cols / 4) return;
        const float4 b = reinterpret_cast<const float4*>(bias)[column];
#pragma unroll
        for (int r = 0; r < ROWS; ++r) {
            if (top + r >= rows) return;
            const size_t at = static_cast<size_t>(top + r) * (cols / 4) + column;
            const float4 v = reinterpret_cast<const float4*>(x)[at];
            reinterpret_cast<float4*>(y)[at] = {gelu(v.x + b.x), gelu(v.y + b.y), gelu(v.z + b.z), gelu(v.w + b.w)};
        }
        return;
    }
    for (int r = top; r < min(top + ROWS, rows); ++r)
        for (int k = 0; k < 4; ++k) {
            const int column = (blockIdx.x * 4 + k) * BLOCK + threadIdx.x;
            if (column < cols) y[static_cast<size_t>(r) * cols + column] = gelu(x[static_cast<size_t>(r) * cols + column] + bias[column]);
        }
}
