// A tile in shared memory makes both sides contiguous.
//@ launch transpose<<<dim3(ceil_div(cols, 32), ceil_div(rows, 32)), dim3(32, 32)>>>(x, y, rows, cols)

__global__ void transpose(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
    __shared__ float tile[32][32];
    int row = blockIdx.y * 32 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
    if (row < rows && column < cols) tile[threadIdx.y][threadIdx.x] = x[static_cast<size_t>(row) * cols + column];
    __syncthreads();
    row = blockIdx.y * 32 + threadIdx.x;
    column = blockIdx.x * 32 + threadIdx.y;
    if (row < rows && column < cols) y[static_cast<size_t>(column) * rows + row] = tile[threadIdx.x][threadIdx.y];
}
