// The plain kernel: one thread an element of C, operands straight from memory.
//@ tune WIDTH = 16 32
//@ launch matmul<<<dim3(ceil_div(n, WIDTH), ceil_div(m, 16)), dim3(WIDTH, 16)>>>(a, b, c, m, n, k)

__global__ void matmul(const float* a, const float* b, float* c, int m, int n, int k) {
    const int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * WIDTH + threadIdx.x;
    if (row >= m || column >= n) return;
    float sum = 0;
    for (int i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + column];
    c[row * n + column] = sum;
}
