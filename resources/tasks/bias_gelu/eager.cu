// Bias and activation as two operations, with the biased matrix in memory between them.
//@ scratch biased : f32[rows, cols]
//@ launch add_bias<<<dim3(ceil_div(cols, 256), rows), 256>>>(x, bias, biased, cols)
//@ launch gelu<<<ceil_div(rows * cols, 256), 256>>>(biased, y, rows * cols)

__global__ void add_bias(const float* x, const float* bias, float* biased, int cols) {
    const int column = blockIdx.x * 256 + threadIdx.x;
    const size_t at = static_cast<size_t>(blockIdx.y) * cols + column;
    if (column < cols) biased[at] = x[at] + bias[column];
}

__global__ void gelu(const float* biased, float* y, int n) {
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < n) y[i] = 0.5f * biased[i] * (1 + erff(biased[i] * 0.70710678f));
}
