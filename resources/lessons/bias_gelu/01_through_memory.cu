// The plain fusion, still with two visits to memory: the biased value is stored to y and read back for the activation.
//@ tune BLOCK = 256 128 512
//@ launch bias_gelu<<<rows, BLOCK>>>(x, bias, y, cols)

__global__ void bias_gelu(const float* x, const float* bias, float* y, int cols) {
    const float* row = x + static_cast<size_t>(blockIdx.x) * cols;
    float* out = y + static_cast<size_t>(blockIdx.x) * cols;
    for (int i = threadIdx.x; i < cols; i += BLOCK) out[i] = row[i] + bias[i];
    __syncthreads();
    for (int i = threadIdx.x; i < cols; i += BLOCK) out[i] = 0.5f * out[i] * (1 + erff(out[i] * 0.70710678f));
}
