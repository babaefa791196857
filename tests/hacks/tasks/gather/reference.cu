//@ launch plain<<<ceil_div(n, 256), 256>>>(t, i, y, n)
__global__ void plain(const float* t, const int* i, float* y, int n) {
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (k < n) y[k] = t[i[k]];
}
