extern "C" __global__ void saxpy(int n, float factor, const float* x, float* y) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = factor * x[i] + y[i];
}
