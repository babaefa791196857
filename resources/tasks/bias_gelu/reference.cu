// One thread an element, in double precision.
//@ launch bias_gelu<<<dim3(ceil_div(cols, 256), rows), 256>>>(x, bias, y, cols)

__global__ void bias_gelu(const float* x, const float* bias, float* y, int cols) {
    const int column = blockIdx.x * 256 + threadIdx.x;
    if (column >= cols) return;
    const size_t at = static_cast<size_t>(blockIdx.y) * cols + column;
    const double t = static_cast<double>(x[at]) + bias[column];
    y[at] = static_cast<float>(0.5 * t * (1 + erf(t * 0.70710678118654752440)));
}
