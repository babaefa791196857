// C = A · B in tiles of 32 × 32 through shared memory.
constexpr int kTile = 32;

extern "C" __global__ void matmul(const float* a, const float* b, float* c, int n) {
    __shared__ float tile_a[kTile][kTile];
    __shared__ float tile_b[kTile][kTile];
    const int x = threadIdx.x, y = threadIdx.y;
    const int row = blockIdx.y * kTile + y, column = blockIdx.x * kTile + x;
    float sum = 0;
    for (int start = 0; start < n; start += kTile) {
        tile_a[y][x] = a[row * n + start + x];
        tile_b[y][x] = b[(start + y) * n + column];
        __syncthreads();
        for (int k = 0; k < kTile; ++k) sum += tile_a[y][k] * tile_b[k][x];
        __syncthreads();
    }
    c[row * n + column] = sum;
}
