// Scores, softmax and weighted sum as three operations, with the matrix of scores in memory.
//@ scratch scores : f32[heads, length, length]
//@ launch score<<<dim3(ceil_div(length, 16), ceil_div(length, 16), heads), dim3(16, 16)>>>(q, k, scores, scale, length)
//@ launch softmax<<<dim3(length, heads), 128>>>(scores, length)
//@ launch weigh<<<dim3(ceil_div(length, 4), heads), dim3(64, 4)>>>(scores, v, o, length)

__global__ void score(const float* q, const float* k, float* scores, float scale, int length) {
    const int query = blockIdx.y * 16 + threadIdx.y, key = blockIdx.x * 16 + threadIdx.x;
    if (query >= length || key >= length) return;
    const size_t head = static_cast<size_t>(blockIdx.z) * length;
    float sum = 0;
    for (int d = 0; d < 64; ++d) sum += q[(head + query) * 64 + d] * k[(head + key) * 64 + d];
    scores[(head + query) * length + key] = key <= query ? sum * scale : -3.402823466e38f;
}

__global__ void softmax(float* scores, int length) {
    __shared__ float shared[128];
    float* row = scores + (static_cast<size_t>(blockIdx.y) * length + blockIdx.x) * length;
    float largest = row[0];
    for (int i = threadIdx.x; i < length; i += 128) largest = fmaxf(largest, row[i]);
    shared[threadIdx.x] = largest;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (threadIdx.x < half) shared[threadIdx.x] = fmaxf(shared[threadIdx.x], shared[threadIdx.x + half]);
        __syncthreads();
    }
    largest = shared[0];
    __syncthreads();
    float sum = 0;
    for (int i = threadIdx.x; i < length; i += 128) sum += expf(row[i] - largest);
    shared[threadIdx.x] = sum;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (threadIdx.x < half) shared[threadIdx.x] += shared[threadIdx.x + half];
        __syncthreads();
    }
    sum = shared[0];
    for (int i = threadIdx.x; i < length; i += 128) row[i] = expf(row[i] - largest) / sum;
}

__global__ void weigh(const float* scores, const float* v, float* o, int length) {
    const int query = blockIdx.x * 4 + threadIdx.y, d = threadIdx.x;
    if (query >= length) return;
    const size_t head = static_cast<size_t>(blockIdx.y) * length;
    float sum = 0;
    for (int key = 0; key <= query; ++key) sum += scores[(head + query) * length + key] * v[(head + key) * 64 + d];
    o[(head + query) * 64 + d] = sum;
}
