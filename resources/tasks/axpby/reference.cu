// One thread an element, in double precision.
//@ launch axpby<<<ceil_div(n, 256), 256>>>(x, y, a, b, n)

__global__ void axpby(const float* x, float* y, double a, double b, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = static_cast<float>(a * x[i] + b * y[i]);
}
