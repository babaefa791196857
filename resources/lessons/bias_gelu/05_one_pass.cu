// One read and one write an element: the biased value stays in a register.
//@ tune BLOCK = 256 128 512
//@ launch bias_gelu<<<rows, BLOCK>>>(x, bias, y, cols)

__device__ float gelu(float t) { return 0.5f * t * (1 + erff(t * 0.70710678f)); }

__global__ void __launch_bounds__(BLOCK)
bias_gelu(const float* __restrict__ x, const float* __restrict__ bias, float* __restrict__ y, int cols) {
    const float* row = x + static_cast<size_t>(blockIdx.x) * cols;
    float* out = y + static_cast<size_t>(blockIdx.x) * cols;
    for (int i = threadIdx.x; i < cols; i += BLOCK) out[i] = gelu(row[i] + bias[i]);
}
