// Two levels of tiling. A block of 256 threads owns TILE x TILE of C and stages TILE x 16 of A (transposed) and 16 x TILE of B in
// shared memory; each thread owns (TILE/16)² elements in registers, in 4 x 4 pieces 64 apart. A value read from shared memory thus
// serves 4 to 8 multiply-adds instead of one, and is read four at a time without bank conflicts. The next tiles travel from memory to
// registers while the current ones are multiplied.
//@ tune TILE = 64 128
//@ launch matmul_register_tiles<<<dim3(ceil_div(n, TILE), ceil_div(m, TILE)), 256>>>(a, b, c, m, n, k)

constexpr int kDepth = 16;
constexpr int kPieces = TILE / 64;
constexpr int kLoads = TILE * kDepth / 256;

struct Stage {
    float a[kLoads];
    float b[kLoads];
};

__device__ void fetch(Stage& stage, const float* a, const float* b, int row, int column, int depth, int m, int n, int k) {
#pragma unroll
    for (int i = 0; i < kLoads; ++i) {
        const int at = i * 256 + threadIdx.x;
        const int r = row + at / kDepth, ka = depth + at % kDepth;
        stage.a[i] = r < m && ka < k ? a[static_cast<size_t>(r) * k + ka] : 0.0f;
        const int c = column + at % TILE, kb = depth + at / TILE;
        stage.b[i] = c < n && kb < k ? b[static_cast<size_t>(kb) * n + c] : 0.0f;
    }
}

__global__ void __launch_bounds__(256)
matmul_register_tiles(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m, int n, int k) {
    // Rows of A's tile are padded by one vector, so that the transposing stores spread over the banks.
    __shared__ __align__(16) float tile_a[kDepth][TILE + 4];
    __shared__ __align__(16) float tile_b[kDepth][TILE];
    const int row = blockIdx.y * TILE, column = blockIdx.x * TILE;
    const int tx = threadIdx.x % 16, ty = threadIdx.x / 16;

    float sum[4 * kPieces][4 * kPieces] = {};
    Stage stage;
    fetch(stage, a, b, row, column, 0, m, n, k);
    for (int depth = 0; depth < k; depth += kDepth) {
        __syncthreads();
#pragma unroll
        for (int i = 0; i < kLoads; ++i) {
            const int at = i * 256 + threadIdx.x;
            tile_a[at % kDepth][at / kDepth] = stage.a[i];
            tile_b[at / TILE][at % TILE] = stage.b[i];
        }
        __syncthreads();
        if (depth + kDepth < k) fetch(stage, a, b, row, column, depth + kDepth, m, n, k);
#pragma unroll
        for (int i = 0; i < kDepth; ++i) {
            float left[4 * kPieces], right[4 * kPieces];
#pragma unroll
            for (int p = 0; p < kPieces; ++p) {
                *reinterpret_cast<float4*>(left + 4 * p) = *reinterpret_cast<const float4*>(&tile_a[i][64 * p + 4 * ty]);
                *reinterpret_cast<float4*>(right + 4 * p) = *reinterpret_cast<const float4*>(&tile_b[i][64 * p + 4 * tx]);
            }
#pragma unroll
            for (int r = 0; r < 4 * kPieces; ++r)
#pragma unroll
                for (int s = 0; s < 4 * kPieces; ++s) sum[r][s] += left[r] * right[s];
        }
    }

#pragma unroll
    for (int r = 0; r < 4 * kPieces; ++r) {
        const int at_row = row + r / 4 * 64 + 4 * ty + r % 4;
        if (at_row >= m) continue;
#pragma unroll
        for (int s = 0; s < 4 * kPieces; ++s) {
            const int at_column = column + s / 4 * 64 + 4 * tx + s % 4;
            if (at_column < n) c[static_cast<size_t>(at_row) * n + at_column] = sum[r][s];
        }
    }
}
