//@ launch softmax<<<rows, 256>>>(x, out, columns)
__device__ float reduce(float value, float* shared, bool largest) {
    for (int offset = 16; offset > 0; offset /= 2) {
        const float other = __shfl_xor_sync(0xffffffffu, value, offset);
        value = largest ? fmaxf(value, other) : value + other;
    }
    __syncthreads();
    if (threadIdx.x % 32 == 0) shared[threadIdx.x / 32] = value;
    __syncthreads();
    value = shared[0];
    for (int i = 1; i < 8; ++i) value = largest ? fmaxf(value, shared[i]) : value + shared[i];
    return value;
}

__global__ void softmax(const float* __restrict__ x, float* __restrict__ out, int columns) {
    __shared__ float shared[8];
    const float* row = x + static_cast<size_t>(blockIdx.x) * columns;
    float largest = -INFINITY;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) largest = fmaxf(largest, row[i]);
    largest = reduce(largest, shared, true);
    float sum = 0;
    for (int i = threadIdx.x; i < columns; i += blockDim.x) sum += expf(row[i] - largest);
    sum = reduce(sum, shared, false);
    for (int i = threadIdx.x; i < columns; i += blockDim.x)
        out[static_cast<size_t>(blockIdx.x) * columns + i] = expf(row[i] - largest) / sum;
}
