// A 32 x 32 tile in shared memory turns both sides into whole 128-byte lines. Its rows are padded by one element, so that the 32
// elements of a column lie in 32 banks; and each thread moves 32/HEIGHT elements, so that several loads are in flight before the
// barrier and fewer threads share the cost of it.
//@ tune HEIGHT = 8 4 16
//@ launch transpose_padded<<<dim3(ceil_div(cols, 32), ceil_div(rows, 32)), dim3(32, HEIGHT)>>>(x, y, rows, cols)

__global__ void __launch_bounds__(32 * HEIGHT)
transpose_padded(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
    __shared__ float tile[32][33];
    const int top = blockIdx.y * 32, left = blockIdx.x * 32;
#pragma unroll
    for (int i = threadIdx.y; i < 32; i += HEIGHT)
        if (top + i < rows && left + threadIdx.x < cols) tile[i][threadIdx.x] = x[static_cast<size_t>(top + i) * cols + left + threadIdx.x];
    __syncthreads();
#pragma unroll
    for (int i = threadIdx.y; i < 32; i += HEIGHT)
        if (left + i < cols && top + threadIdx.x < rows) y[static_cast<size_t>(left + i) * rows + top + threadIdx.x] = tile[threadIdx.x][i];
}
