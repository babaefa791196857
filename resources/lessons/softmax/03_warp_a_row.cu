// One warp a row: maximum and sum by shuffles, without shared memory and barriers; three passes over the row.
//@ tune ROWS = 4 2 8
//@ launch softmax<<<ceil_div(rows, ROWS), dim3(32, ROWS)>>>(x, y, rows, cols)

__global__ void __launch_bounds__(32 * ROWS) softmax(const float* __restrict__ x, float* __restrict__ y, int rows, int cols) {
    const int r = blockIdx.x * ROWS + threadIdx.y;
    if (r >= rows) return; // a whole warp
    const float* row = x + static_cast<size_t>(r) * cols;
    float* out = y + static_cast<size_t>(r) * cols;
    float largest = row[0];
    for (int i = threadIdx.x; i < cols; i += 32) largest = fmaxf(largest, row[i]);
    for (int offset = 16; offset > 0; offset /= 2) largest = fmaxf(largest, __shfl_xor_sync(0xFFFFFFFFu, largest, offset));
    float sum = 0;
    for (int i = threadIdx.x; i < cols; i += 32) sum += expf(row[i] - largest);
    for (int offset = 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xFFFFFFFFu, sum, offset);
    for (int i = threadIdx.x; i < cols; i += 32) out[i] = expf(row[i] - largest) / sum;
}
