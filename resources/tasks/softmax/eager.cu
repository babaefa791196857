// The composition max, subtract and exponentiate, sum, divide, one launch each, with its intermediates in memory.
//@ scratch largest : f32[rows]
//@ scratch powers : f32[rows, cols]
//@ scratch sums : f32[rows]
//@ launch row_max<<<rows, 256>>>(x, largest, cols)
//@ launch subtract_exp<<<dim3(ceil_div(cols, 256), rows), 256>>>(x, largest, powers, cols)
//@ launch row_sum<<<rows, 256>>>(powers, sums, cols)
//@ launch divide<<<dim3(ceil_div(cols, 256), rows), 256>>>(powers, sums, y, cols)

__global__ void row_max(const float* x, float* largest, int cols) {
    __shared__ float shared[256];
    const float* row = x + static_cast<size_t>(blockIdx.x) * cols;
    float mine = row[0];
    for (int i = threadIdx.x; i < cols; i += 256) mine = fmaxf(mine, row[i]);
    shared[threadIdx.x] = mine;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (threadIdx.x < half) shared[threadIdx.x] = fmaxf(shared[threadIdx.x], shared[threadIdx.x + half]);
        __syncthreads();
    }
    if (threadIdx.x == 0) largest[blockIdx.x] = shared[0];
}

__global__ void subtract_exp(const float* x, const float* largest, float* powers, int cols) {
    const int column = blockIdx.x * 256 + threadIdx.x;
    const size_t at = static_cast<size_t>(blockIdx.y) * cols + column;
    if (column < cols) powers[at] = expf(x[at] - largest[blockIdx.y]);
}

__global__ void row_sum(const float* powers, float* sums, int cols) {
    __shared__ float shared[256];
    const float* row = powers + static_cast<size_t>(blockIdx.x) * cols;
    float mine = 0;
    for (int i = threadIdx.x; i < cols; i += 256) mine += row[i];
    shared[threadIdx.x] = mine;
    __syncthreads();
    for (int half = 128; half > 0; half /= 2) {
        if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = shared[0];
}

__global__ void divide(const float* powers, const float* sums, float* y, int cols) {
    const int column = blockIdx.x * 256 + threadIdx.x;
    const size_t at = static_cast<size_t>(blockIdx.y) * cols + column;
    if (column < cols) y[at] = powers[at] / sums[blockIdx.y];
}
