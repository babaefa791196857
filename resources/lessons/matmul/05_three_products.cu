// Tensor cores at the precision of fp32: each operand is the sum of two TF32 numbers, high and low, and high·high + high·low + low·high are
// summed; low·low is below fp32's rounding. A block of eight warps owns 128 x 64 of C, each warp 32 x 32 of it as 2 x 4 fragments of 16 x 8. As
// tensor cores cut off what they add up, sums over 32 of k are moved to ordinary registers, which are rounded.
//@ launch matmul<<<dim3(ceil_div(n, 64), ceil_div(m, 128)), 256>>>(a, b, c, m, n, k)

constexpr int kRows = 128, kColumns = 64, kDepth = 32; // of a block's tile of C, and how much of k is staged at once
constexpr int kPitchA = kDepth + 4;                    // lanes of a fragment of A lie in banks 4 g + t, all different
constexpr int kPitchB = kColumns + 8;                  // and those of B in banks 8 t + g

/// Four elements of a row, zero outside the matrix.
__device__ float4 load(const float* matrix, int row, int column, int rows, int columns) {
    if (row >= rows || column >= columns) return {0, 0, 0, 0};
    const float* at = matrix + static_cast<size_t>(row) * columns + column;
    if (columns % 4 == 0) return *reinterpret_cast<const float4*>(at);
    return {at[0], column + 1 < columns ? at[1] : 0.0f, column + 2 < columns ? at[2] : 0.0f, column + 3 < columns ? at[3] : 0.0f};
}

/// c += a · b on tensor cores, for 16 x 8 elements of C and 8 of k.
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

__global__ void __launch_bounds__(256)
matmul(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m, int n, int k) {
    __shared__ __align__(16) float tile_a[kRows * kPitchA];
    __shared__ __align__(16) float tile_b[kDepth * kPitchB];
    const int row = blockIdx.y * kRows, column = blockIdx.x * kColumns;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, g = lane / 4, t = lane % 4;
    const int top = warp / 2 * 32, start = warp % 2 * 32; // of the warp's 32 x 32 in the block's tile
    float sum[2][4][4] = {};
    for (int first = 0; first < k; first += kDepth) {
        __syncthreads();
#pragma unroll
        for (int i = threadIdx.x; i < kRows * kDepth / 4; i += 256)
            *reinterpret_cast<float4*>(&tile_a[i / 8 * kPitchA + i % 8 * 4]) = load(a, row + i / 8, first + i % 8 * 4, m, k);
#pragma unroll
        for (int i = threadIdx.x; i < kDepth * kColumns / 4; i += 256)
            *reinterpret_cast<float4*>(&tile_b[i / 16 * kPitchB + i % 16 * 4]) = load(b, first + i / 16, column + i % 16 * 4, k, n);
        __syncthreads();
        float part[2][4][4] = {};
#pragma unroll
        for (int depth = 0; depth < kDepth; depth += 8) {
            unsigned left[2][4], left_low[2][4], right[4][2], right_low[4][2];
#pragma unroll
            for (int i = 0; i < 2; ++i)
#pragma unroll
                for (int e = 0; e < 4; ++e)
                    split(tile_a[(top + 16 * i + g + e % 2 * 8) * kPitchA + depth + t + e / 2 * 4], left[i][e], left_low[i][e]);
#pragma unroll
            for (int j = 0; j < 4; ++j)
#pragma unroll
                for (int e = 0; e < 2; ++e)
                    split(tile_b[(depth + t + 4 * e) * kPitchB + start + 8 * j + g], right[j][e], right_low[j][e]);
#pragma unroll
            for (int i = 0; i < 2; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) multiply(part[i][j], left_low[i], right[j]);
#pragma unroll
            for (int i = 0; i < 2; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) multiply(part[i][j], left[i], right_low[j]);
#pragma unroll
            for (int i = 0; i < 2; ++i)
#pragma unroll
                for (int j = 0; j < 4; ++j) multiply(part[i][j], left[i], right[j]);
        }
#pragma unroll
        for (int i = 0; i < 2; ++i)
#pragma unroll
            for (int j = 0; j < 4; ++j)
#pragma unroll
                for (int e = 0; e < 4; ++e) sum[i][j][e] += part[i][j][e];
    }
#pragma unroll
    for (int i = 0; i < 2; ++i)
#pragma unroll
        for (int j = 0; j < 4; ++j)
#pragma unroll
            for (int e = 0; e < 4; ++e) {
                const int r = row + top + 16 * i + g + e / 2 * 8, s = column + start + 8 * j + 2 * t + e % 2;
                if (r < m && s < n) c[static_cast<size_t>(r) * n + s] = sum[i][j][e];
            }
}
