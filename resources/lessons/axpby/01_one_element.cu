// The plain kernel: one thread an element.
//@ tune BLOCK = 256 128 512 1024
//@ launch axpby<<<ceil_div(n, BLOCK), BLOCK>>>(x, y, a, b, n)

__global__ void axpby(const float* x, float* y, float a, float b, int n) {
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) y[i] = a * x[i] + b * y[i];
}
