// One block a row: mean, then variance about it, in double precision.
//@ launch layernorm<<<rows, 128>>>(x, gamma, beta, y, cols, eps)

__device__ double block_sum(double value) {
    __shared__ double shared[128];
    __syncthreads();
    shared[threadIdx.x] = value;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
        __syncthreads();
    }
    return shared[0];
}

__global__ void layernorm(const float* x, const float* gamma, const float* beta, float* y, int cols, double eps) {
    const float* row = x + static_cast<size_t>(blockIdx.x) * cols;
    float* out = y + static_cast<size_t>(blockIdx.x) * cols;
    double sum = 0;
    for (int i = threadIdx.x; i < cols; i += 128) sum += row[i];
    const double mean = block_sum(sum) / cols;
    double squares = 0;
    for (int i = threadIdx.x; i < cols; i += 128) squares += (row[i] - mean) * (row[i] - mean);
    const double scale = 1 / sqrt(block_sum(squares) / cols + eps);
    for (int i = threadIdx.x; i < cols; i += 128) out[i] = static_cast<float>((row[i] - mean) * scale * gamma[i] + beta[i]);
}
