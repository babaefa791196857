// One thread an element.
//@ launch transpose<<<ceil_div(rows * cols, 256), 256>>>(x, y, rows, cols)

__global__ void transpose(const float* x, float* y, int rows, int cols) {
    const int i = blockIdx.x * 256 + threadIdx.x;
    if (i < rows * cols) y[i % cols * rows + i / cols] = x[i];
}
