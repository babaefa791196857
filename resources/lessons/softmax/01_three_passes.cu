// The plain kernel: one block a row, trees in shared memory, three passes over the row.
//@ tune BLOCK = 128 256 512 1024
//@ launch softmax<<<rows, BLOCK>>>(x, y, cols)

__global__ void softmax(const float* x, float* y, int cols) {
    __shared__ float shared[BLOCK];
    const float* row = x + static_cast<size_t>(blockIdx.x) * cols;
    float* out = y + static_cast<size_t>(blockIdx.x) * cols;

    float largest = row[0];
    for (int i = threadIdx.x; i < cols; i += BLOCK) largest = fmaxf(largest, row[i]);
    shared[threadIdx.x] = largest;
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) shared[threadIdx.x] = fmaxf(shared[threadIdx.x], shared[threadIdx.x + half]);
        __syncthreads();
    }
    largest = shared[0];
    __syncthreads();

    float sum = 0;
    for (int i = threadIdx.x; i < cols; i += BLOCK) {
        out[i] = expf(row[i] - largest);
        sum += out[i];
    }
    shared[threadIdx.x] = sum;
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
        __syncthreads();
    }
    sum = shared[0];
    for (int i = threadIdx.x; i < cols; i += BLOCK) out[i] /= sum;
}
