// Square tiles in shared memory, one element of C a thread.
//@ launch matmul<<<dim3(ceil_div(n, 32), ceil_div(m, 32)), dim3(32, 32)>>>(a, b, c, m, n, k)

__global__ void __launch_bounds__(1024)
matmul(const float* __restrict__ a, const float* __restrict__ b, float* __restrict__ c, int m, int n, int k) {
    __shared__ float tile_a[32][32];
    __shared__ float tile_b[32][32];
    const int row = blockIdx.y * 32 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
    float sum = 0;
    for (int first = 0; first < k; first += 32) {
        const int inner_a = first + threadIdx.x, inner_b = first + threadIdx.y;
        tile_a[threadIdx.y][threadIdx.x] = row < m && inner_a < k ? a[row * k + inner_a] : 0.0f;
        tile_b[threadIdx.y][threadIdx.x] = inner_b < k && column < n ? b[inner_b * n + column] : 0.0f;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 32; ++i) sum += tile_a[threadIdx.y][i] * tile_b[i][threadIdx.x];
        __syncthreads();
    }
    if (row < m && column < n) c[row * n + column] = sum;
}
