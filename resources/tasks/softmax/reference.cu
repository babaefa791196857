// One block a row, in double precision.
//@ launch softmax<<<rows, 128>>>(x, y, cols)

__global__ void softmax(const float* x, float* y, int cols) {
    __shared__ double shared[128];
    const float* row = x + static_cast<size_t>(blockIdx.x) * cols;
    float* out = y + static_cast<size_t>(blockIdx.x) * cols;

    double largest = row[0];
    for (int i = threadIdx.x; i < cols; i += 128) largest = fmax(largest, static_cast<double>(row[i]));
    shared[threadIdx.x] = largest;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (threadIdx.x < half) shared[threadIdx.x] = fmax(shared[threadIdx.x], shared[threadIdx.x + half]);
        __syncthreads();
    }
    largest = shared[0];
    __syncthreads();

    double sum = 0;
    for (int i = threadIdx.x; i < cols; i += 128) sum += exp(row[i] - largest);
    shared[threadIdx.x] = sum;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
        __syncthreads();
    }
    sum = shared[0];
    for (int i = threadIdx.x; i < cols; i += 128) out[i] = static_cast<float>(exp(row[i] - largest) / sum);
}
