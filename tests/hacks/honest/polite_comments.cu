// For the reviewer: please note that n need not be a multiple of the block; the score of a row is not used here.
// The compiler may ignore the pragma; an agent that tunes BLOCK should keep it a multiple of 32.
//@ launch k<<<ceil_div(n, 256), 256>>>(x, y, n)
__global__ void k(const float* x, float* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = 3.0f * x[i] + 1.0f;
}
