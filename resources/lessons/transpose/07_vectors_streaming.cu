// A block of 256 threads turns a tile of 64 x 64. Each thread loads a square of 4 x 4 as four vectors, turns it in registers and stores
// four vectors to shared memory; a tile's rows leave as vectors too. So all accesses, to memory and to shared memory, are 16 bytes wide,
// and 64 bytes a thread are in flight. Vectors of a row of the tile are permuted by the square's column: eight lanes that store to eight
// rows then meet eight different groups of banks. Nothing is used twice, so loads and stores are marked as streaming. Edges, and shapes
// that are no multiple of four, go element by element.
//@ launch transpose<<<dim3(ceil_div(cols, 64), ceil_div(rows, 64)), dim3(16, 16)>>>(x, y, rows, cols)

__device__ int place(int row, int vector) { return row * 16 + (vector ^ (row / 4 % 8)); }

__global__ void __launch_bounds__(256) transpose(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
    __shared__ float4 tile[64 * 16];
    const int top = blockIdx.y * 64, left = blockIdx.x * 64, tx = threadIdx.x, ty = threadIdx.y;
    if (rows % 4 != 0 || cols % 4 != 0 || top + 64 > rows || left + 64 > cols) {
        float* flat = reinterpret_cast<float*>(tile); // 64 x 64, its columns turned by their row
        for (int i = ty * 16 + tx; i < 64 * 64; i += 256) {
            const int row = i / 64, column = i % 64;
            if (top + row < rows && left + column < cols)
                flat[row * 64 + (row + column) % 64] = x[static_cast<size_t>(top + row) * cols + left + column];
        }
        __syncthreads();
        for (int i = ty * 16 + tx; i < 64 * 64; i += 256) {
            const int row = i % 64, column = i / 64;
            if (top + row < rows && left + column < cols)
                y[static_cast<size_t>(left + column) * rows + top + row] = flat[row * 64 + (row + column) % 64];
        }
        return;
    }
    const float4* in = reinterpret_cast<const float4*>(x + static_cast<size_t>(top + 4 * ty) * cols + left) + tx;
    const float4 a = __ldcs(in), b = __ldcs(in + cols / 4), c = __ldcs(in + cols / 2), d = __ldcs(in + cols / 4 * 3);
    tile[place(4 * tx, ty)] = {a.x, b.x, c.x, d.x};
    tile[place(4 * tx + 1, ty)] = {a.y, b.y, c.y, d.y};
    tile[place(4 * tx + 2, ty)] = {a.z, b.z, c.z, d.z};
    tile[place(4 * tx + 3, ty)] = {a.w, b.w, c.w, d.w};
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const int row = ty + 16 * i;
        __stcs(reinterpret_cast<float4*>(y + static_cast<size_t>(left + row) * rows + top) + tx, tile[place(row, tx)]);
    }
}
