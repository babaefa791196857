// Both products as register-tiled matrix products: a block of 256 threads owns 64 queries of a head and walks over tiles of 64 keys. Scores
// and results are 4 x 4 a thread, so that two vectors from shared memory serve 16 multiply-adds. Queries, keys and weights lie transposed in
// shared memory, values as they are. Sixteen lanes share a query's row and find its maximum and sum by shuffles.
//@ launch attention<<<dim3(ceil_div(length, 64), heads), 256, 4 * 64 * 68 * 4>>>(q, k, v, o, scale, length)

constexpr int kPitch = 68;
constexpr float kLowest = -3.402823466e38f;

__device__ float4 row_vector(const float* rows, int row, int vector, int length) {
    return row < length ? reinterpret_cast<const float4*>(rows)[row * 16 + vector] : float4{0, 0, 0, 0};
}

__device__ void store_transposed(float* tile, int row, int vector, float4 value, float factor) {
    tile[(4 * vector) * kPitch + row] = value.x * factor;
    tile[(4 * vector + 1) * kPitch + row] = value.y * factor;
    tile[(4 * vector + 2) * kPitch + row] = value.z * factor;
    tile[(4 * vector + 3) * kPitch + row] = value.w * factor;
}

__device__ void outer_product(float (&sum)[4][4], float4 rows, float4 columns) {
    const float left[4] = {rows.x, rows.y, rows.z, rows.w}, right[4] = {columns.x, columns.y, columns.z, columns.w};
#pragma unroll
    for (int i = 0; i < 4; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j) sum[i][j] += left[i] * right[j];
}

__global__ void __launch_bounds__(256)
attention(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v, float* __restrict__ o, float scale,
          int length) {
    extern __shared__ __align__(16) float shared[];
    float* queries = shared;
    float* keys = queries + 64 * kPitch;
    float* values = keys + 64 * kPitch;
    float* weights = values + 64 * kPitch;
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16, top = blockIdx.x * 64;
    const size_t head = static_cast<size_t>(blockIdx.y) * length * 64;

    // Consecutive lanes take consecutive rows, which the transposing stores need to be free of bank conflicts.
    for (int i = threadIdx.x; i < 64 * 16; i += 256)
        store_transposed(queries, i % 64, i / 64, row_vector(q + head, top + i % 64, i / 64, length), scale);

    float sum[4][4] = {}, largest[4], total[4] = {};
#pragma unroll
    for (int i = 0; i < 4; ++i) largest[i] = kLowest;

    for (int first = 0; first <= top; first += 64) {
        __syncthreads();
        for (int i = threadIdx.x; i < 64 * 16; i += 256) {
            store_transposed(keys, i % 64, i / 64, row_vector(k + head, first + i % 64, i / 64, length), 1.0f);
            *reinterpret_cast<float4*>(&values[i / 16 * kPitch + i % 16 * 4]) = row_vector(v + head, first + i / 16, i % 16, length);
        }
        __syncthreads();

        float score[4][4] = {};
#pragma unroll 8
        for (int d = 0; d < 64; ++d)
            outer_product(score, *reinterpret_cast<const float4*>(&queries[d * kPitch + 4 * ty]),
                          *reinterpret_cast<const float4*>(&keys[d * kPitch + 4 * tx]));
        if (first == top) {
#pragma unroll
            for (int i = 0; i < 4; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j)
                    if (4 * tx + j > 4 * ty + i) score[i][j] = kLowest;
        }
#pragma unroll
        for (int i = 0; i < 4; ++i) {
            float here = fmaxf(fmaxf(score[i][0], score[i][1]), fmaxf(score[i][2], score[i][3]));
            for (int offset = 8; offset > 0; offset /= 2) here = fmaxf(here, __shfl_xor_sync(0xFFFFFFFFu, here, offset));
            // A tile holds a key that the query sees, so the maximum is a real score and masked keys get weight 0.
            here = fmaxf(here, largest[i]);
            const float rescale = __expf(largest[i] - here);
            largest[i] = here;
            total[i] *= rescale;
#pragma unroll
            for (int j = 0; j < 4; ++j) {
                sum[i][j] *= rescale;
                score[i][j] = __expf(score[i][j] - here);
                total[i] += score[i][j];
            }
        }
#pragma unroll
        for (int j = 0; j < 4; ++j)
            *reinterpret_cast<float4*>(&weights[(4 * tx + j) * kPitch + 4 * ty]) = {score[0][j], score[1][j], score[2][j], score[3][j]};
        __syncthreads();
#pragma unroll 8
        for (int key = 0; key < 64; ++key)
            outer_product(sum, *reinterpret_cast<const float4*>(&weights[key * kPitch + 4 * ty]),
                          *reinterpret_cast<const float4*>(&values[key * kPitch + 4 * tx]));
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        for (int offset = 8; offset > 0; offset /= 2) total[i] += __shfl_xor_sync(0xFFFFFFFFu, total[i], offset);
        const int query = top + 4 * ty + i;
        const float factor = 1.0f / total[i];
        if (query < length)
            reinterpret_cast<float4*>(o + head)[query * 16 + tx] = {sum[i][0] * factor, sum[i][1] * factor, sum[i][2] * factor,
                                                                    sum[i][3] * factor};
    }
}
