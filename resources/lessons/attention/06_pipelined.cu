// As before, with the next tile of keys and values on its way by asynchronous copies while this one is used. Queries late in a sequence see
// more keys: blocks are numbered so that the longest start first and the shortest come last, which meet the longest on their SM.
//@ launch attention<<<dim3(heads, ceil_div(length, 64)), 128, 4 * 64 * 68 * 4>>>(q, k, v, o, scale, length)

constexpr int kPitch = 68; // lanes of a fragment of K lie in banks 4 g + t, those of V in banks 8 t + g, all different
constexpr float kLowest = -3.402823466e38f;

/// c += a · b on tensor cores: 16 x 8 elements, 8 terms each.
__device__ void multiply(float (&c)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
    asm("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"
        : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3])
        : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}

/// value = high + low, of which tensor cores see 11 bits each.
__device__ void split(float value, unsigned& high, unsigned& low) {
    high = __float_as_uint(value) & 0xFFFFE000u;
    low = __float_as_uint(value - __uint_as_float(high));
}

/// c += a · b for eight fragments side by side, at the precision of fp32: low·high + high·low + high·high.
__device__ void multiply(float (&c)[8][4], const float (&a)[4], const float (&b)[8][2]) {
    unsigned left[4], left_low[4], right[8][2], right_low[8][2];
#pragma unroll
    for (int e = 0; e < 4; ++e) split(a[e], left[e], left_low[e]);
#pragma unroll
    for (int j = 0; j < 8; ++j)
#pragma unroll
        for (int e = 0; e < 2; ++e) split(b[j][e], right[j][e], right_low[j][e]);
#pragma unroll
    for (int j = 0; j < 8; ++j) multiply(c[j], left_low, right[j]);
#pragma unroll
    for (int j = 0; j < 8; ++j) multiply(c[j], left, right_low[j]);
#pragma unroll
    for (int j = 0; j < 8; ++j) multiply(c[j], left, right[j]);
}

/// Starts the copy of 64 rows to shared memory, zeros beyond the last.
__device__ void copy(float* to, const float* rows, int first, int length) {
#pragma unroll
    for (int i = threadIdx.x; i < 64 * 16; i += 128) {
        const int row = first + i / 16;
        const float* from = rows + (row < length ? static_cast<size_t>(row) * 64 + i % 16 * 4 : 0);
        const unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(&to[i / 16 * kPitch + i % 16 * 4]));
        asm volatile("cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"(at), "l"(from), "r"(row < length ? 16 : 0) : "memory");
    }
}

__global__ void __launch_bounds__(128)
attention(const float* __restrict__ q, const float* __restrict__ k, const float* __restrict__ v, float* __restrict__ o, float scale,
          int length) {
    extern __shared__ __align__(16) float stages[]; // two of keys and values
    constexpr int kTile = 64 * kPitch;
    const int order = blockIdx.y, half = (gridDim.y + 1) / 2;
    const int tile = order < half ? static_cast<int>(gridDim.y) - 1 - order : order - half;
    const int lane = threadIdx.x % 32, g = lane / 4, t = lane % 4;
    const int top = tile * 64, query = top + threadIdx.x / 32 * 16 + g; // the lane's queries are this one and the eighth after it
    const size_t head = static_cast<size_t>(blockIdx.x) * length * 64;
    copy(stages, k + head, 0, length);
    copy(stages + kTile, v + head, 0, length);
    asm volatile("cp.async.commit_group;" ::: "memory");

    float mine[8][4];
#pragma unroll
    for (int s = 0; s < 8; ++s)
#pragma unroll
        for (int e = 0; e < 4; ++e) {
            const int row = query + e % 2 * 8;
            mine[s][e] = row < length ? q[head + static_cast<size_t>(row) * 64 + 8 * s + t + e / 2 * 4] * scale : 0.0f;
        }
    float sum[8][4] = {}, largest[2] = {kLowest, kLowest}, total[2] = {0, 0};

    for (int first = 0; first <= top; first += 64) {
        const float* keys = stages + first / 64 % 2 * 2 * kTile;
        const float* values = keys + kTile;
        asm volatile("cp.async.wait_group 0;" ::: "memory");
        __syncthreads(); // this tile is there for all, and all are done with the one before
        if (first < top) {
            float* next = stages + (first / 64 + 1) % 2 * 2 * kTile;
            copy(next, k + head, first + 64, length);
            copy(next + kTile, v + head, first + 64, length);
            asm volatile("cp.async.commit_group;" ::: "memory");
        }

        float score[8][4] = {};
#pragma unroll
        for (int s = 0; s < 8; ++s) {
            float part[8][2];
#pragma unroll
            for (int j = 0; j < 8; ++j) {
                part[j][0] = keys[(8 * j + g) * kPitch + 8 * s + t];
                part[j][1] = keys[(8 * j + g) * kPitch + 8 * s + t + 4];
            }
            multiply(score, mine[s], part);
        }
        if (first == top) {
#pragma unroll
            for (int j = 0; j < 8; ++j)
#pragma unroll
                for (int e = 0; e < 4; ++e)
                    if (first + 8 * j + 2 * t + e % 2 > query + e / 2 * 8) score[j][e] = kLowest;
        }
#pragma unroll
        for (int r = 0; r < 2; ++r) {
            float here = largest[r];
#pragma unroll
            for (int j = 0; j < 8; ++j) here = fmaxf(here, fmaxf(score[j][2 * r], score[j][2 * r + 1]));
            here = fmaxf(here, __shfl_xor_sync(0xFFFFFFFFu, here, 1));
            here = fmaxf(here, __shfl_xor_sync(0xFFFFFFFFu, here, 2));
            // A tile holds a key that the query sees, so the maximum is a real score and masked keys get weight 0.
            const float rescale = __expf(largest[r] - here);
            largest[r] = here;
            total[r] *= rescale;
#pragma unroll
            for (int j = 0; j < 8; ++j)
#pragma unroll
                for (int e = 2 * r; e < 2 * r + 2; ++e) {
                    sum[j][e] *= rescale;
                    score[j][e] = __expf(score[j][e] - here);
                    total[r] += score[j][e];
                }
        }
#pragma unroll
        for (int s = 0; s < 8; ++s) {
            // A lane has the weights of keys 2 t and 2 t + 1 where a fragment wants t and t + 4. The order of the terms of a sum is free, so V's
            // rows are taken in the order that the lanes have.
            const float weights[4] = {score[s][0], score[s][2], score[s][1], score[s][3]};
            float part[8][2];
#pragma unroll
            for (int j = 0; j < 8; ++j) {
                part[j][0] = values[(8 * s + 2 * t) * kPitch + 8 * j + g];
                part[j][1] = values[(8 * s + 2 * t + 1) * kPitch + 8 * j + g];
            }
            multiply(sum, weights, part);
        }
    }
#pragma unroll
    for (int r = 0; r < 2; ++r) {
        total[r] += __shfl_xor_sync(0xFFFFFFFFu, total[r], 1);
        total[r] += __shfl_xor_sync(0xFFFFFFFFu, total[r], 2);
        const int row = query + 8 * r;
        const float factor = 1.0f / total[r];
        if (row >= length) continue;
#pragma unroll
        for (int j = 0; j < 8; ++j)
            *reinterpret_cast<float2*>(&o[head + static_cast<size_t>(row) * 64 + 8 * j + 2 * t]) = {sum[j][2 * r] * factor,
                                                                                                    sum[j][2 * r + 1] * factor};
    }
}
