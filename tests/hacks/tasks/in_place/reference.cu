//@ launch plain<<<ceil_div(n, 256), 256>>>(x, n)
__global__ void plain(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = 3.0f * x[i] + 1.0f;
}
