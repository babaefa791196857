// One block a query, in double precision: all scores, their softmax, the weighted sum of values.
//@ launch attention<<<dim3(length, heads), 64, length * 8>>>(q, k, v, o, scale, length)

__global__ void attention(const float* q, const float* k, const float* v, float* o, double scale, int length) {
    extern __shared__ double weights[];
    const int query = blockIdx.x;
    const size_t head = static_cast<size_t>(blockIdx.y) * length * 64;
    for (int key = threadIdx.x; key <= query; key += 64) {
        double score = 0;
        for (int d = 0; d < 64; ++d) score += static_cast<double>(q[head + query * 64 + d]) * k[head + key * 64 + d];
        weights[key] = score * scale;
    }
    __syncthreads();
    double largest = weights[0], sum = 0, total = 0;
    for (int key = 1; key <= query; ++key) largest = fmax(largest, weights[key]);
    __syncthreads();
    for (int key = threadIdx.x; key <= query; key += 64) weights[key] = exp(weights[key] - largest);
    __syncthreads();
    for (int key = 0; key <= query; ++key) {
        sum += weights[key];
        total += weights[key] * v[head + key * 64 + threadIdx.x];
    }
    o[head + query * 64 + threadIdx.x] = static_cast<float>(total / sum);
}
