// Four neighbouring elements a thread, one after the other.
//@ tune BLOCK = 256 128 512
//@ launch axpby<<<ceil_div(ceil_div(n, 4), BLOCK), BLOCK>>>(x, y, a, b, n)

__global__ void axpby(const float* x, float* y, float a, float b, int n) {
    const int first = 4 * (blockIdx.x * BLOCK + threadIdx.x);
    for (int i = first; i < min(first + 4, n); ++i) y[i] = a * x[i] + b * y[i];
}
