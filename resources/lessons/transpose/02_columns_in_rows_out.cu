// Columns are read with a stride, rows written in order.
//@ tune HEIGHT = 8 4 16
//@ launch transpose<<<dim3(ceil_div(rows, 32), ceil_div(cols, HEIGHT)), dim3(32, HEIGHT)>>>(x, y, rows, cols)

__global__ void transpose(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
    const int column = blockIdx.y * HEIGHT + threadIdx.y, row = blockIdx.x * 32 + threadIdx.x;
    if (row < rows && column < cols) y[static_cast<size_t>(column) * rows + row] = x[static_cast<size_t>(row) * cols + column];
}
