// Mean, centring, variance and normalisation, one launch each, with the centred rows in memory.
//@ scratch mean : f32[rows]
//@ scratch centred : f32[rows, cols]
//@ scratch scale : f32[rows]
//@ launch row_mean<<<rows, 256>>>(x, mean, cols)
//@ launch centre<<<dim3(ceil_div(cols, 256), rows), 256>>>(x, mean, centred, cols)
//@ launch row_scale<<<rows, 256>>>(centred, scale, cols, eps)
//@ launch normalise<<<dim3(ceil_div(cols, 256), rows), 256>>>(centred, scale, gamma, beta, y, cols)

__device__ float block_sum(float value) {
    __shared__ float shared[256];
    shared[threadIdx.x] = value;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
        __syncthreads();
    }
    return shared[0];
}

__global__ void row_mean(const float* x, float* mean, int cols) {
    const float* row = x + static_cast<size_t>(blockIdx.x) * cols;
    float sum = 0;
    for (int i = threadIdx.x; i < cols; i += 256) sum += row[i];
    sum = block_sum(sum);
    if (threadIdx.x == 0) mean[blockIdx.x] = sum / cols;
}

__global__ void centre(const float* x, const float* mean, float* centred, int cols) {
    const int column = blockIdx.x * 256 + threadIdx.x;
    const size_t at = static_cast<size_t>(blockIdx.y) * cols + column;
    if (column < cols) centred[at] = x[at] - mean[blockIdx.y];
}

__global__ void row_scale(const float* centred, float* scale, int cols, float eps) {
    const float* row = centred + static_cast<size_t>(blockIdx.x) * cols;
    float squares = 0;
    for (int i = threadIdx.x; i < cols; i += 256) squares += row[i] * row[i];
    squares = block_sum(squares);
    if (threadIdx.x == 0) scale[blockIdx.x] = rsqrtf(squares / cols + eps);
}

__global__ void normalise(const float* centred, const float* scale, const float* gamma, const float* beta, float* y, int cols) {
    const int column = blockIdx.x * 256 + threadIdx.x;
    const size_t at = static_cast<size_t>(blockIdx.y) * cols + column;
    if (column < cols) y[at] = centred[at] * scale[blockIdx.y] * gamma[column] + beta[column];
}
