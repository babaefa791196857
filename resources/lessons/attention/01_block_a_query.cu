// The plain kernel: one block a query, its scores in shared memory.
//@ launch attention<<<dim3(length, heads), 64, length * 4>>>(q, k, v, o, scale, length)

__global__ void attention(const float* q, const float* k, const float* v, float* o, float scale, int length) {
    extern __shared__ float weights[];
    const int query = blockIdx.x;
    const size_t head = static_cast<size_t>(blockIdx.y) * length * 64;
    for (int key = threadIdx.x; key <= query; key += 64) {
        float score = 0;
        for (int d = 0; d < 64; ++d) score += q[head + query * 64 + d] * k[head + key * 64 + d];
        weights[key] = score * scale;
    }
    __syncthreads();
    float largest = weights[0], sum = 0, total = 0;
    for (int key = 1; key <= query; ++key) largest = fmaxf(largest, weights[key]);
    for (int key = 0; key <= query; ++key) {
        const float weight = expf(weights[key] - largest);
        sum += weight;
        total += weight * v[head + key * 64 + threadIdx.x];
    }
    o[head + query * 64 + threadIdx.x] = total / sum;
}
