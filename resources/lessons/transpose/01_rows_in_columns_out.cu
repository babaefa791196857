// The plain kernel: rows are read in order, columns written with a stride.
//@ tune HEIGHT = 8 4 16
//@ launch transpose<<<dim3(ceil_div(cols, 32), ceil_div(rows, HEIGHT)), dim3(32, HEIGHT)>>>(x, y, rows, cols)

__global__ void transpose(const float* x, float* y, int rows, int cols) {
    const int row = blockIdx.y * HEIGHT + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
    if (row < rows && column < cols) y[static_cast<size_t>(column) * rows + row] = x[static_cast<size_t>(row) * cols + column];
}
