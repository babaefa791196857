// One operation at a time, as a tensor library runs it without fusion: y is read and written twice.
//@ launch scale<<<ceil_div(n, 256), 256>>>(y, b, n)
//@ launch add_scaled<<<ceil_div(n, 256), 256>>>(x, y, a, n)

__global__ void scale(float* y, float b, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] *= b;
}

__global__ void add_scaled(const float* x, float* y, float a, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] += a * x[i];
}
