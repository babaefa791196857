//@ launch plain<<<dim3(ceil_div(n, 16), ceil_div(n, 16)), dim3(16, 16)>>>(a, b, c, n)
__global__ void plain(const float* a, const float* b, float* c, int n) {
    int col = blockIdx.x * 16 + threadIdx.x, row = blockIdx.y * 16 + threadIdx.y;
    if (row >= n || col >= n) return;
    float sum = 0;
    for (int k = 0; k < n; ++k) sum += a[row * n + k] * b[k * n + col];
    c[row * n + col] = sum;
}
